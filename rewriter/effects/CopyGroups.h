//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The groups that a thread makes of its cp.async copies: it closes a group of them, and waits for
// its groups in the order in which it closed them.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_COPYGROUPS_H
#define TILELIFT_EFFECTS_COPYGROUPS_H

#include <algorithm>

namespace tilelift {

/// What a piece of code has to do with the groups of the thread that runs it.
struct CopyGroups {
  /// A copy begins.
  bool begins = false;
  /// The copies that the thread began since it last closed a group become a group.
  bool closes = false;
  /// The thread waits for its groups, but for the `left` newest ones. `awaitsAll`: it waits for all
  /// copies, those in no group included.
  bool awaits = false, awaitsAll = false;
  unsigned left = 0;
  /// The thread waits for the oldest group that it has not handed back yet (cuda::pipeline), and
  /// hands that one back. `left` is 0 then, as of a wait for all groups, which is what it counts as
  /// where it is not known which group is the oldest.
  bool awaitsOldest = false, releasesOldest = false;
  /// An mbarrier will be told when the thread's copies have ended.
  bool notifies = false;
  /// It may do some of this, or not, depending on a condition of assembly, or it does several of
  /// these things in some order.
  bool isUnclear = false;

  bool isNone() const { return !begins && !ordersCopies(); }
  bool ordersCopies() const { return closes || awaits || releasesOldest || notifies || isUnclear; }
  void add(const CopyGroups &other) {
    if (other.awaits) {
      left = awaits ? std::min(left, other.left) : other.left;
      awaitsOldest = other.awaitsOldest && (!awaits || awaitsOldest);
    }
    begins |= other.begins;
    closes |= other.closes;
    releasesOldest |= other.releasesOldest;
    awaits |= other.awaits;
    awaitsAll |= other.awaitsAll;
    notifies |= other.notifies;
    isUnclear |= other.isUnclear;
  }
};

} // namespace tilelift

#endif
