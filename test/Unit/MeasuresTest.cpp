// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers with units: what can be computed with them, and what does not compile.

#include "plan/Measures.h"

#include "gtest/gtest.h"

#include <functional>

using namespace tilelift;

namespace {

template <typename A, typename B>
constexpr bool canAdd = std::is_invocable_v<std::plus<>, const A &, const B &>;
template <typename A, typename B>
constexpr bool canSubtract = std::is_invocable_v<std::minus<>, const A &, const B &>;
template <typename A, typename B>
constexpr bool canMultiply = std::is_invocable_v<std::multiplies<>, const A &, const B &>;
template <typename A, typename B>
constexpr bool canDivide = std::is_invocable_v<std::divides<>, const A &, const B &> &&
                           std::is_invocable_v<std::modulus<>, const A &, const B &>;
template <typename A, typename B>
constexpr bool areEqual = std::is_invocable_v<std::equal_to<>, const A &, const B &> &&
                          std::is_invocable_v<std::not_equal_to<>, const A &, const B &>;
template <typename A, typename B>
constexpr bool threadsHaveSeveralRows =
    std::is_invocable_v<std::less<>, const A &, const B &> &&
    std::is_invocable_v<std::greater_equal<>, const A &, const B &>;
/// Whether an A goes with nothing that is a B, in whichever order.
template <typename A, typename B>
constexpr bool areApart =
    !canAdd<A, B> && !canAdd<B, A> && !canSubtract<A, B> && !canSubtract<B, A> &&
    !canDivide<A, B> && !canDivide<B, A> && !areEqual<A, B> && !areEqual<B, A> &&
    !threadsHaveSeveralRows<A, B> && !threadsHaveSeveralRows<B, A> &&
    !std::is_convertible_v<A, B> && !std::is_convertible_v<B, A> && !std::is_assignable_v<A &, B> &&
    !std::is_assignable_v<B &, A>;

// One unit goes with itself, whether its numbers are known or not.
static_assert(canAdd<Bytes, Bytes> && canSubtract<Bytes, Bytes> && canDivide<Bytes, Bytes> &&
              areEqual<Bytes, Bytes> && threadsHaveSeveralRows<Bytes, Bytes>);
static_assert(canAdd<SymbolicBytes, Bytes> && canAdd<Bytes, SymbolicBytes> &&
              canSubtract<SymbolicElements, Elements> && areEqual<SymbolicBytes, Bytes>);
static_assert(std::is_convertible_v<Bytes, SymbolicBytes> &&
              !std::is_convertible_v<SymbolicBytes, Bytes>);
// No other unit does.
static_assert(areApart<Bytes, Elements> && areApart<Bytes, TileElements> &&
              areApart<Elements, TileElements>);
static_assert(areApart<SymbolicBytes, SymbolicElements> && areApart<SymbolicBytes, Elements> &&
              areApart<Bytes, SymbolicElements> && areApart<SymbolicElements, TileElements>);
static_assert(areApart<Position, Bytes> && areApart<Position, SymbolicBytes> &&
              areApart<Position, TileElements>);
static_assert(!std::is_constructible_v<Bytes, Elements> &&
              !std::is_constructible_v<SymbolicBytes, Elements> &&
              !std::is_constructible_v<SymbolicElements, SymbolicBytes> &&
              !std::is_constructible_v<Position, SymbolicBytes>);

// Plain numbers are given a unit by name, and multiply.
static_assert(std::is_constructible_v<Bytes, int64_t> && !std::is_convertible_v<int64_t, Bytes> &&
              !std::is_convertible_v<Bytes, int64_t>);
static_assert(!canAdd<Bytes, int64_t> && !canAdd<int64_t, Bytes> && !areEqual<Bytes, int64_t> &&
              !threadsHaveSeveralRows<Bytes, int> && !canAdd<SymbolicBytes, Polynomial>);
static_assert(!std::is_convertible_v<Polynomial, SymbolicBytes> &&
              !std::is_convertible_v<SymbolicBytes, Polynomial> &&
              !std::is_convertible_v<Polynomial, Position> &&
              !std::is_convertible_v<Position, Polynomial>);
static_assert(canMultiply<Bytes, int64_t> && canMultiply<int, Bytes> &&
              canMultiply<SymbolicBytes, Polynomial> && canMultiply<Polynomial, SymbolicBytes> &&
              canMultiply<SymbolicBytes, int64_t>);
static_assert(!canMultiply<Bytes, Bytes> && !canMultiply<Bytes, Elements> &&
              !canMultiply<SymbolicBytes, SymbolicElements> &&
              !canMultiply<SymbolicBytes, Position>);

// Positions have distances, and nothing else.
static_assert(
    std::is_same_v<std::invoke_result_t<std::minus<>, Position, Position>, SymbolicElements>);
static_assert(
    std::is_same_v<std::invoke_result_t<std::plus<>, Position, SymbolicElements>, Position>);
static_assert(std::is_same_v<std::invoke_result_t<std::minus<>, Position, Elements>, Position>);
static_assert(!canAdd<Position, Position> && !canMultiply<Position, int64_t> &&
              !canAdd<Position, Polynomial> && !areEqual<Position, SymbolicElements>);

// Polynomials have no order, and are divided by name.
static_assert(!threadsHaveSeveralRows<SymbolicBytes, SymbolicBytes> &&
              !threadsHaveSeveralRows<Position, Position> &&
              !canDivide<SymbolicBytes, SymbolicBytes> && !canDivide<SymbolicBytes, int64_t>);

// And who changes the unit says how large an element is.
template <typename From, typename = void> constexpr bool haveBytes = false;
template <typename From>
constexpr bool haveBytes<From, std::void_t<decltype(bytesOf(std::declval<From>(), 4))>> = true;
static_assert(haveBytes<Elements> && haveBytes<TileElements> && haveBytes<SymbolicElements> &&
              !haveBytes<Bytes> && !haveBytes<Position> && !haveBytes<int64_t>);

TEST(Measures, OneUnit) {
  Bytes bytes(12);
  bytes += Bytes(4);
  EXPECT_EQ(bytes, Bytes(16));
  EXPECT_EQ((bytes - Bytes(20)).count(), -4);
  EXPECT_EQ(2 * bytes, bytes * 2);
  EXPECT_EQ(-bytes, Bytes(-16));
  EXPECT_EQ(bytes / 3, Bytes(5));
  EXPECT_EQ(bytes / Bytes(5), 3);
  EXPECT_EQ(bytes % Bytes(5), Bytes(1));
  EXPECT_LT(Bytes(15), bytes);
  EXPECT_GE(bytes, Bytes(16));
  EXPECT_EQ(roundUp(Bytes(17), Bytes(16)), Bytes(32));
  EXPECT_EQ(roundUp(bytes, Bytes(16)), bytes);
  EXPECT_EQ(Bytes(), Bytes(0));
}

TEST(Measures, SymbolicNumbers) {
  const Polynomial w = Polynomial::symbol(0);
  const SymbolicBytes stride(w * 4);
  EXPECT_EQ((stride + Bytes(16)).count(), w * 4 + 16);
  EXPECT_EQ(w * stride, SymbolicBytes(w * w * 4));
  EXPECT_EQ(SymbolicBytes(), Bytes());
  EXPECT_EQ(SymbolicElements(Elements(3)).count(), 3);
}

TEST(Measures, Positions) {
  const Polynomial x = Polynomial::symbol(0);
  Position start(x * 32);
  start -= Elements(4);
  EXPECT_EQ(start, Position(x * 32 - 4));
  EXPECT_EQ(start + Elements(36) - start, SymbolicElements(36));
  EXPECT_EQ(start.fromStart(), SymbolicElements(x * 32 - 4));
}

TEST(Measures, UnitsChangeByElementSize) {
  EXPECT_EQ(bytesOf(Elements(3), 4), Bytes(12));
  EXPECT_EQ(bytesOf(TileElements(3), 8), Bytes(24));
  EXPECT_EQ(bytesOf(SymbolicElements(Polynomial::symbol(0)), 4),
            SymbolicBytes(Polynomial::symbol(0) * 4));
  EXPECT_EQ(elementsIn(Bytes(12), 4), Elements(3));
  EXPECT_EQ(tileElementsIn(Bytes(24), 8), TileElements(3));
}

#ifndef NDEBUG
TEST(Measures, OnlyWholeElementsAreCounted) {
  EXPECT_DEATH((void)elementsIn(Bytes(13), 4), "only whole elements");
  EXPECT_DEATH((void)tileElementsIn(Bytes(13), 4), "only whole elements");
}
#endif

} // namespace
