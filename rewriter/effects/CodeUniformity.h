//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values of a kernel's code may differ between the threads of a block.
//
// It starts from the instructions whose results differ by themselves and goes
// along operands, through variables in memory that a thread has for itself, and
// from branches that not all threads take alike: to the values that come together
// behind them, and to those that leave a loop which threads leave at different
// times. Memory that threads share holds the same for all that read the same place.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_CODEUNIFORMITY_H
#define TILELIFT_EFFECTS_CODEUNIFORMITY_H

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Function.h"

namespace tilelift {

using Instructions = llvm::DenseSet<const llvm::Instruction *>;

/// All that may differ, branches among them; `sources` differ by themselves, and the results of
/// `alike` do not, whatever they are given.
Instructions divergentIn(const llvm::Function &function, const Instructions &sources,
                         const Instructions &alike = {});

/// The blocks to which some threads may come without the others: those between a divergent branch
/// and where its sides meet again.
llvm::DenseSet<const llvm::BasicBlock *> partedBlocks(const llvm::Function &function,
                                                      const Instructions &divergent);

} // namespace tilelift

#endif
