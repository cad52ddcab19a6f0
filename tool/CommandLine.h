//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the command lines of all commands. `arguments` starts with the program's or the command's
// name. All of this exits for --help and --version, and with 2 when something is wrong.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_COMMANDLINE_H
#define TILELIFT_TOOL_COMMANDLINE_H

#include "tool/Options.h"
#include "tool/run/RunOptions.h"

namespace tilelift {

ToolOptions parseOptions(llvm::ArrayRef<const char *> arguments);
ToolOptions parseLintOptions(llvm::ArrayRef<const char *> arguments);
RunOptions parseRunOptions(llvm::ArrayRef<const char *> arguments);

} // namespace tilelift

#endif
