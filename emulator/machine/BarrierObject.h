//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An mbarrier: it counts arrivals and bytes, phase after phase.
//
// The counts are the hardware's; beside them stand what the messages need and
// what a thread knows that has waited. The object does not know threads that
// wait: the caller wakes them when a phase completes.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_BARRIEROBJECT_H
#define TILELIFT_EMULATOR_MACHINE_BARRIEROBJECT_H

#include "machine/Order.h"

#include <cstdint>
#include <vector>

namespace tilelift::emulator {

struct Thread;

struct BarrierObject {
  uint32_t expectedArrivals = 1; ///< of the next phases
  int64_t pendingArrivals = 1;
  int64_t pendingBytes = 0; ///< expected and not yet come; negative when they came first
  uint64_t phase = 0;

  // For messages.
  int64_t expectedBytes = 0, issuedBytes = 0, arrivedBytes = 0; ///< in this phase
  uint32_t expectSite = 0, issueSite = 0, initSite = 0;
  uint32_t initThread = 0, initClock = 0;

  // What waiting for a phase makes known.
  std::shared_ptr<Knowledge> gathered;
  Order::Shared previous; ///< of the phase that completed last

  std::vector<Thread *> waiting;

  bool isComplete() const { return pendingArrivals <= 0 && pendingBytes == 0; }
  void nextPhase() {
    ++phase;
    pendingArrivals = expectedArrivals;
    pendingBytes = 0;
    expectedBytes = issuedBytes = arrivedBytes = 0;
    previous = std::move(gathered);
    gathered = nullptr;
  }
  /// Whether a thread that waits for this parity may go on.
  bool hasCompleted(uint32_t parity) const { return (phase & 1) != (parity & 1); }
};

} // namespace tilelift::emulator

#endif
