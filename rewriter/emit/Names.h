//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What text that is written for a kernel calls the program's own things, so that the names mean
// the same where the text stands.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_NAMES_H
#define TILELIFT_EMIT_NAMES_H

#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"

#include <string>

namespace tilelift {

/// "::ns::Shape<4>::rows", without the namespaces that have no name.
std::string qualifiedName(const clang::NamedDecl *declaration);

/// "<4, Shape>", or nothing where it is no template.
std::string templateArgumentsOf(const clang::FunctionDecl *instance);

/// "struct Shape;" of classes that a template's arguments name and that are declared behind the
/// template, as text for the start of the file; or the first one that has no such declaration.
struct LaterTypes {
  std::string declarations;
  const clang::NamedDecl *undeclarable = nullptr;
};
LaterTypes laterTypesOf(const clang::FunctionDecl *instance);

} // namespace tilelift

#endif
