//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lifted kernels call where a warp of its own makes the copies. Works under NVRTC.
//
// The launch adds threads behind those of the block. One of them, the producer, fills the
// tiles of a ring as they get free; the program's own threads, the consumers, wait for each
// tile, and give it back once they are at the next one. No barrier of the block is needed
// between them, and barriers of the program are for consumers alone:
//
//   constexpr tilelift::block_size block = {256, 1, 1};
//   __shared__ tilelift::barrier full[3], empty[3];
//   tilelift::supply<3> place = tilelift::begin(full, empty, block);
//   if (tilelift::is_added(block)) {
//     if (tilelift::is_producer(block))
//       for (...) {
//         const int next = place.claim(full, empty, box::bytes);
//         tilelift::load(tiles[next].data(), map, {x, y}, full[next]);
//       }
//     return;
//   }
//   for (...) {
//     place.advance(empty);
//     tilelift::wait(full, place);
//     ... tiles[place.stage] ...
//   }
//
// If the producer copies rows that are looked up, all lanes of its warp look them up and copy them,
// and the first lane alone does what is done once, such as announcing the bytes.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PRODUCER_CUH
#define TILELIFT_PRODUCER_CUH

#include <tilelift/device.cuh>

namespace tilelift {

/// Whether this thread is one that the launch has added: behind the others in the last
/// dimension that the block has.
__device__ inline bool is_added(block_size block) {
  return block.z > 1   ? threadIdx.z >= block.z
         : block.y > 1 ? threadIdx.y >= block.y
                       : threadIdx.x >= block.x;
}

/// The first of them.
__device__ inline bool is_producer(block_size block) {
  return block.z > 1   ? threadIdx.z == block.z && threadIdx.y == 0 && threadIdx.x == 0
         : block.y > 1 ? threadIdx.y == block.y && threadIdx.x == 0
                       : threadIdx.x == block.x;
}

/// All of its warp, where its lanes share the work.
__device__ inline bool is_producer_warp(block_size block) {
  return detail::number_in_block() / 32 == block.x * block.y * block.z / 32;
}
__device__ inline bool is_first_lane() { return ptx::get_sreg_laneid() == 0; }

/// A barrier of the program's own threads.
__device__ inline void sync(block_size block) {
  asm volatile("barrier.cta.sync 1, %0;" ::"r"(block.x * block.y * block.z) : "memory");
}

/// Where a thread is in a ring of tiles that a producer fills.
template <int Stages> struct supply {
  int stage = Stages - 1;
  /// The parity of the phase in which the tile of this stage is filled.
  unsigned phase = 1;
  /// Whether the consumer has a tile of this stage.
  bool holds = false;

  /// A consumer goes to the next tile, and is done with the one before. One thread for a
  /// whole warp would do, and save 1 % of a product with `mma`, but compute-sanitizer takes
  /// that for a race.
  __device__ void advance(barrier (&empty)[Stages]) {
    if (holds)
      TILELIFT_ON_TMA((void)ptx::mbarrier_arrive(&empty[stage].word));
    holds = true;
    move();
  }
  /// The producer's: waits until the next tile is free, announces its bytes, and says which
  /// it is.
  __device__ int claim(barrier (&full)[Stages], barrier (&empty)[Stages], unsigned bytes) {
    wait_for_next(empty);
    expect(full[stage], bytes);
    return stage;
  }
  /// The same by all lanes of its warp.
  __device__ int claim_by_warp(barrier (&full)[Stages], barrier (&empty)[Stages], unsigned bytes) {
    wait_for_next(empty);
    if (is_first_lane())
      expect(full[stage], bytes);
    __syncwarp();
    return stage;
  }

private:
  __device__ void wait_for_next(barrier (&empty)[Stages]) {
    move();
    unsigned freed = phase ^ 1; // of a tile that nobody has had yet, a phase that is over
    wait(empty[stage], freed);
    TILELIFT_ON_TMA(ptx::fence_proxy_async(ptx::space_shared)); // consumers read it by other ways
  }
  __device__ void move() {
    if (++stage == Stages) {
      stage = 0;
      phase ^= 1;
    }
  }
};

/// Makes a ring's barriers ready for all threads, added ones as well. Each of them calls it,
/// once.
template <int Stages>
__device__ inline supply<Stages> begin(barrier (&full)[Stages], barrier (&empty)[Stages],
                                       block_size block) {
  if (leader(block))
    for (int i = 0; i < Stages; ++i) {
      set_up(full[i]);
      set_up(empty[i], block.x * block.y * block.z);
    }
  __syncthreads();
  return {};
}

/// Waits until the tile of this stage is there.
template <int Stages>
__device__ inline void wait(barrier (&full)[Stages], const supply<Stages> &place) {
  unsigned phase = place.phase;
  wait(full[place.stage], phase);
}

} // namespace tilelift

#endif
