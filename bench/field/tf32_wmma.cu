// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of floats on the tensor cores in TF32 by wmma, with cuda::memcpy_async and
// a cuda::pipeline of each thread: in four stages in dynamic shared memory, and without stages,
// each copy waited for where it is made. The second matrix has its columns in rows.

#include "field.cuh"

#include <cuda/pipeline>
#include <mma.h>

using namespace nvcuda;

#define M_TILE 16
#define N_TILE 16
#define K_TILE 8

constexpr int BLOCK_M = 128, BLOCK_N = 128, CHUNK_K = 16, SKEW_FLOAT = 4;
constexpr int STRIDE = CHUNK_K + SKEW_FLOAT;
constexpr int STAGES = 4, THREADS = 256;

typedef wmma::fragment<wmma::accumulator, M_TILE, N_TILE, K_TILE, float> Accumulator;

__device__ __forceinline__ void computeChunk(Accumulator (&c)[4][2], const float *sA,
                                             const float *sB, int warpRow, int warpCol) {
#pragma unroll
  for (int k = 0; k < CHUNK_K; k += K_TILE) {
    wmma::fragment<wmma::matrix_a, M_TILE, N_TILE, K_TILE, wmma::precision::tf32, wmma::row_major>
        a[4];
    wmma::fragment<wmma::matrix_b, M_TILE, N_TILE, K_TILE, wmma::precision::tf32, wmma::col_major>
        b[2];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      wmma::load_matrix_sync(a[i], sA + (warpRow * 64 + i * M_TILE) * STRIDE + k, STRIDE);
#pragma unroll
      for (int t = 0; t < a[i].num_elements; t++)
        a[i].x[t] = wmma::__float_to_tf32(a[i].x[t]);
    }
#pragma unroll
    for (int j = 0; j < 2; j++) {
      wmma::load_matrix_sync(b[j], sB + (warpCol * 32 + j * N_TILE) * STRIDE + k, STRIDE);
#pragma unroll
      for (int t = 0; t < b[j].num_elements; t++)
        b[j].x[t] = wmma::__float_to_tf32(b[j].x[t]);
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 2; j++)
        wmma::mma_sync(c[i][j], a[i], b[j], c[i][j]);
  }
}

__device__ __forceinline__ void storeTile(float *D, const float *C, Accumulator (&c)[4][2],
                                          int warpRow, int warpCol, int n, float alpha,
                                          float beta) {
  const size_t base =
      size_t(blockIdx.y * BLOCK_M + warpRow * 64) * n + blockIdx.x * BLOCK_N + warpCol * 32;
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 2; j++) {
      const size_t at = base + size_t(i * M_TILE) * n + j * N_TILE;
      Accumulator old;
      wmma::load_matrix_sync(old, C + at, n, wmma::mem_row_major);
#pragma unroll
      for (int t = 0; t < old.num_elements; t++)
        c[i][j].x[t] = alpha * c[i][j].x[t] + beta * old.x[t];
      wmma::store_matrix_sync(D + at, c[i][j], n, wmma::mem_row_major);
    }
}

__global__ void __launch_bounds__(THREADS)
    tf32gemmAsyncCopyStages(const float *A, const float *B, const float *C, float *D, int n, int k,
                            float alpha, float beta) {
  extern __shared__ float shmem[];
  float *shA = shmem;
  float *shB = shmem + STAGES * BLOCK_M * STRIDE;
  const int warpId = threadIdx.x / 32;
  const int warpRow = warpId / 4, warpCol = warpId % 4;
  Accumulator c[4][2];
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 2; j++)
      wmma::fill_fragment(c[i][j], 0.0f);

  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  const auto shape4 = cuda::aligned_size_t<alignof(float4)>(sizeof(float4));
  const int row = threadIdx.x / 4, col = threadIdx.x % 4 * 4;
  const float *warpA = A + size_t(blockIdx.y) * BLOCK_M * k;
  const float *warpB = B + size_t(blockIdx.x) * BLOCK_N * k;
  const int chunks = k / CHUNK_K;

  for (int chunk = 0, fetch = 0; chunk < chunks; ++chunk) {
    for (; fetch < chunks && fetch < chunk + STAGES; ++fetch) {
      pipe.producer_acquire();
      const int stage = fetch % STAGES;
#pragma tma load fallback(loop)
#pragma unroll
      for (int i = 0; i < BLOCK_M; i += THREADS / 4)
        cuda::memcpy_async(&shA[(stage * BLOCK_M + row + i) * STRIDE + col],
                           &warpA[(row + i) * k + fetch * CHUNK_K + col], shape4, pipe);
#pragma tma load fallback(loop)
#pragma unroll
      for (int i = 0; i < BLOCK_N; i += THREADS / 4)
        cuda::memcpy_async(&shB[(stage * BLOCK_N + row + i) * STRIDE + col],
                           &warpB[(row + i) * k + fetch * CHUNK_K + col], shape4, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    __syncthreads();
    const int stage = chunk % STAGES;
    computeChunk(c, shA + stage * BLOCK_M * STRIDE, shB + stage * BLOCK_N * STRIDE, warpRow,
                 warpCol);
    __syncthreads();
    pipe.consumer_release();
  }
  storeTile(D, C, c, warpRow, warpCol, n, alpha, beta);
}

__global__ void __launch_bounds__(THREADS)
    tf32gemmAsyncCopy(const float *A, const float *B, const float *C, float *D, int n, int k,
                      float alpha, float beta) {
  __shared__ float shA[BLOCK_M][STRIDE];
  __shared__ float shB[BLOCK_N][STRIDE];
  const int warpId = threadIdx.x / 32;
  const int warpRow = warpId / 4, warpCol = warpId % 4;
  Accumulator c[4][2];
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 2; j++)
      wmma::fill_fragment(c[i][j], 0.0f);

  auto pipe = cuda::make_pipeline();
  const auto shape4 = cuda::aligned_size_t<alignof(float4)>(sizeof(float4));
  const float *warpA = A + size_t(blockIdx.y) * BLOCK_M * k;
  const float *warpB = B + size_t(blockIdx.x) * BLOCK_N * k;

  for (int tile_k = 0; tile_k < k; tile_k += CHUNK_K) {
    pipe.producer_acquire();
#pragma tma load
    for (int i = threadIdx.x; i < BLOCK_M * CHUNK_K / 4; i += THREADS) {
      const int row = i / (CHUNK_K / 4), lane = i % (CHUNK_K / 4);
      const float4 *src = reinterpret_cast<const float4 *>(warpA + row * k + tile_k) + lane;
      cuda::memcpy_async(reinterpret_cast<float4 *>(shA[row]) + lane, src, shape4, pipe);
    }
#pragma tma load
    for (int i = threadIdx.x; i < BLOCK_N * CHUNK_K / 4; i += THREADS) {
      const int row = i / (CHUNK_K / 4), lane = i % (CHUNK_K / 4);
      const float4 *src = reinterpret_cast<const float4 *>(warpB + row * k + tile_k) + lane;
      cuda::memcpy_async(reinterpret_cast<float4 *>(shB[row]) + lane, src, shape4, pipe);
    }
    pipe.producer_commit();
    pipe.consumer_wait();
    __syncthreads();
    computeChunk(c, &shA[0][0], &shB[0][0], warpRow, warpCol);
    pipe.consumer_release();
    __syncthreads();
  }
  storeTile(D, C, c, warpRow, warpCol, n, alpha, beta);
}

int main() {
  const int m = field::pick(4096, 256), n = field::pick(4096, 128), k = field::pick(4096, 112);
  Buffer a(size_t(m) * k * 4, 1), b(size_t(n) * k * 4, 2), c(size_t(m) * n * 4, 3);
  Buffer d(size_t(m) * n * 4, 4);
  const float alpha = 1.1f, beta = 1.2f;
  dim3 grid(n / BLOCK_N, m / BLOCK_M);
  const int shmem = STAGES * (BLOCK_M + BLOCK_N) * STRIDE * sizeof(float);
  CHECK(cudaFuncSetAttribute(tf32gemmAsyncCopyStages, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             shmem));
  field::measure("tf32-pipeline-stages", d, [&] {
    tf32gemmAsyncCopyStages<<<grid, THREADS, shmem>>>(a.as<float>(), b.as<float>(), c.as<float>(),
                                                      d.as<float>(), n, k, alpha, beta);
  });
  field::measure("tf32-pipeline-no-stages", d, [&] {
    tf32gemmAsyncCopy<<<grid, THREADS>>>(a.as<float>(), b.as<float>(), c.as<float>(), d.as<float>(),
                                         n, k, alpha, beta);
  });
}
