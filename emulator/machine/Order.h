//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happened before what, as far as the threads of a block can know.
//
// Each thread counts its own synchronizations; an access is remembered with the
// count at that time. A barrier of the whole block makes everything known to
// all; what a part of the block shares is kept as a vector of counts. Copies by
// the asynchronous proxy are numbered, and known or not known to be complete.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_ORDER_H
#define TILELIFT_EMULATOR_MACHINE_ORDER_H

#include <cstdint>
#include <memory>
#include <vector>

namespace tilelift::emulator {

/// What some threads made known: everything up to these counts, and copies.
struct Knowledge {
  std::vector<uint32_t> clocks; ///< by thread
  std::vector<uint32_t> copies;
};

class Order {
public:
  using Shared = std::shared_ptr<const Knowledge>;

  void reset(uint32_t threads);

  uint32_t clock(uint32_t thread) const { return clocks[thread]; }
  /// Whether `thread` knows what `other` did at `clock`.
  bool knows(uint32_t thread, uint32_t other, uint32_t clock) const {
    return clock <= known[other] || thread == other ||
           (extra[thread] && clock <= extra[thread]->clocks[other]);
  }
  /// Whether the asynchronous proxy sees what `thread` wrote at `clock`.
  bool isFenced(uint32_t thread, uint32_t clock) const { return clock < fences[thread]; }
  void fence(uint32_t thread) { fences[thread] = ++clocks[thread]; }

  // Copies.
  uint32_t newCopy();
  void learn(uint32_t thread, uint32_t copy);
  bool knowsCopy(uint32_t thread, uint32_t copy) const {
    const CopyState &state = copies[copy];
    return state.knownToAll || (state.known && (*state.known)[thread]);
  }

  // Synchronizations.
  std::shared_ptr<Knowledge> nothing() const;
  /// All threads of the block know all.
  void barrier();
  /// Adds what `thread` knows, and moves its clock on.
  void release(uint32_t thread, Knowledge &into);
  /// `thread` learns.
  void acquire(uint32_t thread, const Shared &from);

private:
  struct CopyState {
    bool knownToAll = false;
    std::unique_ptr<std::vector<bool>> known; ///< by thread, null while nobody knows
  };

  std::vector<uint32_t> clocks;
  std::vector<uint32_t> known; ///< of each thread, what all know
  std::vector<uint32_t> fences;
  std::vector<Shared> extra; ///< what a thread knows beyond
  std::vector<CopyState> copies;
  std::vector<uint32_t> live; ///< copies that not all know
  // The last join, which the next thread will most likely ask for again.
  Shared joinedFirst, joinedSecond, joined;
};

} // namespace tilelift::emulator

#endif
