//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of one cuTensorMapEncode call as plain numbers: what is drawn,
// printed, and given to the driver and to the model alike.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TEST_CONFORMANCE_DESCRIPTOR_H
#define TILELIFT_TEST_CONFORMANCE_DESCRIPTOR_H

#include "model/TensorMap.h"

#include <cstdint>
#include <string>

namespace tilelift::conformance {

using namespace tilelift::emulator;

struct Descriptor {
  MapMode mode = MapMode::Tiled;
  int type = 0;
  uint32_t rank = 1;
  uint64_t address = 0;
  uint64_t extents[5] = {1, 1, 1, 1, 1};
  uint64_t strides[4] = {16, 16, 16, 16};
  uint32_t box[5] = {1, 1, 1, 1, 1};
  uint32_t elementStrides[5] = {1, 1, 1, 1, 1};
  int lower[3] = {};
  int upper[3] = {};
  uint32_t channels = 1;
  uint32_t pixels = 1;
  int interleave = 0;
  int swizzle = 0;
  int promotion = 0;
  int fill = 0;

  ElementType elementType() const { return ElementType(type); }
  uint32_t elementSize() const { return size_of(elementType()); }
};

inline EncodeResult encode(const Descriptor &d) {
  switch (d.mode) {
  case MapMode::Tiled:
    return encodeTiled(d.type, d.rank, d.address, d.extents, d.strides, d.box, d.elementStrides,
                       d.interleave, d.swizzle, d.promotion, d.fill);
  case MapMode::Im2col:
    return encodeIm2col(d.type, d.rank, d.address, d.extents, d.strides, d.lower, d.upper,
                        d.channels, d.pixels, d.elementStrides, d.interleave, d.swizzle,
                        d.promotion, d.fill);
  default:
    return encodeIm2colWide(d.type, d.rank, d.address, d.extents, d.strides, d.lower[0], d.upper[0],
                            d.channels, d.pixels, d.elementStrides, d.interleave,
                            d.mode == MapMode::Im2colW128, d.swizzle, d.promotion, d.fill, 90);
  }
}

template <typename Number> std::string list(const Number *numbers, int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += (i ? "," : "") + std::to_string(numbers[i]);
  return "{" + text + "}";
}

inline std::string print(const Descriptor &d) {
  int rank = d.rank < 5 ? int(d.rank) : 5;
  std::string text = std::string(nameOf(d.mode)) + " " + name_of(d.elementType()) + " rank " +
                     std::to_string(d.rank) + " address " + std::to_string(d.address) +
                     " extents " + list(d.extents, rank) + " strides " +
                     list(d.strides, rank > 0 ? rank - 1 : 0);
  if (d.mode != MapMode::Tiled)
    text += " lower " + list(d.lower, rank > 2 ? rank - 2 : 0) + " upper " +
            list(d.upper, rank > 2 ? rank - 2 : 0) + " channels " + std::to_string(d.channels) +
            " pixels " + std::to_string(d.pixels);
  else
    text += " box " + list(d.box, rank);
  return text + " element strides " + list(d.elementStrides, rank) + " interleave " +
         std::to_string(d.interleave) + " swizzle " + std::to_string(d.swizzle) + " promotion " +
         std::to_string(d.promotion) + " fill " + std::to_string(d.fill);
}

} // namespace tilelift::conformance

#endif
