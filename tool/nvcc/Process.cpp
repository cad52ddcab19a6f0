//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/nvcc/Process.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace tilelift {
namespace {

constexpr int cannotRun = 127;
constexpr int endingSignals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
/// A handler of signals sees nothing but such variables.
volatile sig_atomic_t signalThatCame = 0, running = 0;

int execute(ArrayRef<std::string> command, ArrayRef<std::optional<StringRef>> redirects) {
  const ErrorOr<std::string> program = sys::findProgramByName(command.front());
  std::string problem = program ? "" : program.getError().message();
  int status = -1;
  if (program) {
    const SmallVector<StringRef> words(command.begin(), command.end());
    status = sys::ExecuteAndWait(*program, words, std::nullopt, redirects, 0, 0, &problem);
  }
  if (status >= 0)
    return status;
  errs() << "tilelift: error: '" << command.front() << "' cannot be run: " << problem << "\n";
  return cannotRun;
}

} // namespace

Printed outputOf(ArrayRef<std::string> command) {
  SmallString<128> path;
  if (std::error_code problem = sys::fs::createTemporaryFile("tilelift", "txt", path)) {
    errs() << "tilelift: error: cannot write '" << path << "': " << problem.message() << "\n";
    return {cannotRun, ""};
  }
  FileRemover remover(path);
  const std::optional<StringRef> redirects[] = {std::nullopt, StringRef(path), StringRef(path)};
  Printed output{execute(command, redirects), ""};
  if (ErrorOr<std::unique_ptr<MemoryBuffer>> printed = MemoryBuffer::getFile(path))
    output.text = (*printed)->getBuffer().str();
  return output;
}

int run(ArrayRef<std::string> command) {
  const ErrorOr<std::string> program = sys::findProgramByName(command.front());
  if (!program) {
    errs() << "tilelift: error: '" << command.front()
           << "' cannot be run: " << program.getError().message() << "\n";
    return cannotRun;
  }
  std::vector<char *> words;
  for (const std::string &word : command)
    words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  outs().flush();
  errs().flush();
  pid_t child = 0;
  if (const int problem =
          posix_spawn(&child, program->c_str(), nullptr, nullptr, words.data(), environ)) {
    errs() << "tilelift: error: '" << command.front()
           << "' cannot be run: " << std::strerror(problem) << "\n";
    return cannotRun;
  }
  running = child;
  if (signalThatCame != 0) // just before
    kill(child, signalThatCame);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  running = 0;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

SignalsWait::SignalsWait() {
  struct sigaction action = {};
  action.sa_handler = [](int signal) {
    signalThatCame = signal;
    if (running != 0)
      kill(running, signal);
  };
  for (int signal : endingSignals)
    sigaction(signal, &action, nullptr);
}

SignalsWait::~SignalsWait() {
  for (int signal : endingSignals)
    std::signal(signal, SIG_DFL);
  if (signalThatCame != 0)
    raise(signalThatCame);
}

bool SignalsWait::hasCome() { return signalThatCame != 0; }

} // namespace tilelift
