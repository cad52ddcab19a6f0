// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %lift-and-check %s %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
// RUN: %tilelift --remarks %s -o %t.again.cu 2>&1 | %FileCheck %s --check-prefix=SAID
// RUN: %tilelift --dump-plan %s | %FileCheck %s --check-prefix=PLAN
// RUN: %tilelift --only-asked-pipelines %s -o %t.asked.cu
// RUN: grep -v CHECK %t.asked.cu | %not 1 grep _ring
//
// Loops for which no pragma asks for a pipeline: copies are made ahead of their rounds where nothing stands against it and
// the rings cost no block.

// Two tiles of 4 KiB, and two blocks on an SM in any case.
__global__ void product(float *__restrict__ c, const float *__restrict__ a, const float *__restrict__ b, int n, int k) {
  __shared__ float as[32][32], bs[32][32];
  int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.f;
#pragma unroll 1
  for (int k0 = 0; k0 < k; k0 += 32) {
#pragma tma load
    as[threadIdx.y][threadIdx.x] = a[row * k + k0 + threadIdx.x];
#pragma tma load
    bs[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < 32; ++i)
      sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
// CHECK: __global__ void product_tma(
// CHECK: __shared__ __align__(128) float as_ring[4][32][32], bs_ring[4][32][32];
// CHECK: float sum = 0.f;
// CHECK-NEXT: int k0_ahead = 0;
// CHECK-NEXT: if (tilelift::leader(product_tma_plan::block)) {
// CHECK: __syncwarp();
// CHECK-NEXT: {{^}}#pragma unroll 1
// CHECK-NEXT: for (int k0 = 0; k0 < k; k0 += 32) {
// SAID: [[@LINE-21]]:1: remark: the copies of this loop are made up to 3 rounds ahead, in 32768 bytes of shared memory instead of 8192 [-Wtilelift-pipelined]
// SAID: note: 4 stages were picked: of such blocks 2 run on an SM at once
// PLAN: "isAsked": false
// PLAN: "stages": 4

// The loop writes to what it copies from: each round makes its own copy.
__global__ void written(float *a) {
  __shared__ float tile[128];
  for (int z = 0; z < 4; ++z) {
#pragma tma load
    tile[threadIdx.x] = a[z * 128 + threadIdx.x];
    __syncthreads();
    a[(z + 1) * 128 + threadIdx.x] = tile[127 - threadIdx.x];
    __syncthreads();
  }
}
// CHECK: __global__ void written_tma(
// CHECK-NOT: _ring
// CHECK: __shared__ __align__(128) float tile[128];

// With two stages, a block would have 32 KiB, and six would run on an SM instead of 13: 768 threads.
__global__ void large(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[4096];
  float sum = 0;
  for (int z = 0; z < n; ++z) {
#pragma tma load
    for (int i = threadIdx.x; i < 4096; i += 128)
      tile[i] = in[z * 4096 + i];
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += 128)
      sum += tile[4095 - i];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// CHECK: __global__ void large_tma(
// CHECK-NOT: _ring
// CHECK: __shared__ __align__(128) float tile[4096];

// The variables of a ring would be jumped over.
__global__ void chosen(float *__restrict__ out, const float *__restrict__ in, int n, int how) {
  __shared__ float tile[128];
  float sum = 0;
  switch (how) {
  case 0:
    sum = 1;
    for (int z = 0; z < n; ++z) {
#pragma tma load
      tile[threadIdx.x] = in[z * 128 + threadIdx.x];
      __syncthreads();
      sum += tile[127 - threadIdx.x];
      __syncthreads();
    }
    break;
  case 1:
    sum = 2;
  }
  out[threadIdx.x] = sum;
}
// CHECK: __global__ void chosen_tma(
// CHECK-NOT: _ring
// CHECK: __shared__ __align__(128) float tile[128];

// In one instance the rounds are too large for that, so no instance has a ring, and both are lifted.
template <int Size> __global__ void instances(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[Size];
  float sum = 0;
  for (int z = 0; z < n; ++z) {
#pragma tma load
    for (int i = threadIdx.x; i < Size; i += 128)
      tile[i] = in[z * Size + i];
    __syncthreads();
    for (int i = threadIdx.x; i < Size; i += 128)
      sum += tile[Size - 1 - i];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// CHECK: __global__ void instances_tma(
// CHECK-NOT: _ring
// CHECK: __shared__ __align__(128) float tile[Size];

void run(float *c, float *a, float *b, int n) {
  product<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(c, a, b, n, n);
  written<<<1, 128>>>(a);
  large<<<1, 128>>>(c, a, n);
  chosen<<<1, 128>>>(c, a, n, 0);
  instances<256><<<1, 128>>>(c, a, n);
  instances<4096><<<1, 128>>>(c, a, n);
}
