// RUN: %not 1 %tilelift %s -o %t.cu > %t.txt 2>&1
// RUN: %FileCheck %s < %t.txt
// RUN: grep -v TEXT %t.cu | %FileCheck %s --check-prefix=TEXT
//
// A pipeline that may as well not be one.

__global__ void fallback(float *out, const float *in, int n) {
  __shared__ float part[64];
#pragma tma pipeline stages(2) fallback(loop)
  for (int i = 0; i < n; ++i) {
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
}
// CHECK: pipelines.cu:12:5: warn{{ing}}: the copies of this loop are made in their own rounds: 'in' may be written in the loop, which a copy ahead of its round would miss: declare 'in' '__restrict__', or copy without a pipeline [-Wtilelift-stays-synchronous]
// CHECK: pipelines.cu:14:5: note: it may be written here
// TEXT: __global__ void fallback(
// TEXT: // tma pipeline: stays a loop
// TEXT: // tma load: lifted in fallback_tma
// TEXT: __global__ void fallback_tma(
// TEXT: // tma pipeline: stays a loop
// TEXT: tilelift::load_bytes(part,
// TEXT: tilelift::wait(tma_barrier, tma_phase);

void run(float *out, const float *in) { fallback<<<1, 64>>>(out, in, 5); }
