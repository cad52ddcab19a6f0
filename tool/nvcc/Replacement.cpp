//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/nvcc/Replacement.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilelift {
namespace {

/// Whether the word behind this one names files of options.
bool isBeforeOptionFile(StringRef word) { return word == "--options-file" || word == "-optf"; }

/// The files of options that a word names by itself, as --options-file=a.txt does.
std::optional<StringRef> optionFilesIn(StringRef word) {
  if (word.consume_front("--options-file=") || word.consume_front("-optf="))
    return word;
  return std::nullopt;
}

constexpr const char *space = " \t\r\n", *quotes = "\"'";

} // namespace

CommandWords Replacement::in(const CommandWords &words) {
  CommandWords replaced;
  for (size_t i = 0; i < words.size(); ++i)
    if (isBeforeOptionFile(words[i]) && i + 1 < words.size())
      replaced.push_back("--options-file=" + copiesOf(words[++i]));
    else if (const std::optional<StringRef> files = optionFilesIn(words[i]))
      replaced.push_back("--options-file=" + copiesOf(*files));
    else
      replaced.push_back(textOf(words[i]));
  return replaced;
}

std::string Replacement::textOf(const std::string &word) {
  const auto text = texts.find(word);
  if (text == texts.end())
    return word;
  named.insert(word);
  return text->second;
}

/// A list of files with commas in between, each of them or its copy.
std::string Replacement::copiesOf(StringRef files) {
  SmallVector<StringRef, 2> names;
  files.split(names, ',', -1, /*KeepEmpty=*/false);
  std::string list;
  for (StringRef name : names)
    list += (list.empty() ? "" : ",") + copyOf(name.str());
  return list;
}

/// A word of a file of options, behind another one, as the copy has it.
std::string Replacement::wordOfFile(StringRef word, StringRef before) {
  if (isBeforeOptionFile(before))
    return copiesOf(word);
  if (const std::optional<StringRef> files = optionFilesIn(word))
    return "--options-file=" + copiesOf(*files);
  const std::string bare = word.trim(quotes).str(), text = textOf(bare);
  return text == bare ? word.str() : "\"" + text + "\"";
}

/// The file, or a copy with texts in the place of sources.
std::string Replacement::copyOf(const std::string &file) {
  auto contents = MemoryBuffer::getFile(file);
  if (!contents || !seen.insert(file).second)
    return file;
  const StringRef old = (*contents)->getBuffer();
  std::string copy;
  StringRef before;
  for (size_t at = 0; at < old.size();) {
    const size_t end = std::min(old.find_first_of(space, at), old.size());
    const StringRef word = old.slice(at, end);
    if (!word.empty()) {
      copy += wordOfFile(word, before);
      before = word;
    }
    if (end < old.size())
      copy += old[end];
    at = end + 1;
  }
  if (copy == old || folder.empty())
    return file;
  const std::string path = folder + "/options-" + std::to_string(++copies) + ".txt";
  std::error_code problem;
  raw_fd_ostream(path, problem) << copy;
  return problem ? file : path;
}

} // namespace tilelift
