// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products on tensor cores from tiles of 64 halves in a row, whose 16-byte parts are swizzled
// by the row: what the workloads that use them share.

#ifndef TILELIFT_BENCH_TENSOR_CORES_CUH
#define TILELIFT_BENCH_TENSOR_CORES_CUH

#include <cuda_fp16.h>

/// Where a row's part of 8 halves lies in a tile.
template <int Rows> __device__ inline unsigned at(const half (&tile)[Rows][64], int row, int part) {
  return unsigned(__cvta_generic_to_shared(&tile[row][(part ^ row % 8) * 8]));
}
__device__ inline void four_matrices(unsigned (&r)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}
__device__ inline void four_transposed(unsigned (&r)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}
__device__ inline void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

#endif
