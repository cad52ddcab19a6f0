//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/nvcc/DependencyFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <filesystem>

using namespace llvm;

namespace tilelift {
namespace {

/// A rule of make, with the names as they are written, backslashes included.
struct Rule {
  std::string target;
  std::vector<std::string> needed;
};

/// The names in a rule's text; `line` has no line break that a backslash does not undo.
std::vector<std::string> namesIn(StringRef line) {
  std::vector<std::string> names;
  std::string name;
  for (size_t i = 0; i <= line.size(); ++i) {
    const char c = i < line.size() ? line[i] : ' ';
    if (c == '\\' && i + 1 < line.size() && line[i + 1] != '\n') {
      name += {c, line[++i]};
    } else if (isSpace(c) || c == '\\') {
      if (!name.empty())
        names.push_back(std::move(name));
      name.clear();
    } else {
      name += c;
    }
  }
  return names;
}

std::vector<Rule> rulesIn(const std::string &file) {
  std::vector<Rule> rules;
  auto text = MemoryBuffer::getFile(file);
  if (!text)
    return rules;
  StringRef rest = (*text)->getBuffer();
  while (!rest.empty()) {
    size_t end = 0;
    while (end < rest.size() && !(rest[end] == '\n' && (end == 0 || rest[end - 1] != '\\')))
      ++end;
    const StringRef line = rest.take_front(end);
    rest = rest.drop_front(std::min(end + 1, rest.size()));
    // The colon behind the target, and none of its name.
    size_t colon = line.find(':');
    while (colon != StringRef::npos && colon + 1 < line.size() && !isSpace(line[colon + 1]))
      colon = line.find(':', colon + 1);
    if (colon != StringRef::npos)
      rules.push_back({line.take_front(colon).rtrim().str(), namesIn(line.drop_front(colon + 1))});
  }
  return rules;
}

std::string escaped(StringRef path) {
  std::string text;
  for (char c : path)
    text += c == ' ' ? "\\ " : std::string(1, c);
  return text;
}

class Completion {
public:
  Completion(const LiftedTexts &lifted, const std::vector<std::string> &others) : lifted(lifted) {
    for (const std::string &other : others)
      if (!other.empty())
        added.push_back(escaped(other));
    for (const auto &[source, text] : lifted.ofSources)
      for (const Rule &read : rulesIn(text + ".d"))
        llvm::append_range(added, read.needed);
  }

  void write(std::vector<Rule> rules, raw_ostream &out) {
    bool isFirst = true;
    for (Rule &rule : rules) {
      if (isGone(rule.target)) // a rule for a header alone, as by -MP
        continue;
      std::vector<std::string> needed = isFirst ? added : std::vector<std::string>();
      for (const std::string &name : rule.needed)
        if (!isGone(name))
          needed.push_back(wayOutOf(name));
      out << wayOutOf(rule.target) << ":";
      for (const std::string &name : needed)
        out << " \\\n  " << name;
      out << "\n";
      isFirst = false;
    }
  }

private:
  /// A name that leads through the folder of lifted texts without it.
  std::string wayOutOf(const std::string &name) const {
    return StringRef(name).starts_with(escaped(lifted.folder))
               ? std::filesystem::path(name).lexically_normal().string()
               : name;
  }
  bool isGone(const std::string &name) const {
    return lifted.isFolderRemoved &&
           StringRef(wayOutOf(name)).starts_with(escaped(lifted.folder) + "/");
  }

  const LiftedTexts &lifted;
  std::vector<std::string> added;
};

} // namespace

void completeDependencies(const std::string &file, const LiftedTexts &lifted,
                          const std::vector<std::string> &others) {
  std::vector<Rule> rules = rulesIn(file);
  std::error_code problem;
  raw_fd_ostream out(file, problem);
  if (problem)
    errs() << "tilelift: error: cannot write '" << file << "': " << problem.message() << "\n";
  else
    Completion(lifted, others).write(std::move(rules), out);
}

} // namespace tilelift
