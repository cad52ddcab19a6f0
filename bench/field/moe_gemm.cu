// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of a mixture of experts: tokens are sorted by expert and padded to whole blocks, a
// block's rows of A are looked up by the sorted list, and its expert says whose weights it takes.
// With cp.async in three stages, where each thread keeps the address of its row; and with plain
// vector loads in one stage, where the block's rows are listed in shared memory.

#include "field.cuh"

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

#define CP_ASYNC_ZFILL(dst, src, bytes)                                                            \
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(dst), "l"(src), "r"(bytes))
#define CP_ASYNC_16(dst, src)                                                                      \
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(dst), "l"(src))
#define CP_ASYNC_COMMIT() asm volatile("cp.async.commit_group;\n" ::: "memory")
#define CP_ASYNC_WAIT(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n) : "memory")

constexpr int BLOCK_M = 64, BLOCK_N = 128, BLOCK_K = 32, PAD = 8, STAGES = 3, THREADS = 256;

__global__ void fillHalves(half *x, size_t n, unsigned seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x) {
    unsigned h = (unsigned(i) + seed) * 2654435761u;
    x[i] = __float2half(float(h >> 20) / 4096.0f - 0.5f);
  }
}

typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> FragC;

__device__ __forceinline__ void mmaTile(FragC (&acc)[2][2], const half (*sA)[BLOCK_K + PAD],
                                        const half (*sB)[BLOCK_K + PAD], int warpM, int warpN) {
#pragma unroll
  for (int kk = 0; kk < BLOCK_K; kk += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      wmma::load_matrix_sync(a[i], &sA[warpM + i * 16][kk], BLOCK_K + PAD);
      wmma::load_matrix_sync(b[i], &sB[warpN + i * 16][kk], BLOCK_K + PAD);
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j)
        wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
  }
}

__global__ void __launch_bounds__(THREADS)
    fused_moe_stages(const half *__restrict__ A, const half *__restrict__ B, float *__restrict__ C,
                     const int *__restrict__ sorted_token_ids, const int *__restrict__ expert_ids,
                     int num_valid_tokens, int top_k, int N, int K) {
  __shared__ half sA[STAGES][BLOCK_M][BLOCK_K + PAD];
  __shared__ half sB[STAGES][BLOCK_N][BLOCK_K + PAD];
  const int tid = threadIdx.x, warp = tid / 32;
  const int warpM = warp / 4 * 32, warpN = warp % 4 * 32;
  const int row = tid / 4, col = tid % 4 * 8;

  const int token = sorted_token_ids[blockIdx.y * BLOCK_M + row];
  const int bytes = token < num_valid_tokens ? 16 : 0;
  const half *a_ptr = A + (bytes ? size_t(token / top_k) * K : 0) + col;
  const int expert = expert_ids[blockIdx.y];
  const half *b_ptr = B + (size_t(expert) * N + blockIdx.x * BLOCK_N) * K;

  FragC acc[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::fill_fragment(acc[i][j], 0.0f);

  const int num_k = K / BLOCK_K;
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
#pragma tma load fallback(loop)
    CP_ASYNC_ZFILL(unsigned(__cvta_generic_to_shared(&sA[s][row][col])), a_ptr + s * BLOCK_K,
                   bytes);
#pragma tma load fallback(loop)
    for (int r = row; r < BLOCK_N; r += THREADS / 4)
      CP_ASYNC_16(unsigned(__cvta_generic_to_shared(&sB[s][r][col])),
                  b_ptr + r * K + s * BLOCK_K + col);
    CP_ASYNC_COMMIT();
  }

  for (int kt = 0; kt < num_k; ++kt) {
    CP_ASYNC_WAIT(STAGES - 2);
    __syncthreads();
    const int next = kt + STAGES - 1;
    if (next < num_k) {
      const int s = next % STAGES;
#pragma tma load fallback(loop)
      CP_ASYNC_ZFILL(unsigned(__cvta_generic_to_shared(&sA[s][row][col])), a_ptr + next * BLOCK_K,
                     bytes);
#pragma tma load fallback(loop)
      for (int r = row; r < BLOCK_N; r += THREADS / 4)
        CP_ASYNC_16(unsigned(__cvta_generic_to_shared(&sB[s][r][col])),
                    b_ptr + r * K + next * BLOCK_K + col);
    }
    CP_ASYNC_COMMIT();
    mmaTile(acc, sA[kt % STAGES], sB[kt % STAGES], warpM, warpN);
  }

  // The padded rows of the block go nowhere, so results pass through shared memory in four parts.
  CP_ASYNC_WAIT(0);
  __syncthreads();
  float *sC = reinterpret_cast<float *>(&sA[0][0][0]);
  for (int part = 0; part < 4; ++part) {
    if (warp % 4 == part)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          wmma::store_matrix_sync(sC + (warpM + i * 16) * 36 + j * 16, acc[i][j], 36,
                                  wmma::mem_row_major);
    __syncthreads();
#pragma tma store fallback(loop)
    for (int i = tid; i < BLOCK_M * 32; i += THREADS) {
      const int to = sorted_token_ids[blockIdx.y * BLOCK_M + i / 32];
      if (to < num_valid_tokens)
        C[size_t(to) * N + blockIdx.x * BLOCK_N + part * 32 + i % 32] = sC[i / 32 * 36 + i % 32];
    }
    __syncthreads();
  }
}

__global__ void __launch_bounds__(THREADS)
    moe_gemm_gathered(const half *__restrict__ hidden, const half *__restrict__ weights,
                      float *__restrict__ out, const int *__restrict__ sorted_ids,
                      const int *__restrict__ expert_of_block, int num_slots, int top_k, int N,
                      int K) {
  __shared__ half As[BLOCK_M][BLOCK_K + PAD];
  __shared__ half Bs[BLOCK_N][BLOCK_K + PAD];
  __shared__ int rows[BLOCK_M];
  const int tid = threadIdx.x, warp = tid / 32;
  const int warpM = warp / 4 * 32, warpN = warp % 4 * 32;
  if (tid < BLOCK_M) {
    const int slot = sorted_ids[blockIdx.y * BLOCK_M + tid];
    rows[tid] = slot < num_slots ? slot / top_k : -1;
  }
  __syncthreads();
  const half *w =
      weights + size_t(expert_of_block[blockIdx.y]) * N * K + size_t(blockIdx.x) * BLOCK_N * K;

  FragC acc[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::fill_fragment(acc[i][j], 0.0f);
  for (int k0 = 0; k0 < K; k0 += BLOCK_K) {
#pragma tma load fallback(loop)
    for (int i = tid; i < BLOCK_M * BLOCK_K / 8; i += THREADS) {
      const int r = i / (BLOCK_K / 8), c = i % (BLOCK_K / 8) * 8;
      uint4 v = make_uint4(0, 0, 0, 0);
      if (rows[r] >= 0)
        v = *reinterpret_cast<const uint4 *>(hidden + size_t(rows[r]) * K + k0 + c);
      *reinterpret_cast<uint4 *>(&As[r][c]) = v;
    }
#pragma tma load fallback(loop)
    for (int i = tid; i < BLOCK_N * BLOCK_K / 8; i += THREADS) {
      const int r = i / (BLOCK_K / 8), c = i % (BLOCK_K / 8) * 8;
      *reinterpret_cast<uint4 *>(&Bs[r][c]) = *reinterpret_cast<const uint4 *>(w + r * K + k0 + c);
    }
    __syncthreads();
    mmaTile(acc, As, Bs, warpM, warpN);
    __syncthreads();
  }
  // Rows of the sorted order, padded ones among them, which another kernel puts in place.
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(out + size_t(blockIdx.y * BLOCK_M + warpM + i * 16) * N +
                                  blockIdx.x * BLOCK_N + warpN + j * 16,
                              acc[i][j], N, wmma::mem_row_major);
}

int main() {
  const int tokens = field::pick(2048, 100), top_k = 2, experts = field::pick(8, 3);
  const int N = field::pick(4096, 128), K = field::pick(2048, 160), slots = tokens * top_k;

  // What moe_align_block_size makes: slots by expert, each expert's padded to whole blocks.
  std::vector<std::vector<int>> of(experts);
  for (int t = 0; t < tokens; ++t) {
    const int first = int(unsigned(t) * 2654435761u >> 8) % experts;
    of[first].push_back(t * top_k);
    of[(first + 1 + t % (experts - 1)) % experts].push_back(t * top_k + 1);
  }
  std::vector<int> sorted, expert_ids;
  for (int e = 0; e < experts; ++e) {
    sorted.insert(sorted.end(), of[e].begin(), of[e].end());
    while (sorted.size() % BLOCK_M)
      sorted.push_back(slots);
    expert_ids.resize(sorted.size() / BLOCK_M, e);
  }
  const int blocks = int(expert_ids.size());
  Buffer ids(sorted.size() * 4, 1), owner(expert_ids.size() * 4, 2);
  CHECK(cudaMemcpy(ids.as<int>(), sorted.data(), sorted.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(owner.as<int>(), expert_ids.data(), expert_ids.size() * 4,
                   cudaMemcpyHostToDevice));

  Buffer a(size_t(tokens) * K * 2, 3), b(size_t(experts) * N * K * 2, 4);
  Buffer c(size_t(slots) * N * 4, 5), d(sorted.size() * N * 4, 6);
  fillHalves<<<field::pick(256, 2), 256>>>(a.as<half>(), size_t(tokens) * K, 1);
  fillHalves<<<field::pick(256, 2), 256>>>(b.as<half>(), size_t(experts) * N * K, 2);
  dim3 grid(N / BLOCK_N, blocks);
  field::measure("moe-three-stages", c, [&] {
    fused_moe_stages<<<grid, THREADS>>>(a.as<half>(), b.as<half>(), c.as<float>(), ids.as<int>(),
                                        owner.as<int>(), slots, top_k, N, K);
  });
  field::measure("moe-gathered", d, [&] {
    moe_gemm_gathered<<<grid, THREADS>>>(a.as<half>(), b.as<half>(), d.as<float>(), ids.as<int>(),
                                         owner.as<int>(), slots, top_k, N, K);
  });
}
