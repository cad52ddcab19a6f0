//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the arguments of a call to a request for the rule table, and from a
// request that keeps all rules to a map.
//===----------------------------------------------------------------------===//

#include "model/TensorMap.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

namespace tilelift::emulator {

namespace {

/// The enumerator of a plain number; a number that no enumeration has becomes
/// one that the rule table does not know either.
template <typename Enumeration> Enumeration enumerator(int value) {
  return Enumeration(value < 0 || value > 255 ? 255 : value);
}

quantity exactly(uint64_t value) {
  return quantity::exactly(int64_t(std::min(value, uint64_t(std::numeric_limits<int64_t>::max()))));
}

/// The arguments that all calls have, as they come.
struct MapArguments {
  int dataType;
  uint32_t rank;
  uint64_t address;
  const uint64_t *extents;
  const uint64_t *strides;
  const uint32_t *elementStrides;
  int interleave;
  int swizzle;
  int promotion;
  int fill;
  int capability;
};

void describe(map_request &request, const MapArguments &arguments) {
  request.tensor = "tensor";
  request.tile = "box";
  request.type = enumerator<ElementType>(arguments.dataType);
  request.rank = int(std::min(arguments.rank, 255u));
  request.address = exactly(arguments.address);
  for (int d = 0; d < request.rank && d < max_rank; ++d) {
    request.dims[d].extent = exactly(arguments.extents[d]);
    request.dims[d].step = exactly(arguments.elementStrides[d]);
    if (d > 0)
      request.dims[d].stride = exactly(arguments.strides[d - 1]);
  }
  request.interleave = enumerator<Interleave>(arguments.interleave);
  request.swizzle = enumerator<Swizzle>(arguments.swizzle);
  request.promotion = enumerator<Promotion>(arguments.promotion);
  request.fill = enumerator<Fill>(arguments.fill);
  request.capability = arguments.capability;
}

/// Collects the rules that a request breaks, as sentences.
struct Violations {
  std::vector<std::string> &texts;
  void operator()(const finding &found) {
    if (found.outcome != verdict::holds)
      texts.push_back(found.text + " (" + name_of(found.rule) + ")");
  }
};

/// A map of what all modes have in common, unless a rule is broken.
template <typename Request> EncodeResult encode(const Request &request, MapMode mode) {
  EncodeResult result;
  check(request, Violations{result.violations}, limits_of::driver);
  if (!result)
    return result;
  TensorMap &map = result.map;
  map.magic = TensorMap::validMagic;
  map.mode = mode;
  map.type = request.type;
  map.rank = uint8_t(request.rank);
  map.address = uint64_t(request.address.low);
  for (int d = 0; d < request.rank; ++d) {
    map.extents[d] = uint64_t(request.dims[d].extent.low);
    map.elementStrides[d] = uint8_t(request.dims[d].step.low);
    if (d > 0)
      map.strides[d - 1] = uint64_t(request.dims[d].stride.low);
  }
  map.interleave = request.interleave;
  map.swizzle = request.swizzle;
  map.promotion = request.promotion;
  map.fill = request.fill;
  return result;
}

EncodeResult encodeColumns(im2col_request &request, uint32_t channelsPerPixel,
                           uint32_t pixelsPerColumn, const int *lower, const int *upper,
                           MapMode mode) {
  request.channels = exactly(channelsPerPixel);
  request.pixels = exactly(pixelsPerColumn);
  const int corners = std::clamp(request.corners(), 0, 3);
  for (int i = 0; i < corners; ++i) {
    request.lower[i] = quantity::exactly(lower[i]);
    request.upper[i] = quantity::exactly(upper[i]);
  }
  EncodeResult result = encode(request, mode);
  if (!result)
    return result;
  result.map.channelsPerPixel = uint16_t(channelsPerPixel);
  result.map.pixelsPerColumn = uint16_t(pixelsPerColumn);
  for (int i = 0; i < corners; ++i) {
    result.map.lower[i] = int16_t(lower[i]);
    result.map.upper[i] = int16_t(upper[i]);
  }
  return result;
}

} // namespace

const char *nameOf(MapMode mode) {
  constexpr const char *names[] = {"tiled", "im2col", "im2col::w", "im2col::w::128"};
  return names[unsigned(mode)];
}

bool isTensorMap(const void *bytes) {
  uint32_t magic;
  std::memcpy(&magic, static_cast<const char *>(bytes) + offsetof(TensorMap, magic), sizeof(magic));
  return magic == TensorMap::validMagic;
}

EncodeResult encodeTiled(int dataType, uint32_t rank, uint64_t address, const uint64_t *extents,
                         const uint64_t *strides, const uint32_t *box,
                         const uint32_t *elementStrides, int interleave, int swizzle, int promotion,
                         int fill, int capability) {
  tile_request request;
  describe(request, {dataType, rank, address, extents, strides, elementStrides, interleave, swizzle,
                     promotion, fill, capability});
  for (int d = 0; d < request.rank && d < max_rank; ++d)
    request.dims[d].box = exactly(box[d]);
  EncodeResult result = encode(request, MapMode::Tiled);
  if (result)
    std::copy(box, box + rank, result.map.box);
  return result;
}

EncodeResult encodeIm2col(int dataType, uint32_t rank, uint64_t address, const uint64_t *extents,
                          const uint64_t *strides, const int *lower, const int *upper,
                          uint32_t channelsPerPixel, uint32_t pixelsPerColumn,
                          const uint32_t *elementStrides, int interleave, int swizzle,
                          int promotion, int fill, int capability) {
  im2col_request request;
  describe(request, {dataType, rank, address, extents, strides, elementStrides, interleave, swizzle,
                     promotion, fill, capability});
  return encodeColumns(request, channelsPerPixel, pixelsPerColumn, lower, upper, MapMode::Im2col);
}

EncodeResult encodeIm2colWide(int dataType, uint32_t rank, uint64_t address,
                              const uint64_t *extents, const uint64_t *strides, int lower,
                              int upper, uint32_t channelsPerPixel, uint32_t pixelsPerColumn,
                              const uint32_t *elementStrides, int interleave, int mode, int swizzle,
                              int promotion, int fill, int capability) {
  im2col_request request;
  describe(request, {dataType, rank, address, extents, strides, elementStrides, interleave, swizzle,
                     promotion, fill, capability});
  request.mode = mode == 0 ? im2col_mode::w : im2col_mode::w128;
  const int lowerOfW[3] = {lower, 0, 0}, upperOfW[3] = {upper, 0, 0};
  return encodeColumns(request, channelsPerPixel, pixelsPerColumn, lowerOfW, upperOfW,
                       mode == 0 ? MapMode::Im2colW : MapMode::Im2colW128);
}

EncodeResult replaceAddress(const TensorMap &map, uint64_t address) {
  EncodeResult result;
  check_new_address(exactly(address), Violations{result.violations});
  if (result) {
    result.map = map;
    result.map.address = address;
  }
  return result;
}

} // namespace tilelift::emulator
