// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare %s
//
// Of a tile that the blocks of a cluster share, each block brings a part, and the parts start in several places. The
// launcher has to know whether any of them lies outside of the tensor, where TMA reads at the tensor's start: here, that
// is no memory, and the second part of the only round lies outside.
#include <cstdio>

__global__ void shared(float *out, const float *__restrict__ a, int m, int first, int pitch) {
  __shared__ __align__(128) float tile[32][16];
  int t = threadIdx.x;
  float sum = 0;
  for (int y0 = first; y0 < m; y0 += 32) {
#pragma tma load multicast(x) swizzle(none)
    for (int i = t; i < 512; i += 128) {
      int r = i / 16, c = i % 16;
      tile[r][c] = y0 + r >= 0 && y0 + r < m ? a[(long)(y0 + r) * pitch + c] : 0.f;
    }
    __syncthreads();
    sum += tile[t / 4][t % 16];
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = sum;
}

int main() {
  float *out, *in;
  size_t bytes = 16 * 16384 * 4;
  cudaMalloc(&in, bytes);
  cudaMemset(in, 1, bytes);
  cudaMalloc(&out, 4096);
  shared<<<2, 128>>>(out, in - 32 * 16384, 48, 32, 16384);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
