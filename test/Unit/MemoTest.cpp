// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Memo.h"

#include "gtest/gtest.h"

using namespace tilelift;

namespace {

struct MemoTest : testing::Test {
  MemoTest() {
    Symbol symbol;
    symbol.spelling = "n";
    n = Polynomial::symbol(symbols.intern(symbol));
  }
  static ResultTable::Operands operands(Scalar a, Scalar b) { return {Value(a), Value(b)}; }

  Symbols symbols;
  Polynomial n;
  Condition always = Condition::always();
  ResultTable table;
};

TEST_F(MemoTest, equalNumbersHaveOneResult) {
  table.add(operands(Scalar::ofNumber(n * n), Scalar::ofNumber(3)), always, Scalar::ofNumber(7));
  const Value *found = table.find(operands(Scalar::ofNumber(n * n), Scalar::ofNumber(3)), always);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->asConstant(), 7);
}

TEST_F(MemoTest, otherOperandsHaveNone) {
  table.add(operands(Scalar::ofNumber(n), Scalar::ofNumber(3)), always, Scalar::ofNumber(7));
  EXPECT_FALSE(table.find(operands(Scalar::ofNumber(3), Scalar::ofNumber(n)), always));
  EXPECT_FALSE(table.find(operands(Scalar::ofNumber(n + 1), Scalar::ofNumber(3)), always));
  EXPECT_FALSE(table.find(operands(Scalar::ofNumber(n, {0}), Scalar::ofNumber(3)), always));
  Scalar residue = Scalar::ofNumber(n), elsewhere = Scalar::ofNumber(n);
  residue.residueBits = 32;
  elsewhere.place = {5};
  EXPECT_FALSE(table.find(operands(residue, Scalar::ofNumber(3)), always));
  EXPECT_FALSE(table.find(operands(elsewhere, Scalar::ofNumber(3)), always));
}

TEST_F(MemoTest, theConditionMatters) {
  const Condition positive = Condition::notNegative(n - 1);
  const auto both = operands(Scalar::ofNumber(n), Scalar::ofNumber(3));
  table.add(both, positive, Scalar::ofNumber(1));
  table.add(both, !positive, Scalar::ofNumber(2));
  EXPECT_EQ(table.find(both, positive)->asConstant(), 1);
  EXPECT_EQ(table.find(both, !positive)->asConstant(), 2);
  EXPECT_FALSE(table.find(both, always));
}

TEST_F(MemoTest, valuesOfSeveralCasesAreTheSameOnlyAsTheSameCopy) {
  const Condition positive = Condition::notNegative(n - 1);
  const Value one = Value(Scalar::ofNumber(1)).overwritten(positive, Scalar::ofNumber(2));
  const Value other = Value(Scalar::ofNumber(1)).overwritten(!positive, Scalar::ofNumber(2));
  table.add({one}, always, Scalar::ofNumber(1));
  EXPECT_TRUE(table.find({one}, always));
  EXPECT_FALSE(table.find({other}, always));
}

TEST_F(MemoTest, whatNeverComesAgainIsNotAskedForLong) {
  for (int i = 0; table.isUseful(); ++i) {
    ASSERT_LT(i, 1000);
    const auto next = operands(Scalar::ofNumber(i), Scalar::ofNumber(3));
    if (!table.find(next, always))
      table.add(next, always, Scalar::ofNumber(i));
  }
  EXPECT_FALSE(table.find(operands(Scalar::ofNumber(1), Scalar::ofNumber(3)), always));
}

} // namespace
