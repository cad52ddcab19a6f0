//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "relation/RowChoices.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <numeric>

using namespace llvm;

namespace tilelift {
namespace {

/// More of them would make formulas that nobody reads, and that take longer than the loop.
constexpr size_t mostLoads = 3, mostAlternatives = 3, mostTerms = 8;

/// 1 if the comparison holds, and 0 if it does not. The value is one that 64 bits hold.
Polynomial compared(const Polynomial &value, const char *op, int64_t with, Symbols &symbols) {
  return symbols.computed({op, value, Polynomial(with), /*isInt=*/false},
                          symbols.print(value, op, Polynomial(with)), {0, 1});
}

/// The number that is left out where one of two bounds holds: -1 of `x <= -2 || x >= 0`.
std::optional<int64_t> leftOut(const Bound &a, const Bound &b) {
  if (!(a.value == b.value))
    return std::nullopt;
  const auto [below, above] =
      std::minmax(a.range, b.range, [](Interval x, Interval y) { return x.low < y.low; });
  const bool isOne = below.high < Interval::highest - 2 && above.low == below.high + 2;
  return isOne ? std::optional(below.high + 1) : std::nullopt;
}

Condition allOf(ArrayRef<Bound> bounds) {
  Condition all = Condition::always();
  for (const Bound &bound : bounds)
    all = all && Condition::within(bound.value, bound.range);
  return all;
}

/// The alternatives under which a bound holds, without that bound; nothing if some alternative has
/// neither that bound nor the other one.
std::optional<std::array<std::vector<Conjunction>, 2>>
splitBy(ArrayRef<Conjunction> alternatives, const Bound &one, const Bound &other) {
  std::array<std::vector<Conjunction>, 2> parts;
  for (const Conjunction &each : alternatives) {
    Conjunction rest;
    std::optional<unsigned> part;
    for (const Bound &bound : each)
      if (bound == one || bound == other)
        part = bound == one ? 0 : 1;
      else
        rest.push_back(bound);
    if (!part)
      return std::nullopt;
    parts[*part].push_back(std::move(rest));
  }
  return parts;
}

/// The same condition with one comparison less of the alternatives: `x != -1` as one bound. Nothing
/// if there is no such comparison in it.
std::optional<Condition> withoutOneHole(const Condition &condition, Symbols &symbols) {
  const ArrayRef<Conjunction> alternatives = condition.getAlternatives();
  if (alternatives.size() < 2)
    return std::nullopt;
  for (const Bound &one : alternatives.front())
    for (const Conjunction &each : llvm::drop_begin(alternatives))
      for (const Bound &other : each) {
        const std::optional<int64_t> hole =
            symbols.mayOverflow(one.value) ? std::nullopt : leftOut(one, other);
        const auto parts = hole ? splitBy(alternatives, one, other) : std::nullopt;
        if (!parts || (*parts)[0].size() != (*parts)[1].size() ||
            !std::is_permutation((*parts)[0].begin(), (*parts)[0].end(), (*parts)[1].begin()))
          continue;
        Condition rest = Condition::never();
        for (const Conjunction &own : (*parts)[0])
          rest = rest || allOf(own);
        const Interval both{std::min(one.range.low, other.range.low),
                            std::max(one.range.high, other.range.high)};
        return rest && Condition::within(one.value, both) &&
               Condition::within(compared(one.value, "!=", *hole, symbols), {1, Interval::highest});
      }
  return std::nullopt;
}

class ChoiceMerger {
public:
  explicit ChoiceMerger(const CopyRelation &relation) : result(relation) {}

  std::optional<CopyRelation> run();

private:
  bool merge(Cell &cell);
  bool isOfLookups(const Condition &guard) const;
  Polynomial holds(const Bound &bound);
  Polynomial asOneNumber(const Polynomial &chosen, Interval range);
  Polynomial holds(const Conjunction &all);
  Polynomial holds(const Condition &condition);
  Condition asConjunction(const Condition &condition);
  /// Returns the number, and notes if computing it in 64 bits may overflow.
  const Polynomial &computing(const Polynomial &number) {
    mayOverflow |= result.symbols.mayOverflow(number);
    return number;
  }

  CopyRelation result;
  /// Whether some formula of the merged relation may overflow 64 bits.
  bool mayOverflow = false;
  bool isChanged = false;
};

bool ChoiceMerger::isOfLookups(const Condition &guard) const {
  return llvm::any_of(guard.getAlternatives(), [&](const Conjunction &all) {
    return llvm::any_of(
        all, [&](const Bound &bound) { return !result.symbols.lookupsFor(bound.value).empty(); });
  });
}

Polynomial ChoiceMerger::holds(const Bound &bound) {
  const Polynomial &value = computing(bound.value);
  if (bound.range.low == bound.range.high)
    return compared(value, "==", bound.range.low, result.symbols);
  Polynomial both(1);
  if (bound.range.low != Interval::lowest)
    both *= compared(value, ">=", bound.range.low, result.symbols);
  if (bound.range.high != Interval::highest)
    both *= compared(value, "<=", bound.range.high, result.symbols);
  return both;
}

Polynomial ChoiceMerger::holds(const Conjunction &all) {
  Polynomial product(1);
  for (const Bound &bound : all)
    product *= holds(bound);
  return product;
}

/// The bounds that all alternatives have stay bounds; the others become one number that is at least
/// 1 where one of them holds.
Condition ChoiceMerger::asConjunction(const Condition &condition) {
  const ArrayRef<Conjunction> alternatives = condition.getAlternatives();
  if (alternatives.size() < 2)
    return condition;
  Conjunction common;
  for (const Bound &bound : alternatives.front())
    if (llvm::all_of(alternatives,
                     [&](const Conjunction &each) { return llvm::is_contained(each, bound); }))
      common.push_back(bound);
  Condition rest = Condition::never();
  for (Conjunction each : alternatives) {
    llvm::erase_if(each, [&](const Bound &bound) { return llvm::is_contained(common, bound); });
    rest = rest || allOf(each);
  }
  return allOf(common) && Condition::within(holds(rest), {1, Interval::highest});
}

Polynomial ChoiceMerger::holds(const Condition &condition) {
  const ArrayRef<Conjunction> alternatives = condition.getAlternatives();
  if (alternatives.size() == 1)
    return holds(alternatives[0]);
  Polynomial none(1);
  for (const Conjunction &each : alternatives)
    none *= Polynomial(1) - holds(each);
  return Polynomial(1) - none;
}

/// The terms that the places of all loads have, and the constant of the first one: the constants
/// may say which column of a row it is, and have to leave nothing of that.
static Polynomial commonOf(ArrayRef<Case> loads) {
  const Polynomial &first = loads.front().source->offset;
  Polynomial common(first.constantTerm());
  for (const Term &term : first.withoutConstant().getTerms())
    if (llvm::all_of(loads, [&](const Case &each) {
          return llvm::is_contained(each.source->offset.getTerms(), term);
        }))
      common += Polynomial::ofTerm(term);
  return common;
}

/// A choice as one number, times what all of its terms have: of the rows of a tensor, the row's
/// number times the distance between two rows.
Polynomial ChoiceMerger::asOneNumber(const Polynomial &chosen, Interval range) {
  const ArrayRef<Term> terms = chosen.getTerms();
  if (terms.size() < 2)
    return chosen;
  Term factor = terms.front();
  for (const Term &each : terms) {
    factor.coefficient = std::gcd(factor.coefficient, each.coefficient);
    SmallVector<SymbolId, 4> left(each.factors.begin(), each.factors.end());
    llvm::erase_if(factor.factors, [&](SymbolId id) {
      auto *found = llvm::find(left, id);
      const bool isThere = found != left.end();
      if (isThere)
        left.erase(found);
      return !isThere;
    });
  }
  Polynomial number;
  for (Term each : terms) {
    each.coefficient /= factor.coefficient;
    for (SymbolId id : factor.factors)
      each.factors.erase(llvm::find(each.factors, id));
    number += Polynomial::ofTerm(each);
  }
  if (factor.factors.empty()) // else nobody knows how far it goes
    range = {range.low == Interval::lowest ? range.low : range.low / factor.coefficient,
             range.high == Interval::highest ? range.high : range.high / factor.coefficient};
  else
    range = {};
  const Polynomial one =
      result.symbols.computed({"+", computing(number), Polynomial(), /*isInt=*/false},
                              result.symbols.print(number, "+", Polynomial()), range);
  return Polynomial::ofTerm(factor) * one;
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
  for (Case &each : loads) {
    Source moved = *each.source;
    moved.offset = loads[0].source->offset;
    any = any || each.guard;
    each.guard = withoutHoles(std::move(each.guard), result.symbols);
    if (!moved.sameValue(*loads[0].source) || each.guard.isUnknown() || !isOfLookups(each.guard) ||
        each.guard.getAlternatives().size() > mostAlternatives)
      return false;
  }
  any = withoutHoles(std::move(any), result.symbols);
  if (loads.size() > mostLoads || others.size() > 1 || any.isUnknown() ||
      any.getAlternatives().size() > mostAlternatives)
    return false;
  // The longest guard need not be asked: its case is what is left.
  llvm::stable_sort(loads, [](const Case &a, const Case &b) {
    return a.guard.countBounds() > b.guard.countBounds();
  });
  Case merged = loads[0];
  const Polynomial common = commonOf(loads);
  Polynomial chosen = loads[0].source->offset - common;
  Interval range = result.symbols.rangeOf(chosen);
  for (const Case &each : llvm::drop_begin(loads)) {
    const Polynomial own = each.source->offset - common;
    chosen += holds(each.guard) * (own - chosen);
    const Interval more = result.symbols.rangeOf(own);
    range = {std::min(range.low, more.low), std::max(range.high, more.high)};
    addNeeds(merged.needs, each.needs);
  }
  if (chosen.getTerms().size() > mostTerms)
    return false;
  merged.source.edit().offset = common + asOneNumber(chosen, range);
  merged.guard = asConjunction(any);
  cell.cases = {merged};
  isChanged = true;
  if (!others.empty()) {
    others[0].guard = !merged.guard;
    cell.cases.push_back(others[0]);
  }
  return !mayOverflow;
}

std::optional<CopyRelation> ChoiceMerger::run() {
  const bool isMerged = llvm::all_of(result.cells, [&](Cell &cell) { return merge(cell); });
  return isMerged && isChanged ? std::optional(std::move(result)) : std::nullopt;
}

} // namespace

Condition withoutHoles(Condition condition, Symbols &symbols) {
  while (std::optional<Condition> less = withoutOneHole(condition, symbols))
    condition = std::move(*less);
  return condition;
}

std::optional<CopyRelation> withoutRowChoices(const CopyRelation &relation) {
  return ChoiceMerger(relation).run();
}

} // namespace tilelift
