//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether each round of a loop stores to a place of its own, so that no round has to wait for the
// stores of those before it.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_STOREPLACES_H
#define TILELIFT_KERNEL_STOREPLACES_H

#include "interpreter/Interpreter.h"
#include "kernel/KernelPlan.h"

namespace tilelift {

/// Whether no two rounds of the only loop around a store write to the same place. That is so if a
/// variable that each round changes in one direction moves the place by at least the length that
/// one round stores.
bool storesApart(const PlannedCopy &copy, const KernelUnderTest &under);

} // namespace tilelift

#endif
