//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/run/RunCommand.h"

#include "machine/FindingTable.h"
#include "tool/LiftSource.h"
#include "tool/run/Build.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <unistd.h>

using namespace llvm;

namespace tilelift {
namespace {

constexpr const char *help = R"(Builds a CUDA program for this machine and runs it, without a GPU.

  tilelift run program.cu [arguments]             lift the copies, run the lifted program
  tilelift run --plain program.cu [arguments]     run the program as it is
  tilelift run --compare program.cu [arguments]   run both, compare memory after each launch

Before the program's name, besides Clang's flags (-I, -D, -std=, ...):

  --seed=N        threads, blocks and copies take turns at random, the same way for the same N
  --schedules=N   with --compare: after the usual order, N seeds more
  --jobs=N        blocks that run at the same time; default: as many as there are processors
  --arch=sm_NN    the device that the program is compiled for; default: sm_90a
  --remarks       say what became of each copy
  --cuda-path=DIR where the CUDA toolkit is
  --keep=DIR      build in this folder and leave everything there
  -Wno-<id>       silence a finding or a diagnostic

The program's output and exit status are passed on. Exit status when the program itself
ended with 0: 3 when something was found or differs, 1 when a copy is refused that has no
fallback(loop), 2 when the
program cannot be built.
)";

constexpr int somethingFound = 3;

enum class Mode { plain, lifted, compare };

struct RunOptions {
  Mode mode = Mode::lifted;
  std::optional<uint64_t> seed;
  unsigned schedules = 0;
  std::string jobs;
  std::string arch = "sm_90a";
  std::string keep;
  std::string file;
  std::vector<std::string> arguments;
  std::string silenced; ///< ids, with commas between them
  ToolOptions tool;
};

[[noreturn]] void quit(const Twine &message) {
  errs() << "tilelift: error: " << message << "\n";
  exit(2);
}

template <typename Number> Number numberIn(StringRef option, StringRef text) {
  Number number;
  if (text.getAsInteger(10, number))
    quit("'" + option + text + "' takes a number");
  return number;
}

bool isFinding(StringRef id) {
  return any_of(emulator::findingTable,
                [&](const emulator::FindingKind &kind) { return id == kind.id; });
}

void readWarning(StringRef warning, RunOptions &options) {
  StringRef id = warning;
  if (id.consume_front("no-") && isFinding(id))
    options.silenced += (options.silenced.empty() ? "" : ",") + id.str();
  else if (std::optional<std::string> wrong = options.tool.diagnostics.apply(warning))
    quit(*wrong);
}

void readOption(StringRef option, RunOptions &options) {
  StringRef value = option;
  if (option == "--plain")
    options.mode = Mode::plain;
  else if (option == "--compare")
    options.mode = Mode::compare;
  else if (option == "--remarks")
    options.tool.diagnostics.showRemarks();
  else if (value.consume_front("--seed="))
    options.seed = numberIn<uint64_t>("--seed=", value);
  else if (value.consume_front("--schedules="))
    options.schedules = numberIn<unsigned>("--schedules=", value);
  else if (value.consume_front("--jobs="))
    options.jobs = std::to_string(numberIn<unsigned>("--jobs=", value));
  else if (value.consume_front("--arch=")) {
    options.arch = value.str();
    options.tool.selection.device = deviceNamed(value);
  } else if (value.consume_front("--keep="))
    options.keep = value.str();
  else if (value.consume_front("--cuda-path="))
    options.tool.cudaPath = value.str();
  else if (value.consume_front("-W"))
    readWarning(value, options);
  else if (option.starts_with("--"))
    quit("unknown option '" + option + "'; 'tilelift run --help' lists them");
  else
    options.tool.compilerFlags.push_back(option.str());
}

RunOptions parse(ArrayRef<const char *> arguments) {
  RunOptions options;
  size_t i = 0;
  for (; i < arguments.size() && arguments[i][0] == '-'; ++i) {
    StringRef option = arguments[i];
    if (option == "--help" || option == "-h") {
      outs() << help;
      exit(0);
    }
    readOption(option, options);
    if (takesValueOfClang(option) && i + 1 < arguments.size())
      options.tool.compilerFlags.push_back(arguments[++i]);
  }
  if (i == arguments.size())
    quit("no program to run; 'tilelift run --help' tells how to call it");
  options.file = arguments[i++];
  for (; i < arguments.size(); ++i)
    options.arguments.push_back(arguments[i]);
  options.tool.arch = StringRef(options.arch).rtrim("af").str();
  return options;
}

// Running.

struct RunResult {
  int status = 0;
  unsigned findings = 0;
};

class Runner {
public:
  Runner(const RunOptions &options, std::string folder)
      : options(options), folder(std::move(folder)) {}

  /// The program with its files as they were, or as they are after the lift.
  std::string built(const Twine &name, const Lifted &lifted, std::string LiftedFile::*text) const {
    BuildRequest request{options.file, folder, name.str(), options.arch, {}};
    for (const LiftedFile &file : lifted.files)
      request.texts[file.path] = file.*text;
    return build(request, options.tool);
  }

  RunResult run(const std::string &program, std::optional<uint64_t> seed,
                ArrayRef<std::string> more, bool isQuiet = false) const {
    std::string verdict = in("verdict");
    std::vector<std::string> environment;
    for (char **each = environ; *each; ++each)
      if (!StringRef(*each).starts_with("TILELIFT_RUN_"))
        environment.push_back(*each);
    environment.push_back("TILELIFT_RUN_VERDICT=" + verdict);
    environment.push_back("TILELIFT_RUN_SILENCED=" + options.silenced);
    environment.push_back("TILELIFT_RUN_JOBS=" + options.jobs);
    if (seed)
      environment.push_back("TILELIFT_RUN_SEED=" + std::to_string(*seed));
    environment.insert(environment.end(), more.begin(), more.end());
    std::vector<StringRef> variables(environment.begin(), environment.end());
    std::vector<StringRef> all = {program};
    all.insert(all.end(), options.arguments.begin(), options.arguments.end());
    std::string problem;
    std::vector<std::optional<StringRef>> redirects = {std::nullopt, StringRef(""), std::nullopt};
    RunResult result;
    result.status = sys::ExecuteAndWait(
        program, all, ArrayRef(variables),
        isQuiet ? ArrayRef(redirects) : ArrayRef<std::optional<StringRef>>(), 0, 0, &problem);
    if (result.status < 0)
      errs() << "tilelift: error: the program ended by itself: " << problem << "\n";
    readVerdict(verdict, result);
    return result;
  }

  std::string in(const Twine &name) const {
    SmallString<256> path(folder);
    sys::path::append(path, name);
    return std::string(path);
  }

private:
  static void readVerdict(const std::string &path, RunResult &result) {
    if (auto text = MemoryBuffer::getFile(path)) {
      result.findings = 0;
      StringRef number = (*text)->getBuffer();
      number.consumeInteger(10, result.findings);
      sys::fs::remove(path);
    }
  }

  const RunOptions &options;
  std::string folder;
};

int statusOf(const RunResult &result) {
  if (result.status != 0)
    return result.status < 0 ? 128 + 6 : result.status;
  return result.findings ? somethingFound : 0;
}

/// Runs the plain program, then the lifted one beside its record, with as many
/// schedules as asked for.
int compare(const Runner &runner, const RunOptions &options, const Lifted &lifted) {
  std::string plain = runner.built("plain", lifted, &LiftedFile::before), other = plain;
  if (plain.empty())
    return failed;
  if (lifted.isChanged())
    other = runner.built("lifted", lifted, &LiftedFile::afterWithLines);
  if (other.empty())
    return failed;
  std::string record = runner.in("record");
  RunResult first = runner.run(plain, std::nullopt, {"TILELIFT_RUN_RECORD=" + record});
  int status = statusOf(first);
  for (unsigned i = 0; i <= options.schedules; ++i) {
    std::optional<uint64_t> seed = options.seed;
    if (i > 0)
      seed = options.seed.value_or(0) + i;
    RunResult second =
        runner.run(other, seed, {"TILELIFT_RUN_AGAINST=" + record}, /*isQuiet=*/true);
    if (second.status != first.status)
      errs() << "tilelift: error: the plain program ends with " << first.status
             << ", the lifted one with " << second.status
             << (seed ? " with --seed=" + std::to_string(*seed) : "") << "\n";
    if (second.findings && seed)
      errs() << "tilelift: note: this was with --seed=" << *seed << "\n";
    int own = second.status != first.status ? somethingFound : statusOf(second);
    status = status ? status : own;
  }
  sys::fs::remove(record);
  return status;
}

int runIn(const std::string &folder, const RunOptions &options) {
  Lifted lifted;
  ToolOptions tool = options.tool;
  tool.runs = true;
  if (options.mode == Mode::plain) {
    auto text = MemoryBuffer::getFile(options.file);
    if (!text)
      quit("cannot read '" + options.file + "': " + text.getError().message());
    std::string own = (*text)->getBuffer().str();
    lifted.files = {{options.file, own, own, own}};
  } else {
    lifted = liftSource(options.file, tool);
    if (std::optional<std::string> wrong = wrongBlocks(lifted, tool))
      quit(*wrong);
    errs() << lifted.messages;
    if (lifted.status == failed || lifted.hasErrors)
      return lifted.status;
  }
  Runner runner(options, folder);
  if (options.mode == Mode::compare)
    return compare(runner, options, lifted);
  std::string program = runner.built("program", lifted, &LiftedFile::afterWithLines);
  return program.empty() ? int(failed) : statusOf(runner.run(program, options.seed, {}));
}

} // namespace

int runCommand(ArrayRef<const char *> arguments) {
  RunOptions options = parse(arguments);
  SmallString<256> folder(options.keep);
  std::error_code problem = options.keep.empty()
                                ? sys::fs::createUniqueDirectory("tilelift-run", folder)
                                : sys::fs::create_directories(folder);
  if (problem)
    quit("cannot make the folder '" + folder + "': " + problem.message());
  int status = runIn(std::string(folder), options);
  if (options.keep.empty())
    sys::fs::remove_directories(folder);
  return status;
}

} // namespace tilelift
