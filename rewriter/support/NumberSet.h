//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A set of small numbers that grows by itself, and one that has all of them.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_NUMBERSET_H
#define TILELIFT_SUPPORT_NUMBERSET_H

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVector.h"

namespace tilelift {

class NumberSet {
public:
  static NumberSet all() {
    NumberSet set;
    set.hasAll = true;
    return set;
  }
  static NumberSet of(unsigned number) {
    NumberSet set;
    set.add(number);
    return set;
  }

  void add(unsigned number) {
    if (bits.size() <= number)
      bits.resize(number + 1);
    bits.set(number);
  }
  /// Whether something is new.
  bool add(const NumberSet &other) {
    bool isNew = (other.hasAll && !hasAll) || (!hasAll && other.bits.test(bits));
    hasAll |= other.hasAll;
    if (isNew)
      bits |= other.bits;
    return isNew;
  }
  void remove(const NumberSet &other) { bits.reset(other.bits); }

  bool has(unsigned number) const { return hasAll || (number < bits.size() && bits.test(number)); }
  bool empty() const { return !hasAll && bits.none(); }
  bool isAll() const { return hasAll; }
  /// Of a set that is not all.
  llvm::SmallVector<unsigned, 4> numbers() const {
    return llvm::SmallVector<unsigned, 4>(bits.set_bits_begin(), bits.set_bits_end());
  }

private:
  llvm::SmallBitVector bits;
  bool hasAll = false;
};

} // namespace tilelift

#endif
