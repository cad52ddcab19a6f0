//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plans of one copy, one for each instance of a template that shares the text, and what is
// asked of all of them together.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SPELLING_PLANSOFCOPY_H
#define TILELIFT_SPELLING_PLANSOFCOPY_H

#include "plan/Plan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilelift {

using PlansOfCopy = std::vector<const Plan *>;

/// Returns one value for each plan.
std::vector<Polynomial> valuesIn(const PlansOfCopy &plans,
                                 llvm::function_ref<Polynomial(const Plan &)> value);

/// Whether all instances know the symbol: a member of an argument has to be one in each of them, as
/// they have one text.
bool allKnow(const PlansOfCopy &plans, const Symbol &symbol);

/// Whether the value of some plan, or one that is computed on the way to it, may not fit into 64
/// bits.
bool mayOverflow(const PlansOfCopy &plans, llvm::ArrayRef<Polynomial> values);

} // namespace tilelift

#endif
