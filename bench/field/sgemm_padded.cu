// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products whose tiles are padded against bank conflicts: A * B^T with the classic tiles
// of 32 x 33 floats, and block tiling with a few columns more in the tile of B, or in both.

#include "field.cuh"

#define CEIL_DIV(M, N) (((M) + (N) - 1) / (N))
#define TILE_DIM 32
#define PAD 4

// C = A * B^T; both tiles are read by column of the product, so both have a row of 33.
__global__ void sgemmNT(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float aTile[TILE_DIM][TILE_DIM + 1], bTile[TILE_DIM][TILE_DIM + 1];
  int row = blockIdx.y * TILE_DIM + threadIdx.y;
  int col = blockIdx.x * TILE_DIM + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < K; k += TILE_DIM) {
#pragma tma load
    aTile[threadIdx.y][threadIdx.x] = A[row * K + k + threadIdx.x];
#pragma tma load
    bTile[threadIdx.y][threadIdx.x] =
        B[(blockIdx.x * TILE_DIM + threadIdx.y) * K + k + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < TILE_DIM; i++)
      sum += aTile[threadIdx.y][i] * bTile[threadIdx.x][i];
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// The tile of B has extraCols columns that nobody uses, and is filled element by element.
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void sgemmResolveBankExtraCol(int M, int N, int K, float alpha, const float *A,
                                         const float *B, float beta, float *C) {
  const uint cRow = blockIdx.y;
  const uint cCol = blockIdx.x;
  const int threadCol = threadIdx.x % (BN / TN);
  const int threadRow = threadIdx.x / (BN / TN);

  __shared__ float As[BM * BK];
  const int extraCols = 5;
  __shared__ float Bs[BK * (BN + extraCols)];

  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;

  const uint innerRowA = threadIdx.x / (BK / 4);
  const uint innerColA = threadIdx.x % (BK / 4);
  const uint innerRowB = threadIdx.x / (BN / 4);
  const uint innerColB = threadIdx.x % (BN / 4);

  float threadResults[TM * TN] = {0.0};
  float regM[TM] = {0.0};
  float regN[TN] = {0.0};

  for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
#pragma tma load fallback(loop)
    {
      float4 tmp = reinterpret_cast<const float4 *>(&A[innerRowA * K + innerColA * 4])[0];
      As[(innerColA * 4 + 0) * BM + innerRowA] = tmp.x;
      As[(innerColA * 4 + 1) * BM + innerRowA] = tmp.y;
      As[(innerColA * 4 + 2) * BM + innerRowA] = tmp.z;
      As[(innerColA * 4 + 3) * BM + innerRowA] = tmp.w;
    }
#pragma tma load
    {
      float4 tmp = reinterpret_cast<const float4 *>(&B[innerRowB * N + innerColB * 4])[0];
      Bs[innerRowB * (BN + extraCols) + innerColB * 4 + 0] = tmp.x;
      Bs[innerRowB * (BN + extraCols) + innerColB * 4 + 1] = tmp.y;
      Bs[innerRowB * (BN + extraCols) + innerColB * 4 + 2] = tmp.z;
      Bs[innerRowB * (BN + extraCols) + innerColB * 4 + 3] = tmp.w;
    }
    __syncthreads();

    A += BK;
    B += BK * N;

    for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
      for (uint i = 0; i < TM; ++i) {
        regM[i] = As[dotIdx * BM + threadRow * TM + i];
      }
      for (uint i = 0; i < TN; ++i) {
        regN[i] = Bs[dotIdx * (BN + extraCols) + threadCol * TN + i];
      }
      for (uint resIdxM = 0; resIdxM < TM; ++resIdxM) {
        for (uint resIdxN = 0; resIdxN < TN; ++resIdxN) {
          threadResults[resIdxM * TN + resIdxN] += regM[resIdxM] * regN[resIdxN];
        }
      }
    }
    __syncthreads();
  }

  for (uint resIdxM = 0; resIdxM < TM; ++resIdxM) {
    for (uint resIdxN = 0; resIdxN < TN; ++resIdxN) {
      float *out = &C[(threadRow * TM + resIdxM) * N + threadCol * TN + resIdxN];
      *out = alpha * threadResults[resIdxM * TN + resIdxN] + beta * *out;
    }
  }
}

// Tiles of 64 x 16 and 16 x 64 with padded rows, and guards: any M, N and K will do.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void sgemmPaddedGuarded(int m, int n, int k, float alpha, const float *__restrict__ a,
                                   int lda, const float *__restrict__ b, int ldb, float beta,
                                   float *__restrict__ c, int ldc) {
  __shared__ float sa[BM][BK + PAD];
  __shared__ float sb[BK][BN + PAD];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int tid = ty * blockDim.x + tx;
  const int nthreads = (BM / TM) * (BN / TN);
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  float acc[TM][TN] = {};

  for (int kk = 0; kk < k; kk += BK) {
#pragma tma load
    for (int i = tid; i < BM * BK; i += nthreads) {
      int r = i / BK, s = i % BK;
      sa[r][s] = (row0 + r < m && kk + s < k) ? a[(row0 + r) * lda + kk + s] : 0.f;
    }
#pragma tma load
    for (int i = tid; i < BK * BN; i += nthreads) {
      int r = i / BN, s = i % BN;
      sb[r][s] = (kk + r < k && col0 + s < n) ? b[(kk + r) * ldb + col0 + s] : 0.f;
    }
    __syncthreads();
#pragma unroll
    for (int p = 0; p < BK; ++p)
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j)
          acc[i][j] += sa[ty + i * (BM / TM)][p] * sb[p][tx + j * (BN / TN)];
    __syncthreads();
  }

  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j) {
      int row = row0 + ty + i * (BM / TM), col = col0 + tx + j * (BN / TN);
      if (row < m && col < n)
        c[row * ldc + col] = alpha * acc[i][j] + beta * c[row * ldc + col];
    }
}

int main() {
  const int n = field::pick(2048, 128);
  Buffer a(size_t(n) * n * 4, 1), b(size_t(n) * n * 4, 2), c(size_t(n) * n * 4, 3);
  field::measure("sgemm-nt-padded", c, [&] {
    dim3 block(TILE_DIM, TILE_DIM), grid(n / TILE_DIM, n / TILE_DIM);
    sgemmNT<<<grid, block>>>(a.as<float>(), b.as<float>(), c.as<float>(), n, n, n);
  });
  field::measure("sgemm-extra-columns", c, [&] {
    const uint BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;
    dim3 gridDim(CEIL_DIV(n, BN), CEIL_DIV(n, BM));
    dim3 blockDim((BM * BN) / (TM * TN));
    sgemmResolveBankExtraCol<BM, BN, BK, TM, TN>
        <<<gridDim, blockDim>>>(n, n, n, 1.0f, a.as<float>(), b.as<float>(), 0.0f, c.as<float>());
  });
  const int rows = field::pick(1000, 100), inner = field::pick(1500, 44),
            cols = field::pick(2000, 72);
  Buffer d(size_t(rows) * inner * 4, 4), e(size_t(inner) * cols * 4, 5);
  Buffer f(size_t(rows) * cols * 4, 6);
  field::measure("sgemm-padded-guarded", f, [&] {
    dim3 block(16, 16), grid(CEIL_DIV(cols, 64), CEIL_DIV(rows, 64));
    sgemmPaddedGuarded<64, 64, 16, 4, 4><<<grid, block>>>(rows, cols, inner, 1.0f, d.as<float>(),
                                                          inner, e.as<float>(), cols, 0.0f,
                                                          f.as<float>(), cols);
  });
}
