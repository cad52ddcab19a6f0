//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a variable that a statement changes is read once it is done, before it is
// set anew.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ROUNDS_LIVENESS_H
#define TILELIFT_ROUNDS_LIVENESS_H

#include "support/VariableFacts.h"

namespace clang {
class ASTContext;
}

namespace tilelift {

/// On any path from the end of `statement`, which stands in `function`; by the statement
/// itself, too, in the next round of a loop around it.
bool isLiveAfter(const clang::VarDecl *variable, const clang::Stmt *statement,
                 const clang::FunctionDecl *function, clang::ASTContext &context,
                 const VariableFacts &facts);

} // namespace tilelift

#endif
