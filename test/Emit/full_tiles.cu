// RUN: %lift-and-check %s %t.cu && grep -v CHECK %t.cu | %FileCheck %s
//
// Tiles that fill all of a block's static memory are rings in dynamic memory, where barriers have room beside them.

#include <cuda_runtime.h>

// CHECK: full_tma(float *out
// CHECK: auto &as_ring = tilelift::tiles<full_tma_plan::as, 3>({{[a-z_0-9]+}});
// CHECK: auto &bs_ring = tilelift::tiles<full_tma_plan::bs, 3>({{[a-z_0-9]+}} + 49152);
__global__ void full(float *out, const float *a, const float *b, int n, int k) {
  __shared__ alignas(128) float as[128][32], bs[256][32];
  float sum = 0;
#pragma tma pipeline stages(3) warp(producer)
  for (int k0 = 0; k0 < k; k0 += 32) {
#pragma tma load
    for (int i = threadIdx.x; i < 128 * 32; i += 256) as[i / 32][i % 32] = a[(blockIdx.x * 128 + i / 32) * k + k0 + i % 32];
#pragma tma load
    for (int i = threadIdx.x; i < 256 * 32; i += 256) bs[i / 32][i % 32] = b[(blockIdx.y * 256 + i / 32) * k + k0 + i % 32];
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += as[threadIdx.x / 2][i] * bs[threadIdx.x][i];
    __syncthreads();
  }
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.x] = sum;
}

void run(float *out, const float *a, const float *b, int n, int k) { full<<<dim3(4, 4), 256>>>(out, a, b, n, k); }
