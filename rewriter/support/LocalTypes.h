//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Types that code in some places cannot name: those that a function declares, and those that have
// no name or are private. A type counts as one of them if any part of it does: what it points to,
// an argument of its template, a parameter of a function type.
//
//===----------------------------------------------------------------------===//
#ifndef TILELIFT_REWRITER_SUPPORT_LOCALTYPES_H
#define TILELIFT_REWRITER_SUPPORT_LOCALTYPES_H

#include "clang/AST/Type.h"

namespace clang {
class Decl;
class TemplateArgument;
} // namespace clang

namespace tilelift {

/// Whether a template's argument is a type that a function declares, or a value of such a type.
bool isLocal(const clang::TemplateArgument &argument);
/// Whether a declaration is a type that a function declares, stands in one, or is the instance of a
/// template for one.
bool isOfLocalType(const clang::Decl &declaration);
/// Whether code outside of functions and classes cannot name a type.
bool isNamelessOutside(clang::QualType type);
/// Whether a declaration is private or protected, or a member of a class that is.
bool isHidden(const clang::Decl *declaration);

} // namespace tilelift

#endif
