//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The box of an instruction in numbers: how many rows of how many bytes, and how
// far apart in shared memory. Private to the model.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MODEL_BOX_H
#define TILELIFT_EMULATOR_MODEL_BOX_H

#include "model/Copy.h"

#include <algorithm>

namespace tilelift::emulator {

/// The smallest part of a row that is copied as whole bytes.
struct Unit {
  uint32_t elements;
  uint32_t global; ///< bytes
  uint32_t shared; ///< bytes, gap included
};

constexpr Unit unitOf(ElementType type) {
  switch (type) {
  case ElementType::u4_align8: return {2, 1, 1};
  case ElementType::u4_align16: return {16, 8, 16};
  case ElementType::u6_align16: return {16, 12, 16};
  default: return {1, size_of(type), size_of(type)};
  }
}

struct Box {
  Unit unit;
  uint32_t columns; ///< units of a row
  uint32_t rows;
  uint32_t pitch; ///< bytes of shared memory from row to row
  int64_t extent; ///< units of a row of the tensor that can be reached

  Box(const TensorMap &map, const TensorCopy &copy) : unit(unitOf(map.type)) {
    const bool isTiled = map.mode == MapMode::Tiled;
    columns = (isTiled ? map.box[0] : map.channelsPerPixel) / unit.elements;
    rows = isTiled ? rowsOfTile(map, copy) : pixels(map, copy);
    pitch = std::max(columns * unit.shared, span_of(map.swizzle));
    extent = int64_t(map.extents[0] / unit.elements);
    // What leaves shared memory is clipped to 16 bytes of global memory.
    if (leavesShared(copy.transfer))
      extent = (extent * unit.global + 15) / 16 * 16 / unit.global;
  }

  /// Elements of an outer dimension that one instruction copies.
  static uint32_t elements(const TensorMap &map, int d) {
    return (map.box[d] + map.elementStrides[d] - 1u) / map.elementStrides[d];
  }

private:
  static uint32_t rowsOfTile(const TensorMap &map, const TensorCopy &copy) {
    if (copy.form == Form::Gather4 || copy.form == Form::Scatter4)
      return 4;
    uint32_t rows = 1;
    for (int d = 1; d < map.rank; ++d)
      rows *= elements(map, d);
    return rows;
  }
  static uint32_t pixels(const TensorMap &map, const TensorCopy &copy) {
    switch (copy.form) {
    case Form::Im2colW: return map.pixelsPerColumn + copy.offsets[0];
    case Form::Im2colW128: return 128 + 4u * copy.offsets[0];
    default: return map.pixelsPerColumn;
    }
  }
};

} // namespace tilelift::emulator

#endif
