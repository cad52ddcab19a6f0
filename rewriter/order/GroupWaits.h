//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which copies need not be waited for where they stand, because the plain program does not, either:
// it copies by cp.async, and waits later, for groups of copies.
//
// Until then, no thread may read what was copied, so the wait for TMA belongs where the program
// waits. Copies by other means are waited for where they stand.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ORDER_GROUPWAITS_H
#define TILELIFT_ORDER_GROUPWAITS_H

#include "order/BarrierFacts.h"

namespace tilelift {

/// Says of each copy whether it is deferred, and, if some are, where the program closes groups and
/// waits for them. It has to be known which copies wait together (order/Groups).
void deferWaits(const std::vector<OrderedInstance> &instances, const std::vector<KernelFlow> &flows,
                CopyOrders &orders);

} // namespace tilelift

#endif
