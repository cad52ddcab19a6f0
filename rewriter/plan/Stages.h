//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the number of stages of a ring if no clause gives it: the fewest that keep
// `bytesWanted` bytes of copies in flight on an SM, or, if none do, those that keep the
// most; and a third stage if it costs no block.
//
// The number of blocks that run on an SM at once is computed from their threads and shared
// memory. Registers, which may limit it further, are not known before the kernel is compiled.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_STAGES_H
#define TILELIFT_PLAN_STAGES_H

#include "plan/Plan.h"

#include "llvm/ADT/ArrayRef.h"

namespace tilelift {

/// A number of stages, the blocks that then run on an SM at once, and the bytes of copies that all
/// these blocks have in flight.
struct RingUse {
  unsigned stages = 2;
  int64_t blocks = 0;
  Bytes bytesAhead{};
};
/// Returns the use of a ring with `stages` stages by blocks of the shape `block`, which have
/// `sharedBytes` of shared memory and load `roundBytes` in each round.
RingUse ringUse(unsigned stages, Bytes sharedBytes, Bytes roundBytes, const BlockShape &block);

/// The bytes that an SM has to have in flight to get its share of the memory's bandwidth.
constexpr Bytes bytesWanted{40 << 10};

/// Picks one of `choices`, which are in ascending order of their stages. The first one is
/// acceptable in any case.
RingUse pickStages(llvm::ArrayRef<RingUse> choices);

} // namespace tilelift

#endif
