//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/run/RunCommand.h"

#include "tool/LiftSource.h"
#include "tool/run/Build.h"

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

constexpr int somethingFound = 3;

[[noreturn]] void quit(const Twine &message) {
  errs() << "tilelift: error: " << message << "\n";
  exit(2);
}

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
  if (options.mode == RunMode::Plain) {
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
  if (options.mode == RunMode::Compare)
    return compare(runner, options, lifted);
  std::string program = runner.built("program", lifted, &LiftedFile::afterWithLines);
  return program.empty() ? int(failed) : statusOf(runner.run(program, options.seed, {}));
}

} // namespace

int runCommand(const RunOptions &options) {
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
