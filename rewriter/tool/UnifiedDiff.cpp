//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/UnifiedDiff.h"

#include "llvm/ADT/SmallVector.h"

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

/// Longest common subsequence between the ends that differ.
std::vector<Line> align(const std::vector<StringRef> &a, const std::vector<StringRef> &b) {
  size_t head = 0, tail = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head])
    ++head;
  while (tail < a.size() - head && tail < b.size() - head &&
         a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  size_t rows = a.size() - head - tail, columns = b.size() - head - tail;
  std::vector<std::vector<unsigned>> length(rows + 1, std::vector<unsigned>(columns + 1, 0));
  for (size_t i = rows; i-- > 0;)
    for (size_t j = columns; j-- > 0;)
      length[i][j] = a[head + i] == b[head + j] ? length[i + 1][j + 1] + 1
                                                : std::max(length[i + 1][j], length[i][j + 1]);
  std::vector<Line> lines;
  for (size_t i = 0; i < head; ++i)
    lines.push_back({' ', a[i], i, i});
  size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && a[head + i] == b[head + j]) {
      lines.push_back({' ', a[head + i], head + i, head + j});
      ++i, ++j;
    } else if (i < rows && (j == columns || length[i + 1][j] >= length[i][j + 1])) {
      lines.push_back({'-', a[head + i], head + i, head + j});
      ++i;
    } else {
      lines.push_back({'+', b[head + j], head + i, head + j});
      ++j;
    }
  }
  for (size_t k = 0; k < tail; ++k)
    lines.push_back({' ', a[a.size() - tail + k], a.size() - tail + k, b.size() - tail + k});
  return lines;
}

} // namespace

std::string unifiedDiff(StringRef name, StringRef before, StringRef after) {
  std::vector<StringRef> a = linesOf(before), b = linesOf(after);
  std::vector<Line> lines = align(a, b);
  std::string text;
  size_t at = 0;
  while (true) {
    size_t first = at;
    while (first < lines.size() && lines[first].kind == ' ')
      ++first;
    if (first == lines.size())
      break;
    size_t begin = first > at + context ? first - context : at;
    size_t end = first, quiet = 0;
    for (size_t i = first; i < lines.size() && quiet <= 2 * context; ++i) {
      quiet = lines[i].kind == ' ' ? quiet + 1 : 0;
      if (quiet == 0)
        end = i + 1;
    }
    end = std::min(lines.size(), end + context);
    size_t fromBefore = 0, fromAfter = 0;
    for (size_t i = begin; i < end; ++i) {
      fromBefore += lines[i].kind != '+';
      fromAfter += lines[i].kind != '-';
    }
    if (text.empty())
      text = "--- " + name.str() + "\n+++ " + name.str() + "\n";
    text += "@@ -" + std::to_string(lines[begin].before + 1) + "," + std::to_string(fromBefore) +
            " +" + std::to_string(lines[begin].after + 1) + "," + std::to_string(fromAfter) +
            " @@\n";
    for (size_t i = begin; i < end; ++i) {
      text += lines[i].kind + lines[i].text.str();
      if (!lines[i].text.ends_with("\n"))
        text += "\n\\ No newline at end of file\n";
    }
    at = end;
  }
  return text;
}

} // namespace tilelift
