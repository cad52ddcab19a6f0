//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command-line host: reads files, lifts each, writes text and messages.
// `tilelift run` is a command of its own, in emulator/run.
//===----------------------------------------------------------------------===//

#include "run/RunCommand.h"
#include "tool/LiftSource.h"
#include "tool/Options.h"
#include "tool/UnifiedDiff.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilelift;

namespace {

bool writeFile(StringRef path, StringRef text) {
  std::error_code problem;
  ToolOutputFile out(path, problem, sys::fs::OF_None);
  if (problem) {
    errs() << "tilelift: error: cannot write '" << path << "': " << problem.message() << "\n";
    return false;
  }
  out.os() << text;
  out.keep();
  return true;
}

std::string outputPath(const ToolOptions &options, StringRef file) {
  if (options.inPlace)
    return file.str();
  bool isFolder = options.files.size() > 1 || sys::fs::is_directory(options.output) ||
                  StringRef(options.output).ends_with("/");
  if (options.output.empty() || !isFolder)
    return options.output;
  sys::fs::create_directories(options.output);
  SmallString<256> path(options.output);
  sys::path::append(path, sys::path::filename(file));
  return std::string(path);
}

bool writeResult(const std::string &name, const ToolOptions &options, const Lifted &lifted) {
  if (options.check || options.verify)
    return true;
  if (options.dumpRelation || options.dumpPlan) {
    outs() << lifted.dump;
    return true;
  }
  if (options.diff) {
    outs() << unifiedDiff(name, lifted.before, lifted.after);
    return true;
  }
  std::string path = outputPath(options, name);
  if (path.empty() || path == "-") {
    outs() << lifted.after;
    return true;
  }
  if (options.inPlace && lifted.before == lifted.after)
    return true;
  return writeFile(path, lifted.after);
}

} // namespace

int main(int argc, const char **argv) {
  InitLLVM init(argc, argv);
  if (argc > 1 && StringRef(argv[1]) == "run")
    return runCommand(ArrayRef(argv, size_t(argc)).drop_front(2));
  ToolOptions options = parseOptions(argc, argv);
  ExitStatus status = allLifted;
  for (const std::string &file : options.files) {
    Lifted lifted;
    ExitStatus one = liftSource(file, options, lifted);
    status = worse(status, one);
    bool hasOutput = one == allLifted || lifted.after != lifted.before || !lifted.dump.empty();
    if (hasOutput && !writeResult(file, options, lifted))
      status = failed;
  }
  return status;
}
