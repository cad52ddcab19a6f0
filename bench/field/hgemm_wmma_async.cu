// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of halves by wmma, with cp.async into tiles whose rows are 32 + 8 halves:
// one stage in static shared memory; and two, three and four stages in dynamic shared memory, of
// which all but the last are on their way at the loop's beginning.

#include "field.cuh"

#include <cuda_fp16.h>
#include <mma.h>

#define CP_ASYNC_CG(dst, src, bytes)                                                               \
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n" ::"r"(dst), "l"(src),        \
               "n"(bytes))
#define CP_ASYNC_COMMIT_GROUP() asm volatile("cp.async.commit_group;\n" ::)
#define CP_ASYNC_WAIT_GROUP(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n))
#define CP_ASYNC_WAIT_ALL() asm volatile("cp.async.wait_all;\n" ::)

using namespace nvcuda;

constexpr int BM = 128, BN = 128, BK = 32, APAD = 8, BPAD = 8;
constexpr int THREADS = 256;
constexpr int A_STAGE = BM * (BK + APAD), B_STAGE = BK * (BN + BPAD);

typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> FragA;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> FragB;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> FragC;

__global__ void fillHalves(half *x, size_t n, unsigned seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x) {
    unsigned h = (unsigned(i) + seed) * 2654435761u;
    x[i] = __float2half(float(h >> 20) / 4096.0f - 0.5f);
  }
}

// Eight warps, each with 64 x 32 results.
__device__ __forceinline__ void mmaStage(FragC (&frag_c)[4][2], const half *s_a, const half *s_b,
                                         int warp_m, int warp_n) {
#pragma unroll
  for (int kk = 0; kk < BK; kk += 16) {
    FragA frag_a[4];
    FragB frag_b[2];
#pragma unroll
    for (int i = 0; i < 4; i++)
      wmma::load_matrix_sync(frag_a[i], s_a + (warp_m * 64 + i * 16) * (BK + APAD) + kk, BK + APAD);
#pragma unroll
    for (int j = 0; j < 2; j++)
      wmma::load_matrix_sync(frag_b[j], s_b + kk * (BN + BPAD) + warp_n * 32 + j * 16, BN + BPAD);
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 2; j++)
        wmma::mma_sync(frag_c[i][j], frag_a[i], frag_b[j], frag_c[i][j]);
  }
}

__device__ __forceinline__ void storeResults(float *c, FragC (&frag_c)[4][2], int warp_m,
                                             int warp_n, int N) {
  int row = blockIdx.y * BM + warp_m * 64, col = blockIdx.x * BN + warp_n * 32;
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 2; j++)
      wmma::store_matrix_sync(&c[(row + i * 16) * N + col + j * 16], frag_c[i][j], N,
                              wmma::mem_row_major);
}

__global__ void __launch_bounds__(THREADS)
    hgemmAsyncOneStage(const half *__restrict__ a, const half *__restrict__ b,
                       float *__restrict__ c, int M, int N, int K) {
  __shared__ half s_a[BM][BK + APAD];
  __shared__ half s_b[BK][BN + BPAD];
  const int tid = threadIdx.x, wid = tid / 32;
  const int warp_m = wid & 1, warp_n = wid >> 1;
  FragC frag_c[4][2];
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 2; j++)
      wmma::fill_fragment(frag_c[i][j], 0.0f);

  const int load_a_m = tid / 4, load_a_k = tid % 4 * 8;
  const int load_b_k = tid / 16, load_b_n = tid % 16 * 8;
  const half *gmem_a = a + blockIdx.y * BM * K;
  const half *gmem_b = b + blockIdx.x * BN;

  for (int k0 = 0; k0 < K; k0 += BK) {
#pragma tma load
#pragma unroll
    for (int i = 0; i < BM; i += THREADS / 4) {
      unsigned dst = __cvta_generic_to_shared(&s_a[load_a_m + i][load_a_k]);
      CP_ASYNC_CG(dst, &gmem_a[(load_a_m + i) * K + k0 + load_a_k], 16);
    }
#pragma tma load
#pragma unroll
    for (int i = 0; i < BK; i += THREADS / 16) {
      unsigned dst = __cvta_generic_to_shared(&s_b[load_b_k + i][load_b_n]);
      CP_ASYNC_CG(dst, &gmem_b[(k0 + load_b_k + i) * N + load_b_n], 16);
    }
    CP_ASYNC_COMMIT_GROUP();
    CP_ASYNC_WAIT_ALL();
    __syncthreads();
    mmaStage(frag_c, &s_a[0][0], &s_b[0][0], warp_m, warp_n);
    __syncthreads();
  }
  storeResults(c, frag_c, warp_m, warp_n, N);
}

template <int STAGES>
__global__ void __launch_bounds__(THREADS)
    hgemmAsyncStages(const half *__restrict__ a, const half *__restrict__ b, float *__restrict__ c,
                     int M, int N, int K) {
  extern __shared__ half smem[];
  half *s_a = smem;
  half *s_b = smem + STAGES * A_STAGE;
  const int tid = threadIdx.x, wid = tid / 32;
  const int warp_m = wid & 1, warp_n = wid >> 1;
  FragC frag_c[4][2];
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 2; j++)
      wmma::fill_fragment(frag_c[i][j], 0.0f);

  const int load_a_m = tid / 4, load_a_k = tid % 4 * 8;
  const int load_b_k = tid / 16, load_b_n = tid % 16 * 8;
  const half *gmem_a = a + blockIdx.y * BM * K;
  const half *gmem_b = b + blockIdx.x * BN;
  const unsigned s_a_base = __cvta_generic_to_shared(s_a);
  const unsigned s_b_base = __cvta_generic_to_shared(s_b);
  const int tiles = K / BK;

#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage) {
#pragma tma load fallback(loop)
#pragma unroll
    for (int i = 0; i < BM; i += THREADS / 4) {
      unsigned dst =
          s_a_base + (stage * A_STAGE + (load_a_m + i) * (BK + APAD) + load_a_k) * sizeof(half);
      CP_ASYNC_CG(dst, &gmem_a[(load_a_m + i) * K + stage * BK + load_a_k], 16);
    }
#pragma tma load fallback(loop)
#pragma unroll
    for (int i = 0; i < BK; i += THREADS / 16) {
      unsigned dst =
          s_b_base + (stage * B_STAGE + (load_b_k + i) * (BN + BPAD) + load_b_n) * sizeof(half);
      CP_ASYNC_CG(dst, &gmem_b[(stage * BK + load_b_k + i) * N + load_b_n], 16);
    }
    CP_ASYNC_COMMIT_GROUP();
  }

  for (int t = 0; t < tiles; ++t) {
    CP_ASYNC_WAIT_GROUP(STAGES - 2);
    __syncthreads();
    const int next = t + STAGES - 1;
    if (next < tiles) {
      const int stage = next % STAGES;
#pragma tma load fallback(loop)
#pragma unroll
      for (int i = 0; i < BM; i += THREADS / 4) {
        unsigned dst =
            s_a_base + (stage * A_STAGE + (load_a_m + i) * (BK + APAD) + load_a_k) * sizeof(half);
        CP_ASYNC_CG(dst, &gmem_a[(load_a_m + i) * K + next * BK + load_a_k], 16);
      }
#pragma tma load fallback(loop)
#pragma unroll
      for (int i = 0; i < BK; i += THREADS / 16) {
        unsigned dst =
            s_b_base + (stage * B_STAGE + (load_b_k + i) * (BN + BPAD) + load_b_n) * sizeof(half);
        CP_ASYNC_CG(dst, &gmem_b[(next * BK + load_b_k + i) * N + load_b_n], 16);
      }
    }
    // Also where nothing is left to load, so that the count of groups goes on.
    CP_ASYNC_COMMIT_GROUP();
    mmaStage(frag_c, s_a + t % STAGES * A_STAGE, s_b + t % STAGES * B_STAGE, warp_m, warp_n);
  }
  storeResults(c, frag_c, warp_m, warp_n, N);
}

template <int STAGES>
void launchStages(const half *a, const half *b, float *c, int M, int N, int K) {
  const int smem_size = STAGES * (A_STAGE + B_STAGE) * sizeof(half);
  CHECK(cudaFuncSetAttribute(hgemmAsyncStages<STAGES>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             smem_size));
  dim3 gridDim(N / BN, M / BM);
  hgemmAsyncStages<STAGES><<<gridDim, THREADS, smem_size>>>(a, b, c, M, N, K);
}

int main() {
  const int m = field::pick(4096, 256), n = field::pick(4096, 128), k = field::pick(4096, 192);
  Buffer a(size_t(m) * k * 2, 1), b(size_t(k) * n * 2, 2), c(size_t(m) * n * 4, 3);
  half *A = a.as<half>(), *B = b.as<half>();
  fillHalves<<<field::pick(256, 2), 256>>>(A, size_t(m) * k, 1);
  fillHalves<<<field::pick(256, 2), 256>>>(B, size_t(k) * n, 2);
  float *C = c.as<float>();
  field::measure("hgemm-wmma-async-1", c, [&] {
    dim3 gridDim(n / BN, m / BM);
    hgemmAsyncOneStage<<<gridDim, THREADS>>>(A, B, C, m, n, k);
  });
  field::measure("hgemm-wmma-async-2", c, [&] { launchStages<2>(A, B, C, m, n, k); });
  field::measure("hgemm-wmma-async-3", c, [&] { launchStages<3>(A, B, C, m, n, k); });
  field::measure("hgemm-wmma-async-4", c, [&] { launchStages<4>(A, B, C, m, n, k); });
}
