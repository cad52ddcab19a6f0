//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "writable/SplitCopies.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tilelift {
namespace {

/// The array that a copy fills, and what it copies from.
std::string describe(const CopyRelation &relation) {
  std::set<std::string> from;
  for (const Cell &cell : relation.cells)
    for (const Case &each : cell.cases)
      if (each.source->kind == Source::Kind::Load)
        from.insert(relation.bases[each.source->base].spelling);
  return relation.kernel + " " + relation.tile.name + " " + llvm::join(from, " ");
}

/// Whether one TMA instruction makes all of the statement's copy, and at least half of the bytes
/// that it moves are bytes that the program copies.
bool isWhole(const PlannedCopy &copy, const InstancePlan &instance) {
  int64_t asked = 0;
  for (const Cell &cell : copy.relation->cells)
    asked += cell.size;
  return copy.plan.pieces() == 1 && !copy.plan.gather &&
         copy.plan.expectedBytes.count() <= 2 * asked &&
         llvm::count_if(instance.copies, [&](const PlannedCopy &other) {
           return other.statement == copy.statement && other.path.sameText(copy.path);
         }) == 1;
}

} // namespace

CopyOutcomes outcomesOf(ArrayRef<ChosenPlan> kernels) {
  std::map<unsigned, std::set<std::string>> byStatement;
  for (const ChosenPlan &kernel : kernels)
    for (const CopyRelation &relation : kernel.planned.relations)
      byStatement[relation.place.offset].insert(describe(relation));
  CopyOutcomes outcomes;
  auto add = [&](const Directive &directive, bool isLifted, bool isWhole) {
    CopyOutcome &outcome = outcomes[directive.begin.offset];
    outcome.between = byStatement[directive.statement.offset];
    outcome.isLifted &= isLifted;
    outcome.isWhole &= isWhole;
  };
  for (const ChosenPlan &kernel : kernels) {
    const bool isWritten =
        kernel.writable && std::holds_alternative<WritableKernel>(*kernel.writable);
    for (const InstancePlan &instance : kernel.planned.plan.instances)
      for (const PlannedCopy &copy : instance.copies)
        add(*copy.directive, isWritten, isWritten && isWhole(copy, instance));
    for (const Directive *directive : kernel.planned.plan.plain)
      add(*directive, false, false);
  }
  return outcomes;
}

bool areWhole(const CopyOutcomes &outcomes) {
  return llvm::all_of(outcomes, [](const auto &each) { return each.second.isWhole; });
}

bool isNoneLifted(const KernelInstance &kernel, const CopyOutcomes &outcomes) {
  return llvm::none_of(kernel.statements, [&](const AnnotatedStatement &each) {
    auto found = outcomes.find(each.directive->begin.offset);
    return found != outcomes.end() && found->second.isLifted;
  });
}

bool liftsMore(const CopyOutcomes &now, const CopyOutcomes &before) {
  return llvm::any_of(now, [&](const auto &each) {
    auto known = before.find(each.first);
    return each.second.isLifted && (known == before.end() || !known->second.isLifted);
  });
}

std::vector<AdjacentLoads> splitCopies(ArrayRef<AdjacentLoads> adjacent,
                                       const CopyOutcomes &outcomes) {
  std::vector<AdjacentLoads> split;
  auto outcomeOf = [&](const Directive *directive) {
    auto found = outcomes.find(directive->begin.offset);
    return found == outcomes.end() ? CopyOutcome() : found->second;
  };
  for (const AdjacentLoads &run : adjacent)
    for (auto first = run.begin(); first != run.end();) {
      const CopyOutcome outcome = outcomeOf(*first);
      auto end = std::find_if(first + 1, run.end(), [&](const Directive *each) {
        return outcomeOf(each).between != outcome.between;
      });
      const bool isAllWhole =
          std::all_of(first, end, [&](const Directive *each) { return outcomeOf(each).isWhole; });
      if (end - first > 1 && !outcome.between.empty() && !isAllWhole)
        split.emplace_back(first, end);
      first = end;
    }
  return split;
}

bool eraseUnwhole(std::vector<AdjacentLoads> &runs, const CopyOutcomes &joined) {
  const size_t before = runs.size();
  llvm::erase_if(runs, [&](const AdjacentLoads &run) {
    auto found = joined.find(run.front()->begin.offset);
    return found == joined.end() || !found->second.isWhole;
  });
  return runs.size() != before;
}

} // namespace tilelift
