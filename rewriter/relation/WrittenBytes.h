//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes of a shared array none of some copies writes, in whichever slot of the array each of
// them is made: such bytes have no value, and a box may cover them.
//
// Whether these copies are all that write to the array is not known here.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_RELATION_WRITTENBYTES_H
#define TILELIFT_RELATION_WRITTENBYTES_H

#include "relation/CopyRelation.h"

#include "llvm/ADT/ArrayRef.h"

namespace tilelift {

/// How much of the array a copy's rows may take behind its last cell: as much as the largest gap
/// between its cells, but nothing that lies behind an array whose size is known.
int64_t spaceBehind(const CopyRelation &copy);

/// The stretches between a copy's cells, and in the space behind them, to which none of the writers
/// writes. The copy has to be among the writers; all of them fill the same array.
llvm::SmallVector<ByteRange, 0> unwrittenAround(const CopyRelation &copy,
                                                llvm::ArrayRef<const CopyRelation *> writers);

} // namespace tilelift

#endif
