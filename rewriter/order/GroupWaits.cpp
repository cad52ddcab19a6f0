//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "order/GroupWaits.h"
#include "order/Groups.h"

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

/// Whether the program closes a group right behind a copy and waits for it, all copies included.
/// Then there is nothing to gain from counting groups.
static bool isAwaitedAtOnce(const LiftedCopy &copy, ArrayRef<GroupPlace> places) {
  const CompoundStmt *block = blockOf(copy.statement, copy.path.end()->getBody());
  if (!block)
    return false;
  for (const Stmt *const *next = llvm::find(block->body(), copy.statement) + 1;
       next != block->body_end(); ++next) {
    auto place = llvm::find_if(places, [&](const GroupPlace &each) {
      return each.statement->getBeginLoc() == (*next)->getBeginLoc();
    });
    if (place == places.end())
      return false;
    if (place->awaits)
      return llvm::all_of(place->left, [](unsigned left) { return left == 0; });
  }
  return false;
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
  const std::optional<std::vector<GroupPlace>> places = placesOf(flows);
  for (size_t first = 0, end; first < copies.size(); first = end) {
    for (end = first + 1; end < copies.size() && copies[end].joinsPrevious;)
      ++end;
    const bool isDeferred = places && llvm::all_of(llvm::seq(first, end), mayBeDeferred) &&
                            !isAwaitedAtOnce(instances.front().copies[end - 1], *places);
    for (size_t copy = first; copy < end; ++copy)
      copies[copy].isDeferred = isDeferred;
  }
  const bool hasDeferred =
      llvm::any_of(copies, [](const CopyOrder &order) { return order.isDeferred; });
  if (hasDeferred && llvm::any_of(*places, [](const GroupPlace &place) { return place.awaits; })) {
    orders.groups = *places;
    return;
  }
  for (CopyOrder &order : copies)
    order.isDeferred = false;
}

} // namespace tilelift
