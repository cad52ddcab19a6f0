//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The siblings of functions on the way to copies: each is its function's text with the copies
// replaced, and stands behind it. Kernels share a sibling where the text is the same.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_FUNCTIONSIBLINGS_H
#define TILELIFT_EMIT_FUNCTIONSIBLINGS_H

#include "text/FreshNames.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilelift {

/// Functions written anew, each behind the one that it is made of.
class FunctionSiblings {
public:
  using Writer = llvm::function_ref<std::vector<Piece>(const std::string &name)>;

  FunctionSiblings(const SourceText &source, FreshNames &names) : source(source), names(names) {}

  /// Adds a sibling of a function, unless one with the same text is there, and returns its name.
  /// `write` gives its text.
  std::string add(const clang::FunctionDecl *pattern, Writer write, Writer declare);
  std::vector<Edit> edits() const;
  /// The number of siblings. dropFrom() with this number undoes what is added later.
  size_t count() const { return siblings.size(); }
  /// Removes the sibling number `first` and all later ones.
  void dropFrom(size_t first) {
    siblings.erase(siblings.begin() + ptrdiff_t(first), siblings.end());
  }
  /// Calls `visit` for the sibling number `first` and each later one, with its function and the
  /// text that was written for it.
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
    /// The declaration of the sibling, which is inserted behind the first declaration of the
    /// function; empty if that is the definition.
    std::vector<Piece> declaration;
  };

  const SourceText &source;
  FreshNames &names;
  std::vector<Sibling> siblings;
};

} // namespace tilelift

#endif
