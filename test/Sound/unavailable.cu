// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 1
//
// Copies that are refused with an error although they say fallback(loop), so that they stop the file: each is harmless.
#include "Inputs/arrays.h"

// Harmless.
__global__ void with_arguments_without_names(float *__restrict__ out, const float *__restrict__ in, int,
                                             const float *) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// Harmless.
__global__ void stages_by_an_enumerator(float *__restrict__ out, const float *__restrict__ in, int n) {
  constexpr int rows = 4, columns = T / rows;
  enum { stages = 3 };
  __shared__ float tile[rows][columns];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(stages) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t / columns][t % columns] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[rows - 1 - t / columns][t % columns];
    __syncthreads();
  }
  out[at + t] = sum;
}

static const Case cases[] = {
    {"with_arguments_without_names",
     [](const Arrays &a) { with_arguments_without_names<<<2, T>>>(a.out, a.in, 3, nullptr); }},
    {"stages_by_an_enumerator", [](const Arrays &a) { stages_by_an_enumerator<<<2, T>>>(a.out, a.in, 4); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
