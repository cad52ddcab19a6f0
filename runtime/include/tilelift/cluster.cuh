//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lifted kernels call where blocks of a cluster need the same tile. Works under NVRTC.
//
// Peers are the blocks of a cluster along some of its axes: 1 for x, 2 for y, 4 for z, or a
// sum of them. Each loads some pieces of the tile into the shared memory of all, and expects
// the bytes of the whole tile. Before that they meet, for all of them to have room:
//
//   using peers = tilelift::peers<1, 2, 1, 1>; // along x, in clusters of 2 x 1 x 1
//   __shared__ tilelift::barrier ready;
//   __shared__ tilelift::meeting<peers> room;
//   unsigned phase = tilelift::begin(ready);
//   tilelift::begin(room);
//   if (tilelift::leader()) {
//     tilelift::expect(ready, 2 * box::bytes);
//     tilelift::meet(room);
//     for (int piece = 0; piece < 2; ++piece)
//       if (tilelift::is_mine<peers>(piece))
//         tilelift::load_for_all<peers>(tilelift::advance(tile, piece * box::bytes), map,
//                                       {x, y + piece * 32}, ready);
//   }
//   tilelift::wait(ready, phase);
//
// Each block waits at a meeting for the arrivals of all its peers. So no arrival is on its way to
// a block that has left its last meeting, and the block may exit. A block comes to the next meeting
// only once its tile is there, and its peers load that only after they have left this meeting; so
// arrivals of two meetings never mix.
//
// A launch has such clusters, or none: then each block loads all of its tiles itself, as it
// does where only some slow way leads to the shared memory of several.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_CLUSTER_CUH
#define TILELIFT_CLUSTER_CUH

#include <tilelift/device.cuh>

#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(TILELIFT_IS_IN_DATA_CENTRES)
#define TILELIFT_HAS_MULTICAST 1
#endif

namespace tilelift {

/// Blocks along some axes of a cluster of X * Y * Z.
template <int Axes, unsigned X, unsigned Y, unsigned Z> struct peers {
  static constexpr unsigned in_cluster = X * Y * Z;
  static __host__ __device__ constexpr bool among(int axis) { return (Axes >> axis & 1) != 0; }
  static constexpr unsigned count = (among(0) ? X : 1) * (among(1) ? Y : 1) * (among(2) ? Z : 1);

  static __host__ __device__ constexpr unsigned size(int axis) {
    return axis == 0 ? X : axis == 1 ? Y : Z;
  }
  /// How far the rank of one of them is from that of the first.
  static __host__ __device__ constexpr unsigned rank_of(unsigned number) {
    unsigned rank = 0, step = 1;
    for (int axis = 0; axis < 3; ++axis) {
      if (among(axis)) {
        rank += number % size(axis) * step;
        number /= size(axis);
      }
      step *= size(axis);
    }
    return rank;
  }
  /// A bit for each rank, from the first one's on.
  static __host__ __device__ constexpr unsigned ranks() {
    unsigned bits = 0;
    for (unsigned i = 0; i < count; ++i)
      bits |= 1u << rank_of(i);
    return bits;
  }

#ifdef TILELIFT_HAS_MULTICAST
  static __device__ bool are_there() { return ptx::get_sreg_cluster_nctarank() == in_cluster; }
  static __device__ unsigned place(int axis) {
    return axis == 0   ? ptx::get_sreg_cluster_ctaid_x()
           : axis == 1 ? ptx::get_sreg_cluster_ctaid_y()
                       : ptx::get_sreg_cluster_ctaid_z();
  }
  /// Which of them this block is.
  static __device__ unsigned number() {
    unsigned number = 0, step = 1;
    for (int axis = 0; axis < 3; ++axis)
      if (among(axis)) {
        number += place(axis) * step;
        step *= size(axis);
      }
    return number;
  }
  /// The rank of the first.
  static __device__ unsigned first() {
    unsigned rank = 0, step = 1;
    for (int axis = 0; axis < 3; ++axis) {
      if (!among(axis) && size(axis) > 1)
        rank += place(axis) * step;
      step *= size(axis);
    }
    return rank;
  }
#endif
};

#ifdef TILELIFT_HAS_MULTICAST

namespace detail {
/// Arrives at the same barrier of another block of the cluster, without `.release.cluster`: the
/// leader calls this only after the block's threads have finished their reads of the tile. An
/// explicit release waits for all memory operations, and makes a product with `wgmma` take 1.5
/// times as long.
__device__ inline void arrive_at(barrier &own, unsigned rank) {
  asm volatile(
      "{\n.reg .b32 other;\n"
      "mapa.shared::cluster.u32 other, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [other];\n}" ::"r"(shared_address(&own.word)),
      "r"(rank)
      : "memory");
}
/// Whom a copy is for: the peers, or this block.
template <typename Peers> __device__ inline unsigned short mask_of() {
  return static_cast<unsigned short>(Peers::are_there() ? Peers::ranks() << Peers::first() : 1);
}
} // namespace detail

#endif

/// Where peers tell each other that there is room for a tile. `phase` is the parity of the phase of
/// `told` that the leader of the block waits for next.
template <typename Peers> struct meeting {
  barrier told;
  unsigned phase;
};

/// Makes meetings, and all barriers that were set up before them, ready for the whole
/// cluster. Every thread calls it, once.
template <typename Peers, int Count> __device__ inline void begin(meeting<Peers> (&rooms)[Count]) {
#ifdef TILELIFT_HAS_MULTICAST
  if (leader())
    for (meeting<Peers> &room : rooms) {
      set_up(room.told, Peers::count);
      room.phase = 0;
    }
  ptx::barrier_cluster_arrive(ptx::sem_release);
  ptx::barrier_cluster_wait(ptx::sem_acquire);
#endif
}
template <typename Peers> __device__ inline void begin(meeting<Peers> &room) {
  begin(reinterpret_cast<meeting<Peers>(&)[1]>(room));
}

namespace detail {
template <typename Peers> __device__ inline void tell(meeting<Peers> &room) {
#ifdef TILELIFT_HAS_MULTICAST
  for (unsigned i = 0; i < Peers::count; ++i)
    arrive_at(room.told, Peers::first() + Peers::rank_of(i));
#endif
}
} // namespace detail

/// Tells all peers that this block has room, and waits until all have said so. The leader
/// calls it, once its threads are done with the tiles.
template <typename... Peers> __device__ inline void meet(meeting<Peers> &...rooms) {
#ifdef TILELIFT_HAS_MULTICAST
  if (!(Peers::are_there() && ...))
    return;
  (detail::tell(rooms), ...);
  (wait(rooms.told, rooms.phase), ...);
#endif
}

/// Whether this block loads a piece for all.
template <typename Peers> __device__ inline bool is_mine(int piece) {
#ifdef TILELIFT_HAS_MULTICAST
  return unsigned(piece) % Peers::count == Peers::number() || !Peers::are_there();
#else
  return true;
#endif
}

/// The copies of load, load_bytes and load_pixels, to the same place in all peers; what they
/// bring counts at the same barrier of each.
template <typename Peers, typename Map, int Rank>
__device__ inline void load_for_all(void *tile, const Map &map, const int (&at)[Rank],
                                    barrier &ready,
                                    cache_policy policy = cache_policy::evict_normal) {
#ifdef TILELIFT_HAS_MULTICAST
  detail::bring_box<detail::target::cluster>(detail::shared_address(tile), map, at,
                                             detail::shared_address(&ready.word), policy,
                                             detail::mask_of<Peers>());
#else
  load(tile, map, at, ready, policy);
#endif
}

template <typename Peers>
__device__ inline void load_bytes_for_all(void *tile, const void *from, unsigned bytes,
                                          barrier &ready,
                                          cache_policy policy = cache_policy::evict_normal) {
#ifdef TILELIFT_HAS_MULTICAST
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
               ".multicast::cluster.L2::cache_hint [%0], [%1], %2, [%3], %4, %5;" ::"r"(
                   detail::shared_address(tile)),
               "l"(__cvta_generic_to_global(from)), "r"(bytes),
               "r"(detail::shared_address(&ready.word)), "h"(detail::mask_of<Peers>()),
               "l"(static_cast<unsigned long long>(policy))
               : "memory");
#else
  load_bytes(tile, from, bytes, ready, policy);
#endif
}

template <typename Peers, bool InLines = false, typename Map, int Spatial>
__device__ inline void load_pixels_for_all(void *tile, const Map &map, int channel, int image,
                                           int pixel, const walk (&walks)[Spatial], barrier &ready,
                                           cache_policy policy = cache_policy::evict_normal) {
#ifdef TILELIFT_HAS_MULTICAST
  detail::bring_pixels<detail::target::cluster, InLines>(
      detail::shared_address(tile), map, channel, image, pixel, walks,
      detail::shared_address(&ready.word), policy, detail::mask_of<Peers>());
#else
  load_pixels<InLines>(tile, map, channel, image, pixel, walks, ready, policy);
#endif
}

} // namespace tilelift

#endif
