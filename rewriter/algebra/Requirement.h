//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a polynomial is the number that the program computes: arithmetic on
// unsigned or narrow types wraps around outside of a range.
//
// A number keeps what it needs, and so does an address that is made from it. In
// the end only the elements count that are loaded where the guard allows it:
// `in[y * w + x]` with an unsigned `y` may well wrap around above the tensor.
// What a comparison is made of has to hold everywhere.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ALGEBRA_REQUIREMENT_H
#define TILELIFT_ALGEBRA_REQUIREMENT_H

#include "algebra/Symbols.h"
#include "support/Place.h"

#include <map>
#include <tuple>

namespace tilelift {

struct Requirement {
  Polynomial value;
  Interval within;
  Place place;
};

/// Numbers of requirements, in order.
using Needs = llvm::SmallVector<unsigned, 0>;

void addNeeds(Needs &needs, const Needs &others);

/// Each requirement of each place once.
class RequirementTable {
public:
  unsigned intern(const Polynomial &value, Interval within, Place place);
  const Requirement &operator[](unsigned id) const { return table[id]; }

private:
  std::vector<Requirement> table;
  std::map<std::tuple<unsigned, Polynomial, int64_t, int64_t>, unsigned> numbers;
};

/// Those that do not follow from the others: of values that differ in a constant
/// one, and of values that differ in the coefficient of one product, such as the
/// rows of a tile, the extremes.
std::vector<Requirement> withoutImplied(std::vector<Requirement> requirements);

} // namespace tilelift

#endif
