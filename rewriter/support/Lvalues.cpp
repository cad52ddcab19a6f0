//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/Lvalues.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

bool isLocal(const VarDecl *variable) {
  return variable->hasLocalStorage() || isa<ParmVarDecl>(variable);
}

const VarDecl *variableNamed(const DeclRefExpr *reference) {
  if (const auto *part = dyn_cast<BindingDecl>(reference->getDecl()))
    return cast_or_null<VarDecl>(part->getDecomposedDecl());
  return dyn_cast<VarDecl>(reference->getDecl());
}

bool isThis(const Expr *expression) { return isa<CXXThisExpr>(expression->IgnoreParenCasts()); }

bool staysWithin(CastKind kind) {
  return kind == CK_NoOp || kind == CK_LValueBitCast || kind == CK_DerivedToBase ||
         kind == CK_UncheckedDerivedToBase || kind == CK_BaseToDerived;
}

bool isOfReference(const MemberExpr *member) {
  const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
  return field && field->getType()->isReferenceType();
}

const VarDecl *rootVariable(const Expr *lvalue, const VarDecl *self) {
  while (true) {
    lvalue = lvalue->IgnoreParens();
    const auto *unary = dyn_cast<UnaryOperator>(lvalue);
    if (isThis(lvalue) || (unary && unary->getOpcode() == UO_Deref && isThis(unary->getSubExpr())))
      return self;
    if (const auto *member = dyn_cast<MemberExpr>(lvalue)) {
      if (isOfReference(member))
        return nullptr; // it is elsewhere
      if (member->isArrow())
        return isThis(member->getBase()) ? self : nullptr;
      lvalue = member->getBase();
    } else if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(lvalue)) {
      const Expr *base = subscript->getBase()->IgnoreParens();
      const auto *decay = dyn_cast<ImplicitCastExpr>(base);
      if (!decay || decay->getCastKind() != CK_ArrayToPointerDecay)
        return nullptr;
      lvalue = decay->getSubExpr();
    } else if (const auto *cast = dyn_cast<CastExpr>(lvalue);
               cast && staysWithin(cast->getCastKind())) {
      lvalue = cast->getSubExpr();
    } else if (const auto *reference = dyn_cast<DeclRefExpr>(lvalue)) {
      const VarDecl *variable = variableNamed(reference);
      return variable && isLocal(variable) ? variable : nullptr;
    } else {
      return nullptr;
    }
  }
}

bool hasMutable(QualType type) {
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record && record->hasDefinition() && record->hasMutableFields();
}

bool mayWriteTo(QualType referred) { return !referred.isConstQualified() || hasMutable(referred); }

bool mayReferTo(QualType type) {
  if (type->isPointerType() || type->isReferenceType())
    return true;
  const RecordDecl *record = type->getAsRecordDecl();
  const auto *derived = dyn_cast_or_null<CXXRecordDecl>(record);
  return record && (!record->getDefinition() || record->isUnion() ||
                    llvm::any_of(record->fields(),
                                 [](const FieldDecl *field) {
                                   const ASTContext &context = field->getASTContext();
                                   return mayReferTo(context.getBaseElementType(field->getType()));
                                 }) ||
                    (derived && llvm::any_of(derived->bases(), [](const CXXBaseSpecifier &base) {
                       return mayReferTo(base.getType());
                     })));
}

} // namespace tilelift
