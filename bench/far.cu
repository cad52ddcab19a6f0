// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What prefetches bring where shared memory is short: sums of lines with one block on an SM
// and two tiles of 8 KiB in flight, too few for the latency of the memory; and with L2
// fetching the tiles of rounds to come.

#include "bench.cuh"

constexpr int TILE = 2048, THREADS = 256;
constexpr int FAR = 6;

__device__ inline float own(const float *tile) {
  float sum = 0;
  for (int i = threadIdx.x; i < TILE; i += THREADS)
    sum += tile[i];
  return sum;
}

__global__ void __launch_bounds__(THREADS)
    near(float *__restrict__ out, const float *__restrict__ in, int rounds) {
  __shared__ __align__(128) float tile[TILE];
  const float *line = in + size_t(blockIdx.x) * rounds * TILE;
  float sum = 0;
#pragma tma pipeline stages(2)
  for (int k = 0; k < rounds; ++k) {
#pragma tma load
    for (int i = threadIdx.x; i < TILE; i += THREADS)
      tile[i] = line[k * TILE + i];
    __syncthreads();
    sum += own(tile);
    __syncthreads();
  }
  out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

__global__ void __launch_bounds__(THREADS)
    far(float *__restrict__ out, const float *__restrict__ in, int rounds) {
  __shared__ __align__(128) float tile[TILE];
  const float *line = in + size_t(blockIdx.x) * rounds * TILE;
  float sum = 0;
#pragma tma pipeline stages(2)
  for (int k = 0; k < rounds; ++k) {
#pragma tma load prefetch(FAR)
    for (int i = threadIdx.x; i < TILE; i += THREADS)
      tile[i] = line[k * TILE + i];
    __syncthreads();
    sum += own(tile);
    __syncthreads();
  }
  out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

int main() {
  int blocks = 132, rounds = 1500;
  size_t bytes = size_t(blocks) * rounds * TILE * 4;
  Buffer in(bytes, 1), out(size_t(blocks) * THREADS * 4, 2);
  work("prefetch-none", double(bytes), 0);
  kernel("prefetch-none", out,
         [&] { near<<<blocks, THREADS>>>(out.as<float>(), in.as<float>(), rounds); });
  work("prefetch-6", double(bytes), 0);
  kernel("prefetch-6", out,
         [&] { far<<<blocks, THREADS>>>(out.as<float>(), in.as<float>(), rounds); });
}
