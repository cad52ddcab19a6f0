//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator's tensor maps, and the calls that make them.
//
// A map lives in the 128 bytes of a CUtensorMap, wherever the program copies
// those. It holds the arguments of the call, decoded; a driver's map is opaque
// and is not understood. Whether a map can be made is decided by the rule table
// of the runtime, tilelift/rules.h, with the driver's limits; what a map does is
// in Copy.h.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MODEL_TENSORMAP_H
#define TILELIFT_EMULATOR_MODEL_TENSORMAP_H

#include "tilelift/rules.h"

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace tilelift::emulator {

using ElementType = tilelift::element_type;
using Fill = tilelift::outside_fill;
using Interleave = tilelift::interleave_layout;
using Promotion = tilelift::l2_promotion;
using Swizzle = tilelift::swizzle_mode;

enum class MapMode : uint8_t { Tiled, Im2col, Im2colW, Im2colW128 };

const char *nameOf(MapMode mode);

/// All arrays are innermost first. Dimension 0 has no stride: its elements are
/// neighbours.
struct alignas(64) TensorMap {
  static constexpr uint32_t validMagic = 0x70616d74; // "tmap"

  uint32_t magic = 0;
  MapMode mode = MapMode::Tiled;
  ElementType type = ElementType::u8;
  uint8_t rank = 0;
  Interleave interleave = Interleave::none;
  uint64_t address = 0;
  uint64_t extents[5] = {}; ///< elements, up to 2^32
  uint64_t strides[4] = {}; ///< bytes; strides[d - 1] is that of dimension d
  uint16_t box[5] = {};     ///< elements, before element strides; tiled only
  uint16_t channelsPerPixel = 0;
  uint16_t pixelsPerColumn = 0;
  int16_t lower[3] = {}; ///< corners of the bounding box: W, H, D
  int16_t upper[3] = {};
  uint8_t elementStrides[5] = {};
  Swizzle swizzle = Swizzle::none;
  Fill fill = Fill::zero;
  Promotion promotion = Promotion::none;
  uint8_t unused[6] = {}; ///< programs compare maps, and copy them to memory that is compared

  /// Bytes between neighbours in dimension `d` of 1 or more.
  uint64_t stride(int d) const { return strides[d - 1]; }
};
static_assert(sizeof(TensorMap) == 128, "a TensorMap takes the place of a CUtensorMap");
static_assert(std::has_unique_object_representations_v<TensorMap>, "no byte is left to chance");

/// Whether these 128 bytes were made by one of the functions below.
bool isTensorMap(const void *bytes);

/// A map, or every rule that its request breaks, one sentence each.
struct EncodeResult {
  TensorMap map;
  std::vector<std::string> violations;
  explicit operator bool() const { return violations.empty(); }
};

/// The arguments of cuTensorMapEncodeTiled in its order, enumerations as plain
/// numbers. `capability` is the device's compute capability times ten.
EncodeResult encodeTiled(int dataType, uint32_t rank, uint64_t address, const uint64_t *extents,
                         const uint64_t *strides, const uint32_t *box,
                         const uint32_t *elementStrides, int interleave, int swizzle, int promotion,
                         int fill, int capability = 90);

/// cuTensorMapEncodeIm2col.
EncodeResult encodeIm2col(int dataType, uint32_t rank, uint64_t address, const uint64_t *extents,
                          const uint64_t *strides, const int *lower, const int *upper,
                          uint32_t channelsPerPixel, uint32_t pixelsPerColumn,
                          const uint32_t *elementStrides, int interleave, int swizzle,
                          int promotion, int fill, int capability = 90);

/// cuTensorMapEncodeIm2colWide. `mode` is 0 for W, 1 for W128.
EncodeResult encodeIm2colWide(int dataType, uint32_t rank, uint64_t address,
                              const uint64_t *extents, const uint64_t *strides, int lower,
                              int upper, uint32_t channelsPerPixel, uint32_t pixelsPerColumn,
                              const uint32_t *elementStrides, int interleave, int mode, int swizzle,
                              int promotion, int fill, int capability = 100);

/// cuTensorMapReplaceAddress: the same map of another address.
EncodeResult replaceAddress(const TensorMap &map, uint64_t address);

} // namespace tilelift::emulator

#endif
