//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/CompareCommand.h"

#include "tool/Installation.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilelift {

int compareCommand(ArrayRef<const char *> arguments) {
  ErrorOr<std::string> python = sys::findProgramByName("python3");
  if (!python) {
    errs() << "tilelift: error: 'tilelift compare' needs python3, which is not on the PATH\n";
    return 2;
  }
  std::string script = beside("share/tilelift/compare.py"), tool = "--tool=" + toolPath(),
              runtime = "--runtime=" + runtimeHeaders();
  SmallVector<StringRef, 16> command{*python, script, tool, runtime};
  command.append(arguments.begin(), arguments.end());
  return sys::ExecuteAndWait(*python, command);
}

} // namespace tilelift
