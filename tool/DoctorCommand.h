//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilelift doctor`: says what tilelift has found on this machine, lifts a small kernel with it,
// and names what is missing together with what brings it.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_DOCTORCOMMAND_H
#define TILELIFT_TOOL_DOCTORCOMMAND_H

#include "llvm/ADT/ArrayRef.h"

namespace tilelift {

/// Returns the exit status: 0 if the kernel lifts, 1 if not, 2 if the words make no sense.
int doctorCommand(llvm::ArrayRef<const char *> arguments);

} // namespace tilelift

#endif
