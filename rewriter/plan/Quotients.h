//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quotients and remainders by numbers, without what cancels out: (128 * b + 5) / 256 is b / 2
// for each of the tile's cells, however differently they are written.
//
// Boxes are found where cells agree on the rest of their address. Pixels are found by what they
// divide, so that the relation is looked at as it is first.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_QUOTIENTS_H
#define TILELIFT_PLAN_QUOTIENTS_H

#include "relation/CopyRelation.h"

namespace tilelift {

/// The same relation, or nothing where no quotient has a simpler form.
std::optional<CopyRelation> withSimpleQuotients(const CopyRelation &relation);

} // namespace tilelift

#endif
