// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of matrices of halves on the tensor cores with blocks of 128 x 128, which L2
// cannot feed: each block by itself, and in clusters, whose blocks share tiles. The second
// matrix has its columns in rows, as weights have.

#include "bench.cuh"
#include "by_hand.cuh"
#include "tensor_cores.cuh"

constexpr int BM = 128, BN = 128, BK = 64, THREADS = 256;
/// So many rows of blocks go through the columns together, for L2.
constexpr int TOGETHER = 16;
using Tile = half[BM][BK];

__device__ inline void write(half *c, const float (&d)[64], int m0, int n0, int n) {
  int lane = threadIdx.x % 32, row = m0 + threadIdx.x / 32 * 16 + lane / 4;
  int column = n0 + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < 64; i += 2)
    *reinterpret_cast<half2 *>(&c[size_t(row + i / 2 % 2 * 8) * n + column + i / 4 * 8]) =
        __floats2half2_rn(d[i], d[i + 1]);
}

__global__ void __launch_bounds__(THREADS, 2)
    alone(half *__restrict__ c, const half *__restrict__ a, const half *__restrict__ b, int n,
          int k) {
  __shared__ __align__(1024) Tile as, bs;
  int m0 = (blockIdx.z * TOGETHER + blockIdx.x) * BM, n0 = blockIdx.y * BN;
  float d[64] = {};
#pragma tma pipeline stages(3) warp(producer)
  for (int k0 = 0; k0 < k; k0 += BK) {
#pragma tma load
    for (int i = threadIdx.x; i < BM * 8; i += THREADS)
      *reinterpret_cast<uint4 *>(&as[i / 8][(i % 8 ^ i / 8 % 8) * 8]) =
          *reinterpret_cast<const uint4 *>(&a[(m0 + i / 8) * k + k0 + i % 8 * 8]);
#pragma tma load
    for (int i = threadIdx.x; i < BN * 8; i += THREADS)
      *reinterpret_cast<uint4 *>(&bs[i / 8][(i % 8 ^ i / 8 % 8) * 8]) =
          *reinterpret_cast<const uint4 *>(&b[(n0 + i / 8) * k + k0 + i % 8 * 8]);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    multiply(d, as, bs);
    __syncthreads();
  }
  write(c, d, m0, n0, n);
}

/// Two blocks that differ in blockIdx.x have the columns in common.
__global__ void __launch_bounds__(THREADS, 2)
    by_two(half *__restrict__ c, const half *__restrict__ a, const half *__restrict__ b, int n,
           int k) {
  __shared__ __align__(1024) Tile as, bs;
  int m0 = (blockIdx.z * TOGETHER + blockIdx.x) * BM, n0 = blockIdx.y * BN;
  float d[64] = {};
#pragma tma pipeline stages(3) warp(producer)
  for (int k0 = 0; k0 < k; k0 += BK) {
#pragma tma load
    for (int i = threadIdx.x; i < BM * 8; i += THREADS)
      *reinterpret_cast<uint4 *>(&as[i / 8][(i % 8 ^ i / 8 % 8) * 8]) =
          *reinterpret_cast<const uint4 *>(&a[(m0 + i / 8) * k + k0 + i % 8 * 8]);
#pragma tma load multicast(x)
    for (int i = threadIdx.x; i < BN * 8; i += THREADS)
      *reinterpret_cast<uint4 *>(&bs[i / 8][(i % 8 ^ i / 8 % 8) * 8]) =
          *reinterpret_cast<const uint4 *>(&b[(n0 + i / 8) * k + k0 + i % 8 * 8]);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    multiply(d, as, bs);
    __syncthreads();
  }
  write(c, d, m0, n0, n);
}

/// And two that differ in blockIdx.y the rows.
__global__ void __launch_bounds__(THREADS, 2)
    by_four(half *__restrict__ c, const half *__restrict__ a, const half *__restrict__ b, int n,
            int k) {
  __shared__ __align__(1024) Tile as, bs;
  int m0 = (blockIdx.z * TOGETHER + blockIdx.x) * BM, n0 = blockIdx.y * BN;
  float d[64] = {};
#pragma tma pipeline stages(3) warp(producer)
  for (int k0 = 0; k0 < k; k0 += BK) {
#pragma tma load multicast(y)
    for (int i = threadIdx.x; i < BM * 8; i += THREADS)
      *reinterpret_cast<uint4 *>(&as[i / 8][(i % 8 ^ i / 8 % 8) * 8]) =
          *reinterpret_cast<const uint4 *>(&a[(m0 + i / 8) * k + k0 + i % 8 * 8]);
#pragma tma load multicast(x)
    for (int i = threadIdx.x; i < BN * 8; i += THREADS)
      *reinterpret_cast<uint4 *>(&bs[i / 8][(i % 8 ^ i / 8 % 8) * 8]) =
          *reinterpret_cast<const uint4 *>(&b[(n0 + i / 8) * k + k0 + i % 8 * 8]);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    multiply(d, as, bs);
    __syncthreads();
  }
  write(c, d, m0, n0, n);
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
  work("clusters-none", 3. * double(bytes), 2. * n * n * n);
  kernel("clusters-none", c, [&] { alone<<<blocks, THREADS>>>(out, left, right, n, n); });
  work("clusters-2", 3. * double(bytes), 2. * n * n * n);
  kernel("clusters-2", c, [&] { by_two<<<blocks, THREADS>>>(out, left, right, n, n); });
  work("clusters-2x2", 3. * double(bytes), 2. * n * n * n);
  kernel("clusters-2x2", c, [&] { by_four<<<blocks, THREADS>>>(out, left, right, n, n); });
}
