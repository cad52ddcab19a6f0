//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/EditSet.h"

#include <algorithm>
#include <cassert>

using namespace llvm;

namespace tilelift {
namespace {

unsigned lineOf(StringRef file, unsigned offset) {
  return unsigned(file.take_front(offset).count('\n')) + 1;
}

/// Writes pieces one after the other and says, where asked to, which line of
/// the file each belongs to.
class Renderer {
public:
  Renderer(StringRef file, StringRef path, bool withLines, Repeats repeats)
      : file(file), path(path), withLines(withLines), repeats(repeats) {
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
    size_t newline = file.slice(begin, end).find('\n');
    bool late = withLines && !atLineStart() && lineOf(file, begin) != line;
    if (late && newline != StringRef::npos) {
      StringRef rest = file.slice(begin, begin + unsigned(newline)).trim();
      if (rest.empty() || (rest.starts_with("//") && !rest.ends_with("\\"))) {
        append(file.slice(begin, begin + unsigned(newline) + 1));
        begin += unsigned(newline) + 1;
      } else {
        append("\n");
      }
    }
    if (begin == end)
      return;
    mark(begin);
    append(file.slice(begin, end));
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
    line += unsigned(text.count('\n'));
  }

  /// The next character is from `offset`. A directive needs a line of its own,
  /// so in the middle of a line it has to wait for the next piece.
  void mark(unsigned offset) {
    unsigned wanted = lineOf(file, offset);
    if (!withLines || wanted == line || !atLineStart())
      return;
    output += "#line " + std::to_string(wanted) + " \"" + path.str() + "\"\n";
    line = wanted;
  }

  StringRef file;
  StringRef path;
  bool withLines;
  Repeats repeats;
  unsigned line = 1;
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
  std::stable_sort(result.begin(), result.end(),
                   [](const Edit &a, const Edit &b) { return a.begin < b.begin; });
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
