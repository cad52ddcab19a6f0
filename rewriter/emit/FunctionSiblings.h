//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The siblings of functions on the way to copies: each is its function's text with the copies
// replaced, and stands behind it. Kernels share a sibling where the text is the same.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_FUNCTIONSIBLINGS_H
#define TILELIFT_EMIT_FUNCTIONSIBLINGS_H

#include "text/SourceText.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilelift {

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
  /// Calls `visit` for each that was added since, with the function and what was written for it.
  void forEachFrom(
      size_t first,
      llvm::function_ref<void(const clang::FunctionDecl *pattern, const std::string &written)>
          visit) const;
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
