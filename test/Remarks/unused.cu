// A kernel that nobody in the file launches, and a pragma that is not in it.
//
// RUN: %tilelift %s -o %t.cu 2>&1 | %FileCheck %s
// RUN: not %tilelift %s -o %t.cu -- -DHEADER 2>&1 | %FileCheck %s --check-prefix=HEADER
// CHECK: unused.cu:[[@LINE+6]]:17: warning: 'elsewhere' is launched nowhere in this file: the lifted kernel 'elsewhere_tma' is not used [-Wtilelift-never-launched]
// HEADER: error: '#pragma tma' in a header ({{.*}}Inputs/kernel.cuh:{{[0-9]+}}) is not available yet [-Wtilelift-not-available-yet]

#ifdef HEADER
#include "Inputs/kernel.cuh"
#else
__global__ void elsewhere(float *out, const float *in) {
  __shared__ float tile[64];
#pragma tma load threads(64)
  tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
#endif
