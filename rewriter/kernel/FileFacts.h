//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of the file whose kernels are planned. None of it changes meanwhile.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_FILEFACTS_H
#define TILELIFT_KERNEL_FILEFACTS_H

#include "directive/EarlyExits.h"
#include "directive/OtherFiles.h"
#include "directive/PragmaReader.h"
#include "directive/Program.h"
#include "effects/KernelEffects.h"
#include "kernel/Selection.h"

namespace tilelift {

struct FileFacts {
  clang::ASTContext &context;
  const DirectiveList &directives;
  /// What was found in the other files of the program: the kernels that they launch, and the
  /// launchers of the kernels that they lift.
  const ProgramFacts &others;
  const Selection &selection;
  const Program &program;
  const Effects &effects;
  /// The conditions of early exits that are asked not to hold.
  const ExitConditions &exits;
};

} // namespace tilelift

#endif
