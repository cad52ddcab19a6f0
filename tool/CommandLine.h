//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the command lines of lift, lint and run. The first of `arguments` is the name of the
// program or of the command. Each function ends the process for --help and --version, and with exit
// status 2 where an option is wrong.
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
