//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ways that code never takes: libraries ask of an object whether it is in shared memory, and do the
// same by other means where it is not. Of a variable, the declaration tells.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_WAYSNOTTAKEN_H
#define TILELIFT_EFFECTS_WAYSNOTTAKEN_H

#include "effects/DeviceCode.h"

#include "llvm/IR/Function.h"

namespace tilelift {

/// Whether a thread may go from a block to one of its successors.
bool mayBeTaken(const llvm::BasicBlock &from, const llvm::BasicBlock &to, const DeviceCode &code);

} // namespace tilelift

#endif
