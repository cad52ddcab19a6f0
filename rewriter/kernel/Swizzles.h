//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which swizzle each tile gets: one that a pragma asks for holds for all copies of the tile; if no
// pragma gives one, the tile gets the swizzle with which the kernel's own accesses to it have the
// fewest bank conflicts.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_SWIZZLES_H
#define TILELIFT_KERNEL_SWIZZLES_H

#include "kernel/FileFacts.h"
#include "kernel/KernelPlan.h"

namespace tilelift {

void chooseSwizzles(InstancePlan &instance, const FileFacts &file);

} // namespace tilelift

#endif
