// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a lifted launch costs the host: a kernel with two tensor maps that does next to nothing, beside
// one without maps or pragmas. Built as it is, without being lifted, the difference is that of two
// plain launches, and ought to be nothing:
//
//   tilelift bench/launches.cu -o lifted.cu
//   nvcc -std=c++17 -O3 -arch=sm_90a -Ibench -Iruntime/include lifted.cu -o launches
//
// driver_launches.cpp launches the same kernels by the driver API.

#include "turns.h"

#include <cuda_runtime.h>

__global__ void untouched(float *out, const float *a, const float *b, int w, int h) {
  out[threadIdx.x] = int(threadIdx.x) < w * h ? a[threadIdx.x] + b[threadIdx.x] : 0;
}

__global__ void two_tiles(float *out, const float *a, const float *b, int w, int h) {
  __shared__ float left[8][32], right[8][32];
#pragma tma load swizzle(none)
  for (int i = threadIdx.x; i < 256; i += 128)
    left[i / 32][i % 32] =
        blockIdx.y * 8 + i / 32 < h && i % 32 < w ? a[(blockIdx.y * 8 + i / 32) * w + i % 32] : 0;
#pragma tma load swizzle(none)
  for (int i = threadIdx.x; i < 256; i += 128)
    right[i / 32][i % 32] =
        blockIdx.y * 8 + i / 32 < h && i % 32 < w ? b[(blockIdx.y * 8 + i / 32) * w + i % 32] : 0;
  __syncthreads();
  out[threadIdx.x] =
      left[threadIdx.x / 32][threadIdx.x % 32] + right[threadIdx.x / 32][threadIdx.x % 32];
}

int main() {
  float *a, *b, *out;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  cudaMalloc(&out, 1 << 20);
  by_turns(
      [=](int height) { untouched<<<dim3(1, 1), 128>>>(out, a, b, 64, height); },
      [] { return cudaDeviceSynchronize(); },
      way{"lifted", [=](int height) { two_tiles<<<dim3(1, 1), 128>>>(out, a, b, 64, height); }});
}
