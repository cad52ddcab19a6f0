//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies whose rows are looked up one by one. No box has them, and the message says what
// they are rather than how they fail to be one.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_GATHER_H
#define TILELIFT_PLAN_GATHER_H

#include "relation/CopyRelation.h"
#include "support/Diagnostics.h"

namespace tilelift {

std::optional<Diagnostic> findGather(const CopyRelation &relation);

} // namespace tilelift

#endif
