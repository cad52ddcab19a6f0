// RUN: %tilelift %s -o %t.cu > %t.log 2>&1
// RUN: FileCheck %s < %t.log && grep -v LIFTED %t.cu | FileCheck %s --check-prefix=LIFTED
//
// A clause that cannot be followed, of a copy that may do without it.

// CHECK: persistence.cu:[[#@LINE+5]]:26: warn{{ing}}: 'table' cannot stay in L2: the copy goes through 'in' [-Wtilelift-no-persistence]
// LIFTED: void mirror_tma(
// LIFTED-NOT: launch.persist
__global__ void mirror(float *out, const float *in, const float *table) {
  __shared__ float tile[64];
#pragma tma load persist(table) fallback(loop)
  tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

void run(float *out, const float *in) { mirror<<<1, 64>>>(out, in, in); }
