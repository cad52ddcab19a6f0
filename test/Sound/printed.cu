// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --seed=1 %s h 2>/dev/null | %FileCheck %s
// RUN: %run %s h 2>/dev/null | %FileCheck %s
// RUN: %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-barrier-dropped | grep -x 1
//
// Threads that meet at a barrier print in order, whether or not they share memory. Where one side prints nothing, the
// barrier orders nothing.
#include "Inputs/arrays.h"

__global__ void in_order(float *out, const float *in) {
  __shared__ float tile[T];
#pragma tma load
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x == T - 1) printf("first\n");
  __syncthreads();
  if (threadIdx.x == 0) printf("second\n");
  out[threadIdx.x] = tile[threadIdx.x];
}
// CHECK: first
// CHECK-NEXT: second

__global__ void before_only(float *out, const float *in) {
  __shared__ float tile[T];
#pragma tma load
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x == T - 1) printf("alone\n");
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}
// CHECK: alone

static const Case cases[] = {
    {"in_order", [](const Arrays &a) { in_order<<<1, T>>>(a.out, a.in); }},
    {"before_only", [](const Arrays &a) { before_only<<<1, T>>>(a.out, a.in); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
