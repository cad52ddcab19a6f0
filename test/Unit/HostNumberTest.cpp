// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of a launch as trees, and as the text of a language.
#include "emit/LauncherNumbers.h"

#include "gtest/gtest.h"

using namespace tilelift;

namespace {

/// A language that puts a mark in front of each number, argument and function, so that a test sees
/// which parts of a text the language has written.
class Marked : public HostLanguage {
public:
  std::string number(int64_t value) const override { return "#" + std::to_string(value); }
  std::string argument(llvm::StringRef name) const override { return "$" + name.str(); }
  std::string function(HostNumber::Kind kind) const override {
    return "f." + HostLanguage::function(kind);
  }
};

struct HostNumberTest : testing::Test {
  Polynomial symbol(const char *name, Symbol::Kind kind, bool knownAtLaunch) {
    Symbol made;
    made.kind = kind;
    made.spelling = name;
    made.knownAtLaunch = knownAtLaunch;
    return Polynomial::symbol(plan.symbols.intern(made));
  }
  Polynomial computed(const char *op, const Polynomial &left, const Polynomial &right) {
    const Polynomial made =
        plan.symbols.computed({op, left, right, false}, std::string("by ") + op, Interval());
    return made;
  }
  std::string number(const Polynomial &value) {
    std::optional<HostNumber> made = HostNumbers({&plan}).number({value});
    return made ? print(*made) + " | " + print(*made, Marked()) : "unnamed";
  }
  std::string range(const Polynomial &value) {
    std::optional<HostNumber> made = HostNumbers({&plan}).range({value});
    return made ? print(*made) + " | " + print(*made, Marked()) : "unnamed";
  }

  Plan plan;
  Polynomial w = symbol("w", Symbol::Kind::Parameter, true);
  Polynomial h = symbol("h", Symbol::Kind::Parameter, true);
  Polynomial block = symbol("blockIdx.x", Symbol::Kind::BlockIndex, false);
};

TEST_F(HostNumberTest, SumsHaveWhatIsTakenAwayBehindWhatIsAddedAndTheConstantLast) {
  EXPECT_EQ(number(Polynomial(7) - w * 4 + h * w), "w * h - 4 * w + 7 | $w * $h - #4 * $w + #7");
  EXPECT_EQ(number(-w), "-w | -$w");
  EXPECT_EQ(number(Polynomial()), "0 | #0");
  EXPECT_EQ(number(Polynomial(-3)), "-3 | -#3");
}

TEST_F(HostNumberTest, OperandsOfSeveralWordsAreInParentheses) {
  EXPECT_EQ(number(computed(">>", w, Polynomial(3))), "(w >> 3) | ($w >> #3)");
  EXPECT_EQ(number(computed("/", w + 1, h)), "quotient((w + 1), h) | f.quotient(($w + #1), $h)");
  EXPECT_EQ(number(computed("%", w, computed("&", h, Polynomial(-2)))),
            "remainder(w, ((h & -2))) | f.remainder($w, (($h & -#2)))");
}

TEST_F(HostNumberTest, RangesKeepTogetherWhatBelongsToOneBlock) {
  EXPECT_EQ(range(block * 16 - block * w + h),
            "(-w + 16) * block_index(0) + (h) | (-$w + #16) * f.block_index(#0) + ($h)");
  EXPECT_EQ(range(Polynomial(5)), "5 | #5");
  EXPECT_EQ(range(-block - 1), "-block_index(0) - 1 | -f.block_index(#0) - #1");
}

TEST_F(HostNumberTest, CountersAreRanges) {
  const Polynomial counted = symbol("i", Symbol::Kind::Variable, false);
  const SymbolId id = counted.getTerms()[0].factors[0];
  plan.symbols.narrow(id, {2, 100});
  plan.symbols.boundBelow(id, w);
  EXPECT_EQ(range(counted), "between(2, w - 1) | f.between(#2, $w - #1)");
  plan.symbols.countFrom(id, h, 8);
  EXPECT_EQ(range(counted * 4), "4 * counted(h, w, 8) | #4 * f.counted($h, $w, #8)");
}

TEST_F(HostNumberTest, InstancesShareTermsAndHaveTheirOwnNumbers) {
  Plan other;
  other.symbols = plan.symbols;
  HostNumbers numbers({&plan, &other});
  std::optional<HostNumber> sum = numbers.number({w * 4 + 1, w * 8 + h + 1});
  ASSERT_TRUE(sum);
  EXPECT_EQ(print(*sum), "0|1 * h + 4|8 * w + 1");
  std::vector<PlanConstant> constants;
  LauncherNumbers text("launch", "plan", constants);
  EXPECT_EQ(text.number(*sum, "stride"), "1ll * plan::stride * h + 1ll * plan::stride_1 * w + 1ll");
  ASSERT_EQ(constants.size(), 2u);
  EXPECT_EQ(constants[1].name, "stride_1");
  EXPECT_EQ(constants[1].values, (std::vector<int64_t>{4, 8}));
  std::optional<HostNumber> range = numbers.range({block * 16 + w, block * 32 - 1});
  ASSERT_TRUE(range);
  EXPECT_EQ(text.range(*range, "start"),
            "plan::start * launch.block_index(0) + "
            "tilelift::range(1ll * plan::start_1 * w + 1ll * plan::start_2)");
}

TEST_F(HostNumberTest, LaunchersDivideInSixtyFourBitsAndOnlyWhereTheProgramMay) {
  std::vector<PlanConstant> constants;
  LauncherNumbers text("launch", "plan", constants);
  auto written = [&](const Polynomial &value) {
    return text.number(known(HostNumbers({&plan}).number({value})), "");
  };
  EXPECT_EQ(written(w), "w");
  EXPECT_EQ(written(-w), "-1ll * w");
  EXPECT_EQ(written(computed("/", w, Polynomial(4))), "(w / 4ll)");
  EXPECT_EQ(written(computed("/", w + 1, h)),
            "tilelift::quotient((long long)(1ll * w + 1ll), (long long)h)");
}

TEST_F(HostNumberTest, WhatOnlyTheDeviceKnowsHasNoNumber) {
  const Polynomial found = symbol("rows[0]", Symbol::Kind::Opaque, false);
  HostNumbers numbers({&plan});
  EXPECT_FALSE(numbers.number({w + found}));
  EXPECT_EQ(numbers.unnamed().what, "rows[0]");
  EXPECT_FALSE(numbers.range({found}));
  EXPECT_FALSE(numbers.number({block}));
}

} // namespace
