//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers with a unit as their type: bytes, elements, and positions along a
// dimension.
//
// A number gets its unit where it is made, and loses it by count() where it leaves
// the plan: as text, in a request to the rules, or as a coefficient. In between,
// only numbers of one unit can be added and compared, and a conversion between units
// (bytesOf(), elementsIn()) names the size of an element. What the numbers are used
// for is not known here.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_MEASURES_H
#define TILELIFT_PLAN_MEASURES_H

#include "algebra/Polynomial.h"

#include <cassert>
#include <type_traits>
#include <utility>

namespace tilelift {

/// A number of units: `Number` is int64_t for a known number, and Polynomial for one that depends
/// on symbols.
template <typename Unit, typename Number> class Measure {
  static constexpr bool isSymbolic = !std::is_same_v<Number, int64_t>;

public:
  constexpr Measure() = default;
  constexpr explicit Measure(Number number) : number(std::move(number)) {}
  /// Converts a known number to a symbolic one of the same unit.
  template <typename Known,
            std::enable_if_t<isSymbolic && std::is_same_v<Known, int64_t>, bool> = true>
  Measure(const Measure<Unit, Known> &known) : number(known.count()) {}

  /// Returns the number without its unit.
  constexpr const Number &count() const & { return number; }
  constexpr Number count() && { return std::move(number); }

  constexpr Measure operator-() const { return Measure(-number); }
  constexpr Measure &operator+=(const Measure &other) {
    number += other.number;
    return *this;
  }
  constexpr Measure &operator-=(const Measure &other) {
    number -= other.number;
    return *this;
  }
  constexpr Measure &operator*=(const Number &times) {
    number *= times;
    return *this;
  }

  friend constexpr Measure operator+(Measure a, const Measure &b) { return a += b; }
  friend constexpr Measure operator-(Measure a, const Measure &b) { return a -= b; }
  friend constexpr Measure operator*(Measure a, const Number &times) { return a *= times; }
  friend constexpr Measure operator*(const Number &times, Measure a) { return a *= times; }
  friend constexpr bool operator==(const Measure &a, const Measure &b) {
    return a.number == b.number;
  }
  friend constexpr bool operator!=(const Measure &a, const Measure &b) { return !(a == b); }

private:
  Number number{};
};

/// A number for which order, division and rounding are defined. They are not for polynomials, which
/// have no useful order.
template <typename Unit> using KnownMeasure = Measure<Unit, int64_t>;

template <typename Unit> constexpr bool operator<(KnownMeasure<Unit> a, KnownMeasure<Unit> b) {
  return a.count() < b.count();
}
template <typename Unit> constexpr bool operator>(KnownMeasure<Unit> a, KnownMeasure<Unit> b) {
  return b < a;
}
template <typename Unit> constexpr bool operator<=(KnownMeasure<Unit> a, KnownMeasure<Unit> b) {
  return !(b < a);
}
template <typename Unit> constexpr bool operator>=(KnownMeasure<Unit> a, KnownMeasure<Unit> b) {
  return !(a < b);
}
/// Returns the size of one of several equal parts.
template <typename Unit>
constexpr KnownMeasure<Unit> operator/(KnownMeasure<Unit> whole, int64_t parts) {
  return KnownMeasure<Unit>(whole.count() / parts);
}
/// Returns how many times `part` fits into `whole`.
template <typename Unit>
constexpr int64_t operator/(KnownMeasure<Unit> whole, KnownMeasure<Unit> part) {
  return whole.count() / part.count();
}
/// Returns the remainder of `whole` divided by `part`.
template <typename Unit>
constexpr KnownMeasure<Unit> operator%(KnownMeasure<Unit> whole, KnownMeasure<Unit> part) {
  return KnownMeasure<Unit>(whole.count() % part.count());
}

/// Rounds a number up to a multiple of `to`. A negative one may be rounded up further, at most to
/// zero.
template <typename Unit>
constexpr KnownMeasure<Unit> roundUp(KnownMeasure<Unit> value, KnownMeasure<Unit> to) {
  return (value + to - KnownMeasure<Unit>(1)) / to * to;
}

struct ByteUnit;
/// The elements that TMA counts.
struct ElementUnit;
/// The elements of the tile as the program declares it; their size may be another one.
struct TileElementUnit;

using Bytes = Measure<ByteUnit, int64_t>;
using Elements = Measure<ElementUnit, int64_t>;
using TileElements = Measure<TileElementUnit, int64_t>;
using SymbolicBytes = Measure<ByteUnit, Polynomial>;
using SymbolicElements = Measure<ElementUnit, Polynomial>;

/// A place along a dimension of the tensor, in elements from the start of the dimension. Positions
/// can be subtracted, which gives their distance, but not added.
class Position {
public:
  Position() = default;
  explicit Position(Polynomial number) : number(std::move(number)) {}

  /// Returns the number of elements before the position, without its unit.
  const Polynomial &count() const & { return number; }
  Polynomial count() && { return std::move(number); }
  /// Returns the number of elements before the position.
  SymbolicElements fromStart() const { return SymbolicElements(number); }

  Position &operator+=(const SymbolicElements &distance) {
    number += distance.count();
    return *this;
  }
  Position &operator-=(const SymbolicElements &distance) {
    number -= distance.count();
    return *this;
  }
  friend Position operator+(Position from, const SymbolicElements &distance) {
    return from += distance;
  }
  friend Position operator-(Position from, const SymbolicElements &distance) {
    return from -= distance;
  }
  friend SymbolicElements operator-(const Position &to, const Position &from) {
    return SymbolicElements(to.number - from.number);
  }
  friend bool operator==(const Position &a, const Position &b) { return a.number == b.number; }
  friend bool operator!=(const Position &a, const Position &b) { return !(a == b); }

private:
  Polynomial number;
};

/// Returns the size of elements of `elementSize` bytes each.
constexpr Bytes bytesOf(Elements elements, int64_t elementSize) {
  return Bytes(elements.count() * elementSize);
}
constexpr Bytes bytesOf(TileElements elements, int64_t elementSize) {
  return Bytes(elements.count() * elementSize);
}
inline SymbolicBytes bytesOf(const SymbolicElements &elements, int64_t elementSize) {
  return SymbolicBytes(elements.count() * elementSize);
}

/// Returns the number of elements in `bytes`, which has to be a multiple of `elementSize`.
constexpr Elements elementsIn(Bytes bytes, int64_t elementSize) {
  assert(bytes.count() % elementSize == 0 && "only whole elements are counted");
  return Elements(bytes.count() / elementSize);
}
constexpr TileElements tileElementsIn(Bytes bytes, int64_t elementSize) {
  assert(bytes.count() % elementSize == 0 && "only whole elements are counted");
  return TileElements(bytes.count() / elementSize);
}

} // namespace tilelift

#endif
