//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shape of a copy relation: its cells as digits of a mixed-radix number.
//
// A unit is what one store of a thread fills: one element, or a vector of them.
// This step knows nothing of TMA but its grain; it finds out whether the tile is
// filled without gaps, from one tensor, in evenly spaced steps.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_UNITS_H
#define TILELIFT_PLAN_UNITS_H

#include "relation/CopyRelation.h"
#include "support/Diagnostics.h"
#include "tilelift/rules.h"

#include <variant>

namespace tilelift {

constexpr int64_t grain = 16; ///< bytes; the unit of everything in TMA

/// One side of one bound that all units have: value >= first + slopes * digits
/// (low), or value <= first + slopes * digits (high).
struct GuardColumn {
  Polynomial value;
  bool isLow = true;
  int64_t first = 0;
  llvm::SmallVector<int64_t, 4> slopes;
};

struct Digit {
  int64_t count = 1;
  /// Bytes of global memory from one value of the digit to the next.
  Polynomial stride;
};

struct TileUnits {
  int64_t unitSize = 0;
  int64_t firstByte = 0;
  unsigned base = 0;
  /// Where unit 0 is read from, in bytes past the base.
  Polynomial start;
  /// Innermost first.
  std::vector<Digit> digits;
  std::vector<GuardColumn> columns;
  /// Why there is no plan, if the bounds that leave out cells which never read
  /// anything cannot be expressed.
  std::optional<Diagnostic> constantCell;
  /// Where the guard does not hold the tile gets zero, or nobody cares.
  bool outsideIsZero = true;
};

std::variant<TileUnits, Diagnostic> digitsOf(const CopyRelation &relation, bool outsideIsAny);

/// The TMA element type for a C++ type of that size.
element_type elementTypeOf(llvm::StringRef type, unsigned size);

/// step * floor(value / step), for values of at least -step. The parts that are
/// multiples of the step already stay as they are.
Polynomial wholeUnits(Symbols &symbols, const Polynomial &value, int64_t step);

std::string print(const GuardColumn &column, const Symbols &symbols);

} // namespace tilelift

#endif
