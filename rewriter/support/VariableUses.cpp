//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a use of a variable is one of the forms in which each change is noted; all other uses
// count as what nobody follows.
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

/// What a use of an lvalue is for, by the expression around it.
enum class Use {
  Seen,     ///< a value is read, or a change is noted as such
  Part,     ///< the lvalue of a part, which is to be looked at in turn
  Assigned, ///< a change is noted, and the result may be an lvalue again
  Other
};

/// Whether a cast reads a value, or does nothing with it.
bool isRead(CastKind kind) { return kind == CK_LValueToRValue || kind == CK_ToVoid; }

Use useInCast(CastKind kind) {
  if (isRead(kind))
    return Use::Seen;
  return staysWithin(kind) || kind == CK_ArrayToPointerDecay ? Use::Part : Use::Other;
}

Use useInBinary(const BinaryOperator *binary, const Stmt *child) {
  bool isLeft = binary->getLHS() == child;
  if (binary->isAssignmentOp())
    return isLeft ? Use::Assigned : Use::Seen;
  if (binary->isCommaOp())
    return isLeft ? Use::Seen : Use::Assigned;
  return binary->isPtrMemOp() ? Use::Other : Use::Seen;
}

Use useInUnary(const UnaryOperator *unary) {
  if (unary->isIncrementDecrementOp())
    return unary->isPrefix() ? Use::Assigned : Use::Seen;
  if (unary->getOpcode() == UO_AddrOf)
    return Use::Seen;
  return unary->getOpcode() == UO_Deref ? Use::Part : Use::Other; // *this
}

/// A plain capture is noted as such; a reference that the lambda declares, or a copy of `*this`,
/// is not.
Use useInLambda(const LambdaExpr *lambda, const Stmt *child) {
  for (auto [capture, init] : llvm::zip(lambda->captures(), lambda->capture_inits()))
    if (init == child &&
        ((lambda->isInitCapture(&capture) && capture.getCaptureKind() == LCK_ByRef) ||
         capture.getCaptureKind() == LCK_StarThis))
      return Use::Other;
  return Use::Seen;
}

Use useIn(const Expr *parent, const Stmt *child) {
  if (isa<ParenExpr, FullExpr, ArraySubscriptExpr>(parent))
    return Use::Part;
  // A method's call is noted as such, and a reference leads elsewhere.
  if (const auto *member = dyn_cast<MemberExpr>(parent))
    return isa<FieldDecl>(member->getMemberDecl()) && !isOfReference(member) ? Use::Part
                                                                             : Use::Seen;
  if (const auto *cast = dyn_cast<CastExpr>(parent))
    return useInCast(cast->getCastKind());
  if (const auto *binary = dyn_cast<BinaryOperator>(parent))
    return useInBinary(binary, child);
  if (const auto *unary = dyn_cast<UnaryOperator>(parent))
    return useInUnary(unary);
  if (const auto *chosen = dyn_cast<AbstractConditionalOperator>(parent))
    return chosen->getCond() == child ? Use::Seen : Use::Assigned;
  if (const auto *lambda = dyn_cast<LambdaExpr>(parent))
    return useInLambda(lambda, child);
  if (isa<CallExpr, CXXConstructExpr>(parent))
    return partsOf(parent).callee ? Use::Seen : Use::Other;
  return isa<UnaryExprOrTypeTraitExpr, PseudoObjectExpr, OpaqueValueExpr>(parent) ? Use::Seen
                                                                                  : Use::Other;
}

/// Whether an expression refers to the same object as its part does: as a comma operator refers to
/// its right side, and `?:` to either of its arms.
bool handsOn(const Expr *expression, const Stmt *part) {
  const auto *binary = dyn_cast<BinaryOperator>(expression);
  const auto *choice = dyn_cast<AbstractConditionalOperator>(expression);
  return (binary && binary->isCommaOp() && binary->getRHS() == part) ||
         (choice && choice->getCond() != part);
}

/// Whether an expression is its part, or just that with another qualification.
bool isBare(const Expr *expression) {
  const auto *cast = dyn_cast<CastExpr>(expression);
  return isa<ParenExpr, FullExpr>(expression) || (cast && cast->getCastKind() == CK_NoOp);
}

bool isTrivialCopy(const Expr *expression) {
  const auto *made = dyn_cast<CXXConstructExpr>(expression);
  return made && made->getConstructor()->isCopyOrMoveConstructor() &&
         made->getConstructor()->isTrivial();
}

} // namespace

/// Whether the expression initialises a reference to const, and the program never casts const away:
/// nothing is changed through that reference.
bool VariableFacts::isHeldAsConst(const Expr *init, const DeclStmt *declared) const {
  return !dropsConst && llvm::any_of(declared->decls(), [&](const Decl *each) {
    const auto *variable = dyn_cast<VarDecl>(each);
    return variable && variable->getInit() == init && variable->getType()->isReferenceType() &&
           !mayWriteTo(variable->getType().getNonReferenceType());
  });
}

/// Whether whatever is done with an lvalue is noted as a change, where it is one: by the forms in
/// which that is so. All other forms count as what nobody follows.
bool VariableFacts::isFollowed(const Expr *use) const {
  bool isResult = false; // of an assignment, a comma or a choice, of which only values are followed
  const Stmt *child = use;
  for (const Stmt *parent = parentOf(use); parent; child = parent, parent = parentOf(parent)) {
    const auto *expression = dyn_cast<Expr>(parent);
    const bool isPointer = isThis(cast<Expr>(child));
    if (!expression) {
      const auto *declared = dyn_cast<DeclStmt>(parent);
      const bool isHeld = declared && isResult && !isHeldAsConst(cast<Expr>(child), declared);
      return !isPointer && !(cast<Expr>(child)->isGLValue() && (isa<ReturnStmt>(parent) || isHeld));
    }
    if (!isPointer && !cast<Expr>(child)->isGLValue()) // a value
      return true;
    if (isPointer && !isa<MemberExpr, CastExpr, ParenExpr, UnaryOperator, LambdaExpr>(expression))
      return false;
    Use how = useIn(expression, child);
    const auto *cast = dyn_cast<CastExpr>(expression);
    if (isResult && handsOn(expression, child))
      continue;
    if (isResult && !isBare(expression) && !(cast && isRead(cast->getCastKind())))
      return isTrivialCopy(expression) || (how == Use::Seen && isa<BinaryOperator>(expression));
    if (how == Use::Seen || how == Use::Other)
      return how == Use::Seen;
    isResult |= how == Use::Assigned;
  }
  return true;
}

/// Whether a use is of a part that the function returns by reference.
bool VariableFacts::isReturned(const Expr *use) const {
  const Stmt *child = use;
  for (const Stmt *parent = parentOf(use); parent; child = parent, parent = parentOf(parent)) {
    if (isa<ReturnStmt>(parent))
      return cast<Expr>(child)->isGLValue();
    const auto *expression = dyn_cast<Expr>(parent);
    if (!expression || (useIn(expression, child) != Use::Part && !handsOn(expression, child)))
      return false;
  }
  return false;
}

/// The result of a method may be a reference to a part of its object: it is read, or changed in
/// place, or anything may be done with it.
void VariableFacts::noteResult(const CallExpr *call, const Expr *object) {
  const Stmt *child = call;
  bool isAssigned = false;
  for (const Stmt *parent = parentOf(call); parent; child = parent, parent = parentOf(parent)) {
    const auto *expression = dyn_cast<Expr>(parent);
    if (!expression && !isa<ReturnStmt, DeclStmt>(parent))
      return;
    const auto *cast = dyn_cast<CastExpr>(parent);
    if (cast && isRead(cast->getCastKind()))
      return;
    const Use use = expression ? useIn(expression, child) : Use::Other;
    const auto *unary = dyn_cast<UnaryOperator>(parent);
    const bool isCounted = unary && unary->isIncrementDecrementOp();
    if ((use == Use::Assigned && isa<BinaryOperator>(parent)) || isCounted) {
      note(object, {call, Change::Kind::Unclear, call});
      isAssigned = true;
    } else if (use != Use::Part || isAssigned || isa<CXXMemberCallExpr>(parent)) {
      return escapeThrough(object);
    }
    if (isCounted && unary->isPostfix())
      return;
  }
}

} // namespace tilelift
