//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often shared memory has to be passed for what warps access at once.
//
// It has 32 banks, 4 bytes wide, and in each pass a bank gives one of its words.
// Accesses of 8 and 16 bytes are made by half and by a quarter of a warp at a time.
// That is counted, for a layout of the tile, from the addresses; rules of thumb are not
// needed.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_BANKCONFLICTS_H
#define TILELIFT_PLAN_BANKCONFLICTS_H

#include "plan/Plan.h"

namespace tilelift {

/// The mean over some accesses to a tile: with the layout as it was declared, or as
/// a plan has it. One is the least there is for 4 bytes, two for 8, four for 16.
double passesAsDeclared(llvm::ArrayRef<WarpAccess> accesses);
double passesAsPlanned(llvm::ArrayRef<WarpAccess> accesses, const Plan &plan);

} // namespace tilelift

#endif
