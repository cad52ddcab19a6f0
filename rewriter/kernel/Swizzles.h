//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which swizzle each tile gets: what a pragma asks for holds for all copies of the tile, and where
// nothing is said, it is the one by which the kernel's own accesses pass shared memory least.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_SWIZZLES_H
#define TILELIFT_KERNEL_SWIZZLES_H

#include "kernel/FileFacts.h"
#include "kernel/KernelPlan.h"

namespace tilelift {

void chooseSwizzles(InstancePlan &instance, const FileFacts &file);

} // namespace tilelift

#endif
