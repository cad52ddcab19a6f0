// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of halves by ldmatrix and mma.sync, with cp.async into tiles whose 16-byte
// parts are swizzled by an XOR with the row: rows of 64 halves in two to four stages, where the
// number of stages is a template argument; rows of 32 halves, of which two share a line of the
// banks; and the second matrix by rows of 128 halves, which ldmatrix transposes.

#include "field.cuh"

#include <cuda_fp16.h>

#define CP_ASYNC16(dst, src)                                                                       \
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(dst), "l"(src))
#define CP_ASYNC_COMMIT() asm volatile("cp.async.commit_group;\n" ::)
#define CP_ASYNC_WAIT(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n))

constexpr int BM = 128, BN = 128, THREADS = 256;

__global__ void fillHalves(half *x, size_t n, unsigned seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x) {
    unsigned h = (unsigned(i) + seed) * 2654435761u;
    x[i] = __float2half(float(h >> 20) / 4096.0f - 0.5f);
  }
}

__device__ __forceinline__ uint32_t smem_u32(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void ldmatrix_x4(uint32_t (&r)[4], uint32_t addr) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(addr));
}
__device__ __forceinline__ void ldmatrix_x4_trans(uint32_t (&r)[4], uint32_t addr) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(addr));
}
__device__ __forceinline__ void mma16816(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                         uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
               "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Where part 'col' of 8 halves of a row lies.
template <int BK> __device__ __forceinline__ int swizzle(int row, int col) {
  if (BK == 64)
    return row * 64 + ((col ^ (row & 7)) << 3);
  return row * 32 + ((col ^ ((row >> 1) & 3)) << 3);
}

template <int BK> __device__ __forceinline__ void load_tile(half *dst, const half *src, int ld) {
#pragma tma load fallback(loop)
#pragma unroll
  for (int i = threadIdx.x; i < 128 * (BK / 8); i += THREADS) {
    const int row = i / (BK / 8), col = i % (BK / 8);
    CP_ASYNC16(smem_u32(dst + swizzle<BK>(row, col)), src + row * ld + col * 8);
  }
}

__device__ __forceinline__ void store_c(half *C, float (&acc)[4][4][4], int row, int col, int N) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      half *p = C + (row + i * 16 + lane / 4) * N + col + j * 8 + lane % 4 * 2;
      *reinterpret_cast<half2 *>(p) = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *reinterpret_cast<half2 *>(p + 8 * N) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}

template <int BK, int STAGES>
__global__ void __launch_bounds__(THREADS)
    hgemm_tn_swizzled(const half *__restrict__ A, const half *__restrict__ B, half *__restrict__ C,
                      int M, int N, int K) {
  extern __shared__ __align__(128) half smem[];
  half *sA = smem;
  half *sB = smem + STAGES * BM * BK;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int warp_m = warp / 4 * 64, warp_n = warp % 4 * 32;
  const half *gA = A + blockIdx.y * BM * K;
  const half *gB = B + blockIdx.x * BN * K;
  float acc[4][4][4] = {};
  const int tiles = K / BK;

#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    load_tile<BK>(sA + s * BM * BK, gA + s * BK, K);
    load_tile<BK>(sB + s * BN * BK, gB + s * BK, K);
    CP_ASYNC_COMMIT();
  }

  int read = 0, write = STAGES - 1;
  for (int t = 0; t < tiles; ++t) {
    CP_ASYNC_WAIT(STAGES - 2);
    __syncthreads();
    if (t + STAGES - 1 < tiles) {
      load_tile<BK>(sA + write * BM * BK, gA + (t + STAGES - 1) * BK, K);
      load_tile<BK>(sB + write * BN * BK, gB + (t + STAGES - 1) * BK, K);
    }
    CP_ASYNC_COMMIT();
    const half *a_tile = sA + read * BM * BK, *b_tile = sB + read * BN * BK;
#pragma unroll
    for (int kk = 0; kk < BK / 8; kk += 2) {
      uint32_t a[4][4], b[2][4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        ldmatrix_x4(a[i],
                    smem_u32(a_tile + swizzle<BK>(warp_m + i * 16 + lane % 16, kk + lane / 16)));
#pragma unroll
      for (int j = 0; j < 2; ++j)
        ldmatrix_x4(b[j], smem_u32(b_tile + swizzle<BK>(warp_n + j * 16 + lane / 16 * 8 + lane % 8,
                                                        kk + lane / 8 % 2)));
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          mma16816(acc[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
    read = (read + 1) % STAGES;
    write = (write + 1) % STAGES;
  }
  store_c(C, acc, blockIdx.y * BM + warp_m, blockIdx.x * BN + warp_n, N);
}

// C = A * B, both by rows, in three stages of 32; the next stage's addresses are kept.
__global__ void __launch_bounds__(THREADS)
    hgemm_nn_swizzled(const half *__restrict__ A, const half *__restrict__ B, half *__restrict__ C,
                      int M, int N, int K) {
  __shared__ __align__(128) half sA[3][BM][32];
  __shared__ __align__(128) half sB[3][32][BN];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int warp_m = warp / 4 * 64, warp_n = warp % 4 * 32;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int a_row = threadIdx.x / 4, a_col = threadIdx.x % 4;
  const int b_row = threadIdx.x / 16, b_col = threadIdx.x % 16;
  float acc[4][4][4] = {};

  auto load_stage = [&](int stage, int k0) {
#pragma tma load fallback(loop)
    for (int i = 0; i < 2; ++i) {
      const int row = a_row + i * 64;
      CP_ASYNC16(smem_u32(&sA[stage][row][(a_col ^ (row / 2 % 4)) * 8]),
                 &A[(row0 + row) * K + k0 + a_col * 8]);
    }
#pragma tma load fallback(loop)
    for (int i = 0; i < 2; ++i) {
      const int row = b_row + i * 16;
      CP_ASYNC16(smem_u32(&sB[stage][row][(b_col ^ (row % 8)) * 8]),
                 &B[(k0 + row) * N + col0 + b_col * 8]);
    }
    CP_ASYNC_COMMIT();
  };

  load_stage(0, 0);
  load_stage(1, 32);
  const int tiles = K / 32;
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles)
      CP_ASYNC_WAIT(1);
    else
      CP_ASYNC_WAIT(0);
    __syncthreads();
    if (t + 2 < tiles)
      load_stage((t + 2) % 3, (t + 2) * 32);
    const int s = t % 3;
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4][4], b[2][4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int row = warp_m + i * 16 + lane % 16, part = kk / 8 + lane / 16;
        ldmatrix_x4(a[i], smem_u32(&sA[s][row][(part ^ (row / 2 % 4)) * 8]));
      }
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const int row = kk + lane % 16, part = (warp_n + j * 16) / 8 + lane / 16;
        ldmatrix_x4_trans(b[j], smem_u32(&sB[s][row][(part ^ (row % 8)) * 8]));
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          mma16816(acc[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
  }
  store_c(C, acc, row0 + warp_m, col0 + warp_n, N);
}

template <int BK, int STAGES>
void measureStages(const char *name, const Buffer &a, const Buffer &b, const Buffer &c, int m,
                   int n, int k) {
  auto kernel = hgemm_tn_swizzled<BK, STAGES>;
  const int smem_bytes = STAGES * (BM + BN) * BK * sizeof(half);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, smem_bytes));
  field::measure(name, c, [&] {
    hgemm_tn_swizzled<BK, STAGES><<<dim3(n / BN, m / BM), THREADS, smem_bytes>>>(
        a.as<half>(), b.as<half>(), c.as<half>(), m, n, k);
  });
}

int main() {
  const int m = field::pick(4096, 256), n = field::pick(4096, 128), k = field::pick(4096, 320);
  Buffer a(size_t(m) * k * 2, 1), b(size_t(k) * n * 2, 2), c(size_t(m) * n * 2, 3);
  fillHalves<<<field::pick(256, 2), 256>>>(a.as<half>(), size_t(m) * k, 1);
  fillHalves<<<field::pick(256, 2), 256>>>(b.as<half>(), size_t(k) * n, 2);
  measureStages<64, 2>("hgemm-mma-swizzle-64-2", a, b, c, m, n, k);
  measureStages<64, 3>("hgemm-mma-swizzle-64-3", a, b, c, m, n, k);
  measureStages<64, 4>("hgemm-mma-swizzle-64-4", a, b, c, m, n, k);
  measureStages<32, 4>("hgemm-mma-swizzle-32-4", a, b, c, m, n, k);
  field::measure("hgemm-mma-swizzle-nn", c, [&] {
    hgemm_nn_swizzled<<<dim3(n / BN, m / BM), THREADS>>>(a.as<half>(), b.as<half>(), c.as<half>(),
                                                         m, n, k);
  });
}
