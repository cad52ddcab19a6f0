//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copies that one statement makes on one way to it, or why TMA cannot make them.
//
// What is tried: the statement as it stands; with arguments that all launches give as constants,
// where they decide how much is copied; and with choices that all threads make alike named instead
// of taken apart. What the copies of a kernel need together is decided in Instances.h.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_STATEMENTS_H
#define TILELIFT_KERNEL_STATEMENTS_H

#include "interpreter/Interpreter.h"
#include "kernel/FileFacts.h"
#include "kernel/KernelPlan.h"
#include "plan/Fit.h"

#include <set>

namespace tilelift {

/// All copies that a statement makes, or why not.
struct Attempt {
  std::vector<PlannedCopy> copies;
  std::vector<CopyRelation> relations;
  std::optional<Diagnostic> refusal;
  bool hasChoices = false;
  std::set<std::string> decidingArguments;

  /// What tells the blocks whose box is the copy from those that take the loop.
  size_t countGuards() const;
};

/// The best of what was tried; `under` learns which arguments it relies on.
Attempt planStatement(KernelUnderTest &under, const AnnotatedStatement &annotated,
                      const FileFacts &file);

/// What the directive of a statement says that it does.
CopyKind kindOf(const Directive &directive);

/// What a pragma's clauses and the device ask of a plan.
FitOptions fitOptionsOf(const Directive &directive, const Device &device);

} // namespace tilelift

#endif
