//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The records that a copy relation is made of: what the annotated statement stores
// to shared memory, cell by cell, or stores from there to global memory, or combines
// into it. The latter two are recorded as the load that would bring the cell back.
//===----------------------------------------------------------------------===//

#include "interpreter/Interpreter.h"
#include "relation/BaseObjects.h"
#include "support/DeclaredNames.h"

#include <numeric>

using namespace clang;
using namespace llvm;

namespace tilelift {

void Interpreter::failAsSideEffect(const std::string &what, Place place) {
  fail(diagnose(diag::side_effect, place, what, wordingOf(kernel.kind).purpose));
}

/// A copy that stores the tile has to know what is read there, and any copy what it finds its
/// rows by.
Scalar Interpreter::loadShared(const Scalar &from, QualType type, Place place) {
  noteAccess(from, type, false, place);
  if (!isCopying())
    return Scalar::unknown("is read from shared memory", place);
  Source source;
  source.kind = Source::Kind::Shared;
  source.base = from.object;
  source.offset = from.number;
  source.place = place;
  source.typeIdentity = identityOf(type);
  source.text = "is computed from what is in shared memory";
  if (std::optional<NumberType> number = numberType(type))
    source.isSigned = number->isSigned;
  Scalar data = Scalar::ofData(source);
  data.needs = from.needs;
  return data;
}

void Interpreter::noteAccess(const Scalar &address, QualType type, bool isStore, Place place) {
  if (isWatching() && address.number.isValid())
    accesses.push_back(
        {place, address.object, address.number.constantTerm(), sizeOf(type), isStore});
}

/// Why a value is none that this kind of copy stores at an address; empty if it is one.
static std::string whyNotStored(const Source &value, const Scalar &to, bool isAlways,
                                CopyKind kind) {
  switch (value.kind) {
  case Source::Kind::Constant:
    return isAlways ? "is always the same number"
                    : "is a number of the program's own where a condition holds";
  case Source::Kind::Load:
    return kind == CopyKind::Reduce
               ? "is in some cases what is read from global memory: min(), max() and atomics "
                 "choose in a way that is followed"
               : "is read from global memory";
  case Source::Kind::Shared: break;
  default: return value.text.empty() ? "is computed" : value.text;
  }
  if (kind == CopyKind::Store)
    return value.reduction ? "is combined with what is there: '#pragma tma reduce' does that" : "";
  if (!value.reduction && !isAlways)
    return "overwrites what is there where a condition holds: min() and max() choose between the "
           "two, '#pragma tma store' makes copies";
  if (!value.reduction)
    return "overwrites what is there: '#pragma tma store' does that";
  bool isSamePlace = value.combinedBase == to.object && value.combinedOffset == to.number;
  return isSamePlace ? "" : "is combined with what is in another place";
}

void Interpreter::storeGlobal(const Scalar &to, const Condition &guard, const Value &value,
                              QualType type, Place place) {
  const ValueCase *first = nullptr;
  for (const ValueCase &one : value.getCases()) {
    Condition when = guard && one.guard;
    const Source &from = *one.scalar.data;
    if (when.isNever())
      continue;
    if (from.kind == Source::Kind::Shared) {
      if (first && first->scalar.data->base == from.base &&
          first->scalar.data->offset != from.offset)
        return failAtChosenPlace(from.base, first->guard, place);
      first = &one;
    }
    std::string why = whyNotStored(from, to, when.isAlways(), kernel.kind);
    if (!why.empty())
      return fail(diagnose(diag::computed_value, place,
                           "what is stored to '" + block.bases[to.object].name() + "'", why));
    Source destination;
    destination.kind = Source::Kind::Load;
    destination.base = to.object;
    destination.offset = to.number;
    destination.place = place;
    destination.reduction = from.reduction;
    Scalar cell = Scalar::ofData(destination);
    cell.needs = to.needs;
    record(Scalar::ofAddress(Scalar::Space::Shared, from.base, from.offset, one.scalar.needs), when,
           cell, type, place);
  }
}

/// Wherever a slot is, what is accessed there lies no further apart than the object is long.
static bool isOutside(const SharedObject &object, int64_t offset, int64_t size) {
  constexpr int64_t anywhere = int64_t(1) << 61; // with room for sums of two
  int64_t low = 0, high = object.bytes;
  if (!object.slot.isZero()) {
    low = object.cells.empty() ? -anywhere : object.cells.rbegin()->first + 1 - object.bytes;
    high = object.cells.empty() ? anywhere : object.cells.begin()->first + object.bytes;
  }
  return offset < low || offset > high - size;
}

/// Whether a store that is outside of the object cannot happen under its guard: in a place that is
/// known, or beside one that is too far away and that is stored to whenever the guard holds.
static bool isGuardedAway(const SharedObject &object, int64_t offset, const Condition &guard) {
  if (guard.isAlways())
    return false;
  if (object.slot.isZero())
    return true;
  const CellRecord &farthest = offset < object.cells.begin()->first ? object.cells.rbegin()->second
                                                                    : object.cells.begin()->second;
  return (guard && !farthest.written).isNever();
}

/// Takes cells apart that a store meets only in part, a `float4` of which one member is stored
/// to, until it consists of whole cells: gives the length of those.
static unsigned takeApart(std::map<int64_t, CellRecord> &cells, int64_t offset, unsigned size) {
  auto first = cells.lower_bound(offset);
  while (first != cells.begin() && std::prev(first)->first + std::prev(first)->second.size > offset)
    --first;
  int64_t unit = size;
  auto last = first;
  for (; last != cells.end() && last->first < offset + size; ++last)
    unit = std::gcd(std::gcd(unit, int64_t(last->second.size)), last->first - offset);
  for (auto next = first; next != last;) {
    auto whole = next++;
    const CellRecord old = whole->second;
    for (int64_t part = 0; old.size > unit && part < old.size; part += unit) {
      CellRecord &cell = cells[whole->first + part];
      cell = old;
      cell.size = unsigned(unit);
      cell.value =
          old.value.map([&](const Scalar &value) { return partOf(value, part, unsigned(unit)); });
    }
  }
  return unsigned(unit);
}

/// What one cell of an object is, or where it goes.
void Interpreter::record(const Scalar &address, const Condition &guard, const Value &value,
                         QualType type, Place place) {
  SharedObject &object = block.shared[address.object];
  unsigned size = sizeOf(type);
  Wording words = wordingOf(kernel.kind);
  // What all cells have in common, a stage's number, says which slot is copied.
  Polynomial slot = address.number.withoutConstant();
  int64_t offset = address.number.constantTerm();
  bool isFirst = object.cells.empty();
  if (isFirst) {
    object.slot = slot;
    object.elementType = nameOutside(type.getUnqualifiedType(), kernel.context);
  }
  block.demand(address.needs);
  if (slot != object.slot || !address.number.isValid()) {
    block.leaveOpen(slot - object.slot);
    return fail(diagnose(diag::unknown_index, place, "the place in '" + object.name + "'",
                         "it depends on '" +
                             block.symbols.print(slot.isZero() ? object.slot : slot) + "'"));
  }
  if (guard.isUnknown())
    return fail(unknownGuard(kernel.kind, object, place, whyMasked));
  if (isOutside(object, offset, size)) {
    if (!isGuardedAway(object, offset, guard))
      return fail(diagnose(diag::outside_the_tile, place, object.name, words.done,
                           block.symbols.print(address.number), object.bytes));
    // No defined execution gets here.
    frames.back().returned = frames.back().returned || guard;
    mask = mask && !guard;
    return;
  }
  const unsigned unit =
      kernel.kind == CopyKind::Reduce ? size : takeApart(object.cells, offset, size);
  for (unsigned part = 0; part < size; part += unit)
    recordCell(object, offset + part, unit, guard,
               unit == size ? value : value.map([&](const Scalar &whole) {
                 return partOf(whole, part, unit);
               }),
               place);
}

static bool isSameData(const Scalar &a, const Scalar &b) {
  return a.is(Scalar::Kind::Data) && b.is(Scalar::Kind::Data) && a.data->sameValue(*b.data);
}

/// Whether two values are the same data wherever a condition holds.
static bool isSameWhere(const Condition &condition, const Value &a, const Value &b) {
  return llvm::all_of(a.getCases(), [&](const ValueCase &one) {
    return llvm::all_of(b.getCases(), [&](const ValueCase &other) {
      return isSameData(one.scalar, other.scalar) ||
             (one.guard && other.guard && condition).isNever();
    });
  });
}

void Interpreter::recordCell(SharedObject &object, int64_t offset, unsigned size,
                             const Condition &guard, const Value &value, Place place) {
  CellRecord &cell = object.cells[offset];
  Wording words = wordingOf(kernel.kind);
  const Condition again = cell.written && guard;
  bool isOther = cell.size != 0 && !again.isNever();
  // A thread may change its mind about what a cell is, but what it has stored stays there.
  bool isFinal = cell.thread != threadNumber || kernel.kind != CopyKind::Load;
  const Scalar *old = cell.value.single(), *now = value.single();
  bool isSame = old && now && isSameData(*old, *now) && kernel.kind != CopyKind::Reduce;
  if ((cell.size != 0 && cell.size != size) || (isOther && isFinal && !isSame))
    return fail(diagnose(diag::clashing_stores, place,
                         "byte " + std::to_string(offset) + " of '" + object.name + "'", words.done,
                         cell.thread, threadNumber,
                         isSameWhere(again, cell.value, value) ? "" : words.elsewhere));
  if (cell.size == 0)
    cell.value = Scalar::ofData(Source()); // untouched so far
  cell.size = size;
  steps += 4 * (unsigned(guard.getAlternatives().size()) - 1); // many are much work
  cell.value = cell.value.overwritten(guard, value);
  cell.written = cell.written || guard;
  cell.thread = threadNumber;
  cell.place = place;
}

} // namespace tilelift
