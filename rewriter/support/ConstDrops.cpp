//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/ConstDrops.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// What a pointer or a reference leads to; null where it leads nowhere.
QualType referredBy(QualType type, bool isGLValue) {
  if (type->isReferenceType())
    return type.getNonReferenceType();
  if (type->isPointerType())
    return type->getPointeeType();
  return isGLValue ? type : QualType();
}

/// Also further down, as from `const int *const *` to `int **`.
bool dropsConst(QualType from, QualType to) {
  while (!from.isNull() && !to.isNull()) {
    if (from.isConstQualified() && !to.isConstQualified())
      return true;
    from = referredBy(from, false);
    to = referredBy(to, false);
  }
  return false;
}

bool dropsConst(const ExplicitCastExpr *cast) {
  const Expr *from = cast->getSubExprAsWritten();
  const QualType held = referredBy(from->getType(), from->isGLValue());
  if (cast->getCastKind() == CK_PointerToIntegral) // and back, who knows
    return !held.isNull() && held.isConstQualified();
  return dropsConst(held, referredBy(cast->getTypeAsWritten(), false));
}

/// Where the memory comes from that an expression leads to.
struct Root {
  enum class Kind { Parameter, Object, Own, Anything } kind = Kind::Anything;
  const ParmVarDecl *parameter = nullptr;
};

/// One step towards it; null at the end.
const Expr *outOf(const Expr *expression) {
  if (const auto *unary = dyn_cast<UnaryOperator>(expression))
    return unary->getOpcode() == UO_AddrOf || unary->getOpcode() == UO_Deref ? unary->getSubExpr()
                                                                             : nullptr;
  if (const auto *element = dyn_cast<ArraySubscriptExpr>(expression))
    return element->getBase();
  if (const auto *member = dyn_cast<MemberExpr>(expression))
    return member->getBase();
  const auto *sum = dyn_cast<BinaryOperator>(expression);
  if (!sum || !sum->isAdditiveOp())
    return nullptr;
  return sum->getLHS()->getType()->isPointerType() ? sum->getLHS() : sum->getRHS();
}

Root rootOf(const Expr *expression) {
  expression = expression->IgnoreParenCasts();
  while (const Expr *next = outOf(expression))
    expression = next->IgnoreParenCasts();
  if (isa<CXXThisExpr>(expression))
    return {Root::Kind::Object};
  const auto *reference = dyn_cast<DeclRefExpr>(expression);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (const auto *parameter = dyn_cast_or_null<ParmVarDecl>(variable))
    return {Root::Kind::Parameter, parameter};
  // A variable of numbers is nobody else's; others may lead anywhere.
  const QualType type = variable ? variable->getType() : QualType();
  const bool isOwn = variable && (variable->hasGlobalStorage() ||
                                  type->getBaseElementTypeUnsafe()->isArithmeticType());
  return {isOwn ? Root::Kind::Own : Root::Kind::Anything};
}

void note(const Expr *expression, BrokenPromises &found) {
  const Root root = rootOf(expression);
  if (root.kind == Root::Kind::Parameter)
    found.parameters.insert(root.parameter);
  found.ofObject |= root.kind == Root::Kind::Object;
  found.ofAnything |= root.kind == Root::Kind::Anything;
}

/// The cast that an lvalue is made with.
const Expr *castBehind(const Expr *lvalue) {
  for (;;) {
    lvalue = lvalue->IgnoreParens();
    if (isa<ExplicitCastExpr>(lvalue))
      return lvalue;
    const auto *implicit = dyn_cast<ImplicitCastExpr>(lvalue);
    const Expr *next = implicit ? implicit->getSubExpr() : outOf(lvalue);
    if (!next)
      return nullptr;
    lvalue = next;
  }
}

/// A value is taken that leads nowhere itself, or a constant is made of it again.
bool onlyReads(const ImplicitCastExpr *cast) {
  return (cast->getCastKind() == CK_LValueToRValue && !cast->getType()->isPointerType()) ||
         (cast->getCastKind() == CK_NoOp && cast->isGLValue() &&
          cast->getType().isConstQualified());
}

} // namespace

/// What the callee breaks, it breaks for whoever passes it on.
void ConstDrops::lookAtCall(const Expr *expression, BrokenPromises &found) {
  const FunctionDecl *callee = nullptr;
  ArrayRef<const Expr *> arguments;
  const Expr *object = nullptr;
  if (const auto *made = dyn_cast<CXXConstructExpr>(expression)) {
    callee = made->getConstructor();
    arguments = {made->getArgs(), made->getNumArgs()};
  } else if (const auto *call = dyn_cast<CallExpr>(expression)) {
    callee = call->getDirectCallee();
    arguments = {call->getArgs(), call->getNumArgs()};
    if (const auto *member = dyn_cast<CXXMemberCallExpr>(call)) {
      object = member->getImplicitObjectArgument();
    } else if (isa<CXXOperatorCallExpr>(call) && isa_and_nonnull<CXXMethodDecl>(callee)) {
      object = arguments.front();
      arguments = arguments.drop_front();
    }
  }
  if (!callee)
    return;
  const BrokenPromises &own = in(callee);
  found.ofAnything |= own.ofAnything;
  if (own.ofObject && object)
    note(object, found);
  for (size_t i = 0; i < arguments.size() && i < callee->getNumParams(); ++i)
    if (own.parameters.contains(callee->getParamDecl(unsigned(i))))
      note(arguments[i], found);
}

void ConstDrops::look(const Stmt *statement, BrokenPromises &found) {
  if (!statement)
    return;
  if (const auto *implicit = dyn_cast<ImplicitCastExpr>(statement)) {
    if (const Expr *cast = onlyReads(implicit) ? castBehind(implicit->getSubExpr()) : nullptr)
      reads.insert(cast);
  } else if (const auto *cast = dyn_cast<ExplicitCastExpr>(statement)) {
    if (dropsConst(cast) && !reads.contains(cast))
      note(cast->getSubExprAsWritten(), found);
  } else if (const auto *assembly = dyn_cast<GCCAsmStmt>(statement)) {
    for (const Expr *input : assembly->inputs())
      if (const Expr *from = input->IgnoreParenCasts();
          from->getType()->isPointerType() && from->getType()->getPointeeType().isConstQualified())
        note(from, found);
  } else if (isa<CallExpr, CXXConstructExpr>(statement)) {
    lookAtCall(cast_or_null<Expr>(statement), found);
  }
  for (const Stmt *child : statement->children())
    look(child, found);
}

const BrokenPromises &ConstDrops::in(const FunctionDecl *function) {
  static const BrokenPromises none;
  const FunctionDecl *definition = nullptr;
  if (!function->hasBody(definition) ||
      function->getASTContext().getSourceManager().isInSystemHeader(definition->getLocation()))
    return none;
  auto [place, isNew] = known.try_emplace(definition);
  if (!isNew)
    return place->second;
  place->second.ofAnything = true; // of one that calls itself, as long as nobody knows
  BrokenPromises found;
  look(definition->getBody(), found);
  return place->second = found;
}

} // namespace tilelift
