//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that know what they count: bytes, elements, and positions along a
// dimension.
//
// A number gets its unit once, where it is made, and loses it once, by count(),
// where it leaves the plan: as text, in a request to the rules, as a coefficient.
// In between, only numbers of one unit are added and compared, and who changes the
// unit has to name the size of an element. What the numbers are good for is not
// known here.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_MEASURES_H
#define TILELIFT_PLAN_MEASURES_H

#include "algebra/Polynomial.h"

#include <cassert>
#include <type_traits>
#include <utility>

namespace tilelift {

/// A number of units, known or depending on symbols.
template <typename Unit, typename Number> class Measure {
  static constexpr bool isSymbolic = !std::is_same_v<Number, int64_t>;

public:
  constexpr Measure() = default;
  constexpr explicit Measure(Number number) : number(std::move(number)) {}
  /// What is known may stand where a number depends on symbols: the unit is the same.
  template <typename Known,
            std::enable_if_t<isSymbolic && std::is_same_v<Known, int64_t>, bool> = true>
  Measure(const Measure<Unit, Known> &known) : number(known.count()) {}

  /// The number alone.
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

/// Of known numbers only: polynomials have no order that means something.
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
/// A part of it; and how often one is in the other, and what is left.
template <typename Unit>
constexpr KnownMeasure<Unit> operator/(KnownMeasure<Unit> whole, int64_t parts) {
  return KnownMeasure<Unit>(whole.count() / parts);
}
template <typename Unit>
constexpr int64_t operator/(KnownMeasure<Unit> whole, KnownMeasure<Unit> part) {
  return whole.count() / part.count();
}
template <typename Unit>
constexpr KnownMeasure<Unit> operator%(KnownMeasure<Unit> whole, KnownMeasure<Unit> part) {
  return KnownMeasure<Unit>(whole.count() % part.count());
}

/// The next multiple.
template <typename Unit>
constexpr KnownMeasure<Unit> roundUp(KnownMeasure<Unit> value, KnownMeasure<Unit> to) {
  return (value + to - KnownMeasure<Unit>(1)) / to * to;
}

struct ByteUnit;
/// The elements that TMA counts.
struct ElementUnit;
/// Those of the tile as the program declares it, which may have another size.
struct TileElementUnit;

using Bytes = Measure<ByteUnit, int64_t>;
using Elements = Measure<ElementUnit, int64_t>;
using TileElements = Measure<TileElementUnit, int64_t>;
using SymbolicBytes = Measure<ByteUnit, Polynomial>;
using SymbolicElements = Measure<ElementUnit, Polynomial>;

/// A place along a dimension, in elements from where the dimension starts. Two places have a
/// distance, and no sum.
class Position {
public:
  Position() = default;
  explicit Position(Polynomial number) : number(std::move(number)) {}

  /// The number alone.
  const Polynomial &count() const & { return number; }
  Polynomial count() && { return std::move(number); }
  /// How many elements lie before it.
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

constexpr Bytes bytesOf(Elements elements, int64_t elementSize) {
  return Bytes(elements.count() * elementSize);
}
constexpr Bytes bytesOf(TileElements elements, int64_t elementSize) {
  return Bytes(elements.count() * elementSize);
}
inline SymbolicBytes bytesOf(const SymbolicElements &elements, int64_t elementSize) {
  return SymbolicBytes(elements.count() * elementSize);
}

/// Bytes that are whole elements.
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
