//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "relation/RowChoices.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilelift {
namespace {

/// More of them would make formulas that nobody reads, and that take longer than the loop.
constexpr size_t mostLoads = 3, mostAlternatives = 3, mostTerms = 16;

class ChoiceMerger {
public:
  explicit ChoiceMerger(const CopyRelation &relation) : result(relation) {}

  std::optional<CopyRelation> run();

private:
  bool merge(Cell &cell);
  bool isOfLookups(const Condition &guard) const;
  Polynomial compared(const Polynomial &value, const char *op, int64_t with);
  Polynomial holds(const Bound &bound);
  Polynomial holds(const Conjunction &all);
  Polynomial holds(const Condition &condition);

  CopyRelation result;
};

bool ChoiceMerger::isOfLookups(const Condition &guard) const {
  return llvm::any_of(guard.getAlternatives(), [&](const Conjunction &all) {
    return llvm::any_of(
        all, [&](const Bound &bound) { return !result.symbols.lookupsFor(bound.value).empty(); });
  });
}

/// 1 if the comparison holds, and 0 if it does not.
Polynomial ChoiceMerger::compared(const Polynomial &value, const char *op, int64_t with) {
  return result.symbols.computed({op, value, Polynomial(with), /*isInt=*/false},
                                 result.symbols.print(value, op, Polynomial(with)), {0, 1});
}

Polynomial ChoiceMerger::holds(const Bound &bound) {
  if (bound.range.low == bound.range.high)
    return compared(bound.value, "==", bound.range.low);
  Polynomial both(1);
  if (bound.range.low != Interval::lowest)
    both *= compared(bound.value, ">=", bound.range.low);
  if (bound.range.high != Interval::highest)
    both *= compared(bound.value, "<=", bound.range.high);
  return both;
}

Polynomial ChoiceMerger::holds(const Conjunction &all) {
  Polynomial product(1);
  for (const Bound &bound : all)
    product *= holds(bound);
  return product;
}

/// The number that is left out where two conjunctions are each one bound, and together leave out
/// one number: -1 of `x <= -2 || x >= 0`.
std::optional<int64_t> leftOut(ArrayRef<Conjunction> alternatives) {
  if (alternatives.size() != 2 || alternatives[0].size() != 1 || alternatives[1].size() != 1 ||
      !(alternatives[0][0].value == alternatives[1][0].value))
    return std::nullopt;
  Interval below = alternatives[0][0].range, above = alternatives[1][0].range;
  if (below.low != Interval::lowest)
    std::swap(below, above);
  const bool isOne = below.low == Interval::lowest && above.high == Interval::highest &&
                     below.high < Interval::highest - 2 && above.low == below.high + 2;
  return isOne ? std::optional(below.high + 1) : std::nullopt;
}

Polynomial ChoiceMerger::holds(const Condition &condition) {
  const ArrayRef<Conjunction> alternatives = condition.getAlternatives();
  if (std::optional<int64_t> without = leftOut(alternatives))
    return compared(alternatives[0][0].value, "!=", *without);
  if (alternatives.size() == 1)
    return holds(alternatives[0]);
  Polynomial none(1);
  for (const Conjunction &each : alternatives)
    none *= Polynomial(1) - holds(each);
  return Polynomial(1) - none;
}

/// Makes one load of the cell's loads. Returns false if that cannot be done.
bool ChoiceMerger::merge(Cell &cell) {
  SmallVector<Case, 2> loads, others;
  for (const Case &each : cell.cases)
    (each.source->kind == Source::Kind::Load ? loads : others).push_back(each);
  const bool isOne = loads.empty() || (loads.size() == 1 && loads[0].guard.asConjunction());
  if (isOne)
    return true;
  Condition any = Condition::never();
  for (const Case &each : loads) {
    Source moved = *each.source;
    moved.offset = loads[0].source->offset;
    if (!moved.sameValue(*loads[0].source) || each.guard.isUnknown() || !isOfLookups(each.guard) ||
        each.guard.getAlternatives().size() > mostAlternatives)
      return false;
    any = any || each.guard;
  }
  if (loads.size() > mostLoads || others.size() > 1 || any.isUnknown() ||
      any.getAlternatives().size() > mostAlternatives)
    return false;
  // The longest guard need not be asked: its case is what is left.
  llvm::stable_sort(loads, [](const Case &a, const Case &b) {
    return a.guard.countBounds() > b.guard.countBounds();
  });
  Case merged = loads[0];
  Polynomial offset = merged.source->offset;
  for (const Case &each : llvm::drop_begin(loads)) {
    offset += holds(each.guard) * (each.source->offset - offset);
    addNeeds(merged.needs, each.needs);
  }
  if (offset.getTerms().size() > mostTerms)
    return false;
  merged.source.edit().offset = offset;
  merged.guard = any.asConjunction() || any.isAlways()
                     ? any
                     : Condition::within(holds(any), {1, Interval::highest});
  cell.cases = {merged};
  if (!others.empty()) {
    others[0].guard = !merged.guard;
    cell.cases.push_back(others[0]);
  }
  return true;
}

std::optional<CopyRelation> ChoiceMerger::run() {
  bool isMerged = false;
  for (Cell &cell : result.cells) {
    const size_t before = cell.cases.size();
    const Case *load = cell.onlyLoad();
    isMerged |= before > 1 && !(load && load->guard.asConjunction());
    if (!merge(cell))
      return std::nullopt;
  }
  return isMerged ? std::optional(std::move(result)) : std::nullopt;
}

} // namespace

std::optional<CopyRelation> withoutRowChoices(const CopyRelation &relation) {
  return ChoiceMerger(relation).run();
}

} // namespace tilelift
