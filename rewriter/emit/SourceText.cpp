//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/KernelText.h"

#include "support/Locations.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

SourceText::SourceText(ASTContext &context)
    : sources(context.getSourceManager()), language(context.getLangOpts()),
      text(sources.getBufferData(sources.getMainFileID())) {}

unsigned SourceText::offsetOf(SourceLocation location) const {
  return placeOf(sources, location).offset;
}

unsigned SourceText::endOfToken(SourceLocation location) const {
  location = sources.getExpansionRange(location).getEnd();
  return offsetOf(Lexer::getLocForEndOfToken(location, 0, sources, language));
}

unsigned SourceText::endOf(const Stmt *statement) const {
  unsigned end = endOfToken(statement->getEndLoc());
  if (text[end - 1] == '}' || text[end - 1] == ';')
    return end;
  // An expression, or a loop whose body is one: the semicolon follows.
  SourceLocation last = sources.getExpansionRange(statement->getEndLoc()).getEnd();
  std::optional<Token> next = Lexer::findNextToken(last, sources, language);
  return next && next->is(tok::semi) ? offsetOf(next->getEndLoc()) : end;
}

unsigned SourceText::beginOf(const FunctionDecl *function) const {
  if (const FunctionTemplateDecl *primary = function->getDescribedFunctionTemplate())
    return offsetOf(primary->getBeginLoc());
  return offsetOf(function->getBeginLoc());
}

std::string SourceText::indentationAt(unsigned offset) const {
  size_t line = text.take_front(offset).rfind('\n');
  StringRef from = text.drop_front(line == StringRef::npos ? 0 : line + 1);
  return from.take_front(from.find_first_not_of(" \t")).str();
}

unsigned SourceText::columnOf(unsigned offset) const {
  size_t line = text.take_front(offset).rfind('\n');
  return unsigned(line == StringRef::npos ? offset : offset - line - 1);
}

std::string SourceText::unused(StringRef name) const {
  auto isPartOfWord = [](char c) { return isAlnum(c) || c == '_'; };
  auto isTaken = [&](StringRef word) {
    for (size_t at = text.find(word); at != StringRef::npos; at = text.find(word, at + 1)) {
      bool starts = at == 0 || !isPartOfWord(text[at - 1]);
      bool ends = at + word.size() == text.size() || !isPartOfWord(text[at + word.size()]);
      if (starts && ends)
        return true;
    }
    return false;
  };
  std::string candidate = name.str();
  for (unsigned n = 1; isTaken(candidate); ++n)
    candidate = name.str() + "_" + std::to_string(n);
  return candidate;
}

bool SourceText::isPlainText(SourceRange range) const {
  CharSourceRange text =
      Lexer::makeFileCharRange(CharSourceRange::getTokenRange(range), sources, language);
  return text.isValid() && sources.isInMainFile(text.getBegin());
}

std::vector<Piece> editedCopy(unsigned begin, unsigned end, std::vector<Edit> edits) {
  llvm::stable_sort(edits, [](const Edit &a, const Edit &b) { return a.begin < b.begin; });
  std::vector<Piece> pieces;
  unsigned at = begin;
  auto copyUpTo = [&](unsigned to) {
    if (at < to)
      pieces.push_back(Piece::copy(at, to));
  };
  for (const Edit &edit : edits) {
    copyUpTo(edit.begin);
    pieces.insert(pieces.end(), edit.pieces.begin(), edit.pieces.end());
    at = edit.end;
  }
  copyUpTo(end);
  return pieces;
}

} // namespace tilelift
