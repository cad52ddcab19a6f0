// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of halves by wmma as it is found in blog posts and many repositories after them:
// cp.async into two buffers, one statement of assembly for each vector, to addresses in shared
// memory that are numbers, with the buffer's offset added; the last round stands behind the loop.

#include "field.cuh"

#include <cuda_fp16.h>
#include <mma.h>

#define OFFSET(row, col, ld) ((row) * (ld) + (col))
#define CP_ASYNC_CA(addr, pointer)                                                                 \
  asm("cp.async.ca.shared.global [%0], [%1], 16;\n" : : "r"(addr), "l"(pointer))

using namespace nvcuda;

__global__ void fillHalves(half *x, size_t n, unsigned seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x) {
    unsigned h = (unsigned(i) + seed) * 2654435761u;
    x[i] = __float2half(float(h >> 20) / 4096.0f - 0.5f);
  }
}

const int BM = 128, BN = 256, BK = 32, APAD = 8, BPAD = 8;

typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> FragA;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> FragB;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, half> FragC;

__device__ __forceinline__ void compute(FragC (&frag_c)[4][4], const half *s_a, const half *s_b,
                                        int comp_c_frag_m, int comp_c_frag_n) {
  FragA frag_a[2][4];
  FragB frag_b[2][4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const half *a = s_a + (comp_c_frag_m * 64 + i * 16) * (BK + APAD);
    const half *b = s_b + comp_c_frag_n * 64 + i * 16;
    wmma::load_matrix_sync(frag_a[0][i], a, BK + APAD);
    wmma::load_matrix_sync(frag_a[1][i], a + 16, BK + APAD);
    wmma::load_matrix_sync(frag_b[0][i], b, BN + BPAD);
    wmma::load_matrix_sync(frag_b[1][i], b + 16 * (BN + BPAD), BN + BPAD);
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      wmma::mma_sync(frag_c[i][j], frag_a[0][i], frag_b[0][j], frag_c[i][j]);
      wmma::mma_sync(frag_c[i][j], frag_a[1][i], frag_b[1][j], frag_c[i][j]);
    }
  }
}

__global__ void myHGEMMAlignedV3(half *__restrict__ a, half *__restrict__ b, half *__restrict__ c,
                                 const int M, const int N, const int K) {
  int bx = blockIdx.x;
  int by = blockIdx.y;
  if (bx >= N / BN || by >= M / BM)
    return;
  int tid = threadIdx.x;
  int wid = tid >> 5;

  extern __shared__ half smem[];
  half *s_a = smem;
  half *s_b = smem + 2 * BM * (BK + APAD);
  int s_a_db_offset = BM * (BK + APAD);
  int s_b_db_offset = BK * (BN + BPAD);

  FragC frag_c[4][4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      wmma::fill_fragment(frag_c[i][j], 0.0);
    }
  }

  int load_a_smem_m = (tid >> 2) << 1;
  int load_a_smem_k = (tid & 3) << 3;
  int load_b_smem_k = (tid >> 5) << 2;
  int load_b_smem_n = (tid & 31) << 3;

  int s_a_base_addr = __cvta_generic_to_shared(s_a);
  int s_b_base_addr = __cvta_generic_to_shared(s_b);

  int load_a_smem_addr_0 =
      s_a_base_addr + OFFSET(load_a_smem_m, load_a_smem_k, BK + APAD) * sizeof(half);
  int load_a_smem_addr_1 = load_a_smem_addr_0 + (BK + APAD) * sizeof(half);
  int load_b_smem_addr_0 =
      s_b_base_addr + OFFSET(load_b_smem_k, load_b_smem_n, BN + BPAD) * sizeof(half);
  int load_b_smem_addr_1 = load_b_smem_addr_0 + (BN + BPAD) * sizeof(half);
  int load_b_smem_addr_2 = load_b_smem_addr_0 + 2 * (BN + BPAD) * sizeof(half);
  int load_b_smem_addr_3 = load_b_smem_addr_0 + 3 * (BN + BPAD) * sizeof(half);

  int load_a_gmem_m = by * BM + load_a_smem_m;
  int load_b_gmem_n = bx * BN + load_b_smem_n;

  int load_a_gmem_addr = OFFSET(load_a_gmem_m, load_a_smem_k, K);
  int load_b_gmem_addr = OFFSET(load_b_smem_k, load_b_gmem_n, N);

  int comp_c_frag_m = wid & 1;
  int comp_c_frag_n = wid >> 1;

  {
#pragma tma load fallback(loop)
    CP_ASYNC_CA(load_a_smem_addr_0, &a[load_a_gmem_addr]);
#pragma tma load fallback(loop)
    CP_ASYNC_CA(load_a_smem_addr_1, &a[load_a_gmem_addr + K]);
#pragma tma load fallback(loop)
    CP_ASYNC_CA(load_b_smem_addr_0, &b[load_b_gmem_addr]);
#pragma tma load fallback(loop)
    CP_ASYNC_CA(load_b_smem_addr_1, &b[load_b_gmem_addr + N]);
#pragma tma load fallback(loop)
    CP_ASYNC_CA(load_b_smem_addr_2, &b[load_b_gmem_addr + 2 * N]);
#pragma tma load fallback(loop)
    CP_ASYNC_CA(load_b_smem_addr_3, &b[load_b_gmem_addr + 3 * N]);

    asm("cp.async.commit_group;\n" ::);
    asm("cp.async.wait_group 0;\n" ::);
    __syncthreads();
  }

  for (int bk = 1; bk < K / BK; bk++) {
    int smem_sel = (bk & 1) ^ 1;
    int smem_sel_next = ((bk - 1) & 1) ^ 1;

    load_a_gmem_addr += BK;
    load_b_gmem_addr += BK * N;

    int a_off = smem_sel_next * s_a_db_offset * (int)sizeof(half);
    int b_off = smem_sel_next * s_b_db_offset * (int)sizeof(half);
#pragma tma load fallback(loop)
    CP_ASYNC_CA(load_a_smem_addr_0 + a_off, &a[load_a_gmem_addr]);
#pragma tma load fallback(loop)
    CP_ASYNC_CA(load_a_smem_addr_1 + a_off, &a[load_a_gmem_addr + K]);
#pragma tma load fallback(loop)
    CP_ASYNC_CA(load_b_smem_addr_0 + b_off, &b[load_b_gmem_addr]);
#pragma tma load fallback(loop)
    CP_ASYNC_CA(load_b_smem_addr_1 + b_off, &b[load_b_gmem_addr + N]);
#pragma tma load fallback(loop)
    CP_ASYNC_CA(load_b_smem_addr_2 + b_off, &b[load_b_gmem_addr + 2 * N]);
#pragma tma load fallback(loop)
    CP_ASYNC_CA(load_b_smem_addr_3 + b_off, &b[load_b_gmem_addr + 3 * N]);

    compute(frag_c, s_a + smem_sel * s_a_db_offset, s_b + smem_sel * s_b_db_offset, comp_c_frag_m,
            comp_c_frag_n);

    asm("cp.async.commit_group;\n" ::);
    asm("cp.async.wait_group 0;\n" ::);
    __syncthreads();
  }

  int smem_sel = ((K / BK) & 1) ^ 1;
  compute(frag_c, s_a + smem_sel * s_a_db_offset, s_b + smem_sel * s_b_db_offset, comp_c_frag_m,
          comp_c_frag_n);

  int store_c_gmem_m = by * BM + comp_c_frag_m * 64;
  int store_c_gmem_n = bx * BN + comp_c_frag_n * 64;
  int store_c_gmem_addr = OFFSET(store_c_gmem_m, store_c_gmem_n, N);
#pragma unroll
  for (int i = 0; i < 4; i++) {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      wmma::store_matrix_sync(&c[store_c_gmem_addr + i * 16 * N + j * 16], frag_c[i][j], N,
                              wmma::mem_row_major);
    }
  }
}

int main() {
  const int m = field::pick(4096, 128), n = field::pick(4096, 256), k = field::pick(4096, 160);
  Buffer a(size_t(m) * k * 2, 1), b(size_t(k) * n * 2, 2), c(size_t(m) * n * 2, 3);
  fillHalves<<<field::pick(256, 2), 256>>>(a.as<half>(), size_t(m) * k, 1);
  fillHalves<<<field::pick(256, 2), 256>>>(b.as<half>(), size_t(k) * n, 2);
  unsigned int dsmem = 2 * (BM * (BK + APAD) + BK * (BN + BPAD)) * sizeof(half);
  CHECK(cudaFuncSetAttribute(myHGEMMAlignedV3, cudaFuncAttributeMaxDynamicSharedMemorySize, dsmem));
  field::measure("hgemm-wmma-v3", c, [&] {
    dim3 blockDim(256), gridDim((n + BN - 1) / BN, (m + BM - 1) / BM);
    myHGEMMAlignedV3<<<gridDim, blockDim, dsmem>>>(a.as<half>(), b.as<half>(), c.as<half>(), m, n,
                                                   k);
  });
}
