//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The innermost loop that a statement stands in, and whether a statement has labels to which a
// `goto` may jump.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_LOOPSANDLABELS_H
#define TILELIFT_SUPPORT_LOOPSANDLABELS_H

#include "support/VariableFacts.h"

#include "llvm/ADT/STLExtras.h"

namespace tilelift {

/// Null if there is none in the statement's function.
inline const clang::Stmt *innermostLoopAround(const clang::Stmt *statement,
                                              const VariableFacts &facts) {
  const clang::Stmt *around = facts.parentOf(statement);
  while (around && !isLoop(around))
    around = facts.parentOf(around);
  return around;
}

inline bool hasLabel(const clang::Stmt *statement) {
  return statement &&
         (llvm::isa<clang::LabelStmt>(statement) || llvm::any_of(statement->children(), hasLabel));
}

} // namespace tilelift

#endif
