//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the needs of a copy's loads into conditions that a launch can test.
//
// An index grows evenly along the digits of the tile, as addresses do. So its least and
// its greatest value in the whole box follow from the first and the last values of the
// digits: those of the box, or those at which the guard begins and ends the loads.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_NEEDS_H
#define TILELIFT_PLAN_NEEDS_H

#include "plan/Shape.h"

namespace tilelift {

/// The first and the last value of a digit for which the guard allows loads; nothing if the guard
/// does not limit them.
struct DigitEnds {
  std::optional<Polynomial> first;
  std::optional<Polynomial> last;
};

/// Returns requirements that imply the needs of all loads; if possible, they hold if and only if
/// the needs do. `stridesAreChecked`: other checks ensure that no stride of the tensor is negative.
std::vector<Requirement> requirementsOfLoads(const CopyRelation &relation, const TileShape &shape,
                                             llvm::ArrayRef<DigitEnds> ends,
                                             bool stridesAreChecked);

} // namespace tilelift

#endif
