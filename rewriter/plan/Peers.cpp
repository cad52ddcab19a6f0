//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Peers.h"

#include "plan/Elements.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilelift {

/// Cuts contiguous bytes into rows, one for each peer.
static void cutBytes(Plan &plan, BulkAccess &bulk) {
  const int64_t parts = plan.peerCount();
  const Bytes each = plan.expectedBytes / parts;
  if (plan.expectedBytes % (parts * grain) == Bytes())
    bulk.rows.push_back({parts, each, each});
}

void cutForPeers(Plan &plan) {
  if (plan.pixels() || plan.pieces() > 1)
    return;
  if (auto *bulk = std::get_if<BulkAccess>(&plan.access))
    return cutBytes(plan, *bulk);
  auto &dims = plan.map()->dims;
  auto outermost = llvm::find_if(llvm::reverse(dims),
                                 [](const PlanDimension &dim) { return dim.box > Elements(1); });
  // What lies between rows that are shorter than their swizzle is no part of a box.
  const Bytes span(span_of(plan.layout.swizzle)), row = bytesOf(dims[0].box, size_of(plan.element));
  if (outermost == dims.rend() || (span != Bytes() && row != span))
    return;
  for (int64_t parts = plan.peerCount(); parts > 1; --parts) {
    bool isWhole = outermost->box % Elements(parts) == Elements() &&
                   plan.peerCount() % parts == 0 &&
                   plan.expectedBytes % (parts * plan.layout.alignment()) == Bytes();
    if (!isWhole)
      continue;
    outermost->pieces = parts;
    return;
  }
}

void forEachPlacingValue(const Plan &plan, function_ref<void(const Polynomial &)> tell) {
  tell(plan.layout.slot.count());
  if (plan.bulk())
    tell(plan.offset().count());
  for (const PlanDimension &dim : plan.dims())
    tell(dim.coordinate.count());
  if (plan.pixels())
    tell(plan.pixels()->pixel);
  for (const Walk &walk : plan.walks()) {
    tell(walk.count ? *walk.count : walk.step.count());
    for (const SymbolicElements *value : {&walk.step, &walk.first, &walk.offset})
      tell(value->count());
  }
  for (const RowDigit &row : plan.rows())
    tell(row.stride.count());
}

} // namespace tilelift
