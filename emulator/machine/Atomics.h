//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One atomic operation on one word, against other threads of the host as well.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_ATOMICS_H
#define TILELIFT_EMULATOR_MACHINE_ATOMICS_H

#include "machine/Abi.h"
#include "model/Reduce.h"

namespace tilelift::emulator {

uint32_t bytesOf(AtomicType type);

/// The same as the TMA unit knows it. Exchange and cas are no reductions.
ReduceOperation operationOf(AtomicOp op);
ElementType elementOf(AtomicType type);

/// The bits that were there before. `b` is what cas puts in place of `a`.
uint64_t atomically(AtomicOp op, AtomicType type, char *place, uint64_t a, uint64_t b);

} // namespace tilelift::emulator

#endif
