//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an annotated statement of a kernel to its copy relation.
//
// Runs the statement for every thread of a block, gathers what was stored, and makes
// sure that all threads get there together.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_INTERPRETER_COPYANALYSIS_H
#define TILELIFT_INTERPRETER_COPYANALYSIS_H

#include "interpreter/Interpreter.h"

namespace tilelift {

/// A copy that a statement makes: its relation, and its tile, which is the shared array that it
/// fills or stores.
struct AnalysedCopy {
  CopyRelation relation;
  const clang::VarDecl *tile = nullptr;
};

struct CopyAnalysis {
  /// One copy for each tile. If stretches of a tile belong to different tensors, one copy for each
  /// stretch; but a tile with more than 8 stretches stays one copy, which the fit then refuses.
  std::vector<AnalysedCopy> copies;
  std::optional<Diagnostic> failure;
  /// Whether another analysis with KernelUnderTest::namesChoices may have another result.
  bool hasChoices = false;
  /// Arguments that decide a size which has to be known, by name.
  std::set<std::string> decidingArguments;
  /// If no thread reaches the copy: the statement on the way to it at which the thread that was run
  /// last ended. Null if threads reach the copy.
  const clang::Stmt *endOfWay = nullptr;
};

CopyAnalysis analyseCopy(const KernelUnderTest &kernel, const clang::Stmt *statement);

/// Whether a statement always writes all cells of a tile that are copied from it.
bool alwaysWrites(const KernelUnderTest &kernel, const clang::Stmt *statement,
                  const AnalysedCopy &copied);

} // namespace tilelift

#endif
