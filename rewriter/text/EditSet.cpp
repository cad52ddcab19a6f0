//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "text/EditSet.h"

#include "clang/Lex/Lexer.h"
#include "llvm/Support/Regex.h"

#include <algorithm>
#include <cassert>

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// What __LINE__ and __FILE__ are.
struct Position {
  unsigned line = 1;
  StringRef path;

  bool operator==(const Position &other) const { return line == other.line && path == other.path; }
};

/// The positions of a file's text, of which its own #line directives may say something else.
class Positions {
public:
  Positions(StringRef file, StringRef path);

  Position at(unsigned offset) const;
  bool haveDirectiveIn(unsigned begin, unsigned end) const {
    return llvm::any_of(directives, [&](const Directive &each) {
      return begin < each.behind && each.behind <= end;
    });
  }

private:
  struct Directive {
    unsigned behind; ///< where the next line begins
    Position says;
  };

  StringRef file;
  Position first;
  std::vector<Directive> directives;
};

Positions::Positions(StringRef file, StringRef path) : file(file), first{1, path} {
  if (!Regex("^[ \t]*#[ \t]*(line[ \t]+)?[0-9]", Regex::Newline).match(file))
    return;
  Lexer lexer(SourceLocation(), LangOptions(), file.begin(), file.begin(), file.end());
  StringRef said = path;
  for (Token token; !lexer.LexFromRawLexer(token);) {
    if (token.isNot(tok::hash) || !token.isAtStartOfLine())
      continue;
    const size_t at = size_t(lexer.getBufferLocation() - file.begin());
    const StringRef line = file.substr(at).take_until([](char c) { return c == '\n'; });
    SmallVector<StringRef, 5> parts;
    static const char directive[] = "^[ \t]*(line[ \t]+)?([0-9]+)([ \t]+\"([^\"]*)\")?";
    unsigned number = 0;
    if (!Regex(directive).match(line, &parts) || parts[2].getAsInteger(10, number))
      continue;
    said = parts[3].empty() ? said : parts[4];
    directives.push_back({unsigned(at + line.size() + 1), {number, said}});
  }
}

Position Positions::at(unsigned offset) const {
  unsigned from = 0;
  Position position = first;
  for (const Directive &each : directives)
    if (each.behind <= offset) {
      from = each.behind;
      position = each.says;
    }
  position.line += unsigned(file.slice(from, offset).count('\n'));
  return position;
}

/// Writes pieces one after the other and says, where asked to, which line of
/// the file each belongs to.
class Renderer {
public:
  Renderer(StringRef file, StringRef path, bool withLines, Repeats repeats)
      : file(file),
        positions(file, path),
        withLines(withLines),
        repeats(repeats),
        current{1, path} {
    if (withLines) // a first #line keeps Clang from recording a checksum
      output = "#line 1 \"" + path.str() + "\"\n";
  }

  void copy(unsigned begin, unsigned end) {
    // A byte order mark is one only where a file begins, which is not behind a #line.
    static constexpr StringRef byteOrderMark = "\xef\xbb\xbf";
    if (withLines && begin == 0 && file.take_front(end).starts_with(byteOrderMark))
      begin = unsigned(byteOrderMark.size());
    // After text of ours that ends within a line, the line has to end first: behind a comment, or
    // before what may ask for its line, or go on in the next one as strings and comments do.
    if (withLines && !atLineStart() && !(positions.at(begin) == current)) {
      const StringRef rest = file.slice(begin, end).take_until([](char c) { return c == '\n'; });
      const bool isWholeLine = begin + rest.size() < end;
      const StringRef code = rest.trim();
      if (!code.empty() && (!code.starts_with("//") || code.ends_with("\\"))) {
        append("\n");
      } else if (isWholeLine) {
        appendOfFile(begin, begin + unsigned(rest.size()) + 1);
        begin += unsigned(rest.size()) + 1;
      }
    }
    if (begin == end)
      return;
    mark(begin);
    appendOfFile(begin, end);
  }

  /// A stretch of the file that stays where it is, too.
  void repeat(const Piece &piece) {
    size_t before = output.size();
    copy(piece.begin, piece.begin + piece.length);
    static constexpr StringRef expected = "expected-", silenced = "repeated-";
    if (repeats == Repeats::WithoutExpectations)
      for (size_t at = before; (at = output.find(expected, at)) != std::string::npos;)
        output.replace(at, expected.size(), silenced);
  }

  void own(const Piece &piece) {
    if (piece.standsFor != ~0u)
      mark(piece.standsFor);
    append(piece.text);
  }

  std::string output;

private:
  bool atLineStart() const { return output.empty() || output.back() == '\n'; }

  void append(StringRef text) {
    output += text;
    current.line += unsigned(text.count('\n'));
  }
  void appendOfFile(unsigned begin, unsigned end) {
    append(file.slice(begin, end));
    if (positions.haveDirectiveIn(begin, end))
      current = positions.at(end);
  }

  /// The next character is from `offset`. A directive needs a line of its own,
  /// so in the middle of a line it has to wait for the next piece.
  void mark(unsigned offset) {
    const Position wanted = positions.at(offset);
    if (!withLines || wanted == current || !atLineStart())
      return;
    output += "#line " + std::to_string(wanted.line) + " \"" + wanted.path.str() + "\"\n";
    current = wanted;
  }

  StringRef file;
  Positions positions;
  bool withLines;
  Repeats repeats;
  Position current;
};

} // namespace

EditSet EditSet::within(unsigned begin, unsigned end) const {
  EditSet result;
  for (Edit edit : edits) {
    if (edit.begin < begin || edit.begin > end)
      continue;
    edit.begin -= begin;
    edit.end -= begin;
    for (Piece &piece : edit.pieces) {
      assert((piece.length == 0 || (piece.begin >= begin && piece.begin + piece.length <= end)) &&
             "text of one file in another");
      piece.begin -= piece.length ? begin : 0;
      if (piece.standsFor != ~0u)
        piece.standsFor -= begin;
    }
    result.add(std::move(edit));
  }
  return result;
}

std::vector<Edit> EditSet::sorted() const {
  std::vector<Edit> result = edits;
  llvm::stable_sort(result, isBefore);
  return result;
}

static std::string render(const std::vector<Edit> &edits, StringRef file, StringRef path,
                          bool withLines, Repeats repeats) {
  Renderer renderer(file, path, withLines, repeats);
  unsigned at = 0;
  for (const Edit &edit : edits) {
    assert(edit.begin >= at && "edits overlap");
    renderer.copy(at, edit.begin);
    for (const Piece &piece : edit.pieces) {
      if (piece.length)
        renderer.repeat(piece);
      else
        renderer.own(piece);
    }
    at = edit.end;
  }
  renderer.copy(at, unsigned(file.size()));
  return std::move(renderer.output);
}

std::string EditSet::apply(StringRef file) const {
  return render(sorted(), file, "", false, Repeats::AsTheyAre);
}

std::string EditSet::applyWithLines(StringRef file, StringRef path, Repeats repeats) const {
  return render(sorted(), file, path, true, repeats);
}

} // namespace tilelift
