//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simplifies quotients and remainders by constants: the cells of a tile may have (128 * b + 5) /
// 256 and (128 * b + 6) / 256 in their addresses, and both are b / 2.
//
// A box is found only if the addresses of all cells are equal but for the steps of their digits,
// and different forms of one quotient hide that. Pixels are recognised by their quotients, so the
// fit tries the relation as it is first.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_QUOTIENTS_H
#define TILELIFT_PLAN_QUOTIENTS_H

#include "relation/CopyRelation.h"

namespace tilelift {

/// Returns the relation with simplified quotients and remainders, or nothing if none has a simpler
/// form.
std::optional<CopyRelation> withSimpleQuotients(const CopyRelation &relation);

} // namespace tilelift

#endif
