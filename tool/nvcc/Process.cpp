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

using namespace llvm;

namespace tilelift {
namespace {

constexpr int cannotRun = 127;

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

int run(ArrayRef<std::string> command) { return execute(command, {}); }

} // namespace tilelift
