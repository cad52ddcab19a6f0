//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How random operations are drawn: a box that fits its window, a tensor around
// it, and a place for it; again until everything that is touched is ours.
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "Verdicts.h"

#include <algorithm>
#include <cstring>

namespace tilelift::conformance {

namespace {

constexpr uint64_t hopperTypes = 13;

/// Elements of 16 bytes.
int64_t grain(const Descriptor &d) { return 16 / d.elementSize(); }

uint32_t pitch(const Descriptor &d, uint32_t elements) {
  return std::max(elements * d.elementSize(), span_of(swizzle_mode(d.swizzle)));
}

/// All magnitudes, and the most that is possible now and then.
uint64_t drawCount(Random &random, uint64_t most) {
  return random.oneIn(8) ? most : 1 + random.upTo(most - 1);
}

ReduceOperation drawReduction(Random &random) { return ReduceOperation(random.below(8)); }

ElementType drawType(Random &random, bool (*allowed)(ReduceOperation, ElementType),
                     ReduceOperation operation) {
  for (;;) {
    ElementType type = ElementType(random.below(hopperTypes));
    if (allowed(operation, type))
      return type;
  }
}

void drawLayout(Random &random, Case &subject) {
  Descriptor &d = subject.descriptor;
  d.type = int(subject.transfer() == Transfer::Reduce
                   ? unsigned(drawType(random, isReducibleTensor, subject.tensor.reduction))
                   : random.below(hopperTypes));
  d.swizzle = int(random.below(4));
  d.promotion = int(random.below(4));
  d.fill = is_floating(d.elementType()) ? int(random.below(2)) : 0;
}

/// As many elements of a row as the window has room for.
uint32_t drawFittingRow(Random &random, const Descriptor &d, uint32_t window) {
  for (;;) {
    uint32_t row = drawRow(d, random);
    if (pitch(d, row) <= window)
      return row;
  }
}

/// Strides of dense rows, of rows with gaps, of rows that overlap, or none.
void drawStrides(Random &random, Descriptor &d) {
  uint64_t dense = (d.extents[0] * d.elementSize() + 15) / 16 * 16;
  for (uint32_t i = 1; i < d.rank; ++i) {
    uint64_t &stride = d.strides[i - 1];
    switch (random.below(8)) {
    case 0: stride = dense + 16 * random.upTo(64); break;
    case 1: stride = 16 * random.upTo(64); break;
    case 2: stride = 0; break;
    default: stride = dense;
    }
    dense = stride * d.extents[i];
  }
}

/// Most operations meet their tensor; the others may lie anywhere around it.
struct Temper {
  bool isWild;
  bool mayPrecede; ///< a coordinate may be negative
};

/// A coordinate of a box in one dimension, a multiple of `step`.
int32_t drawCoordinate(Random &random, uint64_t extent, int64_t box, int64_t step, Temper temper) {
  const int64_t reached = int64_t(std::min<uint64_t>(extent, 1 << 20));
  int64_t low = temper.mayPrecede ? -box / 4 : 0, high = std::max(reached - 3 * box / 4, low);
  if (temper.isWild && random.oneIn(32)) {
    low = temper.mayPrecede ? INT32_MIN : INT32_MAX - 300;
    high = random.oneIn(2) ? low + 300 : INT32_MAX;
  } else if (temper.isWild) {
    low = temper.mayPrecede ? -box - step : 0;
    high = reached + step;
  }
  return int32_t(random.between(low / step, high / step) * step);
}

/// A box that fills at most the window, with steps in a third of its dimensions.
void drawTileBox(Random &random, Descriptor &d, uint32_t window) {
  d.box[0] = drawFittingRow(random, d, window);
  d.elementStrides[0] = uint32_t(random.between(1, 8)); // ignored
  uint64_t rows = window / pitch(d, d.box[0]);
  for (uint32_t i = 1; i < d.rank; ++i) {
    uint32_t step = d.elementStrides[i] = random.oneIn(3) ? uint32_t(random.between(1, 8)) : 1;
    uint64_t elements = drawCount(random, std::min<uint64_t>(rows, 256 / step));
    d.box[i] = uint32_t(elements * step - random.below(step));
    rows /= elements;
  }
}

/// A tensor around boxes of this size, for which the room has enough.
void drawTensor(Random &random, Descriptor &d, const uint32_t *box, const Room &room,
                Temper temper) {
  d.extents[0] = random.oneIn(2) ? box[0] : drawCount(random, 2 * box[0]);
  uint64_t rows = room.bytes / 2 / (d.extents[0] * d.elementSize() + 15);
  for (uint32_t i = 1; i < d.rank; ++i) {
    const uint64_t most = temper.isWild ? 4096 : std::min<uint64_t>(rows, 2 * box[i] + 2);
    d.extents[i] = random.oneIn(2) && box[i] <= most ? box[i] : drawCount(random, most);
    rows = std::max<uint64_t>(rows / d.extents[i], 1);
  }
  drawStrides(random, d);
}

void drawTile(Random &random, Case &subject, const Room &room) {
  Descriptor &d = subject.descriptor;
  TensorCopy &copy = subject.tensor;
  const Temper temper = {random.oneIn(4), !leavesShared(copy.transfer)};
  d.rank = uint32_t(random.between(1, 5));
  drawTileBox(random, d, room.window);
  drawTensor(random, d, d.box, room, temper);
  // The largest extents that work, where they need no memory.
  for (uint32_t i = 1; i < d.rank; ++i)
    if (d.strides[i - 1] == 0 && random.oneIn(2))
      d.extents[i] = uint64_t(max_extent) - random.below(4);
  copy.form = Form::Tile;
  for (uint32_t i = 0; i < d.rank; ++i)
    copy.coordinates[i] =
        drawCoordinate(random, d.extents[i], d.box[i], i == 0 ? grain(d) : 1, temper);
}

void drawBoundingBox(Random &random, Descriptor &d, bool insideOfTensor) {
  const int64_t limit = d.rank == 3 ? 32768 : d.rank == 4 ? 128 : 16;
  for (uint32_t i = 0; i < d.rank - 2; ++i)
    do {
      const int64_t reach = random.oneIn(8) ? limit - 1 : 4;
      d.lower[i] = int(random.between(insideOfTensor ? 0 : -reach, std::min<int64_t>(reach, 15)));
      d.upper[i] = int(random.between(-std::min<int64_t>(reach, 15), insideOfTensor ? 0 : reach));
    } while (int64_t(d.extents[i + 1]) + d.upper[i] <= d.lower[i]);
}

/// A first pixel inside of the bounding box, and offsets of a filter.
void drawPixel(Random &random, Case &subject, Temper temper) {
  const Descriptor &d = subject.descriptor;
  TensorCopy &copy = subject.tensor;
  const uint32_t last = d.rank - 1;
  const int most = d.rank == 3 ? 65535 : d.rank == 4 ? 255 : 31;
  copy.coordinates[0] = drawCoordinate(random, d.extents[0], d.channels, grain(d), temper);
  copy.coordinates[last] = drawCoordinate(random, d.extents[last], 1, 1, temper);
  for (uint32_t i = 1; i < last; ++i) {
    copy.coordinates[i] =
        int32_t(random.between(d.lower[i - 1], int64_t(d.extents[i]) + d.upper[i - 1] - 1));
    if (copy.form == Form::Im2col)
      copy.offsets[i - 1] = uint16_t(random.below(random.oneIn(16) ? most + 1 : 4));
  }
}

void drawPixels(Random &random, Case &subject, const Room &room) {
  Descriptor &d = subject.descriptor;
  const bool isStore = leavesShared(subject.tensor.transfer);
  const Temper temper = {random.oneIn(4), !isStore};
  d.mode = MapMode::Im2col;
  d.rank = uint32_t(random.between(3, 5));
  d.channels = drawFittingRow(random, d, room.window);
  d.pixels = uint32_t(drawCount(random, std::min(1024u, room.window / pitch(d, d.channels))));
  for (uint32_t i = 0; i < d.rank; ++i)
    d.elementStrides[i] = uint32_t(random.between(1, random.oneIn(4) ? 8 : 2));
  const uint32_t typical[5] = {d.channels, 12, 9, 5, 3};
  drawTensor(random, d, typical, room, temper);
  drawBoundingBox(random, d, isStore);
  subject.tensor.form = isStore ? Form::Im2colNoOffsets : Form::Im2col;
  drawPixel(random, subject, temper);
}

/// Whether an operation stays in its room, and writes nothing twice where the
/// order would matter.
bool isContained(const Case &subject, const Room &room) {
  bool contained = true;
  std::vector<bool> written(leavesShared(subject.transfer()) ? room.bytes : 0);
  const bool commutes = subject.transfer() == Transfer::Reduce && !is_floating(subject.type()) &&
                        subject.tensor.reduction != ReduceOperation::Inc &&
                        subject.tensor.reduction != ReduceOperation::Dec;
  walk(subject.map, subject.tensor, [&](const Run &run) {
    uint64_t at = run.global - room.address;
    if (!run.inside || !contained)
      return;
    contained = at < room.bytes && run.bytes <= room.bytes - at;
    for (uint32_t i = 0; contained && !written.empty() && i < run.bytes; ++i) {
      contained = commutes || !written[at + i];
      written[at + i] = true;
    }
  });
  return contained;
}

void drawTensorCopy(Random &random, Case &subject, const Room &room, bool isIm2col) {
  const Case empty = subject;
  for (;;) {
    subject = empty;
    Descriptor &d = subject.descriptor;
    drawLayout(random, subject);
    isIm2col ? drawPixels(random, subject, room) : drawTile(random, subject, room);
    d.address = room.address + 16 * random.below(room.bytes / 32);
    EncodeResult encoded = encode(d);
    if (!encoded)
      continue;
    subject.map = encoded.map;
    subject.tensor.rank = int(d.rank);
    const uint32_t footprint = sharedBytes(subject.map, subject.tensor);
    if (footprint > room.window)
      continue;
    subject.tensor.shared = 128 * uint32_t(random.below((room.window - footprint) / 128 + 1));
    if (isContained(subject, room))
      return;
  }
}

void drawBulk(Random &random, Case &subject, const Room &room) {
  BulkCopy &copy = subject.untyped;
  subject.bulk = true;
  copy.transfer = random.pick<Transfer>({Transfer::Load, Transfer::Store, Transfer::Reduce});
  copy.reduction = drawReduction(random);
  if (copy.transfer == Transfer::Reduce)
    copy.type = drawType(random, isReducibleBulk, copy.reduction);
  const uint32_t most = std::min(room.bytes, room.window) / 16;
  const uint32_t count = uint32_t(random.oneIn(8) ? most : random.upTo(most));
  copy.bytes = 16 * count;
  const uint64_t global = room.address + 16 * random.below(room.bytes / 16 - count + 1);
  const uint64_t shared = 16 * random.below(room.window / 16 - count + 1);
  const bool isLoad = copy.transfer == Transfer::Load;
  copy.source = isLoad ? Space::Global : Space::Shared;
  copy.target = isLoad ? Space::Shared : Space::Global;
  copy.sourceAddress = isLoad ? global : shared;
  copy.targetAddress = isLoad ? shared : global;
}

/// Re-encodes a changed descriptor; false when even the driver would object.
bool reencode(Case &subject) {
  EncodeResult encoded = encode(subject.descriptor);
  subject.map = encoded.map;
  return bool(encoded);
}

/// One change that the hardware may object to.
bool spoil(Random &random, Case &subject) {
  TensorCopy &copy = subject.tensor;
  Descriptor &d = subject.descriptor;
  const int dimension = int(random.below(d.rank));
  const bool isIm2col = d.mode == MapMode::Im2col;
  if (subject.bulk) {
    (random.oneIn(2) ? subject.untyped.sourceAddress : subject.untyped.targetAddress) +=
        1 + random.below(15);
    return true;
  }
  switch (random.below(10)) {
  case 0:
    copy.shared += uint32_t(random.oneIn(2) ? 16 << random.below(3) : 1 + random.below(127));
    return true;
  case 1: copy.coordinates[0] += int32_t(1 + random.below(15)); return true;
  case 2: copy.coordinates[dimension] = int32_t(-random.between(1, 4) * grain(d)); return true;
  case 3:
    copy.form = isIm2col                      ? Form::Tile
                : leavesShared(copy.transfer) ? Form::Im2colNoOffsets
                                              : Form::Im2col;
    return copy.rank >= 3;
  case 4: copy.rank = int(random.between(isIm2col ? 3 : 1, 5)); return true;
  case 5:
    d.extents[dimension] = uint64_t(max_extent) + 1 + random.upTo(max_extent - 1);
    return reencode(subject);
  case 6: copy.coordinates[dimension] = int32_t(random.between(-40, 100)); return isIm2col;
  case 7:
    (random.oneIn(2) ? d.lower[0] = -1 : d.upper[0] = 1);
    return isIm2col && reencode(subject);
  default: copy.reduction = drawReduction(random); return copy.transfer == Transfer::Reduce;
  }
}

bool trapsOnly(const std::vector<Fault> &faults) {
  return !faults.empty() && std::all_of(faults.begin(), faults.end(), [](const Fault &each) {
    return each.kind == Fault::Kind::MisalignedAddress ||
           each.kind == Fault::Kind::IllegalInstruction;
  });
}

enum class Bits { Any, Moderate, Edges };

/// Numbers of similar size, so that sums round, or the edges of a type.
uint64_t drawElement(Random &random, ElementType type, Bits bits) {
  const unsigned size = bits_of(type);
  const uint64_t all = ~uint64_t(0) >> (64 - size);
  if (bits == Bits::Any)
    return random.next() & all;
  if (!is_floating(type))
    return bits == Bits::Moderate
               ? random.below(256)
               : random.pick<uint64_t>({0, 1, 2, all, all - 1, all / 2, all / 2 + 1});
  const int mantissa = type == ElementType::f16    ? 10
                       : type == ElementType::bf16 ? 7
                       : type == ElementType::f64  ? 52
                                                   : 23;
  const uint64_t top = all >> (mantissa + 1); // the largest exponent
  const uint64_t exponent = bits == Bits::Moderate ? top / 2 - 4 + random.below(8)
                                                   : random.pick<uint64_t>({0, 1, top - 1, top});
  const uint64_t fraction = bits == Bits::Moderate || random.oneIn(4)
                                ? random.next()
                                : random.pick<uint64_t>({0, 1, all / 2, all});
  return random.below(2) << (size - 1) | exponent << mantissa |
         (fraction & ((uint64_t(1) << mantissa) - 1));
}

} // namespace

std::string kindOf(const Case &subject) {
  const char *transfers[] = {" load", " store", " reduce", " prefetch"};
  return std::string(subject.bulk                                 ? "bulk"
                     : subject.descriptor.mode == MapMode::Im2col ? "im2col"
                                                                  : "tile") +
         (subject.audience.mask ? " multicast" : transfers[unsigned(subject.transfer())]);
}

std::string print(const Case &subject) {
  const TensorCopy &copy = subject.tensor;
  const BulkCopy &bulk = subject.untyped;
  std::string text = kindOf(subject);
  if (subject.transfer() == Transfer::Reduce)
    text += std::string(" ") + nameOf(subject.bulk ? bulk.reduction : copy.reduction);
  if (subject.audience.mask)
    text += " by " + std::to_string(subject.audience.speaker) + " for mask " +
            std::to_string(subject.audience.mask);
  if (subject.bulk)
    return text + " " + name_of(bulk.type) + " from " + std::to_string(bulk.sourceAddress) +
           " to " + std::to_string(bulk.targetAddress) + " bytes " + std::to_string(bulk.bytes);
  return text + " rank " + std::to_string(copy.rank) + " form " +
         std::to_string(unsigned(copy.form)) + " at " + list(copy.coordinates, copy.rank) +
         " offsets " + list(copy.offsets, 3) + " shared " + std::to_string(copy.shared) + "; " +
         print(subject.descriptor);
}

Case drawCase(Random &random, const Room &room) {
  Case subject;
  const uint64_t kind = random.below(16);
  if (kind < 2) {
    drawBulk(random, subject, room);
    return subject;
  }
  subject.tensor.transfer = kind < 10   ? Transfer::Load
                            : kind < 13 ? Transfer::Store
                                        : Transfer::Reduce;
  subject.tensor.reduction = drawReduction(random);
  drawTensorCopy(random, subject, room, random.oneIn(3));
  return subject;
}

Case drawMulticast(Random &random, const Room &room) {
  for (;;) {
    Case subject = drawCase(random, room);
    if (subject.transfer() != Transfer::Load)
      continue;
    subject.audience.speaker = uint16_t(random.below(mostPeers));
    subject.audience.mask = uint16_t(random.between(1, (1 << mostPeers) - 1));
    return subject;
  }
}

Case drawFaulty(Random &random, const Room &room) {
  for (;;) {
    Case subject = drawCase(random, room);
    if (spoil(random, subject) &&
        trapsOnly(subject.bulk ? faultsOf(subject.untyped) : faultsOf(subject.map, subject.tensor)))
      return subject;
  }
}

void fill(Random &random, ElementType type, uint8_t *bytes, uint32_t count) {
  const Bits bits = Bits(random.below(3));
  const uint32_t size = size_of(type);
  for (uint32_t i = 0; i + size <= count; i += size) {
    uint64_t element = drawElement(random, type, bits);
    std::memcpy(bytes + i, &element, size);
  }
}

} // namespace tilelift::conformance
