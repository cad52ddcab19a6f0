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

/// The array that a subscript is about; null where it is about a pointer.
static const Expr *arrayOf(const ArraySubscriptExpr *subscript) {
  const auto *decay = dyn_cast<ImplicitCastExpr>(subscript->getBase()->IgnoreParens());
  return decay && decay->getCastKind() == CK_ArrayToPointerDecay ? decay->getSubExpr() : nullptr;
}

/// What a member, an element or a cast is taken of; null where that is elsewhere, behind a pointer
/// or a reference, and for all other lvalues. For a member of `this`, it is the pointer.
static const Expr *wholeOf(const Expr *lvalue) {
  if (const auto *member = dyn_cast<MemberExpr>(lvalue)) {
    const bool isElsewhere =
        isOfReference(member) || (member->isArrow() && !isThis(member->getBase()));
    return isElsewhere ? nullptr : member->getBase();
  }
  if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(lvalue))
    return arrayOf(subscript);
  const auto *cast = dyn_cast<CastExpr>(lvalue);
  return cast && staysWithin(cast->getCastKind()) ? cast->getSubExpr() : nullptr;
}

/// Whether it is `this` or `*this`.
static bool isSelf(const Expr *expression) {
  const auto *unary = dyn_cast<UnaryOperator>(expression);
  return isThis(expression) ||
         (unary && unary->getOpcode() == UO_Deref && isThis(unary->getSubExpr()));
}

const VarDecl *rootVariable(const Expr *lvalue, const VarDecl *self) {
  for (; lvalue; lvalue = wholeOf(lvalue)) {
    lvalue = lvalue->IgnoreParens();
    if (isSelf(lvalue))
      return self;
    if (const auto *reference = dyn_cast<DeclRefExpr>(lvalue)) {
      const VarDecl *variable = variableNamed(reference);
      return variable && isLocal(variable) ? variable : nullptr;
    }
  }
  return nullptr;
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
