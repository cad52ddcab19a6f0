//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operation and the element type of an instruction that combines: atomics
// and asynchronous reductions name both alike.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_PTX_REDUCTIONS_H
#define TILELIFT_EMULATOR_PTX_REDUCTIONS_H

#include "machine/Abi.h"
#include "ptx/Ptx.h"

#include <optional>

namespace tilelift::ptx {

/// None for an instruction that only copies.
std::optional<emulator::AtomicOp> operationOf(const Instruction &code);

emulator::AtomicType atomicType(Type type);

} // namespace tilelift::ptx

#endif
