// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %lift-and-check %s %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
// RUN: %tilelift --dump-plan %s -o /dev/null | %FileCheck %s --check-prefix=PLAN
// RUN: %tilelift --remarks %s -o %t.again.cu 2>&1 | %FileCheck %s --check-prefix=SAID
//
// PLAN: "joined": [
// PLAN-NEXT: 21
// PLAN-NEXT: ]
//
// Two statements that are one copy, and the loop beside it where it cannot be made.
#include <cuda_runtime.h>

// SAID: split_copies.cu:[[#@LINE+6]]:3: remark: lifted under a guard: 1-D bulk copy of 1024 bytes from 'in' to 'tile', contiguous and unguarded
// SAID: at the copy: pitch * blockIdx.x * 4 is a multiple of 16
// SAID: split_copies.cu:[[#@LINE+6]]:3: note: this statement is part of the copy
__global__ void __launch_bounds__(128) pairs(float *out, const float *in, int pitch) {
  __shared__ float tile[256];
#pragma tma load
  tile[2 * threadIdx.x] = in[blockIdx.x * pitch + 2 * threadIdx.x];
#pragma tma load
  tile[2 * threadIdx.x + 1] = in[blockIdx.x * pitch + 2 * threadIdx.x + 1];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[255 - threadIdx.x];
}
// CHECK: __global__ void __launch_bounds__(128) pairs(
// CHECK-NEXT: __shared__ float tile[256];
// CHECK-NEXT: // tma load: lifted in pairs_tma
// CHECK-NEXT: tile[2 * threadIdx.x] =
// CHECK-NEXT: // tma load: lifted in pairs_tma
// CHECK-NEXT: tile[2 * threadIdx.x + 1] =
// CHECK: __global__ void __launch_bounds__(128) pairs_tma(
// CHECK: // tma load: 1-D bulk copy of 1024 bytes
// CHECK-NEXT: if (
// CHECK: } else {
// CHECK-NEXT: tile[2 * threadIdx.x] = in[blockIdx.x * pitch + 2 * threadIdx.x];
// CHECK-NEXT: tile[2 * threadIdx.x + 1] = in[blockIdx.x * pitch + 2 * threadIdx.x + 1];
// CHECK-NEXT: }
void run(float *out, const float *in, int pitch) { pairs<<<4, 128>>>(out, in, pitch); }
