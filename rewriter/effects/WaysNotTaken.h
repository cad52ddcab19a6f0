//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches that are never taken. Library code tests whether an address is in shared memory, and has
// another implementation for other memory. If the address is that of a variable which is declared
// in shared memory, the branch to the other implementation is never taken.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_WAYSNOTTAKEN_H
#define TILELIFT_EFFECTS_WAYSNOTTAKEN_H

#include "effects/DeviceCode.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Function.h"

namespace tilelift {

/// Whether a thread may go from a block to one of its successors.
bool mayBeTaken(const llvm::BasicBlock &from, const llvm::BasicBlock &to, const DeviceCode &code);

/// The blocks that a thread can reach from the function's entry without a branch that is never
/// taken.
llvm::DenseSet<const llvm::BasicBlock *> reachedBlocks(const llvm::Function &function,
                                                       const DeviceCode &code);

} // namespace tilelift

#endif
