//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many tiles a ring gets where nobody says: enough to have on the way what the
// memory delivers while one waits for it, as long as as many blocks run at once.
//
// It knows threads and shared memory, which limit the blocks of an SM. Registers, which
// may limit them further, are the compiler's, and are not known yet.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_STAGES_H
#define TILELIFT_PLAN_STAGES_H

#include "plan/Plan.h"

#include "llvm/ADT/ArrayRef.h"

namespace tilelift {

/// What an SM has at once of a kernel whose blocks need so much shared memory, and whose
/// rounds load so many bytes.
struct RingUse {
  unsigned stages = 2;
  int64_t blocks = 0;
  Bytes bytesAhead{};
};
RingUse ringUse(unsigned stages, Bytes sharedBytes, Bytes roundBytes, const BlockShape &block);

/// Bytes that an SM has to have on the way for its share of the memory's bandwidth.
constexpr Bytes bytesWanted{40 << 10};

/// The pick among numbers of stages in ascending order, of which the first always will do.
RingUse pickStages(llvm::ArrayRef<RingUse> choices);

} // namespace tilelift

#endif
