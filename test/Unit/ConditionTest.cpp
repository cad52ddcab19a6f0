// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algebra/Condition.h"

#include "gtest/gtest.h"

using namespace tilelift;

namespace {

struct ConditionTest : testing::Test {
  Polynomial symbol(const char *name) {
    Symbol symbol;
    symbol.spelling = name;
    return Polynomial::symbol(symbols.intern(symbol));
  }
  Condition less(const Polynomial &a, const Polynomial &b) {
    return Condition::notNegative(b - a - 1);
  }
  Symbols symbols;
  Polynomial x = symbol("x"), y = symbol("y"), w = symbol("w"), h = symbol("h");
};

TEST_F(ConditionTest, numbersDecide) {
  EXPECT_TRUE(Condition::notNegative(3).isAlways());
  EXPECT_TRUE(Condition::notNegative(-1).isNever());
  EXPECT_TRUE(Condition::zero(0).isAlways());
}

TEST_F(ConditionTest, conjunctionKeepsOneIntervalForEachPolynomial) {
  Condition both = Condition::notNegative(x + 2) && less(x, 5) && Condition::notNegative(x);
  ASSERT_TRUE(both.asConjunction());
  ASSERT_EQ(both.asConjunction()->size(), 1u);
  EXPECT_EQ(both.asConjunction()->front().range, (Interval{0, 4}));
  EXPECT_TRUE((both && less(x, 0)).isNever());
}

TEST_F(ConditionTest, negationIsExact) {
  Condition inside =
      Condition::notNegative(y) && less(y, h) && Condition::notNegative(x) && less(x, w);
  Condition outside = !inside;
  EXPECT_EQ(outside.getAlternatives().size(), 4u);
  EXPECT_EQ(!outside, inside);
  EXPECT_TRUE((inside && outside).isNever());
  EXPECT_TRUE((Condition::notNegative(x) || !Condition::notNegative(x)).isAlways());
}

TEST_F(ConditionTest, spellingDoesNotMatter) {
  Condition a = less(x, w) && Condition::notNegative(x);
  Condition b = !(Condition::notNegative(x - w) || less(x, 0));
  EXPECT_EQ(a, b);
}

TEST_F(ConditionTest, boundsByTheSmallerOfTwoAreTwoBounds) {
  Condition byFirst = !less(h, w) && less(x, w), bySecond = less(h, w) && less(x, h);
  EXPECT_EQ(byFirst || bySecond, less(x, w) && less(x, h));
  // So is one by the larger of two, below it.
  Condition aboveFirst = !less(h, w) && less(h, x), aboveSecond = less(h, w) && less(w, x);
  EXPECT_EQ(aboveFirst || aboveSecond, less(w, x) && less(h, x));
  // Below the larger of two is no conjunction.
  Condition below = (!less(h, w) && less(x, h)) || (less(h, w) && less(x, w));
  EXPECT_EQ(below.getAlternatives().size(), 2u);
  EXPECT_EQ(below, (!less(h, w) && less(x, h)) || (less(h, w) && less(x, w)));
}

TEST_F(ConditionTest, touchingIntervalsJoin) {
  Condition low = Condition::notNegative(x) && less(x, 4);
  Condition high = Condition::notNegative(x - 4) && less(x, 9);
  ASSERT_TRUE((low || high).asConjunction());
  EXPECT_EQ((low || high).asConjunction()->front().range, (Interval{0, 8}));
}

TEST_F(ConditionTest, unknownStaysUnlessDecided) {
  EXPECT_TRUE((Condition::unknown() && Condition::always()).isUnknown());
  EXPECT_TRUE((Condition::unknown() && Condition::never()).isNever());
  EXPECT_TRUE((Condition::unknown() || Condition::always()).isAlways());
  EXPECT_TRUE((!Condition::unknown()).isUnknown());
}

} // namespace
