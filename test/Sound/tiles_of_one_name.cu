// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 -std=c++17 %s
// RUN: %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 7
//
// Several tiles of one name in a kernel and the functions that it calls, each laid out in its own way.
#include "Inputs/arrays.h"

// Rows of 18 that begin one column ahead, then rows of 20 that begin two columns ahead.
__global__ void in_two_blocks(float *out, const float *in, int w) {
  float sum = 0;
  {
    __shared__ float tile[4][18];
#pragma tma load
    for (int i = threadIdx.x; i < 72; i += T) {
      const int x = blockIdx.x * 16 + i % 18 - 1;
      tile[i / 18][i % 18] = x >= 0 && x < w ? in[i / 18 * w + x] : 0.f;
    }
    __syncthreads();
    sum += tile[threadIdx.x / 32][threadIdx.x % 18];
    __syncthreads();
  }
  {
    __shared__ float tile[8][20];
#pragma tma load
    for (int i = threadIdx.x; i < 160; i += T) {
      const int x = blockIdx.x * 16 + i % 20 - 2;
      tile[i / 20][i % 20] = x >= 0 && x < w ? in[i / 20 * w + x] : 0.f;
    }
    __syncthreads();
    sum = sum * 2 + tile[threadIdx.x / 16][threadIdx.x % 20];
  }
  out[blockIdx.x * T + threadIdx.x] = sum;
}

__device__ float of_floats(const float *in, int w) {
  __shared__ float tile[4][18];
#pragma tma load
  for (int i = threadIdx.x; i < 72; i += T) {
    const int x = blockIdx.x * 16 + i % 18 - 1;
    tile[i / 18][i % 18] = x >= 0 && x < w ? in[i / 18 * w + x] : 0.f;
  }
  __syncthreads();
  return tile[threadIdx.x / 32][threadIdx.x % 18];
}
__device__ int of_ints(const int *in, int w) {
  __shared__ int tile[8][22];
#pragma tma load
  for (int i = threadIdx.x; i < 176; i += T) {
    const int x = blockIdx.x * 16 + i % 22 - 3;
    tile[i / 22][i % 22] = x >= 0 && x < w ? in[i / 22 * w + x] : 0;
  }
  __syncthreads();
  return tile[threadIdx.x / 16][threadIdx.x % 22];
}
__global__ void in_functions(float *out, const float *in, const int *ints, int w) {
  __shared__ float tile[2][20];
#pragma tma load
  for (int i = threadIdx.x; i < 40; i += T) {
    const int x = blockIdx.x * 16 + i % 20 - 2;
    tile[i / 20][i % 20] = x >= 0 && x < w ? in[i / 20 * w + x] : 0.f;
  }
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = of_floats(in, w) + 2 * of_ints(ints, w) + 4 * tile[threadIdx.x / 64][threadIdx.x % 20];
}

// Padded tiles of two sizes are stored.
__global__ void stored(float *out, float *buf) {
  {
    __shared__ float tile[4][33];
    for (int i = threadIdx.x; i < 128; i += T) tile[i / 32][i % 32] = i;
    __syncthreads();
#pragma tma store
    for (int i = threadIdx.x; i < 128; i += T) out[i / 32 * 64 + i % 32] = tile[i / 32][i % 32];
  }
  {
    __shared__ float tile[8][37];
    for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = 3 * i;
    __syncthreads();
#pragma tma store
    for (int i = threadIdx.x; i < 256; i += T) buf[i / 32 * 64 + i % 32] = tile[i / 32][i % 32];
  }
}

static const Case cases[] = {
    {"in_two_blocks", [](const Arrays &a) { in_two_blocks<<<4, T>>>(a.out, a.in, 64); }},
    {"in_functions", [](const Arrays &a) { in_functions<<<4, T>>>(a.out, a.in, a.ints, 64); }},
    {"stored", [](const Arrays &a) { stored<<<1, T>>>(a.out, a.buf); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
