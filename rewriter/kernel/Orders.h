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

/// The kernel's pipelines have to be known: where a warp of its own makes a copy, threads give its
/// tile back by other means.
CopyOrders ordersOf(const KernelPlan &kernel, const Effects &effects);

/// Which barriers go and which come, and why.
std::vector<Diagnostic> remarksOnBarriers(const InstancePlan &instance, const CopyOrders &orders,
                                          const clang::SourceManager &sources);

} // namespace tilelift

#endif
