//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/nvcc/SourceFlags.h"

#include "tool/nvcc/Process.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace llvm;

namespace tilelift {
namespace {

/// What becomes of a word of the preprocessing command.
struct WordUse {
  bool isRead = false; ///< it goes to Clang
  bool isPair = false; ///< so does, or does not, the word behind it
  bool isHost = false; ///< another flag of the host compiler
};

/// Macros that say which compiler and device it is: Clang has its own.
bool isOwnMacro(StringRef macro) {
  const StringRef name = macro.split('=').first;
  return llvm::is_contained({"__CUDACC__", "__NVCC__", "CUDA_DOUBLE_MATH_FUNCTIONS",
                             "__CUDA_ARCH__", "__CUDA_ARCH_SPECIFIC__",
                             "__CUDA_ARCH_FAMILY_SPECIFIC__", "__NVCC_DIAG_PRAGMA_SUPPORT__",
                             "__CUDACC_DEVICE_ATOMIC_BUILTINS__"},
                            name) ||
         name.starts_with("__CUDA_ARCH_FEAT_");
}

WordUse useOf(StringRef word, StringRef next, const DryRun &run) {
  const auto isOwnFolder = [&](StringRef folder) {
    return llvm::is_contained(run.ownFolders, folder);
  };
  if (word == "-D" || word == "-U")
    return {!isOwnMacro(next), true};
  if (word.starts_with("-D") || word.starts_with("-U"))
    return {!isOwnMacro(word.drop_front(2))};
  if (word == "-I" || word == "-isystem")
    return {!isOwnFolder(next), true};
  if (word.starts_with("-I"))
    return {!isOwnFolder(word.drop_front(2))};
  if (word == "-include")
    return {next != "cuda_runtime.h", true};
  for (StringRef flag : {"-iquote", "-idirafter", "-imacros", "-isysroot", "-iprefix",
                         "-iwithprefix", "--sysroot", "-isystem", "-include", "-std=", "-nostdinc"})
    if (word.starts_with(flag))
      return {true, word == flag && !flag.ends_with("=") && flag != "-nostdinc"};
  if (word == "-x")
    return {false, true};
  return {false, false, word != "-E" && word != "-m64"};
}

/// Macros that are defined ahead of any text, by their names, with parameters.
using Macros = std::map<std::string, std::string>;

std::optional<Macros> macrosOf(CommandWords command) {
  command.insert(command.end(), {"-dM", "-E", "-x", "c++", "/dev/null"});
  const Printed output = outputOf(command);
  if (output.status != 0) {
    errs() << output.text;
    return std::nullopt;
  }
  Macros macros;
  SmallVector<StringRef, 512> lines;
  StringRef(output.text).split(lines, '\n', -1, false);
  for (StringRef line : lines)
    if (line.consume_front("#define ")) {
      const auto [name, value] = line.split(' ');
      macros[name.str()] = value.str();
    }
  return macros;
}

/// The macros that flags of the host compiler make or take away, as flags.
std::optional<CommandWords> macroFlags(const CommandWords &hostFlags, const std::string &host,
                                       const std::string &dialect) {
  CommandWords flags, plain = {host};
  if (hostFlags.empty())
    return flags;
  if (!dialect.empty())
    plain.push_back(dialect);
  CommandWords full = plain;
  llvm::append_range(full, hostFlags);
  const std::optional<Macros> before = macrosOf(plain), after = macrosOf(full);
  if (!before || !after) {
    errs() << "tilelift: error: '" << host << "' does not take the flags that nvcc gives it\n";
    return std::nullopt;
  }
  for (const auto &[name, value] : *after)
    if (auto old = before->find(name); old == before->end() || old->second != value)
      flags.push_back("-D" + name + "=" + value);
  for (const auto &[name, value] : *before)
    if (!after->count(name))
      flags.push_back("-U" + name);
  return flags;
}

std::string answerOf(const std::string &host, const char *question) {
  const Printed output = outputOf({host, question});
  return output.status == 0 ? StringRef(output.text).trim().str() : "";
}

/// The C++ library that the host compiler reads: that of its own installation, or, where the
/// installation has none, the folders that the compiler says it looks into.
CommandWords libraryFlags(const std::string &host) {
  const std::string library = answerOf(host, "-print-libgcc-file-name");
  const StringRef gcc = sys::path::parent_path(library);
  CommandWords flags;
  if (sys::fs::exists(gcc + "/crtbegin.o"))
    flags.push_back("--gcc-install-dir=" + gcc.str());
  if (sys::fs::exists(gcc + "/../../../../include/c++"))
    return flags;
  SmallVector<StringRef, 64> lines;
  const Printed output = outputOf({host, "-v", "-E", "-x", "c++", "/dev/null"});
  StringRef(output.text).split(lines, '\n', -1, false);
  for (StringRef line : lines)
    if (line.consume_front(" ") && line.contains("/c++/") && sys::fs::is_directory(line))
      flags.push_back("-stdlib++-isystem" + line.str());
  return flags;
}

} // namespace

std::optional<CommandWords> sourceFlagsOf(const DeviceSource &source, const DryRun &run) {
  const std::string &host = source.command.front();
  CommandWords flags = libraryFlags(host), hostFlags;
  std::string dialect;
  for (size_t i = 1; i < source.command.size(); ++i) {
    const std::string &word = source.command[i];
    const std::string next = i + 1 < source.command.size() ? source.command[i + 1] : "";
    const WordUse use = useOf(word, next, run);
    if (StringRef(word).starts_with("-std="))
      dialect = word;
    if (use.isHost)
      hostFlags.push_back(word);
    if (use.isRead)
      flags.push_back(word);
    if (use.isPair && ++i < source.command.size() && use.isRead)
      flags.push_back(next);
  }
  if (dialect.empty() && !run.standard.empty())
    flags.push_back("-std=gnu++" + run.standard);
  const std::optional<CommandWords> macros = macroFlags(hostFlags, host, dialect);
  if (!macros)
    return std::nullopt;
  for (const std::string &macro : *macros) {
    flags.push_back(macro);
    // omp.h is a header of the host compiler's own, and stands behind Clang's.
    if (StringRef(macro).starts_with("-D_OPENMP="))
      flags.insert(flags.end(), {"-idirafter", answerOf(host, "-print-file-name=include")});
  }
  return flags;
}

} // namespace tilelift
