// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The next steps of the tutorials on matrix products: each thread computes a column of results
// (1-D block tiling), then a square of them (2-D block tiling). The textbook's version of the
// first, thread coarsening, has guards, since it takes matrices of any size.

#include "field.cuh"

#include <cassert>

#define CEIL_DIV(M, N) (((M) + (N) - 1) / (N))

template <const int BM, const int BN, const int BK, const int TM>
__global__ void sgemm1DBlocktiling(int M, int N, int K, float alpha, const float *A, const float *B,
                                   float beta, float *C) {
  const uint cRow = blockIdx.y;
  const uint cCol = blockIdx.x;

  const int threadCol = threadIdx.x % BN;
  const int threadRow = threadIdx.x / BN;

  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];

  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;

  // one element of each tile per thread
  assert(BM * BK == blockDim.x);
  assert(BN * BK == blockDim.x);
  const uint innerColA = threadIdx.x % BK;
  const uint innerRowA = threadIdx.x / BK;
  const uint innerColB = threadIdx.x % BN;
  const uint innerRowB = threadIdx.x / BN;

  float threadResults[TM] = {0.0};

  for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
#pragma tma load
    As[innerRowA * BK + innerColA] = A[innerRowA * K + innerColA];
#pragma tma load
    Bs[innerRowB * BN + innerColB] = B[innerRowB * N + innerColB];
    __syncthreads();

    A += BK;
    B += BK * N;

    for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
      float tmpB = Bs[dotIdx * BN + threadCol];
      for (uint resIdx = 0; resIdx < TM; ++resIdx) {
        threadResults[resIdx] += As[(threadRow * TM + resIdx) * BK + dotIdx] * tmpB;
      }
    }
    __syncthreads();
  }

  for (uint resIdx = 0; resIdx < TM; ++resIdx) {
    C[(threadRow * TM + resIdx) * N + threadCol] =
        alpha * threadResults[resIdx] + beta * C[(threadRow * TM + resIdx) * N + threadCol];
  }
}

template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
    sgemm2DBlocktiling(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                       float *C) {
  const uint cRow = blockIdx.y;
  const uint cCol = blockIdx.x;

  const uint numThreadsBlocktile = BM * BN / (TM * TN);

  const int threadCol = threadIdx.x % (BN / TN);
  const int threadRow = threadIdx.x / (BN / TN);

  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];

  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;

  const uint innerRowA = threadIdx.x / BK;
  const uint innerColA = threadIdx.x % BK;
  const uint strideA = numThreadsBlocktile / BK;
  const uint innerRowB = threadIdx.x / BN;
  const uint innerColB = threadIdx.x % BN;
  const uint strideB = numThreadsBlocktile / BN;

  float threadResults[TM * TN] = {0.0};
  float regM[TM] = {0.0};
  float regN[TN] = {0.0};

  for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
#pragma tma load
    for (uint loadOffset = 0; loadOffset < BM; loadOffset += strideA) {
      As[(innerRowA + loadOffset) * BK + innerColA] = A[(innerRowA + loadOffset) * K + innerColA];
    }
#pragma tma load
    for (uint loadOffset = 0; loadOffset < BK; loadOffset += strideB) {
      Bs[(innerRowB + loadOffset) * BN + innerColB] = B[(innerRowB + loadOffset) * N + innerColB];
    }
    __syncthreads();

    A += BK;
    B += BK * N;

    for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
      for (uint i = 0; i < TM; ++i) {
        regM[i] = As[(threadRow * TM + i) * BK + dotIdx];
      }
      for (uint i = 0; i < TN; ++i) {
        regN[i] = Bs[dotIdx * BN + threadCol * TN + i];
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

#define TILE_WIDTH 32
#define COARSE_FACTOR 4

__global__ void matrixMulCoarsened(float *M, float *N, float *P, int height, int inner, int width) {
  __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
  __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];

  int bx = blockIdx.x, by = blockIdx.y;
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = by * TILE_WIDTH + ty;
  int colStart = bx * TILE_WIDTH * COARSE_FACTOR + tx;

  float Pvalue[COARSE_FACTOR];
  for (int c = 0; c < COARSE_FACTOR; ++c)
    Pvalue[c] = 0.0f;

  for (int ph = 0; ph < (inner + TILE_WIDTH - 1) / TILE_WIDTH; ++ph) {
#pragma tma load
    if (row < height && ph * TILE_WIDTH + tx < inner)
      Mds[ty][tx] = M[row * inner + ph * TILE_WIDTH + tx];
    else
      Mds[ty][tx] = 0.0f;

    for (int c = 0; c < COARSE_FACTOR; ++c) {
      int col = colStart + c * TILE_WIDTH;
#pragma tma load
      if (ph * TILE_WIDTH + ty < inner && col < width)
        Nds[ty][tx] = N[(ph * TILE_WIDTH + ty) * width + col];
      else
        Nds[ty][tx] = 0.0f;
      __syncthreads();

      for (int k = 0; k < TILE_WIDTH; ++k)
        Pvalue[c] += Mds[ty][k] * Nds[k][tx];
      __syncthreads();
    }
  }

  for (int c = 0; c < COARSE_FACTOR; ++c) {
    int col = colStart + c * TILE_WIDTH;
    if (row < height && col < width)
      P[row * width + col] = Pvalue[c];
  }
}

int main() {
  const int n = field::pick(2048, 128);
  Buffer a(size_t(n) * n * 4, 1), b(size_t(n) * n * 4, 2), c(size_t(n) * n * 4, 3);
  field::measure("sgemm-1d-blocktiling", c, [&] {
    const uint BM = 64, BN = 64, BK = 8, TM = 8;
    dim3 gridDim(CEIL_DIV(n, BN), CEIL_DIV(n, BM));
    dim3 blockDim((BM * BN) / TM);
    sgemm1DBlocktiling<BM, BN, BK, TM>
        <<<gridDim, blockDim>>>(n, n, n, 1.0f, a.as<float>(), b.as<float>(), 0.0f, c.as<float>());
  });
  field::measure("sgemm-2d-blocktiling", c, [&] {
    const uint BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;
    dim3 gridDim(CEIL_DIV(n, BN), CEIL_DIV(n, BM));
    dim3 blockDim((BM * BN) / (TM * TN));
    sgemm2DBlocktiling<BM, BN, BK, TM, TN>
        <<<gridDim, blockDim>>>(n, n, n, 1.0f, a.as<float>(), b.as<float>(), 0.0f, c.as<float>());
  });
  const int height = field::pick(1000, 40), inner = field::pick(2000, 72),
            width = field::pick(1900, 168);
  Buffer m(size_t(height) * inner * 4, 4), k(size_t(inner) * width * 4, 5);
  Buffer p(size_t(height) * width * 4, 6);
  field::measure("sgemm-coarsened-guarded", p, [&] {
    dim3 dimBlock(TILE_WIDTH, TILE_WIDTH);
    dim3 dimGrid(CEIL_DIV(width, TILE_WIDTH * COARSE_FACTOR), CEIL_DIV(height, TILE_WIDTH));
    matrixMulCoarsened<<<dimGrid, dimBlock>>>(m.as<float>(), k.as<float>(), p.as<float>(), height,
                                              inner, width);
  });
}
