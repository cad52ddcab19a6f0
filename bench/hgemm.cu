// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of matrices of halves on the tensor cores, with wgmma and with mma: tiles that
// the program swizzles itself, as descriptors say and as ldmatrix likes it. The second matrix
// has its columns in rows, as weights have.

#include "bench.cuh"
#include "by_hand.cuh"
#include "tensor_cores.cuh"

#include <cublas_v2.h>

constexpr int BM = 128, BN = 256, BK = 64, THREADS = 256;
/// So many rows of blocks go through the columns together, for L2.
constexpr int TOGETHER = 16;

__device__ inline void write(half *c, const float (&d)[128], int m0, int n0, int n) {
  int lane = threadIdx.x % 32, row = m0 + threadIdx.x / 32 * 16 + lane / 4;
  int column = n0 + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < 128; i += 2)
    *reinterpret_cast<half2 *>(&c[size_t(row + i / 2 % 2 * 8) * n + column + i / 4 * 8]) =
        __floats2half2_rn(d[i], d[i + 1]);
}

__global__ void __launch_bounds__(THREADS) hgemm(half *__restrict__ c, const half *__restrict__ a,
                                                 const half *__restrict__ b, int n, int k) {
  __shared__ __align__(1024) half as[BM][BK], bs[BN][BK];
  int m0 = (blockIdx.z * TOGETHER + blockIdx.x) * BM, n0 = blockIdx.y * BN;
  float d[128] = {};
#pragma tma pipeline stages(4) warp(producer)
  for (int k0 = 0; k0 < k; k0 += BK) {
#pragma tma load
    for (int i = threadIdx.x; i < BM * 8; i += THREADS) {
      int row = i / 8, part = i % 8;
      *reinterpret_cast<uint4 *>(&as[row][(part ^ row % 8) * 8]) =
          *reinterpret_cast<const uint4 *>(&a[(m0 + row) * k + k0 + part * 8]);
    }
#pragma tma load
    for (int i = threadIdx.x; i < BN * 8; i += THREADS) {
      int row = i / 8, part = i % 8;
      *reinterpret_cast<uint4 *>(&bs[row][(part ^ row % 8) * 8]) =
          *reinterpret_cast<const uint4 *>(&b[(n0 + row) * k + k0 + part * 8]);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    multiply(d, as, bs);
    __syncthreads();
  }
  write(c, d, m0, n0, n);
}

constexpr int STAGES = 4;
struct Tiles {
  half as[STAGES][BM][BK], bs[STAGES][BN][BK];
};

__global__ void __launch_bounds__(THREADS + 32)
    hgemm_by_hand(half *__restrict__ c, const __grid_constant__ CUtensorMap a,
                  const __grid_constant__ CUtensorMap b, int n, int k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Tiles &tiles = *reinterpret_cast<Tiles *>(memory);
  __shared__ uint64_t full[STAGES], empty[STAGES];
  int m0 = (blockIdx.z * TOGETHER + blockIdx.x) * BM, n0 = blockIdx.y * BN, rounds = k / BK;
  if (threadIdx.x == 0)
    for (int i = 0; i < STAGES; ++i) {
      by_hand::init(full[i]);
      by_hand::init(empty[i], THREADS / 32);
    }
  __syncthreads();
  if (threadIdx.x >= THREADS) {
    for (int round = 0; threadIdx.x == THREADS && round < rounds; ++round) {
      int stage = round % STAGES;
      by_hand::wait(empty[stage], round / STAGES % 2 ^ 1);
      by_hand::expect(full[stage], sizeof(tiles.as[0]) + sizeof(tiles.bs[0]));
      by_hand::load(&tiles.as[stage], a, {round * BK, m0}, full[stage]);
      by_hand::load(&tiles.bs[stage], b, {round * BK, n0}, full[stage]);
    }
    return;
  }
  float d[128] = {};
  for (int round = 0; round < rounds; ++round) {
    by_hand::wait(full[round % STAGES], round / STAGES % 2);
    multiply(d, tiles.as[round % STAGES], tiles.bs[round % STAGES]);
    by_hand::release(empty[round % STAGES]);
  }
  write(c, d, m0, n0, n);
}

/// The same with mma: 128 x 128 of the result, 64 x 32 for a warp.
constexpr int MN = 128;
using Tile = half[MN][BK];
struct Result {
  float part[4][4][4] = {};
};

__device__ inline void multiply(Result &sums, const Tile &as, const Tile &bs) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp / 4 * 64, column = warp % 4 * 32;
#pragma unroll
  for (int k = 0; k < BK / 8; k += 2) {
    unsigned a[4][4], b[2][4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      four_matrices(a[i], at(as, row + i * 16 + lane % 16, k + lane / 16));
#pragma unroll
    for (int j = 0; j < 2; ++j)
      four_matrices(b[j], at(bs, column + j * 16 + lane / 16 * 8 + lane % 8, k + lane / 8 % 2));
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        multiply(sums.part[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
  }
}

__device__ inline void write(half *c, const Result &sums, int m0, int n0, int n) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int row = m0 + warp / 4 * 64 + lane / 4, column = n0 + warp % 4 * 32 + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int r = 0; r < 2; ++r)
        *reinterpret_cast<half2 *>(&c[size_t(row + i * 16 + r * 8) * n + column + j * 8]) =
            __floats2half2_rn(sums.part[i][j][r * 2], sums.part[i][j][r * 2 + 1]);
}

__global__ void __launch_bounds__(THREADS, 2)
    hgemm_mma(half *__restrict__ c, const half *__restrict__ a, const half *__restrict__ b, int n,
              int k) {
  __shared__ __align__(1024) half as[MN][BK], bs[MN][BK];
  int m0 = (blockIdx.z * TOGETHER + blockIdx.x) * MN, n0 = blockIdx.y * MN;
  Result sums;
#pragma tma pipeline stages(3) warp(producer)
  for (int k0 = 0; k0 < k; k0 += BK) {
#pragma tma load
    for (int i = threadIdx.x; i < MN * 8; i += THREADS)
      *reinterpret_cast<uint4 *>(&as[i / 8][(i % 8 ^ i / 8 % 8) * 8]) =
          *reinterpret_cast<const uint4 *>(&a[(m0 + i / 8) * k + k0 + i % 8 * 8]);
#pragma tma load
    for (int i = threadIdx.x; i < MN * 8; i += THREADS)
      *reinterpret_cast<uint4 *>(&bs[i / 8][(i % 8 ^ i / 8 % 8) * 8]) =
          *reinterpret_cast<const uint4 *>(&b[(n0 + i / 8) * k + k0 + i % 8 * 8]);
    __syncthreads();
    multiply(sums, as, bs);
    __syncthreads();
  }
  write(c, sums, m0, n0, n);
}

constexpr int MMA_STAGES = 3;

__global__ void __launch_bounds__(THREADS + 32, 2)
    hgemm_mma_by_hand(half *__restrict__ c, const __grid_constant__ CUtensorMap a,
                      const __grid_constant__ CUtensorMap b, int n, int k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Tile *as = reinterpret_cast<Tile *>(memory), *bs = as + MMA_STAGES;
  __shared__ uint64_t full[MMA_STAGES], empty[MMA_STAGES];
  int m0 = (blockIdx.z * TOGETHER + blockIdx.x) * MN, n0 = blockIdx.y * MN, rounds = k / BK;
  if (threadIdx.x == 0)
    for (int i = 0; i < MMA_STAGES; ++i) {
      by_hand::init(full[i]);
      by_hand::init(empty[i], THREADS / 32);
    }
  __syncthreads();
  if (threadIdx.x >= THREADS) {
    for (int round = 0; threadIdx.x == THREADS && round < rounds; ++round) {
      int stage = round % MMA_STAGES;
      by_hand::wait(empty[stage], round / MMA_STAGES % 2 ^ 1);
      by_hand::fence();
      by_hand::expect(full[stage], 2 * sizeof(Tile));
      by_hand::load(&as[stage], a, {round * BK, m0}, full[stage]);
      by_hand::load(&bs[stage], b, {round * BK, n0}, full[stage]);
    }
    return;
  }
  Result sums;
  for (int round = 0; round < rounds; ++round) {
    by_hand::wait(full[round % MMA_STAGES], round / MMA_STAGES % 2);
    multiply(sums, as[round % MMA_STAGES], bs[round % MMA_STAGES]);
    by_hand::release(empty[round % MMA_STAGES]);
  }
  write(c, sums, m0, n0, n);
}

int main() {
  int n = 8192;
  size_t bytes = size_t(n) * n * sizeof(half);
  Buffer a(bytes, 1), b(bytes, 2), c(bytes, 3);
  std::vector<half> numbers(size_t(n) * n);
  for (const Buffer *buffer : {&a, &b}) {
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = __float2half(float(i * 2654435761u >> 13 & 2047) / 1024.f - 1.f);
    CHECK(cudaMemcpy(buffer->as<half>(), numbers.data(), bytes, cudaMemcpyHostToDevice));
  }
  const half *left = a.as<half>(), *right = b.as<half>();
  half *out = c.as<half>();
  dim3 blocks(TOGETHER, n / BN, n / (TOGETHER * BM));
  work("hgemm-wgmma", 3. * double(bytes), 2. * n * n * n);
  kernel("hgemm-wgmma", c, [&] { hgemm<<<blocks, THREADS>>>(out, left, right, n, n); });
  CHECK(cudaFuncSetAttribute(hgemm_by_hand, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             sizeof(Tiles)));
  other("hgemm-wgmma", "by-hand", c, [&] {
    CUtensorMap rows = by_hand::map_of(left, {n, n}, {BK, BM}, CU_TENSOR_MAP_SWIZZLE_128B);
    CUtensorMap columns = by_hand::map_of(right, {n, n}, {BK, BN}, CU_TENSOR_MAP_SWIZZLE_128B);
    hgemm_by_hand<<<blocks, THREADS + 32, sizeof(Tiles)>>>(out, rows, columns, n, n);
  });
  cublasHandle_t blas;
  cublasCreate(&blas);
  float one = 1, zero = 0;
  other("hgemm-wgmma", "cublas", c, [&] {
    cublasGemmEx(blas, CUBLAS_OP_T, CUBLAS_OP_N, n, n, n, &one, right, CUDA_R_16F, n, left,
                 CUDA_R_16F, n, &zero, out, CUDA_R_16F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  });

  dim3 grid(TOGETHER, n / MN, n / (TOGETHER * MN));
  int memory = 2 * MMA_STAGES * sizeof(Tile);
  work("hgemm-mma", 3. * double(bytes), 2. * n * n * n);
  kernel("hgemm-mma", c, [&] { hgemm_mma<<<grid, THREADS>>>(out, left, right, n, n); });
  CHECK(
      cudaFuncSetAttribute(hgemm_mma_by_hand, cudaFuncAttributeMaxDynamicSharedMemorySize, memory));
  other("hgemm-mma", "by-hand", c, [&] {
    CUtensorMap rows = by_hand::map_of(left, {n, n}, {BK, MN}, CU_TENSOR_MAP_SWIZZLE_128B);
    CUtensorMap columns = by_hand::map_of(right, {n, n}, {BK, MN}, CU_TENSOR_MAP_SWIZZLE_128B);
    hgemm_mma_by_hand<<<grid, THREADS + 32, memory>>>(out, rows, columns, n, n);
  });
}
