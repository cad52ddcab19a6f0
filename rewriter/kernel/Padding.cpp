//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/Padding.h"

#include "kernel/Statements.h"
#include "relation/WrittenBytes.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

using CopiesOfArray = SmallVector<PlannedCopy *, 4>;

/// The relation of a copy of which it is known what is written beside it. The array in dynamic
/// memory is as long as the rows may be: the launcher asks for what the program's memory lacks.
CopyRelation relationWith(SmallVector<ByteRange, 0> unwritten, const PlannedCopy &copy) {
  CopyRelation relation = *copy.relation;
  SharedTile &tile = relation.tile;
  if (tile.isDynamic)
    tile.extents.back() += spaceBehind(relation) / tile.elementSize;
  tile.unwritten = std::move(unwritten);
  return relation;
}

/// A plan with which the rows keep their places, padding included, that asks for no more at the
/// copy.
std::optional<Plan> planWithPadding(const PlannedCopy &copy, const CopyRelation &relation,
                                    const FileFacts &file) {
  const FitOptions options = fitOptionsOf(*copy.directive, file.selection.device);
  std::variant<Plan, Diagnostic> fitted = fit(relation, options);
  Plan *plan = std::get_if<Plan>(&fitted);
  const bool isBetter = plan && options.canBeSpelled(*plan) && plan->hasMap() &&
                        !plan->layout.moved &&
                        plan->copyChecks.size() <= copy.plan.copyChecks.size();
  if (!isBetter)
    return std::nullopt;
  return std::move(*plan);
}

} // namespace

void fillPadding(InstancePlan &instance, const FileFacts &file) {
  const KernelEffects &effects = file.effects.of(instance.function);
  std::vector<KernelEffects::Part> writers;
  // All arrays in dynamic shared memory are the same bytes.
  std::map<const VarDecl *, CopiesOfArray> arrays;
  for (PlannedCopy &copy : instance.copies)
    if (copy.plan.kind == CopyKind::Load) {
      writers.push_back({copy.statement, copy.path});
      const bool isDynamic = copy.relation->tile.isDynamic;
      arrays[isDynamic ? nullptr : copy.tile->getCanonicalDecl()].push_back(&copy);
    }
  for (auto &[array, copies] : arrays) {
    if (!effects.isWrittenOnlyBy(copies.front()->tile, writers))
      continue;
    SmallVector<std::shared_ptr<const CopyRelation>, 4> kept; // while copies get others
    SmallVector<const CopyRelation *, 4> relations;
    for (const PlannedCopy *copy : copies)
      relations.push_back(kept.emplace_back(copy->relation).get());
    for (PlannedCopy *copy : copies) {
      if (copy->plan.hasMap() && !copy->plan.layout.moved)
        continue;
      CopyRelation relation = relationWith(unwrittenAround(*copy->relation, relations), *copy);
      if (std::optional<Plan> plan = planWithPadding(*copy, relation, file)) {
        copy->plan = std::move(*plan);
        copy->relation = std::make_shared<CopyRelation>(std::move(relation));
      }
    }
  }
}

} // namespace tilelift
