//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lifted kernels call where the program waits for its copies in groups. Works under NVRTC.
//
// A program that copies by cp.async closes a group of copies (cp.async.commit_group), and waits for
// all groups but the newest ones (cp.async.wait_group). In the lifted kernel, a copy by TMA is on
// its way from where the program begins it until the program waits for its group:
//
//   __shared__ tilelift::barrier full[4];
//   tilelift::copy_groups<4, 1> groups(full);
//   ...
//   groups.reserve();
//   if (tilelift::leader()) {
//     tilelift::expect(groups.filling(), box::bytes);
//     tilelift::load(&tile, map, {x, y}, groups.filling());
//   }
//   groups.issue();
//   groups.close();     // at cp.async.commit_group
//   ...
//   groups.wait<1>();   // at cp.async.wait_group 1
//
// A cuda::pipeline waits for its oldest group, and hands it back: take_oldest(), or wait_oldest()
// and release_oldest().
//
// All threads of the block come to each of these calls equally often, because each thread counts
// the copies and groups for itself. The copies take turns with the barriers: copy number n
// completes the phase n / Slots of the barrier n % Slots.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_GROUPS_CUH
#define TILELIFT_GROUPS_CUH

#include <tilelift/device.cuh>

namespace tilelift {

/// At most `Slots` copies are on their way at once, and no wait leaves more than `Newest` groups.
template <int Slots, unsigned Newest> class copy_groups {
  static_assert(Slots > 0 && (Slots & (Slots - 1)) == 0, "the copies' numbers may wrap around");

public:
  /// Makes the barriers ready. Every thread of the block calls it, once.
  __device__ explicit copy_groups(barrier (&full)[Slots]) : full(full) {
    if (leader())
      for (barrier &each : full)
        set_up(each);
    __syncthreads();
  }
  copy_groups(const copy_groups &) = delete;
  /// No copy may be on its way to the shared memory of a block that has ended.
  __device__ ~copy_groups() { wait(); }

  /// Waits for the oldest copy if all barriers are taken. The barrier of the block keeps the leader
  /// from beginning the phase after the next one while some thread still waits for this one.
  __device__ void reserve() {
    if (issued - waited == Slots) {
      wait_until(waited + 1);
      __syncthreads();
    }
  }
  /// The barrier of the copy that is issued next.
  __device__ barrier &filling() { return full[issued % Slots]; }
  /// Counts a copy that the leader has issued.
  __device__ void issue() { ++issued; }
  /// The copies since the last group become a group.
  __device__ void close() {
#pragma unroll
    for (unsigned i = Newest; i > 0; --i)
      ends[i] = ends[i - 1];
    ends[0] = issued;
    ++closed;
  }
  /// Waits for all groups but the `Left` newest ones.
  template <unsigned Left> __device__ void wait() {
    static_assert(Left <= Newest, "the ends of so many groups are not known");
    wait_until(ends[Left]);
  }
  /// Waits for the oldest group that was not handed back yet, as a cuda::pipeline of the block
  /// does, and for some newer ones, too, if more than `Newest` groups are newer than that one.
  __device__ void wait_oldest() {
    const unsigned char open = closed - taken;
#pragma unroll
    for (unsigned left = 0; left <= Newest; ++left)
      if (open == left + 1 || (left == Newest && open > left))
        wait_until(ends[left]);
  }
  /// Hands the oldest group back.
  __device__ void release_oldest() { ++taken; }
  /// Waits for the oldest group and hands it back, if there is one, as a thread's own
  /// cuda::pipeline does.
  __device__ void take_oldest() {
    if (taken == closed)
      return;
    wait_oldest();
    release_oldest();
  }
  /// Waits for all copies, those in no group included.
  __device__ void wait() { wait_until(issued); }

private:
  /// Waits for the copies before number `end`.
  __device__ void wait_until(unsigned end) {
    for (; int(end - waited) > 0; ++waited) {
      unsigned phase = waited / Slots % 2;
      tilelift::wait(full[waited % Slots], phase);
    }
  }

  barrier (&full)[Slots];
  /// How many copies were issued, and how many of them this thread has waited for.
  unsigned issued = 0, waited = 0;
  /// How many groups were closed, and how many of them the program has handed back. Both have 8
  /// bits, as in a cuda::pipeline, so that they wrap around where its counters do.
  unsigned char closed = 0, taken = 0;
  /// ends[n]: how many copies were issued when the newest group but n was closed.
  unsigned ends[Newest + 1] = {};
};

} // namespace tilelift

#endif
