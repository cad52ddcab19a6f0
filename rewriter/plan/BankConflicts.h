//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts bank conflicts: in how many passes shared memory serves an access of a warp.
//
// Shared memory has 32 banks, 4 bytes wide, and in each pass a bank gives one of its words.
// Accesses of 8 and 16 bytes are made by half and by a quarter of a warp at a time.
// The passes are counted from the addresses that the lanes access, for a layout of the tile.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_BANKCONFLICTS_H
#define TILELIFT_PLAN_BANKCONFLICTS_H

#include "plan/Plan.h"

namespace tilelift {

/// The mean number of passes over some accesses of warps to a tile, with the layout as it is
/// declared, or with that of `plan`. Without bank conflicts, an access of all lanes takes one pass
/// for 4 bytes, two for 8, and four for 16.
double passesAsDeclared(llvm::ArrayRef<WarpAccess> accesses);
double passesAsPlanned(llvm::ArrayRef<WarpAccess> accesses, const Plan &plan);

} // namespace tilelift

#endif
