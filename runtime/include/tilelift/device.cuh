//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lifted kernels call. Works under NVRTC; needs only CCCL's <cuda/ptx>.
//
// One thread of the block, the leader, announces the bytes and issues the
// copies; all threads wait. A barrier counts one phase after the other, and
// each thread keeps the parity of the phase that it waits for next:
//
//   __shared__ tilelift::barrier ready;
//   unsigned phase = tilelift::begin(ready);
//   if (tilelift::leader()) {
//     tilelift::expect(ready, box::bytes);
//     tilelift::load(tile.data(), map, {x, y}, ready);
//   }
//   tilelift::wait(ready, phase);
//
// For devices without a TMA unit all of it compiles to a trap; the launcher
// never starts such a kernel there.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_DEVICE_CUH
#define TILELIFT_DEVICE_CUH

#include <tilelift/toolkit.h>

#include <tilelift/box.h>
#include <tilelift/exact.cuh>
#include <tilelift/member.h>
#include <tilelift/tile.cuh>

#ifndef __CUDACC_RTC__
#include <cuda.h>
#endif
#include <cuda/ptx>

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define TILELIFT_ON_TMA(statement) statement
#else
#define TILELIFT_ON_TMA(statement) __trap()
#endif

/// Asserts what a plan relies on, for devices with a TMA unit alone: constants may depend on
/// __CUDA_ARCH__, and the host's side and older devices run no lifted kernel.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define TILELIFT_LIFTED_FOR(...)                                                                   \
  static_assert(__VA_ARGS__, "this kernel was lifted assuming " #__VA_ARGS__                       \
                             ", which is false in this compilation: lift the file with the "       \
                             "options that it is compiled with")
#else
#define TILELIFT_LIFTED_FOR(...) static_assert(true, "")
#endif

/// What only the data centres' Blackwell has: sm_100a, sm_103a and their families.
#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM103_ALL) ||                  \
    (defined(__CUDA_ARCH_FAMILY_SPECIFIC__) && __CUDA_ARCH_FAMILY_SPECIFIC__ >= 1000 &&            \
     __CUDA_ARCH_FAMILY_SPECIFIC__ < 1200)
#define TILELIFT_IS_IN_DATA_CENTRES 1
#endif

/// im2col::w is sm_100's and everybody's after it.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
#define TILELIFT_HAS_LINES 1
#endif

// NVRTC needs no header of the driver's: the kernel only passes the map on.
#if defined(__CUDACC_RTC__) && !defined(__cuda_cuda_h__)
typedef struct alignas(128) CUtensorMap_st {
  unsigned long long opaque[16];
} CUtensorMap;
#endif

namespace tilelift {

namespace ptx = cuda::ptx;

namespace detail {
/// The block's own shared memory. Naming it as part of a cluster's works as
/// well, and is all that PTX before 8.6 has, but costs memory on sm_120.
#if __cccl_ptx_isa >= 860
constexpr ptx::space_shared_t here{};
#else
constexpr ptx::space_cluster_t here{};
#endif

/// The number of this thread in its block.
__device__ inline unsigned number_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
} // namespace detail

/// An mbarrier in shared memory. At a barrier of loads, one arrival, which announces the bytes of
/// the tiles, and these bytes complete a phase.
struct barrier {
  alignas(8) cuda::std::uint64_t word;
};

/// The one thread that issues. Coordinates of which a block has only one value
/// are not looked at: reading them would delay the first copy.
__device__ inline bool leader(block_size block = {2, 2, 2}) {
  return threadIdx.x == 0 && (block.y == 1 || threadIdx.y == 0) &&
         (block.z == 1 || threadIdx.z == 0);
}

/// Makes the barrier ready for as many as arrive in a phase, and for TMA; the leader calls
/// it. The others may wait at it after the next barrier of the block.
__device__ inline void set_up(barrier &ready, unsigned arrivals = 1) {
  TILELIFT_ON_TMA(ptx::mbarrier_init(&ready.word, arrivals));
  TILELIFT_ON_TMA(ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster));
}

/// Makes the barrier ready for all threads and returns the parity of its first
/// phase. Every thread of the block calls it, once.
__device__ inline unsigned begin(barrier &ready) {
  if (leader())
    set_up(ready);
  __syncthreads();
  return 0;
}

/// Announces the bytes that the copies of this phase bring. The leader calls it
/// once in each phase, before the copies.
__device__ inline void expect(barrier &ready, unsigned bytes) {
  TILELIFT_ON_TMA((void)ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                                       ptx::space_shared, &ready.word, bytes));
}

/// Waits until the bytes of this phase are there, and moves on to the next.
__device__ inline void wait(barrier &ready, unsigned &phase) {
  TILELIFT_ON_TMA(while (!ptx::mbarrier_try_wait_parity(&ready.word, phase)){});
  phase ^= 1;
}

/// Where a thread is in a ring of tiles, one of which the block uses while the others
/// are filled. The leader claims the tiles in the order in which all threads get to them:
///
///   __shared__ tilelift::barrier full[3];
///   tilelift::ring<3> place = tilelift::begin(full);
///   for (...) {
///     place.advance();
///     if (tilelift::leader())
///       for (; place.has_room() && <there is another round>; <to the next round>) {
///         const int next = place.claim(full, box::bytes);
///         tilelift::load(tiles[next].data(), map, {x, y}, full[next]);
///       }
///     tilelift::wait(full, place);
///     ... tiles[place.stage] ...
///     __syncthreads();
///   }
template <int Stages> struct ring {
  int stage = Stages - 1;
  /// The parity of the phase in which the tile of this stage is filled.
  unsigned phase = 1;
  /// Tiles behind that one which are on their way; the leader counts them.
  int ahead = 0;

  /// Goes to the next tile; the block is done with the one before.
  __device__ void advance() {
    if (++stage == Stages) {
      stage = 0;
      phase ^= 1;
    }
    --ahead;
  }
  __device__ bool has_room() const { return ahead < Stages - 1; }
  /// Announces the bytes of the tile that is filled next, and says which it is.
  __device__ int claim(barrier (&full)[Stages], unsigned bytes) {
    ++ahead;
    const int slot = stage + ahead < Stages ? stage + ahead : stage + ahead - Stages;
    expect(full[slot], bytes);
    return slot;
  }
};

/// Makes a ring's barriers ready for all threads. Every thread of the block calls it, once.
template <int Stages> __device__ inline ring<Stages> begin(barrier (&full)[Stages]) {
  if (leader())
    for (barrier &each : full)
      set_up(each);
  __syncthreads();
  return {};
}

/// Waits until the tile of this stage is there.
template <int Stages>
__device__ inline void wait(barrier (&full)[Stages], const ring<Stages> &place) {
  unsigned phase = place.phase;
  wait(full[place.stage], phase);
}

/// Closes a group of this thread's cp.async copies in the place of a statement that is lifted: the
/// program counts its groups.
__device__ inline void close_copy_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits for all of this thread's cp.async copies, where a statement that is lifted has closed some
/// groups of them.
__device__ inline void wait_for_copy_groups() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/// Orders what this thread did to shared memory before what TMA does to it
/// after the next barrier of the block.
__device__ inline void fence_before_tma() {
  TILELIFT_ON_TMA(ptx::fence_proxy_async(ptx::space_shared));
}

/// The same for global memory as well.
__device__ inline void fence_all_before_tma() { TILELIFT_ON_TMA(ptx::fence_proxy_async()); }

/// Copies a box to `tile`, which is aligned to 128 bytes; `at` is the box's first element,
/// innermost dimension first. `at[0]` times the element size is a multiple of 16 bytes.
template <typename Map, int Rank>
__device__ inline void load(void *tile, const Map &map, const int (&at)[Rank], barrier &ready) {
  TILELIFT_ON_TMA(
      ptx::cp_async_bulk_tensor(detail::here, ptx::space_global, tile, &map, at, &ready.word));
}

/// How L2 treats the lines that a copy brings in, as the 64-bit policies that
/// the instructions take.
enum class cache_policy : unsigned long long {
  evict_normal = 0x1000000000000000,
  evict_first = 0x12F0000000000000,
  evict_last = 0x14F0000000000000,
};

namespace detail {
__device__ inline unsigned shared_address(const void *pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
} // namespace detail

/// How pixels follow one another in a dimension of a convolution's input: `count` of them,
/// from `first` on, each `step` behind the one before, and then on to the next dimension;
/// `offset` is where the filter's element is from there.
struct walk {
  int count, step, first, offset;
};

namespace detail {

/// Where a copy goes: to this block, to several of its cluster, or to L2 only.
enum class target { block, cluster, l2 };

#ifdef TILELIFT_HAS_LINES
/// Issues an im2col::w copy of pixels from the coordinate at[0] in W on. What the filter's element
/// adds in W is passed separately, as `offset`.
template <target To, typename Map, int Spatial>
__device__ inline void bring_line(unsigned tile, const Map &map, int channel, int image,
                                  const int (&at)[Spatial], unsigned short offset, unsigned ready,
                                  cache_policy policy, unsigned short blocks) {
#ifdef TILELIFT_IS_IN_DATA_CENTRES
#define TILELIFT_LINE_TO_MANY(rank, coordinates)                                                   \
  if constexpr (To == target::cluster)                                                             \
    asm volatile("cp.async.bulk.tensor." rank ".shared::cluster.global.im2col::w.mbarrier::"       \
                 "complete_tx::bytes.multicast::cluster.L2::cache_hint [%0], [%1, {" coordinates   \
                 "}], [%2], {%7, %8}, %4, %3;" ::TILELIFT_OPERANDS                                 \
                 : "memory");                                                                      \
  else if constexpr (To == target::l2)                                                             \
  asm volatile("cp.async.bulk.prefetch.tensor." rank                                               \
               ".L2.global.im2col::w.L2::cache_hint [%1, {" coordinates                            \
               "}], {%7, %8}, %3;" ::TILELIFT_OPERANDS                                             \
               : "memory")
#else // a prefetch is a hint
#define TILELIFT_LINE_TO_MANY(rank, coordinates) static_assert(To != target::cluster)
#endif
#define TILELIFT_LINE(rank, coordinates)                                                           \
  if constexpr (To == target::block)                                                               \
    asm volatile("cp.async.bulk.tensor." rank ".shared::cta.global.im2col::w.mbarrier::"           \
                 "complete_tx::bytes.L2::cache_hint [%0], [%1, {" coordinates                      \
                 "}], [%2], {%7, %8}, %3;" ::TILELIFT_OPERANDS                                     \
                 : "memory");                                                                      \
  TILELIFT_LINE_TO_MANY(rank, coordinates)
#define TILELIFT_OPERANDS                                                                          \
  "r"(tile), "l"(&map), "r"(ready), "l"(static_cast<unsigned long long>(policy)), "h"(blocks),     \
      "r"(channel), "r"(image), "h"(static_cast<unsigned short>(0)), "h"(offset), "r"(at[0]),      \
      "r"(at[1]), "r"(at[Spatial - 1])
  if constexpr (Spatial == 2) {
    TILELIFT_LINE("4d", "%5, %9, %10, %6");
  } else {
    TILELIFT_LINE("5d", "%5, %9, %10, %11, %6");
  }
#undef TILELIFT_OPERANDS
#undef TILELIFT_LINE
#undef TILELIFT_LINE_TO_MANY
}
#endif

/// The instruction of load_pixels, with addresses of shared memory; `blocks` are those of the
/// cluster that get them.
template <target To, bool InLines, typename Map, int Spatial>
__device__ inline void bring_pixels(unsigned tile, const Map &map, int channel, int image,
                                    int pixel, const walk (&walks)[Spatial], unsigned ready,
                                    cache_policy policy, unsigned short blocks) {
  static_assert(Spatial >= 1 && Spatial <= 3, "a map has 3 to 5 dimensions");
  int at[Spatial] = {}, rest = pixel;
  unsigned short offset[3] = {};
  for (int i = 0; i < Spatial; ++i) {
    // By what is surely not zero, compilers divide ahead of the loop that a copy is in.
    const int next = unsigned(rest) / max(unsigned(walks[i].count), 1u);
    at[i] = walks[i].first + (rest - next * walks[i].count) * walks[i].step;
    offset[i] = static_cast<unsigned short>(walks[i].offset);
    rest = next;
  }
  image += rest;
#ifdef TILELIFT_HAS_LINES
  if constexpr (InLines) {
    for (int i = 1; i < Spatial; ++i)
      at[i] += walks[i].offset;
    bring_line<To>(tile, map, channel, image, at, offset[0], ready, policy, blocks);
    return;
  }
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define TILELIFT_PIXELS_TO(whom, their, rank, coordinates, offsets)                                \
  asm volatile("cp.async.bulk.tensor." rank ".shared::cluster.global.im2col.mbarrier::"            \
               "complete_tx::bytes" whom ".L2::cache_hint [%0], [%1, {" coordinates                \
               "}], [%2], {" offsets "}, " their "%3;" ::TILELIFT_OPERANDS                         \
               : "memory")
#define TILELIFT_OPERANDS                                                                          \
  "r"(tile), "l"(&map), "r"(ready), "l"(static_cast<unsigned long long>(policy)), "h"(blocks),     \
      "r"(channel), "r"(image), TILELIFT_COORDINATES
#define TILELIFT_PIXELS(rank, coordinates, offsets)                                                \
  if constexpr (To == target::cluster)                                                             \
    TILELIFT_PIXELS_TO(".multicast::cluster", "%4, ", rank, coordinates, offsets);                 \
  else if constexpr (To == target::block)                                                          \
    TILELIFT_PIXELS_TO("", "", rank, coordinates, offsets);                                        \
  else                                                                                             \
    asm volatile("cp.async.bulk.prefetch.tensor." rank                                             \
                 ".L2.global.im2col.L2::cache_hint [%1, {" coordinates "}], {" offsets             \
                 "}, %3;" ::TILELIFT_OPERANDS                                                      \
                 : "memory")
  if constexpr (Spatial == 1) {
#define TILELIFT_COORDINATES "r"(at[0]), "h"(offset[0])
    TILELIFT_PIXELS("3d", "%5, %7, %6", "%8");
#undef TILELIFT_COORDINATES
  } else if constexpr (Spatial == 2) {
#define TILELIFT_COORDINATES "r"(at[0]), "r"(at[1]), "h"(offset[0]), "h"(offset[1])
    TILELIFT_PIXELS("4d", "%5, %7, %8, %6", "%9, %10");
#undef TILELIFT_COORDINATES
  } else {
#define TILELIFT_COORDINATES                                                                       \
  "r"(at[0]), "r"(at[1]), "r"(at[2]), "h"(offset[0]), "h"(offset[1]), "h"(offset[2])
    TILELIFT_PIXELS("5d", "%5, %7, %8, %9, %6", "%10, %11, %12");
#undef TILELIFT_COORDINATES
  }
#undef TILELIFT_PIXELS
#undef TILELIFT_OPERANDS
#undef TILELIFT_PIXELS_TO
#else
  __trap();
#endif
}

} // namespace detail

/// im2col: copies a few channels of as many pixels as the map says, from number `pixel` on,
/// which is counted as the walks say, the innermost first; `image` is where images start.
/// Where they are in lines, only the first walk moves.
template <bool InLines = false, typename Map, int Spatial>
__device__ inline void load_pixels(void *tile, const Map &map, int channel, int image, int pixel,
                                   const walk (&walks)[Spatial], barrier &ready,
                                   cache_policy policy = cache_policy::evict_normal) {
  detail::bring_pixels<detail::target::block, InLines>(
      detail::shared_address(tile), map, channel, image, pixel, walks,
      detail::shared_address(&ready.word), policy, 0);
}

/// Copies contiguous bytes, a multiple of 16 from a multiple of 16.
__device__ inline void load_bytes(void *tile, const void *from, unsigned bytes, barrier &ready) {
  TILELIFT_ON_TMA(
      ptx::cp_async_bulk(detail::here, ptx::space_global, tile, from, bytes, &ready.word));
}

namespace detail {

/// cp.async.bulk.tensor with .L2::cache_hint (PTX ISA 8.0, sm_90), which cuda::ptx does not
/// have, with addresses of shared memory; `blocks` are those of the cluster that get the box.
template <target To, int Rank, typename Map>
__device__ inline void bring_box(unsigned tile, const Map &map, const int (&at)[Rank],
                                 unsigned ready, cache_policy policy, unsigned short blocks) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define TILELIFT_BOX_TO(whom, their, rank, coordinates)                                            \
  asm volatile("cp.async.bulk.tensor." rank ".shared::cluster.global.tile.mbarrier::complete_tx::" \
               "bytes" whom ".L2::cache_hint [%0], [%1, {" coordinates "}], [%2], " their          \
               "%3;" ::TILELIFT_OPERANDS                                                           \
               : "memory")
#define TILELIFT_OPERANDS                                                                          \
  "r"(tile), "l"(&map), "r"(ready), "l"(static_cast<unsigned long long>(policy)), "h"(blocks),     \
      TILELIFT_COORDINATES
#define TILELIFT_BOX(rank, coordinates)                                                            \
  if constexpr (To == target::cluster)                                                             \
    TILELIFT_BOX_TO(".multicast::cluster", "%4, ", rank, coordinates);                             \
  else if constexpr (To == target::block)                                                          \
    TILELIFT_BOX_TO("", "", rank, coordinates);                                                    \
  else                                                                                             \
    asm volatile("cp.async.bulk.prefetch.tensor." rank                                             \
                 ".L2.global.tile.L2::cache_hint [%1, {" coordinates "}], %3;" ::TILELIFT_OPERANDS \
                 : "memory")
  if constexpr (Rank == 1) {
#define TILELIFT_COORDINATES "r"(at[0])
    TILELIFT_BOX("1d", "%5");
#undef TILELIFT_COORDINATES
  } else if constexpr (Rank == 2) {
#define TILELIFT_COORDINATES "r"(at[0]), "r"(at[1])
    TILELIFT_BOX("2d", "%5, %6");
#undef TILELIFT_COORDINATES
  } else if constexpr (Rank == 3) {
#define TILELIFT_COORDINATES "r"(at[0]), "r"(at[1]), "r"(at[2])
    TILELIFT_BOX("3d", "%5, %6, %7");
#undef TILELIFT_COORDINATES
  } else if constexpr (Rank == 4) {
#define TILELIFT_COORDINATES "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3])
    TILELIFT_BOX("4d", "%5, %6, %7, %8");
#undef TILELIFT_COORDINATES
  } else {
#define TILELIFT_COORDINATES "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4])
    TILELIFT_BOX("5d", "%5, %6, %7, %8, %9");
#undef TILELIFT_COORDINATES
  }
#undef TILELIFT_BOX
#undef TILELIFT_OPERANDS
#undef TILELIFT_BOX_TO
#else
  __trap();
#endif
}

} // namespace detail

/// The same copies with a policy for L2.
template <typename Map, int Rank>
__device__ inline void load(void *tile, const Map &map, const int (&at)[Rank], barrier &ready,
                            cache_policy policy) {
  detail::bring_box<detail::target::block>(detail::shared_address(tile), map, at,
                                           detail::shared_address(&ready.word), policy, 0);
}

__device__ inline void load_bytes(void *tile, const void *from, unsigned bytes, barrier &ready,
                                  cache_policy policy) {
  TILELIFT_ON_TMA(asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(detail::shared_address(tile)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(detail::shared_address(&ready.word)),
      "l"(static_cast<unsigned long long>(policy)) : "memory"));
}

/// Has L2 fetch what load, load_pixels or load_bytes will copy later.
template <typename Map, int Rank>
__device__ inline void prefetch(const Map &map, const int (&at)[Rank],
                                cache_policy policy = cache_policy::evict_normal) {
  detail::bring_box<detail::target::l2>(0, map, at, 0, policy, 0);
}
template <bool InLines = false, typename Map, int Spatial>
__device__ inline void prefetch_pixels(const Map &map, int channel, int image, int pixel,
                                       const walk (&walks)[Spatial],
                                       cache_policy policy = cache_policy::evict_normal) {
  detail::bring_pixels<detail::target::l2, InLines>(0, map, channel, image, pixel, walks, 0, policy,
                                                    0);
}
__device__ inline void prefetch_bytes(const void *from, unsigned bytes,
                                      cache_policy policy = cache_policy::evict_normal) {
  TILELIFT_ON_TMA(
      asm volatile("cp.async.bulk.prefetch.L2.global.L2::cache_hint [%0], %1, %2;" ::"l"(
                       __cvta_generic_to_global(from)),
                   "r"(bytes), "l"(static_cast<unsigned long long>(policy)) : "memory"));
}

/// `tile` moved on by whole bytes, for boxes that come in several pieces.
__device__ inline void *advance(void *tile, int bytes) { return static_cast<char *>(tile) + bytes; }
__device__ inline const void *advance(const void *tile, int bytes) {
  return static_cast<const char *>(tile) + bytes;
}

/// Whether contiguous bytes can be copied from there.
__device__ inline bool is_aligned(const void *from) {
  return reinterpret_cast<unsigned long long>(from) % 16 == 0;
}

/// Global memory so many bytes behind `first`, for rows that are copied one by one.
__device__ inline const void *row_at(const void *first, long long bytes) {
  return static_cast<const char *>(first) + bytes;
}

} // namespace tilelift

#endif
