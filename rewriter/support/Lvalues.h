//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variable an lvalue is a part of, and what a value of some type may lead to. Read off the
// expression and the types alone.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_LVALUES_H
#define TILELIFT_SUPPORT_LVALUES_H

#include "clang/AST/Expr.h"

namespace tilelift {

/// The variable that a name means; of a part of a structured binding, the whole; or null.
const clang::VarDecl *variableNamed(const clang::DeclRefExpr *reference);
/// The local variable or parameter that an lvalue is part of, or null; `self` is the object of
/// the method that it stands in.
const clang::VarDecl *rootVariable(const clang::Expr *lvalue, const clang::VarDecl *self = nullptr);
/// Whether a value of a type may lead to something else: a pointer, a reference, or what holds one.
bool mayReferTo(clang::QualType type);
/// Whether a reference to `referred` allows writes: the type is not const, or it has mutable
/// members.
bool mayWriteTo(clang::QualType referred);
/// Whether an expression is `this`, as it stands or as a pointer to another class.
bool isThis(const clang::Expr *expression);
/// Whether a cast leads to another part of the same object, or is another view of it.
bool staysWithin(clang::CastKind kind);
/// Whether a member is a reference, which is bound when the object is made.
bool isOfReference(const clang::MemberExpr *member);
/// Whether objects of a type have members that may be written although the object is const.
bool hasMutable(clang::QualType type);
/// Whether a variable is one of a function's own, or a parameter.
bool isLocal(const clang::VarDecl *variable);

} // namespace tilelift

#endif
