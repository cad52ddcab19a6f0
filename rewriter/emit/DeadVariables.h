//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of a kernel that only the copies needed.
//
// Once the copies are gone, index arithmetic in front of them may have no reader
// left; compilers would warn about it. Only variables that a replaced stretch of
// text read are looked at, and only initializers without side effects go.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_DEADVARIABLES_H
#define TILELIFT_EMIT_DEADVARIABLES_H

#include "emit/KernelText.h"

namespace tilelift {

struct TextRange {
  unsigned begin = 0;
  unsigned end = 0;
  bool contains(unsigned offset) const { return begin <= offset && offset < end; }
};

struct DeadVariables {
  /// Declarations of which nothing is read any more.
  std::vector<const clang::DeclStmt *> dead;
  /// Declarations of several variables, some of them dead.
  std::vector<const clang::DeclStmt *> partlyDead;
};

/// `function` is the kernel, or a function on the way to a copy, whose text was changed. `replaced`
/// has the stretches of text that were removed, `written` the words of the text in their place.
/// `instances` has the call paths to the function in all instances of the kernel.
DeadVariables findDeadVariables(const SourceText &source, const clang::FunctionDecl *function,
                                std::vector<TextRange> replaced, const llvm::StringSet<> &written,
                                llvm::ArrayRef<CallPath> instances, const Effects &effects);

} // namespace tilelift

#endif
