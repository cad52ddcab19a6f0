//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses among the plans that a kernel can have: with rings that nobody asked for or without, and
// which copies stay loops because they are expected to be slower by TMA. Each choice is planned as
// a whole, since copies that stay loops may change the plans of the others.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_WRITABLE_WORTHWHILEPLAN_H
#define TILELIFT_WRITABLE_WORTHWHILEPLAN_H

#include "kernel/Kernels.h"
#include "writable/WritableKernel.h"

namespace tilelift {

struct ChosenPlan {
  PlannedKernel planned;
  /// The kernel as it can be written, or why it cannot; nothing if all of its copies stay loops.
  std::optional<std::variant<WritableKernel, Diagnostic>> writable;
};

/// Rings that nobody asked for are dropped if not all instances of the kernel get the same, or if
/// the kernel cannot be written with them. Nothing for an explicit specialization, of which no
/// copies are lifted.
std::optional<ChosenPlan> planWorthwhile(const AnnotatedKernel &kernel, const FileFacts &file,
                                         const SourceText &source, Verdicts &verdicts);

} // namespace tilelift

#endif
