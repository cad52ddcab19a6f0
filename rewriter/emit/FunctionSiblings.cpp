//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/FunctionSiblings.h"

#include "directive/Program.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

bool sameText(ArrayRef<Piece> a, ArrayRef<Piece> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Piece &x, const Piece &y) {
    return x.text == y.text && x.begin == y.begin && x.length == y.length;
  });
}

std::vector<Piece> afterBlankLine(const std::vector<Piece> &text, const std::string &indentation) {
  std::vector<Piece> pieces{Piece::own("\n\n" + indentation)};
  pieces.insert(pieces.end(), text.begin(), text.end());
  return pieces;
}

} // namespace

std::string FunctionSiblings::add(const FunctionDecl *pattern, Writer write, Writer declare) {
  for (const Sibling &known : siblings)
    if (known.pattern == pattern && sameText(known.text, write(known.name)))
      return known.name;
  bool isOperator = pattern->getOverloadedOperator() == OO_Call;
  std::string name = names.take(pattern->getDeclContext(),
                                (isOperator ? "call" : pattern->getNameAsString()) + "_tma");
  bool isDeclaredBefore = pattern->getCanonicalDecl() != pattern;
  siblings.push_back(
      {pattern, name, write(name), isDeclaredBefore ? declare(name) : std::vector<Piece>()});
  return name;
}

std::vector<Edit> FunctionSiblings::edits() const {
  std::vector<Edit> result;
  auto addAt = [&](unsigned at, const FunctionDecl *like, const std::vector<Piece> &text) {
    auto known = llvm::find_if(result, [&](const Edit &edit) { return edit.begin == at; });
    Edit &edit = known == result.end() ? result.emplace_back(Edit{at, at, {}}) : *known;
    std::vector<Piece> pieces = afterBlankLine(text, source.indentationAt(source.beginOf(like)));
    edit.pieces.insert(edit.pieces.end(), pieces.begin(), pieces.end());
  };
  for (const Sibling &sibling : siblings) {
    addAt(source.endOfToken(sibling.pattern->getBody()->getEndLoc()), sibling.pattern,
          sibling.text);
    const FunctionDecl *first = sibling.pattern->getCanonicalDecl();
    if (!sibling.declaration.empty())
      addAt(*source.nextToken(first->getEndLoc(), tok::semi) + 1, first, sibling.declaration);
  }
  return result;
}

void FunctionSiblings::forEachFrom(
    size_t first,
    function_ref<void(const FunctionDecl *pattern, const std::string &written)> visit) const {
  for (const Sibling &sibling : ArrayRef(siblings).drop_front(first)) {
    std::string written;
    for (const std::vector<Piece> *text : {&sibling.text, &sibling.declaration})
      for (const Piece &piece : *text)
        written += piece.text + "\n";
    visit(sibling.pattern, written);
  }
}

std::string FunctionSiblings::namesOf(const FunctionDecl *pattern) const {
  std::string names;
  for (const Sibling &sibling : siblings)
    if (sibling.pattern == pattern)
      names += (names.empty() ? "" : ", ") + sibling.name;
  return names;
}

} // namespace tilelift
