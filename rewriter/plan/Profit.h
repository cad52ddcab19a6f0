//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a copy is expected to take by TMA and as the program's loop, and why it is expected to be
// slower by TMA, if it is: the model of docs/costs.md, which was fitted to measured kernels.
//
// Of the rest of the kernel nothing is known here, but for what the caller says of the copy's wait.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_PROFIT_H
#define TILELIFT_PLAN_PROFIT_H

#include "plan/Plan.h"

namespace tilelift {

/// What a thread does for a copy in the plain kernel.
struct CopyWork {
  /// The number of accesses, on average over the block.
  double accesses = 0;
  unsigned bytesOfAccess = 1;
  /// The number of guards that differ, the same: zero where there are none.
  double guards = 0;
  /// Another statement loads what the copy stores to the tile.
  bool isLoadedBefore = false;

  /// How often a thread waits for memory, if it makes all of the copy: accesses under different
  /// guards follow one another, others are on their way together.
  unsigned waits() const;
};
CopyWork workOf(const CopyRelation &relation);

/// What hides the time in which copies are on their way.
enum class Hiding {
  Nothing,       ///< threads wait for them, once
  NothingInLoop, ///< threads wait for them, in each round of a loop
  ByProgram,     ///< the plain kernel's: it loads to another tile, or to registers, and computes
                 ///< meanwhile
  ByPipeline,    ///< they are made ahead of their round
};

/// The copies that wait together, as one.
struct WaitingCopies {
  bool areStores = false;
  Hiding hiding = Hiding::Nothing;
  Bytes bytes;
  /// Of a thread, on average.
  double accesses = 0;
  unsigned waits = 1;
  unsigned threads = 1;
  /// The kernel has no loop but those that copy, so that its blocks live little longer than the
  /// copies take.
  bool isMostOfBlock = false;
};

/// Why a copy is expected to be slower by TMA; `byTma` and `byLoop` are written as messages show
/// them, as in "1.79 us".
struct ExpectedLoss {
  std::string byTma, byLoop, reason;
};

/// Rows that are copies of their own, so short that the TMA unit is busy with them for longer than
/// memory takes to deliver them. `isAsync`: the loop copies by cp.async.
std::optional<ExpectedLoss> lossByRows(const Plan &plan, const CopyWork &work, bool isAsync);
/// Rows that lie otherwise than the program has them, and take the kernel's accesses to shared
/// memory more passes, where the loop has no waits that TMA saves.
std::optional<ExpectedLoss> lossByConflicts(const Plan &plan, const CopyWork &work);
/// So little to copy that the time counts which a thread or the block waits for the TMA unit.
std::optional<ExpectedLoss> lossByWait(const WaitingCopies &copies);

/// A row that is copied by an operation of its own takes as long as one of this length, even if it
/// is shorter.
constexpr Bytes fullRow{512};

} // namespace tilelift

#endif
