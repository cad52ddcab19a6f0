//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "relation/WrittenBytes.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/Sequence.h"

#include <algorithm>
#include <numeric>

using namespace llvm;

namespace tilelift {
namespace {

/// The bytes at which a copy's cells may start to be counted: one for each slot, or, if there may
/// be any number of slots, one from which all others are multiples of `period` away.
struct Origins {
  SmallVector<int64_t, 8> bytes;
  int64_t period = 0;
};

/// Between which numbers a slot is; a loop's counter is between its constants, if it has such.
Interval rangeOf(const Polynomial &slot, const Symbols &symbols) {
  const ArrayRef<Term> terms = slot.getTerms();
  if (terms.size() != 1 || terms.front().factors.size() != 1)
    return symbols.rangeOf(slot);
  const Symbol &counter = symbols[terms.front().factors.front()];
  Interval range = counter.range;
  if (counter.first && counter.step > 0)
    if (std::optional<int64_t> first = counter.first->asConstant())
      range.low = std::max(range.low, *first);
  if (counter.below)
    if (std::optional<int64_t> end = counter.below->asConstant())
      range.high = std::min(range.high, *end - 1);
  const int64_t stride = terms.front().coefficient;
  const bool isSmall = range.low >= 0 && range.high < (1 << 20) && stride > 0 && stride < (1 << 20);
  return isSmall ? Interval{range.low * stride, range.high * stride} : symbols.rangeOf(slot);
}

Origins originsOf(const CopyRelation &copy) {
  constexpr int64_t mostSlots = 256;
  const int64_t constant = copy.tile.slot.constantTerm();
  const Polynomial moving = copy.tile.slot.withoutConstant();
  if (moving.isZero())
    return {{constant}, 0};
  const int64_t step = copy.symbols.divisorOf(moving);
  const Interval range = rangeOf(moving, copy.symbols);
  const int64_t first = constant + range.low, last = constant + range.high;
  const bool isKnown = range.low > -(1 << 20) && range.high < (1 << 20) && step > 0 && first >= 0 &&
                       (last - first) / step < mostSlots && range.low % step == 0;
  if (!isKnown)
    return {{constant}, step};
  Origins origins;
  for (int64_t byte = first; byte <= last; byte += step)
    origins.bytes.push_back(byte);
  return origins;
}

/// Where some copies write. With a period, bytes count as one byte if their distance is a multiple
/// of it.
class WrittenBytes {
public:
  explicit WrittenBytes(ArrayRef<const CopyRelation *> writers) {
    int64_t end = 0;
    for (const CopyRelation *copy : writers) {
      const Origins origins = originsOf(*copy);
      period = std::gcd(period, origins.period);
      for (const Cell &cell : copy->cells)
        end = std::max(end, origins.bytes.back() + cell.offset + cell.size);
    }
    bytes.resize(unsigned(period != 0 ? period : end));
    for (const CopyRelation *copy : writers)
      for (int64_t origin : originsOf(*copy).bytes)
        for (const Cell &cell : copy->cells)
          for (int64_t byte = 0; byte < cell.size; ++byte)
            bytes.set(numberOf(origin + cell.offset + byte));
  }
  bool has(int64_t byte) const {
    return (period != 0 || byte < int64_t(bytes.size())) && bytes[numberOf(byte)];
  }

private:
  unsigned numberOf(int64_t byte) const {
    return unsigned(period == 0 ? byte : (byte % period + period) % period);
  }

  int64_t period = 0;
  BitVector bytes;
};

} // namespace

int64_t spaceBehind(const CopyRelation &copy) {
  int64_t largest = 0, end = copy.cells.front().offset;
  for (const Cell &cell : copy.cells) {
    largest = std::max(largest, cell.offset - end);
    end = std::max(end, cell.offset + cell.size);
  }
  return copy.tile.isDynamic ? largest : std::clamp<int64_t>(copy.tile.bytes() - end, 0, largest);
}

SmallVector<ByteRange, 0> unwrittenAround(const CopyRelation &copy,
                                          ArrayRef<const CopyRelation *> writers) {
  SmallVector<ByteRange, 0> found;
  const WrittenBytes written(writers);
  const Origins origins = originsOf(copy);
  const Cell &last = copy.cells.back();
  const int64_t end = last.offset + last.size + spaceBehind(copy);
  for (int64_t byte : seq(copy.cells.front().offset, end)) {
    if (llvm::any_of(origins.bytes, [&](int64_t origin) { return written.has(origin + byte); }))
      continue;
    if (found.empty() || found.back().to != byte)
      found.push_back({byte, byte});
    ++found.back().to;
  }
  return found;
}

} // namespace tilelift
