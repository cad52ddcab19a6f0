//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilelift run`: builds a CUDA program for this machine and runs it there,
// lifted or plain, or both and compares them.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_RUN_RUNCOMMAND_H
#define TILELIFT_TOOL_RUN_RUNCOMMAND_H

#include "tool/run/RunOptions.h"

namespace tilelift {

/// The exit status of the tool.
int runCommand(const RunOptions &options);

} // namespace tilelift

#endif
