// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %lift-and-check %s %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
//
// A tile that is filled by columns lies transposed, and what uses it stays as it is.

// CHECK-LABEL: struct product_tma_plan {
// CHECK: using as = tilelift::transposed<tilelift::tile<float[64][16], 16, 0>>;
// CHECK-NEXT: using as_box = tilelift::box<float, 16, 64>;
// CHECK-LABEL: __global__ void product_tma(
// CHECK: __shared__ product_tma_plan::as as;
// CHECK: // tma load: tile copy of 64 x 16 f32 (4096 bytes) from 'a' to 'as', transposed, rows of 16 elements, starting at 0
// CHECK: tilelift::load(as.data(), as_map, {0, 64 * int(blockIdx.x)}, tma_barrier);
// CHECK: sum = 3 * sum + as[k][threadIdx.x / 16];
__global__ void product(float *out, const float *__restrict__ a, int w) {
  __shared__ float as[16][64];
#pragma tma load
  for (int i = threadIdx.x; i < 1024; i += 64)
    as[i % 16][i / 16] = a[(blockIdx.x * 64 + i / 16) * w + i % 16];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 16; ++k)
    sum = 3 * sum + as[k][threadIdx.x / 16];
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// CHECK-LABEL: struct vectors_tma_plan {
// CHECK: using as = tilelift::transposed<tilelift::tile<float[64][16], 16, 0>, 4>;
__global__ void vectors(float *out, const float *__restrict__ a, int w) {
  __shared__ __align__(16) float as[16][64];
#pragma tma load
  for (int i = threadIdx.x; i < 1024; i += 64)
    as[i % 16][i / 16] = a[(blockIdx.x * 64 + i / 16) * w + i % 16];
  __syncthreads();
  float4 sum = {};
  for (int k = 0; k < 16; ++k) {
    float4 v = *reinterpret_cast<const float4 *>(&as[k][threadIdx.x / 16 * 4]);
    sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum.x + 2 * sum.y + 3 * sum.z + 5 * sum.w;
}

void run(float *out, const float *a, int w) {
  product<<<2, 64>>>(out, a, w);
  vectors<<<2, 64>>>(out, a, w);
}
