//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole numbers that depend on symbols.
//
// An index such as `y * w + x` is, for one thread, a polynomial with integer
// coefficients over the things that are the same for the whole block:
//
//   (blockIdx.y * 16 + 3) * w + 7   ->   7 + 3*w + 16*blockIdx.y*w
//
// A polynomial knows symbols by number only; their names, ranges and whether
// the host knows them live in Symbols. Arithmetic is exact: if a coefficient does
// not fit 64 bits, the result is invalid, and so is all that is computed from it.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ALGEBRA_POLYNOMIAL_H
#define TILELIFT_ALGEBRA_POLYNOMIAL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace tilelift {

using SymbolId = unsigned;

/// A product of symbols, sorted by number; empty for the constant term.
using Monomial = llvm::SmallVector<SymbolId, 3>;

struct Term {
  Monomial factors;
  int64_t coefficient;

  bool operator==(const Term &other) const {
    return coefficient == other.coefficient && factors == other.factors;
  }
};

class Polynomial {
public:
  Polynomial() = default;
  Polynomial(int64_t constant);
  static Polynomial symbol(SymbolId id);
  static Polynomial ofTerm(const Term &term);
  static Polynomial invalid();

  bool isValid() const { return valid; }
  bool isConstant() const;
  bool isZero() const { return valid && terms.empty(); }

  /// The number, when there are no symbols.
  std::optional<int64_t> asConstant() const;
  int64_t constantTerm() const;
  Polynomial withoutConstant() const;
  bool mentions(SymbolId symbol) const;

  /// Sorted by factors; no term has the coefficient zero.
  llvm::ArrayRef<Term> getTerms() const { return terms; }

  /// The largest number that divides every coefficient; 0 for the zero
  /// polynomial, which everything divides.
  int64_t divisor() const;

  /// This polynomial divided by `number`, when every coefficient is divisible.
  std::optional<Polynomial> dividedBy(int64_t number) const;

  Polynomial operator-() const;
  Polynomial &operator+=(const Polynomial &other);
  Polynomial &operator-=(const Polynomial &other);
  Polynomial &operator*=(const Polynomial &other);

  bool operator==(const Polynomial &other) const {
    return valid == other.valid && terms == other.terms;
  }
  bool operator!=(const Polynomial &other) const { return !(*this == other); }
  /// A total order without meaning, for canonical forms.
  bool operator<(const Polynomial &other) const;

private:
  void add(const Term &term);

  llvm::SmallVector<Term, 2> terms;
  bool valid = true;
};

inline Polynomial operator+(Polynomial a, const Polynomial &b) { return a += b; }
inline Polynomial operator-(Polynomial a, const Polynomial &b) { return a -= b; }
inline Polynomial operator*(Polynomial a, const Polynomial &b) { return a *= b; }

/// Multivariate division: value == quotient * divisor + remainder, always; the
/// remainder keeps what the divisor's leading term does not divide.
struct Division {
  Polynomial quotient;
  Polynomial remainder;
};
Division divide(const Polynomial &value, const Polynomial &divisor);

} // namespace tilelift

#endif
