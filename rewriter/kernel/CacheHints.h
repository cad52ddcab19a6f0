//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What L2 is asked for beside the copies: rows that it fetches some rounds ahead, and the tensor
// that stays there while the kernel runs.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_CACHEHINTS_H
#define TILELIFT_KERNEL_CACHEHINTS_H

#include "kernel/Verdicts.h"

namespace tilelift {

/// Of copies ahead of their rounds, by how many rounds L2 is ahead of them. `inPipelines` are the
/// statements of all loops with a pragma for that, also of those that do not have it.
void planPrefetches(InstancePlan &instance, const llvm::DenseSet<const clang::Stmt *> &inPipelines,
                    Verdicts &verdicts);

/// A launch has one window of memory that stays in L2, which the host opens.
void planPersistence(InstancePlan &instance, Verdicts &verdicts);

} // namespace tilelift

#endif
