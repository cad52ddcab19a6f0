//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a load by TMA takes more work off the threads than it costs, by the cost
// model in docs/costs.md.
//
// Only the work of each thread for the copy is counted. Copies that are made rounds ahead
// save the wait for the data as well, and are lifted without this question.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_PROFIT_H
#define TILELIFT_PLAN_PROFIT_H

#include "plan/Plan.h"

namespace tilelift {

struct CopyWork {
  /// The number of accesses of a thread, on average.
  double accesses = 0;
  unsigned bytesOfAccess = 1;
  bool isGuarded = false;

  /// The work of a thread, in units of an access to one element without a guard.
  double units() const;
  bool pays() const { return units() >= 2; }
};

/// A row that is copied by an operation of its own takes as long as one of this length, even if it
/// is shorter.
constexpr Bytes fullRow{512};

CopyWork workOf(const CopyRelation &relation);
/// "1.0 elements of 4 bytes, without a guard"
std::string print(const CopyWork &work);

} // namespace tilelift

#endif
