// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Value.h"

#include "gtest/gtest.h"

using namespace tilelift;

namespace {

Scalar loaded(int64_t offset) {
  Source source;
  source.kind = Source::Kind::Load;
  source.offset = offset;
  return Scalar::ofData(source);
}

struct ValueTest : testing::Test {
  ValueTest() {
    Symbol symbol;
    symbol.spelling = "n";
    n = Polynomial::symbol(symbols.intern(symbol));
    guard = Condition::notNegative(n);
  }
  Symbols symbols;
  Polynomial n;
  Condition guard;
};

TEST_F(ValueTest, overwritingUnderAGuardKeepsBoth) {
  Value value = Value(Scalar::ofNumber(1)).overwritten(guard, Scalar::ofNumber(2));
  ASSERT_EQ(value.getCases().size(), 2u);
  Value back = value.overwritten(!guard, Scalar::ofNumber(2));
  EXPECT_EQ(back.asConstant(), 2); // the old value is left nowhere
}

TEST_F(ValueTest, truthUnderConditionsIsOneCondition) {
  Value value = Value(Scalar::ofTruth(Condition::never()))
                    .overwritten(guard, Scalar::ofTruth(Condition::always()));
  ASSERT_TRUE(value.single());
  EXPECT_EQ(value.single()->truth, guard);
}

TEST_F(ValueTest, vectorsComeApart) {
  LocalObject object;
  object.write(0, 16, Condition::always(), loaded(32));
  Value second = object.read(4, 4, {});
  ASSERT_TRUE(second.single());
  EXPECT_EQ(second.single()->data->offset, Polynomial(36));
}

TEST_F(ValueTest, neighboursReadAsOne) {
  LocalObject object;
  object.write(0, 4, Condition::always(), loaded(8));
  object.write(4, 4, Condition::always(), loaded(12));
  Value both = object.read(0, 8, {});
  ASSERT_TRUE(both.single());
  EXPECT_EQ(both.single()->data->offset, Polynomial(8));
  object.write(4, 4, Condition::always(), loaded(40));
  EXPECT_TRUE(object.read(0, 8, {}).single()->is(Scalar::Kind::Unknown));
}

TEST_F(ValueTest, whatIsNotSetIsUnknown) {
  LocalObject object;
  EXPECT_EQ(object.read(0, 4, {}).single()->why, "is used before it is set");
}

} // namespace
