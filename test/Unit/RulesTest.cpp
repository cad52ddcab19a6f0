// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tilelift/rules.h"

#include "gtest/gtest.h"

#include <map>
#include <random>

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
      found[name_of(each.rule)] = each.text;
  });
  return found;
}

TEST(Rules, aGoodRequestBreaksNone) { EXPECT_TRUE(violations(good()).empty()); }

TEST(Rules, eachIsNamedWithTheNumberFoundAndTheNumberNeeded) {
  tile_request request = good();
  request.address = quantity::exactly(0x1008);
  EXPECT_EQ(violations(request)["address-16"],
            "the map of 'in' starts at 4104, which is no multiple of 16 bytes");

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
          if (each.rule == rule_id::bytes_in_flight)
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
    if (outcomes[name_of(each.rule)] != verdict::open)
      outcomes[name_of(each.rule)] = each.outcome;
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
      found[name_of(each.rule)] = each.text;
  });
  EXPECT_EQ(found["bulk-size-16"], "the copy to 'tile' has 24 bytes, which is no multiple of 16");
  EXPECT_EQ(found["bulk-offset-16"],
            "the copy to 'tile' starts 8 bytes into 'in', which is no multiple of 16");
}

im2col_request goodPixels() {
  im2col_request request;
  request.tensor = "in";
  request.tile = "tile";
  request.type = element_type::f16;
  request.rank = 4;
  request.address = quantity::exactly(0x1000);
  const int64_t extents[] = {64, 10, 14, 2}, strides[] = {2, 128, 1280, 17920};
  for (int d = 0; d < 4; ++d)
    request.dims[d] = {quantity::exactly(extents[d]), quantity::exactly(strides[d]), {}};
  for (int i = 0; i < 2; ++i)
    request.lower[i] = request.upper[i] = quantity::exactly(-1);
  request.channels = quantity::exactly(64);
  request.pixels = quantity::exactly(32);
  return request;
}

std::map<std::string, std::string> violations(const im2col_request &request) {
  std::map<std::string, std::string> found;
  check(request, [&](const finding &each) {
    if (each.outcome != verdict::holds)
      found[name_of(each.rule)] = each.text;
  });
  return found;
}

TEST(Rules, parity_R0_6_R0_7_ranksOfBothKinds) {
  tile_request boxes = good();
  boxes.rank = 0;
  EXPECT_EQ(violations(boxes)["rank"],
            "the copy to 'tile' has 0 dimensions, a tensor map has 1 to 5");
  im2col_request pixels = goodPixels();
  EXPECT_TRUE(violations(pixels).empty());
  pixels.rank = 2;
  EXPECT_EQ(violations(pixels)["rank"],
            "the copy to 'tile' has 2 dimensions, a tensor map has 3 to 5");
  pixels.rank = 6;
  EXPECT_EQ(violations(pixels).count("rank"), 1u);
}

TEST(Rules, pixelsHaveRangesByTheirRank) {
  for (auto [rank, limit] : {std::pair{3, 32768}, {4, 128}, {5, 16}}) {
    im2col_request request = goodPixels();
    request.rank = rank;
    request.dims[4] = {quantity::exactly(2), quantity::exactly(35840), {}};
    request.dims[1].extent = quantity::exactly(100000);
    request.lower[0] = quantity::exactly(-limit);
    request.upper[0] = quantity::exactly(limit - 1);
    request.lower[2] = request.upper[2] = quantity::exactly(0);
    EXPECT_TRUE(violations(request).empty()) << rank;
    request.lower[0] = quantity::exactly(-limit - 1, "-pad");
    EXPECT_EQ(violations(request)["corner-range"],
              "the lower corner of 'tile' is " + std::to_string(-limit - 1) +
                  " (-pad) in dimension 1, allowed are " + std::to_string(-limit) + " to " +
                  std::to_string(limit - 1));
    request.lower[0] = quantity::exactly(0);
    request.upper[0] = quantity::exactly(limit);
    EXPECT_EQ(violations(request).count("corner-range"), 1u) << rank;
  }
}

TEST(Rules, pixelsAndChannelsHaveLimits) {
  auto broken = [](int64_t channels, int64_t pixels, swizzle_mode swizzle = swizzle_mode::none) {
    im2col_request request = goodPixels();
    request.channels = quantity::exactly(channels);
    request.pixels = quantity::exactly(pixels);
    request.swizzle = swizzle;
    return violations(request);
  };
  EXPECT_TRUE(broken(8, 1024).empty());
  EXPECT_EQ(broken(64, 1025)["pixel-range"],
            "the copy to 'tile' has 1025 pixels, allowed are 1 to 1024");
  EXPECT_EQ(broken(264, 32)["channel-range"],
            "the copy to 'tile' has 264 channels, allowed are 1 to 256");
  EXPECT_EQ(broken(4, 32)["inner-box-16"],
            "a row of the box of 'tile' has 8 bytes, which is no multiple of 16");
  EXPECT_EQ(broken(72, 32, swizzle_mode::b128)["swizzle-span"],
            "a row of the box of 'tile' has 144 bytes, the swizzle has room for 128");
}

TEST(Rules, aBoxOfPixelsIsNotEmpty) {
  im2col_request request = goodPixels();
  request.upper[1] = quantity::exactly(-15);
  EXPECT_EQ(violations(request)["corner-order"],
            "the box of 'tile' is empty in dimension 2: it starts at -1 and ends -15 from an "
            "extent of 14");
}

/// The same in numbers without words.
template <typename To, typename From> To numbersOf(const From &request) {
  const auto exact = [](const quantity &value) { return exact_number::exactly(value.low); };
  To made;
  made.type = request.type, made.rank = request.rank;
  made.swizzle = request.swizzle, made.interleave = request.interleave;
  made.address = exact(request.address);
  for (int d = 0; d < request.rank; ++d)
    made.dims[d] = {exact(request.dims[d].extent),
                    exact(request.dims[d].stride),
                    {},
                    exact(request.dims[d].step)};
  return made;
}
bool holdsWithoutWords(const tile_request &request) {
  return holds_at_launch(numbersOf<tile_request_of<exact_number>>(request));
}
bool holdsWithoutWords(const im2col_request &request) {
  auto made = numbersOf<im2col_request_of<exact_number>>(request);
  made.mode = request.mode;
  for (int i = 0; i < request.corners(); ++i) {
    made.lower[i] = exact_number::exactly(request.lower[i].low);
    made.upper[i] = exact_number::exactly(request.upper[i].low);
  }
  return holds_at_launch(made);
}

/// One or two numbers of a good request are others, at the ends of what is allowed.
template <typename Request> void spoil(Request &request, std::mt19937 &chance) {
  const int64_t ends[] = {-1,
                          0,
                          1,
                          8,
                          9,
                          16,
                          24,
                          32,
                          255,
                          257,
                          1 << 20,
                          int64_t(1) << 31,
                          (int64_t(1) << 31) + 1,
                          int64_t(1) << 32,
                          (int64_t(1) << 40) - 16,
                          int64_t(1) << 40,
                          int64_t(1) << 57,
                          INT64_MIN,
                          INT64_MAX - 15};
  for (unsigned times = 1 + chance() % 2; times > 0; --times) {
    const quantity number = quantity::exactly(ends[chance() % std::size(ends)]);
    auto &dimension = request.dims[chance() % request.rank];
    quantity *places[] = {&request.address, &dimension.extent, &dimension.stride, &dimension.step};
    *places[chance() % 4] = number;
    if (chance() % 8 == 0)
      request.type = element_type(chance() % element_types);
    if (chance() % 8 == 0)
      request.swizzle = swizzle_mode(chance() % swizzle_modes);
    if (chance() % 8 == 0)
      request.interleave = interleave_layout(chance() % 3);
  }
}
void spoil(im2col_request &request, std::mt19937 &chance) {
  spoil<im2col_request>(request, chance);
  if (chance() % 2)
    (chance() % 2 ? request.lower : request.upper)[chance() % 2] =
        quantity::exactly(int64_t(chance() % 400) - 200);
  if (chance() % 8 == 0)
    request.mode = im2col_mode(chance() % 3);
}

template <typename Request> void compareWithoutWords(const Request &good) {
  std::mt19937 chance(7);
  int kept = 0, broken = 0;
  for (int i = 0; i < 20000; ++i) {
    Request request = good;
    spoil(request, chance);
    std::string found;
    check_launch(request, [&](const finding &each) {
      if (each.outcome != verdict::holds)
        found += each.text + "; ";
    });
    EXPECT_EQ(holdsWithoutWords(request), found.empty()) << found;
    ++(found.empty() ? kept : broken);
  }
  EXPECT_GT(kept, 2000);
  EXPECT_GT(broken, 2000);
}

TEST(Rules, launchesAreJudgedTheSameWithoutWords) {
  compareWithoutWords(good());
  compareWithoutWords(goodPixels());
}

TEST(Rules, parity_R1_3_bytesOfFourRows) {
  static_assert(gather4_bytes<64, element_type::f16> == 512);
  static_assert(gather4_bytes<16, element_type::f64> == 512);
  static_assert(gather4_bytes<128, element_type::u4_align16> == 256);
  static_assert(gather4_bytes<128, element_type::u6_align16> == 384);
  EXPECT_EQ((gather4_bytes<32, element_type::u8>), 128u);
}

TEST(Rules, everyFindingIsInTheTable) {
  auto known = [](const char *id) {
    for (const rule &each : rule_table)
      if (std::string(each.id) == id)
        return true;
    return false;
  };
  check(good(),
        [&](const finding &each) { EXPECT_TRUE(known(name_of(each.rule))) << name_of(each.rule); });
  check(bulk_request{},
        [&](const finding &each) { EXPECT_TRUE(known(name_of(each.rule))) << name_of(each.rule); });
}

} // namespace
