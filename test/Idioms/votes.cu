// Copies behind votes: of the block, and of warps that vote on what is the same for all threads.
//
// RUN: env TILELIFT_VERBOSE=1 %run --compare %s 2>&1 | %FileCheck %s
// RUN: %not 1 %tilelift --check %s -- -DAPART 2>&1 | %FileCheck %s --check-prefix=APART
// CHECK-COUNT-3: tilelift: {{by_block|by_warps|by_function}}: TMA
// APART: error: some threads of the block may not reach this copy: '__any_sync(~0u, threadIdx.x == 5)' may differ between threads

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

#define COPY_BACK                                                                                  \
  __syncthreads();                                                                                 \
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x]

__global__ void by_block(float *out, const float *in, int n) {
  __shared__ float tile[64];
  if (__syncthreads_or(int(threadIdx.x) == n)) {
#pragma tma load lift(always)
    tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    COPY_BACK;
  }
}

__global__ void by_warps(float *out, const float *in, int n) {
  __shared__ float tile[64];
  if (__any_sync(~0u, n > 3) && __all_sync(~0u, n < 300)) {
#pragma tma load lift(always)
    tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    COPY_BACK;
  }
}

__device__ bool wanted(int n) { return __any_sync(0xffffffff, n & 1); }

__global__ void by_function(float *out, const float *in, int n) {
  __shared__ float tile[64];
  if (!wanted(n))
    return;
#pragma tma load lift(always)
  tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  COPY_BACK;
}

#ifdef APART
__global__ void apart(float *out, const float *in) {
  __shared__ float tile[64];
  if (__any_sync(~0u, threadIdx.x == 5)) {
#pragma tma load threads(64)
    tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    COPY_BACK;
  }
}
#endif

int main() {
  by_block<<<3, 64>>>(numbers(192), numbers(192), 7);
  by_warps<<<3, 64>>>(numbers(192), numbers(192), 7);
  by_function<<<3, 64>>>(numbers(192), numbers(192), 7);
  return finish();
}
