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

TEST(Profit, CountsWhatAThreadDoes) {
  EXPECT_FALSE((CopyWork{1, 4, false}).pays());
  EXPECT_TRUE((CopyWork{2, 4, false}).pays());
  EXPECT_TRUE((CopyWork{1, 4, true}).pays());
  EXPECT_FALSE((CopyWork{2, 16, false}).pays());
  EXPECT_TRUE((CopyWork{4, 16, false}).pays());
}

} // namespace
