//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copies that one statement makes on one way to it, or why TMA cannot make them.
//
// What is tried: the statement as it stands; with the values that launches pass as constants for
// arguments that decide how much is copied, of each argument the first such value; and with each
// variable whose value depends on a block-uniform branch represented by a symbol, instead of by one
// case for each side of the branch. What the copies of a kernel need together is decided in
// Instances.h.
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

  /// The number of guard conditions that are tested at the copies. A block for which they hold uses
  /// TMA, any other block runs the loop.
  size_t countGuards() const;
};

/// Returns the best attempt. Sets `under.givenArguments` to the argument values that it assumes.
Attempt planStatement(KernelUnderTest &under, const AnnotatedStatement &annotated,
                      const FileFacts &file);

/// What the directive of a statement says that it does.
CopyKind kindOf(const Directive &directive);

/// What a pragma's clauses and the device ask of a plan.
FitOptions fitOptionsOf(const Directive &directive, const Device &device);

} // namespace tilelift

#endif
