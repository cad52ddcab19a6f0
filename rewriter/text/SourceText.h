//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The user's files, and what is needed to cut text out of them. Offsets are places.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TEXT_SOURCETEXT_H
#define TILELIFT_TEXT_SOURCETEXT_H

#include "directive/Directive.h"
#include "support/Locations.h"
#include "text/EditSet.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/StringSet.h"

namespace tilelift {

class SourceText {
public:
  explicit SourceText(clang::ASTContext &context);

  llvm::ArrayRef<UserFile> all() const { return files; }
  const UserFile &fileOf(unsigned offset) const;
  /// The name of that file, for whom style depends on it.
  llvm::StringRef nameOf(unsigned offset) const;
  /// Whether it is included more than once: what is computed for one of its texts may not be right
  /// for the other.
  bool isRepeated(const UserFile &file) const;
  bool isInHeader(unsigned offset) const { return fileOf(offset).begin != 0; }
  llvm::StringRef between(unsigned begin, unsigned end) const;
  /// The text of a file up to an offset, and from there.
  llvm::StringRef before(unsigned offset) const;
  llvm::StringRef from(unsigned offset) const;
  unsigned offsetOf(clang::SourceLocation location) const;
  /// Of what is an argument of a macro, where it was written.
  clang::SourceLocation written(clang::SourceLocation location) const;
  /// One past the last character of the token at a location.
  unsigned endOfToken(clang::SourceLocation location) const;
  /// One past the name of a function, as it is declared or called.
  unsigned endOfName(const clang::DeclarationNameInfo &name) const;
  /// One past a statement and its semicolon.
  unsigned endOf(const clang::Stmt *statement) const;
  /// Where the first token of that kind after a token begins, if it is the next one.
  std::optional<unsigned> nextToken(clang::SourceLocation after, clang::tok::TokenKind kind) const;
  /// A whole declaration, with its template headers.
  unsigned beginOf(const clang::FunctionDecl *function) const;
  /// A declaration with all specifiers and attributes, of which Clang leaves out some.
  unsigned beginOf(const clang::DeclStmt *declaration) const;
  /// What a declaration says of one of its variables alone, "*p = q" of "int i, *p = q", without
  /// the specifiers: where that begins and where it ends.
  std::pair<unsigned, unsigned> declaratorOf(const clang::VarDecl &variable) const;
  /// The pragmas that speak of a loop, such as `#pragma unroll` or `_Pragma("unroll")`, in their
  /// order: of each where it begins and where it ends.
  std::vector<std::pair<unsigned, unsigned>> hintsOf(const clang::Stmt *statement) const;
  std::string indentationAt(unsigned offset) const;
  unsigned columnOf(unsigned offset) const;
  /// `name`, or name_1, ... if the files have that word already.
  std::string unused(llvm::StringRef name) const;
  bool has(llvm::StringRef word) const { return words.contains(word); }
  /// Whether a range is a stretch of a file, whole macro calls included.
  bool isPlainText(clang::SourceRange range) const;
  /// What stands between a pragma and its statement: nothing that has another end elsewhere, an
  /// `#endif` whose `#if` comes before the pragma, or the beginning or middle of an `#if`.
  enum class Between { Nothing, EndOfIf, PartOfIf };
  Between between(const Directive &directive) const;
  /// Whether `between` is EndOfIf: an `#endif`, whose `#if` comes before the pragma, stands between
  /// the pragma and its statement.
  bool isCutOffByEndif(const Directive &directive) const;
  /// Makes a comment in the place of a pragma, indented like its statement.
  Edit pragmaComment(const Directive &directive, llvm::StringRef what) const;
  /// Takes a stretch out, with its line when nothing else is on it.
  Edit removal(unsigned begin, unsigned end) const;

private:
  const clang::SourceManager &sources;
  const clang::LangOptions &language;
  /// In the order of their places.
  llvm::SmallVector<UserFile, 8> files;
  /// All identifiers of the files, outside of comments.
  llvm::StringSet<> words;
};

inline Edit insertion(unsigned at, std::string text) {
  return {at, at, {Piece::own(std::move(text))}};
}

inline Edit replacement(unsigned begin, unsigned end, std::string text) {
  return {begin, end, {Piece::own(std::move(text), begin)}};
}

/// Pieces for a stretch of a file with edits inside it.
std::vector<Piece> editedCopy(unsigned begin, unsigned end, std::vector<Edit> edits);

/// Whether what is written behind a text would be part of its last comment.
bool endsInComment(llvm::StringRef text, const clang::LangOptions &options);

} // namespace tilelift

#endif
