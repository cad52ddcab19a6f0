//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles whose rows are looked up one by one: `table[rows[r] * width + c]`.
//
// The lookups of any two rows have to be equal but for the row's number. Then the relation
// of one row, with a symbol for that number, describes all rows, and is fitted like any other
// relation. A row may be a box of its own, as the pages of a cache are.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_GATHER_H
#define TILELIFT_PLAN_GATHER_H

#include "relation/CopyRelation.h"
#include "support/Diagnostics.h"

namespace tilelift {

struct GatherRelation {
  /// The copy relation with the symbol `row` for the number of each load's row. r * `distance` is
  /// added to the offset of each load of row r, so that the fit sees rows at a regular distance.
  CopyRelation relation;
  /// The symbol for the number of a row, counted from zero.
  SymbolId row = 0;
  /// The symbol for a distance between two rows that only the fit sees.
  SymbolId distance = 0;
  /// The number of rows.
  int64_t count = 0;
  /// Some thread copies elements of several rows. If two of these go to one place, the program says
  /// which is last.
  bool threadsHaveSeveralRows = false;
};

/// Returns the gather relation of a copy. Nothing if its rows do not each look up something of
/// their own, or if they differ in something besides their numbers.
std::optional<GatherRelation> gatherOf(const CopyRelation &relation);

/// Returns the refusal of a copy whose cells are read from places that are looked up for each cell
/// or row by itself. Nothing for other copies.
std::optional<Diagnostic> findGather(const CopyRelation &relation);

} // namespace tilelift

#endif
