//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans two uses of the L2 cache besides the copies themselves: the kernel prefetches a tile some
// rounds before its copy is issued (`prefetch`), and the host keeps a tensor in L2 while the kernel
// runs (`persist`).
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_CACHEHINTS_H
#define TILELIFT_KERNEL_CACHEHINTS_H

#include "kernel/Verdicts.h"

namespace tilelift {

/// Sets PlannedCopy::prefetched of each copy with a `prefetch(n)` clause. Refuses the clause of a
/// copy that no pipeline issues ahead of its round, or whose rows are looked up. `inPipelines` has
/// the copies in all loops with `#pragma tma pipeline`, also in loops that did not become
/// pipelines; it decides on the reason in the message.
void planPrefetches(InstancePlan &instance, const llvm::DenseSet<const clang::Stmt *> &inPipelines,
                    Verdicts &verdicts);

/// Adds a `persist` call to InstancePlan::launchCalls for the `persist` clause of a copy. A launch
/// has only one access policy window, so a second `persist` clause of the instance is refused.
void planPersistence(InstancePlan &instance, Verdicts &verdicts);

} // namespace tilelift

#endif
