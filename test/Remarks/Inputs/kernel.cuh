// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel with a copy, for files that include it.

__global__ void included(float *out, const float *in) {
  __shared__ float tile[64];
#pragma tma load threads(64)
  tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
