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
#include "tool/nvcc/Replacement.h"
#include "tool/nvcc/SourceFlags.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

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
  settings.options = shellWords(fromEnvironment("TILELIFT_FLAGS"));
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

/// The word behind a flag; empty if the flag is not there.
std::string valueOf(const CommandWords &words, StringRef flag) {
  for (size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == flag)
      return words[i + 1];
  return "";
}

/// Whether reading the option ends the process.
bool endsProcess(StringRef option) {
  return option == "-h" || option.starts_with("--help") || option == "--version";
}

/// Why options make no sense where lifted texts are to be compiled.
std::optional<std::string> wrongOptions(const ToolOptions &options, const CommandWords &words) {
  for (StringRef word : words)
    if (endsProcess(word))
      return word.str();
  if (options.files.size() != 1)
    return options.files.back();
  const std::pair<bool, const char *> wrong[] = {
      {options.emit != Emit::Cuda, "--emit"},
      {options.inPlace, "--in-place"},
      {options.diff, "--diff"},
      {options.check, "--check"},
      {options.fix, "--fix"},
      {!options.output.empty(), "-o"},
      {!options.databaseFolder.empty(), "-p"},
      {!options.dependencyFile.empty(), "--depfile"},
      {options.dumpPlan, "--dump-plan"},
      {options.dumpRelation, "--dump-relation"},
      {options.dumpEffects, "--dump-effects"},
  };
  for (const auto &[isGiven, name] : wrong)
    if (isGiven)
      return name;
  return std::nullopt;
}

class Wrapper {
public:
  Wrapper(Settings settings, CommandWords words)
      : settings(std::move(settings)), words(std::move(words)) {}
  ~Wrapper() {
    if (lifted.isFolderRemoved && !lifted.folder.empty())
      sys::fs::remove_directories(lifted.folder);
  }

  int run() {
    const auto nvcc = llvm::find(words, settings.compiler);
    if (nvcc == words.end())
      return fail("'" + settings.compiler + "' does not appear in the command");
    const CommandWords launchers(words.begin(), nvcc + 1), command(nvcc + 1, words.end());
    const std::optional<DryRun> dry = dryRunOf({nvcc, words.end()});
    if (!dry)
      return 1;
    if (dry->sources.empty())
      return tilelift::run(words);
    if (const int status = liftAll(*dry, command); status != allLifted || SignalsWait::hasCome())
      return status;
    CommandWords full = launchers;
    if (isByItself()) // CMake's targets know where the runtime is
      full.insert(full.end(), {"-isystem", runtimeHeaders()});
    // What a source includes by quotes is looked for beside it.
    for (const DeviceSource &source : dry->sources) {
      const StringRef folder = sys::path::parent_path(source.path);
      full.push_back(("-Xcompiler=-iquote,\"" + (folder.empty() ? "." : folder) + "\"").str());
    }
    llvm::append_range(full, Replacement(lifted.ofSources, lifted.folder).in(command));
    if (const int status = tilelift::run(full); status != 0)
      return status;
    for (const std::string &file : dry->dependencyFiles)
      completeDependencies(file, lifted, {toolPath(), settings.file});
    return 0;
  }

private:
  static int fail(const Twine &message) {
    errs() << "tilelift: error: " << message << "\n";
    return failed;
  }

  /// Whether no build tool has said where lifted texts go.
  bool isByItself() const { return settings.target.empty(); }

  int liftAll(const DryRun &dry, const CommandWords &command) {
    std::map<std::string, std::string> themselves;
    for (const DeviceSource &source : dry.sources)
      themselves[source.path] = source.path;
    Replacement named(themselves, "");
    named.in(command);
    for (const DeviceSource &source : dry.sources)
      if (!named.found().count(source.path))
        return fail("'" + source.path +
                    "' is not named by the command itself: a source on standard input, or in "
                    "NVCC_PREPEND_FLAGS or NVCC_APPEND_FLAGS, cannot be lifted");
    const ToolOptions common = optionsFor(dry.sources.front().path);
    if (const std::optional<std::string> wrong = wrongOptions(common, settings.options))
      return fail("'" + *wrong + "' makes no sense in " +
                  (isByItself() ? "TILELIFT_FLAGS" : "OPTIONS of tilelift_rewrite") +
                  ": the lifted texts are compiled");
    if (!isByItself() && valueOf(words, "-o").empty())
      return fail("the command has no '-o', by which the target's lifted texts are told apart");
    if (!makeFolder())
      return failed;
    for (const DeviceSource &source : dry.sources)
      if (const int status = lift(source, dry, common); status != allLifted)
        return status;
    return allLifted;
  }

  /// What the options say, without what differs from source to source. They are read once: LLVM
  /// knows its options for as long as the process lives.
  ToolOptions optionsFor(const std::string &anySource) const {
    std::vector<const char *> command = {"tilelift", anySource.c_str()};
    for (StringRef word : settings.options)
      if (!endsProcess(word))
        command.push_back(word.data());
    return parseOptions(command);
  }

  bool makeFolder() {
    lifted.folder = settings.folder;
    lifted.isFolderRemoved = settings.folder.empty();
    SmallString<128> folder(settings.folder);
    const std::error_code problem = lifted.isFolderRemoved
                                        ? sys::fs::createUniqueDirectory("tilelift-nvcc", folder)
                                        : sys::fs::create_directories(folder);
    lifted.folder = std::string(folder);
    if (problem)
      fail("cannot make the folder '" + folder + "' for lifted texts: " + problem.message());
    return !problem;
  }

  /// Where the lifted text of a source goes. CMake's objects lie below a folder of their target,
  /// and their texts lie as these do. Otherwise each source and each output have a folder, as
  /// several commands may share the one for all texts.
  std::string placeOf(StringRef source) const {
    SmallString<256> place(lifted.folder);
    const std::string object = valueOf(words, "-o");
    if (isByItself()) {
      SmallString<256> path(source);
      sys::fs::make_absolute(path);
      const std::string key = std::string(path) + "\n" + object;
      sys::path::append(place, sys::path::stem(source) + "-" +
                                   utohexstr(xxh3_64bits(key), /*LowerCase=*/true));
      return std::string(place);
    }
    const std::string below = "/" + settings.target + ".dir/";
    const size_t at = object.rfind(below);
    std::string own = at == std::string::npos ? object : object.substr(at + below.size());
    if (at == std::string::npos)
      std::replace(own.begin(), own.end(), '/', '_');
    sys::path::append(place, StringRef(own).ends_with(".o") ? StringRef(own).drop_back(2)
                                                            : StringRef(own));
    return std::string(place);
  }

  bool has(StringRef option) const {
    return llvm::any_of(settings.options, [&](StringRef word) {
      return word.consume_front("-") && (word.consume_front("-"), word.starts_with(option));
    });
  }

  int lift(const DeviceSource &source, const DryRun &dry, const ToolOptions &common) {
    const std::string folder = placeOf(source.path);
    SmallString<256> text(folder);
    sys::path::append(text, sys::path::filename(source.path));
    // A header that was lifted before would be found in place of one that no longer changes.
    sys::fs::remove_directories(folder);
    if (std::error_code problem = sys::fs::create_directories(folder))
      return fail("cannot make the folder '" + folder + "': " + problem.message());
    const std::optional<CommandWords> flags = sourceFlagsOf(source, dry);
    if (!flags)
      return failed;
    ToolOptions own = common;
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
    if (!isByItself())
      outs() << "Lifting " << sys::path::filename(source.path) << "\n";
    outs().flush();
    const int status = liftCommand(std::move(own));
    // With `someRefused` and a text, a copy stays a loop and a warning has said so.
    if (status != allLifted && !(status == someRefused && sys::fs::exists(text)))
      return status;
    lifted.ofSources[source.path] = std::string(text);
    return isCompiled(source, dry) ? int(allLifted) : int(failed);
  }

  /// Lifted texts include the runtime, which is written in C++17.
  bool isCompiled(const DeviceSource &source, const DryRun &dry) const {
    unsigned standard = 0;
    if (StringRef(dry.standard).getAsInteger(10, standard) || standard >= 17)
      return true;
    auto before = MemoryBuffer::getFile(source.path),
         after = MemoryBuffer::getFile(lifted.ofSources.at(source.path));
    if (!before || !after || (*before)->getBuffer() == (*after)->getBuffer())
      return true;
    fail("'" + source.path + "' is compiled as C++" + dry.standard +
         ", and what is lifted needs C++17: "
         "'-std=c++17' asks for it");
    return false;
  }

  Settings settings;
  CommandWords words;
  LiftedTexts lifted;
};

} // namespace

int nvccCommand(ArrayRef<const char *> arguments) {
  CommandWords words(arguments.begin(), arguments.end());
  if (!words.empty() && words.front() == "--help-tilelift") {
    outs() << "Lifts the sources of a command of nvcc's, and compiles what comes out.\n\n"
              "  tilelift nvcc -O3 -arch=sm_90a -c blur.cu -o blur.o\n\n"
              "TILELIFT_FLAGS has options of tilelift, TILELIFT_NVCC says which nvcc, and\n"
              "TILELIFT_KEEP names a folder in which the lifted texts stay.\n";
    return 0;
  }
  const SignalsWait signals;
  StringRef first = words.empty() ? "" : StringRef(words.front());
  if (first.consume_front("--tilelift-settings=")) {
    const Settings settings = settingsIn(first.str());
    words.erase(words.begin());
    return Wrapper(settings, std::move(words)).run();
  }
  Settings settings = settingsOfEnvironment();
  words.insert(words.begin(), settings.compiler);
  return Wrapper(std::move(settings), std::move(words)).run();
}

} // namespace tilelift
