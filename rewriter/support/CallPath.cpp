//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/CallPath.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ASTLambda.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

CallParts partsOf(const Expr *expression) {
  CallParts parts;
  if (const auto *made = dyn_cast<CXXConstructExpr>(expression))
    return {made->getConstructor(), nullptr, {made->getArgs(), made->getNumArgs()}};
  const auto *call = cast<CallExpr>(expression);
  parts.callee = call->getDirectCallee();
  parts.arguments = {call->getArgs(), call->getNumArgs()};
  if (const auto *member = dyn_cast<CXXMemberCallExpr>(call)) {
    parts.object = member->getImplicitObjectArgument();
  } else if (isa<CXXOperatorCallExpr>(call) && isa_and_nonnull<CXXMethodDecl>(parts.callee)) {
    parts.object = parts.arguments.front();
    parts.arguments = parts.arguments.drop_front();
  }
  return parts;
}

const Expr *calledInText(const CallExpr *call) {
  const auto *op = dyn_cast<CXXOperatorCallExpr>(call);
  return op ? op->getArg(0) : call->getCallee()->IgnoreImpCasts();
}

bool isVirtual(const CallExpr *call) {
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee());
  if (!method || !method->isVirtual())
    return false;
  const auto *member = dyn_cast<MemberExpr>(call->getCallee()->IgnoreParens());
  const Expr *object = member ? member->getBase() : call->getArg(0); // that of an operator
  if (member && member->hasQualifier())
    return false;
  const CXXMethodDecl *known = method->getDevirtualizedMethod(object, /*IsAppleKext=*/false);
  return !known || known->getCanonicalDecl() != method->getCanonicalDecl();
}

const FunctionDecl *calledBody(const CallExpr *call) {
  const FunctionDecl *callee = call->getDirectCallee(), *definition = nullptr;
  return callee && !isVirtual(call) && callee->hasBody(definition) ? definition : nullptr;
}

const FunctionDecl *functionRunBy(const Stmt *statement) {
  const FunctionDecl *definition = nullptr;
  if (const auto *construct = dyn_cast<CXXConstructExpr>(statement))
    return construct->getConstructor()->hasBody(definition) ? definition : nullptr;
  const auto *call = dyn_cast<CallExpr>(statement);
  return call ? calledBody(call) : nullptr;
}

SmallVector<const Stmt *, 2> bodiesOf(const LambdaExpr *lambda) {
  const FunctionTemplateDecl *pattern = lambda->getLambdaClass()->getDependentLambdaCallOperator();
  if (!pattern)
    return {lambda->getBody()};
  SmallVector<const Stmt *, 2> bodies;
  for (const FunctionDecl *instance : pattern->specializations())
    if (instance->hasBody())
      bodies.push_back(instance->getBody());
  return bodies;
}

SmallVector<const Stmt *, 8> executedIn(const Stmt *statement) {
  const auto *lambda = dyn_cast<LambdaExpr>(statement);
  if (!lambda)
    return {statement->child_begin(), statement->child_end()};
  SmallVector<const Stmt *, 8> parts(lambda->capture_init_begin(), lambda->capture_init_end());
  parts.append(bodiesOf(lambda));
  return parts;
}

bool isLambda(const FunctionDecl *function) { return isLambdaCallOperator(function); }

CallPath CallPath::with(const CallExpr *call) const {
  CallPath longer = *this;
  longer.calls.push_back(call);
  longer.functions.push_back(calledBody(call));
  return longer;
}

CallPath CallPath::first(size_t depth) const {
  CallPath shorter = *this;
  shorter.functions.resize(depth);
  shorter.calls.resize(depth - 1);
  return shorter;
}

SmallVector<const Stmt *, 4> CallPath::bodies() const {
  SmallVector<const Stmt *, 4> result;
  for (const FunctionDecl *function : functions)
    result.push_back(function->getBody());
  return result;
}

namespace {

const DeclContext *aroundLambda(const FunctionDecl *lambda) {
  return cast<CXXMethodDecl>(lambda)->getParent()->getDeclContext();
}

/// Whether the text of a lambda can say a variable's name and mean its value now; what
/// is captured by copy anew has the value of when the lambda was made.
bool isCapturable(const FunctionDecl *lambda, const VarDecl *variable) {
  const CXXRecordDecl *closure = cast<CXXMethodDecl>(lambda)->getParent();
  const SourceManager &sources = lambda->getASTContext().getSourceManager();
  if (!sources.isBeforeInTranslationUnit(variable->getLocation(), closure->getLocation()))
    return false;
  return closure->getLambdaCaptureDefault() == LCD_ByRef ||
         llvm::any_of(closure->captures(), [&](const LambdaCapture &capture) {
           return capture.capturesVariable() && capture.getCapturedVar() == variable;
         });
}

} // namespace

SmallVector<const CXXRecordDecl *, 2> closuresAround(const FunctionDecl *function) {
  SmallVector<const CXXRecordDecl *, 2> closures;
  const DeclContext *at = function;
  while (at && isa<FunctionDecl>(at) && isLambda(cast<FunctionDecl>(at))) {
    closures.push_back(cast<CXXMethodDecl>(at)->getParent());
    at = closures.back()->getDeclContext();
  }
  return closures;
}

const DeclContext *textAround(const FunctionDecl *function) {
  const SmallVector<const CXXRecordDecl *, 2> closures = closuresAround(function);
  return closures.empty() ? function : closures.back()->getDeclContext();
}

size_t CallPath::textDepth() const {
  size_t depth = functions.size();
  const DeclContext *text = textAround(end());
  while (depth > 1 && functions[depth - 1] != text)
    --depth;
  return depth;
}

bool CallPath::sameText(const CallPath &other) const {
  size_t depth = textDepth();
  return depth == other.textDepth() &&
         ArrayRef(calls).take_front(depth - 1) == ArrayRef(other.calls).take_front(depth - 1);
}

const FunctionDecl *CallPath::lambdaFromElsewhere() const {
  for (const FunctionDecl *function : functions) {
    const DeclContext *text = textAround(function);
    if (llvm::none_of(functions, [&](const FunctionDecl *each) { return each == text; }))
      return function;
  }
  return nullptr;
}

bool isOfPack(const VarDecl *variable) {
  const auto *parameter = dyn_cast<ParmVarDecl>(variable);
  const auto *function = parameter ? dyn_cast<FunctionDecl>(parameter->getDeclContext()) : nullptr;
  const FunctionDecl *pattern = function ? function->getTemplateInstantiationPattern() : nullptr;
  return pattern && llvm::any_of(pattern->parameters(), [&](const ParmVarDecl *each) {
           return each->isParameterPack() && each->getLocation() == parameter->getLocation();
         });
}

bool CallPath::canName(const VarDecl *variable) const {
  if (isOfPack(variable))
    return false;
  const DeclContext *owner = variable->getDeclContext();
  for (const DeclContext *at = end(); at != owner; at = aroundLambda(cast<FunctionDecl>(at)))
    if (!isa<FunctionDecl>(at) || !isLambda(cast<FunctionDecl>(at)) ||
        !isCapturable(cast<FunctionDecl>(at), variable))
      return false;
  return true;
}

} // namespace tilelift
