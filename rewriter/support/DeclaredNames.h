//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an expression names, and whether and how other code can name a type or a declaration.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_DECLAREDNAMES_H
#define TILELIFT_SUPPORT_DECLAREDNAMES_H

#include "clang/AST/Type.h"

#include "llvm/ADT/SmallVector.h"

#include <string>

namespace clang {
class ASTContext;
class Decl;
class Expr;
class NamedDecl;
class VarDecl;
} // namespace clang

namespace tilelift {

/// All that an expression names, in the text of a function; none where there is no expression.
llvm::SmallVector<const clang::NamedDecl *, 4> namesIn(const clang::Expr *expression);
/// The variables that an expression names; none where there is no expression.
llvm::SmallVector<const clang::VarDecl *, 4> variablesIn(const clang::Expr *expression);

/// How messages name a variable: by all names of a structured binding, which has none itself.
std::string nameOf(const clang::VarDecl &variable);

/// How code outside of functions, classes and namespaces names a type. A type that the program
/// declares is named from the global namespace, as in "::ns::pixel", because an inner namespace or
/// class may have another member of that name.
std::string nameOutside(clang::QualType type, const clang::ASTContext &context);
} // namespace tilelift

#endif
