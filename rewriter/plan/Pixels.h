//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles whose rows are the pixels that a flat index counts, as implicit matrix products
// of convolutions have them: `n = m / (P * Q)`, `p = m / Q % P`, `q = m % Q`.
//
// Quotients and remainders of one flat index are replaced by its digits: one symbol for each
// digit, the same in all cells. The result is an ordinary copy relation, whose rows differ
// only in the number of their pixel. The fit decides what TMA can do with the digits.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_PIXELS_H
#define TILELIFT_PLAN_PIXELS_H

#include "relation/CopyRelation.h"

namespace tilelift {

/// The flat index divided by `divisor`, and the remainder of that by `count`.
struct PixelDigit {
  SymbolId symbol = 0;
  Polynomial divisor;
  /// The number of values that the digit has; nothing for the last digit, which has no end.
  std::optional<Polynomial> count;
};

struct PixelRelation {
  /// The copy relation with the digits as symbols. n * `distance` is added to the offset of each
  /// load of the n-th pixel after `first`, so that the fit sees rows at a regular distance.
  CopyRelation relation;
  /// The symbol for a distance between two pixels that only the fit sees.
  SymbolId distance = 0;
  /// The flat index of the first cell's pixel.
  Polynomial first;
  /// Innermost first; at least two.
  std::vector<PixelDigit> digits;

  /// Returns, for each digit, the polynomial that its symbol is multiplied by in `value`. `rest`
  /// gets the terms without a digit.
  std::vector<Polynomial> factorsIn(const Polynomial &value, Polynomial &rest) const;
};

/// Returns the pixel relation of a load. Nothing if its addresses and guards do not depend on the
/// digits of one flat index, or depend on it in another way.
std::optional<PixelRelation> pixelsOf(const CopyRelation &relation);

} // namespace tilelift

#endif
