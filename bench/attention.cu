// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention forward, heads of 64 halves: a block has 128 queries, and keys and values come
// by 64 rows at a time, swizzled as ldmatrix likes them.

#include "bench.cuh"
#include "by_hand.cuh"
#include "tensor_cores.cuh"

constexpr int D = 64, QUERIES = 128, KEYS = 64, THREADS = 256;
using Keys = half[KEYS][D];

__device__ inline unsigned pair(float low, float high) {
  half2 both = __floats2half2_rn(low, high);
  return *reinterpret_cast<unsigned *>(&both);
}

/// A warp's 16 queries: their sums so far, and what the softmax is relative to.
struct Sums {
  unsigned query[4][4];
  float value[8][4] = {}, most[2] = {-1e30f, -1e30f}, total[2] = {};
};

template <int Rows> __device__ inline void take_queries(Sums &sums, const half (&qs)[Rows][D]) {
  int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane % 16;
  for (int i = 0; i < 4; ++i)
    four_matrices(sums.query[i], at(qs, row, i * 2 + lane / 16));
}

/// One tile of keys and values for a warp.
__device__ inline void attend(Sums &sums, const Keys &ks, const Keys &vs, float scale) {
  int lane = threadIdx.x % 32;
  float score[8][4] = {};
#pragma unroll
  for (int j = 0; j < 8; j += 2)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      unsigned key[4];
      four_matrices(key, at(ks, j * 8 + lane / 16 * 8 + lane % 8, i * 2 + lane / 8 % 2));
      multiply(score[j], sums.query[i], key[0], key[1]);
      multiply(score[j + 1], sums.query[i], key[2], key[3]);
    }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    float most = sums.most[r];
#pragma unroll
    for (int j = 0; j < 8; ++j)
      most = fmaxf(most, fmaxf(score[j][r * 2], score[j][r * 2 + 1]) * scale);
    most = fmaxf(most, __shfl_xor_sync(~0u, most, 1));
    most = fmaxf(most, __shfl_xor_sync(~0u, most, 2));
    float shrink = exp2f(sums.most[r] - most);
    sums.most[r] = most;
    sums.total[r] *= shrink;
#pragma unroll
    for (int j = 0; j < 8; ++j)
#pragma unroll
      for (int c = r * 2; c < r * 2 + 2; ++c) {
        score[j][c] = exp2f(score[j][c] * scale - most);
        sums.total[r] += score[j][c];
        sums.value[j][c] *= shrink;
      }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const unsigned weight[4] = {pair(score[2 * i][0], score[2 * i][1]),
                                pair(score[2 * i][2], score[2 * i][3]),
                                pair(score[2 * i + 1][0], score[2 * i + 1][1]),
                                pair(score[2 * i + 1][2], score[2 * i + 1][3])};
#pragma unroll
    for (int j = 0; j < 8; j += 2) {
      unsigned value[4];
      four_transposed(value, at(vs, i * 16 + lane % 16, j + lane / 16));
      multiply(sums.value[j], weight, value[0], value[1]);
      multiply(sums.value[j + 1], weight, value[2], value[3]);
    }
  }
}

__device__ inline void write(half *out, const Sums &sums, int first) {
  int lane = threadIdx.x % 32, row = first + threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    float total = sums.total[r];
    total += __shfl_xor_sync(~0u, total, 1);
    total += __shfl_xor_sync(~0u, total, 2);
#pragma unroll
    for (int j = 0; j < 8; ++j)
      *reinterpret_cast<half2 *>(&out[(row + r * 8) * D + j * 8 + lane % 4 * 2]) =
          __floats2half2_rn(sums.value[j][r * 2] / total, sums.value[j][r * 2 + 1] / total);
  }
}

/// Rows of all heads follow each other, `length` for each head.
__global__ void __launch_bounds__(THREADS)
    attention(half *__restrict__ out, const half *__restrict__ q, const half *__restrict__ k,
              const half *__restrict__ v, int length, float scale) {
  __shared__ __align__(1024) half qs[QUERIES][D], ks[KEYS][D], vs[KEYS][D];
  int first = blockIdx.y * length + blockIdx.x * QUERIES;
#pragma tma load
  for (int i = threadIdx.x; i < QUERIES * 8; i += THREADS)
    *reinterpret_cast<uint4 *>(&qs[i / 8][(i % 8 ^ i / 8 % 8) * 8]) =
        *reinterpret_cast<const uint4 *>(&q[(first + i / 8) * D + i % 8 * 8]);
  __syncthreads();
  Sums sums;
  take_queries(sums, qs);
#pragma tma pipeline stages(3)
  for (int n = 0; n < length; n += KEYS) {
#pragma tma load
    for (int i = threadIdx.x; i < KEYS * 8; i += THREADS)
      *reinterpret_cast<uint4 *>(&ks[i / 8][(i % 8 ^ i / 8 % 8) * 8]) =
          *reinterpret_cast<const uint4 *>(&k[(blockIdx.y * length + n + i / 8) * D + i % 8 * 8]);
#pragma tma load
    for (int i = threadIdx.x; i < KEYS * 8; i += THREADS)
      *reinterpret_cast<uint4 *>(&vs[i / 8][(i % 8 ^ i / 8 % 8) * 8]) =
          *reinterpret_cast<const uint4 *>(&v[(blockIdx.y * length + n + i / 8) * D + i % 8 * 8]);
    __syncthreads();
    attend(sums, ks, vs, scale);
    __syncthreads();
  }
  write(out, sums, first);
}

constexpr int STAGES = 3;

__global__ void __launch_bounds__(THREADS)
    attention_by_hand(half *__restrict__ out, const __grid_constant__ CUtensorMap q,
                      const __grid_constant__ CUtensorMap k, const __grid_constant__ CUtensorMap v,
                      int length, float scale) {
  extern __shared__ __align__(1024) unsigned char memory[];
  auto &qs = *reinterpret_cast<half(*)[QUERIES][D]>(memory);
  auto ks = reinterpret_cast<Keys *>(&qs + 1), vs = ks + STAGES;
  __shared__ uint64_t full[STAGES], ready;
  int first = blockIdx.y * length + blockIdx.x * QUERIES, rounds = length / KEYS;
  auto issue = [&](int round) {
    int stage = round % STAGES, row = blockIdx.y * length + round * KEYS;
    by_hand::expect(full[stage], 2 * sizeof(Keys));
    by_hand::load(&ks[stage], k, {0, row}, full[stage]);
    by_hand::load(&vs[stage], v, {0, row}, full[stage]);
  };
  if (threadIdx.x == 0) {
    for (uint64_t &each : full)
      by_hand::init(each);
    by_hand::init(ready);
    by_hand::expect(ready, sizeof(qs));
    by_hand::load(&qs, q, {0, first}, ready);
    for (int round = 0; round < STAGES - 1 && round < rounds; ++round)
      issue(round);
  }
  __syncthreads();
  by_hand::wait(ready, 0);
  Sums sums;
  take_queries(sums, qs);
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0 && round + STAGES - 1 < rounds)
      issue(round + STAGES - 1);
    by_hand::wait(full[round % STAGES], round / STAGES % 2);
    attend(sums, ks[round % STAGES], vs[round % STAGES], scale);
    __syncthreads();
  }
  write(out, sums, first);
}

int main() {
  int heads = 64, length = 4096, rows = heads * length;
  size_t bytes = size_t(rows) * D * sizeof(half);
  Buffer q(bytes, 1), k(bytes, 2), v(bytes, 3), out(bytes, 4);
  std::vector<half> numbers(size_t(rows) * D);
  for (const Buffer *buffer : {&q, &k, &v}) {
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = __float2half(float(i * 2654435761u >> 13 & 2047) / 1024.f - 1.f);
    CHECK(cudaMemcpy(buffer->as<half>(), numbers.data(), bytes, cudaMemcpyHostToDevice));
  }
  dim3 grid(length / QUERIES, heads);
  float scale = 1.4426950408889634f / 8;
  work("attention", 4. * double(bytes), 4. * rows * length * D);
  kernel("attention", out, [&] {
    attention<<<grid, THREADS>>>(out.as<half>(), q.as<half>(), k.as<half>(), v.as<half>(), length,
                                 scale);
  });
  int memory = QUERIES * D * 2 + 2 * STAGES * sizeof(Keys);
  CHECK(
      cudaFuncSetAttribute(attention_by_hand, cudaFuncAttributeMaxDynamicSharedMemorySize, memory));
  other("attention", "by-hand", out, [&] {
    auto map = [&](const Buffer &tensor, int box) {
      return by_hand::map_of(tensor.as<half>(), {D, rows}, {D, box}, CU_TENSOR_MAP_SWIZZLE_128B);
    };
    CUtensorMap queries = map(q, QUERIES), keys = map(k, KEYS), values = map(v, KEYS);
    attention_by_hand<<<grid, THREADS, memory>>>(out.as<half>(), queries, keys, values, length,
                                                 scale);
  });
}
