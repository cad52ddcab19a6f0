// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of shared memory for what warps do to a tile, and where its bytes lie.
#include "plan/BankConflicts.h"

#include "gtest/gtest.h"

using namespace tilelift;

namespace {

/// 32 lanes, each so many bytes from the one before.
WarpAccess access(int64_t distance, unsigned bytes = 4) {
  WarpAccess result;
  result.bytes = bytes;
  for (int64_t lane = 0; lane < 32; ++lane)
    result.offsets.push_back(lane * distance);
  return result;
}

/// float tile[32][columns], laid out in rows of 32.
Plan planOf(int64_t columns, swizzle_mode swizzle) {
  Plan plan;
  plan.tileElementSize = 4;
  plan.tileExtents = {32, columns};
  plan.layout.moved = true;
  plan.layout.pitch = TileElements(32);
  plan.layout.swizzle = swizzle;
  return plan;
}

TEST(BankConflicts, Declared) {
  EXPECT_EQ(passesAsDeclared(access(4)), 1);
  EXPECT_EQ(passesAsDeclared(access(0)), 1); // all of them read one word
  EXPECT_EQ(passesAsDeclared(access(32 * 4)), 32);
  EXPECT_EQ(passesAsDeclared(access(33 * 4)), 1);
  EXPECT_EQ(passesAsDeclared(access(8)), 2);
  EXPECT_EQ(passesAsDeclared(access(2, 2)), 1); // two lanes share a word
}

TEST(BankConflicts, WideAccessesTakeTurns) {
  EXPECT_EQ(passesAsDeclared(access(8, 8)), 2);
  EXPECT_EQ(passesAsDeclared(access(16, 16)), 4);
  EXPECT_EQ(passesAsDeclared(access(128, 16)), 32);
}

TEST(BankConflicts, Planned) {
  WarpAccess column = access(33 * 4), row = access(4);
  EXPECT_EQ(passesAsPlanned(column, planOf(33, swizzle_mode::none)), 32);
  EXPECT_EQ(passesAsPlanned(column, planOf(33, swizzle_mode::b128)), 4);
  EXPECT_EQ(passesAsPlanned(column, planOf(33, swizzle_mode::b64)), 8);
  EXPECT_EQ(passesAsPlanned(row, planOf(33, swizzle_mode::b128)), 1);
}

TEST(BankConflicts, PlacesOfBytes) {
  Plan plan = planOf(33, swizzle_mode::none);
  plan.layout.lead = TileElements(2);
  EXPECT_EQ(plan.placeOf(Bytes(0)), Bytes(8));
  EXPECT_EQ(plan.placeOf(Bytes(33 * 4 + 5)), Bytes(8 + 128 + 5));
  plan.layout.lead = TileElements(0);
  plan.layout.swizzle = swizzle_mode::b128;
  EXPECT_EQ(plan.placeOf(Bytes(33 * 4)), Bytes(128 + 16)); // the first part of row 1 is its second
  EXPECT_EQ(plan.placeOf(Bytes(8 * 33 * 4)), Bytes(8 * 128));
  plan.layout.moved = false;
  EXPECT_EQ(plan.placeOf(Bytes(77)), Bytes(77));
}

} // namespace
