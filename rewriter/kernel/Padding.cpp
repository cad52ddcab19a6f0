//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/Padding.h"

#include "kernel/Statements.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

using CopiesOfTile = SmallVector<PlannedCopy *, 4>;

/// The byte of a row from which on none of the copies writes; nothing if there is none, or if the
/// rows of some copy are not those of the tile.
std::optional<int64_t> paddingOf(const CopiesOfTile &copies) {
  int64_t end = 0;
  const int64_t row = copies.front()->relation->tile.rowBytes();
  if (row == 0)
    return std::nullopt;
  for (const PlannedCopy *copy : copies) {
    const SharedTile &tile = copy->relation->tile;
    if (tile.slot.divisor() % row != 0)
      return std::nullopt;
    for (const Cell &cell : copy->relation->cells)
      end = std::max(end, (cell.offset % row + row) % row + cell.size);
  }
  return end < row ? std::optional(end) : std::nullopt;
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
  return isBetter ? std::optional(std::move(*plan)) : std::nullopt;
}

} // namespace

void fillPadding(InstancePlan &instance, const FileFacts &file) {
  const KernelEffects &effects = file.effects.of(instance.function);
  std::vector<KernelEffects::Part> writers;
  std::map<const VarDecl *, CopiesOfTile> tiles;
  for (PlannedCopy &copy : instance.copies)
    if (copy.plan.kind == CopyKind::Load) {
      writers.push_back({copy.statement, copy.path});
      tiles[copy.tile->getCanonicalDecl()].push_back(&copy);
    }
  for (auto &[tile, copies] : tiles) {
    const std::optional<int64_t> padding = paddingOf(copies);
    if (!padding || !effects.isWrittenOnlyBy(tile, writers))
      continue;
    for (PlannedCopy *copy : copies) {
      if (copy->plan.hasMap() && !copy->plan.layout.moved)
        continue;
      CopyRelation relation = *copy->relation;
      relation.tile.paddingFrom = padding;
      if (std::optional<Plan> plan = planWithPadding(*copy, relation, file)) {
        copy->plan = std::move(*plan);
        copy->relation = std::make_shared<CopyRelation>(std::move(relation));
      }
    }
  }
}

} // namespace tilelift
