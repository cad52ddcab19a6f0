//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hands a planned kernel to order/, which decides on the barriers, fences and waits around its
// copies, and tells the user of barriers that the lifted kernel has more or fewer of.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_ORDERS_H
#define TILELIFT_KERNEL_ORDERS_H

#include "effects/KernelEffects.h"
#include "kernel/KernelPlan.h"
#include "order/BarrierFacts.h"

namespace tilelift {

/// Decides on the barriers, fences and waits around a kernel's copies, whose pipelines are planned
/// by then: the consumers of a tile that the producer warp fills hand the tile back at an mbarrier,
/// without a barrier of the block.
CopyOrders ordersOf(const KernelPlan &kernel, const Effects &effects);

/// Which barriers go and which come, and why.
std::vector<Diagnostic> remarksOnBarriers(const InstancePlan &instance, const CopyOrders &orders,
                                          const clang::SourceManager &sources);

} // namespace tilelift

#endif
