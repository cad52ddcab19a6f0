//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Peers.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilelift {

/// Contiguous bytes, as rows.
static void cutBytes(Plan &plan, BulkAccess &bulk) {
  int64_t parts = plan.peerCount(), each = plan.expectedBytes / parts;
  if (plan.expectedBytes % (16 * parts) == 0)
    bulk.rows.push_back({parts, Polynomial(each), each});
}

void cutForPeers(Plan &plan) {
  if (plan.pixels() || plan.pieces() > 1)
    return;
  if (auto *bulk = std::get_if<BulkAccess>(&plan.access))
    return cutBytes(plan, *bulk);
  auto &dims = plan.map()->dims;
  auto outermost =
      llvm::find_if(llvm::reverse(dims), [](const PlanDimension &dim) { return dim.box > 1; });
  // What lies between rows that are shorter than their swizzle is no part of a box.
  int64_t span = span_of(plan.layout.swizzle), row = dims[0].box * size_of(plan.element);
  if (outermost == dims.rend() || (span != 0 && row != span))
    return;
  for (int64_t parts = plan.peerCount(); parts > 1; --parts) {
    bool isWhole = outermost->box % parts == 0 && plan.peerCount() % parts == 0 &&
                   plan.expectedBytes % (parts * plan.layout.alignment()) == 0;
    if (!isWhole)
      continue;
    outermost->pieces = parts;
    return;
  }
}

void forEachPlace(const Plan &plan, function_ref<void(const Polynomial &)> tell) {
  tell(plan.layout.slot);
  if (plan.bulk())
    tell(plan.offset());
  for (const PlanDimension &dim : plan.dims())
    tell(dim.coordinate);
  if (plan.pixels())
    tell(plan.pixels()->pixel);
  for (const Walk &walk : plan.walks())
    for (const Polynomial *value :
         {walk.count ? &*walk.count : &walk.step, &walk.step, &walk.first, &walk.offset})
      tell(*value);
  for (const RowDigit &row : plan.rows())
    tell(row.stride);
}

} // namespace tilelift
