// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of many small matrices: one block for each of 16 x 16; four of them a block, with
// padded tiles, where the batch need not be a multiple of four; 32 x 32 with a row of pointers for
// each operand, as the batched BLAS has it; and 32 x 32 by 32 x 8 threads with vector loads,
// where the result leaves through shared memory.

#include "field.cuh"

#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
#define N16 16
#define N32 32

__global__ void batchedGemm16(const float *A, const float *B, float *C) {
  __shared__ float sA[N16][N16];
  __shared__ float sB[N16][N16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const size_t offset = (size_t)blockIdx.x * N16 * N16;
#pragma tma load
  sA[ty][tx] = A[offset + ty * N16 + tx];
#pragma tma load
  sB[ty][tx] = B[offset + ty * N16 + tx];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < N16; k++)
    sum += sA[ty][k] * sB[k][tx];
  C[offset + ty * N16 + tx] = sum;
}

#define BATCH_PER_BLOCK 4

// alpha * A * B^T + beta * D
__global__ void __launch_bounds__(N16 * N16 * BATCH_PER_BLOCK)
    batchedGemm16x4(const float *__restrict__ A, const float *__restrict__ B,
                    const float *__restrict__ D, float *__restrict__ C, float alpha, float beta,
                    int batchCount) {
  __shared__ float sA[BATCH_PER_BLOCK][N16][N16 + 1];
  __shared__ float sB[BATCH_PER_BLOCK][N16][N16 + 1];
  const int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
  const int batch = blockIdx.x * BATCH_PER_BLOCK + tz;
  const int idx = batch * N16 * N16 + ty * N16 + tx;
#pragma tma load
  sA[tz][ty][tx] = batch < batchCount ? A[idx] : 0.0f;
#pragma tma load
  sB[tz][ty][tx] = batch < batchCount ? B[idx] : 0.0f;
  __syncthreads();
  if (batch < batchCount) {
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < N16; k++)
      sum += sA[tz][ty][k] * sB[tz][tx][k];
    C[idx] = alpha * sum + beta * D[idx];
  }
}

__global__ void batchedGemm32Pointers(const float *const *Aarray, int lda,
                                      const float *const *Barray, int ldb, float *const *Carray,
                                      int ldc) {
  __shared__ float sA[N32][N32 + 1];
  __shared__ float sB[N32][N32 + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const float *A = Aarray[blockIdx.x];
  const float *B = Barray[blockIdx.x];
  float *C = Carray[blockIdx.x];
#pragma tma load fallback(loop)
  sA[ty][tx] = A[ty * lda + tx];
#pragma tma load fallback(loop)
  sB[ty][tx] = B[ty * ldb + tx];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < N32; k++)
    sum += sA[ty][k] * sB[k][tx];
  C[ty * ldc + tx] = sum;
}

// Strides between matrices, as in the strided batched BLAS; blocks walk over the batch.
__global__ void __launch_bounds__(256)
    batchedGemm32Strided(const float *__restrict__ A, long long strideA,
                         const float *__restrict__ B, long long strideB, float *__restrict__ C,
                         long long strideC, int batchCount) {
  __shared__ __align__(16) float sA[N32 * N32];
  __shared__ __align__(16) float sB[N32 * N32];
  __shared__ __align__(16) float sC[N32 * N32];
  const int tid = threadIdx.y * N32 + threadIdx.x;
  for (int batch = blockIdx.x; batch < batchCount; batch += gridDim.x) {
#pragma tma load
    reinterpret_cast<float4 *>(sA)[tid] =
        reinterpret_cast<const float4 *>(A + batch * strideA)[tid];
#pragma tma load
    reinterpret_cast<float4 *>(sB)[tid] =
        reinterpret_cast<const float4 *>(B + batch * strideB)[tid];
    __syncthreads();
    float acc[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (int k = 0; k < N32; ++k) {
      const float b = sB[k * N32 + threadIdx.x];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        acc[i] += sA[(threadIdx.y + i * 8) * N32 + k] * b;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
      sC[(threadIdx.y + i * 8) * N32 + threadIdx.x] = acc[i];
    __syncthreads();
#pragma tma store
    reinterpret_cast<float4 *>(C + batch * strideC)[tid] = reinterpret_cast<float4 *>(sC)[tid];
  }
}

__global__ void setPointers(float **array, float *data, int stride, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    array[i] = data + (size_t)i * stride;
}

int main() {
  const int small = field::pick(1 << 17, 10);
  const size_t bytes = size_t(small) * N16 * N16 * 4;
  Buffer a(bytes, 1), b(bytes, 2), c(bytes, 3), d(bytes, 4);
  field::measure("batched-16", c, [&] {
    batchedGemm16<<<small, dim3(N16, N16)>>>(a.as<float>(), b.as<float>(), c.as<float>());
  });
  field::measure("batched-16-four-a-block", c, [&] {
    const int count = small - 1;
    dim3 block(N16, N16, BATCH_PER_BLOCK);
    batchedGemm16x4<<<CEIL_DIV(count, BATCH_PER_BLOCK), block>>>(
        a.as<float>(), b.as<float>(), d.as<float>(), c.as<float>(), 1.5f, 0.5f, count);
  });
  // The same memory has a quarter as many matrices of 32 x 32.
  const int large = field::pick(1 << 15, 2);
  Buffer pointers(size_t(large) * 3 * 8, 5);
  float **pa = pointers.as<float *>(), **pb = pa + large, **pc = pb + large;
  setPointers<<<CEIL_DIV(large, 256), 256>>>(pa, a.as<float>(), N32 * N32, large);
  setPointers<<<CEIL_DIV(large, 256), 256>>>(pb, b.as<float>(), N32 * N32, large);
  setPointers<<<CEIL_DIV(large, 256), 256>>>(pc, c.as<float>(), N32 * N32, large);
  field::measure("batched-32-pointers", c, [&] {
    batchedGemm32Pointers<<<large, dim3(N32, N32)>>>(pa, N32, pb, N32, pc, N32);
  });
  field::measure("batched-32-strided", c, [&] {
    const int grid = field::pick(132 * 8, 1);
    batchedGemm32Strided<<<grid, dim3(N32, 8)>>>(a.as<float>(), N32 * N32, b.as<float>(), N32 * N32,
                                                 c.as<float>(), N32 * N32, large);
  });
}
