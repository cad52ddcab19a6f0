//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors to ask the driver and the rule table about: near what is allowed,
// on both sides of it. Whether one is allowed is not known here.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TEST_CONFORMANCE_VERDICTS_H
#define TILELIFT_TEST_CONFORMANCE_VERDICTS_H

#include "Descriptor.h"
#include "Random.h"

namespace tilelift::conformance {

/// The bytes of a row that a swizzle leaves room for, in elements.
inline uint32_t longestRow(const Descriptor &d) {
  uint32_t span = span_of(swizzle_mode(d.swizzle));
  uint32_t elements = span ? span * 8 / bits_of(d.elementType()) : 256;
  return elements < 256 ? elements : 256;
}

/// A row that is a multiple of 16 bytes where that is possible.
inline uint32_t drawRow(const Descriptor &d, Random &random) {
  uint32_t step = 128 / bits_of(d.elementType());
  uint32_t steps = longestRow(d) / step;
  return is_padded(d.elementType()) || steps == 0 ? 128 : step * uint32_t(random.between(1, steps));
}

inline void drawBox(Descriptor &d, Random &random) {
  d.box[0] = drawRow(d, random);
  // Most boxes fit in shared memory, some come near the limit or pass it.
  uint64_t room = uint64_t(random.oneIn(4) ? 1 << 20 : 1 << 17) * 8 / bits_of(d.elementType());
  for (uint32_t i = 1; i < 5; ++i) {
    uint64_t before = d.box[0];
    for (uint32_t j = 1; j < i; ++j)
      before *= d.box[j];
    uint64_t most = room / before < 256 ? room / before : 256;
    d.box[i] = most > 1 ? uint32_t(random.upTo(most)) : 1;
    if (d.box[i] == 0)
      d.box[i] = 1;
  }
}

inline void drawColumns(Descriptor &d, Random &random) {
  int64_t limit = d.rank == 3 || d.mode != MapMode::Im2col ? 32768 : d.rank == 4 ? 128 : 16;
  for (int i = 0; i < 3; ++i) {
    d.lower[i] = int(random.between(-limit, limit - 1));
    d.upper[i] = int(random.between(-limit, limit - 1));
    if (random.oneIn(2)) {
      d.lower[i] = int(-random.between(0, 3));
      d.upper[i] = int(random.between(-3, 3));
    }
  }
  d.channels = drawRow(d, random);
  d.pixels = uint32_t(random.oneIn(2) ? random.between(1, 1024) : 1 + random.upTo(1023));
}

inline Descriptor drawDescriptor(Random &random) {
  Descriptor d;
  d.mode = MapMode(random.oneIn(2) ? 0 : random.below(4));
  d.type = int(random.oneIn(16) ? random.below(16) : random.below(13));
  d.rank = uint32_t(d.mode != MapMode::Tiled ? random.between(3, 5) : random.between(1, 5));
  d.interleave = int(random.oneIn(8) && d.rank >= 3 ? random.between(1, 2) : 0);
  d.swizzle = d.interleave == 2  ? 1
              : random.oneIn(24) ? int(random.below(7))
                                 : int(random.below(4));
  d.promotion = int(random.below(4));
  d.fill = is_floating(d.elementType()) ? int(random.below(2)) : 0;
  uint64_t alignment = d.interleave == 2 || is_padded(d.elementType()) ? 32 : 16;
  d.address = 0x7f0000000000 + alignment * random.below(1 << 16);
  for (uint64_t &extent : d.extents)
    extent = 1 + random.upTo(random.oneIn(4) ? (uint64_t(1) << 32) - 1 : 4095);
  if (is_packed(d.elementType()))
    d.extents[0] = 128 * (1 + random.upTo(1 << 20));
  for (uint64_t &stride : d.strides)
    stride = alignment * random.upTo(random.oneIn(4) ? (uint64_t(1) << 35) - 1 : 1 << 16);
  for (uint32_t &step : d.elementStrides)
    step = uint32_t(random.oneIn(2) ? 1 : random.between(1, 8));
  d.mode != MapMode::Tiled ? drawColumns(d, random) : drawBox(d, random);
  return d;
}

/// Sets one field to a value at or beyond one of its limits.
inline void mutate(Descriptor &d, Random &random) {
  const uint64_t two32 = uint64_t(1) << 32;
  int dimension = int(random.below(5)), corner = int(random.below(3));
  switch (random.below(16)) {
  case 0: d.type = int(random.between(-1, 17)); break;
  case 1: d.rank = uint32_t(random.between(0, 6)); break;
  case 2: d.address += random.pick<uint64_t>({1, 2, 4, 8, 16, 24, 32, 64}); break;
  case 3:
    d.extents[dimension] = random.pick<uint64_t>(
        {0, 1, two32 / 2, two32 / 2 + 1, two32 - 2, two32 - 1, two32, two32 + 1, two32 * 2});
    break;
  case 4:
    d.strides[dimension % 4] = random.pick<uint64_t>(
        {0, 8, 16, 24, 32, 40, 48, two32 * 256 - 16, two32 * 256, two32 * 256 + 16, two32 * 4096});
    break;
  case 5:
    d.box[dimension] = random.pick<uint32_t>({0, 1, 2, 3, 4, 8, 16, 128, 255, 256, 257, 512});
    break;
  case 6: d.box[0] = uint32_t(random.below(260)); break;
  case 7: d.elementStrides[dimension] = random.pick<uint32_t>({0, 1, 2, 7, 8, 9, 16}); break;
  case 8: d.interleave = int(random.between(-1, 3)); break;
  case 9: d.swizzle = int(random.between(-1, 7)); break;
  case 10: d.promotion = int(random.between(-1, 4)); break;
  case 11: d.fill = int(random.between(-1, 2)); break;
  case 12:
    (random.oneIn(2) ? d.lower : d.upper)[corner] = random.pick<int>(
        {-32769, -32768, -129, -128, -17, -16, 0, 15, 16, 127, 128, 32767, 32768, 65536});
    break;
  case 13:
    d.channels = random.pick<uint32_t>({0, 1, 2, 3, 4, 8, 12, 16, 64, 128, 255, 256, 257});
    break;
  case 14:
    d.pixels = random.pick<uint32_t>({0, 1, 2, 255, 256, 257, 1023, 1024, 1025, 2048});
    break;
  case 15:
    d.lower[corner] = int(d.extents[corner + 1] + d.upper[corner]) - int(random.below(3));
    break;
  }
}

} // namespace tilelift::conformance

#endif
