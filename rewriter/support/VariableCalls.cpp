//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calls and lambdas do to the variables that they get, capture or are called for.
//===----------------------------------------------------------------------===//

#include "support/VariableFacts.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

bool isLater(const Change &change) { return change.kind != Change::Kind::Initialised; }

/// Whether a lambda that captures a variable may see another value, or leave one: by a change
/// inside it or, if it has a copy, by any later change.
bool mattersToLambda(ArrayRef<Change> changes, bool isCopied,
                     function_ref<bool(const Change &)> isInside) {
  return llvm::any_of(
      changes, [&](const Change &change) { return isCopied ? isLater(change) : isInside(change); });
}

/// Whether a variable is only changed afterwards by a lambda, which changes its copy if it has one.
bool isOnlyChangedInside(ArrayRef<Change> changes, function_ref<bool(const Change &)> isInside) {
  return llvm::all_of(changes,
                      [&](const Change &change) { return !isLater(change) || isInside(change); });
}

const VarDecl *capturedBy(const LambdaCapture &capture) {
  return capture.capturesVariable() ? dyn_cast<VarDecl>(capture.getCapturedVar()) : nullptr;
}

/// What a name stands for: what it leads to, if it is a reference and that is known.
const VarDecl *meantBy(const VarDecl *named,
                       const MapVector<const VarDecl *, const VarDecl *> &referents) {
  const VarDecl *referent = named->getType()->isReferenceType() ? referents.lookup(named) : nullptr;
  return referent ? referent : named;
}

} // namespace

/// A kernel's own parameters lead to none of its variables.
void VariableFacts::findConstDrops(const CallPath &path) {
  dropsConst = constDrops.in(path.kernel()).ofAnything;
  for (const CallExpr *call : path.getCalls())
    dropsConst |= constDrops.in(calledBody(call)).any();
}

const BrokenPromises &VariableFacts::promisesOf(const FunctionDecl *callee) {
  static const BrokenPromises none;
  return callee && constPointers == ConstPointers::MayWrite ? constDrops.in(callee) : none;
}

/// What a call got as a constant may be a part of its result, which is more than a value.
bool VariableFacts::mayComeBack(const CallExpr *call) const {
  const QualType type = call->getCallReturnType(call->getDirectCallee()->getASTContext());
  const auto *use = dyn_cast_or_null<ImplicitCastExpr>(parentOf(call));
  const bool isRead = use && use->getCastKind() == CK_LValueToRValue;
  return dropsConst && !isRead &&
         (type->isReferenceType() || type->isPointerType() || type->isRecordType());
}

/// An object is changed by its methods; what is passed by reference, by anybody.
void VariableFacts::noteCall(const CallExpr *call) {
  const auto [callee, object, arguments] = partsOf(call);
  const BrokenPromises &broken = promisesOf(callee);
  if (object) {
    ObjectUse use = useOfObject(call);
    if (use.isChanged || broken.ofObject || broken.ofAnything)
      note(object, {call, Change::Kind::Unclear, call});
    if (use.isKept)
      escapeThrough(object);
    if (use.isReturned)
      noteResult(call, object);
  }
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const bool isConstant = callee && i < callee->getNumParams() && alone &&
                            !mayWriteTo(callee->getParamDecl(i)->getType().getNonReferenceType());
    if (arguments[i]->getType()->isArrayType() && !isConstant)
      escapeThrough(arguments[i]);
    // A function that gets a reference to a part of the object may return that reference.
    if (alone && !arguments[i]->isPRValue() && rootOf(arguments[i]) == alone)
      returnsObject |= call->isGLValue() || mayReferTo(call->getType());
    if (!callee || i >= callee->getNumParams() || isBoundInBody(call, i))
      continue;
    const bool writesConst = broken.of(i) || mayComeBack(call);
    if (writesConst || !noteReferenceArgument(call, i))
      noteArgument(callee->getParamDecl(i)->getType(), arguments[i], writesConst);
  }
}

/// Whether all that a function does with a reference is seen in its body: what it is bound to is a
/// variable of these functions.
bool VariableFacts::isBoundInBody(const CallExpr *call, unsigned argument) const {
  const FunctionDecl *body = followedCalls.contains(call) ? calledBody(call) : nullptr;
  const Expr *passed = partsOf(call).arguments[argument];
  return body && !isLambda(body) &&
         body->getParamDecl(argument)->getType()->isLValueReferenceType() && rootOf(passed) &&
         !passed->getType()->isArrayType();
}

/// What `const` keeps from being written, unless the callee writes it all the same.
void VariableFacts::noteArgument(QualType type, const Expr *argument, bool writesConst) {
  noteReference(type, argument);
  if (!writesConst)
    return;
  const Expr *passed = argument->IgnoreParenImpCasts();
  if (type->isReferenceType() || passed->getType()->isArrayType())
    escapeThrough(passed);
}

/// The body stands in the place of the call, and begins with its arguments.
void VariableFacts::collectCallee(const CallExpr *call) {
  const FunctionDecl *callee = calledBody(call);
  ArrayRef<const Expr *> arguments = partsOf(call).arguments;
  for (size_t i = 0; i < callee->getNumParams(); ++i) {
    const ParmVarDecl *parameter = callee->getParamDecl(unsigned(i));
    order.insert(parameter);
    const Expr *argument = i < arguments.size() ? arguments[i] : nullptr;
    changes[parameter].push_back(
        {call, argument ? Change::Kind::Initialised : Change::Kind::Unclear, argument});
    if (uses->isKeptBy(argument))
      escaped.insert(parameter);
  }
  bool isKnown = parents.contains(callee->getBody()); // of a lambda
  parents[callee->getBody()] = call;
  if (isKnown)
    return;
  for (size_t i = 0; i < callee->getNumParams() && i < arguments.size(); ++i)
    bind(callee->getParamDecl(unsigned(i)), arguments[i]);
  const auto *method = dyn_cast<CXXMethodDecl>(callee);
  isInMethod = method && method->isInstance() && !isLambda(method);
  const Expr *object = isInMethod ? partsOf(call).object : nullptr;
  self = object ? rootOf(object) : nullptr;
  if (self)
    selves.push_back(self);
  collect(callee->getBody());
}

/// Whether a variable that a lambda captures by copy still has the captured value in every call of
/// the lambda. That is so if the lambda is called at once; or if it initialises a variable that is
/// only called, and nothing in the rest of that variable's block changes the captured variable.
bool VariableFacts::isCopyTrue(const LambdaExpr *lambda, const VarDecl *captured) const {
  auto changes = [&](const Stmt *part) {
    return llvm::any_of(changesWithin(captured, part), isLater);
  };
  const Stmt *at = parentOf(lambda);
  while (isa_and_nonnull<CXXConstructExpr, FullExpr, MaterializeTemporaryExpr, ImplicitCastExpr,
                         ParenExpr, CXXBindTemporaryExpr>(at))
    at = parentOf(at);
  if (const auto *call = dyn_cast_or_null<CXXOperatorCallExpr>(at); call && isCalled(lambda))
    return !changes(call);
  const auto *declaration = dyn_cast_or_null<DeclStmt>(at);
  const auto *closure = declaration && declaration->isSingleDecl()
                            ? dyn_cast<VarDecl>(declaration->getSingleDecl())
                            : nullptr;
  const auto *block = declaration ? dyn_cast_or_null<CompoundStmt>(parentOf(declaration)) : nullptr;
  if (!block || !closure || !isLocal(closure) || keptClosures.contains(closure) ||
      closure->getType()->getAsCXXRecordDecl() != lambda->getLambdaClass())
    return false;
  return llvm::none_of(ArrayRef(llvm::find(block->body(), declaration), block->body_end()),
                       changes);
}

/// A variable that a lambda changes is changed whenever that is called, and one that
/// it has a copy of is not what it sees. By a reference it has a copy of what that leads to.
void VariableFacts::escapeFromLambdas() {
  for (const LambdaExpr *lambda : lambdas)
    for (const LambdaCapture &capture : lambda->captures()) {
      auto isInside = [&](const Change &change) { return isInLambda(change.statement, lambda); };
      if (capture.capturesThis() && alone && alone == self &&
          llvm::any_of(changesOf(self), isInside))
        escaped.insert(self);
      const VarDecl *named = capturedBy(capture);
      if (!named)
        continue;
      const bool isCopied = capture.getCaptureKind() == LCK_ByCopy;
      const VarDecl *variable = meantBy(named, referents);
      if (isCopied && named->getType()->isReferenceType() && !referents.lookup(named))
        copiedReferences.insert(named);
      if ((isCopied && isCopyTrue(lambda, variable)) ||
          !mattersToLambda(changesOf(variable), isCopied, isInside))
        continue;
      if (!isCopied || !isOnlyChangedInside(changesOf(variable), isInside))
        changedAsCopies.erase(variable);
      else if (!escaped.contains(variable))
        changedAsCopies.insert(variable);
      escaped.insert(variable);
    }
}

std::string VariableFacts::describeEscape(const VarDecl *variable) const {
  return changedAsCopies.contains(variable)
             ? "may differ from the copy of it that a lambda has and changes"
             : "may be changed through a pointer, a reference or a lambda";
}

} // namespace tilelift
