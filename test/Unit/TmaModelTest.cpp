// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the TMA unit does, written down by hand, one fact a test. Facts that no
// manual has were measured on an H200; test/conformance looks there for more.
#include "model/Copy.h"
#include "model/Swizzle.h"

#include "gtest/gtest.h"

#include <cstring>
#include <numeric>

using namespace tilelift::emulator;

namespace {

constexpr uint64_t base = 0x10000; // where tensors seem to lie
constexpr uint32_t untouched = 0xeeeeeeee;

/// The arguments of a call, good ones at first.
struct TileArguments {
  ElementType type = ElementType::u32;
  uint32_t rank = 2;
  uint64_t address = base;
  uint64_t extents[5] = {8, 4, 1, 1, 1};
  uint64_t strides[4] = {32, 128, 128, 128};
  uint32_t box[5] = {8, 4, 1, 1, 1};
  uint32_t steps[5] = {1, 1, 1, 1, 1};
  int interleave = 0, promotion = 0, fill = 0, capability = 90;
  Swizzle swizzle = Swizzle::none;

  EncodeResult encode() const {
    return encodeTiled(int(type), rank, address, extents, strides, box, steps, interleave,
                       int(swizzle), promotion, fill, capability);
  }
};

/// Rank 4: channels, W, H, N; a 3x3 filter with a border of one pixel.
struct PixelArguments {
  ElementType type = ElementType::u32;
  uint32_t rank = 4;
  uint64_t address = base;
  uint64_t extents[5] = {4, 3, 2, 2, 1};
  uint64_t strides[4] = {16, 48, 96, 192};
  int lower[3] = {-1, -1, 0}, upper[3] = {-1, -1, 0};
  uint32_t channels = 4, pixels = 4;
  uint32_t steps[5] = {1, 1, 1, 1, 1};
  int interleave = 0, swizzle = 0, promotion = 0, fill = 0;

  EncodeResult encode() const {
    return encodeIm2col(int(type), rank, address, extents, strides, lower, upper, channels, pixels,
                        steps, interleave, swizzle, promotion, fill);
  }
  EncodeResult encodeWide(int mode, int capability = 100) const {
    return encodeIm2colWide(int(type), rank, address, extents, strides, lower[0], upper[0],
                            channels, pixels, steps, interleave, mode, swizzle, promotion, fill,
                            capability);
  }
};

std::string violations(const EncodeResult &result) {
  std::string text;
  for (const std::string &each : result.violations)
    text += each + "\n";
  return text;
}

TensorMap mapOf(const EncodeResult &result) {
  EXPECT_TRUE(result) << violations(result);
  return result.map;
}

TensorCopy copyOf(Transfer transfer, Form form, std::vector<int32_t> coordinates) {
  TensorCopy copy;
  copy.transfer = transfer;
  copy.form = form;
  copy.rank = int(coordinates.size());
  std::copy(coordinates.begin(), coordinates.end(), copy.coordinates);
  return copy;
}

TensorCopy tileAt(std::vector<int32_t> coordinates) {
  return copyOf(Transfer::Load, Form::Tile, std::move(coordinates));
}

/// Global memory from `base` on and a shared window, as words of any kind.
template <typename Word = uint32_t> struct Memory {
  std::vector<Word> global = std::vector<Word>(1024);
  std::vector<Word> shared = std::vector<Word>(4096, Word(0xeeeeeeeeeeeeeeee));

  Memory() { std::iota(global.begin(), global.end(), Word(0)); }

  void run(const TensorMap &map, const TensorCopy &copy) {
    std::vector<Fault> faults = faultsOf(map, copy);
    ASSERT_TRUE(faults.empty()) << faults[0].text;
    execute(map, copy, reinterpret_cast<uint8_t *>(shared.data()),
            ptrdiff_t(reinterpret_cast<uint64_t>(global.data()) - base));
  }
  std::vector<Word> sharedFrom(size_t first, size_t count) const {
    return {shared.begin() + long(first), shared.begin() + long(first + count)};
  }
  std::vector<Word> globalFrom(size_t first, size_t count) const {
    return {global.begin() + long(first), global.begin() + long(first + count)};
  }
};

using Words = std::vector<uint32_t>;

std::vector<Run> runsOf(const TensorMap &map, const TensorCopy &copy) {
  std::vector<Run> runs;
  walk(map, copy, [&](const Run &run) { runs.push_back(run); });
  return runs;
}

/// "kind: text [id]" of the only fault.
std::string faultOf(const TensorMap &map, const TensorCopy &copy) {
  std::vector<Fault> faults = faultsOf(map, copy);
  if (faults.size() != 1)
    return std::to_string(faults.size()) + " faults";
  return std::string(nameOf(faults[0].kind)) + ": " + faults[0].text + " [" + faults[0].id + "]";
}

//===----------------------------------------------------------------------===//
// Swizzles
//===----------------------------------------------------------------------===//

TEST(TmaSwizzle, movesChunksByBitsOfTheAddress) {
  EXPECT_EQ(swizzled(Swizzle::none, 0x3f7), 0x3f7u);
  EXPECT_EQ(swizzled(Swizzle::b32, 0x083), 0x093u);
  EXPECT_EQ(swizzled(Swizzle::b32, 0x100), 0x100u); // bit 8 does not count
  EXPECT_EQ(swizzled(Swizzle::b64, 0x184), 0x1b4u);
  EXPECT_EQ(swizzled(Swizzle::b128, 0x38f), 0x3ffu);
  EXPECT_EQ(swizzled(Swizzle::b128, 0x400), 0x400u);
  EXPECT_EQ(swizzled(Swizzle::b128_atom_32, 0x190), 0x1f0u);
  EXPECT_EQ(swizzled(Swizzle::b128_atom_32_flip_8, 0x080), 0x0a8u);
  EXPECT_EQ(swizzled(Swizzle::b128_atom_64, 0x080), 0x0c0u);
}

TEST(TmaSwizzle, isItsOwnInverseAndKeepsAtoms) {
  for (unsigned mode = 0; mode < tilelift::swizzle_modes; ++mode)
    for (uint32_t address = 0; address < 4096; ++address) {
      uint32_t moved = swizzled(Swizzle(mode), address);
      EXPECT_EQ(swizzled(Swizzle(mode), moved), address);
      EXPECT_EQ(moved / 128, address / 128);
      uint32_t atom = mode == 0 ? 16 : swizzleAtom(Swizzle(mode));
      EXPECT_EQ(moved % atom, address % atom);
    }
}

//===----------------------------------------------------------------------===//
// Maps and the rules that they keep
//===----------------------------------------------------------------------===//

TEST(TmaMap, keepsItsArguments) {
  TileArguments arguments;
  arguments.type = ElementType::bf16;
  arguments.rank = 3;
  arguments.extents[2] = uint64_t(1) << 32;
  arguments.strides[1] = (uint64_t(1) << 40) - 16;
  arguments.steps[2] = 8;
  arguments.swizzle = Swizzle::b64;
  arguments.promotion = 3;
  arguments.fill = 1;
  TensorMap map = mapOf(arguments.encode());
  EXPECT_EQ(map.mode, MapMode::Tiled);
  EXPECT_EQ(map.type, ElementType::bf16);
  EXPECT_EQ(map.rank, 3);
  EXPECT_EQ(map.address, base);
  EXPECT_EQ(map.extents[2], uint64_t(1) << 32);
  EXPECT_EQ(map.stride(1), 32u);
  EXPECT_EQ(map.stride(2), (uint64_t(1) << 40) - 16);
  EXPECT_EQ(map.box[1], 4);
  EXPECT_EQ(map.elementStrides[2], 8);
  EXPECT_EQ(map.swizzle, Swizzle::b64);
  EXPECT_EQ(map.promotion, Promotion::b256);
  EXPECT_EQ(map.fill, Fill::nan);
}

TEST(TmaMap, isKnownByItsBytes) {
  TensorMap map = mapOf(TileArguments().encode());
  char bytes[128] = {};
  EXPECT_FALSE(isTensorMap(bytes));
  std::memcpy(bytes, &map, sizeof(bytes));
  EXPECT_TRUE(isTensorMap(bytes));
}

TEST(TmaMap, keepsItsCorners) {
  PixelArguments arguments;
  arguments.pixels = 1024;
  arguments.upper[1] = 127;
  TensorMap map = mapOf(arguments.encode());
  EXPECT_EQ(map.mode, MapMode::Im2col);
  EXPECT_EQ(map.lower[0], -1);
  EXPECT_EQ(map.upper[1], 127);
  EXPECT_EQ(map.channelsPerPixel, 4);
  EXPECT_EQ(map.pixelsPerColumn, 1024);
  map = mapOf(arguments.encodeWide(1));
  EXPECT_EQ(map.mode, MapMode::Im2colW128);
  EXPECT_EQ(map.upper[0], -1);
  EXPECT_EQ(map.upper[1], 0); // only W has corners
}

TEST(TmaMap, getsAnotherAddress) {
  TensorMap map = mapOf(TileArguments().encode());
  EncodeResult result = replaceAddress(map, 0x20010);
  EXPECT_EQ(mapOf(result).address, 0x20010u);
  EXPECT_EQ(mapOf(result).box[0], 8);
  EXPECT_EQ(
      violations(replaceAddress(map, 0x20008)),
      "the map of 'tensor' starts at 131080, which is no multiple of 16 bytes (address-16)\n");
  EXPECT_EQ(violations(replaceAddress(map, 0)), "'tensor' is null (address-null)\n");
  // Interleaved tensors start on 32 bytes, but not after this call.
  TileArguments interleaved;
  interleaved.rank = 3;
  interleaved.interleave = 2;
  EXPECT_TRUE(replaceAddress(mapOf(interleaved.encode()), 0x20010));
}

/// One change to good arguments and the rule that it breaks.
template <typename Arguments> struct Broken {
  const char *rule;
  void (*change)(Arguments &);
};

template <typename Arguments, size_t Count>
void expectBroken(const Arguments &good, const Broken<Arguments> (&cases)[Count]) {
  EXPECT_TRUE(good.encode()) << violations(good.encode());
  for (const Broken<Arguments> &each : cases) {
    Arguments arguments = good;
    each.change(arguments);
    std::string found = violations(arguments.encode());
    EXPECT_NE(found.find("(" + std::string(each.rule) + ")"), std::string::npos)
        << each.rule << ": " << found;
  }
}

TEST(TmaRules, tiled) {
  using A = TileArguments;
  const Broken<A> cases[] = {
      {"rank", [](A &a) { a.rank = 0; }},
      {"rank", [](A &a) { a.rank = 6; }},
      {"rank", [](A &a) { a.interleave = 1; }},
      {"known-value", [](A &a) { a.type = ElementType(16); }},
      {"known-value", [](A &a) { a.interleave = 3; }},
      {"known-value", [](A &a) { a.promotion = -1; }},
      {"known-value", [](A &a) { a.fill = 2, a.type = ElementType::f32; }},
      {"nan-fill", [](A &a) { a.fill = 1; }},
      {"address-16", [](A &a) { a.address += 8; }},
      {"address-32", [](A &a) { a.address += 16, a.interleave = 2, a.rank = 3; }},
      {"address-range", [](A &a) { a.address = uint64_t(1) << 57; }},
      {"extent-range", [](A &a) { a.extents[1] = 0; }},
      {"extent-range", [](A &a) { a.extents[0] = (uint64_t(1) << 32) + 1; }},
      {"stride-16", [](A &a) { a.strides[0] = 40; }},
      {"stride-32", [](A &a) { a.strides[0] = 48, a.interleave = 2, a.rank = 3; }},
      {"stride-range", [](A &a) { a.strides[0] = uint64_t(1) << 40; }},
      {"step-range", [](A &a) { a.steps[1] = 9; }},
      {"step-range", [](A &a) { a.steps[0] = 0; }}, // ignored, but looked at
      {"box-range", [](A &a) { a.box[1] = 257; }},
      {"box-range", [](A &a) { a.box[1] = 0; }},
      {"inner-box-16", [](A &a) { a.box[0] = 6; }},
      {"inner-box-16", [](A &a) { a.box[0] = 6, a.interleave = 1, a.rank = 3; }},
      {"swizzle-span", [](A &a) { a.box[0] = 12, a.swizzle = Swizzle::b32; }},
      {"swizzle-device", [](A &a) { a.swizzle = Swizzle::b128_atom_32; }},
      {"type-device", [](A &a) { a.type = ElementType::u4_align8, a.box[0] = 32; }},
  };
  expectBroken(A(), cases);
}

TEST(TmaRules, sayWhatWasFoundAndWhatIsNeeded) {
  TileArguments arguments;
  arguments.box[0] = 12;
  arguments.swizzle = Swizzle::b32;
  arguments.steps[1] = 9;
  EXPECT_EQ(violations(arguments.encode()),
            "the element stride of 'tensor' in dimension 1 is 9, allowed are 1 to 8 (step-range)\n"
            "a row of the box of 'box' has 48 bytes, the swizzle has room for 32 (swizzle-span)\n");
  arguments = {};
  arguments.type = ElementType::u6_align16;
  EXPECT_EQ(arguments.encode().violations[0],
            "u6_align16 needs compute capability 10.0, the device has 9.0 (type-device)");
  PixelArguments pixels;
  pixels.lower[0] = 2;
  EXPECT_EQ(violations(pixels.encode()),
            "the box of 'box' is empty in dimension 1: it starts at 2 and ends -1 from an extent "
            "of 3 (corner-order)\n");
}

TEST(TmaRules, paddedTypes) {
  using A = TileArguments;
  A good;
  good.type = ElementType::u4_align16;
  good.capability = 100;
  good.extents[0] = 256;
  good.strides[0] = 128;
  good.box[0] = 128;
  const Broken<A> cases[] = {
      {"packed-extent", [](A &a) { a.extents[0] = 192; }},
      {"packed-extent", [](A &a) { a.type = ElementType::u4_align8, a.extents[0] = 255; }},
      {"padded-box", [](A &a) { a.box[0] = 64; }},
      {"padded-layout", [](A &a) { a.swizzle = Swizzle::b64; }},
      {"padded-layout", [](A &a) { a.swizzle = Swizzle::b128_atom_64; }}, // u6 only
      {"padded-layout", [](A &a) { a.interleave = 1, a.rank = 3; }},
      {"address-32", [](A &a) { a.address += 16; }},
      {"stride-32", [](A &a) { a.strides[0] = 144; }},
      {"nan-fill", [](A &a) { a.fill = 1; }},
  };
  expectBroken(good, cases);
}

TEST(TmaRules, im2col) {
  using A = PixelArguments;
  const Broken<A> cases[] = {
      {"rank", [](A &a) { a.rank = 2; }},
      {"corner-range", [](A &a) { a.lower[0] = -129; }},
      {"corner-range", [](A &a) { a.upper[1] = 128; }},
      {"corner-range", [](A &a) { a.rank = 5, a.lower[2] = 16; }},
      {"corner-range", [](A &a) { a.rank = 3, a.upper[0] = -32769; }},
      {"corner-order", [](A &a) { a.lower[1] = 1; }},
      {"channel-range", [](A &a) { a.channels = 260; }},
      {"channel-range", [](A &a) { a.channels = 0; }},
      {"pixel-range", [](A &a) { a.pixels = 1025; }},
      {"pixel-range", [](A &a) { a.pixels = 0; }},
      {"inner-box-16", [](A &a) { a.channels = 6; }},
      {"swizzle-span", [](A &a) { a.channels = 12, a.swizzle = 1; }},
      {"box-bytes", [](A &a) { a.channels = 256, a.pixels = 229; }},
      {"step-range", [](A &a) { a.steps[3] = 0; }},
  };
  expectBroken(A(), cases);
}

TEST(TmaRules, im2colWide) {
  PixelArguments arguments;
  arguments.lower[1] = 1000; // only W has corners
  EXPECT_TRUE(arguments.encodeWide(1)) << violations(arguments.encodeWide(1));
  arguments.lower[0] = -129; // with the range that they have otherwise
  EXPECT_NE(violations(arguments.encodeWide(1)).find("(corner-range)"), std::string::npos);
  arguments = {};
  arguments.pixels = 1025; // said to be ignored by W128, but looked at
  EXPECT_NE(violations(arguments.encodeWide(1)).find("(pixel-range)"), std::string::npos);
  arguments = {};
  arguments.swizzle = int(Swizzle::b128_atom_32);
  EXPECT_TRUE(arguments.encodeWide(0));
  EXPECT_NE(violations(arguments.encodeWide(0, 90)).find("(swizzle-device)"), std::string::npos);
}

TEST(TmaRules, liftedWideCopiesHaveFewLayouts) {
  tilelift::im2col_request request;
  request.mode = tilelift::im2col_mode::w;
  request.rank = 3;
  auto isBroken = [&] {
    bool broken = false;
    tilelift::check(request, [&](const tilelift::finding &found) {
      broken |= found.rule == tilelift::rule_id::wide_layout;
    });
    return broken;
  };
  EXPECT_FALSE(isBroken());
  request.swizzle = Swizzle::b32;
  EXPECT_TRUE(isBroken());
  request.swizzle = Swizzle::b64;
  EXPECT_FALSE(isBroken());
  request.interleave = Interleave::b16;
  EXPECT_TRUE(isBroken());
}

TEST(TmaRules, theDriverAllowsMoreThanALiftedCopy) {
  TileArguments arguments;
  arguments.address = 0;
  arguments.extents[1] = uint64_t(1) << 32;
  EXPECT_TRUE(arguments.encode());

  tilelift::tile_request request;
  request.address = tilelift::quantity::exactly(0);
  request.dims[0].extent = tilelift::quantity::exactly(int64_t(1) << 32);
  request.dims[0].box = tilelift::quantity::exactly(4);
  std::vector<std::string> broken;
  tilelift::check(request, [&](const tilelift::finding &found) {
    if (found.outcome != tilelift::verdict::holds)
      broken.push_back(tilelift::name_of(found.rule));
  });
  EXPECT_EQ(broken, (std::vector<std::string>{"address-null", "extent-range"}));
}

TEST(TmaRules, theDriverCountsBytesInItsOwnWay) {
  TileArguments arguments;
  arguments.box[0] = 256, arguments.box[1] = 228; // 228 KiB, all of a multiprocessor
  EXPECT_TRUE(arguments.encode());
  arguments.box[1] = 229;
  EXPECT_EQ(violations(arguments.encode()), "the box of 'box' has 234496 bytes, a block has at "
                                            "most 233472 bytes of shared memory (box-bytes)\n");
  // Steps round down, so that a box of one element with a step counts nothing.
  arguments.rank = 3;
  arguments.steps[2] = 2;
  EXPECT_TRUE(arguments.encode());
  // The first one counts, although it has no effect.
  arguments = {};
  arguments.box[0] = 256, arguments.box[1] = 256, arguments.steps[0] = 2;
  EXPECT_TRUE(arguments.encode());
}

TEST(TmaRules, theDriverFindsPixelsInThirtyTwoBits) {
  PixelArguments arguments;
  arguments.extents[1] = uint64_t(1) << 31;
  EXPECT_TRUE(arguments.encode());
  arguments.upper[0] = 0;
  EXPECT_FALSE(arguments.encode());
}

TEST(TmaRules, interleavedCornersAreThoseOfOtherDimensions) {
  PixelArguments arguments;
  arguments.interleave = 1;
  arguments.extents[0] = 1; // where W is otherwise the second dimension
  arguments.lower[0] = 0, arguments.upper[0] = -1;
  EXPECT_FALSE(arguments.encode());
  arguments.upper[0] = 0;
  EXPECT_TRUE(arguments.encode()) << violations(arguments.encode());
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

TEST(TmaTile, aDenseBoxIsOneRun) {
  TensorMap map = mapOf(TileArguments().encode());
  auto runs = runsOf(map, tileAt({0, 0}));
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].global, base);
  EXPECT_EQ(runs[0].shared, 0u);
  EXPECT_EQ(runs[0].bytes, 128u);
  EXPECT_TRUE(runs[0].inside);
}

TEST(TmaTile, swizzledRunsEndWithTheirAtoms) {
  TileArguments arguments;
  arguments.swizzle = Swizzle::b32;
  arguments.extents[1] = 8, arguments.box[1] = 8;
  auto runs = runsOf(mapOf(arguments.encode()), tileAt({0, 0}));
  // Four rows of 32 bytes keep their places, the next four swap their halves.
  ASSERT_EQ(runs.size(), 9u);
  EXPECT_EQ(runs[0].bytes, 128u);
  EXPECT_EQ(runs[1].shared, 0x90u);
  EXPECT_EQ(runs[2].shared, 0x80u);
  EXPECT_EQ(runs[8].shared, 0xe0u);
  EXPECT_EQ(runs[8].global, base + 0xf0);
}

TEST(TmaTile, loadsFillOutsideElementByElement) {
  TileArguments arguments;
  arguments.extents[0] = 7, arguments.extents[1] = 3;
  arguments.box[1] = 2;
  Memory<> memory;
  TensorMap map = mapOf(arguments.encode());
  memory.run(map, tileAt({4, -1}));
  EXPECT_EQ(memory.sharedFrom(0, 17),
            (Words{0, 0, 0, 0, 0, 0, 0, 0, 4, 5, 6, 0, 0, 0, 0, 0, untouched}));
  memory.run(map, tileAt({-4, 2}));
  EXPECT_EQ(memory.sharedFrom(0, 16), (Words{0, 0, 0, 0, 16, 17, 18, 19, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(expectedBytes(map, tileAt({-4, 2})), 64u); // outside counts
}

TEST(TmaTile, aBoxMayBeLargerThanItsTensor) {
  TileArguments arguments;
  arguments.rank = 1;
  arguments.extents[0] = 3;
  arguments.box[0] = 256;
  Memory<> memory;
  memory.run(mapOf(arguments.encode()), tileAt({0}));
  EXPECT_EQ(memory.sharedFrom(0, 5), (Words{0, 1, 2, 0, 0}));
  EXPECT_EQ(memory.shared[255], 0u);
  EXPECT_EQ(memory.shared[256], untouched);
}

TEST(TmaTile, nanIsTheSameSixteenBitsInAllTypes) {
  TileArguments arguments;
  arguments.rank = 1;
  arguments.extents[0] = 1;
  arguments.fill = 1;
  for (ElementType type : {ElementType::f16, ElementType::bf16, ElementType::f32, ElementType::f64,
                           ElementType::tf32}) {
    arguments.type = type;
    Memory<uint16_t> memory;
    memory.run(mapOf(arguments.encode()), tileAt({8}));
    EXPECT_EQ(memory.sharedFrom(0, 8), std::vector<uint16_t>(8, 0x7ff7));
  }
}

TEST(TmaTile, stepsTakeEveryOtherRow) {
  TileArguments arguments;
  arguments.rank = 2;
  arguments.extents[1] = 8, arguments.box[1] = 7;
  arguments.box[0] = 4;
  arguments.steps[0] = 2; // ignored
  arguments.steps[1] = 3;
  Memory<> memory;
  TensorMap map = mapOf(arguments.encode());
  EXPECT_EQ(expectedBytes(map, tileAt({0, 0})), 48u); // ceil(7 / 3) rows
  memory.run(map, tileAt({4, 1}));
  EXPECT_EQ(memory.sharedFrom(0, 13),
            (Words{12, 13, 14, 15, 36, 37, 38, 39, 60, 61, 62, 63, untouched}));
}

TEST(TmaTile, stridesMayOverlapOrBeZero) {
  TileArguments arguments;
  arguments.rank = 3;
  arguments.extents[2] = 2, arguments.box[2] = 2;
  arguments.box[0] = 4, arguments.box[1] = 2;
  arguments.strides[0] = 16, arguments.strides[1] = 0;
  Memory<> memory;
  memory.run(mapOf(arguments.encode()), tileAt({0, 0, 0}));
  EXPECT_EQ(memory.sharedFrom(0, 16), (Words{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(TmaTile, narrowRowsKeepThePitchOfTheSwizzle) {
  TileArguments arguments;
  arguments.box[0] = 4, arguments.box[1] = 2;
  arguments.swizzle = Swizzle::b128;
  Memory<> memory;
  TensorMap map = mapOf(arguments.encode());
  TensorCopy copy = tileAt({4, 0});
  copy.shared = 256; // the pattern depends on the address: rows 2 and 3 of it
  EXPECT_EQ(sharedBytes(map, copy), 256u);
  EXPECT_EQ(expectedBytes(map, copy), 32u);
  memory.run(map, copy);
  EXPECT_EQ(memory.sharedFrom(64, 8), Words(8, untouched));
  EXPECT_EQ(memory.sharedFrom(64 + 8, 4), (Words{4, 5, 6, 7}));      // chunk 0 ^ 2
  EXPECT_EQ(memory.sharedFrom(96 + 12, 4), (Words{12, 13, 14, 15})); // chunk 0 ^ 3
  EXPECT_EQ(memory.sharedFrom(96, 12), Words(12, untouched));
}

TEST(TmaTile, coordinatesDoNotWrapAround) {
  TileArguments arguments;
  arguments.extents[1] = uint64_t(1) << 31;
  arguments.strides[0] = 0;
  Memory<> memory;
  memory.run(mapOf(arguments.encode()), tileAt({0, INT32_MAX - 1}));
  EXPECT_EQ(memory.sharedFrom(7, 4), (Words{7, 0, 1, 2}));
  EXPECT_EQ(memory.sharedFrom(16, 16), Words(16, 0));
}

TEST(TmaTile, loadsRoundToTf32) {
  TileArguments arguments;
  arguments.type = ElementType::tf32;
  arguments.rank = 1;
  arguments.extents[0] = 8;
  Memory<> memory;
  memory.global = {0x3f801000, 0x3f803000, 0x3f801001, 0x7f7fffff,
                   0x7f800000, 0xff800001, 0x00001001, 0xbf800fff};
  memory.run(mapOf(arguments.encode()), tileAt({0}));
  EXPECT_EQ(memory.sharedFrom(0, 8), (Words{0x3f800000, 0x3f804000, 0x3f802000, 0x7f800000,
                                            0x7f800000, 0x7fffe000, 0x00002000, 0xbf800000}));
  arguments.type = ElementType::f32_ftz;
  memory.run(mapOf(arguments.encode()), tileAt({0}));
  EXPECT_EQ(memory.sharedFrom(0, 8), memory.global);
  arguments.type = ElementType::tf32; // nothing is rounded on the way back
  Words before = memory.global;
  memory.run(mapOf(arguments.encode()), copyOf(Transfer::Store, Form::Tile, {0}));
  EXPECT_EQ(memory.global, before);
}

TEST(TmaTile, storesClipTheInnermostDimensionToSixteenBytes) {
  TileArguments arguments;
  arguments.extents[0] = 5, arguments.extents[1] = 3;
  arguments.box[0] = 16, arguments.box[1] = 2;
  arguments.strides[0] = 64;
  Memory<> memory;
  memory.shared.assign(32, 0);
  std::iota(memory.shared.begin(), memory.shared.end(), 1000u);
  TensorCopy copy = copyOf(Transfer::Store, Form::Tile, {0, 2});
  memory.run(mapOf(arguments.encode()), copy);
  // Row 2 only, and 32 bytes of it although it has 20.
  EXPECT_EQ(memory.globalFrom(31, 10),
            (Words{31, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 40}));
  EXPECT_EQ(memory.globalFrom(48, 2), (Words{48, 49}));
}

TEST(TmaTile, storesBehindTheTensorWriteNothing) {
  Memory<> memory;
  TensorMap map = mapOf(TileArguments().encode());
  EXPECT_TRUE(runsOf(map, copyOf(Transfer::Store, Form::Tile, {8, 0})).empty());
  EXPECT_TRUE(runsOf(map, copyOf(Transfer::Store, Form::Tile, {0, 4})).empty());
  EXPECT_TRUE(faultsOf(map, copyOf(Transfer::Store, Form::Tile, {0, INT32_MAX})).empty());
}

TEST(TmaTile, storesUndoTheSwizzle) {
  TileArguments arguments;
  arguments.swizzle = Swizzle::b64;
  arguments.extents[0] = 16, arguments.box[0] = 16, arguments.strides[0] = 64;
  Memory<> memory;
  TensorMap map = mapOf(arguments.encode());
  memory.run(map, tileAt({0, 0}));
  EXPECT_EQ(memory.sharedFrom(32, 8), (Words{36, 37, 38, 39, 32, 33, 34, 35}));
  Words before = memory.global;
  std::fill(memory.global.begin(), memory.global.begin() + 64, 0);
  memory.run(map, copyOf(Transfer::Store, Form::Tile, {0, 0}));
  EXPECT_EQ(memory.global, before);
}

TEST(TmaTile, reducesElementByElement) {
  TileArguments arguments;
  arguments.extents[1] = 1;
  Memory<> memory;
  memory.shared.assign(32, 100);
  TensorCopy copy = copyOf(Transfer::Reduce, Form::Tile, {4, 0});
  memory.run(mapOf(arguments.encode()), copy);
  EXPECT_EQ(memory.globalFrom(3, 6), (Words{3, 104, 105, 106, 107, 8}));
}

TEST(TmaTile, aPrefetchTouchesWhatALoadReads) {
  TensorMap map = mapOf(TileArguments().encode());
  auto runs = runsOf(map, copyOf(Transfer::Prefetch, Form::Tile, {4, 2}));
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[1].global, base + 3 * 32 + 16);
  EXPECT_EQ(runs[1].bytes, 16u);
  EXPECT_TRUE(runs[1].inside);
}

//===----------------------------------------------------------------------===//
// Im2col
//===----------------------------------------------------------------------===//

/// The number of the pixel in each row of 16 bytes, -1 for a filled one.
std::vector<int> pixelsOf(const TensorMap &map, const TensorCopy &copy, uint32_t rows) {
  Memory<> memory;
  memory.run(map, copy);
  std::vector<int> pixels;
  for (uint32_t row = 0; row < rows; ++row)
    pixels.push_back(memory.shared[4 * row + 1] == 0 ? -1 : int(memory.shared[4 * row + 1] / 4));
  EXPECT_EQ(memory.shared[4 * rows], untouched);
  return pixels;
}

// Pixels are numbered 0 1 2 / 3 4 5 in the first image, 6 7 8 / 9 10 11 in the
// second.

TEST(TmaIm2col, walksTheBoundingBoxAcrossImages) {
  PixelArguments arguments; // the box of first pixels: -1..1 by -1..0
  arguments.pixels = 9;
  TensorMap map = mapOf(arguments.encode());
  TensorCopy copy = copyOf(Transfer::Load, Form::Im2col, {0, 0, -1, 0});
  EXPECT_EQ(expectedBytes(map, copy), 9 * 16u);
  EXPECT_EQ(pixelsOf(map, copy, 9), (std::vector<int>{-1, -1, -1, 0, 1, -1, -1, -1, -1}));
  copy.offsets[0] = 1, copy.offsets[1] = 1; // the middle of the filter
  EXPECT_EQ(pixelsOf(map, copy, 9), (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  copy.offsets[0] = 2, copy.offsets[1] = 2; // its last corner
  EXPECT_EQ(pixelsOf(map, copy, 9), (std::vector<int>{5, -1, -1, -1, -1, 10, 11, -1, -1}));
}

TEST(TmaIm2col, stepsAreThoseOfTheConvolution) {
  PixelArguments arguments;
  arguments.steps[0] = 3; // ignored
  arguments.steps[1] = 2;
  arguments.lower[0] = arguments.lower[1] = 0;
  arguments.upper[0] = arguments.upper[1] = 0;
  arguments.pixels = 6;
  TensorCopy copy = copyOf(Transfer::Load, Form::Im2col, {0, 1, 0, 0});
  EXPECT_EQ(pixelsOf(mapOf(arguments.encode()), copy, 6), (std::vector<int>{1, 3, 5, 6, 8, 9}));
  arguments.steps[3] = 2; // images have one, too
  EXPECT_EQ(pixelsOf(mapOf(arguments.encode()), copy, 6), (std::vector<int>{1, 3, 5, -1, -1, -1}));
}

TEST(TmaIm2col, imagesAndChannelsMayBeOutside) {
  PixelArguments arguments;
  arguments.pixels = 2;
  TensorMap map = mapOf(arguments.encode());
  TensorCopy copy = copyOf(Transfer::Load, Form::Im2col, {0, 0, 0, -1});
  EXPECT_EQ(pixelsOf(map, copy, 2), (std::vector<int>{-1, -1}));
  copy.coordinates[3] = 2;
  EXPECT_EQ(pixelsOf(map, copy, 2), (std::vector<int>{-1, -1}));
  copy = copyOf(Transfer::Load, Form::Im2col, {-4, 0, 0, 0});
  EXPECT_EQ(pixelsOf(map, copy, 2), (std::vector<int>{-1, -1}));
}

TEST(TmaIm2col, storesWalkTheSameWay) {
  PixelArguments arguments;
  arguments.lower[0] = 1, arguments.upper[0] = 0;
  arguments.lower[1] = 0, arguments.upper[1] = 0;
  arguments.extents[0] = 3; // a store still writes 16 bytes
  arguments.pixels = 3;
  Memory<> memory;
  memory.shared.assign(12, 7);
  memory.run(mapOf(arguments.encode()),
             copyOf(Transfer::Store, Form::Im2colNoOffsets, {0, 2, 0, 0}));
  Words expected(24);
  std::iota(expected.begin(), expected.end(), 0u);
  for (int pixel : {2, 4, 5})
    std::fill_n(expected.begin() + 4 * pixel, 4, 7u);
  EXPECT_EQ(memory.globalFrom(0, 24), expected);
}

TEST(TmaIm2col, wideStaysOnItsLineAndAppendsAHalo) {
  PixelArguments arguments;
  arguments.lower[0] = 0, arguments.upper[0] = -1;
  arguments.pixels = 3;
  TensorMap map = mapOf(arguments.encodeWide(0));
  TensorCopy copy = copyOf(Transfer::Load, Form::Im2colW, {0, 0, 1, 0});
  copy.offsets[0] = 1; // halo
  copy.offsets[1] = 1; // offset: the box is moved to 1..2
  EXPECT_EQ(expectedBytes(map, copy), 4 * 16u);
  EXPECT_EQ(pixelsOf(map, copy, 4), (std::vector<int>{4, 5, 10, 11}));
}

TEST(TmaIm2col, chunksOfAWideCopyHaveHalosOfTheirOwn) {
  PixelArguments arguments;
  arguments.extents[1] = 140, arguments.extents[2] = arguments.extents[3] = 1;
  arguments.lower[0] = arguments.upper[0] = 0;
  TensorMap map = mapOf(arguments.encodeWide(1));
  TensorCopy copy = copyOf(Transfer::Load, Form::Im2colW128, {0, 1, 0, 0});
  copy.offsets[0] = 2;
  EXPECT_EQ(expectedBytes(map, copy), 136 * 16u);
  std::vector<int> pixels = pixelsOf(map, copy, 136);
  EXPECT_EQ(pixels[0], 1);
  EXPECT_EQ(pixels[127], 128);
  EXPECT_EQ(std::vector<int>(pixels.begin() + 128, pixels.end()),
            (std::vector<int>{33, 65, 97, 129, 34, 66, 98, 130}));
}

//===----------------------------------------------------------------------===//
// Rows, packed types, bulk copies
//===----------------------------------------------------------------------===//

TEST(TmaRows, gatherTakesFourAndFillsThoseOutside) {
  TileArguments arguments;
  arguments.box[1] = 1;
  Memory<> memory;
  TensorMap map = mapOf(arguments.encode());
  TensorCopy copy = copyOf(Transfer::Load, Form::Gather4, {4, 3, 9, 0, -1});
  copy.rank = 2;
  EXPECT_EQ(expectedBytes(map, copy), 128u);
  memory.run(map, copy);
  Words expected(32);
  std::iota(expected.begin(), expected.begin() + 4, 28u);
  std::iota(expected.begin() + 16, expected.begin() + 20, 4u);
  EXPECT_EQ(memory.sharedFrom(0, 32), expected);
}

TEST(TmaRows, scatterSkipsRowsBehindTheTensor) {
  TileArguments arguments;
  arguments.box[0] = 4, arguments.box[1] = 1;
  Memory<> memory;
  memory.shared = {1000, 0, 0, 0, 2000, 0, 0, 0, 3000, 0, 0, 0, 4000, 0, 0, 0};
  TensorCopy copy = copyOf(Transfer::Store, Form::Scatter4, {0, 2, 4, 1, 3});
  copy.rank = 2;
  memory.run(mapOf(arguments.encode()), copy);
  EXPECT_EQ(memory.global[16], 1000u);
  EXPECT_EQ(memory.global[32], 32u);
  EXPECT_EQ(memory.global[8], 3000u);
  EXPECT_EQ(memory.global[24], 4000u);
}

TEST(TmaPacked, fourBitsFillHalfOfTheirSharedMemory) {
  TileArguments arguments;
  arguments.type = ElementType::u4_align16;
  arguments.capability = 100;
  arguments.rank = 1;
  arguments.extents[0] = 128;
  arguments.box[0] = 128;
  Memory<uint8_t> memory;
  TensorMap map = mapOf(arguments.encode());
  EXPECT_EQ(expectedBytes(map, tileAt({0})), 64u);
  EXPECT_EQ(sharedBytes(map, tileAt({0})), 128u);
  memory.run(map, tileAt({0}));
  EXPECT_EQ(memory.sharedFrom(14, 11),
            (std::vector<uint8_t>{0xee, 0xee, 8, 9, 10, 11, 12, 13, 14, 15, 0xee}));
  arguments.type = ElementType::u6_align16;
  map = mapOf(arguments.encode());
  EXPECT_EQ(expectedBytes(map, tileAt({0})), 96u);
  EXPECT_EQ(runsOf(map, tileAt({0}))[1].global, base + 12);
  EXPECT_EQ(runsOf(map, tileAt({0}))[1].shared, 16u);
}

TEST(TmaPacked, denseFourBitsAreBytes) {
  TileArguments arguments;
  arguments.type = ElementType::u4_align8;
  arguments.capability = 100;
  arguments.rank = 1;
  arguments.extents[0] = 36;
  arguments.box[0] = 64;
  Memory<uint8_t> memory;
  memory.run(mapOf(arguments.encode()), tileAt({0}));
  EXPECT_EQ(memory.sharedFrom(16, 3), (std::vector<uint8_t>{16, 17, 0}));
  EXPECT_EQ(memory.shared[32], 0xee);
}

TEST(TmaBulk, copiesAndReducesBytes) {
  uint32_t source[4] = {1, 2, 3, 4}, target[4] = {10, 20, 30, 40};
  BulkCopy copy;
  copy.bytes = 16;
  copy.transfer = Transfer::Reduce;
  copy.source = Space::Shared, copy.target = Space::Global;
  copy.reduction = ReduceOperation::Max;
  EXPECT_TRUE(faultsOf(copy).empty());
  source[2] = 31;
  moveBulk(copy, reinterpret_cast<uint8_t *>(target), reinterpret_cast<uint8_t *>(source));
  EXPECT_EQ(target[2], 31u);
  EXPECT_EQ(target[3], 40u);
  copy.transfer = Transfer::Store;
  moveBulk(copy, reinterpret_cast<uint8_t *>(target), reinterpret_cast<uint8_t *>(source));
  EXPECT_EQ(target[3], 4u);
}

TEST(TmaBulk, faults) {
  auto faultOf = [](const BulkCopy &copy) {
    std::vector<Fault> faults = faultsOf(copy);
    return faults.empty() ? "none"
                          : std::string(nameOf(faults[0].kind)) + ": " + faults[0].text + " [" +
                                faults[0].id + "]";
  };
  BulkCopy copy;
  copy.bytes = 24;
  EXPECT_EQ(faultOf(copy), "undefined: the size 24 is no multiple of 16 bytes; the hardware drops "
                           "the rest [bulk-size-16]");
  copy.bytes = 16;
  EXPECT_EQ(faultOf(copy), "none");
  copy.sourceAddress = 8;
  EXPECT_EQ(faultOf(copy), "misaligned address: the source address 8 is no multiple of 16 bytes "
                           "[bulk-address-16]");
  copy.bytes = 0; // an empty copy looks at nothing
  EXPECT_EQ(faultOf(copy), "none");
  copy.sourceAddress = 0;
  copy.transfer = Transfer::Reduce;
  copy.source = Space::Shared, copy.target = Space::Global;
  copy.type = ElementType::f32;
  EXPECT_EQ(faultOf(copy), "none");
  copy.reduction = ReduceOperation::Min;
  EXPECT_EQ(faultOf(copy), "illegal instruction: there is no reduction 'min' of f32 [reduce-type]");
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

TEST(TmaFaults, sharedMemoryIsAligned) {
  TensorCopy copy = tileAt({0, 0});
  copy.shared = 64;
  EXPECT_EQ(faultOf(mapOf(TileArguments().encode()), copy),
            "misaligned address: the shared address 64 is no multiple of 128 bytes [shared-128]");
}

TEST(TmaFaults, theInnermostCoordinateIsAMultipleOfSixteenBytes) {
  TensorMap map = mapOf(TileArguments().encode());
  EXPECT_EQ(faultOf(map, tileAt({2, 0})),
            "illegal instruction: the innermost coordinate is 2, u32 needs a "
            "multiple of 4 [inner-coordinate-16]");
  EXPECT_EQ(faultsOf(map, copyOf(Transfer::Prefetch, Form::Tile, {2, 0})).at(0).id,
            std::string("inner-coordinate-16"));
  EXPECT_TRUE(faultsOf(map, tileAt({-4, 0})).empty());
  TileArguments arguments;
  arguments.type = ElementType::u4_align16;
  arguments.capability = 100;
  arguments.rank = 1;
  arguments.extents[0] = 256;
  arguments.box[0] = 128;
  EXPECT_EQ(faultOf(mapOf(arguments.encode()), tileAt({64})),
            "illegal instruction: the innermost coordinate is 64, u4_align16 "
            "needs a multiple of 128 [inner-coordinate-16]");
}

TEST(TmaFaults, storesStartInsideOrBehind) {
  TensorMap map = mapOf(TileArguments().encode());
  EXPECT_EQ(faultOf(map, copyOf(Transfer::Store, Form::Tile, {0, -1})),
            "illegal instruction: the coordinate in dimension 1 is -1, only a "
            "load may start before the tensor [store-coordinate]");
  EXPECT_EQ(faultsOf(map, copyOf(Transfer::Reduce, Form::Tile, {-4, 0})).at(0).id,
            std::string("store-coordinate"));
}

TEST(TmaFaults, instructionAndMapMatch) {
  TensorMap tiled = mapOf(TileArguments().encode()), im2col = mapOf(PixelArguments().encode());
  EXPECT_EQ(faultOf(tiled, tileAt({0})),
            "illegal instruction: the instruction has 1 dimensions, the map has 2 [map-rank]");
  EXPECT_EQ(faultOf(im2col, tileAt({0, 0, 0, 0})),
            "illegal instruction: the instruction is .tile, the map is im2col [map-mode]");
  EXPECT_EQ(faultOf(im2col, copyOf(Transfer::Load, Form::Im2colW, {0, 0, 0, 0})),
            "illegal instruction: the instruction is .im2col::w, the map is im2col [map-mode]");
  EXPECT_EQ(faultOf(im2col, copyOf(Transfer::Store, Form::Im2col, {0, 0, 0, 0})),
            "illegal instruction: there is no such instruction with .im2col [no-such-form]");
}

TEST(TmaFaults, extentsThatEncodeMayBeTooLarge) {
  TileArguments arguments;
  arguments.extents[1] = uint64_t(1) << 31;
  EXPECT_TRUE(faultsOf(mapOf(arguments.encode()), tileAt({0, 0})).empty());
  ++arguments.extents[1];
  EXPECT_EQ(faultOf(mapOf(arguments.encode()), tileAt({0, 0})),
            "illegal instruction: the extent of the map in dimension 1 is 2147483649, "
            "which is encoded but cannot be used: at most 2147483648 can [extent-range]");
}

TEST(TmaFaults, theFirstPixelIsInTheBoundingBox) {
  TensorMap map = mapOf(PixelArguments().encode());
  EXPECT_EQ(faultOf(map, copyOf(Transfer::Load, Form::Im2col, {0, 2, 0, 0})),
            "illegal instruction: the first pixel has coordinate 2 in dimension 1, "
            "the bounding box goes from -1 to 1 [pixel-outside]");
  EXPECT_EQ(faultsOf(map, copyOf(Transfer::Load, Form::Im2col, {0, 0, -2, 0})).at(0).id,
            std::string("pixel-outside"));
}

TEST(TmaFaults, offsetsHaveARange) {
  TensorCopy copy = copyOf(Transfer::Load, Form::Im2col, {0, 0, 0, 0});
  copy.offsets[1] = 256;
  EXPECT_EQ(faultOf(mapOf(PixelArguments().encode()), copy),
            "undefined: offset 1 is 256, allowed are 0 to 255 [offset-range]");
  copy = copyOf(Transfer::Load, Form::Im2colW128, {0, 0, 0, 0});
  copy.offsets[0] = 32;
  EXPECT_EQ(faultOf(mapOf(PixelArguments().encodeWide(1)), copy),
            "undefined: the halo has 32 pixels, allowed are 0 to 31 [offset-range]");
}

TEST(TmaFaults, im2colStoresNeedABoxInsideOfTheTensor) {
  PixelArguments arguments;
  arguments.upper[0] = arguments.lower[1] = arguments.upper[1] = 0;
  EXPECT_EQ(faultOf(mapOf(arguments.encode()),
                    copyOf(Transfer::Store, Form::Im2colNoOffsets, {0, 0, 0, 0})),
            "illegal instruction: the corners of the map in dimension 1 are -1 and 0, a store "
            "needs a box inside of the tensor [store-corners]");
}

TEST(TmaFaults, gathersNeedOneRow) {
  TensorCopy copy = copyOf(Transfer::Load, Form::Gather4, {0, 0, 0, 0, 0});
  copy.rank = 2;
  EXPECT_EQ(faultOf(mapOf(TileArguments().encode()), copy),
            "illegal instruction: the box of the map has 4 rows, needed is 1 [gather-map]");
}

TEST(TmaFaults, reductionsNeedAFittingType) {
  TileArguments arguments;
  arguments.type = ElementType::i64;
  arguments.extents[0] = arguments.box[0] = 4;
  TensorCopy copy = copyOf(Transfer::Reduce, Form::Tile, {0, 0});
  EXPECT_EQ(faultOf(mapOf(arguments.encode()), copy),
            "illegal instruction: there is no reduction 'add' of i64 [reduce-type]");
  copy.reduction = ReduceOperation::Max;
  EXPECT_TRUE(faultsOf(mapOf(arguments.encode()), copy).empty());
}

TEST(TmaFaults, someTypesAndSwizzlesAreForLoads) {
  TileArguments arguments;
  arguments.type = ElementType::u4_align16;
  arguments.capability = 100;
  arguments.rank = 1;
  arguments.extents[0] = arguments.box[0] = 128;
  TensorCopy store = copyOf(Transfer::Store, Form::Tile, {0});
  EXPECT_EQ(faultOf(mapOf(arguments.encode()), store),
            "illegal instruction: u4_align16 can only be loaded [store-type]");
  arguments.type = ElementType::u8;
  arguments.swizzle = Swizzle::b128_atom_32_flip_8;
  EXPECT_EQ(faultOf(mapOf(arguments.encode()), store),
            "undefined: 128B_ATOM_32B_FLIP_8B is for loads only [store-swizzle]");
}

TEST(TmaFaults, whatIsNotModelledIsSaid) {
  TileArguments arguments;
  arguments.rank = 3;
  arguments.interleave = 1;
  EXPECT_EQ(faultOf(mapOf(arguments.encode()), tileAt({0, 0, 0})),
            "not modelled: interleaved tensors are not modelled [not-emulated]");
  arguments = {};
  arguments.type = ElementType::u6_align16;
  arguments.capability = 100;
  arguments.rank = 1;
  arguments.extents[0] = arguments.box[0] = 128;
  EXPECT_EQ(faultOf(mapOf(arguments.encode()), copyOf(Transfer::Store, Form::Tile, {0})),
            "not modelled: stores that pack u6_align16 are not modelled [not-emulated]");
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

TEST(TmaReduce, tableOfTypes) {
  auto types = [](bool (*allowed)(ReduceOperation, ElementType), ReduceOperation operation) {
    std::string names;
    for (unsigned type = 0; type < tilelift::element_types; ++type)
      if (allowed(operation, ElementType(type)))
        names += std::string(names.empty() ? "" : " ") + name_of(ElementType(type));
    return names;
  };
  EXPECT_EQ(types(isReducibleTensor, ReduceOperation::Add),
            "u32 i32 u64 f16 f32 f64 bf16 f32_ftz tf32 tf32_ftz");
  EXPECT_EQ(types(isReducibleTensor, ReduceOperation::Min), "u32 i32 u64 i64 f16 bf16");
  EXPECT_EQ(types(isReducibleTensor, ReduceOperation::Inc), "u32");
  EXPECT_EQ(types(isReducibleTensor, ReduceOperation::Xor), "u32 i32 u64");
  // The rules that the rewriter asks say the same.
  for (unsigned operation = 0; operation < tilelift::reduce_operations; ++operation)
    for (unsigned type = 0; type < tilelift::element_types; ++type)
      EXPECT_EQ(tilelift::reduces(tilelift::reduce_operation(operation), ElementType(type)),
                isReducibleTensor(ReduceOperation(operation), ElementType(type)))
          << operation << " " << tilelift::name_of(ElementType(type));
  EXPECT_EQ(types(isReducibleBulk, ReduceOperation::Add), "u32 i32 u64 f16 f32 f64 bf16");
  EXPECT_EQ(types(isReducibleBulk, ReduceOperation::And), "u32 u64");
  EXPECT_EQ(types(isReducibleShared, ReduceOperation::Add), "u32 i32 u64");
  EXPECT_EQ(types(isReducibleShared, ReduceOperation::Max), "u32 i32");
}

TEST(TmaReduce, integers) {
  using R = ReduceOperation;
  using T = ElementType;
  auto u32 = [](R operation, uint64_t old, uint64_t operand, T type = T::u32) {
    return uint32_t(reduced(operation, type, old, operand));
  };
  EXPECT_EQ(u32(R::Add, 0xffffffff, 2), 1u);
  EXPECT_EQ(u32(R::Min, 0xffffffff, 2), 2u);
  EXPECT_EQ(u32(R::Min, 0xffffffff, 2, T::i32), 0xffffffffu);
  EXPECT_EQ(u32(R::Max, 0xffffffff, 2, T::i32), 2u);
  EXPECT_EQ(u32(R::Inc, 4, 5), 5u);
  EXPECT_EQ(u32(R::Inc, 5, 5), 0u);
  EXPECT_EQ(u32(R::Dec, 0, 5), 5u);
  EXPECT_EQ(u32(R::Dec, 6, 5), 5u);
  EXPECT_EQ(u32(R::Dec, 5, 5), 4u);
  EXPECT_EQ(u32(R::And, 12, 10), 8u);
  EXPECT_EQ(u32(R::Or, 12, 10), 14u);
  EXPECT_EQ(u32(R::Xor, 12, 10), 6u);
  EXPECT_EQ(reduced(R::Max, T::i64, ~uint64_t(0), 1), 1u);
  EXPECT_EQ(reduced(R::Add, T::u64, ~uint64_t(0), 1), 0u);
}

TEST(TmaReduce, sumsRoundToTheNearestEven) {
  auto add = [](ElementType type, uint64_t old, uint64_t operand) {
    return reduced(ReduceOperation::Add, type, old, operand);
  };
  EXPECT_EQ(add(ElementType::f16, 0x3c00, 0x1000), 0x3c00u); // 1 + half an ulp
  EXPECT_EQ(add(ElementType::f16, 0x3c01, 0x1000), 0x3c02u);
  EXPECT_EQ(add(ElementType::f16, 0x3c00, 0x1001), 0x3c01u);
  EXPECT_EQ(add(ElementType::f16, 0x0001, 0x0001), 0x0002u); // subnormal
  EXPECT_EQ(add(ElementType::f16, 0x03ff, 0x0001), 0x0400u);
  EXPECT_EQ(add(ElementType::f16, 0x7bff, 0x7bff), 0x7c00u);
  EXPECT_EQ(add(ElementType::f16, 0x3c00, 0xbc00), 0x0000u);
  EXPECT_EQ(add(ElementType::f16, 0x8000, 0x8000), 0x8000u);
  EXPECT_EQ(add(ElementType::bf16, 0x3f80, 0x3b80), 0x3f80u);
  EXPECT_EQ(add(ElementType::bf16, 0x3f81, 0x3b80), 0x3f82u);
  EXPECT_EQ(add(ElementType::f32, 0x3f800000, 0x33800000), 0x3f800000u);
  EXPECT_EQ(add(ElementType::f32, 0x3f800001, 0x33800000), 0x3f800002u);
  EXPECT_EQ(add(ElementType::tf32, 0x3f800001, 0x33800000), 0x3f800002u); // as f32
  EXPECT_EQ(add(ElementType::f64, 0x3ff0000000000000, 0x3ff0000000000000), 0x4000000000000000u);
}

TEST(TmaReduce, onlyFtzTypesFlush) {
  auto add = [](ElementType type, uint64_t old, uint64_t operand) {
    return reduced(ReduceOperation::Add, type, old, operand);
  };
  EXPECT_EQ(add(ElementType::f32, 0x00000001, 0x00000001), 0x00000002u);
  EXPECT_EQ(add(ElementType::f32_ftz, 0x00000001, 0x00000001), 0u);
  EXPECT_EQ(add(ElementType::f32_ftz, 0x80000001, 0x80000001), 0x80000000u);
  EXPECT_EQ(add(ElementType::tf32_ftz, 0x00800001, 0x80800000), 0u); // the result is subnormal
}

TEST(TmaReduce, whatIsNoNumber) {
  auto add = [](ElementType type, uint64_t old, uint64_t operand) {
    return reduced(ReduceOperation::Add, type, old, operand);
  };
  EXPECT_EQ(add(ElementType::f16, 0x7c00, 0xfc00), 0x7fffu);
  EXPECT_EQ(add(ElementType::bf16, 0xff81, 0x0000), 0x7fffu);
  EXPECT_EQ(add(ElementType::f32, 0x7f800001, 0x3f800000), 0x7fffffffu);
  EXPECT_EQ(add(ElementType::f32, 0xff800000, 0x3f800000), 0xff800000u);
  // f64 passes a NaN on, signalling or not, that of shared memory first.
  EXPECT_EQ(add(ElementType::f64, 0, 0x7ff0000000000001), 0x7ff0000000000001u);
  EXPECT_EQ(add(ElementType::f64, 0x7ff0000000000001, 0xfff8000000000002), 0xfff8000000000002u);
  EXPECT_EQ(add(ElementType::f64, 0x7ff0000000000000, 0xfff0000000000000), 0xfff8000000000000u);
}

TEST(TmaReduce, extremesIgnoreNanAndOrderZeros) {
  auto f16 = [](ReduceOperation operation, uint64_t old, uint64_t operand) {
    return reduced(operation, ElementType::f16, old, operand);
  };
  EXPECT_EQ(f16(ReduceOperation::Min, 0x7e00, 0x3c00), 0x3c00u);
  EXPECT_EQ(f16(ReduceOperation::Max, 0x3c00, 0xfc01), 0x3c00u);
  EXPECT_EQ(f16(ReduceOperation::Max, 0x7e00, 0xfc01), 0x7fffu);
  EXPECT_EQ(f16(ReduceOperation::Min, 0x0000, 0x8000), 0x8000u);
  EXPECT_EQ(f16(ReduceOperation::Max, 0x8000, 0x0000), 0x0000u);
  EXPECT_EQ(f16(ReduceOperation::Min, 0xbc00, 0xc000), 0xc000u);
  EXPECT_EQ(f16(ReduceOperation::Max, 0xbc00, 0xc000), 0xbc00u);
}

} // namespace
