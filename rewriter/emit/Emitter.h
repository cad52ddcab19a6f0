//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From plans to text.
//
// For each kernel: a sibling beside it, the original's text with the copies
// replaced; a launcher that checks, encodes and launches; and the launches of
// this file turned into calls of the launcher. No legality is decided here.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_EMITTER_H
#define TILELIFT_EMIT_EMITTER_H

#include "directive/OtherFiles.h"
#include "directive/PragmaReader.h"
#include "directive/Program.h"
#include "effects/KernelEffects.h"
#include "emit/Recipe.h"
#include "kernel/KernelPlan.h"
#include "kernel/Selection.h"
#include "text/EditSet.h"

namespace tilelift {

/// A kernel, and what the one beside it is called.
struct LiftedKernel {
  Place place;
  std::string name;
  std::string lifted;
};

struct EmitResult {
  EditSet edits;
  std::vector<Diagnostic> diagnostics;
  /// Kernels that cannot be written.
  std::vector<const clang::FunctionDecl *> refused;
  /// Of kernels that other files may launch, by their shared names.
  std::map<std::string, std::string> launchers;
  std::vector<LiftedKernel> kernels;
  /// One for each instance that is lifted.
  std::vector<Recipe> recipes;
};

EmitResult emit(clang::ASTContext &context, const std::vector<KernelPlan> &kernels,
                const Program &program, const DirectiveList &directives, const ProgramFacts &others,
                const Effects &effects, Output output = Output::Program);

} // namespace tilelift

#endif
