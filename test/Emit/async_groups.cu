// RUN: %lift-and-check %s %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
// RUN: %tilelift %s --check --remarks 2>&1 | %FileCheck %s --check-prefix=REMARKS
//
// Copies by cp.async are waited for where the program waits for their groups, rows keep their padding, and nothing is added in
// between.
#include <cuda_pipeline.h>

constexpr int BM = 32, BK = 32, PAD = 4, STAGES = 3;

// The program's own ring: each round begins the copies of a later one, and waits for its own. The barrier of the block behind
// the wait is the program's.
// CHECK-LABEL: __global__ void product_tma(
// CHECK: __shared__ __align__(128) float as[STAGES][BM][BK + PAD];
// CHECK-NEXT: __shared__ __align__(128) float bs[STAGES][BM][BK + PAD];
// CHECK-NEXT: __shared__ tilelift::barrier tma_barrier[8];
// CHECK-NEXT: tilelift::copy_groups<8, 1> tma_groups(tma_barrier);
// CHECK: // tma load: tile copy of 32 x 36 f32 (4608 bytes) from 'a' to 'as'
// CHECK-NEXT: tma_groups.reserve();
// CHECK-NEXT: if (tilelift::leader({{[a-z_]+}}_tma_plan::block)) {
// CHECK-NEXT:   tilelift::expect(tma_groups.filling(), product_tma_plan::as_1_box::bytes + product_tma_plan::bs_1_box::bytes);
// CHECK-NEXT:   tilelift::load(tilelift::advance(as, 4608 * s), as_1_map, {k0, {{.*}}}, tma_groups.filling());
// CHECK-NEXT: }
// CHECK-NEXT: // tma load: tile copy of 32 x 36 f32 (4608 bytes) from 'b' to 'bs'
// CHECK-NEXT: if (tilelift::leader({{[a-z_]+}}_tma_plan::block)) {
// CHECK-NEXT:   tilelift::load({{.*}}, tma_groups.filling());
// CHECK-NEXT: }
// CHECK-NEXT: tma_groups.issue();
// CHECK: tma_groups.close();
// CHECK-NEXT: __pipeline_commit();
// CHECK: tma_groups.wait<1>();
// CHECK-NEXT: __pipeline_wait_prior(STAGES - 2);
// CHECK-NEXT: __syncthreads();
// CHECK: tilelift::fence_before_tma();
// CHECK-NEXT: tilelift::expect(
// CHECK: tma_groups.issue();
// CHECK-NOT: tilelift::wait
// CHECK-NOT: __syncthreads
// CHECK: tma_groups.close();
// CHECK-NEXT: __pipeline_commit();
// CHECK-LABEL: product_tma_launch(
// CHECK: "the end of the last box"
// REMARKS: remark: the copy to 'as' is waited for where the program waits for the group of copies that it is in [-Wtilelift-waits-with-group]
// REMARKS-NOT: barrier-added
// REMARKS-NOT: stages-by-hand
__global__ void product(float *c, const float *__restrict__ a, const float *__restrict__ b, int k) {
  __shared__ float as[STAGES][BM][BK + PAD];
  __shared__ float bs[STAGES][BM][BK + PAD];
  int t = threadIdx.x;
  float sum = 0;
  for (int s = 0; s < STAGES - 1; ++s) {
    int k0 = s * BK;
    if (k0 < k) {
#pragma tma load
      for (int i = t; i < BM * BK / 4; i += 128)
        __pipeline_memcpy_async(&as[s][i / 8][i % 8 * 4], &a[(blockIdx.y * BM + i / 8) * k + k0 + i % 8 * 4], 16);
#pragma tma load
      for (int i = t; i < BM * BK / 4; i += 128)
        __pipeline_memcpy_async(&bs[s][i / 8][i % 8 * 4], &b[(blockIdx.x * BM + i / 8) * k + k0 + i % 8 * 4], 16);
    }
    __pipeline_commit();
  }
  for (int k0 = 0, r = 0; k0 < k; k0 += BK, ++r) {
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    int next = k0 + (STAGES - 1) * BK;
    if (next < k) {
#pragma tma load
      for (int i = t; i < BM * BK / 4; i += 128)
        __pipeline_memcpy_async(&as[(r + STAGES - 1) % STAGES][i / 8][i % 8 * 4],
                                &a[(blockIdx.y * BM + i / 8) * k + next + i % 8 * 4], 16);
#pragma tma load
      for (int i = t; i < BM * BK / 4; i += 128)
        __pipeline_memcpy_async(&bs[(r + STAGES - 1) % STAGES][i / 8][i % 8 * 4],
                                &b[(blockIdx.x * BM + i / 8) * k + next + i % 8 * 4], 16);
    }
    __pipeline_commit();
    for (int i = 0; i < BK; ++i)
      sum += as[r % STAGES][t % BM][i] * bs[r % STAGES][(t + i) % BM][i];
  }
  c[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + t] = sum;
}

int main() {
  const int k = 160;
  float *a, *b, *c;
  cudaMalloc(&a, 128 * k * 4);
  cudaMalloc(&b, 128 * k * 4);
  cudaMalloc(&c, 16 * 128 * 4);
  product<<<dim3(4, 4), 128>>>(c, a, b, k);
  return cudaDeviceSynchronize();
}
