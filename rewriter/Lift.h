//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way through the house, for one parsed file.
//
//   Directive ──▶ CopyRelation ──▶ Plan ──▶ Edits
//
// Both hosts, the command-line tool and the Clang plugin, call this and nothing
// else of the rooms behind it. It decides what happens to a file as a whole:
// which copies are lifted, which stay plain, and whether there is an output at
// all. It prints nothing and touches no file.
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
  /// In the order of their places; severities as in the table.
  std::vector<Diagnostic> diagnostics;
  /// For --dump-relation, one for each copy and instantiation.
  llvm::json::Array relations;
  /// For --dump-plan, one for each kernel.
  llvm::json::Array plans;
  /// For --dump-effects, one for each instance of a kernel, in words.
  std::vector<std::string> effects;
  EditSet edits;
  /// Those that the edits add a kernel to.
  std::vector<LiftedKernel> kernels;
  /// How each of their instances is launched.
  std::vector<Recipe> recipes;
  bool anyRefused = false;
  /// How each instance of a kernel with copies may be called, the most exact name first: the
  /// driver's, then as a whole, with its scopes, and alone.
  std::vector<std::vector<std::string>> names;
  /// For the other files of the program.
  ProgramFacts facts;
};

/// As text, an element at a time on lines of its own.
std::string printed(const llvm::json::Array &list);

/// `directives` is what the pragma reader found while `context` was parsed.
/// `options` decides which refusals leave a copy plain instead of failing; `others` is
/// what the other files of the program say.
LiftResult lift(clang::ASTContext &context, const DirectiveList &directives,
                const DiagnosticOptions &options, const ProgramFacts &others = {},
                const Selection &selection = {});

} // namespace tilelift

#endif
