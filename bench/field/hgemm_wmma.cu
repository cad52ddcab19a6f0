// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of halves by wmma, with tiles whose rows are longer by 8 halves against
// bank conflicts: plain vector loads with one stage, one vector after the other as in the blog
// posts; and guarded loads of single elements with two buffers by hand, for matrices of any size.

#include "field.cuh"

#include <cuda_fp16.h>
#include <mma.h>

#define FLOAT4(pointer) (reinterpret_cast<float4 *>(&(pointer))[0])
#define OFFSET(row, col, ld) ((row) * (ld) + (col))
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

using namespace nvcuda;

__global__ void fillHalves(half *x, size_t n, unsigned seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x) {
    unsigned h = (unsigned(i) + seed) * 2654435761u;
    x[i] = __float2half(float(h >> 20) / 4096.0f - 0.5f);
  }
}

__global__ void myHGEMMAlignedV1(half *__restrict__ a, half *__restrict__ b, half *__restrict__ c,
                                 const int M, const int N, const int K) {
  const int BM = 128;
  const int BN = 256;
  const int BK = 32;

  int bx = blockIdx.x;
  int by = blockIdx.y;
  int tid = threadIdx.x;
  int wid = tid >> 5;

  const int APAD = 8;
  const int BPAD = 8;

  __shared__ half s_a[BM][BK + APAD];
  __shared__ half s_b[BK][BN + BPAD];

  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> frag_a[2][4];
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> frag_b[2][4];
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> frag_c[4][4];

#pragma unroll
  for (int i = 0; i < 4; i++) {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      wmma::fill_fragment(frag_c[i][j], 0.0);
    }
  }

  int load_a_smem_m = (tid >> 2) << 1;
  int load_a_smem_k = (tid & 3) << 3;
  int load_b_smem_k = (tid >> 5) << 2;
  int load_b_smem_n = (tid & 31) << 3;

  int load_a_gmem_m = by * BM + load_a_smem_m;
  int load_b_gmem_n = bx * BN + load_b_smem_n;

  int load_a_gmem_addr = OFFSET(load_a_gmem_m, load_a_smem_k, K);
  int load_b_gmem_addr = OFFSET(load_b_smem_k, load_b_gmem_n, N);

  int comp_c_frag_m = wid & 1;
  int comp_c_frag_n = wid >> 1;

  for (int bk = 0; bk < K / BK; bk++) {
#pragma tma load
    FLOAT4(s_a[load_a_smem_m][load_a_smem_k]) = FLOAT4(a[load_a_gmem_addr]);
#pragma tma load
    FLOAT4(s_a[load_a_smem_m + 1][load_a_smem_k]) = FLOAT4(a[load_a_gmem_addr + K]);
#pragma tma load
    FLOAT4(s_b[load_b_smem_k][load_b_smem_n]) = FLOAT4(b[load_b_gmem_addr]);
#pragma tma load
    FLOAT4(s_b[load_b_smem_k + 1][load_b_smem_n]) = FLOAT4(b[load_b_gmem_addr + N]);
#pragma tma load
    FLOAT4(s_b[load_b_smem_k + 2][load_b_smem_n]) = FLOAT4(b[load_b_gmem_addr + 2 * N]);
#pragma tma load
    FLOAT4(s_b[load_b_smem_k + 3][load_b_smem_n]) = FLOAT4(b[load_b_gmem_addr + 3 * N]);

    load_a_gmem_addr += BK;
    load_b_gmem_addr += BK * N;

    __syncthreads();

#pragma unroll
    for (int i = 0; i < 4; i++) {
      wmma::load_matrix_sync(frag_a[0][i], &s_a[comp_c_frag_m * 64 + i * 16][0], BK + APAD);
      wmma::load_matrix_sync(frag_a[1][i], &s_a[comp_c_frag_m * 64 + i * 16][16], BK + APAD);
      wmma::load_matrix_sync(frag_b[0][i], &s_b[0][comp_c_frag_n * 64 + i * 16], BN + BPAD);
      wmma::load_matrix_sync(frag_b[1][i], &s_b[16][comp_c_frag_n * 64 + i * 16], BN + BPAD);
    }

#pragma unroll
    for (int i = 0; i < 4; i++) {
#pragma unroll
      for (int j = 0; j < 4; j++) {
        wmma::mma_sync(frag_c[i][j], frag_a[0][i], frag_b[0][j], frag_c[i][j]);
        wmma::mma_sync(frag_c[i][j], frag_a[1][i], frag_b[1][j], frag_c[i][j]);
      }
    }

    __syncthreads();
  }

  int store_c_gmem_m = by * BM + comp_c_frag_m * 64;
  int store_c_gmem_n = bx * BN + comp_c_frag_n * 64;
  int store_c_gmem_addr = OFFSET(store_c_gmem_m, store_c_gmem_n, N);
#pragma unroll
  for (int i = 0; i < 4; i++) {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      wmma::store_matrix_sync(&c[store_c_gmem_addr + i * 16 * N + j * 16], frag_c[i][j], N,
                              wmma::mem_row_major);
    }
  }
}

#define TILE_M 64
#define TILE_N 64
#define TILE_K 32
#define SKEW 8

// Any M, N and K. The results go through shared memory, because edge tiles are cut.
__global__ void __launch_bounds__(128)
    wmma_gemm_guarded(const half *__restrict__ A, const half *__restrict__ B, float *__restrict__ C,
                      int M, int N, int K, float alpha) {
  __shared__ half As[2][TILE_M][TILE_K + SKEW];
  __shared__ half Bs[2][TILE_K][TILE_N + SKEW];
  __shared__ float Cs[TILE_M][TILE_N];

  const int warpId = threadIdx.x / 32;
  const int warpM = warpId / 2, warpN = warpId % 2;
  const int rowBase = blockIdx.y * TILE_M, colBase = blockIdx.x * TILE_N;

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::fill_fragment(acc[i][j], 0.0f);

#pragma tma load
  for (int i = threadIdx.x; i < TILE_M * TILE_K; i += blockDim.x) {
    int r = i / TILE_K, c = i % TILE_K;
    As[0][r][c] = (rowBase + r < M && c < K) ? A[(rowBase + r) * K + c] : __float2half(0.0f);
  }
#pragma tma load
  for (int i = threadIdx.x; i < TILE_K * TILE_N; i += blockDim.x) {
    int r = i / TILE_N, c = i % TILE_N;
    Bs[0][r][c] = (r < K && colBase + c < N) ? B[r * N + colBase + c] : __float2half(0.0f);
  }
  __syncthreads();

  int cur = 0;
  for (int k0 = 0; k0 < K; k0 += TILE_K) {
    const int next = cur ^ 1;
    const int kNext = k0 + TILE_K;
    if (kNext < K) {
#pragma tma load
      for (int i = threadIdx.x; i < TILE_M * TILE_K; i += blockDim.x) {
        int r = i / TILE_K, c = i % TILE_K;
        As[next][r][c] = (rowBase + r < M && kNext + c < K) ? A[(rowBase + r) * K + kNext + c]
                                                            : __float2half(0.0f);
      }
#pragma tma load
      for (int i = threadIdx.x; i < TILE_K * TILE_N; i += blockDim.x) {
        int r = i / TILE_N, c = i % TILE_N;
        Bs[next][r][c] = (kNext + r < K && colBase + c < N) ? B[(kNext + r) * N + colBase + c]
                                                            : __float2half(0.0f);
      }
    }

    for (int kk = 0; kk < TILE_K; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
      for (int i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(a[i], &As[cur][warpM * 32 + i * 16][kk], TILE_K + SKEW);
        wmma::load_matrix_sync(b[i], &Bs[cur][kk][warpN * 32 + i * 16], TILE_N + SKEW);
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
    }
    __syncthreads();
    cur = next;
  }

  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      for (int t = 0; t < acc[i][j].num_elements; ++t)
        acc[i][j].x[t] *= alpha;
      wmma::store_matrix_sync(&Cs[warpM * 32 + i * 16][warpN * 32 + j * 16], acc[i][j], TILE_N,
                              wmma::mem_row_major);
    }
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.x; i < TILE_M * TILE_N; i += blockDim.x) {
    int r = rowBase + i / TILE_N, c = colBase + i % TILE_N;
    if (r < M && c < N)
      C[r * N + c] = Cs[i / TILE_N][i % TILE_N];
  }
}

int main() {
  const int n = field::pick(4096, 256), m = field::pick(4096, 128), k = field::pick(4096, 96);
  Buffer a(size_t(m) * k * 2, 1), b(size_t(k) * n * 2, 2), c(size_t(m) * n * 2, 3);
  fillHalves<<<field::pick(256, 2), 256>>>(a.as<half>(), size_t(m) * k, 1);
  fillHalves<<<field::pick(256, 2), 256>>>(b.as<half>(), size_t(k) * n, 2);
  field::measure("hgemm-wmma-one-stage", c, [&] {
    dim3 blockDim(256), gridDim(n / 256, m / 128);
    myHGEMMAlignedV1<<<gridDim, blockDim>>>(a.as<half>(), b.as<half>(), c.as<half>(), m, n, k);
  });
  const int rows = field::pick(2000, 100), cols = field::pick(1912, 72),
            inner = field::pick(3000, 104);
  Buffer d(size_t(rows) * inner * 2, 4), e(size_t(inner) * cols * 2, 5);
  Buffer f(size_t(rows) * cols * 4, 6);
  fillHalves<<<field::pick(256, 2), 256>>>(d.as<half>(), size_t(rows) * inner, 3);
  fillHalves<<<field::pick(256, 2), 256>>>(e.as<half>(), size_t(inner) * cols, 4);
  field::measure("hgemm-wmma-guarded", f, [&] {
    dim3 grid(CEIL_DIV(cols, TILE_N), CEIL_DIV(rows, TILE_M));
    wmma_gemm_guarded<<<grid, 128>>>(d.as<half>(), e.as<half>(), f.as<float>(), rows, cols, inner,
                                     0.5f);
  });
}
