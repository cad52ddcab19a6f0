//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Needs.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace llvm;

namespace tilelift {
namespace {

using Digits = SmallVector<int64_t, 5>;

/// What one place of the program needs of each load: a value in a range.
struct Family {
  Interval within;
  Place place;
  std::vector<std::pair<Digits, Polynomial>> values;
};

/// A value that grows evenly: origin + sum of slope * (digit - least digit).
struct Even {
  Polynomial origin;
  std::vector<Polynomial> slopes;
  Digits least, most;
};

bool isPositiveMultiple(const Polynomial &a, const Polynomial &b) {
  ArrayRef<Term> left = a.getTerms(), right = b.getTerms();
  if (left.empty() || left.size() != right.size())
    return false;
  __int128 over = left[0].coefficient, under = right[0].coefficient;
  return over * under > 0 &&
         std::equal(left.begin(), left.end(), right.begin(), [&](const Term &x, const Term &y) {
           return x.factors == y.factors && x.coefficient * under == y.coefficient * over;
         });
}

class Needed {
public:
  Needed(const CopyRelation &relation, const TileShape &shape, ArrayRef<DigitEnds> ends,
         bool stridesAreChecked)
      : relation(relation), shape(shape), ends(ends), stridesAreChecked(stridesAreChecked) {}

  std::vector<Requirement> run() {
    collect();
    for (const auto &entry : families) {
      const Family &family = entry.second;
      if (!llvm::all_of(family.values, [&](const auto &each) {
            return relation.symbols.isAlwaysWithin(each.second, family.within);
          }))
        add(family);
    }
    return withoutImplied(std::move(result));
  }

private:
  void collect();
  void add(const Family &family);
  std::optional<Even> even(const Family &family) const;
  std::optional<bool> grows(const Polynomial &slope, size_t digit) const;
  std::optional<Polynomial> extreme(const Even &even, bool highest) const;
  void boundByGuard(std::vector<Polynomial> &bounds, size_t digit, int64_t place,
                    bool highest) const;

  const CopyRelation &relation;
  const TileShape &shape;
  ArrayRef<DigitEnds> ends;
  const bool stridesAreChecked;
  std::map<std::tuple<int64_t, int64_t, unsigned>, Family> families;
  std::vector<Requirement> result;
};

void Needed::collect() {
  for (const Cell &cell : relation.cells) {
    Digits digits = shape.digitsAt(Bytes(cell.offset));
    for (const Case &each : cell.cases) {
      if (each.source->kind != Source::Kind::Load)
        continue;
      for (unsigned id : each.needs) {
        const Requirement &need = relation.needs[id];
        Family &family = families[{need.within.low, need.within.high, need.place.offset}];
        family.within = need.within;
        family.place = need.place;
        family.values.push_back({digits, need.value});
      }
    }
  }
}

/// The value as a function of the digits, if it is an even one.
std::optional<Even> Needed::even(const Family &family) const {
  Even result;
  result.least = result.most = family.values[0].first;
  std::map<Digits, const Polynomial *> at;
  for (const auto &[digits, value] : family.values) {
    at[digits] = &value;
    for (size_t d = 0; d < digits.size(); ++d) {
      result.least[d] = std::min(result.least[d], digits[d]);
      result.most[d] = std::max(result.most[d], digits[d]);
    }
  }
  auto valueAt = [&](const Digits &digits) {
    auto found = at.find(digits);
    return found == at.end() ? nullptr : found->second;
  };
  const Polynomial *corner = valueAt(result.least);
  if (!corner)
    return std::nullopt;
  result.origin = *corner;
  for (size_t d = 0; d < result.least.size(); ++d) {
    Digits following = result.least;
    ++following[d];
    const Polynomial *next = result.most[d] > result.least[d] ? valueAt(following) : corner;
    if (!next)
      return std::nullopt;
    result.slopes.push_back(*next - *corner);
  }
  for (const auto &[digits, value] : family.values) {
    Polynomial expected = result.origin;
    for (size_t d = 0; d < digits.size(); ++d)
      expected += result.slopes[d] * Polynomial(digits[d] - result.least[d]);
    if (expected != value)
      return std::nullopt;
  }
  return result;
}

/// Whether a value grows with a digit or shrinks, if that is known. The strides of
/// a tensor map are not negative: a rule of its own.
std::optional<bool> Needed::grows(const Polynomial &slope, size_t digit) const {
  const Interval range = relation.symbols.rangeOf(slope);
  const Polynomial &stride = shape.digits[digit].stride.count();
  if (range.low >= 0)
    return true;
  if (range.high <= 0)
    return false;
  if (stridesAreChecked && isPositiveMultiple(slope, stride))
    return true;
  if (stridesAreChecked && isPositiveMultiple(-slope, stride))
    return false;
  return std::nullopt;
}

/// A value of a single place in a digit is needed only where the guard lets that place through:
/// where `first` is at it or before it, and `last` at it or behind it. Any multiple of how far may
/// be added that makes the need stronger there; one is tried that cancels what is not known of the
/// value.
void Needed::boundByGuard(std::vector<Polynomial> &bounds, size_t digit, int64_t place,
                          bool highest) const {
  std::vector<Polynomial> more;
  auto add = [&](const std::optional<Polynomial> &end, bool isFirst) {
    if (!end || end->isConstant())
      return;
    const Polynomial distance = *end - Polynomial(place), unknown = distance.withoutConstant();
    for (const Polynomial &bound : bounds) {
      const auto [quotient, rest] = divide(bound, unknown);
      std::optional<int64_t> times = quotient.asConstant();
      if (times && rest.isConstant() && *times != 0 && (*times > 0) == (isFirst == highest))
        more.push_back(bound - distance * Polynomial(*times));
    }
  };
  add(ends[digit].first, true);
  add(ends[digit].last, false);
  llvm::append_range(bounds, more);
}

/// The least or greatest value in the box. Each digit ends at the box's end, and
/// where the guard ends it; of all such bounds, the one with the fewest terms.
std::optional<Polynomial> Needed::extreme(const Even &even, bool highest) const {
  std::vector<Polynomial> bounds{even.origin};
  for (size_t d = 0; d < even.slopes.size(); ++d) {
    if (even.slopes[d].isZero() && even.least[d] == even.most[d])
      boundByGuard(bounds, d, even.least[d], highest);
    if (even.slopes[d].isZero())
      continue;
    std::optional<bool> growing = grows(even.slopes[d], d);
    if (!growing)
      return std::nullopt;
    bool atLast = *growing == highest;
    SmallVector<Polynomial, 2> stops{Polynomial(atLast ? even.most[d] : even.least[d])};
    if (std::optional<Polynomial> end = atLast ? ends[d].last : ends[d].first)
      stops.push_back(*end);
    std::vector<Polynomial> longer;
    for (const Polynomial &bound : bounds)
      for (const Polynomial &stop : stops)
        longer.push_back(bound + even.slopes[d] * (stop - Polynomial(even.least[d])));
    bounds = std::move(longer);
  }
  return *std::min_element(bounds.begin(), bounds.end(),
                           [](const Polynomial &a, const Polynomial &b) {
                             return a.getTerms().size() < b.getTerms().size();
                           });
}

void Needed::add(const Family &family) {
  std::optional<Even> form = even(family);
  std::optional<Polynomial> lowest, highest;
  if (form) {
    lowest = extreme(*form, false);
    highest = extreme(*form, true);
  }
  if (!lowest || !highest) { // each for itself
    for (const auto &[digits, value] : family.values)
      result.push_back({value, family.within, family.place});
    return;
  }
  if (family.within.low != Interval::lowest)
    result.push_back({*lowest, {family.within.low, Interval::highest}, family.place});
  if (family.within.high != Interval::highest)
    result.push_back({*highest, {Interval::lowest, family.within.high}, family.place});
}

} // namespace

std::vector<Requirement> requirementsOfLoads(const CopyRelation &relation, const TileShape &shape,
                                             ArrayRef<DigitEnds> ends, bool stridesAreChecked) {
  return Needed(relation, shape, ends, stridesAreChecked).run();
}

} // namespace tilelift
