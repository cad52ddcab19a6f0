//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cells of a copy relation as a list of units, in the order of their addresses in the
// tile. Each unit has the place that it is read from, and the bounds under which it is read.
//
// A unit is what one store of a thread fills: one element, or a vector of them.
// Units that are never read are constant, and units that the statement leaves out
// are gaps. The shape of the live ones is found in Shape.h.
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
  /// Live: the place that it is read from, in bytes past the base.
  Polynomial offset;
  /// Live: the numbers that bound the values of UnitList::columns in this unit's guard, by column.
  /// The guard does not bound a value whose entry is nothing or missing.
  llvm::SmallVector<std::optional<int64_t>, 4> bounds;

  bool isLive() const { return kind == Kind::Live; }
  std::optional<int64_t> bound(size_t column) const {
    return column < bounds.size() ? bounds[column] : std::nullopt;
  }
};

/// A value that the guards of units bound from one side. Each unit has a number of its own
/// (Unit::bounds) that the value is at least (`isLow`) or at most.
struct Column {
  Polynomial value;
  bool isLow = true;
};

struct UnitList {
  int64_t unitSize = 0;
  unsigned base = 0;
  std::vector<Unit> units;
  std::vector<Column> columns;
  /// Cells whose guard does not hold become zero, or may have any value.
  bool outsideIsZero = true;
  /// The refusal for a cell that is read from one place or from another, depending on a condition.
  /// It is reported only if no shape is found.
  std::optional<Diagnostic> severalPlaces;

  /// The interval in which the unit's bound keeps the column's value. The unit has to have a bound
  /// there.
  Interval rangeOf(const Unit &unit, size_t column) const;
  void dropColumn(size_t column);
};

/// Returns the list without the columns whose bounds always hold, such as `0 <= x` of an unsigned
/// `x`. Nothing if there are no such columns.
std::optional<UnitList> withoutCertainBounds(const UnitList &list, const Symbols &symbols);

/// What a plan may do with units that the statement leaves out. MayBeFilled: a box that is loaded
/// may overwrite them, as they have no value unless something else writes the tile, which is
/// refused. RowsAreFilled: besides, a row is loaded up to where the next one begins, so that
/// padding keeps its place. Stay: they keep their values, and rows that are copied one by one leave
/// them out.
enum class Gaps { MayBeFilled, RowsAreFilled, Stay };

std::variant<UnitList, Diagnostic> unitsOf(const CopyRelation &relation, bool outsideIsAny,
                                           Gaps gaps);

} // namespace tilelift

#endif
