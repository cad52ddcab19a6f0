//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "text/SourceText.h"

#include "directive/PragmaReader.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

SourceText::SourceText(ASTContext &context)
    : sources(context.getSourceManager()),
      language(context.getLangOpts()),
      files(userFiles(sources)) {
  for (const UserFile &file : files) {
    Lexer lexer(sources.getLocForStartOfFile(file.id), language, file.text.begin(),
                file.text.begin(), file.text.end());
    Token token;
    for (bool more = true; more;) {
      more = !lexer.LexFromRawLexer(token);
      if (token.is(tok::raw_identifier))
        words.insert(token.getRawIdentifier());
    }
  }
}

const UserFile &SourceText::fileOf(unsigned offset) const {
  auto next = llvm::partition_point(files, [&](const UserFile &f) { return f.begin <= offset; });
  return *std::prev(next);
}

bool SourceText::isRepeated(const UserFile &file) const {
  return llvm::any_of(files, [&](const UserFile &other) {
    return other.id != file.id &&
           sources.getFileEntryForID(other.id) == sources.getFileEntryForID(file.id);
  });
}

StringRef SourceText::nameOf(unsigned offset) const {
  OptionalFileEntryRef file = sources.getFileEntryRefForID(fileOf(offset).id);
  return file ? file->getName() : "input.cu";
}

StringRef SourceText::between(unsigned begin, unsigned end) const {
  const UserFile &file = fileOf(begin);
  return file.text.slice(begin - file.begin, end - file.begin);
}

StringRef SourceText::before(unsigned offset) const {
  return between(fileOf(offset).begin, offset);
}

StringRef SourceText::from(unsigned offset) const {
  const UserFile &file = fileOf(offset);
  return file.text.drop_front(offset - file.begin);
}

unsigned SourceText::offsetOf(SourceLocation location) const {
  return placeOf(sources, location).offset;
}

SourceLocation SourceText::written(SourceLocation location) const {
  while (location.isMacroID() && sources.isMacroArgExpansion(location))
    location = sources.getImmediateSpellingLoc(location);
  return location;
}

unsigned SourceText::endOfToken(SourceLocation location) const {
  location = sources.getExpansionRange(location).getEnd();
  return offsetOf(Lexer::getLocForEndOfToken(location, 0, sources, language));
}

/// The statement that a loop or a branch ends with.
static const Stmt *lastPartOf(const Stmt *statement) {
  while (true) {
    const Stmt *last = nullptr;
    if (const auto *loop = dyn_cast<ForStmt>(statement))
      last = loop->getBody();
    else if (const auto *loop = dyn_cast<CXXForRangeStmt>(statement))
      last = loop->getBody();
    else if (const auto *loop = dyn_cast<WhileStmt>(statement))
      last = loop->getBody();
    else if (const auto *branch = dyn_cast<IfStmt>(statement))
      last = branch->getElse() ? branch->getElse() : branch->getThen();
    else if (const auto *branch = dyn_cast<SwitchStmt>(statement))
      last = branch->getBody();
    else if (const auto *attributed = dyn_cast<AttributedStmt>(statement))
      last = attributed->getSubStmt();
    else if (const auto *label = dyn_cast<LabelStmt>(statement))
      last = label->getSubStmt();
    if (!last)
      return statement;
    statement = last;
  }
}

unsigned SourceText::endOf(const Stmt *statement) const {
  unsigned end = endOfToken(statement->getEndLoc());
  // A block and a declaration end with a token of their own. After an
  // expression, or a loop whose body is one, the semicolon follows.
  if (isa<CompoundStmt, DeclStmt, NullStmt>(lastPartOf(statement)))
    return end;
  std::optional<unsigned> semicolon = nextToken(statement->getEndLoc(), tok::semi);
  return semicolon ? *semicolon + 1 : end;
}

std::vector<std::pair<unsigned, unsigned>> SourceText::hintsOf(const Stmt *statement) const {
  std::vector<std::pair<unsigned, unsigned>> hints;
  const auto *attributed = dyn_cast<AttributedStmt>(statement);
  if (!attributed)
    return hints;
  for (const Attr *attribute : attributed->getAttrs()) {
    if (!isa<LoopHintAttr>(attribute))
      continue;
    CharSourceRange written = sources.getExpansionRange(attribute->getLocation());
    unsigned begin = offsetOf(written.getBegin()), end = endOfToken(written.getEnd());
    if (attribute->getLocation().isFileID()) { // a line that may go on behind a backslash
      begin = unsigned(begin - (before(begin).size() - before(begin).rfind('#')));
      StringRef rest = from(end);
      size_t length = rest.find('\n');
      while (length != StringRef::npos && rest.take_front(length).rtrim("\r").ends_with("\\"))
        length = rest.find('\n', length + 1);
      end += unsigned(rest.take_front(length).rtrim().size());
    }
    hints.emplace_back(begin, end);
  }
  llvm::sort(hints);
  hints.erase(std::unique(hints.begin(), hints.end()), hints.end());
  return hints;
}

std::optional<unsigned> SourceText::nextToken(SourceLocation after, tok::TokenKind kind) const {
  std::optional<Token> next =
      Lexer::findNextToken(sources.getExpansionRange(after).getEnd(), sources, language);
  return next && next->is(kind) ? std::optional(offsetOf(next->getLocation())) : std::nullopt;
}

unsigned SourceText::endOfName(const DeclarationNameInfo &name) const {
  if (name.getName().getCXXOverloadedOperator() != OO_Call)
    return endOfToken(name.getEndLoc());
  // Where the call gives template arguments, Clang knows where the word `operator` stands alone.
  const std::optional<Token> open = Lexer::findNextToken(name.getBeginLoc(), sources, language);
  const std::optional<Token> close = Lexer::findNextToken(open->getLocation(), sources, language);
  return offsetOf(close->getEndLoc());
}

unsigned SourceText::beginOf(const FunctionDecl *function) const {
  if (function->getNumTemplateParameterLists() > 0) // of the class around it
    return offsetOf(function->getTemplateParameterList(0)->getTemplateLoc());
  if (const FunctionTemplateDecl *primary = function->getDescribedFunctionTemplate())
    return offsetOf(primary->getBeginLoc());
  return offsetOf(function->getBeginLoc());
}

/// Behind the statement, brace, label or directive that stands before it.
unsigned SourceText::beginOf(const DeclStmt *declaration) const {
  unsigned known = offsetOf(declaration->getBeginLoc());
  const UserFile &file = fileOf(known);
  SourceLocation start = sources.getLocForStartOfFile(file.id);
  Lexer lexer(start, language, file.text.begin(), file.text.begin(), file.text.end());
  std::optional<unsigned> first;
  SmallVector<std::optional<unsigned>, 4> outside; // of parentheses that are still open
  bool isDirective = false;
  Token token;
  for (bool more = true; more;) {
    more = !lexer.LexFromRawLexer(token);
    unsigned at = offsetOf(token.getLocation());
    if (at >= known || token.is(tok::eof))
      break;
    isDirective = token.isAtStartOfLine() ? token.is(tok::hash) : isDirective;
    if (isDirective || token.isOneOf(tok::semi, tok::l_brace, tok::r_brace, tok::colon))
      first.reset();
    else if (!first)
      first = at;
    if (!isDirective && token.is(tok::l_paren))
      outside.push_back(std::exchange(first, std::nullopt));
    else if (!isDirective && token.is(tok::r_paren) && !outside.empty())
      first = outside.pop_back_val();
  }
  return first.value_or(known);
}

std::pair<unsigned, unsigned> SourceText::declaratorOf(const VarDecl &variable) const {
  unsigned begin = offsetOf(variable.getLocation());
  TypeLoc type = variable.getTypeSourceInfo()->getTypeLoc();
  while (type) {
    type = type.getUnqualifiedLoc();
    SourceLocation sign;
    if (auto pointer = type.getAs<PointerTypeLoc>())
      sign = pointer.getStarLoc();
    else if (auto reference = type.getAs<ReferenceTypeLoc>())
      sign = reference.getSigilLoc();
    else if (auto member = type.getAs<MemberPointerTypeLoc>())
      sign = member.getBeginLoc();
    else if (auto paren = type.getAs<ParenTypeLoc>())
      sign = paren.getLParenLoc();
    else if (!type.getAs<ArrayTypeLoc>() && !type.getAs<FunctionTypeLoc>())
      break;
    if (sign.isValid())
      begin = std::min(begin, offsetOf(written(sign)));
    type = type.getNextTypeLoc();
  }
  return {begin, endOfToken(variable.getEndLoc())};
}

std::string SourceText::indentationAt(unsigned offset) const {
  StringRef line = from(offset - columnOf(offset));
  return line.take_front(line.find_first_not_of(" \t")).str();
}

unsigned SourceText::columnOf(unsigned offset) const {
  StringRef before = this->before(offset);
  return unsigned(before.size() - (before.rfind('\n') + 1));
}

std::string SourceText::unused(StringRef name) const {
  std::string candidate = name.str();
  for (unsigned n = 1; words.contains(candidate); ++n)
    candidate = name.str() + "_" + std::to_string(n);
  return candidate;
}

Edit SourceText::pragmaComment(const Directive &directive, StringRef what) const {
  unsigned begin = directive.begin.offset;
  std::string missing = StringRef(indentationAt(directive.statement.offset))
                            .drop_front(std::min(indentationAt(begin).size(),
                                                 indentationAt(directive.statement.offset).size()))
                            .str();
  return {begin,
          directive.end.offset,
          {Piece::own(missing + "// tma " + spelling(directive.kind).str() + ": " + what.str(),
                      begin)}};
}

bool SourceText::isCutOffByEndif(const Directive &directive) const {
  return between(directive) == Between::EndOfIf;
}

SourceText::Between SourceText::between(const Directive &directive) const {
  SmallVector<StringRef, 8> lines;
  between(directive.end.offset, directive.statement.offset).split(lines, '\n');
  unsigned open = 0;
  Between found = Between::Nothing;
  for (StringRef line : lines) {
    line = line.trim();
    if (!line.consume_front("#"))
      continue;
    line = line.ltrim();
    if (line.starts_with("if"))
      ++open;
    else if (open == 0 && line.starts_with("el"))
      return Between::PartOfIf;
    else if (line.starts_with("endif") && open-- == 0)
      open = 0, found = Between::EndOfIf;
  }
  return open > 0 ? Between::PartOfIf : found;
}

Edit SourceText::removal(unsigned begin, unsigned end) const {
  StringRef before = this->before(begin).rtrim(" \t"), after = from(end).ltrim(" \t\r");
  bool alone = before.ends_with("\n") && after.starts_with("\n");
  if (!alone)
    return {begin, end, {}};
  unsigned file = fileOf(begin).begin;
  return {file + unsigned(before.size()) - 1, end + unsigned(from(end).size() - after.size()), {}};
}

bool SourceText::isPlainText(SourceRange range) const {
  CharSourceRange text =
      Lexer::makeFileCharRange(CharSourceRange::getTokenRange(range), sources, language);
  return text.isValid() && placeOf(sources, text.getBegin()).isKnown();
}

std::vector<Piece> editedCopy(unsigned begin, unsigned end, std::vector<Edit> edits) {
  llvm::stable_sort(edits, isBefore);
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

bool endsInComment(StringRef text, const LangOptions &options) {
  const std::string own = text.rtrim().str();
  Lexer lexer(SourceLocation(), options, own.c_str(), own.c_str(), own.c_str() + own.size());
  lexer.SetCommentRetentionState(true);
  bool isComment = false;
  for (Token token;;) {
    lexer.LexFromRawLexer(token);
    if (token.is(tok::eof))
      return isComment;
    isComment = token.is(tok::comment) &&
                StringRef(lexer.getBufferLocation() - token.getLength()).starts_with("//");
  }
}

} // namespace tilelift
