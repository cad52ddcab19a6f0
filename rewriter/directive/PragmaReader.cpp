//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "directive/PragmaReader.h"

#include "support/Locations.h"

#include "clang/Lex/LiteralSupport.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

constexpr unsigned onLoad = 1, onStore = 2, onReduce = 4, onPipeline = 8;
constexpr unsigned onCopies = onLoad | onStore | onReduce;

struct ClauseInfo {
  StringRef name;
  unsigned directives;
  /// The words or numbers it takes; empty for clauses that take others.
  ArrayRef<StringRef> values;
  /// Of a number.
  unsigned most = 0;
};

const StringRef swizzles[] = {"auto", "none", "32", "64", "128"};
const StringRef hints[] = {"evict_first", "evict_last", "evict_normal"};
const StringRef promotions[] = {"none", "64", "128", "256"};
const StringRef axes[] = {"x", "y", "z"};
const StringRef outsides[] = {"any"};
const StringRef fallbacks[] = {"loop", "error"};
const StringRef warps[] = {"producer"};
const StringRef lifts[] = {"always"};

const ClauseInfo clauseTable[] = {
    {"swizzle", onCopies, swizzles}, {"cache", onLoad | onStore, hints},
    {"promote", onLoad, promotions}, {"multicast", onLoad, axes, 8},
    {"prefetch", onLoad, {}, 64},    {"threads", onCopies | onPipeline, {}, 1024},
    {"outside", onLoad, outsides},   {"fallback", onCopies | onPipeline, fallbacks},
    {"stages", onPipeline, {}, 64},  {"warp", onPipeline, warps},
    {"persist", onCopies, {}},       {"lift", onCopies, lifts},
};

struct DirectiveInfo {
  StringRef name;
  DirectiveKind kind;
  unsigned flag;
};

const DirectiveInfo directiveTable[] = {
    {"load", DirectiveKind::Load, onLoad},
    {"store", DirectiveKind::Store, onStore},
    {"reduce", DirectiveKind::Reduce, onReduce},
    {"pipeline", DirectiveKind::Pipeline, onPipeline},
};

std::string suggestion(StringRef word, ArrayRef<StringRef> candidates) {
  if (std::optional<StringRef> meant = closest(word, candidates))
    return formatv("; did you mean '{0}'?", *meant).str();
  return "";
}

std::string listOf(ArrayRef<StringRef> words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + ("'" + words[i] + "'").str();
  return text;
}

std::optional<swizzle_mode> swizzleOf(StringRef value) {
  for (swizzle_mode mode : {swizzle_mode::b32, swizzle_mode::b64, swizzle_mode::b128})
    if (value == std::to_string(span_of(mode)))
      return mode;
  return value == "none" ? std::optional(swizzle_mode::none) : std::nullopt;
}

/// Reads one line; lives as long as the line.
class LineReader {
public:
  LineReader(Preprocessor &preprocessor, DirectiveList &list)
      : preprocessor(preprocessor), list(list) {}

  void read(SourceLocation hash, Token &first);

private:
  void readClauses(const DirectiveInfo &info);
  void readClause(const DirectiveInfo &info, const ClauseInfo &clause);
  void readValue(const ClauseInfo &clause);
  void readAxes(const ClauseInfo &clause);
  void readCounts(const ClauseInfo &clause);
  void readPersistence(const ClauseInfo &clause);
  std::string readShare(const ClauseInfo &clause);
  std::optional<CountArgument> readCount(const ClauseInfo &clause);
  void take(const ClauseInfo &clause, StringRef value);
  void takeAxis(StringRef value);
  void next() { preprocessor.Lex(token); }
  void skipToEnd();
  bool at(tok::TokenKind kind) const { return token.is(kind); }
  Place placeOf(SourceLocation location) const;
  Place here() const { return placeOf(token.getLocation()); }
  std::string text() const { return preprocessor.getSpelling(token); }
  void fail(Diagnostic diagnostic) {
    list.diagnostics.push_back(std::move(diagnostic));
    failed = true;
  }
  Remedy replaceToken(StringRef text) const {
    return {"", {{here(), unsigned(token.getLength()), text.str()}}};
  }

  Preprocessor &preprocessor;
  DirectiveList &list;
  Token token;
  Directive directive;
  StringRef directiveName;
  llvm::StringMap<Place> seen;
  bool failed = false;
};

Place LineReader::placeOf(SourceLocation location) const {
  return tilelift::placeOf(preprocessor.getSourceManager(), location);
}

void LineReader::skipToEnd() {
  while (!at(tok::eod))
    next();
}

void LineReader::read(SourceLocation hash, Token &first) {
  const SourceManager &sources = preprocessor.getSourceManager();
  next(); // what follows `tma`
  directive.begin = placeOf(hash);
  Place kindPlace = here();
  if (!hash.isFileID() || !first.getLocation().isFileID()) {
    fail(diagnose(diag::not_available_yet, directive.begin, "'_Pragma(\"tma ...\")'"));
    return skipToEnd();
  }
  if (!directive.begin.isKnown()) {
    PresumedLoc where = sources.getPresumedLoc(hash);
    fail(diagnose(
        diag::input_not_lifted, {},
        formatv("a header of the system ({0}:{1})", where.getFilename(), where.getLine()).str()));
    return skipToEnd();
  }

  SmallVector<StringRef, 4> names;
  for (const DirectiveInfo &info : directiveTable)
    names.push_back(info.name);
  std::string word = at(tok::eod) ? "" : text();
  const DirectiveInfo *info =
      llvm::find_if(directiveTable, [&](const DirectiveInfo &each) { return each.name == word; });
  if (info == std::end(directiveTable)) {
    Diagnostic unknown =
        diagnose(diag::unknown_directive, kindPlace, word,
                 word.empty() ? "; expected " + listOf(names) : suggestion(word, names));
    if (std::optional<StringRef> meant = closest(word, names))
      unknown.remedy = replaceToken(*meant);
    fail(std::move(unknown));
    return skipToEnd();
  }
  directive.kind = info->kind;
  directiveName = info->name;
  next();
  readClauses(*info);

  directive.end = here();
  if (!failed)
    list.directives.push_back(directive);
}

void LineReader::readClauses(const DirectiveInfo &info) {
  while (!at(tok::eod)) {
    if (at(tok::comma)) {
      next();
      continue;
    }
    std::string word = text();
    SmallVector<StringRef, 8> names;
    for (const ClauseInfo &clause : clauseTable)
      if (clause.directives & info.flag)
        names.push_back(clause.name);
    const ClauseInfo *clause =
        llvm::find_if(clauseTable, [&](const ClauseInfo &each) { return each.name == word; });
    if (clause == std::end(clauseTable) || !(clause->directives & info.flag)) {
      Diagnostic unknown =
          diagnose(diag::unknown_clause, here(), word, info.name, suggestion(word, names));
      if (std::optional<StringRef> meant = closest(word, names))
        unknown.remedy = replaceToken(*meant);
      fail(std::move(unknown));
      return skipToEnd();
    }
    Clauses before = directive.clauses;
    bool isRepeated = !seen.try_emplace(word, here()).second;
    if (isRepeated)
      fail(diagnose(diag::repeated_clause, here(), word).note(seen[word], "first given here"));
    next();
    readClause(info, *clause);
    if (isRepeated)
      directive.clauses = std::move(before);
  }
}

void LineReader::readClause(const DirectiveInfo &info, const ClauseInfo &clause) {
  if (!at(tok::l_paren)) {
    fail(diagnose(diag::malformed_clause, here(), formatv("'(' after '{0}'", clause.name).str(),
                  info.name));
    return skipToEnd();
  }
  next();
  if (clause.name == "persist")
    readPersistence(clause);
  else if (clause.values.empty())
    readCounts(clause);
  else if (clause.name == "multicast")
    readAxes(clause);
  else
    readValue(clause);
  if (!at(tok::r_paren)) {
    if (!failed) { // after another mistake it would be the same one
      Diagnostic open = diagnose(diag::malformed_clause, here(), "')'", info.name);
      open.remedy = {"", {{here(), 0, ")"}}};
      fail(std::move(open));
    }
    return skipToEnd();
  }
  next();
}

/// One of the words that the clause takes.
void LineReader::readValue(const ClauseInfo &clause) {
  std::string value = at(tok::eod) || at(tok::r_paren) ? "" : text();
  if (!llvm::is_contained(clause.values, value)) {
    Diagnostic bad =
        diagnose(diag::bad_clause_value, here(), value, clause.name,
                 "expected " + listOf(clause.values) + suggestion(value, clause.values));
    if (std::optional<StringRef> meant = closest(value, clause.values))
      bad.remedy = replaceToken(*meant);
    fail(std::move(bad));
  } else {
    take(clause, value);
  }
  if (!at(tok::eod) && !at(tok::r_paren))
    next();
}

/// multicast(x), multicast(x, 4), multicast(x, 2, y).
void LineReader::readAxes(const ClauseInfo &clause) {
  auto follows = [&] {
    bool isSo = !failed && at(tok::comma);
    if (isSo)
      next();
    return isSo;
  };
  for (bool more = true; more;) {
    readValue(clause);
    more = follows();
    if (more && !llvm::is_contained(clause.values, text())) {
      directive.clauses.multicast.back().blocks = readCount(clause);
      more = follows();
    }
  }
}

/// A number, or the name of a constant.
std::optional<CountArgument> LineReader::readCount(const ClauseInfo &clause) {
  CountArgument count;
  count.place = here();
  uint64_t number = 0;
  if (at(tok::identifier)) {
    count.name = text();
    next();
  } else if (at(tok::numeric_constant)) {
    std::string written = text();
    if (!preprocessor.parseSimpleIntegerLiteral(token, number) || number < 1 ||
        number > clause.most)
      fail(diagnose(diag::bad_clause_value, count.place, written, clause.name,
                    formatv("expected a number from 1 to {0}", clause.most).str()));
    count.number = unsigned(number);
  } else {
    fail(diagnose(diag::malformed_clause, here(),
                  formatv("a number in '{0}(...)'", clause.name).str(), directiveName));
    return std::nullopt;
  }
  return count;
}

/// persist(table) and persist(shape.table, 0.5).
void LineReader::readPersistence(const ClauseInfo &clause) {
  Persistence persistence;
  persistence.place = here();
  for (bool more = true; more;) {
    if (!at(tok::identifier)) {
      fail(diagnose(diag::malformed_clause, here(), "the name of what stays in L2", directiveName));
      return;
    }
    persistence.tensor += text();
    next();
    more = at(tok::period);
    if (more) {
      persistence.tensor += ".";
      next();
    }
  }
  if (at(tok::comma)) {
    next();
    persistence.share = readShare(clause);
  }
  directive.clauses.persistence = std::move(persistence);
}

/// Above 0 and up to 1.
std::string LineReader::readShare(const ClauseInfo &clause) {
  const std::string written = at(tok::eod) || at(tok::r_paren) ? "" : text();
  StringRef digits = written;
  if (!digits.consume_back("f"))
    digits.consume_back("F");
  double share = 0;
  // As all hosts write numbers.
  const bool isDecimal = digits.find_first_not_of("0123456789.eE+-") == StringRef::npos;
  if (!at(tok::numeric_constant) || !isDecimal || digits.getAsDouble(share) ||
      !(share > 0 && share <= 1))
    fail(diagnose(diag::bad_clause_value, here(), written, clause.name,
                  "expected the share that stays in L2, above 0 and up to 1"));
  else
    next();
  return digits.str();
}

/// threads(x[,y[,z]]), stages(n) and prefetch(n).
void LineReader::readCounts(const ClauseInfo &clause) {
  if (clause.name == "prefetch") {
    directive.clauses.prefetch = readCount(clause);
    return;
  }
  if (clause.name == "stages") {
    if (at(tok::kw_auto))
      next();
    else
      directive.clauses.stages = readCount(clause);
    return;
  }
  SmallVectorImpl<CountArgument> &threads = directive.clauses.threads;
  while (std::optional<CountArgument> count = readCount(clause)) {
    threads.push_back(*count);
    if (!at(tok::comma))
      break;
    next();
  }
  if (threads.size() > 3)
    fail(diagnose(diag::bad_clause_value, threads[3].place, "a fourth number", clause.name,
                  "a block has three dimensions"));
}

void LineReader::take(const ClauseInfo &clause, StringRef value) {
  Clauses &clauses = directive.clauses;
  if (clause.name == "cache")
    clauses.cache = value == "evict_first"  ? CacheHint::EvictFirst
                    : value == "evict_last" ? CacheHint::EvictLast
                                            : CacheHint::EvictNormal;
  else if (clause.name == "promote")
    clauses.promotion = value == "none" ? 0 : unsigned(std::stoul(value.str()));
  else if (clause.name == "swizzle")
    clauses.swizzle = swizzleOf(value);
  else if (clause.name == "multicast")
    takeAxis(value);
  else if (clause.name == "outside")
    clauses.outsideIsAny = true;
  else if (clause.name == "warp")
    clauses.hasProducer = true;
  else if (clause.name == "lift")
    clauses.isAlwaysLifted = true;
  else if (clause.name == "fallback")
    clauses.fallback = value == "loop" ? Fallback::Loop : Fallback::Error;
}

void LineReader::takeAxis(StringRef value) {
  auto &named = directive.clauses.multicast;
  unsigned axis = unsigned(value[0] - 'x');
  if (llvm::any_of(named, [&](const ClusterAxis &other) { return other.axis == axis; }))
    fail(diagnose(diag::bad_clause_value, here(), value, "multicast", "it is named before"));
  named.push_back({axis, std::nullopt});
}

/// The statement of a directive begins with the next token that the parser gets,
/// whatever lines the preprocessor leaves out between; attributes stand ahead of it.
class StatementFinder {
public:
  StatementFinder(const SourceManager &sources, std::vector<Directive> &directives)
      : sources(sources), directives(directives) {}

  void take(const Token &token) {
    if (placed == directives.size() || token.isAnnotation())
      return;
    bool opens = token.is(tok::l_square);
    if (std::optional<Token> bracket = std::exchange(first, std::nullopt)) {
      if (!opens)
        return place(*bracket); // a lambda
      squares = 2;
    } else if (opens && squares == 0)
      first = token;
    else if (opens)
      ++squares;
    else if (token.is(tok::r_square))
      --squares;
    else if (squares == 0)
      place(token);
  }

private:
  void place(const Token &token) {
    Place begin = placeOf(sources, token.getLocation());
    bool isStatement = token.isNot(tok::eof) && begin.isKnown();
    for (; placed < directives.size(); ++placed)
      if (isStatement && fileAt(sources, directives[placed].begin).id == fileAt(sources, begin).id)
        directives[placed].statement = begin;
  }

  const SourceManager &sources;
  std::vector<Directive> &directives;
  /// How many of them have their statement.
  size_t placed = 0;
  int squares = 0;
  /// A bracket that begins an attribute or a lambda.
  std::optional<Token> first;
};

class Handler : public PragmaHandler {
public:
  explicit Handler(DirectiveList &list) : PragmaHandler("tma"), list(list) {}

  void HandlePragma(Preprocessor &preprocessor, PragmaIntroducer introducer,
                    Token &first) override {
    LineReader(preprocessor, list).read(introducer.Loc, first);
  }

private:
  DirectiveList &list;
};

class IncludeReader : public PPCallbacks {
public:
  IncludeReader(const SourceManager &sources, std::vector<IncludeLine> &includes)
      : sources(sources), includes(includes) {}

  void InclusionDirective(SourceLocation hash, const Token &, StringRef, bool, CharSourceRange name,
                          OptionalFileEntryRef file, StringRef, StringRef, const Module *, bool,
                          SrcMgr::CharacteristicKind) override {
    IncludeLine line;
    line.hash = placeOf(sources, hash);
    if (!line.hash.isKnown() || !file)
      return;
    line.path = file->getName().str();
    if (name.getBegin().isFileID() && name.isCharRange()) {
      line.begin = placeOf(sources, name.getBegin());
      line.length = placeOf(sources, name.getEnd()).offset - line.begin.offset;
    }
    includes.push_back(line);
  }

private:
  const SourceManager &sources;
  std::vector<IncludeLine> &includes;
};

} // namespace

void installPragmaReader(Preprocessor &preprocessor, DirectiveList &list) {
  preprocessor.AddPragmaHandler(new Handler(list)); // owned by the preprocessor
  preprocessor.addPPCallbacks(
      std::make_unique<IncludeReader>(preprocessor.getSourceManager(), list.includes));
  preprocessor.addPPCallbacks(
      readVariants(preprocessor.getSourceManager(), preprocessor.getLangOpts(), list.variants));
  preprocessor.setTokenWatcher(
      [macros = MacroReader(preprocessor, list.macros),
       statements = StatementFinder(preprocessor.getSourceManager(), list.directives)](
          const Token &token) mutable {
        macros.take(token);
        statements.take(token);
      });
}

StringRef spelling(DirectiveKind kind) {
  return llvm::find_if(directiveTable, [&](const DirectiveInfo &info) { return info.kind == kind; })
      ->name;
}

} // namespace tilelift
