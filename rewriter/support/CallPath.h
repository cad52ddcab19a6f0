//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a kernel gets to a copy that stands in a function it calls.
//
// The same function may be called from several places with other tiles and other
// tensors, so it is the path that has a copy, not the function.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_CALLPATH_H
#define TILELIFT_SUPPORT_CALLPATH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace clang {
class CXXRecordDecl;
class CallExpr;
class DeclContext;
class Expr;
class FunctionDecl;
class LambdaExpr;
class Stmt;
class VarDecl;
} // namespace clang

namespace tilelift {

class CallPath {
public:
  explicit CallPath(const clang::FunctionDecl *kernel) : functions{kernel} {}

  /// The path that goes on with a call; its callee has a body.
  CallPath with(const clang::CallExpr *call) const;

  const clang::FunctionDecl *kernel() const { return functions.front(); }
  /// The part of it that leads through so many functions.
  CallPath first(size_t depth) const;
  /// Where the copy stands.
  const clang::FunctionDecl *end() const { return functions.back(); }
  bool inKernel() const { return calls.empty(); }

  /// One more function than calls: call number n stands in function number n.
  llvm::ArrayRef<const clang::CallExpr *> getCalls() const { return calls; }
  llvm::ArrayRef<const clang::FunctionDecl *> getFunctions() const { return functions; }
  llvm::SmallVector<const clang::Stmt *, 4> bodies() const;

  /// How many of the functions there are up to the one whose text holds the copy: a
  /// lambda's text is part of the function around it.
  size_t textDepth() const;
  /// Whether both paths lead to the same text. The calls up to that text are the same; only calls
  /// of lambdas within it may differ.
  bool sameText(const CallPath &other) const;
  const clang::FunctionDecl *textFunction() const { return functions[textDepth() - 1]; }

  /// Returns a lambda on the path that is written outside of the path's functions; null if there is
  /// none.
  const clang::FunctionDecl *lambdaFromElsewhere() const;

  /// Whether code at the end of the path can name a local variable of some function.
  bool canName(const clang::VarDecl *variable) const;

private:
  llvm::SmallVector<const clang::CallExpr *, 2> calls;
  llvm::SmallVector<const clang::FunctionDecl *, 3> functions;
};

/// Who is called, or made; on which object, if it is a method's call; with what.
struct CallParts {
  const clang::FunctionDecl *callee = nullptr;
  const clang::Expr *object = nullptr;
  llvm::ArrayRef<const clang::Expr *> arguments;
};
/// Of a call, or of an object that is made.
CallParts partsOf(const clang::Expr *call);

/// What a call names in the text, with parentheses around it: its callee, or the object whose
/// operator() it calls.
const clang::Expr *calledInText(const clang::CallExpr *call);

/// Whether another method may be called than the one that is named: that of the object's own class.
bool isVirtual(const clang::CallExpr *call);
/// The function with a body that a call runs, or null.
const clang::FunctionDecl *calledBody(const clang::CallExpr *call);
/// The same of a call or of an object that is made, or null.
const clang::FunctionDecl *functionRunBy(const clang::Stmt *statement);
bool isLambda(const clang::FunctionDecl *function);
/// The bodies that calls of a lambda run. A generic lambda has one for each of its instantiations.
llvm::SmallVector<const clang::Stmt *, 2> bodiesOf(const clang::LambdaExpr *lambda);
/// The parts of a statement that run with it. Of a lambda these are the initialisers of its
/// captures, and the bodies that its calls run.
llvm::SmallVector<const clang::Stmt *, 8> executedIn(const clang::Stmt *statement);
/// The closure classes of a lambda and of the lambdas that it is written in, the innermost first;
/// none if the function is no lambda.
llvm::SmallVector<const clang::CXXRecordDecl *, 2>
closuresAround(const clang::FunctionDecl *function);
/// Where the text of a function stands that is a lambda, or a lambda in a lambda; the function
/// itself if it is none.
const clang::DeclContext *textAround(const clang::FunctionDecl *function);

/// Whether a variable is a parameter that comes from a parameter pack. The pack's name, which is
/// also the variable's, names no single variable.
bool isOfPack(const clang::VarDecl *variable);

} // namespace tilelift

#endif
