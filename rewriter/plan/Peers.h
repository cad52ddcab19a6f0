//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that several blocks of a cluster get at once: how large the cluster is, and which
// part of a tile each of them loads for all.
//
// Whether the blocks need the same is not known here.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_PEERS_H
#define TILELIFT_PLAN_PEERS_H

#include "plan/Plan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilelift {

/// More blocks are not in a cluster everywhere.
constexpr unsigned mostPeers = 8;

/// Cuts a box, or contiguous bytes, into a part for each of the plan's peers, or for as many
/// of them as there can be.
void cutForPeers(Plan &plan);

/// Tells of each value that says what a copy reads, or where it puts that.
void forEachPlace(const Plan &plan, llvm::function_ref<void(const Polynomial &)> tell);

} // namespace tilelift

#endif
