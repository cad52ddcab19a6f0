//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What names mean at a place of a function's text. Between a variable and that place, another
// declaration may have taken its name: an inner variable, an enumerator, a type, a parameter of
// a lambda. Before code is generated for a place, each name in it is checked here.
//
// Lambdas belong to the text around them. Whether their captures let them use a variable at
// all, CallPath::canName tells.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_NAMESAROUND_H
#define TILELIFT_SUPPORT_NAMESAROUND_H

#include "clang/AST/Decl.h"

#include "llvm/ADT/StringMap.h"

namespace clang {
class CXXRecordDecl;
} // namespace clang

namespace tilelift {

class NamesAround {
public:
  /// At a statement or expression in the text of a function.
  NamesAround(const clang::Stmt *place, const clang::FunctionDecl *function);

  /// Whether the declaration's name means it, as far as the function, its class and its
  /// namespaces decide that.
  bool means(const clang::NamedDecl *declaration) const;
  /// Whether a `using namespace` of the function is in force, which may give a name that is found
  /// outside of the function another meaning, or a call another overload.
  bool isUnderDirective() const { return hasDirective; }
  /// Whether nothing there has taken a name of CUDA's, as `blockIdx`.
  bool leavesFree(llvm::StringRef name) const { return !nearest.contains(name) && !isOuter(name); }

private:
  bool descend(const clang::Stmt *at, const clang::Stmt *place);
  void addScope(const clang::Stmt *around, const clang::Stmt *inner);
  void addDeclarationsOf(const clang::Stmt *statement);
  void add(const clang::Decl *declaration);
  bool isOuter(llvm::StringRef name) const;

  const clang::FunctionDecl *function;
  bool hasDirective = false;
  /// The innermost declarations in the function, by name.
  llvm::StringMap<const clang::NamedDecl *> nearest;
};

/// Whether the name of a field, looked up in an object of a class, means that field: it may be one
/// of a base, unless another member hides it or has the same name.
bool meansField(const clang::CXXRecordDecl *record, const clang::FieldDecl *field);

} // namespace tilelift

#endif
