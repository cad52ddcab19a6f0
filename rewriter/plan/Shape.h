//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shape of a copy: its units as the digits of a mixed-radix number, steps
// through the tensor for each digit, and bounds that are even in the digits.
//
// Of TMA, only its grain of 16 bytes matters here. The digits come from the steps between
// units, or, where some units are not read, from the extents of the tile. Every
// unit is compared with what its digits predict, and the message names the first one that
// differs. If only some units have a bound, as at the sides of a halo, the copy is made only
// where the other units satisfy it as well.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_SHAPE_H
#define TILELIFT_PLAN_SHAPE_H

#include "plan/Measures.h"
#include "plan/Units.h"

#include "llvm/ADT/STLExtras.h"

namespace tilelift {

/// One side of one bound: value >= first + slopes * digits (low), or value <=
/// first + slopes * digits (high).
struct GuardColumn {
  Polynomial value;
  bool isLow = true;
  int64_t first = 0;
  llvm::SmallVector<int64_t, 4> slopes;
};

struct Digit {
  int64_t count = 1;
  /// Units of shared memory, and bytes of global memory, from one value to the next.
  int64_t distance = 1;
  SymbolicBytes stride;
};

struct TileShape {
  Bytes unitSize;
  /// The place of the unit whose digits are all zero: its byte in the tile, and, in the tensor,
  /// `start` bytes past the base with the number `base`.
  Bytes firstByte;
  unsigned base = 0;
  SymbolicBytes start;
  /// Innermost first.
  std::vector<Digit> digits;
  /// How many units of a row the statement copies. Behind them, the innermost digit may cover
  /// padding, up to where the next row begins.
  int64_t copiedUnits = 0;
  bool coversPadding() const { return copiedUnits < digits[0].count; }
  std::vector<GuardColumn> columns;
  /// Values that must not be negative, which is tested at the copy. Each comes from a bound that
  /// only some units have: a box applies it to all, so the other units have to satisfy it, too.
  std::vector<Polynomial> implied;
  /// The refusal for a tile with constant units, which are never read. It is reported only if no
  /// bound of the box leaves them out.
  std::optional<Diagnostic> constantCell;
  bool outsideIsZero = true;

  /// Returns the digits of the unit at a byte of the tile.
  llvm::SmallVector<int64_t, 5> digitsAt(Bytes byte) const;
};

inline llvm::SmallVector<int64_t, 5> TileShape::digitsAt(Bytes byte) const {
  llvm::SmallVector<int64_t, 5> values;
  int64_t unit = (byte - firstByte) / unitSize;
  for (const Digit &digit : llvm::reverse(digits)) {
    values.push_back(unit / digit.distance);
    unit %= digit.distance;
  }
  std::reverse(values.begin(), values.end());
  return values;
}

std::variant<TileShape, Diagnostic> shapeOf(const CopyRelation &relation, bool outsideIsAny,
                                            Gaps gaps);

inline std::string print(const GuardColumn &column, const Symbols &symbols) {
  return symbols.print(column.value) + (column.isLow ? " >= " : " <= ") +
         std::to_string(column.first);
}

} // namespace tilelift

#endif
