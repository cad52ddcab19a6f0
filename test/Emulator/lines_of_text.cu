// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=1 %s
//
// __LINE__ and __FILE__ in a lifted program that is compiled at once are those of the file. In one that is written
// to a file, they are those of that file.
#include "../Sound/Inputs/arrays.h"

__global__ void lines_of_the_copy(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x;
#pragma tma load
  tile[t] = in[n * T + t]; int line = __LINE__;
  __syncthreads();
  out[t] = tile[T - 1 - t] + line;
}

// As a generator of code says it.
__global__ void lines_of_another_file(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x;
#line 1000 "generated.cu"
#pragma tma load
  tile[t] = in[n * T + t];
  __syncthreads();
  out[t] = tile[T - 1 - t] + __LINE__ + sizeof(__FILE__);
}
#line 77
__global__ void lines_behind_it(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x;
#pragma tma load
  tile[t] = in[n * T + t];
  __syncthreads();
  out[t] = tile[T - 1 - t] + __LINE__ + sizeof(__FILE__);
}

static const Case cases[] = {
    {"lines_of_the_copy", [](const Arrays &a) { lines_of_the_copy<<<1, T>>>(a.out, a.in, 5); }},
    {"lines_of_another_file", [](const Arrays &a) { lines_of_another_file<<<1, T>>>(a.out, a.in, 5); }},
    {"lines_behind_it", [](const Arrays &a) { lines_behind_it<<<1, T>>>(a.out, a.in, 5); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
