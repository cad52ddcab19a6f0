// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of matrices of halves by ldmatrix and mma.sync, with cp.async in K_STAGE stages, as
// libraries of HGEMM kernels have it: one dynamic array with the rows of A, then those of B, 32 + 8
// halves each; warps copy rows of their own by pointers that move; the results leave by way of
// the same memory. The second matrix has its columns in rows. Files define K_STAGE, and include
// this.

#ifndef TILELIFT_BENCH_FIELD_HGEMM_MMA_STAGES_CUH
#define TILELIFT_BENCH_FIELD_HGEMM_MMA_STAGES_CUH

#include "field.cuh"

#include <cuda_fp16.h>

#define MMA_M 16
#define MMA_N 8
#define MMA_K 16

#define BLOCK_ROWS 128
#define BLOCK_COLS 128
#define WARP_ROWS 64
#define WARP_COLS 32
#define BLOCK_ROW_WARPS 4 // BLOCK_COLS / WARP_COLS
#define WARPS_PER_BLOCK 8
#define THREADS_PER_BLOCK 256
#define WARP_SIZE 32

#define CHUNK_K 2                   // 32 / MMA_K
#define CHUNK_LINE_BYTES 64         // CHUNK_K * MMA_K * sizeof(half)
#define CHUNK_COPY_LINES_PER_WARP 8 // 32 lanes with 16 bytes each
#define CHUNK_COPY_LINE_LANES 4

#define SKEW_PADDING 8
#define AB_SMEM_STRIDE 40   // CHUNK_K * MMA_K + SKEW_PADDING
#define C_SMEM_STRIDE 136   // BLOCK_COLS + SKEW_PADDING
#define SMEM_STAGE_ROWS 256 // BLOCK_ROWS + BLOCK_COLS

#define LDMATRIX_X4(R0, R1, R2, R3, addr)                                                          \
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n"                \
               : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3)                                            \
               : "r"(addr))
#define HMMA16816(D, A, B0, B1)                                                                    \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "              \
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"                                   \
               : "+f"(D[0]), "+f"(D[1]), "+f"(D[2]), "+f"(D[3])                                    \
               : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B0), "r"(B1))
#define CP_ASYNC_CG(dst, src, Bytes)                                                               \
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n" ::"r"(dst), "l"(src),        \
               "n"(Bytes))
#define CP_ASYNC_COMMIT_GROUP() asm volatile("cp.async.commit_group;\n" ::)
#define CP_ASYNC_WAIT_GROUP(N) asm volatile("cp.async.wait_group %0;\n" ::"n"(N))

__global__ void fillHalves(half *x, size_t n, unsigned seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x) {
    unsigned h = (unsigned(i) + seed) * 2654435761u;
    x[i] = __float2half(float(h >> 20) / 4096.0f - 0.5f);
  }
}

__global__ void mmaAsyncStageKernel(const half *__restrict__ A, const half *__restrict__ B,
                                    half *__restrict__ C, size_t M, size_t N, size_t K) {
  const size_t K_tiles = K / MMA_K;
  const size_t block_row = blockIdx.y * BLOCK_ROWS;
  const size_t block_col = blockIdx.x * BLOCK_COLS;

  extern __shared__ half smem[][AB_SMEM_STRIDE];

  const size_t warp_id = threadIdx.x / WARP_SIZE;
  const size_t lane_id = threadIdx.x % WARP_SIZE;
  const size_t warp_row = warp_id / BLOCK_ROW_WARPS * WARP_ROWS;
  const size_t warp_col = warp_id % BLOCK_ROW_WARPS * WARP_COLS;
  constexpr size_t B_smem_idx_off = BLOCK_ROWS;

  const half *A_warp_ptr = &A[block_row * K] + BLOCK_ROWS / WARPS_PER_BLOCK * K * warp_id;
  const half *B_warp_ptr = &B[block_col * K] + BLOCK_COLS / WARPS_PER_BLOCK * K * warp_id;
  constexpr size_t A_smem_iters = BLOCK_ROWS / (CHUNK_COPY_LINES_PER_WARP * WARPS_PER_BLOCK);
  constexpr size_t B_smem_iters = BLOCK_COLS / (CHUNK_COPY_LINES_PER_WARP * WARPS_PER_BLOCK);

  float RC[WARP_ROWS / MMA_M][WARP_COLS / MMA_N][4] = {};

  size_t smem_store_idx = 0, smem_load_idx = 0;
  size_t smem_store_off = 0, smem_load_off = 0;

#pragma unroll
  for (size_t stage = 0; stage < K_STAGE - 1; ++stage) {
    smem_store_off = stage * SMEM_STAGE_ROWS;
    const size_t tile_k = stage * CHUNK_K;

    size_t A_smem_idx = smem_store_off + BLOCK_ROWS / WARPS_PER_BLOCK * warp_id;
    const int4 *A_lane_ptr =
        (const int4 *)(A_warp_ptr + tile_k * MMA_K + (lane_id / CHUNK_COPY_LINE_LANES) * K) +
        (lane_id % CHUNK_COPY_LINE_LANES);
    A_smem_idx += lane_id / CHUNK_COPY_LINE_LANES;
#pragma tma load fallback(loop)
#pragma unroll
    for (size_t i = 0; i < A_smem_iters; ++i) {
      uint32_t A_smem_lane_addr =
          __cvta_generic_to_shared(&smem[A_smem_idx][0]) + (lane_id % CHUNK_COPY_LINE_LANES) * 16;
      CP_ASYNC_CG(A_smem_lane_addr, A_lane_ptr, 16);
      A_lane_ptr = (const int4 *)((const half *)A_lane_ptr + CHUNK_COPY_LINES_PER_WARP * K);
      A_smem_idx += CHUNK_COPY_LINES_PER_WARP;
    }

    size_t B_smem_idx = smem_store_off + B_smem_idx_off + BLOCK_COLS / WARPS_PER_BLOCK * warp_id;
    const int4 *B_lane_ptr =
        (const int4 *)(B_warp_ptr + tile_k * MMA_K + (lane_id / CHUNK_COPY_LINE_LANES) * K) +
        (lane_id % CHUNK_COPY_LINE_LANES);
    B_smem_idx += lane_id / CHUNK_COPY_LINE_LANES;
#pragma tma load fallback(loop)
#pragma unroll
    for (size_t i = 0; i < B_smem_iters; ++i) {
      uint32_t B_smem_lane_addr =
          __cvta_generic_to_shared(&smem[B_smem_idx][0]) + (lane_id % CHUNK_COPY_LINE_LANES) * 16;
      CP_ASYNC_CG(B_smem_lane_addr, B_lane_ptr, 16);
      B_lane_ptr = (const int4 *)((const half *)B_lane_ptr + CHUNK_COPY_LINES_PER_WARP * K);
      B_smem_idx += CHUNK_COPY_LINES_PER_WARP;
    }
    CP_ASYNC_COMMIT_GROUP();
  }
  smem_store_idx = K_STAGE - 2;

  for (size_t tile_k = 0; tile_k < K_tiles; tile_k += CHUNK_K) {
    CP_ASYNC_WAIT_GROUP(K_STAGE - 2);
    __syncthreads();

    const size_t next_k = tile_k + CHUNK_K * (K_STAGE - 1);
    if (next_k < K_tiles) {
      smem_store_idx = (smem_store_idx + 1) % K_STAGE;
      smem_store_off = smem_store_idx * SMEM_STAGE_ROWS;

      size_t A_smem_idx = smem_store_off + BLOCK_ROWS / WARPS_PER_BLOCK * warp_id;
      const int4 *A_lane_ptr =
          (const int4 *)(A_warp_ptr + next_k * MMA_K + (lane_id / CHUNK_COPY_LINE_LANES) * K) +
          (lane_id % CHUNK_COPY_LINE_LANES);
      A_smem_idx += lane_id / CHUNK_COPY_LINE_LANES;
#pragma tma load fallback(loop)
#pragma unroll
      for (size_t i = 0; i < A_smem_iters; ++i) {
        uint32_t A_smem_lane_addr =
            __cvta_generic_to_shared(&smem[A_smem_idx][0]) + (lane_id % CHUNK_COPY_LINE_LANES) * 16;
        CP_ASYNC_CG(A_smem_lane_addr, A_lane_ptr, 16);
        A_lane_ptr = (const int4 *)((const half *)A_lane_ptr + CHUNK_COPY_LINES_PER_WARP * K);
        A_smem_idx += CHUNK_COPY_LINES_PER_WARP;
      }

      size_t B_smem_idx = smem_store_off + B_smem_idx_off + BLOCK_COLS / WARPS_PER_BLOCK * warp_id;
      const int4 *B_lane_ptr =
          (const int4 *)(B_warp_ptr + next_k * MMA_K + (lane_id / CHUNK_COPY_LINE_LANES) * K) +
          (lane_id % CHUNK_COPY_LINE_LANES);
      B_smem_idx += lane_id / CHUNK_COPY_LINE_LANES;
#pragma tma load fallback(loop)
#pragma unroll
      for (size_t i = 0; i < B_smem_iters; ++i) {
        uint32_t B_smem_lane_addr =
            __cvta_generic_to_shared(&smem[B_smem_idx][0]) + (lane_id % CHUNK_COPY_LINE_LANES) * 16;
        CP_ASYNC_CG(B_smem_lane_addr, B_lane_ptr, 16);
        B_lane_ptr = (const int4 *)((const half *)B_lane_ptr + CHUNK_COPY_LINES_PER_WARP * K);
        B_smem_idx += CHUNK_COPY_LINES_PER_WARP;
      }
    }
    CP_ASYNC_COMMIT_GROUP();

    smem_load_off = smem_load_idx * SMEM_STAGE_ROWS;
#pragma unroll
    for (size_t k_step = 0; k_step < CHUNK_K; ++k_step) {
      uint32_t RA[WARP_ROWS / MMA_M][4];
      uint32_t RB[WARP_COLS / MMA_N][2];
#pragma unroll
      for (size_t i = 0; i < WARP_ROWS / MMA_M; ++i) {
        uint32_t addr =
            __cvta_generic_to_shared(&smem[smem_load_off + warp_row + i * MMA_M + lane_id % 16]
                                          [k_step * MMA_K + (lane_id / 16) * 8]);
        LDMATRIX_X4(RA[i][0], RA[i][1], RA[i][2], RA[i][3], addr);
      }
#pragma unroll
      for (size_t j = 0; j < WARP_COLS / MMA_N; j += 2) {
        uint32_t addr = __cvta_generic_to_shared(
            &smem[smem_load_off + B_smem_idx_off + warp_col + j * MMA_N + lane_id / 16 * 8 +
                  lane_id % 8][k_step * MMA_K + (lane_id / 8 % 2) * 8]);
        LDMATRIX_X4(RB[j][0], RB[j][1], RB[j + 1][0], RB[j + 1][1], addr);
      }
#pragma unroll
      for (size_t i = 0; i < WARP_ROWS / MMA_M; ++i)
#pragma unroll
        for (size_t j = 0; j < WARP_COLS / MMA_N; ++j)
          HMMA16816(RC[i][j], RA[i], RB[j][0], RB[j][1]);
    }
    smem_load_idx = (smem_load_idx + 1) % K_STAGE;
  }
  __syncthreads();

  half *smem_c = &smem[0][0];
#pragma unroll
  for (size_t i = 0; i < WARP_ROWS / MMA_M; ++i) {
#pragma unroll
    for (size_t j = 0; j < WARP_COLS / MMA_N; ++j) {
      half *out = smem_c + (warp_row + i * MMA_M + lane_id / 4) * C_SMEM_STRIDE + warp_col +
                  j * MMA_N + lane_id % 4 * 2;
      *(half2 *)out = __floats2half2_rn(RC[i][j][0], RC[i][j][1]);
      *(half2 *)(out + 8 * C_SMEM_STRIDE) = __floats2half2_rn(RC[i][j][2], RC[i][j][3]);
    }
  }
  __syncthreads();

#pragma tma store fallback(loop)
#pragma unroll
  for (size_t i = 0; i < BLOCK_ROWS / 16; ++i) {
    size_t row = i * 16 + threadIdx.x / 16, part = threadIdx.x % 16;
    *((int4 *)(C + (block_row + row) * N + block_col) + part) =
        *((int4 *)(smem_c + row * C_SMEM_STRIDE) + part);
  }
}

inline void mmaAsyncStage(const char *name) {
  const int m = field::pick(4096, 256), n = field::pick(4096, 128), k = field::pick(4096, 192);
  Buffer a(size_t(m) * k * 2, 1), b(size_t(k) * n * 2, 2), c(size_t(m) * n * 2, 3);
  fillHalves<<<field::pick(256, 2), 256>>>(a.as<half>(), size_t(m) * k, 1);
  fillHalves<<<field::pick(256, 2), 256>>>(b.as<half>(), size_t(k) * n, 2);
  const size_t smem_size = K_STAGE * SMEM_STAGE_ROWS * AB_SMEM_STRIDE * sizeof(half);
  CHECK(cudaFuncSetAttribute(mmaAsyncStageKernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             smem_size));
  field::measure(name, c, [&] {
    dim3 block(THREADS_PER_BLOCK), grid(n / BLOCK_COLS, m / BLOCK_ROWS);
    mmaAsyncStageKernel<<<grid, block, smem_size>>>(a.as<half>(), b.as<half>(), c.as<half>(), m, n,
                                                    k);
  });
}

#endif
