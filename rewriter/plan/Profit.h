//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a load by TMA takes more work off the threads than it costs, by the cost
// model in docs/costs.md.
//
// What is counted is what each thread does for the copy. Copies that are made rounds
// ahead save the wait as well, and are not asked about.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_PROFIT_H
#define TILELIFT_PLAN_PROFIT_H

#include "plan/Plan.h"

namespace tilelift {

struct CopyWork {
  /// Of a thread, on average.
  double accesses = 0;
  unsigned bytesOfAccess = 1;
  bool isGuarded = false;

  /// In units of an access to an element without a guard.
  double units() const;
  bool pays() const { return units() >= 2; }
};

/// Copies of shorter rows, one by one, take as long as those of such.
constexpr Bytes fullRow{512};

CopyWork workOf(const CopyRelation &relation);
/// "1.0 elements of 4 bytes, without a guard"
std::string print(const CopyWork &work);

} // namespace tilelift

#endif
