//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which tiles of a kernel are multicast to several blocks of a cluster, as a `multicast`
// clause asks: those that all of these blocks fill equally often, in the same order and with the
// same data.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_CLUSTERS_H
#define TILELIFT_KERNEL_CLUSTERS_H

#include "kernel/KernelPlan.h"

namespace tilelift {

/// A `multicast` clause that is refused, and the reason. `copy` is the index in
/// InstancePlan::copies of the copy that has the clause.
struct UnsharedTile {
  size_t copy = 0;
  Diagnostic reason;
};

/// Sets Plan::peers of the copies that are multicast, and InstancePlan::cluster. If a copy with
/// `fallback(loop)` cannot be multicast, adds a warning to `diagnostics`, and each block loads that
/// tile by itself. Returns the first `multicast` clause that has to be refused, or nothing: one
/// without that fallback, or one with an invalid number of blocks.
std::optional<UnsharedTile> shareTiles(InstancePlan &instance, const KernelEffects &effects,
                                       std::vector<Diagnostic> &diagnostics);

} // namespace tilelift

#endif
