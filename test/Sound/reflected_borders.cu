// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %tilelift --check --remarks %s 2>&1 | grep -c "lifted.*bytes from 'in'" | grep -x 3
//
// Borders that are reflected by abs(): blocks in the middle copy by TMA, those at a border by the loop. A function of the
// program's own of that name is followed as it is written.
#include "Inputs/arrays.h"

__global__ void by_abs(float *out, const float *in, int n) {
  __shared__ float tile[T + 8];
  int at = (int)blockIdx.x * T - 4;
#pragma tma load
  for (int i = threadIdx.x; i < T + 8; i += T) {
    int j = abs(at + i);
    if (j >= n) j = 2 * n - 2 - j;
    tile[i] = in[j];
  }
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x] + 2 * tile[threadIdx.x + 8];
}

__global__ void by_llabs(float *out, const float *in, long long n) {
  __shared__ float tile[T + 8];
  long long at = (long long)blockIdx.x * T - 4;
#pragma tma load
  for (int i = threadIdx.x; i < T + 8; i += T) {
    long long j = llabs(at + i);
    if (j >= n) j = 2 * n - 2 - j;
    tile[i] = in[j];
  }
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x] + 2 * tile[threadIdx.x + 8];
}

namespace own {
__device__ int abs(int x) { return x < 0 ? 0 : x; }
} // namespace own
__global__ void by_a_function_of_that_name(float *out, const float *in, int n) {
  __shared__ float tile[T + 8];
  int at = (int)blockIdx.x * T - 4;
#pragma tma load
  for (int i = threadIdx.x; i < T + 8; i += T) tile[i] = in[min(own::abs(at + i), n - 1)];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x] + 2 * tile[threadIdx.x + 8];
}

static const Case cases[] = {
    {"by_abs", [](const Arrays &a) { by_abs<<<6, T>>>(a.out, a.in, 6 * T); }},
    {"by_llabs", [](const Arrays &a) { by_llabs<<<6, T>>>(a.out, a.in, 6 * T); }},
    {"by_a_function_of_that_name", [](const Arrays &a) { by_a_function_of_that_name<<<6, T>>>(a.out, a.in, 6 * T); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
