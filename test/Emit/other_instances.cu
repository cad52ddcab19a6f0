// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %not 1 %tilelift %s -o %t.cu
// RUN: %not 1 grep "^#pragma tma" %t.cu
// RUN: %tilelift %t.cu -o %t.again.cu -- -I%runtime && cmp %t.cu %t.again.cu
// RUN: %FileCheck %s < %t.cu
//
// A copy of one instance alone, which is not lifted: its pragma is a comment in both kernels.
#include <cuda_runtime.h>

template <bool Whole> __global__ void instances(float *out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[256];
  tile[threadIdx.x] = tile[threadIdx.x + 128] = 9;
  __syncthreads();
  if constexpr (Whole) {
#pragma tma load fallback(loop)
    tile[threadIdx.x] = in[threadIdx.x];
  } else {
#pragma tma load fallback(loop)
    tile[2 * threadIdx.x] = in[2 * threadIdx.x];
  }
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}
// CHECK: void instances(
// CHECK: // tma load: lifted in instances_tma
// CHECK: // tma load: stays a loop
// CHECK: instances_tma(
// CHECK: // tma load: 1-D bulk copy of 512 bytes
// CHECK: // tma load: stays a loop
void run(float *out, const float *in) {
  instances<true><<<1, 128>>>(out, in);
  instances<false><<<1, 128>>>(out, in);
}
