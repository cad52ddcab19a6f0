// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many tiles a ring gets, and which copies are worth it.

#include "plan/Stages.h"
#include "plan/Profit.h"

#include "gtest/gtest.h"

using namespace tilelift;

namespace {

constexpr BlockShape warps8{256, 1, 1};

TEST(Stages, ThreadsAndSharedMemoryLimitBlocks) {
  EXPECT_EQ(ringUse(2, Bytes(1000), Bytes(500), warps8).blocks, 8); // 2048 threads
  EXPECT_EQ(ringUse(2, Bytes(1000), Bytes(500), {33, 1, 1}).blocks,
            32); // 64 each, and no more blocks
  EXPECT_EQ(ringUse(4, Bytes(196608), Bytes(49152), warps8).blocks, 1); // 228 KB
  EXPECT_EQ(ringUse(4, Bytes(196608), Bytes(49152), warps8).bytesAhead, Bytes(3 * 49152));
}

RingUse picked(Bytes roundBytes, const BlockShape &block) {
  std::vector<RingUse> choices;
  for (unsigned stages : {2, 3, 4})
    choices.push_back(ringUse(stages, stages * roundBytes, roundBytes, block));
  return pickStages(choices);
}

TEST(Stages, AsManyAsKeepMemoryBusy) {
  EXPECT_EQ(picked(Bytes(128), warps8).stages, 4u);       // never enough
  EXPECT_EQ(picked(Bytes(8192), {32, 32, 1}).stages, 4u); // two blocks: 16 KB for each stage
  EXPECT_EQ(picked(Bytes(49152), warps8).stages, 2u);     // enough, and a third one costs a block
  EXPECT_EQ(picked(Bytes(8192), warps8).stages, 3u);      // enough, but a third one is free
}

TEST(Profit, AccessesUnderDifferentGuardsFollowOneAnother) {
  EXPECT_EQ((CopyWork{4, 4, 0}).waits(), 1u);
  EXPECT_EQ((CopyWork{4, 4, 1}).waits(), 1u);
  EXPECT_EQ((CopyWork{1.2, 4, 1.2}).waits(), 2u);
  EXPECT_EQ((CopyWork{0.1, 4, 0.1}).waits(), 1u);
}

bool isLoss(Hiding hiding, int64_t bytes, double accesses, unsigned waits = 1) {
  return lossByWait({false, hiding, Bytes(bytes), accesses, waits, 256}).has_value();
}

TEST(Profit, WhatThreadsWaitForHasToBeWorthIt) {
  EXPECT_TRUE(isLoss(Hiding::Nothing, 1024, 1));        // 4 bytes each
  EXPECT_FALSE(isLoss(Hiding::Nothing, 2048, 2));       // 8
  EXPECT_TRUE(isLoss(Hiding::NothingInLoop, 4096, 1));  // 16 in each round
  EXPECT_FALSE(isLoss(Hiding::NothingInLoop, 4096, 4)); // by four accesses
  EXPECT_FALSE(isLoss(Hiding::NothingInLoop, 8192, 2));
  EXPECT_FALSE(isLoss(Hiding::Nothing, 1024, 1, 2)); // the loop waits twice
  EXPECT_TRUE(isLoss(Hiding::ByProgram, 8192, 2));
  EXPECT_FALSE(isLoss(Hiding::ByProgram, 8192, 8));
  EXPECT_FALSE(isLoss(Hiding::ByPipeline, 1024, 1));
  EXPECT_TRUE(isLoss(Hiding::ByPipeline, 128, 0.125));
  EXPECT_EQ(lossByWait({false, Hiding::Nothing, Bytes(1024), 1, 1, 256})->byTma, "1.05 us");
  EXPECT_TRUE(lossByWait({true, Hiding::Nothing, Bytes(1024), 1, 1, 256}));
  EXPECT_TRUE(lossByWait({true, Hiding::NothingInLoop, Bytes(4096), 1, 1, 256}));
  EXPECT_FALSE(lossByWait({true, Hiding::Nothing, Bytes(4096), 1, 1, 256}));
}

TEST(Profit, BlocksThatOnlyCopyAreAskedMore) {
  auto isLossOf = [](bool areStores, int64_t bytes, double accesses, unsigned threads) {
    return lossByWait({areStores, Hiding::Nothing, Bytes(bytes), accesses, 1, threads,
                       /*isMostOfBlock=*/true})
        .has_value();
  };
  EXPECT_TRUE(isLossOf(false, 4096, 2, 512));
  EXPECT_FALSE(isLossOf(false, 4096, 4, 256));
  EXPECT_FALSE(isLossOf(false, 1024, 2, 128)); // an SM has other blocks
  EXPECT_TRUE(isLossOf(true, 4096, 4, 256));
  EXPECT_FALSE(isLossOf(true, 8192, 8, 256));
}

/// Rows of some bytes, each a copy of its own.
std::optional<ExpectedLoss> lossOfRows(int64_t rows, int64_t bytes, const CopyWork &work,
                                       bool isAsync = false) {
  Plan plan;
  plan.access.emplace<BulkAccess>().rows.push_back({rows, {}, Bytes(bytes)});
  plan.expectedBytes = rows * Bytes(bytes);
  return lossByRows(plan, work, isAsync);
}

TEST(Profit, ShortRowsKeepTheUnitBusy) {
  const CopyWork narrow{4, 4}, wide{2, 16};
  EXPECT_TRUE(lossOfRows(64, 16, narrow));
  EXPECT_FALSE(lossOfRows(4, 16, narrow));   // few
  EXPECT_FALSE(lossOfRows(32, 256, narrow)); // as fast as a loop of narrow accesses
  EXPECT_TRUE(lossOfRows(32, 256, wide));
  EXPECT_FALSE(lossOfRows(16, 1024, wide));
  EXPECT_TRUE(lossOfRows(32, 256, narrow, /*isAsync=*/true));
  EXPECT_EQ(lossOfRows(64, 16, narrow)->byTma, "1.79 us");
}

} // namespace
