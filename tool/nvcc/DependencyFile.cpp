//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/nvcc/DependencyFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilelift {
namespace {

struct Rule {
  std::string target;
  std::vector<std::string> needed; ///< as they are written, with their backslashes
};

/// A file of one rule, as compilers write it.
Rule ruleIn(const std::string &file) {
  Rule rule;
  auto text = MemoryBuffer::getFile(file);
  if (!text)
    return rule;
  const auto [target, needed] = (*text)->getBuffer().split(": ");
  rule.target = target.str();
  std::string word;
  for (size_t i = 0; i <= needed.size(); ++i) {
    const char c = i < needed.size() ? needed[i] : ' ';
    if (c == '\\' && i + 1 < needed.size() && needed[i + 1] != '\n') {
      word += {c, needed[++i]};
    } else if (isSpace(c) || c == '\\') {
      if (!word.empty())
        rule.needed.push_back(std::move(word));
      word.clear();
    } else {
      word += c;
    }
  }
  return rule;
}

std::string escaped(StringRef path) {
  std::string text;
  for (char c : path)
    text += c == ' ' ? "\\ " : std::string(1, c);
  return text;
}

} // namespace

void completeDependencies(const std::string &file, const std::map<std::string, std::string> &lifted,
                          const std::vector<std::string> &others, bool areTextsRemoved) {
  Rule rule = ruleIn(file);
  if (rule.target.empty())
    return;
  std::vector<std::string> needed;
  for (const std::string &other : others)
    if (!other.empty())
      needed.push_back(escaped(other));
  for (const auto &[source, text] : lifted)
    for (const std::string &read : ruleIn(text + ".d").needed)
      needed.push_back(read);
  for (const std::string &each : rule.needed) {
    bool isText = false;
    for (const auto &[source, text] : lifted)
      isText |= each == escaped(text);
    if (!areTextsRemoved || !isText)
      needed.push_back(each);
  }
  std::error_code problem;
  raw_fd_ostream out(file, problem);
  if (problem) {
    errs() << "tilelift: error: cannot write '" << file << "': " << problem.message() << "\n";
    return;
  }
  out << rule.target << ":";
  for (const std::string &each : needed)
    out << " \\\n  " << each;
  out << "\n";
}

} // namespace tilelift
