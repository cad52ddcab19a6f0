//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/Orders.h"

#include "relation/BaseObjects.h"
#include "support/Locations.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

CopyOrders ordersOf(const KernelPlan &kernel, const Effects &effects) {
  std::vector<OrderedInstance> instances;
  for (const InstancePlan &instance : kernel.instances) {
    OrderedInstance &own = instances.emplace_back();
    own.effects = &effects.of(instance.function);
    const bool isByBlock = instance.pipelines.empty() && instance.cluster == BlockShape{1, 1, 1};
    for (const PlannedCopy &copy : instance.copies) {
      bool mayRunPlain = llvm::any_of(instance.copies, [&](const PlannedCopy &other) {
        return other.statement == copy.statement && !other.plan.copyChecks.empty();
      });
      own.copies.push_back({copy.statement, copy.path, copy.tile, mayRunPlain, copy.tileIsWritten,
                            copy.pipeline.has_value(), instance.isSupplied(copy),
                            copy.plan.kind != CopyKind::Load, copy.storesApart, copy.plan.looksUp(),
                            copy.plan.looksUpShared, objectsOf(copy.plan.base, *own.effects),
                            isByBlock && copy.plan.kind == CopyKind::Load});
    }
  }
  return orderCopies(instances);
}

/// Barriers around one copy that the program does not have.
static void addBarriers(std::vector<Diagnostic> &remarks, const PlannedCopy &copy, bool isSupplied,
                        const CopyOrder &order, const StoreOrder &store) {
  const Plan &plan = copy.plan;
  auto add = [&](const char *where, const std::string &why) {
    remarks.push_back(diagnose(diag::barrier_added, plan.place, where, why));
  };
  if (store.needsBarrier)
    add("before", store.fencesAll ? "threads may have accessed '" + plan.base.spelling + "'"
                                  : "threads have written to the tile");
  if (store.waitsHere)
    add("behind",
        "threads may be at the tile or at '" + plan.base.spelling + "' before they meet again");
  if (isSupplied) // threads give its tile back
    return;
  if (order.sourceWritten)
    add("before", "threads may have written to '" + plan.base.spelling + "'");
  else if (order.writtenBefore)
    add("before", "threads have written to the tile");
  else if (order.needsBarrier)
    add("before", "threads may still be reading the tile");
}

std::vector<Diagnostic> remarksOnBarriers(const InstancePlan &instance, const CopyOrders &orders,
                                          const SourceManager &sources) {
  std::vector<Diagnostic> remarks;
  for (const Expr *dropped : orders.redundant)
    remarks.push_back(diagnose(diag::barrier_dropped, placeOf(sources, dropped->getBeginLoc())));
  for (size_t i = 0; i < instance.copies.size(); ++i)
    addBarriers(remarks, instance.copies[i], instance.isSupplied(instance.copies[i]),
                orders.copies[i], orders.stores[i]);
  return remarks;
}

} // namespace tilelift
