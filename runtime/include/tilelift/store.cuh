//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lifted kernels call to store tiles. Works under NVRTC.
//
// The leader issues; no barrier tells when a store is done, but the leader may wait
// for all that it has committed. Until then TMA reads the tile. What threads wrote to
// the tile is fenced by each of them, before a barrier of the block:
//
//   tilelift::stores_in_flight stores; // waits when the kernel ends
//   tile[threadIdx.x] = ...;
//   tilelift::fence_before_tma();
//   __syncthreads();
//   if (tilelift::leader()) {
//     tilelift::store(map, {x, y}, tile);
//     tilelift::commit_stores();
//   }
//   ... nothing that writes to the tile ...
//   tilelift::finish_reads();
//   __syncthreads();
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_STORE_CUH
#define TILELIFT_STORE_CUH

#include <tilelift/device.cuh>

namespace tilelift {

/// Copies a tile to a box of the tensor; what lies past an extent is left out, in
/// whole 16 bytes. No coordinate is negative.
template <typename Map, int Rank>
__device__ inline void store(const Map &map, const int (&at)[Rank], const void *tile) {
  TILELIFT_ON_TMA(ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, tile));
}

/// Combines a tile into a box of the tensor; each element is updated atomically.
template <typename Operation, typename Map, int Rank>
__device__ inline void reduce(Operation operation, const Map &map, const int (&at)[Rank],
                              const void *tile) {
  TILELIFT_ON_TMA(ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, operation,
                                                   &map, at, tile));
}

/// Combines contiguous numbers, in a multiple of 16 bytes to a multiple of 16.
template <typename Number, typename Operation>
__device__ inline void reduce_bytes(Operation operation, const void *to, const void *tile,
                                    unsigned bytes) {
  TILELIFT_ON_TMA(ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, operation,
                                            static_cast<Number *>(const_cast<void *>(to)),
                                            static_cast<const Number *>(tile), bytes));
}

/// Copies contiguous bytes, a multiple of 16 to a multiple of 16; a pointer through which
/// the kernel itself does not write may lead there.
__device__ inline void store_bytes(const void *to, const void *tile, unsigned bytes) {
  TILELIFT_ON_TMA(ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, const_cast<void *>(to),
                                     tile, bytes));
}

/// Commits the stores that this thread has issued since the last commit, as one group. The leader
/// calls it once its stores are issued.
__device__ inline void commit_stores() { TILELIFT_ON_TMA(ptx::cp_async_bulk_commit_group()); }

/// Waits until TMA has read the tiles of this thread's committed groups of stores, except for the
/// last `Pending` groups. It is not by cuda::ptx, since Clang does not take the constant that CUDA
/// 12.6's hands on.
template <int Pending = 0> __device__ inline void finish_reads() {
  TILELIFT_ON_TMA(asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory"));
}

/// Waits until this thread's committed stores are in global memory, where this thread sees them.
__device__ inline void finish_stores() {
  TILELIFT_ON_TMA(asm volatile("cp.async.bulk.wait_group 0;" :: : "memory"));
}

/// Keeps a block's shared memory until TMA has read it.
struct stores_in_flight {
  __device__ ~stores_in_flight() { finish_reads(); }
};

/// The same stores with a policy for L2.
template <typename Map, int Rank>
__device__ inline void store(const Map &map, const int (&at)[Rank], const void *tile,
                             cache_policy policy) {
#define TILELIFT_STORE(rank, coordinates, ...)                                                     \
  TILELIFT_ON_TMA(asm volatile("cp.async.bulk.tensor." rank ".global.shared::cta.tile.bulk_group"  \
                               ".L2::cache_hint [%0, {" coordinates "}], [%1], %2;" ::"l"(&map),   \
                               "r"(detail::shared_address(tile)),                                  \
                               "l"(static_cast<unsigned long long>(policy)),                       \
                               __VA_ARGS__ : "memory"))
  if constexpr (Rank == 1)
    TILELIFT_STORE("1d", "%3", "r"(at[0]));
  else if constexpr (Rank == 2)
    TILELIFT_STORE("2d", "%3, %4", "r"(at[0]), "r"(at[1]));
  else if constexpr (Rank == 3)
    TILELIFT_STORE("3d", "%3, %4, %5", "r"(at[0]), "r"(at[1]), "r"(at[2]));
  else if constexpr (Rank == 4)
    TILELIFT_STORE("4d", "%3, %4, %5, %6", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]));
  else
    TILELIFT_STORE("5d", "%3, %4, %5, %6, %7", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]),
                   "r"(at[4]));
#undef TILELIFT_STORE
}

__device__ inline void store_bytes(const void *to, const void *tile, unsigned bytes,
                                   cache_policy policy) {
  TILELIFT_ON_TMA(asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(
          __cvta_generic_to_global(to)),
      "r"(detail::shared_address(tile)), "r"(bytes),
      "l"(static_cast<unsigned long long>(policy)) : "memory"));
}

} // namespace tilelift

#endif
