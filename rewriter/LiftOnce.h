//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way of a file through the rooms: what it has is found, its kernels are planned, and their
// text is written. Which form of the file that is, with which statements joined and which exits
// taken out, is decided by Lift.cpp.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_LIFTONCE_H
#define TILELIFT_LIFTONCE_H

#include "Lift.h"
#include "directive/EarlyExits.h"
#include "writable/SplitCopies.h"

namespace tilelift {

/// What is the same in all forms of a file.
struct LiftInputs {
  clang::ASTContext &context;
  const DiagnosticOptions &options;
  const ProgramFacts &others;
  const Selection &selection;
};

/// A file as it is lifted, with what became of each pragma's copies.
struct LiftedOnce {
  LiftResult result;
  CopyOutcomes outcomes;
  Program program;
};

/// `exits` are the conditions in whose place threads left a kernel.
LiftedOnce liftOnce(const LiftInputs &inputs, const DirectiveList &directives,
                    const ExitConditions &exits);

} // namespace tilelift

#endif
