//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "order/GroupWaits.h"

#include "llvm/ADT/Sequence.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

/// Joins the places of all instances, which share one text. If a statement closes a group or waits
/// in some instances only, the text does it in all of them. That is safe: with a wait too many, or
/// an additional group, the lifted kernel waits for copies earlier than the program does.
static std::optional<std::vector<GroupPlace>> placesOf(const std::vector<KernelFlow> &flows) {
  std::vector<GroupPlace> all;
  for (size_t instance = 0; instance < flows.size(); ++instance) {
    std::optional<std::vector<GroupPlace>> own = flows[instance].groups();
    if (!own)
      return std::nullopt;
    for (const GroupPlace &each : *own) {
      auto known = llvm::find_if(all, [&](const GroupPlace &other) {
        return other.statement->getBeginLoc() == each.statement->getBeginLoc();
      });
      if (known == all.end())
        known = all.insert(known, each);
      known->closes |= each.closes;
      known->awaits |= each.awaits;
      known->awaitsAll |= each.awaitsAll;
      if (each.awaits) {
        known->left.resize(instance, each.left.front());
        known->left.push_back(each.left.front());
      }
    }
  }
  for (GroupPlace &place : all)
    if (place.awaits)
      place.left.resize(flows.size(), place.left.back());
  return all;
}

void deferWaits(const std::vector<OrderedInstance> &instances, const std::vector<KernelFlow> &flows,
                CopyOrders &orders) {
  std::vector<CopyOrder> &copies = orders.copies;
  auto mayBeDeferred = [&](size_t copy) {
    return llvm::all_of(llvm::seq(instances.size()), [&](size_t i) {
      return instances[i].copies[copy].mayBeDeferred && flows[i].isAsync(copy) &&
             !flows[i].isUnclear(copy);
    });
  };
  for (size_t first = 0, end; first < copies.size(); first = end) {
    for (end = first + 1; end < copies.size() && copies[end].joinsPrevious;)
      ++end;
    const bool isDeferred = llvm::all_of(llvm::seq(first, end), mayBeDeferred);
    for (size_t copy = first; copy < end; ++copy)
      copies[copy].isDeferred = isDeferred;
  }
  const bool hasDeferred =
      llvm::any_of(copies, [](const CopyOrder &order) { return order.isDeferred; });
  std::optional<std::vector<GroupPlace>> places = hasDeferred ? placesOf(flows) : std::nullopt;
  if (places && llvm::any_of(*places, [](const GroupPlace &place) { return place.awaits; })) {
    orders.groups = std::move(*places);
    return;
  }
  for (CopyOrder &order : copies)
    order.isDeferred = false;
}

} // namespace tilelift
