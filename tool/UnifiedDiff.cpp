//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/UnifiedDiff.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <optional>
#include <vector>

using namespace llvm;

namespace tilelift {
namespace {

constexpr size_t context = 3;

/// One line of the result: ' ', '-' or '+', and how many lines of each text are
/// before it.
struct Line {
  char kind;
  StringRef text;
  size_t before;
  size_t after;
};

std::vector<StringRef> linesOf(StringRef text) {
  std::vector<StringRef> lines;
  while (!text.empty()) {
    size_t end = text.find('\n');
    size_t length = end == StringRef::npos ? text.size() : end + 1;
    lines.push_back(text.take_front(length));
    text = text.drop_front(length);
  }
  return lines;
}

/// A stretch of both texts.
struct Stretch {
  size_t before, beforeEnd, after, afterEnd;
  size_t rows() const { return beforeEnd - before; }
  size_t columns() const { return afterEnd - after; }
};

/// Finds the lines that two texts have in common. Stretches that differ in a few lines are compared
/// line by line; longer ones are first cut at lines that stand in both of them once, so that time
/// and memory do not grow with the square of a file.
class Alignment {
public:
  Alignment(ArrayRef<StringRef> a, ArrayRef<StringRef> b) : a(a), b(b) {
    align({0, a.size(), 0, b.size()});
  }
  std::vector<Line> lines;

private:
  void align(Stretch part);
  void alignShort(const Stretch &part);
  void keep(size_t i, size_t j) { lines.push_back({' ', a[i], i, j}); }
  void remove(size_t i, size_t j) { lines.push_back({'-', a[i], i, j}); }
  void add(size_t i, size_t j) { lines.push_back({'+', b[j], i, j}); }
  std::vector<std::pair<size_t, size_t>> anchors(const Stretch &part) const;

  ArrayRef<StringRef> a, b;
};

constexpr size_t mostCompared = size_t(1) << 22;

void Alignment::align(Stretch part) {
  for (; part.rows() && part.columns() && a[part.before] == b[part.after];
       ++part.before, ++part.after)
    keep(part.before, part.after);
  size_t tail = 0;
  for (; part.rows() && part.columns() && a[part.beforeEnd - 1] == b[part.afterEnd - 1]; ++tail)
    --part.beforeEnd, --part.afterEnd;
  if (part.rows() * part.columns() <= mostCompared) {
    alignShort(part);
  } else {
    size_t i = part.before, j = part.after;
    for (auto [atBefore, atAfter] : anchors(part)) {
      align({i, atBefore, j, atAfter});
      keep(atBefore, atAfter);
      i = atBefore + 1, j = atAfter + 1;
    }
    if (i == part.before) { // nothing to cut at
      for (; i < part.beforeEnd; ++i)
        remove(i, j);
      for (; j < part.afterEnd; ++j)
        add(i, j);
    } else {
      align({i, part.beforeEnd, j, part.afterEnd});
    }
  }
  for (size_t k = 0; k < tail; ++k)
    keep(part.beforeEnd + k, part.afterEnd + k);
}

/// Lines that stand once in both, of these the most that come in the same order.
std::vector<std::pair<size_t, size_t>> Alignment::anchors(const Stretch &part) const {
  struct Places {
    size_t before = 0, after = 0, timesBefore = 0, timesAfter = 0;
  };
  StringMap<Places> places;
  for (size_t i = part.before; i < part.beforeEnd; ++i) {
    Places &own = places[a[i]];
    own.before = i, ++own.timesBefore;
  }
  for (size_t j = part.after; j < part.afterEnd; ++j) {
    Places &own = places[b[j]];
    own.after = j, ++own.timesAfter;
  }
  // For each length, the chain of that length whose end comes first in the text after.
  struct Link {
    size_t before, after;
    std::optional<size_t> previous;
  };
  std::vector<Link> links;
  std::vector<size_t> ends;
  for (size_t i = part.before; i < part.beforeEnd; ++i) {
    const Places &own = places[a[i]];
    if (own.timesBefore != 1 || own.timesAfter != 1)
      continue;
    auto longer =
        llvm::partition_point(ends, [&](size_t end) { return links[end].after < own.after; });
    std::optional<size_t> previous =
        longer == ends.begin() ? std::nullopt : std::optional(*std::prev(longer));
    links.push_back({i, own.after, previous});
    if (longer == ends.end())
      ends.push_back(links.size() - 1);
    else
      *longer = links.size() - 1;
  }
  std::vector<std::pair<size_t, size_t>> found;
  for (std::optional<size_t> at = ends.empty() ? std::nullopt : std::optional(ends.back()); at;
       at = links[*at].previous)
    found.push_back({links[*at].before, links[*at].after});
  std::reverse(found.begin(), found.end());
  return found;
}

/// Longest common subsequence.
void Alignment::alignShort(const Stretch &part) {
  size_t rows = part.rows(), columns = part.columns();
  std::vector<std::vector<unsigned>> length(rows + 1, std::vector<unsigned>(columns + 1, 0));
  auto isSame = [&](size_t i, size_t j) { return a[part.before + i] == b[part.after + j]; };
  for (size_t i = rows; i-- > 0;)
    for (size_t j = columns; j-- > 0;)
      length[i][j] =
          isSame(i, j) ? length[i + 1][j + 1] + 1 : std::max(length[i + 1][j], length[i][j + 1]);
  size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && isSame(i, j))
      keep(part.before + i++, part.after + j++);
    else if (i < rows && (j == columns || length[i + 1][j] >= length[i][j + 1]))
      remove(part.before + i++, part.after + j);
    else
      add(part.before + i, part.after + j++);
  }
}

/// The lines of a diff that a hunk shows, from `begin` up to `end`: those that changed, and up to
/// `context` unchanged ones ahead of them and behind them.
struct Hunk {
  size_t begin, end;
};

/// The first hunk behind some lines.
std::optional<Hunk> hunkBehind(ArrayRef<Line> lines, size_t at) {
  size_t first = at;
  while (first < lines.size() && lines[first].kind == ' ')
    ++first;
  if (first == lines.size())
    return std::nullopt;
  size_t end = first, quiet = 0;
  for (size_t i = first; i < lines.size() && quiet <= 2 * context; ++i) {
    quiet = lines[i].kind == ' ' ? quiet + 1 : 0;
    if (quiet == 0)
      end = i + 1;
  }
  return Hunk{first > at + context ? first - context : at, std::min(lines.size(), end + context)};
}

std::string textOf(ArrayRef<Line> lines) {
  size_t fromBefore = 0, fromAfter = 0;
  for (const Line &line : lines) {
    fromBefore += line.kind != '+';
    fromAfter += line.kind != '-';
  }
  std::string text = "@@ -" + std::to_string(lines[0].before + 1) + "," +
                     std::to_string(fromBefore) + " +" + std::to_string(lines[0].after + 1) + "," +
                     std::to_string(fromAfter) + " @@\n";
  for (const Line &line : lines) {
    text += line.kind + line.text.str();
    if (!line.text.ends_with("\n"))
      text += "\n\\ No newline at end of file\n";
  }
  return text;
}

} // namespace

std::string unifiedDiff(StringRef name, StringRef before, StringRef after) {
  std::vector<StringRef> a = linesOf(before), b = linesOf(after);
  const std::vector<Line> lines = Alignment(a, b).lines;
  std::string text;
  size_t at = 0;
  while (std::optional<Hunk> hunk = hunkBehind(lines, at)) {
    text += textOf(ArrayRef(lines).slice(hunk->begin, hunk->end - hunk->begin));
    at = hunk->end;
  }
  return text.empty() ? text : "--- " + name.str() + "\n+++ " + name.str() + "\n" + text;
}

} // namespace tilelift
