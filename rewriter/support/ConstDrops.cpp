//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/ConstDrops.h"

#include "support/CallPath.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"

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

/// One step towards the memory that an expression leads to; null at the end.
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

/// Goes through the body of one function.
class Search {
public:
  Search(const FunctionDecl *function, ConstDrops &drops) : function(function), drops(drops) {}

  BrokenPromises run() {
    if (const auto *constructor = dyn_cast<CXXConstructorDecl>(function))
      for (const CXXCtorInitializer *each : constructor->inits())
        look(each->getInit());
    look(function->getBody());
    // The members of a new object lead to what the constructor got.
    found.ofAnything |= found.ofObject && isa<CXXConstructorDecl>(function);
    return found;
  }

private:
  void look(const Stmt *statement);
  void lookAtCall(const Expr *call);
  void note(const Expr *expression);

  const FunctionDecl *function;
  ConstDrops &drops;
  BrokenPromises found;
  /// Casts whose result is looked at, and no more.
  SmallPtrSet<const Expr *, 8> reads;
};

/// Whose memory that is.
void Search::note(const Expr *expression) {
  expression = expression->IgnoreParenCasts();
  while (const Expr *next = outOf(expression))
    expression = next->IgnoreParenCasts();
  const auto *reference = dyn_cast<DeclRefExpr>(expression);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  const auto *parameter = dyn_cast_or_null<ParmVarDecl>(variable);
  if (isa<CXXThisExpr>(expression))
    found.ofObject = true;
  else if (parameter && parameter->getDeclContext() == function)
    found.parameters.insert(parameter->getFunctionScopeIndex());
  else // a variable of numbers is nobody else's; others may lead anywhere
    found.ofAnything |= parameter || !variable ||
                        !(variable->hasGlobalStorage() ||
                          variable->getType()->getBaseElementTypeUnsafe()->isArithmeticType());
}

/// What the callee breaks, it breaks for whoever passes it on.
void Search::lookAtCall(const Expr *call) {
  const auto [callee, object, arguments] = partsOf(call);
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee);
  if (!callee || (method && method->isVirtual())) { // who knows which function it is
    found.ofAnything = true;
    return;
  }
  const BrokenPromises &own = drops.in(callee);
  found.ofAnything |= own.ofAnything;
  if (own.ofObject && object)
    note(object);
  for (unsigned i : own.parameters)
    if (i < arguments.size())
      note(arguments[i]);
}

void Search::look(const Stmt *statement) {
  if (!statement || isa<LambdaExpr>(statement)) // which is a function of its own
    return;
  if (const auto *implicit = dyn_cast<ImplicitCastExpr>(statement)) {
    if (const Expr *cast = onlyReads(implicit) ? castBehind(implicit->getSubExpr()) : nullptr)
      reads.insert(cast);
  } else if (const auto *written = dyn_cast<ExplicitCastExpr>(statement)) {
    if (dropsConst(written) && !reads.contains(written))
      note(written->getSubExprAsWritten());
  } else if (const auto *assembly = dyn_cast<GCCAsmStmt>(statement)) {
    for (const Expr *input : assembly->inputs())
      if (const Expr *from = input->IgnoreParenCasts();
          from->getType()->isPointerType() && from->getType()->getPointeeType().isConstQualified())
        note(from);
  } else if (isa<CallExpr, CXXConstructExpr>(statement)) {
    lookAtCall(cast<Expr>(statement));
  }
  if (const auto *standard = dyn_cast<CXXDefaultInitExpr>(statement)) // written elsewhere
    look(standard->getExpr());
  if (const auto *standard = dyn_cast<CXXDefaultArgExpr>(statement))
    look(standard->getExpr());
  for (const Stmt *child : statement->children())
    look(child);
}

} // namespace

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
  return place->second = Search(definition, *this).run();
}

} // namespace tilelift
