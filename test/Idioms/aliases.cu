// Arguments may point to the same memory, and what a kernel has written there is what
// its next copy reads.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// RUN: %tilelift %s -o - 2>/dev/null | %FileCheck %s --check-prefix=TEXT

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

#define OUT (threadIdx.y * 32 + threadIdx.x)

// CHECK: aliases.cu:[[#]]:5: remark: a __syncthreads() is added before the copy: threads may have written to 'in'
// TEXT-LABEL: void may_be_one_tma(
// TEXT: tilelift::fence_all_before_tma();
__global__ void may_be_one(float *out, const float *in, int n) {
  __shared__ float tile[8][32];
  for (int k = 0; k + 1 < n; ++k) {
#pragma tma load
    tile[threadIdx.y][threadIdx.x] = in[k * 256 + OUT];
    __syncthreads();
    out[(k + 1) * 256 + OUT] = tile[7 - threadIdx.y][threadIdx.x] + 1;
    __syncthreads();
  }
}

// CHECK-NOT: threads may have written to
// TEXT-LABEL: void are_two_tma(
// TEXT-NOT: fence_all{{_}}before_tma
__global__ void are_two(float *__restrict__ out, const float *in, int n) {
  __shared__ float tile[8][32];
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[threadIdx.y][threadIdx.x] = in[k * 256 + OUT];
    __syncthreads();
    out[k * 256 + OUT] = tile[7 - threadIdx.y][threadIdx.x] + 1;
    __syncthreads();
  }
}

__global__ void other_type(int *out, const float *in, int n) {
  __shared__ float tile[8][32];
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[threadIdx.y][threadIdx.x] = in[k * 256 + OUT];
    __syncthreads();
    out[k * 256 + OUT] = int(tile[7 - threadIdx.y][threadIdx.x]);
    __syncthreads();
  }
}

// What is written afterwards does not matter.
__global__ void once(float *out, const float *in) {
  __shared__ float tile[8][32];
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[blockIdx.x * 256 + OUT];
  __syncthreads();
  out[blockIdx.x * 256 + OUT] = tile[7 - threadIdx.y][threadIdx.x] + 1;
}
// TEXT-LABEL: int main

int main() {
  float *both = numbers(1024);
  may_be_one<<<1, dim3(32, 8)>>>(both, both, 4);
  are_two<<<1, dim3(32, 8)>>>(numbers(1024), numbers(1024), 4);
  other_type<<<1, dim3(32, 8)>>>((int *)numbers(1024), numbers(1024), 4);
  once<<<4, dim3(32, 8)>>>(numbers(1024), numbers(1024));
  return finish();
}
