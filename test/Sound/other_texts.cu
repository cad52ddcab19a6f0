// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %tilelift --check --remarks %s 2>&1 | grep -c "remark: lifted:" | grep -x 6
//
// What stands at a place that is not what it seems: several statements in one line by `#line`, copies that are all that a
// macro stands for, and threads that leave by assembly.
#include "Inputs/arrays.h"

// Two barriers at one place, as generated code has them.
__global__ void one_line(float *out, const float *in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  tile[threadIdx.x] = in[threadIdx.x] * 2;
#line 9 "a.y"
  __syncthreads();
#pragma tma store
  out[threadIdx.x] = tile[threadIdx.x];
  other[threadIdx.x] = tile[threadIdx.x] + 1;
#line 9 "a.y"
  __syncthreads();
  tile[threadIdx.x] = other[T - 1 - threadIdx.x];
  out[T + threadIdx.x] = tile[threadIdx.x];
}
__global__ void one_line_of_a_loop(float *out, const float *in, int rounds) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  for (int r = 0; r < rounds; ++r) {
#pragma tma load
    tile[threadIdx.x] = in[r * T + threadIdx.x];
    other[threadIdx.x] = r + threadIdx.x;
#line 9 "a.y"
    __syncthreads();
    out[r * T + threadIdx.x] = tile[T - 1 - threadIdx.x] + other[T - 1 - threadIdx.x];
#line 9 "a.y"
    __syncthreads();
  }
}
#line 200 "other_texts.cu"
#define ALONE(...) __VA_ARGS__
#define ENDED(statement) statement;
__global__ void a_whole_macro(float *out, const float *in) {
  __shared__ alignas(128) float tile[T], other[T];
#pragma tma load
  ALONE(tile[threadIdx.x] = in[threadIdx.x]);
#pragma tma load
  ENDED(other[threadIdx.x] = in[T + threadIdx.x])
  __syncthreads();
  out[threadIdx.x] = tile[T - 1 - threadIdx.x] - other[threadIdx.x];
}
__global__ void exits(float *out, const float *in) {
  __shared__ alignas(128) float tile[T];
  tile[threadIdx.x] = in[T - 1 - threadIdx.x];
  __syncthreads();
#pragma tma store
  out[threadIdx.x] = tile[threadIdx.x];
  asm volatile("exit;");
}
__global__ void returns(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T];
  tile[threadIdx.x] = in[T - 1 - threadIdx.x];
  __syncthreads();
#pragma tma reduce
  out[threadIdx.x] += tile[threadIdx.x];
  if (n > 2) asm volatile("ret;");
}

static const Case cases[] = {
    {"one_line", [](const Arrays &a) { one_line<<<1, T>>>(a.out, a.in); }},
    {"one_line_of_a_loop", [](const Arrays &a) { one_line_of_a_loop<<<1, T>>>(a.out, a.in, 4); }},
    {"a_whole_macro", [](const Arrays &a) { a_whole_macro<<<1, T>>>(a.out, a.in); }},
    {"exits", [](const Arrays &a) { exits<<<1, T>>>(a.out, a.in); }},
    {"returns", [](const Arrays &a) { returns<<<1, T>>>(a.out, a.in, 3); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
