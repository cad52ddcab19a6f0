//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who calls what in a file, and which expressions a function's parameters stand for in one way
// there. What such expressions are is not asked here.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_LINT_FRAMES_H
#define TILELIFT_LINT_FRAMES_H

#include "support/VariableFacts.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

#include <map>
#include <memory>

namespace tilelift {

/// A function, and the call by which it is entered; none where nobody knows.
struct Frame {
  const clang::FunctionDecl *function = nullptr;
  const clang::CallExpr *call = nullptr;
  std::shared_ptr<const Frame> caller;

  /// What is passed for a parameter; null where nobody knows.
  const clang::Expr *argumentFor(const clang::ParmVarDecl *parameter) const;
};

/// Functions with their bodies, those of templates as they are instantiated.
class Functions {
public:
  explicit Functions(clang::ASTContext &context);

  llvm::ArrayRef<const clang::FunctionDecl *> all() const { return defined; }
  /// Returns the chains of calls that lead into a function, up to a limit of their length and of
  /// their number.
  std::vector<std::shared_ptr<const Frame>> waysInto(const clang::FunctionDecl *function) const;
  const VariableFacts &factsOf(const clang::FunctionDecl *function) const;

  clang::ASTContext &context;

private:
  struct Call {
    const clang::CallExpr *call;
    const clang::FunctionDecl *caller;
  };
  std::vector<std::shared_ptr<const Frame>> waysInto(const clang::FunctionDecl *function,
                                                     unsigned depth) const;

  std::vector<const clang::FunctionDecl *> defined;
  std::map<const clang::FunctionDecl *, std::vector<Call>> calls;
  mutable std::map<const clang::FunctionDecl *, std::unique_ptr<VariableFacts>> facts;
};

/// Calls `visit` for every statement of a body, the bodies of lambdas left out: they are
/// functions of their own.
void forEachStatement(const clang::Stmt *body, llvm::function_ref<void(const clang::Stmt *)> visit);

} // namespace tilelift

#endif
