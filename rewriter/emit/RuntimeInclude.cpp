//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/RuntimeInclude.h"

#include "clang/Lex/Lexer.h"

#include <algorithm>

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Every identifier in the runtime's headers, sorted. The build collects them from these files; see
/// rewriter/CMakeLists.txt.
constexpr llvm::StringLiteral runtimeWords[] = {
#include "RuntimeWords.inc"
};

struct IncludePlace {
  unsigned offset = 0;
  bool isBehindInclude = false;
};

/// The offset of the line after the one that contains `offset`. A comment that begins on that line
/// and continues on later lines is skipped as a whole.
unsigned behindLine(StringRef text, unsigned offset, const LangOptions &language) {
  auto lineEnd = [&](size_t from) { return std::min(text.find('\n', from), text.size()); };
  Lexer lexer(SourceLocation(), language, text.begin(), text.begin() + offset, text.end());
  lexer.SetCommentRetentionState(true);
  size_t end = lineEnd(offset);
  for (Token token; !lexer.LexFromRawLexer(token);) {
    const size_t tokenEnd = lexer.getBufferLocation() - text.begin();
    if (tokenEnd - token.getLength() >= end)
      break;
    end = std::max(end, lineEnd(tokenEnd));
  }
  return unsigned(std::min(end + 1, text.size()));
}

/// Chooses the line after the last #include that stands before the offset `before`, outside of
/// braces, and under no #if but the header's include guard. Without such an #include, chooses the
/// beginning of the file, after its first comment and its include guard.
IncludePlace placeForInclude(StringRef text, unsigned before, const LangOptions &language) {
  SourceLocation start = SourceLocation::getFromRawEncoding(1);
  auto offsetOf = [&](const Token &token) { return token.getLocation().getRawEncoding() - 1; };
  auto nextLine = [&](const Token &token) { return behindLine(text, offsetOf(token), language); };
  Lexer lexer(start, language, text.begin(), text.begin(), text.end());
  auto word = [&](Token &token) {
    lexer.LexFromRawLexer(token);
    return token.is(tok::raw_identifier) ? token.getRawIdentifier() : StringRef();
  };
  IncludePlace place;
  Token token;
  StringRef guard; // until the next directive tells whether it is one
  int depth = 0, braces = 0;
  bool isGuarded = false;
  bool more = !lexer.LexFromRawLexer(token);
  place.offset = offsetOf(token);
  for (bool isFirst = true; more && offsetOf(token) < before; isFirst = false) {
    if (token.is(tok::hash) && token.isAtStartOfLine()) {
      StringRef directive = word(token), expected = std::exchange(guard, StringRef());
      bool opensGuard = !expected.empty() && directive == "define" && word(token) == expected;
      depth += !expected.empty() && !opensGuard;
      isGuarded |= opensGuard;
      if (directive == "ifndef" && isFirst)
        guard = word(token);
      else if (directive.starts_with("if"))
        ++depth;
      else if (directive == "endif" && --depth < 0 && isGuarded) {
        // This #endif closes what looked like an include guard before the end of the file, so it
        // was none: it only gave a macro its default value.
        place = {nextLine(token), true};
        isGuarded = false;
        depth = 0;
      } else if ((directive == "else" || directive.starts_with("elif")) && depth == 0 && isGuarded)
        place = {nextLine(token), true}; // nor was it one of which another branch is compiled
      else if (directive == "include" && depth <= 0 && braces == 0)
        place = {nextLine(token), true};
      else if (opensGuard || (directive == "pragma" && isFirst && word(token) == "once"))
        place.offset = nextLine(token);
    } else {
      braces += token.is(tok::l_brace) - token.is(tok::r_brace);
    }
    more = !lexer.LexFromRawLexer(token);
  }
  return place;
}

/// The user's macros that may be defined where the runtime is included, at `at`, and that would
/// replace an identifier in its headers.
std::vector<std::string> macrosMet(const UserFile &file, unsigned at, const Variants &variants) {
  auto isLater = [&](const Variants::Change &change) {
    return change.place.offset >= at && change.place.offset < file.end();
  };
  std::vector<std::string> met;
  for (const auto &macro : variants.macros) {
    const StringRef name = macro.getKey();
    if (!std::binary_search(std::begin(runtimeWords), std::end(runtimeWords), name))
      continue;
    bool isChanged = false, isLaterOnly = true;
    for (const Variants::Change &change : variants.changes)
      if (change.macro == name) {
        isChanged = true;
        isLaterOnly &= isLater(change);
      }
    if (!isChanged || !isLaterOnly) // a macro that no file changes comes from the command line
      met.push_back(name.str());
  }
  llvm::sort(met);
  return met;
}

} // namespace

Edit runtimeInclude(const UserFile &file, unsigned firstChange, const Variants &variants,
                    const LangOptions &language) {
  const IncludePlace place = placeForInclude(file.text, firstChange, language);
  const unsigned at = file.begin + place.offset;
  const StringRef behind = file.text.drop_front(place.offset);
  std::string aside, back;
  for (const std::string &macro : macrosMet(file, at, variants)) {
    aside += "#pragma push_macro(\"" + macro + "\")\n#undef " + macro + "\n";
    back += "#pragma pop_macro(\"" + macro + "\")\n";
  }
  const bool isApart = place.isBehindInclude || behind.starts_with("\n");
  return {at,
          at,
          {Piece::own(aside + "#include <tilelift/tilelift.cuh>\n" + back + (isApart ? "" : "\n"),
                      at)}};
}

} // namespace tilelift
