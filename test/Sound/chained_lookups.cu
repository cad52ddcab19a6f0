// RUN: env TILELIFT_VERBOSE=1 %run --compare --schedules=3 %s 2> %t.log | FileCheck %s
// RUN: grep -c ": TMA" %t.log | grep -x 8
//
// Numbers that are found by a number which the kernel writes, where the copy may look it up all the same: all threads
// do so in the program, or a variable has the number, or a barrier of the block stands between.
#include <cstdio>

__global__ void by_all(float *out, const float *__restrict__ in, int *idx, const int *__restrict__ starts) {
  __shared__ float tile[32];
  int b = blockIdx.x, t = threadIdx.x;
#pragma tma load
  tile[t] = in[starts[idx[b]] + t];
  __syncthreads();
  if (t == 0)
    idx[b] = 1;
  out[b * 32 + t] = tile[t];
}

__global__ void by_variable(float *out, const float *__restrict__ in, int *idx, const int *__restrict__ starts) {
  __shared__ float tile[32];
  int b = blockIdx.x, t = threadIdx.x, start = starts[idx[b]];
  __syncthreads();
  if (t == 0)
    idx[b] = 1;
#pragma tma load
  if (t < 32)
    tile[t] = in[start + t];
  __syncthreads();
  if (t < 32)
    out[b * 32 + t] = tile[t];
}

int main() {
  float host[256], *in, *out;
  int numbers[4] = {3, 0, 2, 1}, places[4] = {64, 128, 0, 32}, *idx, *starts;
  for (int i = 0; i < 256; ++i)
    host[i] = float(i);
  cudaMalloc(&in, sizeof host), cudaMalloc(&out, sizeof host);
  cudaMalloc(&idx, sizeof numbers), cudaMalloc(&starts, sizeof places);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemcpy(starts, places, sizeof places, cudaMemcpyHostToDevice);
  cudaMemset(out, 0, sizeof host);
  cudaMemcpy(idx, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  by_all<<<4, 32>>>(out, in, idx, starts);
  cudaMemcpy(idx, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  by_variable<<<4, 64>>>(out + 128, in, idx, starts);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  // CHECK: 32 64 0 128 33 65 1 129
  for (int i = 0; i < 2; ++i)
    std::printf("%g %g %g %g%c", host[i], host[32 + i], host[64 + i], host[96 + i], i ? '\n' : ' ');
  // CHECK: 32 64 0 128 33 65 1 129
  for (int i = 0; i < 2; ++i)
    std::printf("%g %g %g %g%c", host[128 + i], host[160 + i], host[192 + i], host[224 + i], i ? '\n' : ' ');
}
