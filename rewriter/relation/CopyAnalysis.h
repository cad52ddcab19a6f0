//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an annotated statement of a kernel to its copy relation.
//
// Runs the statement for every thread of a block and gathers what was stored;
// makes sure that all threads get there together; and looks at the rest of the
// kernel for what it allows to happen to the tile's layout.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_RELATION_COPYANALYSIS_H
#define TILELIFT_RELATION_COPYANALYSIS_H

#include "relation/Interpreter.h"

#include <variant>

namespace tilelift {

/// Where a copy stands and which shared array it fills.
struct AnalysedCopy {
  CopyRelation relation;
  const clang::VarDecl *tile = nullptr;
};

std::variant<AnalysedCopy, Diagnostic> analyseCopy(const KernelUnderTest &kernel,
                                                   const clang::Stmt *statement);

/// The static shared memory that a kernel declares, in bytes.
int64_t staticSharedBytes(const clang::FunctionDecl *kernel);

/// Looks at all uses of a shared array and fills in what they need of its layout;
/// those in the copy itself are kept apart.
void describeUses(SharedTile &tile, const clang::VarDecl *variable, const KernelUnderTest &kernel,
                  const clang::Stmt *copy);

/// Whether the kernel may write through the pointer that a copy reads from.
bool mayWriteThrough(const clang::FunctionDecl *kernel, llvm::StringRef parameter);

} // namespace tilelift

#endif
