//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the hardware punishes, found before an instruction runs. The kinds are
// those that an H200 reports; what only newer devices have follows the manual.
//===----------------------------------------------------------------------===//

#include "model/Box.h"
#include "model/Copy.h"

namespace tilelift::emulator {

namespace {

using Kind = Fault::Kind;
using Faults = std::vector<Fault>;

std::string text(int64_t number) { return std::to_string(number); }

bool isTiled(Form form) {
  return form == Form::Tile || form == Form::Gather4 || form == Form::Scatter4;
}

const char *nameOf(Form form) {
  constexpr const char *names[] = {".tile",          ".tile::gather4",  ".tile::scatter4",
                                   ".im2col",        ".im2col_no_offs", ".im2col::w",
                                   ".im2col::w::128"};
  return names[unsigned(form)];
}

MapMode modeOf(Form form) {
  switch (form) {
  case Form::Im2col:
  case Form::Im2colNoOffsets: return MapMode::Im2col;
  case Form::Im2colW: return MapMode::Im2colW;
  case Form::Im2colW128: return MapMode::Im2colW128;
  default: return MapMode::Tiled;
  }
}

bool exists(const TensorCopy &copy) {
  const bool isOfStores = copy.form == Form::Scatter4 || copy.form == Form::Im2colNoOffsets;
  return copy.form == Form::Tile || leavesShared(copy.transfer) == isOfStores;
}

/// The checks of one instruction against one map.
class Checker {
public:
  Checker(const TensorMap &map, const TensorCopy &copy) : map(map), copy(copy) {}

  Faults check() {
    checkMatch();
    if (!found.empty())
      return std::move(found);
    checkShared();
    checkMap();
    checkCoordinates();
    if (leavesShared(copy.transfer))
      checkWrite();
    if (copy.transfer == Transfer::Reduce)
      checkReduction();
    if (copy.form == Form::Gather4 || copy.form == Form::Scatter4)
      checkRows();
    if (!isTiled(copy.form))
      checkPixels();
    return std::move(found);
  }

private:
  void add(Kind kind, const char *id, std::string text) {
    found.push_back({kind, id, std::move(text)});
  }

  void checkMatch() {
    if (!exists(copy))
      add(Kind::IllegalInstruction, "no-such-form",
          std::string("there is no such instruction with ") + nameOf(copy.form));
    if (map.mode != modeOf(copy.form))
      add(Kind::IllegalInstruction, "map-mode",
          std::string("the instruction is ") + nameOf(copy.form) + ", the map is " +
              emulator::nameOf(map.mode));
    if (map.rank != copy.rank)
      add(Kind::IllegalInstruction, "map-rank",
          "the instruction has " + text(copy.rank) + " dimensions, the map has " + text(map.rank));
  }

  void checkShared() {
    if (copy.transfer != Transfer::Prefetch && copy.shared % 128 != 0)
      add(Kind::MisalignedAddress, "shared-128",
          "the shared address " + text(copy.shared) + " is no multiple of 128 bytes");
  }

  void checkMap() {
    for (int d = 0; d < map.rank; ++d)
      if (map.extents[d] > uint64_t(max_extent))
        add(Kind::IllegalInstruction, "extent-range",
            "the extent of the map in dimension " + text(d) + " is " +
                text(int64_t(map.extents[d])) + ", which is encoded but cannot be used: at most " +
                text(max_extent) + " can");
    if (map.interleave != Interleave::none)
      add(Kind::NotModelled, "not-emulated", "interleaved tensors are not modelled");
  }

  void checkCoordinates() {
    const Unit unit = unitOf(map.type);
    const int64_t step = is_padded(map.type) ? 128 : 16 * unit.elements / unit.global;
    if (copy.coordinates[0] % step != 0)
      add(Kind::IllegalInstruction, "inner-coordinate-16",
          "the innermost coordinate is " + text(copy.coordinates[0]) + ", " + name_of(map.type) +
              " needs a multiple of " + text(step));
  }

  void checkWrite() {
    const int coordinates = copy.form == Form::Scatter4 ? 1 : map.rank;
    for (int d = 0; d < coordinates; ++d)
      if (copy.coordinates[d] < 0)
        add(Kind::IllegalInstruction, "store-coordinate",
            "the coordinate in dimension " + text(d) + " is " + text(copy.coordinates[d]) +
                ", only a load may start before the tensor");
    if (map.type == ElementType::u4_align16)
      add(Kind::IllegalInstruction, "store-type", "u4_align16 can only be loaded");
    if (map.type == ElementType::u6_align16)
      add(Kind::NotModelled, "not-emulated", "stores that pack u6_align16 are not modelled");
    if (map.swizzle == Swizzle::b128_atom_32_flip_8)
      add(Kind::Undefined, "store-swizzle", "128B_ATOM_32B_FLIP_8B is for loads only");
  }

  void checkReduction() {
    if (!isReducibleTensor(copy.reduction, map.type))
      add(Kind::IllegalInstruction, "reduce-type",
          std::string("there is no reduction '") + emulator::nameOf(copy.reduction) + "' of " +
              name_of(map.type));
  }

  void checkRows() {
    if (map.rank != 2)
      add(Kind::IllegalInstruction, "gather-map",
          "rows of a tensor of " + text(map.rank) + " dimensions, needed are 2");
    else if (map.box[1] != 1)
      add(Kind::IllegalInstruction, "gather-map",
          "the box of the map has " + text(map.box[1]) + " rows, needed is 1");
    for (int i = 1; leavesShared(copy.transfer) && i < 5; ++i)
      if (copy.coordinates[i] < 0)
        add(Kind::Undefined, "store-coordinate",
            "row " + text(i - 1) + " is " + text(copy.coordinates[i]) +
                ", only a load may start before the tensor");
  }

  void checkPixels() {
    const int corners = isWide(copy.form) ? 1 : map.rank - 2;
    for (int i = 0; i < corners; ++i)
      checkPixel(i);
    if (isWide(copy.form))
      return checkWide();
    for (int i = 0; i < corners; ++i) {
      const int most = map.rank == 3 ? 65535 : map.rank == 4 ? 255 : 31;
      if (copy.form == Form::Im2col && copy.offsets[i] > most)
        add(Kind::Undefined, "offset-range",
            "offset " + text(i) + " is " + text(copy.offsets[i]) + ", allowed are 0 to " +
                text(most) + "");
      if (leavesShared(copy.transfer) && (map.lower[i] < 0 || map.upper[i] > 0))
        add(Kind::IllegalInstruction, "store-corners",
            "the corners of the map in dimension " + text(i + 1) + " are " + text(map.lower[i]) +
                " and " + text(map.upper[i]) + ", a store needs a box inside of the tensor");
    }
  }

  /// The first pixel lies in the bounding box.
  void checkPixel(int i) {
    const int64_t at = copy.coordinates[i + 1], low = map.lower[i];
    const int64_t high = int64_t(map.extents[i + 1]) + map.upper[i] - 1;
    if ((at < low && !isWide(copy.form)) || at > high)
      add(isWide(copy.form) ? Kind::Undefined : Kind::IllegalInstruction, "pixel-outside",
          "the first pixel has coordinate " + text(at) + " in dimension " + text(i + 1) +
              ", the bounding box goes from " + text(low) + " to " + text(high));
  }

  void checkWide() {
    const int mostHalo = copy.form == Form::Im2colW ? 511 : 31;
    if (copy.offsets[0] > mostHalo)
      add(Kind::Undefined, "offset-range",
          "the halo has " + text(copy.offsets[0]) + " pixels, allowed are 0 to " + text(mostHalo));
    if (copy.offsets[1] > 31)
      add(Kind::Undefined, "offset-range",
          "the offset is " + text(copy.offsets[1]) + ", allowed are 0 to 31");
  }

  const TensorMap &map;
  const TensorCopy &copy;
  Faults found;
};

} // namespace

const char *nameOf(Fault::Kind kind) {
  constexpr const char *names[] = {"misaligned address", "illegal instruction", "undefined",
                                   "not modelled"};
  return names[unsigned(kind)];
}

std::vector<Fault> faultsOf(const TensorMap &map, const TensorCopy &copy) {
  return Checker(map, copy).check();
}

std::vector<Fault> faultsOf(const BulkCopy &copy) {
  Faults found;
  auto aligned = [&](const char *which, uint64_t address) {
    if (address % 16 != 0 && copy.bytes > 0) // an empty copy looks at nothing
      found.push_back({Kind::MisalignedAddress, "bulk-address-16",
                       std::string("the ") + which + " address " + std::to_string(address) +
                           " is no multiple of 16 bytes"});
  };
  aligned("source", copy.sourceAddress);
  if (copy.transfer != Transfer::Prefetch)
    aligned("target", copy.targetAddress);
  if (copy.bytes % 16 != 0)
    found.push_back({Kind::Undefined, "bulk-size-16",
                     "the size " + text(copy.bytes) +
                         " is no multiple of 16 bytes; the hardware drops the rest"});
  const bool allowed = copy.target == Space::Shared ? isReducibleShared(copy.reduction, copy.type)
                                                    : isReducibleBulk(copy.reduction, copy.type);
  if (copy.transfer == Transfer::Reduce && !allowed)
    found.push_back({Kind::IllegalInstruction, "reduce-type",
                     std::string("there is no reduction '") + nameOf(copy.reduction) + "' of " +
                         name_of(copy.type)});
  return found;
}

} // namespace tilelift::emulator
