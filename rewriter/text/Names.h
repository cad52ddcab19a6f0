//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How generated code names the program's declarations, so that the names mean the same there.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TEXT_NAMES_H
#define TILELIFT_TEXT_NAMES_H

#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"

#include "llvm/ADT/StringSet.h"

#include <string>

namespace tilelift {

/// "::ns::Shape<4>::rows", without the namespaces that have no name.
std::string qualifiedName(const clang::NamedDecl *declaration);

/// "<4, Shape>", or nothing where it is no template.
std::string templateArgumentsOf(const clang::FunctionDecl *instance);

/// "void (*)(float *, view)": a kernel's type, in the scope of its parameters.
std::string pointerTypeOf(const clang::FunctionDecl *kernel);

/// Types that a template's arguments name and that are declared after the template.
struct LaterTypes {
  /// "struct Shape;", for each class among them, to stand in front of the template.
  std::string declarations;
  /// The first one that cannot be declared in that way, or null.
  const clang::NamedDecl *undeclarable = nullptr;
};
LaterTypes laterTypesOf(const clang::FunctionDecl *instance);

} // namespace tilelift

#endif
