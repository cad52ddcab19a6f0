//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/KernelPlan.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

bool sameWay(const CallPath &a, const CallPath &b) {
  return std::equal(
      a.getCalls().begin(), a.getCalls().end(), b.getCalls().begin(), b.getCalls().end(),
      [](const CallExpr *x, const CallExpr *y) { return x->getBeginLoc() == y->getBeginLoc(); });
}

} // namespace

bool haveOneText(const InstancePlan &a, const InstancePlan &b) {
  bool sameProducers =
      std::equal(a.pipelines.begin(), a.pipelines.end(), b.pipelines.begin(), b.pipelines.end(),
                 [](const PlannedPipeline &x, const PlannedPipeline &y) {
                   return x.hasProducer == y.hasProducer;
                 });
  return sameProducers &&
         std::equal(a.copies.begin(), a.copies.end(), b.copies.begin(), b.copies.end(),
                    [](const PlannedCopy &x, const PlannedCopy &y) {
                      return x.directive == y.directive && x.pipeline == y.pipeline &&
                             x.hasTwoTiles == y.hasTwoTiles &&
                             (x.prefetched == 0) == (y.prefetched == 0) &&
                             sameWay(x.path, y.path) && sameOperations(x.plan, y.plan);
                    });
}

bool KernelPlan::hasProducer() const {
  return llvm::any_of(instances.front().copies,
                      [&](const PlannedCopy &copy) { return instances.front().isSupplied(copy); });
}

bool KernelPlan::hasOwnRings() const {
  return llvm::any_of(instances, [](const InstancePlan &instance) {
    return llvm::any_of(instance.pipelines,
                        [](const PlannedPipeline &each) { return !each.directive; });
  });
}

std::vector<const Plan *> KernelPlan::plansOf(size_t copy) const {
  std::vector<const Plan *> plans;
  for (const InstancePlan &instance : instances)
    plans.push_back(&instance.copies[copy].plan);
  return plans;
}

std::vector<const Plan *> KernelPlan::plansAheadOf(size_t copy) const {
  std::vector<const Plan *> plans;
  for (const InstancePlan &instance : instances)
    plans.push_back(&*instance.copies[copy].ahead);
  return plans;
}

SmallVector<TilePlan, 4> tilePlansOf(InstancePlan &instance) {
  SmallVector<TilePlan, 4> planned;
  for (PlannedCopy &copy : instance.copies)
    planned.push_back({copy.tile, &copy.plan});
  return planned;
}

void InstancePlan::drop(const Stmt *statement, CallPath path) {
  llvm::erase_if(copies, [&](const PlannedCopy &copy) {
    return copy.statement == statement && copy.path.sameText(path);
  });
  plainPaths.push_back(std::move(path));
}

} // namespace tilelift
