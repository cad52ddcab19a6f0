// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tilelift/rules.h"

#include "gtest/gtest.h"

#include <map>

using namespace tilelift;

namespace {

tile_request good() {
  tile_request request;
  request.tensor = "in";
  request.tile = "tile";
  request.rank = 2;
  request.address = quantity::exactly(0x1000);
  request.dims[0] = {quantity::exactly(100), quantity::exactly(4), quantity::exactly(32)};
  request.dims[1] = {quantity::exactly(50), quantity::exactly(400), quantity::exactly(8)};
  return request;
}

std::map<std::string, std::string> violations(const tile_request &request) {
  std::map<std::string, std::string> found;
  check(request, [&](const finding &each) {
    if (each.outcome != verdict::holds)
      found[each.rule] = each.text;
  });
  return found;
}

TEST(Rules, aGoodRequestBreaksNone) { EXPECT_TRUE(violations(good()).empty()); }

TEST(Rules, eachIsNamedWithTheNumberFoundAndTheNumberNeeded) {
  tile_request request = good();
  request.address = quantity::exactly(0x1008);
  EXPECT_EQ(violations(request)["address-16"],
            "'in' starts at 4104, which is no multiple of 16 bytes");

  request = good();
  request.dims[1].stride = quantity::exactly(404, "w * 4");
  EXPECT_EQ(violations(request)["stride-16"], "the stride of 'in' in dimension 1 is 404 (w * 4) "
                                              "bytes, which is no multiple of 16");
  request = good();
  request.dims[1].stride = quantity::exactly(int64_t(1) << 40);
  EXPECT_EQ(violations(request).count("stride-range"), 1u);

  request = good();
  request.dims[0].extent = quantity::exactly(0, "w");
  EXPECT_EQ(violations(request)["extent-range"], "the extent of 'in' in innermost dimension is 0 "
                                                 "(w) elements, allowed are 1 to 2^31");
  request = good();
  request.dims[0].box = quantity::exactly(257);
  EXPECT_EQ(violations(request)["box-range"], "the box of 'tile' has 257 elements in innermost "
                                              "dimension, allowed are 1 to 256");
  request = good();
  request.dims[0].box = quantity::exactly(6);
  EXPECT_EQ(violations(request)["inner-box-16"],
            "a row of the box of 'tile' has 24 bytes, which is no multiple of 16");
  request = good();
  request.rank = 6;
  EXPECT_EQ(violations(request).count("rank"), 1u);
  request = good();
  request.address = quantity::exactly(0, "in");
  EXPECT_EQ(violations(request)["address-null"], "'in' is null");
}

TEST(Rules, aBoxFitsSharedMemoryAndABarrierCountsIt) {
  tile_request request = good();
  request.dims[0].box = request.dims[1].box = quantity::exactly(256);
  EXPECT_EQ(violations(request)["box-bytes"], "the box of 'tile' has 262144 bytes, a block has at "
                                              "most 232448 bytes of shared memory");
  std::string text;
  check(bulk_request{"in", "tile", quantity::exactly(64), quantity::exactly(0),
                     quantity::exactly(1 << 20)},
        [&](const finding &each) {
          if (std::string(each.rule) == "bytes-in-flight")
            text = each.text;
        });
  EXPECT_EQ(text, "the copy to 'tile' has 1048576 bytes, a barrier counts at most 1048575");
}

TEST(Rules, allViolationsAreReported) {
  tile_request request = good();
  request.address = quantity::exactly(4);
  request.dims[1].stride = quantity::exactly(404);
  request.dims[1].extent = quantity::exactly(-1);
  EXPECT_EQ(violations(request).size(), 3u);
}

TEST(Rules, whatIsKnownInPartStaysOpenOrHolds) {
  tile_request request = good();
  request.dims[1].stride = {0, std::numeric_limits<int64_t>::max(), 64, "w * 64"};
  std::map<std::string, verdict> outcomes;
  check(request, [&](const finding &each) {
    if (outcomes[each.rule] != verdict::open)
      outcomes[each.rule] = each.outcome;
  });
  EXPECT_EQ(outcomes["stride-16"], verdict::holds); // any w will do
  EXPECT_EQ(outcomes["stride-range"], verdict::open);
}

TEST(Rules, largestExtentIsTheOneThatLoads) {
  tile_request request = good();
  request.dims[1].extent = quantity::exactly(int64_t(1) << 31);
  EXPECT_TRUE(violations(request).empty());
  request.dims[1].extent = quantity::exactly((int64_t(1) << 31) + 1);
  EXPECT_EQ(violations(request).count("extent-range"), 1u);
}

TEST(Rules, bulkCopies) {
  bulk_request request{"in", "tile", quantity::exactly(64), quantity::exactly(8),
                       quantity::exactly(24)};
  std::map<std::string, std::string> found;
  check(request, [&](const finding &each) {
    if (each.outcome == verdict::fails)
      found[each.rule] = each.text;
  });
  EXPECT_EQ(found["bulk-size-16"], "the copy to 'tile' has 24 bytes, which is no multiple of 16");
  EXPECT_EQ(found["bulk-offset-16"],
            "the copy to 'tile' starts 8 bytes into 'in', which is no multiple of 16");
}

TEST(Rules, everyFindingIsInTheTable) {
  auto known = [](const char *id) {
    for (const rule &each : rule_table)
      if (std::string(each.id) == id)
        return true;
    return false;
  };
  check(good(), [&](const finding &each) { EXPECT_TRUE(known(each.rule)) << each.rule; });
  check(bulk_request{}, [&](const finding &each) { EXPECT_TRUE(known(each.rule)) << each.rule; });
}

} // namespace
