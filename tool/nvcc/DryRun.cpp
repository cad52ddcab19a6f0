//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/nvcc/DryRun.h"

#include "tool/nvcc/Process.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilelift {
namespace {

constexpr unsigned firstWithTma = 900;

/// The step that preprocesses a source for a device, if the words are one.
std::optional<DeviceSource> deviceSourceOf(CommandWords words) {
  DeviceSource source;
  bool preprocesses = false;
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef word = words[i];
    preprocesses |= word == "-E";
    if (word.consume_front("-D__CUDA_ARCH__="))
      word.getAsInteger(10, source.arch);
    source.hasFeatures |= word.starts_with("-D__CUDA_ARCH_FEAT_");
    if (word == "-o") { // what follows is no part of how the source reads
      words.resize(i);
      break;
    }
  }
  if (!preprocesses || source.arch == 0 || words.size() < 2)
    return std::nullopt;
  source.path = words.back();
  words.pop_back();
  source.command = std::move(words);
  return source;
}

/// Whether `other` decides how a source reads, rather than `own`.
bool decidesBefore(const DeviceSource &other, const DeviceSource &own) {
  return other.arch >= firstWithTma && (own.arch < firstWithTma || other.arch < own.arch);
}

void addTo(DryRun &run, DeviceSource source) {
  auto known =
      llvm::find_if(run.sources, [&](const DeviceSource &own) { return own.path == source.path; });
  if (known == run.sources.end())
    run.sources.push_back(std::move(source));
  else if (decidesBefore(source, *known))
    *known = std::move(source);
}

/// A variable that nvcc sets for its commands.
void readVariable(StringRef name, StringRef value, DryRun &run) {
  if (name == "TOP")
    run.toolkit = value.str();
  if (name != "INCLUDES" && name != "SYSTEM_INCLUDES")
    return;
  for (StringRef word : shellWords(value))
    if (word != "-isystem")
      run.ownFolders.push_back((word.consume_front("-I"), word.str()));
}

} // namespace

CommandWords shellWords(StringRef text) {
  BumpPtrAllocator allocator;
  StringSaver saver(allocator);
  SmallVector<const char *, 64> words;
  cl::TokenizeGNUCommandLine(text, saver, words);
  return {words.begin(), words.end()};
}

std::string DryRun::archOf(const DeviceSource &source) {
  return source.arch < firstWithTma
             ? ""
             : "sm_" + std::to_string(source.arch / 10) + (source.hasFeatures ? "a" : "");
}

std::optional<DryRun> dryRunOf(const CommandWords &words) {
  CommandWords command = words;
  command.insert(command.begin() + 1, "--dryrun");
  const Printed output = outputOf(command);
  DryRun run;
  bool compiles = false;
  SmallVector<StringRef, 64> lines;
  StringRef(output.text).split(lines, '\n', -1, false);
  for (StringRef line : lines) {
    if (!line.consume_front("#$ ")) {
      if (output.status != 0)
        errs() << line << "\n";
      continue;
    }
    if (line.consume_front("-- Filter Dependencies -- > ")) {
      run.dependencyFiles.push_back(line.trim().str());
      continue;
    }
    const auto [name, value] = line.split('=');
    if (llvm::all_of(name, [](char c) { return isAlnum(c) || c == '_'; })) {
      readVariable(name, value, run);
      continue;
    }
    CommandWords step = shellWords(line);
    if (step.empty())
      continue;
    compiles |= sys::path::filename(step.front()) == "cicc";
    for (StringRef word : step)
      if (word.consume_front("--c++") && run.standard.empty())
        run.standard = word.str();
    if (std::optional<DeviceSource> source = deviceSourceOf(std::move(step)))
      addTo(run, std::move(*source));
  }
  if (output.status != 0)
    return std::nullopt;
  if (!compiles)
    run.sources.clear();
  return run;
}

} // namespace tilelift
