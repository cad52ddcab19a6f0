//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that are chosen by what is looked up: `min(rows[r], n - 1)`, `rows[r] != -1 ? ... : 0`.
//
// The relation has a case for each choice, and a row that is looked up has one place. Here the
// cases become one: each comparison is a number that is 0 or 1, and a row's place a sum in which
// the places of the cases count as often as their guards hold. TMA is told the sum.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_RELATION_ROWCHOICES_H
#define TILELIFT_RELATION_ROWCHOICES_H

#include "relation/CopyRelation.h"

namespace tilelift {

/// The same condition, in which `x != -1` is one bound, of a number that says so, and not two
/// alternatives.
Condition withoutHoles(Condition condition, Symbols &symbols);

/// The relation with one load for each cell, under one conjunction. Nothing if it has that already,
/// or cannot have it.
std::optional<CopyRelation> withoutRowChoices(const CopyRelation &relation);

} // namespace tilelift

#endif
