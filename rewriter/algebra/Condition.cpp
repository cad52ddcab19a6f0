//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "algebra/Condition.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace llvm;

namespace tilelift {
namespace {

/// Guards that people write have a handful of alternatives; past this the
/// algebra is not worth its time.
constexpr size_t maxAlternatives = 64;

bool isEverything(const Interval &range) { return range == Interval(); }

/// Both together, or nothing when they exclude each other.
std::optional<Conjunction> both(const Conjunction &a, const Conjunction &b) {
  Conjunction result;
  auto left = a.begin(), right = b.begin();
  while (left != a.end() || right != b.end()) {
    if (right == b.end() || (left != a.end() && left->value < right->value)) {
      result.push_back(*left++);
    } else if (left == a.end() || right->value < left->value) {
      result.push_back(*right++);
    } else {
      Interval range = intersection(left->range, right->range);
      if (range.isEmpty())
        return std::nullopt;
      result.push_back({left->value, range});
      ++left, ++right;
    }
  }
  return result;
}

/// Whether `a` holds whenever `b` does.
bool follows(const Conjunction &a, const Conjunction &b) {
  return std::all_of(a.begin(), a.end(), [&](const Bound &bound) {
    return std::any_of(b.begin(), b.end(), [&](const Bound &other) {
      return other.value == bound.value && bound.range.contains(other.range);
    });
  });
}

/// `a or b` as one conjunction, when they differ in one polynomial only and its
/// two intervals touch.
std::optional<Conjunction> merged(const Conjunction &a, const Conjunction &b) {
  if (a.size() != b.size())
    return std::nullopt;
  Conjunction result;
  bool differs = false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].value != b[i].value)
      return std::nullopt;
    Interval range = a[i].range;
    if (!(a[i].range == b[i].range)) {
      const Interval &low = a[i].range.low <= b[i].range.low ? a[i].range : b[i].range;
      const Interval &high = &low == &a[i].range ? b[i].range : a[i].range;
      if (differs || (low.high != Interval::highest && high.low > low.high + 1))
        return std::nullopt;
      differs = true;
      range = {low.low, std::max(low.high, high.high)};
    }
    if (!isEverything(range))
      result.push_back({a[i].value, range});
  }
  return result;
}

/// A hash of a polynomial that is linear: the hash of a sum is the sum of the hashes. Comparing
/// hashes first avoids building most of the sums that turn out to be different.
uint64_t imageOf(const Polynomial &value) {
  uint64_t sum = 0;
  for (const Term &term : value.getTerms())
    sum += uint64_t(term.coefficient) *
           size_t(llvm::hash_combine_range(term.factors.begin(), term.factors.end()));
  return sum;
}

/// Whether the bound `asked` follows from a conjunction: from one of its bounds alone, or from its
/// bound `given` and another one added together, as `x < b` follows from `a <= b` and `x < a`.
bool followsWith(const Bound &given, const Conjunction &all, const Bound &asked) {
  auto contains = [&](const Bound &each) {
    return each.value == asked.value && asked.range.contains(each.range);
  };
  if (llvm::any_of(all, contains))
    return true;
  const uint64_t whole = imageOf(asked.value), part = imageOf(given.value);
  return llvm::any_of(all, [&](const Bound &other) {
    const uint64_t rest = imageOf(other.value);
    auto isWithin = [&](const Interval &range) { return asked.range.contains(range); };
    if (whole == part + rest && asked.value == given.value + other.value)
      return isWithin(sum(given.range, other.range));
    if (whole == rest - part && asked.value == other.value - given.value)
      return isWithin(sum(opposite(given.range), other.range));
    return whole == part - rest && asked.value == given.value - other.value &&
           isWithin(sum(given.range, opposite(other.range)));
  });
}

/// Whether exactly one of two ranges holds of each number.
bool areOpposite(const Interval &a, const Interval &b) {
  const Interval &low = a.low == Interval::lowest ? a : b, &high = &low == &a ? b : a;
  return low.low == Interval::lowest && high.high == Interval::highest &&
         low.high != Interval::highest && high.low == low.high + 1;
}

Conjunction without(Conjunction all, size_t number) {
  all.erase(all.begin() + number);
  return all;
}

/// `a or b` as one conjunction, when they have opposite bounds on one polynomial and all other
/// bounds of each hold in the other one as well: of `a <= b && x < a || a > b && x < b`, which is
/// what `x < min(a, b)` says, `x < a && x < b` is left.
std::optional<Conjunction> joined(const Conjunction &a, const Conjunction &b) {
  for (auto own = a.begin(), other = b.begin(); own != a.end() && other != b.end();) {
    if (own->value != other->value) {
      ++(own->value < other->value ? own : other);
      continue;
    }
    auto holdsInA = [&](const Bound &each) { return &each == other || followsWith(*own, a, each); };
    auto holdsInB = [&](const Bound &each) { return &each == own || followsWith(*other, b, each); };
    if (areOpposite(own->range, other->range) && llvm::all_of(b, holdsInA) &&
        llvm::all_of(a, holdsInB))
      return both(without(a, own - a.begin()), without(b, other - b.begin()));
    ++own, ++other;
  }
  return std::nullopt;
}

Conjunction single(const Polynomial &value, Interval range) {
  Conjunction result;
  result.push_back({value, range});
  return result;
}

} // namespace

bool Bound::operator<(const Bound &other) const {
  if (value != other.value)
    return value < other.value;
  if (range.low != other.range.low)
    return range.low < other.range.low;
  return range.high < other.range.high;
}

std::optional<Polynomial> Bound::end(SymbolId symbol, bool isLast) const {
  auto own = llvm::find_if(value.getTerms(), [&](const Term &term) {
    return term.factors.size() == 1 && term.factors[0] == symbol && std::abs(term.coefficient) == 1;
  });
  if (own == value.getTerms().end())
    return std::nullopt;
  const bool isAdded = own->coefficient == 1;
  const int64_t limit = isAdded == isLast ? range.high : range.low;
  if (limit == Interval::lowest || limit == Interval::highest)
    return std::nullopt;
  Polynomial rest = value - Polynomial::ofTerm(*own);
  return isAdded ? Polynomial(limit) - rest : rest - Polynomial(limit);
}

std::optional<Polynomial> Bound::most(SymbolId symbol) const { return end(symbol, true); }

std::optional<Polynomial> Bound::least(SymbolId symbol) const { return end(symbol, false); }

ArrayRef<Conjunction> Condition::getAlternatives() const {
  static const Conjunction noBounds;
  if (bounds)
    return bounds->alternatives;
  return isAlways() ? ArrayRef<Conjunction>(noBounds) : ArrayRef<Conjunction>();
}

Condition Condition::ofBound(Bound bound) {
  if (!bound.value.isValid())
    return unknown();
  if (bound.range.isEmpty())
    return never();
  Polynomial symbolic = bound.value.withoutConstant();
  int64_t offset = bound.value.constantTerm();
  Interval range = bound.range;
  if (range.low != Interval::lowest && __builtin_sub_overflow(range.low, offset, &range.low))
    return unknown();
  if (range.high != Interval::highest && __builtin_sub_overflow(range.high, offset, &range.high))
    return unknown();
  if (symbolic.isZero())
    return range.low <= 0 && 0 <= range.high ? always() : never();
  if (symbolic.getTerms()[0].coefficient < 0) {
    symbolic = -symbolic;
    range = opposite(range);
  }
  return anyOf({single(symbolic, range)});
}

Condition Condition::notNegative(const Polynomial &value) {
  return ofBound({value, {0, Interval::highest}});
}

Condition Condition::zero(const Polynomial &value) { return ofBound({value, {0, 0}}); }

Condition Condition::within(const Polynomial &value, Interval range) {
  Polynomial units = value.withoutConstant();
  int64_t unit = 0;
  for (const Term &term : units.getTerms())
    unit = std::gcd(unit, term.coefficient);
  unit = std::max<int64_t>(unit, 1);
  units = units.dividedBy(unit).value_or(units);
  const int64_t constant = value.constantTerm();
  Condition result = always();
  int64_t limit = 0;
  if (range.low != Interval::lowest && !SubOverflow(range.low, constant, limit))
    result = result && notNegative(units - Polynomial(divideCeilSigned(limit, unit)));
  if (range.high != Interval::highest && !SubOverflow(range.high, constant, limit))
    result = result && notNegative(Polynomial(divideFloorSigned(limit, unit)) - units);
  return result;
}

Condition Condition::operator&&(const Condition &other) const {
  if (isNever() || other.isNever())
    return never();
  if (isUnknown() || other.isUnknown())
    return unknown();
  if (isAlways())
    return other;
  if (other.isAlways())
    return *this;
  Alternatives result;
  for (const Conjunction &a : getAlternatives())
    for (const Conjunction &b : other.getAlternatives())
      if (std::optional<Conjunction> conjunction = both(a, b))
        result.push_back(std::move(*conjunction));
  return anyOf(std::move(result));
}

Condition Condition::operator||(const Condition &other) const {
  if (isAlways() || other.isAlways())
    return always();
  if (isUnknown() || other.isUnknown())
    return unknown();
  if (isNever())
    return other;
  if (other.isNever())
    return *this;
  Alternatives result(getAlternatives());
  llvm::append_range(result, other.getAlternatives());
  return anyOf(std::move(result));
}

Condition Condition::operator!() const {
  if (!bounds)
    return isUnknown() ? unknown() : isAlways() ? never() : always();
  if (!bounds->negation)
    bounds->negation = std::make_shared<const Condition>(negated());
  return *bounds->negation;
}

Condition Condition::negated() const {
  Condition result = always();
  for (const Conjunction &conjunction : getAlternatives()) {
    Alternatives negated;
    for (const Bound &bound : conjunction) {
      if (bound.range.low != Interval::lowest)
        negated.push_back(single(bound.value, {Interval::lowest, bound.range.low - 1}));
      if (bound.range.high != Interval::highest)
        negated.push_back(single(bound.value, {bound.range.high + 1, Interval::highest}));
    }
    result = result && anyOf(std::move(negated));
  }
  return result;
}

Condition Condition::possible(const Symbols &symbols) const {
  auto isImpossible = [&](const Conjunction &conjunction) {
    return llvm::any_of(conjunction, [&](const Bound &bound) {
      return intersection(bound.range, symbols.rangeOf(bound.value)).isEmpty();
    });
  };
  if (!bounds || llvm::none_of(bounds->alternatives, isImpossible))
    return *this;
  Alternatives rest = bounds->alternatives;
  llvm::erase_if(rest, isImpossible);
  return rest.empty() ? never() : ofAlternatives(std::move(rest));
}

size_t Condition::countBounds() const {
  size_t count = 0;
  for (const Conjunction &conjunction : getAlternatives())
    count += conjunction.size();
  return count;
}

Condition Condition::ofAlternatives(Alternatives alternatives) {
  Condition result(Kind::Bounds);
  result.bounds = std::make_shared<const Bounds>(Bounds{std::move(alternatives), nullptr});
  return result;
}

Condition Condition::anyOf(Alternatives alternatives) {
  Alternatives kept;
  for (Conjunction &next : alternatives) {
    bool isNews = true;
    for (size_t i = 0; i < kept.size() && isNews;) {
      isNews = !follows(kept[i], next);
      std::optional<Conjunction> one;
      if (isNews && !follows(next, kept[i]) && !(one = merged(kept[i], next)) &&
          !(one = joined(kept[i], next))) {
        ++i;
      } else if (isNews) {
        kept.erase(kept.begin() + i);
        if (one) { // others may follow from it, or merge with it
          next = std::move(*one);
          i = 0;
        }
      }
    }
    if (isNews)
      kept.push_back(std::move(next));
  }
  if (kept.empty())
    return never();
  if (kept.size() == 1 && kept[0].empty())
    return always();
  if (kept.size() > maxAlternatives)
    return unknown();
  llvm::sort(kept, [](const Conjunction &a, const Conjunction &b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  });
  return ofAlternatives(std::move(kept));
}

Interval Condition::rangeOf(const Polynomial &number) const {
  Interval range;
  const Conjunction *bounds = asConjunction();
  for (const Bound &bound : bounds ? *bounds : Conjunction()) {
    std::optional<int64_t> ahead = (number - bound.value).asConstant();
    if (ahead && bound.range.low != Interval::lowest)
      range.low = std::max(range.low, bound.range.low + *ahead);
    if (ahead && bound.range.high != Interval::highest)
      range.high = std::min(range.high, bound.range.high + *ahead);
  }
  return range;
}

std::string print(const Bound &bound, const Symbols &symbols) {
  std::string text = symbols.print(bound.value);
  if (bound.range.low == bound.range.high)
    return text + " == " + std::to_string(bound.range.low);
  std::string both;
  if (bound.range.low != Interval::lowest)
    both = text + " >= " + std::to_string(bound.range.low);
  if (bound.range.high != Interval::highest)
    both += (both.empty() ? "" : " && ") + text + " <= " + std::to_string(bound.range.high);
  return both;
}

std::string Condition::print(const Symbols &symbols, size_t longest) const {
  if (isUnknown())
    return "unknown";
  if (isNever())
    return "never";
  if (isAlways())
    return "always";
  std::string text;
  size_t left = countBounds();
  for (const Conjunction &conjunction : getAlternatives())
    for (const Bound &bound : conjunction) {
      const std::string join = text.empty() ? "" : &bound == conjunction.begin() ? " || " : " && ";
      const std::string more = join + tilelift::print(bound, symbols);
      if (!text.empty() && text.size() + more.size() > longest)
        return text + join + "... (" + std::to_string(left) + " more)";
      text += more;
      --left;
    }
  return text;
}

} // namespace tilelift
