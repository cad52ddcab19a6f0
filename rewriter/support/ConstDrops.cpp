//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/ConstDrops.h"

#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

/// What a cast leads to, or comes from; null where it is no way to memory.
static QualType referredBy(QualType type, const Expr *value) {
  if (type->isReferenceType())
    return type.getNonReferenceType();
  if (type->isPointerType())
    return type->getPointeeType();
  return value && value->isGLValue() ? type : QualType();
}

static bool dropsConst(const ExplicitCastExpr *cast) {
  const Expr *from = cast->getSubExprAsWritten();
  const QualType to = referredBy(cast->getTypeAsWritten(), nullptr);
  const QualType held = to.isNull() ? QualType() : referredBy(from->getType(), from);
  return !held.isNull() && held.isConstQualified() && !to.isConstQualified();
}

bool ConstDrops::inPlace(const Stmt *statement) {
  if (!statement)
    return false;
  if (const auto *cast = dyn_cast<ExplicitCastExpr>(statement); cast && dropsConst(cast))
    return true;
  if (const auto *assembly = dyn_cast<GCCAsmStmt>(statement))
    for (const Expr *input : assembly->inputs())
      if (input->IgnoreParenCasts()->getType()->isPointerType())
        return true;
  return llvm::any_of(statement->children(), inPlace);
}

bool ConstDrops::inCalls(const Stmt *statement) {
  if (!statement)
    return false;
  if (const auto *call = dyn_cast<CallExpr>(statement))
    if (const FunctionDecl *callee = call->getDirectCallee(); callee && in(callee))
      return true;
  return llvm::any_of(statement->children(), [this](const Stmt *child) { return inCalls(child); });
}

bool ConstDrops::in(const FunctionDecl *function) {
  const FunctionDecl *definition = nullptr;
  if (!function->hasBody(definition))
    return false;
  auto [place, isNew] = known.try_emplace(definition, false);
  if (!isNew)
    return place->second; // a recursive call adds nothing
  const bool drops = inPlace(definition->getBody()) || inCalls(definition->getBody());
  known[definition] = drops;
  return drops;
}

} // namespace tilelift
