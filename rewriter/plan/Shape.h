//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shape of a copy: its units as the digits of a mixed-radix number, steps
// through the tensor for each digit, and bounds that are even in the digits.
//
// This knows nothing of TMA but its grain. The digits come from the steps between
// units, or, where some units are not read, from the extents of the tile. Every
// unit is held against what the digits say; the first one that disagrees is the
// message. A bound that only some units have, as the sides of a halo do, has to
// hold for the others by itself.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_SHAPE_H
#define TILELIFT_PLAN_SHAPE_H

#include "plan/Measures.h"
#include "plan/Units.h"

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
  /// Of the unit whose digits are all zero: where it lies in the tile, and in the tensor.
  Bytes firstByte;
  unsigned base = 0;
  SymbolicBytes start;
  /// Innermost first.
  std::vector<Digit> digits;
  std::vector<GuardColumn> columns;
  /// Not negative where the copy happens, or some unit that has no bound is left out.
  std::vector<Polynomial> implied;
  /// Why there is no plan, if the bounds that leave out units which are never read
  /// cannot be expressed.
  std::optional<Diagnostic> constantCell;
  bool outsideIsZero = true;

  /// The digits of the unit at a byte of the tile.
  llvm::SmallVector<int64_t, 5> digitsAt(Bytes byte) const;
};

std::variant<TileShape, Diagnostic> shapeOf(const CopyRelation &relation, bool outsideIsAny,
                                            Gaps gaps);

std::string print(const GuardColumn &column, const Symbols &symbols);

} // namespace tilelift

#endif
