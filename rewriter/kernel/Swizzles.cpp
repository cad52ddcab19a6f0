//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/Swizzles.h"

#include "facts/WarpAccesses.h"
#include "kernel/Sizes.h"
#include "kernel/Statements.h"
#include "plan/BankConflicts.h"

#include "llvm/ADT/MapVector.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// The plans of all copies of a tile with a swizzle, if each of them has one, and if it is as good
/// as the plan without: no more is asked before the copy.
std::optional<std::vector<Plan>> plansWith(swizzle_mode swizzle,
                                           ArrayRef<const PlannedCopy *> copies, bool asGood,
                                           const Device &device) {
  std::vector<Plan> plans;
  for (const PlannedCopy *copy : copies) {
    const Plan &own = copy->plan;
    bool hasOne = own.layout.swizzle != swizzle_mode::none && !own.layout.moved;
    bool mayHaveOne = !hasOne && copy->relation->tile.layoutEscape.empty();
    if (!mayHaveOne)
      return std::nullopt;
    FitOptions options = fitOptionsOf(*copy->directive, device);
    options.swizzle = swizzle;
    auto fitted = fit(*copy->relation, options);
    Plan *plan = std::get_if<Plan>(&fitted);
    bool hasPlan = plan && options.canBeSpelled(*plan) && plan->hasMap();
    if (!hasPlan || (asGood && (plan->copyChecks.size() != copy->plan.copyChecks.size() ||
                                plan->isByFours() != copy->plan.isByFours())))
      return std::nullopt;
    plans.push_back(std::move(*plan));
  }
  return plans;
}

/// Where one copy of a tile says how it is swizzled, others that leave it open do the same: with
/// another layout, none of them would lift.
void adoptSwizzle(ArrayRef<PlannedCopy *> copies, const Device &device) {
  std::optional<swizzle_mode> asked;
  std::vector<PlannedCopy *> open;
  for (PlannedCopy *copy : copies) {
    std::optional<swizzle_mode> own = copy->directive->clauses.swizzle;
    if (own && !asked)
      asked = own;
    if (!own)
      open.push_back(copy);
  }
  if (!asked || asked == swizzle_mode::none || open.empty())
    return;
  if (std::optional<std::vector<Plan>> plans = plansWith(*asked, open, /*asGood=*/false, device))
    for (size_t i = 0; i < open.size(); ++i)
      open[i]->plan = std::move((*plans)[i]);
}

/// Whether the plans fit into a block as they stand; they stay what they are.
bool hasRoom(InstancePlan &instance, const KernelSizes &sizes) {
  SmallVector<TilePlan, 4> copies = tilePlansOf(instance);
  std::vector<Plan> plans;
  for (const TilePlan &copy : copies)
    plans.push_back(*copy.plan);
  for (size_t i = 0; i < copies.size(); ++i)
    copies[i].plan = &plans[i];
  return !fitTogether(copies, sizes);
}

using CopiesOfTile = SmallVector<PlannedCopy *, 2>;

/// The plans of a tile's copies with each swizzle that they may have, if nothing says which.
std::vector<std::vector<Plan>> swizzlesFor(const CopiesOfTile &copies, const FileFacts &file) {
  std::vector<std::vector<Plan>> choices;
  for (swizzle_mode mode : {swizzle_mode::b128, swizzle_mode::b64, swizzle_mode::b32}) {
    auto plans =
        plansWith(mode, {copies.begin(), copies.end()}, /*asGood=*/true, file.selection.device);
    // Rows are cut where they are too long for every swizzle.
    if (plans && (mode == swizzle_mode::b128 || plans->front().layout.panel == Bytes()))
      choices.push_back(std::move(*plans));
  }
  return choices;
}

void exchange(const CopiesOfTile &copies, std::vector<Plan> &plans) {
  for (size_t i = 0; i < copies.size(); ++i)
    std::swap(copies[i]->plan, plans[i]);
}

/// A thread that goes along a column of a transposed tile finds the elements one behind the other,
/// and the compiler has it read several at once. A swizzle puts an end to that.
double costOfSwizzle(const Plan &plan) { return plan.layout.transposed ? 2 : 1; }

/// Takes the choice with which the accesses of warps have the fewest bank conflicts.
void takeBest(const CopiesOfTile &copies, std::vector<std::vector<Plan>> choices,
              const std::vector<WarpAccess> &accesses, InstancePlan &instance,
              const KernelSizes &sizes) {
  double passes = passesAsPlanned(accesses, copies[0]->plan);
  for (std::vector<Plan> &plans : choices) {
    const double fewer = passesAsPlanned(accesses, plans.front());
    // Where longer rows have to be brought, as much is to be gained.
    const double cost = fewer * costOfSwizzle(copies[0]->plan);
    const bool isBetter =
        cost < passes - 0.01 && cost * double(plans.front().expectedBytes.count()) <
                                    passes * double(copies[0]->plan.expectedBytes.count());
    if (!isBetter)
      continue;
    const bool hadRoom = hasRoom(instance, sizes);
    exchange(copies, plans);
    // Nobody asked for rows so long that the tile has no room.
    if (hadRoom && !hasRoom(instance, sizes))
      exchange(copies, plans);
    else
      passes = fewer;
  }
  copies[0]->plan.passes = passes;
  copies[0]->plan.passesBefore = passesAsDeclared(accesses);
}

} // namespace

void chooseSwizzles(InstancePlan &instance, const FileFacts &file) {
  MapVector<const VarDecl *, CopiesOfTile> byTile;
  SmallVector<const Stmt *, 4> annotated;
  for (PlannedCopy &copy : instance.copies) {
    byTile[copy.tile].push_back(&copy);
    annotated.push_back(copy.statement);
  }
  const KernelSizes sizes = sizesOf(instance.function, file.effects);
  std::optional<AccessesByTile> accesses;
  for (auto &[tile, copies] : byTile) {
    adoptSwizzle(copies, file.selection.device);
    const bool isAuto = llvm::none_of(copies, [](const PlannedCopy *copy) {
      return copy->directive->clauses.swizzle.has_value();
    });
    std::vector<std::vector<Plan>> choices;
    if (isAuto)
      choices = swizzlesFor(copies, file);
    if (choices.empty() && isAuto && !copies[0]->plan.layout.transposed)
      continue;
    if (!accesses) { // that takes a while
      VariableFacts facts(copies[0]->path);
      const KernelEffects &own = file.effects.of(instance.function);
      Uniformity uniformity(facts, own, copies[0]->path);
      accesses = accessesOfWarps(
          {file.context, copies[0]->path, facts, own, uniformity, instance.block}, annotated);
    }
    takeBest(copies, std::move(choices), (*accesses)[tile], instance, sizes);
  }
}

} // namespace tilelift
