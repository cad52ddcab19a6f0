//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When something happens, as a function of the symbols.
//
// A guard such as `y >= 0 && y < h` is a conjunction of bounds on polynomials;
// its negation is a disjunction of such. A condition is a disjunction of
// conjunctions, each conjunction sorted and with at most one interval for each
// polynomial (constants are moved into the interval, and the leading
// coefficient is positive), so that equal guards compare equal however they
// were written, and `c` and `!c` together fold to "always".
//
// Only facts about a single polynomial are folded, and the two alternatives that
// the smaller or the larger of two numbers has: `x < min(a, b)` becomes
// `x < a && x < b`. That different polynomials exclude each other is not seen.
// Conditions that grow past a limit become "unknown", which no fit accepts.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ALGEBRA_CONDITION_H
#define TILELIFT_ALGEBRA_CONDITION_H

#include "algebra/Symbols.h"

#include <memory>

namespace tilelift {

/// `range.low <= value <= range.high`; `value` has no constant term.
struct Bound {
  Polynomial value;
  Interval range;

  bool operator==(const Bound &other) const { return value == other.value && range == other.range; }
  bool operator<(const Bound &other) const;

  /// The largest number of a symbol for which it holds, if it says one: k - 1 of
  /// `k0 < k`.
  std::optional<Polynomial> most(SymbolId symbol) const;
  /// The smallest number of a symbol for which it holds, if it says one.
  std::optional<Polynomial> least(SymbolId symbol) const;

private:
  std::optional<Polynomial> end(SymbolId symbol, bool isLast) const;
};

/// All of these hold; empty means always.
using Conjunction = llvm::SmallVector<Bound, 0>;

class Condition {
public:
  /// Never, unless made by one of the functions below.
  Condition() = default;
  static Condition always() { return Condition(Kind::Always); }
  static Condition never() { return Condition(); }
  static Condition unknown() { return Condition(Kind::Unknown); }

  /// value >= 0
  static Condition notNegative(const Polynomial &value);
  /// value == 0
  static Condition zero(const Polynomial &value);
  /// range.low <= value && value <= range.high, with the least numbers that say so: of whole
  /// numbers, 4 * n >= 10 says that n >= 3.
  static Condition within(const Polynomial &value, Interval range);

  bool isAlways() const { return kind == Kind::Always; }
  bool isNever() const { return kind == Kind::Never; }
  bool isUnknown() const { return kind == Kind::Unknown; }

  Condition operator&&(const Condition &other) const;
  Condition operator||(const Condition &other) const;
  Condition operator!() const;
  bool operator==(const Condition &other) const {
    return kind == other.kind &&
           (bounds == other.bounds || bounds->alternatives == other.bounds->alternatives);
  }
  bool operator!=(const Condition &other) const { return !(*this == other); }

  /// The same without what the numbers that the symbols can have make impossible.
  Condition possible(const Symbols &symbols) const;

  /// What it says of a number by bounds on the number itself: all there are where it says nothing.
  Interval rangeOf(const Polynomial &number) const;

  /// What it costs to compute with the condition.
  size_t countBounds() const;

  /// A condition that always holds has one alternative without bounds; one that never holds has
  /// none.
  llvm::ArrayRef<Conjunction> getAlternatives() const;

  /// The bounds, when the condition is one conjunction.
  const Conjunction *asConjunction() const {
    return getAlternatives().size() == 1 ? &getAlternatives()[0] : nullptr;
  }

  /// For a message: of a long one the beginning, and how many comparisons follow.
  std::string print(const Symbols &symbols) const { return print(symbols, longestInMessages); }
  std::string printAll(const Symbols &symbols) const { return print(symbols, SIZE_MAX); }

private:
  static constexpr size_t longestInMessages = 200;
  std::string print(const Symbols &symbols, size_t longest) const;

  enum class Kind { Never, Always, Unknown, Bounds };
  using Alternatives = llvm::SmallVector<Conjunction, 1>;

  /// At least one alternative, and each has a bound.
  struct Bounds {
    Alternatives alternatives;
    /// Kept once it has been asked for: the two sides of a branch ask for each element of a tile.
    mutable std::shared_ptr<const Condition> negation;
  };

  explicit Condition(Kind kind) : kind(kind) {}
  static Condition ofBound(Bound bound);
  static Condition ofAlternatives(Alternatives alternatives);
  /// The condition that holds if at least one of the alternatives does.
  static Condition anyOf(Alternatives alternatives);

  Condition negated() const;

  Kind kind = Kind::Never;
  /// Null unless the kind is Bounds.
  std::shared_ptr<const Bounds> bounds;
};

std::string print(const Bound &bound, const Symbols &symbols);

} // namespace tilelift

#endif
