// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TMA written by hand with cuda::ptx: what the hand-written variants share.

#ifndef TILELIFT_BENCH_BY_HAND_CUH
#define TILELIFT_BENCH_BY_HAND_CUH

#include "harness.cuh"

#include <cuda.h>
#include <cuda/ptx>
#include <cuda_fp16.h>

namespace by_hand {

namespace ptx = cuda::ptx;

__device__ inline void init(uint64_t &barrier, unsigned arrivals = 1) {
  ptx::mbarrier_init(&barrier, arrivals);
  ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
}
__device__ inline void expect(uint64_t &barrier, unsigned bytes) {
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier,
                                 bytes);
}
__device__ inline void wait(uint64_t &barrier, unsigned parity) {
  while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
  }
}
/// Before TMA writes to what threads have read: without it, hgemm-mma leaves wrong bytes.
__device__ inline void fence() { ptx::fence_proxy_async(ptx::space_shared); }
/// A warp is done with what the barrier stands for.
__device__ inline void release(uint64_t &barrier) {
  __syncwarp();
  if (threadIdx.x % 32 == 0)
    ptx::mbarrier_arrive(&barrier);
}
template <int Rank>
__device__ inline void load(void *tile, const CUtensorMap &map, const int (&at)[Rank],
                            uint64_t &barrier) {
  ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &barrier);
}
template <int Rank>
__device__ inline void store(const CUtensorMap &map, const int (&at)[Rank], const void *tile) {
  ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, tile);
  ptx::cp_async_bulk_commit_group();
}

inline CUtensorMapDataType type_of(const float *) { return CU_TENSOR_MAP_DATA_TYPE_FLOAT32; }
inline CUtensorMapDataType type_of(const half *) { return CU_TENSOR_MAP_DATA_TYPE_FLOAT16; }

/// A tensor with rows that follow each other, innermost dimension first.
template <int Rank, typename Element>
CUtensorMap map_of(const Element *tensor, const int (&extents)[Rank], const int (&box)[Rank],
                   CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE) {
  static void *encode = nullptr;
  cudaDriverEntryPointQueryResult status;
  if (!encode)
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                           cudaEnableDefault, &status));
  cuuint64_t sizes[Rank], strides[Rank], stride = sizeof(Element);
  cuuint32_t boxes[Rank], steps[Rank];
  for (int d = 0; d < Rank; ++d) {
    sizes[d] = cuuint64_t(extents[d]);
    strides[d] = stride *= sizes[d];
    boxes[d] = cuuint32_t(box[d]);
    steps[d] = 1;
  }
  CUtensorMap map;
  CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
      &map, type_of(tensor), Rank, const_cast<Element *>(tensor), sizes, strides, boxes, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    std::exit(std::printf("error: encode %d\n", int(result)));
  return map;
}

} // namespace by_hand

#endif
