//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions have to be written anew for a kernel's copies, and what they declare.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_WRITABLE_FUNCTIONTEXT_H
#define TILELIFT_WRITABLE_FUNCTIONTEXT_H

#include "kernel/KernelPlan.h"
#include "text/SourceText.h"

namespace tilelift {

/// The kernel, or a function on the way to a copy.
struct FunctionText {
  CallPath path;
  /// Whose text it is: of an instantiation, the template.
  const clang::FunctionDecl *pattern = nullptr;
  /// Which of the texts calls it; of no meaning for the kernel.
  size_t caller = 0;
  std::string name;
  std::vector<Edit> edits;

  const clang::FunctionDecl *function() const { return path.end(); }
};

/// The kernel's first, callers before what they call; `textOf` says for each copy in
/// which it stands.
std::vector<FunctionText> textsOf(const InstancePlan &instance, std::vector<size_t> &textOf);

/// Whether a tile is declared in a text.
bool declares(const FunctionText &text, const clang::VarDecl *tile);
/// Returns the index of the first text that declares the tile, or the number of texts if none does.
size_t ownerOf(llvm::ArrayRef<FunctionText> texts, const clang::VarDecl *tile);

/// The declaration in a template's text that the variable of an instantiation is of; null if it is
/// elsewhere.
const clang::DeclStmt *findDeclaration(const clang::Stmt *within, clang::SourceLocation location);

} // namespace tilelift

#endif
