//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles whose rows are looked up one by one: `table[rows[r] * width + c]`.
//
// What is looked up for one row and what for the next differ in the row's number and
// nothing else, however it was computed. So one row says it for all of them, in terms of
// that number, and what is left is a relation as any other. A row may be a box of its own,
// as the pages of a cache are.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_GATHER_H
#define TILELIFT_PLAN_GATHER_H

#include "relation/CopyRelation.h"
#include "support/Diagnostics.h"

namespace tilelift {

struct GatherRelation {
  /// In terms of `row`. Each load is so many times `distance` further than it is.
  CopyRelation relation;
  /// Which row it is, from zero on.
  SymbolId row = 0;
  SymbolId distance = 0;
  int64_t count = 0;
  /// Some thread copies elements of several rows, one after the other.
  bool haveOrder = false;
};

/// Nothing where the rows do not look up something of their own, or differ in more.
std::optional<GatherRelation> gatherOf(const CopyRelation &relation);

/// What the cells are read from, if that is looked up for each on its own.
std::optional<Diagnostic> findGather(const CopyRelation &relation);

} // namespace tilelift

#endif
