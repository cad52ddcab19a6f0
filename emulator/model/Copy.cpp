//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk of an instruction through its box, row by row, and what happens to
// the bytes of a run. Faults.cpp decides what may be walked at all.
//===----------------------------------------------------------------------===//

#include "model/Copy.h"

#include "model/Box.h"
#include "model/Swizzle.h"

#include <algorithm>
#include <cstring>

namespace tilelift::emulator {

namespace {

/// Joins pieces that continue each other into maximal runs. The last one comes
/// with flush().
class RunJoiner {
public:
  explicit RunJoiner(RunVisitor visit) : visit(visit) {}

  void add(const Run &piece) {
    bool continues = piece.inside == pending.inside &&
                     piece.shared == pending.shared + pending.bytes &&
                     (!piece.inside || piece.global == pending.global + pending.bytes);
    if (pending.bytes > 0 && continues) {
      pending.bytes += piece.bytes;
      return;
    }
    flush();
    pending = piece;
  }
  void flush() {
    if (pending.bytes > 0)
      visit(pending);
  }

private:
  RunVisitor visit;
  Run pending = {};
};

/// Where a row starts in the tensor: a coordinate for each dimension.
struct Position {
  int64_t at[5] = {};
};

class Walker {
public:
  Walker(const TensorMap &map, const TensorCopy &copy, RunVisitor visit)
      : map(map), copy(copy), box(map, copy), runs(visit) {}

  void walk() {
    switch (copy.form) {
    case Form::Tile: walkTile(); break;
    case Form::Gather4:
    case Form::Scatter4: walkRows(); break;
    default: walkPixels();
    }
    runs.flush();
  }

private:
  void walkTile();
  void walkRows();
  void walkPixels();
  std::vector<Position> pixels(uint32_t count) const;
  void advance(Position &pixel, int64_t shift) const;
  void row(const Position &start, uint32_t index);
  void segment(uint64_t global, uint32_t shared, int64_t units, bool inside);

  const TensorMap &map;
  const TensorCopy &copy;
  const Box box;
  RunJoiner runs;
};

void Walker::walkTile() {
  Position start;
  uint32_t index[5] = {};
  for (uint32_t row = 0; row < box.rows; ++row) {
    for (int d = 0; d < map.rank; ++d)
      start.at[d] = copy.coordinates[d] + int64_t(index[d]) * map.elementStrides[d];
    this->row(start, row);
    for (int d = 1; d < map.rank && ++index[d] == Box::elements(map, d); ++d)
      index[d] = 0;
  }
}

void Walker::walkRows() {
  for (uint32_t row = 0; row < 4; ++row) {
    Position start;
    start.at[0] = copy.coordinates[0];
    start.at[1] = copy.coordinates[1 + row];
    this->row(start, row);
  }
}

/// To the next pixel of the bounding box, W first; wide modes do not leave their
/// line, and their box is shifted.
void Walker::advance(Position &pixel, int64_t shift) const {
  const int last = map.rank - 1;
  const int moving = isWide(copy.form) ? 2 : last;
  for (int d = 1; d < moving; ++d) {
    pixel.at[d] += map.elementStrides[d];
    if (pixel.at[d] < int64_t(map.extents[d]) + map.upper[d - 1] + shift)
      return;
    pixel.at[d] = map.lower[d - 1] + shift;
  }
  pixel.at[last] += map.elementStrides[last];
}

std::vector<Position> Walker::pixels(uint32_t count) const {
  const int64_t shift = isWide(copy.form) ? copy.offsets[1] : 0;
  Position pixel;
  std::copy(copy.coordinates, copy.coordinates + map.rank, pixel.at);
  pixel.at[1] += shift;
  std::vector<Position> found(count, pixel);
  for (uint32_t i = 1; i < count; ++i) {
    found[i] = found[i - 1];
    advance(found[i], shift);
  }
  // Offsets move what is read, not the walk.
  if (copy.form == Form::Im2col)
    for (Position &each : found)
      for (int d = 1; d < map.rank - 1; ++d)
        each.at[d] += copy.offsets[d - 1];
  return found;
}

void Walker::walkPixels() {
  const bool inChunks = copy.form == Form::Im2colW128;
  const uint32_t main = inChunks ? 128 : box.rows;
  const uint32_t halo = inChunks ? copy.offsets[0] : 0;
  const std::vector<Position> found = pixels(main + halo);
  for (uint32_t i = 0; i < main; ++i)
    row(found[i], i);
  // Each chunk of 32 pixels is followed by those that come after it; these lie
  // behind the main block, the first of every chunk first.
  for (uint32_t i = 0; i < halo; ++i)
    for (uint32_t chunk = 0; chunk < 4; ++chunk)
      row(found[32 * (chunk + 1) + i], 128 + 4 * i + chunk);
}

void Walker::row(const Position &start, uint32_t index) {
  bool inside = true;
  uint64_t global = map.address;
  for (int d = 1; d < map.rank; ++d) {
    inside &= start.at[d] >= 0 && uint64_t(start.at[d]) < map.extents[d];
    global += uint64_t(start.at[d]) * map.stride(d);
  }
  const int64_t columns = box.columns;
  const int64_t first = start.at[0] / box.unit.elements;
  int64_t begin = std::clamp(-first, int64_t(0), columns);
  int64_t end = std::clamp(box.extent - first, int64_t(0), columns);
  if (!inside || end < begin)
    begin = end = columns;
  const uint32_t shared = copy.shared + index * box.pitch;
  auto sharedAt = [&](int64_t column) { return shared + uint32_t(column) * box.unit.shared; };
  segment(0, shared, begin, false);
  segment(global + uint64_t(first + begin) * box.unit.global, sharedAt(begin), end - begin, true);
  segment(0, sharedAt(end), columns - end, false);
}

/// Neighbours in a row that are all inside of the tensor or all outside.
void Walker::segment(uint64_t global, uint32_t shared, int64_t units, bool inside) {
  if (!inside && copy.transfer != Transfer::Load)
    return;
  const uint32_t atom = swizzleAtom(map.swizzle);
  const bool padded = box.unit.shared != box.unit.global;
  uint32_t bytes = uint32_t(units) * box.unit.global;
  while (bytes > 0) {
    uint32_t piece = bytes;
    if (padded)
      piece = box.unit.global;
    else if (atom > 0)
      piece = std::min(piece, atom - shared % atom);
    runs.add({inside ? global : 0, swizzled(map.swizzle, shared), piece, inside});
    global += piece;
    shared += padded ? box.unit.shared : piece;
    bytes -= piece;
  }
}

/// To ten bits of mantissa, the nearest and of two the even one.
uint32_t roundedToTf32(uint32_t bits) {
  constexpr uint32_t infinity = 0x7f800000, dropped = 0x1fff;
  if ((bits & infinity) == infinity)
    return bits & 0x007fffff ? 0x7fffe000 : bits;
  const uint32_t odd = bits >> 13 & 1;
  return (bits + (dropped >> 1) + odd) & ~dropped;
}

void loadRun(const TensorMap &map, const Run &run, uint8_t *shared, const uint8_t *global) {
  if (!run.inside) {
    constexpr uint8_t nan[2] = {0xf7, 0x7f}; // 0x7ff7 in every 16 bits of every type
    for (uint32_t i = 0; i < run.bytes; ++i)
      shared[i] = map.fill == Fill::nan ? nan[i % 2] : 0;
    return;
  }
  std::memcpy(shared, global, run.bytes);
  if (map.type != ElementType::tf32 && map.type != ElementType::tf32_ftz)
    return;
  for (uint32_t i = 0; i < run.bytes; i += 4) {
    uint32_t bits;
    std::memcpy(&bits, shared + i, 4);
    bits = roundedToTf32(bits);
    std::memcpy(shared + i, &bits, 4);
  }
}

} // namespace

uint32_t expectedBytes(const TensorMap &map, const TensorCopy &copy) {
  const Box box(map, copy);
  return box.rows * box.columns * box.unit.global;
}

uint32_t sharedBytes(const TensorMap &map, const TensorCopy &copy) {
  const Box box(map, copy);
  return box.rows * box.pitch;
}

void walk(const TensorMap &map, const TensorCopy &copy, RunVisitor visit) {
  Walker(map, copy, visit).walk();
}

void moveRun(const TensorMap &map, const TensorCopy &copy, const Run &run, uint8_t *shared,
             uint8_t *global) {
  switch (copy.transfer) {
  case Transfer::Load: return loadRun(map, run, shared, global);
  case Transfer::Store: std::memcpy(global, shared, run.bytes); return;
  case Transfer::Reduce: return reduceElements(copy.reduction, map.type, global, shared, run.bytes);
  case Transfer::Prefetch: return;
  }
}

void execute(const TensorMap &map, const TensorCopy &copy, uint8_t *window, ptrdiff_t shift) {
  walk(map, copy, [&](const Run &run) {
    uint8_t *global =
        run.inside ? reinterpret_cast<uint8_t *>(run.global + uint64_t(shift)) : nullptr;
    moveRun(map, copy, run, window + run.shared, global);
  });
}

void moveBulk(const BulkCopy &copy, uint8_t *target, const uint8_t *source) {
  if (copy.transfer == Transfer::Reduce)
    reduceElements(copy.reduction, copy.type, target, source, copy.bytes);
  else if (copy.transfer != Transfer::Prefetch)
    std::memcpy(target, source, copy.bytes);
}

} // namespace tilelift::emulator
