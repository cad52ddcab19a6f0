//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Stages.h"

#include <algorithm>

using namespace llvm;

namespace tilelift {

RingUse ringUse(unsigned stages, Bytes sharedBytes, Bytes roundBytes, const BlockShape &block) {
  constexpr int64_t mostBlocks = 32, mostThreads = 2048, warp = 32;
  constexpr Bytes mostShared{228 << 10}, ofTheSystem{1 << 10};
  int64_t threads = (int64_t(block[0]) * block[1] * block[2] + warp - 1) / warp * warp;
  int64_t blocks =
      std::min({mostBlocks, mostThreads / threads, mostShared / (sharedBytes + ofTheSystem)});
  return {stages, blocks, blocks * (stages - 1) * roundBytes};
}

RingUse pickStages(ArrayRef<RingUse> choices) {
  RingUse pick = choices.front();
  for (const RingUse &more : choices.drop_front())
    if (pick.bytesAhead < bytesWanted && more.bytesAhead > pick.bytesAhead)
      pick = more;
    else if (pick.stages < 3 && more.blocks == pick.blocks) // rounds are not equally long
      pick = more;
  return pick;
}

} // namespace tilelift
