//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilelift compare`: a script beside the tool, as it also goes to machines that have a
// GPU but no tilelift.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_COMPARECOMMAND_H
#define TILELIFT_TOOL_COMPARECOMMAND_H

#include "llvm/ADT/ArrayRef.h"

namespace tilelift {

/// Takes what stands behind the command's name and gives back the exit status.
int compareCommand(llvm::ArrayRef<const char *> arguments);

} // namespace tilelift

#endif
