//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a polynomial is the number that the program computes: arithmetic on
// unsigned or narrow types wraps around outside of a range.
//
// A number keeps what it needs, and so does an address that is made from it. In
// the end only the elements count that are loaded where the guard allows it:
// `in[y * w + x]` with an unsigned `y` may well wrap around above the tensor.
// The requirements of numbers that a condition compares have to hold everywhere.
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

/// Indices of requirements in a RequirementTable, in ascending order, each once.
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

/// Returns the requirements without those that follow from others. Requirements whose values differ
/// by a constant become one; of those whose values differ only in the coefficient of one product,
/// as for the rows of a tile, the two with the extreme coefficients remain.
std::vector<Requirement> withoutImplied(std::vector<Requirement> requirements);

} // namespace tilelift

#endif
