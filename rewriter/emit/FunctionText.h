//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions have to be written anew for a kernel's copies, and the siblings of
// those that are no kernels, which kernels share where the text is the same.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_FUNCTIONTEXT_H
#define TILELIFT_EMIT_FUNCTIONTEXT_H

#include "emit/Emitter.h"
#include "emit/SourceText.h"

#include "llvm/ADT/STLFunctionalExtras.h"

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

/// Whether a tile is declared in a text, and the first text in which it is.
bool declares(const FunctionText &text, const clang::VarDecl *tile);
size_t ownerOf(llvm::ArrayRef<FunctionText> texts, const clang::VarDecl *tile);

/// The declaration in a template's text that the variable of an instantiation is of; null if it is
/// elsewhere.
const clang::DeclStmt *findDeclaration(const clang::Stmt *within, clang::SourceLocation location);

/// Functions written anew, each behind the one that it is made of.
class FunctionSiblings {
public:
  using Writer = llvm::function_ref<std::vector<Piece>(const std::string &name)>;

  FunctionSiblings(const SourceText &source, FreshNames &names) : source(source), names(names) {}

  /// What the sibling of a function is called; `write` gives its text.
  std::string add(const clang::FunctionDecl *pattern, Writer write, Writer declare);
  std::vector<Edit> edits() const;
  /// How many there are; those that were added since can be dropped again.
  size_t count() const { return siblings.size(); }
  void dropFrom(size_t first) {
    siblings.erase(siblings.begin() + ptrdiff_t(first), siblings.end());
  }
  /// The names of a function's siblings, separated by commas.
  std::string namesOf(const clang::FunctionDecl *pattern) const;

private:
  struct Sibling {
    const clang::FunctionDecl *pattern;
    std::string name;
    std::vector<Piece> text;
    /// Behind the first declaration, where that is not the definition.
    std::vector<Piece> declaration;
  };

  const SourceText &source;
  FreshNames &names;
  std::vector<Sibling> siblings;
};

} // namespace tilelift

#endif
