// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products whose tiles of A, or of A and B, are transposed element by element on their way to shared memory: in
// register tiles that are read as elements and as vectors, with one result a thread, and for B that is stored by columns.

#include "field.cuh"

// 8 x 8 results a thread, A transposed by float4 loads
template <int BM, int BN, int BK, int TM, int TN, bool READS_VECTORS>
__global__ void sgemm_a_transposed(int n, const float *__restrict__ A, const float *__restrict__ B,
                                   float *__restrict__ C) {
  __shared__ __align__(16) float As[BK][BM];
  __shared__ __align__(16) float Bs[BK][BN];
  const int threads = BM / TM * (BN / TN);
  const int tid = threadIdx.x, tx = tid % (BN / TN), ty = tid / (BN / TN);
  const int a_row = tid / (BK / 4), a_col = tid % (BK / 4) * 4;
  const int b_row = tid / (BN / 4), b_col = tid % (BN / 4) * 4;
  float acc[TM][TN] = {};
  float a[TM], b[TN];

  for (int k0 = 0; k0 < n; k0 += BK) {
#pragma tma load
    for (int i = 0; i < BM; i += threads / (BK / 4)) {
      float4 v = *(const float4 *)&A[(blockIdx.y * BM + a_row + i) * n + k0 + a_col];
      As[a_col][a_row + i] = v.x;
      As[a_col + 1][a_row + i] = v.y;
      As[a_col + 2][a_row + i] = v.z;
      As[a_col + 3][a_row + i] = v.w;
    }
#pragma tma load
    for (int i = 0; i < BK; i += threads / (BN / 4))
      *(float4 *)&Bs[b_row + i][b_col] =
          *(const float4 *)&B[(k0 + b_row + i) * n + blockIdx.x * BN + b_col];
    __syncthreads();

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      if (READS_VECTORS) {
#pragma unroll
        for (int y = 0; y < TM; y += 4)
          *(float4 *)&a[y] = *(const float4 *)&As[k][ty * TM + y];
      } else {
#pragma unroll
        for (int y = 0; y < TM; ++y)
          a[y] = As[k][ty * TM + y];
      }
#pragma unroll
      for (int x = 0; x < TN; x += 4)
        *(float4 *)&b[x] = *(const float4 *)&Bs[k][tx * TN + x];
#pragma unroll
      for (int y = 0; y < TM; ++y)
#pragma unroll
        for (int x = 0; x < TN; ++x)
          acc[y][x] += a[y] * b[x];
    }
    __syncthreads();
  }
  for (int y = 0; y < TM; ++y)
    for (int x = 0; x < TN; ++x)
      C[(blockIdx.y * BM + ty * TM + y) * n + blockIdx.x * BN + tx * TN + x] = acc[y][x];
}

// C = A * B^T, both by rows: 4 x 4 results a thread, those of a row a stride apart
template <int B, int BK>
__global__ void sgemm_nt(int n, const float *__restrict__ left, const float *__restrict__ right,
                         float *__restrict__ out) {
  __shared__ float ls[BK][B], rs[BK][B];
  const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * blockDim.x + tx;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += BK) {
#pragma tma load
    for (int i = tid; i < B * BK; i += B / 4 * (B / 4))
      ls[i % BK][i / BK] = left[(blockIdx.y * B + i / BK) * n + k0 + i % BK];
#pragma tma load
    for (int i = tid; i < B * BK; i += B / 4 * (B / 4))
      rs[i % BK][i / BK] = right[(blockIdx.x * B + i / BK) * n + k0 + i % BK];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k)
#pragma unroll
      for (int y = 0; y < 4; ++y)
#pragma unroll
        for (int x = 0; x < 4; ++x)
          acc[y][x] += ls[k][ty * 4 + y] * rs[k][tx + x * (B / 4)];
    __syncthreads();
  }
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x)
      out[(blockIdx.y * B + ty * 4 + y) * n + blockIdx.x * B + tx + x * (B / 4)] = acc[y][x];
}

// One result a thread, A's tile turned so that both are indexed by k first
__global__ void sgemm_turned(int n, const float *__restrict__ A, const float *__restrict__ B,
                             float *__restrict__ C) {
  __shared__ float As[32][32], Bs[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += 32) {
#pragma tma load
    As[tx][ty] = A[row * n + k0 + tx];
#pragma tma load
    Bs[ty][tx] = B[(k0 + ty) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; ++k)
      sum += As[k][ty] * Bs[k][tx];
    __syncthreads();
  }
  C[row * n + col] = sum;
}

int main() {
  const int n = field::pick(4096, 128), small = field::pick(2048, 64);
  Buffer a(size_t(n) * n * 4, 1), b(size_t(n) * n * 4, 2), c(size_t(n) * n * 4, 3);
  const float *A = a.as<float>(), *B = b.as<float>();
  float *C = c.as<float>();
  field::measure("sgemm-transposed-16", c, [&] {
    sgemm_a_transposed<128, 128, 16, 8, 8, false><<<dim3(n / 128, n / 128), 256>>>(n, A, B, C);
  });
  field::measure("sgemm-transposed-8", c, [&] {
    sgemm_a_transposed<128, 128, 8, 8, 8, false><<<dim3(n / 128, n / 128), 256>>>(n, A, B, C);
  });
  field::measure("sgemm-transposed-vectors-16", c, [&] {
    sgemm_a_transposed<128, 128, 16, 8, 8, true><<<dim3(n / 128, n / 128), 256>>>(n, A, B, C);
  });
  field::measure("sgemm-transposed-vectors-8", c, [&] {
    sgemm_a_transposed<128, 128, 8, 8, 8, true><<<dim3(n / 128, n / 128), 256>>>(n, A, B, C);
  });
  field::measure("sgemm-nt-16", c, [&] {
    sgemm_nt<64, 16><<<dim3(n / 64, n / 64), dim3(16, 16)>>>(n, A, B, C);
  });
  field::measure("sgemm-nt-32", c, [&] {
    sgemm_nt<64, 32><<<dim3(n / 64, n / 64), dim3(16, 16)>>>(n, A, B, C);
  });
  field::measure("sgemm-turned", c, [&] {
    sgemm_turned<<<dim3(small / 32, small / 32), dim3(32, 32)>>>(small, A, B, C);
  });
}
