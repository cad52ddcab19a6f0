// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products with float4 loads, where A is transposed on its way to shared memory, so that
// a thread's column of it can be read as vectors: the copies in a row (as the tutorials have
// it), and in loops with macros (as the autotuned kernels have it).

#include "field.cuh"

#define CEIL_DIV(M, N) (((M) + (N) - 1) / (N))
#define OFFSET(row, col, ld) ((row) * (ld) + (col))
#define FETCH_FLOAT4(pointer) (reinterpret_cast<float4 *>(&(pointer))[0])
#define FETCH_CFLOAT4(pointer) (reinterpret_cast<const float4 *>(&(pointer))[0])

template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void sgemmVectorize(int M, int N, int K, float alpha, float *A, float *B, float beta,
                               float *C) {
  const uint cRow = blockIdx.y;
  const uint cCol = blockIdx.x;
  const int threadCol = threadIdx.x % (BN / TN);
  const int threadRow = threadIdx.x / (BN / TN);

  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];

  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;

  // 128 bit per load, so a quarter of the columns
  const uint innerRowA = threadIdx.x / (BK / 4);
  const uint innerColA = threadIdx.x % (BK / 4);
  const uint innerRowB = threadIdx.x / (BN / 4);
  const uint innerColB = threadIdx.x % (BN / 4);

  float threadResults[TM * TN] = {0.0};
  float regM[TM] = {0.0};
  float regN[TN] = {0.0};

  for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
    // transpose A while loading it
#pragma tma load fallback(loop)
    {
      float4 tmp = reinterpret_cast<float4 *>(&A[innerRowA * K + innerColA * 4])[0];
      As[(innerColA * 4 + 0) * BM + innerRowA] = tmp.x;
      As[(innerColA * 4 + 1) * BM + innerRowA] = tmp.y;
      As[(innerColA * 4 + 2) * BM + innerRowA] = tmp.z;
      As[(innerColA * 4 + 3) * BM + innerRowA] = tmp.w;
    }
#pragma tma load
    reinterpret_cast<float4 *>(&Bs[innerRowB * BN + innerColB * 4])[0] =
        reinterpret_cast<float4 *>(&B[innerRowB * N + innerColB * 4])[0];
    __syncthreads();

    A += BK;
    B += BK * N;

    for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
      for (uint i = 0; i < TM; ++i) {
        regM[i] = As[dotIdx * BM + threadRow * TM + i];
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

  for (uint resIdxM = 0; resIdxM < TM; resIdxM += 1) {
    for (uint resIdxN = 0; resIdxN < TN; resIdxN += 4) {
      float4 *out =
          reinterpret_cast<float4 *>(&C[(threadRow * TM + resIdxM) * N + threadCol * TN + resIdxN]);
      float4 tmp = *out;
      tmp.x = alpha * threadResults[resIdxM * TN + resIdxN] + beta * tmp.x;
      tmp.y = alpha * threadResults[resIdxM * TN + resIdxN + 1] + beta * tmp.y;
      tmp.z = alpha * threadResults[resIdxM * TN + resIdxN + 2] + beta * tmp.z;
      tmp.w = alpha * threadResults[resIdxM * TN + resIdxN + 3] + beta * tmp.w;
      *out = tmp;
    }
  }
}

// Here the loads are loops over the rows that one pass of the block's threads leaves, and B's
// rows are longer than what one pass brings.
template <int BLOCK_SIZE_M, int BLOCK_SIZE_K, int BLOCK_SIZE_N, int THREAD_SIZE_Y,
          int THREAD_SIZE_X>
__global__ void sgemmVectorizeLoops(float *__restrict__ A, float *__restrict__ B,
                                    float *__restrict__ C, const int M, const int N, const int K) {
  const int bx = blockIdx.x, by = blockIdx.y;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int THREAD_X_PER_BLOCK = BLOCK_SIZE_N / THREAD_SIZE_X;
  const int THREAD_Y_PER_BLOCK = BLOCK_SIZE_M / THREAD_SIZE_Y;
  const int THREAD_NUM_PER_BLOCK = THREAD_X_PER_BLOCK * THREAD_Y_PER_BLOCK;
  const int tid = ty * THREAD_X_PER_BLOCK + tx;

  __shared__ float As[BLOCK_SIZE_K][BLOCK_SIZE_M];
  __shared__ float Bs[BLOCK_SIZE_K][BLOCK_SIZE_N];
  float accum[THREAD_SIZE_Y][THREAD_SIZE_X] = {0};
  float frag_a[THREAD_SIZE_Y];
  float frag_b[THREAD_SIZE_X];

  const int A_TILE_THREAD_PER_ROW = BLOCK_SIZE_K / 4;
  const int B_TILE_THREAD_PER_ROW = BLOCK_SIZE_N / 4;
  const int A_TILE_ROW_START = tid / A_TILE_THREAD_PER_ROW;
  const int B_TILE_ROW_START = tid / B_TILE_THREAD_PER_ROW;
  const int A_TILE_COL = tid % A_TILE_THREAD_PER_ROW * 4;
  const int B_TILE_COL = tid % B_TILE_THREAD_PER_ROW * 4;
  const int A_TILE_ROW_STRIDE = THREAD_NUM_PER_BLOCK / A_TILE_THREAD_PER_ROW;
  const int B_TILE_ROW_STRIDE = THREAD_NUM_PER_BLOCK / B_TILE_THREAD_PER_ROW;

  A = &A[(BLOCK_SIZE_M * by) * K];
  B = &B[BLOCK_SIZE_N * bx];

  for (int tile_idx = 0; tile_idx < K; tile_idx += BLOCK_SIZE_K) {
#pragma tma load fallback(loop)
#pragma unroll
    for (int i = 0; i < BLOCK_SIZE_M; i += A_TILE_ROW_STRIDE) {
      float4 ldg_a = FETCH_FLOAT4(A[OFFSET(A_TILE_ROW_START + i, A_TILE_COL + tile_idx, K)]);
      As[A_TILE_COL][A_TILE_ROW_START + i] = ldg_a.x;
      As[A_TILE_COL + 1][A_TILE_ROW_START + i] = ldg_a.y;
      As[A_TILE_COL + 2][A_TILE_ROW_START + i] = ldg_a.z;
      As[A_TILE_COL + 3][A_TILE_ROW_START + i] = ldg_a.w;
    }
#pragma tma load
#pragma unroll
    for (int i = 0; i < BLOCK_SIZE_K; i += B_TILE_ROW_STRIDE) {
      FETCH_FLOAT4(Bs[B_TILE_ROW_START + i][B_TILE_COL]) =
          FETCH_FLOAT4(B[OFFSET(tile_idx + B_TILE_ROW_START + i, B_TILE_COL, N)]);
    }
    __syncthreads();

#pragma unroll
    for (int k = 0; k < BLOCK_SIZE_K; ++k) {
#pragma unroll
      for (int y = 0; y < THREAD_SIZE_Y; y += 4)
        FETCH_FLOAT4(frag_a[y]) = FETCH_CFLOAT4(As[k][THREAD_SIZE_Y * ty + y]);
#pragma unroll
      for (int x = 0; x < THREAD_SIZE_X; x += 4)
        FETCH_FLOAT4(frag_b[x]) = FETCH_CFLOAT4(Bs[k][THREAD_SIZE_X * tx + x]);
#pragma unroll
      for (int y = 0; y < THREAD_SIZE_Y; ++y)
#pragma unroll
        for (int x = 0; x < THREAD_SIZE_X; ++x)
          accum[y][x] += frag_a[y] * frag_b[x];
    }
    __syncthreads();
  }

#pragma unroll
  for (int y = 0; y < THREAD_SIZE_Y; ++y)
#pragma unroll
    for (int x = 0; x < THREAD_SIZE_X; x += 4)
      FETCH_FLOAT4(C[OFFSET(BLOCK_SIZE_M * by + ty * THREAD_SIZE_Y + y,
                            BLOCK_SIZE_N * bx + tx * THREAD_SIZE_X + x, N)]) =
          FETCH_FLOAT4(accum[y][x]);
}

int main() {
  const int m = field::pick(4096, 256), n = m, k = field::pick(4096, 48);
  Buffer a(size_t(m) * k * 4, 1), b(size_t(k) * n * 4, 2), c(size_t(m) * n * 4, 3);
  field::measure("sgemm-vectorized", c, [&] {
    const uint BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;
    dim3 gridDim(CEIL_DIV(n, BN), CEIL_DIV(m, BM));
    dim3 blockDim((BM * BN) / (TM * TN));
    sgemmVectorize<BM, BN, BK, TM, TN>
        <<<gridDim, blockDim>>>(m, n, k, 1.0f, a.as<float>(), b.as<float>(), 0.0f, c.as<float>());
  });
  field::measure("sgemm-vectorized-loops", c, [&] {
    const int BM = 128, BN = 128, BK = 16, TM = 8, TN = 8;
    dim3 dimBlock(BN / TN, BM / TM);
    dim3 dimGrid(n / BN, m / BM);
    sgemmVectorizeLoops<BM, BK, BN, TM, TN>
        <<<dimGrid, dimBlock>>>(a.as<float>(), b.as<float>(), c.as<float>(), m, n, k);
  });
}
