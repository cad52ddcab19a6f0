// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of floats: with an element of the result for each thread, and with
// 64 of them in registers.

#include "bench.cuh"
#include "by_hand.cuh"

#include <cublas_v2.h>

constexpr int T = 32;

__global__ void sgemm(float *__restrict__ c, const float *__restrict__ a,
                      const float *__restrict__ b, int m, int n, int k) {
  __shared__ float as[T][T], bs[T][T];
  int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
  float sum = 0.f;
#pragma tma pipeline stages(4)
  for (int k0 = 0; k0 < k; k0 += T) {
#pragma tma load
    as[threadIdx.y][threadIdx.x] =
        row < m && k0 + threadIdx.x < k ? a[row * k + k0 + threadIdx.x] : 0.f;
#pragma tma load
    bs[threadIdx.y][threadIdx.x] =
        k0 + threadIdx.y < k && column < n ? b[(k0 + threadIdx.y) * n + column] : 0.f;
    __syncthreads();
    for (int i = 0; i < T; ++i)
      sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}

constexpr int BM = 128, BN = 128, BK = 8;

/// The part of a tile's product that a thread has.
__device__ inline void multiply(float (&sums)[8][8], const float (&as)[BM][BK],
                                const float (&bs)[BK][BN], int ty, int tx) {
#pragma unroll
  for (int i = 0; i < BK; ++i) {
    float x[8], y[8];
    for (int r = 0; r < 8; ++r)
      x[r] = as[ty * 8 + r][i];
    for (int c = 0; c < 8; ++c)
      y[c] = bs[i][c / 4 * 64 + tx * 4 + c % 4];
    for (int r = 0; r < 8; ++r)
      for (int c = 0; c < 8; ++c)
        sums[r][c] += x[r] * y[c];
  }
}

__device__ inline void write(float *c, const float (&sums)[8][8], int row, int column, int n) {
  for (int r = 0; r < 8; ++r)
    for (int j = 0; j < 8; ++j)
      c[(row + r) * n + column + j / 4 * 64 + j % 4] = sums[r][j];
}

__global__ void __launch_bounds__(256) rgemm(float *__restrict__ c, const float *__restrict__ a,
                                             const float *__restrict__ b, int n, int k) {
  __shared__ float as[BM][BK], bs[BK][BN];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16, m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  float sums[8][8] = {};
#pragma tma pipeline stages(4)
  for (int k0 = 0; k0 < k; k0 += BK) {
#pragma tma load
    for (int i = threadIdx.x; i < BM * BK; i += 256)
      as[i / BK][i % BK] = a[(m0 + i / BK) * k + k0 + i % BK];
#pragma tma load
    for (int i = threadIdx.x; i < BK * BN; i += 256)
      bs[i / BN][i % BN] = b[(k0 + i / BN) * n + n0 + i % BN];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < BK; ++i) {
      float x[8], y[8];
      for (int r = 0; r < 8; ++r)
        x[r] = as[ty * 8 + r][i];
      for (int j = 0; j < 8; ++j)
        y[j] = bs[i][j / 4 * 64 + tx * 4 + j % 4];
      for (int r = 0; r < 8; ++r)
        for (int j = 0; j < 8; ++j)
          sums[r][j] += x[r] * y[j];
    }
    __syncthreads();
  }
  write(c, sums, m0 + ty * 8, n0 + tx * 4, n);
}

constexpr int STAGES = 4;

/// Calls multiply(as, bs) for the tiles of each round, which come through a ring.
template <int Rows, int Columns, int Depth, typename Multiply>
__device__ inline void in_rounds(const CUtensorMap &a, const CUtensorMap &b, int k,
                                 Multiply multiply) {
  __shared__ alignas(128) float as[STAGES][Rows][Depth], bs[STAGES][Depth][Columns];
  __shared__ uint64_t full[STAGES];
  int rounds = k / Depth, m0 = blockIdx.y * Rows, n0 = blockIdx.x * Columns;
  bool leads = threadIdx.x == 0 && threadIdx.y == 0;
  auto issue = [&](int round) {
    int stage = round % STAGES;
    by_hand::expect(full[stage], sizeof(as[0]) + sizeof(bs[0]));
    by_hand::load(&as[stage], a, {round * Depth, m0}, full[stage]);
    by_hand::load(&bs[stage], b, {n0, round * Depth}, full[stage]);
  };
  if (leads) {
    for (uint64_t &each : full)
      by_hand::init(each);
    for (int round = 0; round < STAGES - 1 && round < rounds; ++round)
      issue(round);
  }
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    if (leads && round + STAGES - 1 < rounds)
      issue(round + STAGES - 1);
    by_hand::wait(full[round % STAGES], round / STAGES % 2);
    multiply(as[round % STAGES], bs[round % STAGES]);
    __syncthreads();
  }
}

__global__ void sgemm_by_hand(float *c, const __grid_constant__ CUtensorMap a,
                              const __grid_constant__ CUtensorMap b, int n, int k) {
  float sum = 0.f;
  in_rounds<T, T, T>(a, b, k, [&](const float (&as)[T][T], const float (&bs)[T][T]) {
    for (int i = 0; i < T; ++i)
      sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
  });
  c[(blockIdx.y * T + threadIdx.y) * n + blockIdx.x * T + threadIdx.x] = sum;
}

__global__ void __launch_bounds__(256)
    rgemm_by_hand(float *c, const __grid_constant__ CUtensorMap a,
                  const __grid_constant__ CUtensorMap b, int n, int k) {
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float sums[8][8] = {};
  in_rounds<BM, BN, BK>(a, b, k, [&](const float (&as)[BM][BK], const float (&bs)[BK][BN]) {
    multiply(sums, as, bs, ty, tx);
  });
  write(c, sums, blockIdx.y * BM + ty * 8, blockIdx.x * BN + tx * 4, n);
}

int main() {
  int n = 4096;
  size_t bytes = size_t(n) * n * 4;
  Buffer a(bytes, 1), b(bytes, 2), c(bytes, 3);
  dim3 block(T, T), grid(n / T, n / T), big(n / BN, n / BM);
  for (const char *name : {"sgemm-32x32", "sgemm-128x128"})
    work(name, 3. * double(bytes), 2. * n * n * n);
  kernel("sgemm-32x32", c,
         [&] { sgemm<<<grid, block>>>(c.as<float>(), a.as<float>(), b.as<float>(), n, n, n); });
  other("sgemm-32x32", "by-hand", c, [&] {
    CUtensorMap left = by_hand::map_of(a.as<float>(), {n, n}, {T, T});
    CUtensorMap right = by_hand::map_of(b.as<float>(), {n, n}, {T, T});
    sgemm_by_hand<<<grid, block>>>(c.as<float>(), left, right, n, n);
  });
  kernel("sgemm-128x128", c,
         [&] { rgemm<<<big, 256>>>(c.as<float>(), a.as<float>(), b.as<float>(), n, n); });
  other("sgemm-128x128", "by-hand", c, [&] {
    CUtensorMap left = by_hand::map_of(a.as<float>(), {n, n}, {BK, BM});
    CUtensorMap right = by_hand::map_of(b.as<float>(), {n, n}, {BN, BK});
    rgemm_by_hand<<<big, 256>>>(c.as<float>(), left, right, n, n);
  });
  cublasHandle_t blas;
  cublasCreate(&blas);
  float one = 1, zero = 0;
  other("sgemm-128x128", "cublas", c, [&] {
    cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b.as<float>(), n, a.as<float>(), n,
                &zero, c.as<float>(), n);
  });
}
