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

/// Where a copy stands and which shared array it fills.
struct AnalysedCopy {
  CopyRelation relation;
  const clang::VarDecl *tile = nullptr;
};

struct CopyAnalysis {
  /// One copy for each tile that the statement fills, and for each tensor that it fills
  /// a stretch of a tile from.
  std::vector<AnalysedCopy> copies;
  std::optional<Diagnostic> failure;
  /// Whether another analysis with KernelUnderTest::namesChoices may have another result.
  bool hasChoices = false;
  /// Arguments that decide a size which has to be known, by name.
  std::set<std::string> decidingArguments;
  /// If no thread gets to the copy, the statement behind which the last thread does not go on.
  const clang::Stmt *endOfWay = nullptr;
};

CopyAnalysis analyseCopy(const KernelUnderTest &kernel, const clang::Stmt *statement);

/// Whether a statement always writes all cells of a tile that are copied from it.
bool alwaysWrites(const KernelUnderTest &kernel, const clang::Stmt *statement,
                  const AnalysedCopy &copied);

} // namespace tilelift

#endif
