//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How expressions are written in the files that a remedy changes.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_FIX_EXPRESSIONTEXT_H
#define TILELIFT_FIX_EXPRESSIONTEXT_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace tilelift {

/// The stretch of a file that an expression is written in, if it is one.
std::optional<clang::CharSourceRange> textOf(const clang::Expr *expression,
                                             const clang::ASTContext &context);

/// How an array's extents are written, the outermost first; nothing if they stand elsewhere.
llvm::SmallVector<const clang::Expr *, 4> extentTexts(const clang::VarDecl *array, size_t dims,
                                                      const clang::ASTContext &context);

/// Whether an expression binds at least as tightly as a sum, so that it can be compared, and text
/// be added to it, without parentheses.
bool bindsLikeSum(const clang::Expr *expression);

} // namespace tilelift

#endif
