// A kernel that nobody in the file launches.
//
// RUN: %tilelift %s -o %t.cu 2>&1 | %FileCheck %s
// CHECK: unused.cu:[[@LINE+2]]:17: warning: 'elsewhere' is launched nowhere in this file: the lifted kernel 'elsewhere_tma' is not used [-Wtilelift-never-launched]

__global__ void elsewhere(float *out, const float *in) {
  __shared__ float tile[64];
#pragma tma load threads(64)
  tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
