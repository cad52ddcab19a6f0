//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/FunctionText.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

bool sameText(ArrayRef<Piece> a, ArrayRef<Piece> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Piece &x, const Piece &y) {
    return x.text == y.text && x.begin == y.begin && x.length == y.length;
  });
}

/// The number of the text of a path's function at some depth, with the texts that lead to it. A
/// lambda is called somewhere, but what it calls is called by the text that it stands in.
size_t addText(std::vector<FunctionText> &texts, const CallPath &path, size_t depth) {
  if (depth == 1)
    return 0;
  CallPath way = path.first(depth);
  auto known = llvm::find_if(
      texts, [&](const FunctionText &text) { return text.path.getCalls() == way.getCalls(); });
  if (known != texts.end())
    return size_t(known - texts.begin());
  size_t caller = addText(texts, path, path.first(depth - 1).textDepth());
  texts.push_back({way, patternOf(way.end()), caller, "", {}});
  return texts.size() - 1;
}

std::vector<Piece> afterBlankLine(const std::vector<Piece> &text, const std::string &indentation) {
  std::vector<Piece> pieces{Piece::own("\n\n" + indentation)};
  pieces.insert(pieces.end(), text.begin(), text.end());
  return pieces;
}

} // namespace

std::vector<FunctionText> textsOf(const InstancePlan &instance, std::vector<size_t> &textOf) {
  std::vector<FunctionText> texts;
  texts.push_back({CallPath(instance.function), patternOf(instance.function), 0, "", {}});
  for (const PlannedCopy &copy : instance.copies)
    textOf.push_back(addText(texts, copy.path, copy.path.textDepth()));
  return texts;
}

bool declares(const FunctionText &text, const VarDecl *tile) {
  const DeclContext *owner = tile->getLexicalDeclContext();
  while (isa<FunctionDecl>(owner) && isLambda(cast<FunctionDecl>(owner)))
    owner = cast<CXXMethodDecl>(owner)->getParent()->getDeclContext();
  return text.function() == owner;
}

size_t ownerOf(ArrayRef<FunctionText> texts, const VarDecl *tile) {
  auto isOwner = [&](const FunctionText &text) { return declares(text, tile); };
  return size_t(llvm::find_if(texts, isOwner) - texts.begin());
}

const DeclStmt *findDeclaration(const Stmt *within, SourceLocation location) {
  if (!within)
    return nullptr;
  if (const auto *declaration = dyn_cast<DeclStmt>(within))
    for (const Decl *each : declaration->decls())
      if (each->getLocation() == location)
        return declaration;
  for (const Stmt *child : within->children())
    if (const DeclStmt *found = findDeclaration(child, location))
      return found;
  return nullptr;
}

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

std::string FunctionSiblings::namesOf(const FunctionDecl *pattern) const {
  std::string names;
  for (const Sibling &sibling : siblings)
    if (sibling.pattern == pattern)
      names += (names.empty() ? "" : ", ") + sibling.name;
  return names;
}

} // namespace tilelift
