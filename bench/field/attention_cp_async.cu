// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FlashAttention's forward pass by hand for tensor cores: halves, cp.async of 16 bytes for each
// thread, rows of shared memory that are 8 halves longer than needed, K and V of the next step on
// their way while the current one is used, ldmatrix and mma.

#include "field.cuh"

#include <cmath>
#include <cuda_fp16.h>

#define HEAD_DIM 64
#define BLOCK_Q 64
#define BLOCK_KV 64
#define NUM_WARPS 4
#define PAD 8
#define LDS (HEAD_DIM + PAD)

#define CP_ASYNC_CG(dst, src)                                                                      \
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(dst), "l"(src))
#define CP_ASYNC_COMMIT_GROUP() asm volatile("cp.async.commit_group;\n" ::)
#define CP_ASYNC_WAIT_GROUP(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n))
#define LDMATRIX_X4(R0, R1, R2, R3, addr)                                                          \
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n"                \
               : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3)                                            \
               : "r"(addr))
#define LDMATRIX_X2(R0, R1, addr)                                                                  \
  asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0, %1}, [%2];\n"                        \
               : "=r"(R0), "=r"(R1)                                                                \
               : "r"(addr))
#define LDMATRIX_X2_T(R0, R1, addr)                                                                \
  asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];\n"                  \
               : "=r"(R0), "=r"(R1)                                                                \
               : "r"(addr))

__device__ __forceinline__ void mma_m16n8k16(float (&d)[4], const uint32_t (&a)[4],
                                             const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ uint32_t pack_half2(float x, float y) {
  __half2 h = __floats2half2_rn(x, y);
  return *reinterpret_cast<uint32_t *>(&h);
}

__global__ void __launch_bounds__(NUM_WARPS * 32)
    flash_attn_cp_async_kernel(const half *__restrict__ Q, const half *__restrict__ K,
                               const half *__restrict__ V, half *__restrict__ O, int seq_len,
                               float scale) {
  extern __shared__ half smem[];
  half *sQ = smem;
  half *sK = sQ + BLOCK_Q * LDS;
  half *sV = sK + 2 * BLOCK_KV * LDS;

  const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
  const int q0 = blockIdx.x * BLOCK_Q;
  const size_t head = (size_t)blockIdx.y * seq_len * HEAD_DIM;
  const half *gQ = Q + head + (size_t)q0 * HEAD_DIM;
  const half *gK = K + head;
  const half *gV = V + head;

  // 8 threads for a row of 64 halves, 16 rows at once
  const int load_row = tid / (HEAD_DIM / 8), load_col = tid % (HEAD_DIM / 8) * 8;
  const uint32_t sQ_base = __cvta_generic_to_shared(sQ);
  const uint32_t sK_base = __cvta_generic_to_shared(sK);
  const uint32_t sV_base = __cvta_generic_to_shared(sV);

#pragma tma load
#pragma unroll
  for (int r = 0; r < BLOCK_Q; r += 16) {
    CP_ASYNC_CG(sQ_base + ((load_row + r) * LDS + load_col) * (int)sizeof(half),
                gQ + (load_row + r) * HEAD_DIM + load_col);
  }
#pragma tma load
#pragma unroll
  for (int r = 0; r < BLOCK_KV; r += 16) {
    CP_ASYNC_CG(sK_base + ((load_row + r) * LDS + load_col) * (int)sizeof(half),
                gK + (load_row + r) * HEAD_DIM + load_col);
    CP_ASYNC_CG(sV_base + ((load_row + r) * LDS + load_col) * (int)sizeof(half),
                gV + (load_row + r) * HEAD_DIM + load_col);
  }
  CP_ASYNC_COMMIT_GROUP();
  CP_ASYNC_WAIT_GROUP(0);
  __syncthreads();

  uint32_t rQ[HEAD_DIM / 16][4];
#pragma unroll
  for (int k = 0; k < HEAD_DIM / 16; k++) {
    uint32_t addr =
        sQ_base + ((warp * 16 + lane % 16) * LDS + k * 16 + lane / 16 * 8) * (int)sizeof(half);
    LDMATRIX_X4(rQ[k][0], rQ[k][1], rQ[k][2], rQ[k][3], addr);
  }

  float rO[HEAD_DIM / 8][4] = {};
  float row_max[2] = {-INFINITY, -INFINITY}, row_sum[2] = {0.f, 0.f};
  const int tiles = seq_len / BLOCK_KV;

  for (int t = 0; t < tiles; t++) {
    const int cur = t & 1, nxt = cur ^ 1;
    if (t + 1 < tiles) {
      const half *nK = gK + (size_t)(t + 1) * BLOCK_KV * HEAD_DIM;
      const half *nV = gV + (size_t)(t + 1) * BLOCK_KV * HEAD_DIM;
#pragma tma load
#pragma unroll
      for (int r = 0; r < BLOCK_KV; r += 16) {
        CP_ASYNC_CG(sK_base +
                        ((nxt * BLOCK_KV + load_row + r) * LDS + load_col) * (int)sizeof(half),
                    nK + (load_row + r) * HEAD_DIM + load_col);
        CP_ASYNC_CG(sV_base +
                        ((nxt * BLOCK_KV + load_row + r) * LDS + load_col) * (int)sizeof(half),
                    nV + (load_row + r) * HEAD_DIM + load_col);
      }
      CP_ASYNC_COMMIT_GROUP();
    }

    float rS[BLOCK_KV / 8][4] = {};
#pragma unroll
    for (int n = 0; n < BLOCK_KV / 8; n++) {
#pragma unroll
      for (int k = 0; k < HEAD_DIM / 16; k++) {
        uint32_t rK[2];
        uint32_t addr =
            sK_base + ((cur * BLOCK_KV + n * 8 + lane % 8) * LDS + k * 16 + (lane / 8) % 2 * 8) *
                          (int)sizeof(half);
        LDMATRIX_X2(rK[0], rK[1], addr);
        mma_m16n8k16(rS[n], rQ[k], rK);
      }
    }

    // online softmax: a thread has two rows, four threads have a row together
#pragma unroll
    for (int i = 0; i < 2; i++) {
      float m_new = row_max[i];
#pragma unroll
      for (int n = 0; n < BLOCK_KV / 8; n++) {
        rS[n][2 * i] *= scale, rS[n][2 * i + 1] *= scale;
        m_new = fmaxf(m_new, fmaxf(rS[n][2 * i], rS[n][2 * i + 1]));
      }
      m_new = fmaxf(m_new, __shfl_xor_sync(0xffffffff, m_new, 1));
      m_new = fmaxf(m_new, __shfl_xor_sync(0xffffffff, m_new, 2));
      const float rescale = __expf(row_max[i] - m_new);
      float sum = 0.f;
#pragma unroll
      for (int n = 0; n < BLOCK_KV / 8; n++) {
        rS[n][2 * i] = __expf(rS[n][2 * i] - m_new);
        rS[n][2 * i + 1] = __expf(rS[n][2 * i + 1] - m_new);
        sum += rS[n][2 * i] + rS[n][2 * i + 1];
      }
      sum += __shfl_xor_sync(0xffffffff, sum, 1);
      sum += __shfl_xor_sync(0xffffffff, sum, 2);
      row_sum[i] = row_sum[i] * rescale + sum;
      row_max[i] = m_new;
#pragma unroll
      for (int n = 0; n < HEAD_DIM / 8; n++)
        rO[n][2 * i] *= rescale, rO[n][2 * i + 1] *= rescale;
    }

#pragma unroll
    for (int k = 0; k < BLOCK_KV / 16; k++) {
      uint32_t rP[4] = {pack_half2(rS[2 * k][0], rS[2 * k][1]),
                        pack_half2(rS[2 * k][2], rS[2 * k][3]),
                        pack_half2(rS[2 * k + 1][0], rS[2 * k + 1][1]),
                        pack_half2(rS[2 * k + 1][2], rS[2 * k + 1][3])};
#pragma unroll
      for (int n = 0; n < HEAD_DIM / 8; n++) {
        uint32_t rV[2];
        uint32_t addr =
            sV_base + ((cur * BLOCK_KV + k * 16 + lane % 16) * LDS + n * 8) * (int)sizeof(half);
        LDMATRIX_X2_T(rV[0], rV[1], addr);
        mma_m16n8k16(rO[n], rP, rV);
      }
    }
    CP_ASYNC_WAIT_GROUP(0);
    __syncthreads();
  }

  // collect O in the memory of Q, and write 16 bytes a thread
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const float inv = 1.f / row_sum[i];
#pragma unroll
    for (int n = 0; n < HEAD_DIM / 8; n++)
      *reinterpret_cast<half2 *>(&sQ[(warp * 16 + lane / 4 + i * 8) * LDS + n * 8 + lane % 4 * 2]) =
          __floats2half2_rn(rO[n][2 * i] * inv, rO[n][2 * i + 1] * inv);
  }
  __syncthreads();
  half *gO = O + head + (size_t)q0 * HEAD_DIM;
#pragma tma store
  for (int r = 0; r < BLOCK_Q; r += 16) {
    *reinterpret_cast<float4 *>(&gO[(load_row + r) * HEAD_DIM + load_col]) =
        *reinterpret_cast<float4 *>(&sQ[(load_row + r) * LDS + load_col]);
  }
}

__global__ void fill_half(half *p, size_t n, float scale) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x)
    p[i] = __float2half(scale * (float((i * 2654435761u >> 7) % 1000) * 0.002f - 1.0f));
}

int main() {
  const int heads = field::pick(64, 2), seq_len = field::pick(4096, 192);
  const size_t count = size_t(heads) * seq_len * HEAD_DIM;
  Buffer q(count * 2, 1), k(count * 2, 2), v(count * 2, 3), o(count * 2, 4);
  fill_half<<<blocks_for(count), 256>>>(q.as<half>(), count, 1.0f);
  fill_half<<<blocks_for(count), 256>>>(k.as<half>(), count, 1.5f);
  fill_half<<<blocks_for(count), 256>>>(v.as<half>(), count, 0.7f);
  const int smem_bytes = (BLOCK_Q + 4 * BLOCK_KV) * LDS * sizeof(half);
  CHECK(cudaFuncSetAttribute(flash_attn_cp_async_kernel,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, smem_bytes));
  field::measure("attention-cp-async", o, [&] {
    dim3 grid(seq_len / BLOCK_Q, heads);
    flash_attn_cp_async_kernel<<<grid, NUM_WARPS * 32, smem_bytes>>>(
        q.as<half>(), k.as<half>(), v.as<half>(), o.as<half>(), seq_len, 0.125f);
  });
}
