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

#define FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)
#define SIXTY_FOUR(i) SIXTEEN(i), SIXTEEN(i + 16), SIXTEEN(i + 32), SIXTEEN(i + 48)

/// d += a * b, of 64 x 16 and 16 x 128.
__device__ inline void multiply(float (&d)[64], uint64_t a, uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
               "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
               "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
               "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
               "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
               "%64, %65, 1, 1, 1, 0, 0;"
               : SIXTY_FOUR(0)
               : "l"(a), "l"(b)
               : "memory");
}

/// d += a * b, of 64 x 16 and 16 x 256.
__device__ inline void multiply(float (&d)[128], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, "
      "%111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, "
      "%125, %126, %127}, %128, %129, 1, 1, 1, 0, 0;"
      : SIXTY_FOUR(0), SIXTY_FOUR(64)
      : "l"(a), "l"(b)
      : "memory");
}

/// Rows of 128 bytes, swizzled, eight of them 1024 bytes from the next eight.
__device__ inline uint64_t descriptor(const void *tile) {
  uint64_t address = __cvta_generic_to_shared(tile);
  return (address & 0x3ffff) >> 4 | uint64_t(1) << 16 | uint64_t(64) << 32 | uint64_t(1) << 62;
}

/// One warpgroup's product of its 64 rows with all columns, of tiles of 64 halves in a row.
template <int Sums, int Rows, int Columns>
__device__ inline void multiply(float (&d)[Sums], const half (&as)[Rows][64],
                                const half (&bs)[Columns][64]) {
  static_assert(Sums == Columns / 2, "each thread has its part of 64 rows");
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int i = 0; i < 64; i += 16)
    multiply(d, descriptor(&as[threadIdx.x / 128 * 64][i]), descriptor(&bs[0][i]));
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
}

#undef SIXTY_FOUR
#undef SIXTEEN
#undef FOUR

#endif
