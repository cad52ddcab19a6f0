//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles whose rows are the pixels that a flat index counts, as implicit matrix products
// of convolutions have them: `n = m / (P * Q)`, `p = m / Q % P`, `q = m % Q`.
//
// Quotients and remainders of one flat index, however they were computed, become its
// digits: one symbol for each, the same in all cells. What is left is a relation as any
// other, whose rows differ in nothing but the number of their pixel. What TMA can do with
// the digits is decided by the fit.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_PIXELS_H
#define TILELIFT_PLAN_PIXELS_H

#include "relation/CopyRelation.h"

namespace tilelift {

/// The flat index divided by `divisor`, and the remainder of that by `count`.
struct PixelDigit {
  SymbolId symbol = 0;
  Polynomial divisor;
  /// Nothing of the last one, which has no end.
  std::optional<Polynomial> count;
};

struct PixelRelation {
  /// In terms of the digits. Each load is a multiple of `number` further than it is.
  CopyRelation relation;
  /// Stands for one pixel in places: how many they are behind `first`.
  SymbolId number = 0;
  /// A flat index.
  Polynomial first;
  /// Innermost first; at least two.
  std::vector<PixelDigit> digits;

  /// The factors of the digits in a value, and what is left of it.
  std::vector<Polynomial> factorsIn(const Polynomial &value, Polynomial &rest) const;
};

/// Nothing where places and guards are not made of the digits of one flat index.
std::optional<PixelRelation> pixelsOf(const CopyRelation &relation);

} // namespace tilelift

#endif
