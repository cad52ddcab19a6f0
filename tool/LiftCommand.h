//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lifts the files that the options name, and writes what comes out: texts, headers that change with
// them, differences, dumps.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_LIFTCOMMAND_H
#define TILELIFT_TOOL_LIFTCOMMAND_H

#include "tool/Options.h"

namespace tilelift {

/// Returns the exit status; what there is to say has been printed.
int liftCommand(ToolOptions options);

} // namespace tilelift

#endif
