//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the plan for a copy relation, or finds the first reason why there is none.
//
// The cells of the tile, in the order of their addresses, must be the digits of
// a mixed-radix number: cell n reads from `start + sum digit[k] * stride[k]`,
// and each bound of its guard grows with one digit. The digits are the box, the
// strides the tensor's, the bounds its extents and the box's coordinates. What
// fits is proven for every cell; what does not is explained from the first cell
// that disagrees.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_FIT_H
#define TILELIFT_PLAN_FIT_H

#include "plan/Device.h"
#include "plan/Plan.h"
#include "support/Diagnostics.h"

#include <functional>
#include <variant>

namespace tilelift {

struct FitOptions {
  /// The pragma has `outside(any)`: cells that the guard leaves out may have any value after the
  /// copy, because the program does not read them.
  bool outsideIsAny = false;
  swizzle_mode swizzle = swizzle_mode::none;
  /// Whether code at the copy can name all values that a plan needs. fit() prefers such plans, but
  /// may return another one, which the caller then refuses.
  std::function<bool(const Plan &)> canBeSpelled = [](const Plan &) { return true; };
  /// The device that the plan is for.
  Device device = {};
};

std::variant<Plan, Diagnostic> fit(const CopyRelation &relation, const FitOptions &options);

} // namespace tilelift

#endif
