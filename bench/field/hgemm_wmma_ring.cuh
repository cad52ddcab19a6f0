// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of matrices of halves by wmma with cp.async in K_STAGE stages, a macro of the file that
// includes this: the ring's indices count up to the number of stages and go back to zero, guards
// fill edge tiles with zeros by the number of bytes that cp.async is given.

#ifndef TILELIFT_BENCH_FIELD_HGEMM_WMMA_RING_CUH
#define TILELIFT_BENCH_FIELD_HGEMM_WMMA_RING_CUH

#include "field.cuh"

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int BM = 128, BN = 128, BK = 32, PAD = 8, THREADS = 256;

struct SharedStorage {
  half a[K_STAGE][BM][BK + PAD];
  half b[K_STAGE][BK][BN + PAD];
};

typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> FragC;

__global__ void fillHalves(half *x, size_t n, unsigned seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x) {
    unsigned h = (unsigned(i) + seed) * 2654435761u;
    x[i] = __float2half(float(h >> 20) / 4096.0f - 0.5f);
  }
}

__device__ __forceinline__ void cp_async_zfill(void *smem, const void *gmem, bool pred) {
  const unsigned addr = static_cast<unsigned>(__cvta_generic_to_shared(smem));
  const int bytes = pred ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(addr), "l"(gmem),
               "r"(bytes));
}
__device__ __forceinline__ void cp_async_fence() { asm volatile("cp.async.commit_group;\n" ::); }
template <int N> __device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(N));
}

__device__ __forceinline__ void load_a(half (*dst)[BK + PAD], const half *A, int m0, int k0, int M,
                                       int K) {
#pragma tma load fallback(loop)
#pragma unroll
  for (int i = threadIdx.x; i < BM * BK / 8; i += THREADS) {
    const int r = i / (BK / 8), c = i % (BK / 8) * 8;
    cp_async_zfill(&dst[r][c], A + (size_t)(m0 + r) * K + k0 + c, m0 + r < M && k0 + c < K);
  }
}

__device__ __forceinline__ void load_b(half (*dst)[BN + PAD], const half *B, int k0, int n0, int K,
                                       int N) {
#pragma tma load fallback(loop)
#pragma unroll
  for (int i = threadIdx.x; i < BK * BN / 8; i += THREADS) {
    const int r = i / (BN / 8), c = i % (BN / 8) * 8;
    cp_async_zfill(&dst[r][c], B + (size_t)(k0 + r) * N + n0 + c, k0 + r < K && n0 + c < N);
  }
}

__global__ void __launch_bounds__(THREADS)
    hgemm_wmma_ring(const half *__restrict__ A, const half *__restrict__ B, float *__restrict__ C,
                    int M, int N, int K) {
  extern __shared__ __align__(16) unsigned char smem_raw[];
  SharedStorage &shared = *reinterpret_cast<SharedStorage *>(smem_raw);
  const int warp = threadIdx.x / 32, warp_m = warp / 4 * 64, warp_n = warp % 4 * 32;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  FragC acc[4][2];
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j)
      wmma::fill_fragment(acc[i][j], 0.0f);

  const int k_tiles = (K + BK - 1) / BK;
#pragma unroll
  for (int s = 0; s < K_STAGE - 1; ++s) {
    load_a(shared.a[s], A, m0, s * BK, M, K);
    load_b(shared.b[s], B, s * BK, n0, K, N);
    cp_async_fence();
  }

  int pipe_read = 0, pipe_write = K_STAGE - 1;
  for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
    cp_async_wait<K_STAGE - 2>();
    __syncthreads();
    if (k_tile + K_STAGE - 1 < k_tiles) {
      const int k_next = (k_tile + K_STAGE - 1) * BK;
      load_a(shared.a[pipe_write], A, m0, k_next, M, K);
      load_b(shared.b[pipe_write], B, k_next, n0, K, N);
    }
    cp_async_fence();
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[4];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        wmma::load_matrix_sync(a[i], &shared.a[pipe_read][warp_m + i * 16][kk], BK + PAD);
#pragma unroll
      for (int j = 0; j < 2; ++j)
        wmma::load_matrix_sync(b[j], &shared.b[pipe_read][kk][warp_n + j * 16], BN + PAD);
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j)
          wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
    }
    if (++pipe_write == K_STAGE)
      pipe_write = 0;
    if (++pipe_read == K_STAGE)
      pipe_read = 0;
  }

  // Fragments that lie outside of the matrix, of which 16 rows and columns belong together, stay.
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j)
      if (m0 + warp_m + i * 16 < M && n0 + warp_n + j * 16 < N)
        wmma::store_matrix_sync(C + (size_t)(m0 + warp_m + i * 16) * N + n0 + warp_n + j * 16,
                                acc[i][j], N, wmma::mem_row_major);
}

inline void measureRing(const char *name) {
  const int m = field::pick(4000, 208), n = field::pick(4032, 96), k = field::pick(4056, 168);
  Buffer a(size_t(m) * k * 2, 1), b(size_t(k) * n * 2, 2), c(size_t(m) * n * 4, 3);
  fillHalves<<<field::pick(256, 2), 256>>>(a.as<half>(), size_t(m) * k, 1);
  fillHalves<<<field::pick(256, 2), 256>>>(b.as<half>(), size_t(k) * n, 2);
  CHECK(cudaFuncSetAttribute(hgemm_wmma_ring, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             sizeof(SharedStorage)));
  field::measure(name, c, [&] {
    dim3 grid((n + BN - 1) / BN, (m + BM - 1) / BM);
    hgemm_wmma_ring<<<grid, THREADS, sizeof(SharedStorage)>>>(a.as<half>(), b.as<half>(),
                                                              c.as<float>(), m, n, k);
  });
}

#endif
