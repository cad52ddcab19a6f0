//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lifts one parsed file: finds its copies, plans them, and writes the edits of the file.
//
//   Directive ──▶ CopyRelation ──▶ Plan ──▶ Edits
//
// host/LiftFile.h calls it, for all hosts. It decides what happens to a file as a
// whole: which copies are lifted, which stay plain, and whether there is an output
// at all. It prints nothing and touches no file.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_LIFT_H
#define TILELIFT_LIFT_H

#include "directive/Directive.h"
#include "directive/OtherFiles.h"
#include "directive/PragmaReader.h"
#include "emit/Emitter.h"
#include "kernel/Selection.h"
#include "plan/Plan.h"

namespace clang {
class ASTContext;
}

namespace tilelift {

struct LiftResult {
  /// The messages in the order of their places, with the severities of the table.
  std::vector<Diagnostic> diagnostics;
  /// For --dump-relation, one for each copy and instantiation.
  llvm::json::Array relations;
  /// For --dump-plan, one for each kernel.
  llvm::json::Array plans;
  /// For --dump-effects, one for each instance of a kernel, in words.
  std::vector<std::string> effects;
  EditSet edits;
  /// The kernels for which the edits add a lifted kernel.
  std::vector<LiftedKernel> kernels;
  /// What a host has to do to launch each instance of these kernels.
  std::vector<Recipe> recipes;
  bool anyRefused = false;
  /// The names of each instance of a kernel with copies, the most exact one first: the mangled
  /// name, the qualified name with template arguments, the qualified name without them, and the
  /// bare name.
  std::vector<std::vector<std::string>> names;
  /// The launches and launchers of this file that other files of the program have to know.
  ProgramFacts facts;
};

/// Prints a list as indented JSON.
std::string printed(const llvm::json::Array &list);

/// Lifts a file. `directives` is what the pragma reader found while `context` was parsed. `options`
/// decides which refusals leave a copy plain instead of failing. `others` has the launches and
/// launchers that were found in the other files of the program.
LiftResult lift(clang::ASTContext &context, const DirectiveList &directives,
                const DiagnosticOptions &options, const ProgramFacts &others = {},
                const Selection &selection = {});

} // namespace tilelift

#endif
