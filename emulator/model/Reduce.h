//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the TMA unit computes when it reduces, one element at a time and bit by
// bit, and which operation goes with which element type.
//
// Not here: which elements meet, and in which order. Between copies and within
// one the hardware promises none.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MODEL_REDUCE_H
#define TILELIFT_EMULATOR_MODEL_REDUCE_H

#include "tilelift/rules.h"

#include <cstddef>
#include <cstdint>

namespace tilelift::emulator {

using ElementType = tilelift::element_type;

enum class ReduceOperation : uint8_t { Add, Min, Max, Inc, Dec, And, Or, Xor };

const char *nameOf(ReduceOperation operation);

/// cp.reduce.async.bulk.tensor: the type comes from the map, so nobody but the
/// hardware checks it.
bool isReducibleTensor(ReduceOperation operation, ElementType type);

/// cp.reduce.async.bulk to global memory. `.b32` and `.b64` are u32 and u64.
bool isReducibleBulk(ReduceOperation operation, ElementType type);

/// cp.reduce.async.bulk to the shared memory of another block.
bool isReducibleShared(ReduceOperation operation, ElementType type);

/// The bits that `old` becomes.
uint64_t reduced(ReduceOperation operation, ElementType type, uint64_t old, uint64_t operand);

/// The same for all elements of `bytes` bytes.
void reduceElements(ReduceOperation operation, ElementType type, uint8_t *target,
                    const uint8_t *operand, size_t bytes);

} // namespace tilelift::emulator

#endif
