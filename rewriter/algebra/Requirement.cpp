//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "algebra/Requirement.h"

#include <algorithm>
#include <set>

using namespace llvm;

namespace tilelift {
namespace {

/// The same symbols with other constants: one interval serves all.
std::vector<Requirement> joined(const std::vector<Requirement> &requirements) {
  std::map<Polynomial, size_t> known;
  std::vector<Requirement> result;
  for (const Requirement &one : requirements) {
    auto [place, isNew] = known.try_emplace(one.value.withoutConstant(), result.size());
    if (isNew) {
      result.push_back(one);
      continue;
    }
    Requirement &same = result[place->second];
    int64_t shift = one.value.constantTerm() - same.value.constantTerm();
    if (one.within.low != Interval::lowest)
      same.within.low = std::max(same.within.low, one.within.low - shift);
    if (one.within.high != Interval::highest)
      same.within.high = std::min(same.within.high, one.within.high - shift);
  }
  return result;
}

/// Of values that differ in the coefficient of this product only, the extremes.
std::vector<Requirement> extremes(std::vector<Requirement> requirements, const Monomial &product) {
  std::map<std::tuple<Polynomial, int64_t, int64_t>, std::map<int64_t, Requirement>> rows;
  for (Requirement &one : requirements) {
    Polynomial rest;
    int64_t coefficient = 0;
    for (const Term &term : one.value.getTerms())
      if (term.factors == product)
        coefficient = term.coefficient;
      else
        rest += Polynomial::ofTerm(term);
    rows[{rest, one.within.low, one.within.high}].emplace(coefficient, std::move(one));
  }
  std::vector<Requirement> result;
  for (auto &[rest, row] : rows) {
    result.push_back(row.begin()->second);
    if (row.size() > 1)
      result.push_back(row.rbegin()->second);
  }
  return result;
}

} // namespace

void addNeeds(Needs &needs, const Needs &others) {
  if (others.empty())
    return;
  Needs both;
  std::set_union(needs.begin(), needs.end(), others.begin(), others.end(),
                 std::back_inserter(both));
  needs = std::move(both);
}

unsigned RequirementTable::intern(const Polynomial &value, Interval within, Place place) {
  auto [known, isNew] =
      numbers.try_emplace({place.offset, value, within.low, within.high}, table.size());
  if (isNew)
    table.push_back({value, within, place});
  return known->second;
}

std::vector<Requirement> withoutImplied(std::vector<Requirement> requirements) {
  requirements = joined(requirements);
  std::set<Monomial> products;
  for (const Requirement &one : requirements)
    for (const Term &term : one.value.getTerms())
      products.insert(term.factors);
  for (const Monomial &product : products)
    requirements = extremes(std::move(requirements), product);
  return requirements;
}

} // namespace tilelift
