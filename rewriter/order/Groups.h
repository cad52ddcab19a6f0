//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which copies wait together: they share one barrier and one count of bytes.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ORDER_GROUPS_H
#define TILELIFT_ORDER_GROUPS_H

#include "order/BarrierFacts.h"

namespace tilelift {

/// Says of each copy whether it joins the one before it, and which run exactly once.
void groupCopies(const std::vector<OrderedInstance> &instances,
                 const std::vector<KernelFlow> &flows, CopyOrders &orders);

/// The compound statement within `around` that has `statement` as one of its direct children; null
/// if none has.
const clang::CompoundStmt *blockOf(const clang::Stmt *statement, const clang::Stmt *around);

} // namespace tilelift

#endif
