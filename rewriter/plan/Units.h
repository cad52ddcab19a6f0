//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cells of a copy relation as units in a row, each with one question answered:
// where is it read from, and under which bounds.
//
// A unit is what one store of a thread fills: one element, or a vector of them.
// Units that are never read are constant, and units that the statement leaves out
// are gaps. That the live ones have a shape is found out in Shape.h.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_UNITS_H
#define TILELIFT_PLAN_UNITS_H

#include "relation/CopyRelation.h"
#include "support/Diagnostics.h"

#include <variant>

namespace tilelift {

struct Unit {
  enum class Kind { Live, Constant, Gap };

  /// Bytes from the start of the shared array.
  int64_t at = 0;
  Place place;
  Kind kind = Kind::Gap;
  /// Live: where it is read from, in bytes past the base.
  Polynomial offset;
  /// Live: by column; nothing where its guard does not speak of that.
  llvm::SmallVector<std::optional<int64_t>, 4> bounds;

  bool isLive() const { return kind == Kind::Live; }
  std::optional<int64_t> bound(size_t column) const {
    return column < bounds.size() ? bounds[column] : std::nullopt;
  }
};

/// One side of a bound that guards have: `value` is at least, or at most, a number
/// of each unit's own.
struct Column {
  Polynomial value;
  bool isLow = true;
};

struct UnitList {
  int64_t unitSize = 0;
  unsigned base = 0;
  std::vector<Unit> units;
  std::vector<Column> columns;
  /// Where the guard does not hold the tile gets zero, or nobody cares.
  bool outsideIsZero = true;
  /// Of a cell that is read from one place or another: what to say if there is no shape.
  std::optional<Diagnostic> severalPlaces;

  /// What the bound that a unit has in a column leaves of the column's value.
  Interval rangeOf(const Unit &unit, size_t column) const;
  void dropColumn(size_t column);
};

/// Without the bounds that hold for all numbers that the symbols can have, as `0 <= x` does of an
/// unsigned `x`; nothing if there are none.
std::optional<UnitList> withoutCertainBounds(const UnitList &list, const Symbols &symbols);

/// What becomes of units that the statement leaves out: a box may cover them if they
/// have no value, single rows go around them.
enum class Gaps { MayBeFilled, Stay };

std::variant<UnitList, Diagnostic> unitsOf(const CopyRelation &relation, bool outsideIsAny,
                                           Gaps gaps);

} // namespace tilelift

#endif
