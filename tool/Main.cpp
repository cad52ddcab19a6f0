//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command-line host: each command is read in CommandLine, or by itself, and done in a file of
// its own.
//===----------------------------------------------------------------------===//

#include "tool/Main.h"

#include "tool/CommandLine.h"
#include "tool/CompareCommand.h"
#include "tool/DoctorCommand.h"
#include "tool/LiftCommand.h"
#include "tool/LiftSource.h"
#include "tool/nvcc/NvccCommand.h"
#include "tool/run/RunCommand.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilelift;

namespace {

/// Whether a first word can only be meant as a command, and is none. Then it says so.
bool isNoCommand(StringRef word) {
  if (word == "lint" || word.find_first_of("-./") != StringRef::npos || sys::fs::exists(word))
    return false;
  errs() << "tilelift: error: '" << word << "' is no file and no command";
  for (StringRef command : {"run", "compare", "lint", "nvcc", "doctor"})
    if (word.edit_distance(command) <= 2)
      errs() << "; did you mean '" << command << "'?";
  errs() << "\n";
  return true;
}

} // namespace

int tilelift_main(int argc, const char **argv) {
  InitLLVM init(argc, argv);
  const ArrayRef<const char *> words(argv, size_t(argc));
  const StringRef command = argc > 1 ? argv[1] : "";
  if (command == "run")
    return runCommand(parseRunOptions(words.drop_front()));
  if (command == "compare")
    return compareCommand(words.drop_front(2));
  if (command == "doctor")
    return doctorCommand(words.drop_front(2));
  if (command == "nvcc")
    return nvccCommand(words.drop_front(2));
  if (argc > 1 && isNoCommand(command))
    return failed;
  return liftCommand(command == "lint" ? parseLintOptions(words.drop_front())
                                       : parseOptions(words));
}
