// RUN: %lift-and-check %s %t.cu --only-asked-pipelines && grep -v CHECK %t.cu | %FileCheck %s
//
// Proxy fences and barriers that nothing asks for are not written: what a wmma fragment, a cooperative group, a restrict
// pointer or an assembly instruction does is known, and none of it is a write to the tile or to what is copied. What is left is
// the leader's own fence, as threads have read the tile, and one barrier in each round.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <mma.h>

namespace cg = cooperative_groups;
using namespace nvcuda;

// Fragments are a thread's own.
// CHECK-LABEL: __global__ void product_tma(
// CHECK-NOT: fence_all
// CHECK: tilelift::expect(tma_barrier, product_tma_plan::as_bytes + product_tma_plan::bs_bytes);
// CHECK: tilelift::wait(tma_barrier, tma_phase);
// CHECK-NOT: fence_all
// CHECK-NOT: __syncthreads
// CHECK: wmma::mma_sync(
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: {{^}}  }
// CHECK-NOT: __syncthreads
// CHECK-LABEL: product_tma_launch(
__global__ void product(float *c, const half *a, const half *b, int n) {
  __shared__ half as[256], bs[256];
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.f);
  for (int k = 0; k < n; ++k) {
#pragma tma load
    for (int i = threadIdx.x; i < 256; i += 32)
      as[i] = a[k * 256 + i];
#pragma tma load
    for (int i = threadIdx.x; i < 256; i += 32)
      bs[i] = b[k * 256 + i];
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
    wmma::load_matrix_sync(left, as, 16);
    wmma::load_matrix_sync(right, bs, 16);
    wmma::mma_sync(sum, left, right, sum);
    __syncthreads();
  }
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

// The group's barrier is the block's.
// CHECK-LABEL: __global__ void group_tma(
// CHECK-NOT: fence_all
// CHECK: tilelift::wait(tma_barrier, tma_phase);
// CHECK-NOT: fence_all
// CHECK-NOT: __syncthreads
// CHECK-LABEL: group_tma_launch(
__global__ void group(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[256];
  cg::thread_block block = cg::this_thread_block();
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load
    for (int i = threadIdx.x; i < 256; i += 128)
      tile[i] = in[k * 256 + i];
    block.sync();
    sum += tile[255 - threadIdx.x];
    cg::sync(block);
  }
  out[threadIdx.x] = sum;
}

// What is written in each round is not what is read: the program says so.
// CHECK-LABEL: __global__ void restricted_tma(
// CHECK-NOT: fence_all
// CHECK: tilelift::wait(tma_barrier, tma_phase);
// CHECK-NEXT: out[k * 128 + threadIdx.x] = tile[255 - threadIdx.x];
// CHECK-NEXT: __syncthreads();
// CHECK-NOT: __syncthreads
// CHECK-LABEL: restricted_tma_launch(
__global__ void restricted(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[256];
  for (int k = 0; k < n; ++k) {
#pragma tma load
    for (int i = threadIdx.x; i < 256; i += 128)
      tile[i] = in[k * 256 + i];
    __syncthreads();
    out[k * 128 + threadIdx.x] = tile[255 - threadIdx.x];
    __syncthreads();
  }
}

// Instructions that compute, and one that reads the clock.
// CHECK-LABEL: __global__ void assembly_tma(
// CHECK-NOT: fence_all
// CHECK: tilelift::wait(tma_barrier, tma_phase);
// CHECK-NOT: fence_all
// CHECK: __syncthreads();
// CHECK-NEXT: {{^}}  }
// CHECK-NOT: __syncthreads
// CHECK-LABEL: assembly_tma_launch(
__global__ void assembly(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[256];
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load
    for (int i = threadIdx.x; i < 256; i += 128)
      tile[i] = in[k * 256 + i];
    __syncthreads();
    unsigned time;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(time));
    asm("fma.rn.f32 %0, %1, %1, %0;" : "+f"(sum) : "f"(tile[255 - threadIdx.x]));
    sum += time == 0;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

void run(float *out, const float *in, const half *a, const half *b, int n) {
  product<<<1, 32>>>(out, a, b, n);
  group<<<1, 128>>>(out, in, n);
  restricted<<<1, 128>>>(out, in, n);
  assembly<<<1, 128>>>(out, in, n);
}
