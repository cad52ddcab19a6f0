// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algebra/Symbols.h"

#include "gtest/gtest.h"

using namespace tilelift;

namespace {

struct PolynomialTest : testing::Test {
  Polynomial symbol(const char *name, Interval range = {}, bool atLaunch = false) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::Parameter;
    symbol.spelling = name;
    symbol.range = range;
    symbol.knownAtLaunch = atLaunch;
    return Polynomial::symbol(symbols.intern(symbol));
  }
  Symbols symbols;
};

TEST_F(PolynomialTest, equalHoweverWritten) {
  Polynomial w = symbol("w"), y = symbol("y");
  EXPECT_EQ((y + 2) * w, w * y + w * 2);
  EXPECT_EQ(w - w, Polynomial(0));
  EXPECT_TRUE((w * 0).isZero());
  EXPECT_NE(w, y);
}

TEST_F(PolynomialTest, overflowIsInvalidAndStays) {
  Polynomial big(Interval::highest);
  Polynomial sum = big + 1;
  EXPECT_FALSE(sum.isValid());
  EXPECT_FALSE((sum * 0).isValid());
  EXPECT_FALSE((big * symbol("w") * 2).isValid());
}

TEST_F(PolynomialTest, divisionKeepsItsIdentity) {
  Polynomial w = symbol("w"), h = symbol("h"), y = symbol("y"), z = symbol("z");
  Polynomial value = (z * h + y) * w * 4 + 12;
  Division byRow = divide(value, w * 4);
  EXPECT_EQ(byRow.quotient, z * h + y);
  EXPECT_EQ(byRow.remainder, Polynomial(12));
  Division byPadded = divide(y * (w + 2) * 4 + y, (w + 2) * 4);
  EXPECT_EQ(byPadded.quotient * (w + 2) * 4 + byPadded.remainder, y * (w + 2) * 4 + y);
  EXPECT_EQ(byPadded.quotient, y);
  EXPECT_EQ(divide(value, Polynomial(0)).remainder, value);
}

TEST_F(PolynomialTest, rangesFollowTheSymbols) {
  Polynomial b = symbol("b", {0, 65534}), w = symbol("w", {1, Interval::highest});
  EXPECT_EQ(symbols.rangeOf(b * 16 - 2), (Interval{-2, 65534 * 16 - 2}));
  EXPECT_EQ(symbols.rangeOf(b * w).low, 0);
  EXPECT_EQ(symbols.rangeOf(w * -3), (Interval{Interval::lowest, -3}));
  EXPECT_EQ(symbols.rangeOf(symbol("any")), Interval());
}

TEST_F(PolynomialTest, divisorsFollowTheSymbols) {
  Symbol counter;
  counter.kind = Symbol::Kind::Variable;
  counter.spelling = "k0";
  counter.divisor = 32;
  Polynomial k0 = Polynomial::symbol(symbols.intern(counter));
  EXPECT_EQ(symbols.divisorOf(k0 + 64), 32);
  EXPECT_EQ(symbols.divisorOf(k0 * 4 + 8), 8);
  EXPECT_EQ(symbols.divisorOf(Polynomial(0)), 0);
}

TEST_F(PolynomialTest, printsAsCode) {
  Polynomial w = symbol("w"), b = symbol("blockIdx.x");
  EXPECT_EQ(symbols.print(w - b * 128 - 1), "w - blockIdx.x * 128 - 1");
  EXPECT_EQ(symbols.print(Polynomial(-3)), "-3");
  EXPECT_EQ(symbols.print(b * w * 4), "w * blockIdx.x * 4");
}

} // namespace
