//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that a loop makes ahead of their rounds: which names they can use there, how many stages
// their ring has, whether a producer warp makes them, and whether the round's store gets a second
// tile.
//
// Which statements a round is made of is found in rounds/Rounds.h, and what may be moved ahead in
// facts/CopyAhead.h.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_PIPELINES_H
#define TILELIFT_KERNEL_PIPELINES_H

#include "kernel/FileFacts.h"
#include "kernel/Verdicts.h"

namespace tilelift {

/// Plans that all loads of the annotated loop are issued ahead of their rounds, or none of them. In
/// the latter case, reports the reason, unless the loop has no loads because the user did not
/// select them. Stores stay in their rounds.
void planPipeline(InstancePlan &instance, const AnnotatedStatement &annotated,
                  const FileFacts &file, Verdicts &verdicts);

/// Plans that loads are issued ahead of their rounds in loops without a pipeline pragma, wherever
/// that is possible and the rings leave an SM as many blocks as before, or two or more blocks with
/// 1024 threads. `asked` are the statements in loops with a pipeline pragma.
void planOwnRings(InstancePlan &instance, const llvm::DenseSet<const clang::Stmt *> &asked,
                  const FileFacts &file);

/// The loop that a pragma stands before, without the attributes that pragmas such as `unroll` give
/// it.
const clang::Stmt *loopOf(const AnnotatedStatement &annotated);

/// The most rounds that a clause may ask a copy to be ahead.
constexpr unsigned mostRoundsAhead = 64;

} // namespace tilelift

#endif
