//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that several blocks of a cluster get at once: how many blocks there may be, and which
// part of a tile each of them loads for all.
//
// Whether the blocks need the same data is not decided here (kernel/Clusters.h).
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_PEERS_H
#define TILELIFT_PLAN_PEERS_H

#include "plan/Plan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilelift {

/// The most blocks of a cluster that all devices support.
constexpr unsigned mostPeers = 8;

/// Cuts a box, or contiguous bytes, into equal parts, one for each of the plan's peers. If that is
/// not possible, a box gets the largest possible number of parts that divides the number of peers.
/// What cannot be cut stays whole.
void cutForPeers(Plan &plan);

/// Calls `tell` with each value at the copy that determines what it reads, or where in shared
/// memory it writes.
void forEachPlacingValue(const Plan &plan, llvm::function_ref<void(const Polynomial &)> tell);

} // namespace tilelift

#endif
