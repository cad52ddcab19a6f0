//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what the loads of a copy need to conditions that a launch can test.
//
// An index grows evenly along the digits of the tile, as addresses do. So what it
// takes at least and at most in the whole box follows from the ends of the
// digits, and those are either the box's or where the guard stops the loads.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_NEEDS_H
#define TILELIFT_PLAN_NEEDS_H

#include "plan/Shape.h"

namespace tilelift {

/// Values of a digit before and after which the guard allows no load.
struct DigitEnds {
  std::optional<Polynomial> first;
  std::optional<Polynomial> last;
};

/// Requirements that hold if and only if the needs of all loads do, or that are
/// sufficient for it. `stridesAreChecked`: no stride of the tensor is negative.
std::vector<Requirement> requirementsOfLoads(const CopyRelation &relation, const TileShape &shape,
                                             llvm::ArrayRef<DigitEnds> ends,
                                             bool stridesAreChecked);

} // namespace tilelift

#endif
