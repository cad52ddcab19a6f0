//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilelift run`: builds a CUDA program for this machine and runs it there,
// lifted or plain, or both and compares them.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_RUN_RUNCOMMAND_H
#define TILELIFT_TOOL_RUN_RUNCOMMAND_H

#include "llvm/ADT/ArrayRef.h"

namespace tilelift {

/// The arguments behind `run`; the exit status of the tool.
int runCommand(llvm::ArrayRef<const char *> arguments);

} // namespace tilelift

#endif
