//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/nvcc/NvccCommand.h"

#include "tool/CommandLine.h"
#include "tool/CudaToolkit.h"
#include "tool/Installation.h"
#include "tool/LiftCommand.h"
#include "tool/LiftSource.h"
#include "tool/nvcc/DependencyFile.h"
#include "tool/nvcc/Process.h"
#include "tool/nvcc/SourceFlags.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <map>

using namespace llvm;

namespace tilelift {
namespace {

[[noreturn]] void quit(const Twine &message) {
  errs() << "tilelift: error: " << message << "\n";
  exit(failed);
}

std::string fromEnvironment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

CommandWords splitAt(StringRef text, char separator) {
  SmallVector<StringRef, 8> parts;
  text.split(parts, separator, -1, /*KeepEmpty=*/false);
  CommandWords words;
  for (StringRef part : parts)
    words.push_back(part.str());
  return words;
}

/// What is asked for besides the command itself.
struct Settings {
  CommandWords options; ///< of tilelift
  std::string compiler; ///< the word of the command that is nvcc
  std::string folder;   ///< for lifted texts; empty: one that is removed
  std::string target;   ///< of CMake; its objects lie in a folder of that name
  std::string file;     ///< the settings' own; objects depend on it
};

Settings settingsIn(const std::string &file) {
  Settings settings;
  settings.file = file;
  auto text = MemoryBuffer::getFile(file);
  if (!text)
    quit("cannot read '" + file + "': " + text.getError().message());
  for (const std::string &line : splitAt((*text)->getBuffer(), '\n')) {
    const auto [name, value] = StringRef(line).split('=');
    if (name == "options")
      settings.options = splitAt(value, ';');
    else if (std::string *own = name == "compiler" ? &settings.compiler
                                : name == "folder" ? &settings.folder
                                : name == "target" ? &settings.target
                                                   : nullptr)
      *own = value.str();
  }
  return settings;
}

Settings settingsOfEnvironment() {
  Settings settings;
  settings.options = splitAt(fromEnvironment("TILELIFT_FLAGS"), ' ');
  settings.folder = fromEnvironment("TILELIFT_KEEP");
  settings.compiler = fromEnvironment("TILELIFT_NVCC");
  if (settings.compiler.empty())
    if (const CudaToolkit toolkit = findToolkit(""); sys::fs::exists(toolkit.path + "/bin/nvcc"))
      settings.compiler = toolkit.path + "/bin/nvcc";
  if (settings.compiler.empty())
    quit("there is no nvcc, neither in TILELIFT_NVCC nor in a CUDA toolkit: 'tilelift doctor' says "
         "where "
         "toolkits are looked for");
  return settings;
}

/// The words with those that files of options have, as nvcc reads them: sources may be among these.
CommandWords withOptionFiles(const CommandWords &words) {
  CommandWords all;
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef file = words[i];
    const bool isAlone = file == "--options-file" || file == "-optf";
    if (isAlone && i + 1 < words.size())
      file = words[++i];
    else if (!file.consume_front("--options-file=") && !file.consume_front("-optf=")) {
      all.push_back(words[i]);
      continue;
    }
    for (const std::string &name : splitAt(file, ',')) {
      auto text = MemoryBuffer::getFile(name);
      if (!text)
        quit("cannot read '" + name + "': " + text.getError().message());
      const CommandWords own = withOptionFiles(shellWords((*text)->getBuffer()));
      all.insert(all.end(), own.begin(), own.end());
    }
  }
  return all;
}

/// The word behind a flag; empty if the flag is not there.
std::string valueOf(const CommandWords &words, StringRef flag) {
  for (size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == flag)
      return words[i + 1];
  return "";
}

class Wrapper {
public:
  Wrapper(Settings settings, CommandWords words)
      : settings(std::move(settings)), words(std::move(words)) {}

  int run() {
    const auto nvcc = llvm::find(words, settings.compiler);
    if (nvcc == words.end())
      quit("'" + settings.compiler + "' does not appear in the command");
    const std::optional<DryRun> dry = dryRunOf({nvcc, words.end()});
    if (!dry)
      return 1;
    for (const DeviceSource &source : dry->sources)
      if (const int status = lift(source, *dry); status != allLifted)
        return status;
    if (const int status = tilelift::run(compileCommand(size_t(nvcc - words.begin()))); status != 0)
      return status;
    if (const std::string dependencies = valueOf(words, "-MF");
        !lifted.empty() && !dependencies.empty())
      completeDependencies(dependencies, lifted, {toolPath(), settings.file},
                           settings.target.empty());
    return 0;
  }

private:
  /// Where the lifted text of a source goes. CMake's objects lie below a folder of their target,
  /// and their texts lie as these do.
  std::string placeOf(StringRef source) const {
    SmallString<256> place(settings.folder);
    if (!settings.target.empty()) {
      const std::string object = valueOf(words, "-o"), below = "/" + settings.target + ".dir/";
      const size_t at = object.rfind(below);
      std::string own = at == std::string::npos ? object : object.substr(at + below.size());
      if (at == std::string::npos)
        std::replace(own.begin(), own.end(), '/', '_');
      sys::path::append(place, StringRef(own).ends_with(".o") ? StringRef(own).drop_back(2)
                                                              : StringRef(own));
    } else if (lifted.size() > 0) { // sources of one name may lie in several folders
      sys::path::append(place, std::to_string(lifted.size()));
    }
    return std::string(place);
  }

  /// What the options say, without what differs from source to source. They are read once: LLVM
  /// knows its options for as long as the process lives.
  const ToolOptions &optionsFor(const std::string &anySource) {
    if (!common) {
      std::vector<const char *> command = {"tilelift", anySource.c_str()};
      for (const std::string &word : settings.options)
        command.push_back(word.c_str());
      common = parseOptions(command);
    }
    return *common;
  }

  bool has(StringRef option) const {
    return llvm::any_of(settings.options, [&](StringRef word) {
      return word.consume_front("-") && (word.consume_front("-"), word.starts_with(option));
    });
  }

  int lift(const DeviceSource &source, const DryRun &dry) {
    const std::string folder = placeOf(source.path);
    SmallString<256> text(folder);
    sys::path::append(text, sys::path::filename(source.path));
    // A header that was lifted before would be found in place of one that no longer changes.
    if (!settings.target.empty())
      sys::fs::remove_directories(folder);
    if (std::error_code problem = sys::fs::create_directories(folder))
      quit("cannot make the folder '" + folder + "': " + problem.message());
    const std::optional<CommandWords> flags = sourceFlagsOf(source, dry);
    if (!flags)
      return failed;
    ToolOptions own = optionsFor(source.path);
    own.files = {source.path};
    own.output = std::string(text);
    own.dependencyFile = own.output + ".d";
    if (own.cudaPath.empty() && sys::fs::exists(dry.toolkit + "/include/cuda.h"))
      own.cudaPath = dry.toolkit;
    if (const std::string arch = DryRun::archOf(source); !arch.empty() && !has("arch")) {
      own.arch = arch;
      own.selection.device = deviceNamed(arch);
    }
    llvm::append_range(own.compilerFlags, *flags);
    if (!settings.target.empty())
      outs() << "Lifting " << sys::path::filename(source.path) << "\n";
    outs().flush();
    const int status = liftCommand(std::move(own));
    // With `someRefused` and a text, a copy stays a loop and a warning has said so.
    if (status != allLifted && !(status == someRefused && sys::fs::exists(text)))
      return status;
    lifted[source.path] = std::string(text);
    return allLifted;
  }

  /// What a source includes by quotes is still looked for beside it.
  CommandWords compileCommand(size_t nvcc) const {
    CommandWords command;
    for (size_t i = 0; i < words.size(); ++i) {
      const auto found = i > nvcc ? lifted.find(words[i]) : lifted.end();
      command.push_back(found == lifted.end() ? words[i] : found->second);
      if (i != nvcc)
        continue;
      if (settings.target.empty()) // CMake's targets know where the runtime is
        command.insert(command.end(), {"-isystem", runtimeHeaders()});
      for (const auto &[source, text] : lifted) {
        const StringRef folder = sys::path::parent_path(source);
        command.push_back(("-Xcompiler=-iquote,\"" + (folder.empty() ? "." : folder) + "\"").str());
      }
    }
    return command;
  }

  Settings settings;
  CommandWords words;
  std::optional<ToolOptions> common;
  /// The lifted texts of sources.
  std::map<std::string, std::string> lifted;
};

} // namespace

int nvccCommand(ArrayRef<const char *> arguments) {
  CommandWords words(arguments.begin(), arguments.end());
  if (words.empty() || words.front() == "--help-tilelift") {
    outs() << "Lifts the sources of a command of nvcc's, and compiles what comes out.\n\n"
              "  tilelift nvcc -O3 -arch=sm_90a -c blur.cu -o blur.o\n\n"
              "TILELIFT_FLAGS has options of tilelift, TILELIFT_NVCC says which nvcc, and\n"
              "TILELIFT_KEEP names a folder in which the lifted texts stay.\n";
    return words.empty() ? failed : 0;
  }
  StringRef first = words.front();
  if (first.consume_front("--tilelift-settings=")) {
    const Settings settings = settingsIn(first.str());
    words.erase(words.begin());
    return Wrapper(settings, std::move(words)).run();
  }
  Settings settings = settingsOfEnvironment();
  SmallString<128> folder(settings.folder);
  const bool isKept = !folder.empty();
  if (!isKept && sys::fs::createUniqueDirectory("tilelift-nvcc", folder))
    quit("cannot make a folder for lifted texts");
  settings.folder = std::string(folder);
  const auto remover = make_scope_exit([&] {
    if (!isKept)
      sys::fs::remove_directories(folder);
  });
  words = withOptionFiles(words);
  words.insert(words.begin(), settings.compiler);
  return Wrapper(std::move(settings), std::move(words)).run();
}

} // namespace tilelift
