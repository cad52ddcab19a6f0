//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the copy's elements lie in the tile: in the places that the program gives them, or in rows
// of another length, with or without a swizzle, where nothing relies on the program's; and whether
// rows that are looked up are copied one by one or by fours.
//===----------------------------------------------------------------------===//

#include "plan/Fitter.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace tilelift {

/// Decides where the user's elements lie in the filled tile. The rows are looked for in bytes, as
/// the tile's elements need not be those that TMA counts.
bool Fitter::layOut() {
  SharedLayout &layout = plan.layout;
  const SharedTile &tile = relation.tile;
  const Bytes row = shape.digits[0].count * shape.unitSize;
  layout.rows = 1;
  for (const Digit &digit : ArrayRef(shape.digits).drop_front())
    layout.rows *= digit.count;
  // A swizzle has rows of its own length, however short those of the box are.
  if (plan.hasMap())
    layout.swizzle = swizzle();
  layout.destination = shape.firstByte;
  layout.slot = SymbolicBytes(tile.slot);
  layout.bytes = Bytes(tile.bytes());
  const Bytes innermost = bytesOf(TileElements(tile.extents.back()), tile.elementSize);
  inBytes.pitch = innermost;

  const Bytes span(span_of(layout.swizzle));
  Bytes pitch = span != Bytes() ? span * dims()[0].pieces : plan.expectedBytes / rowsWritten();
  const Bytes userPitch = layout.rows > 1 ? shape.digits[1].distance * shape.unitSize : row;
  if (!decideMove(userPitch, pitch, row))
    return false;
  if (plan.gather && shape.digits.size() == 2 && span == Bytes())
    pitch = roundUp(pitch, startsOn());
  if (layout.moved && !moveRows(userPitch, pitch))
    return false;
  if (plan.gather && !placeRows())
    return false;
  inBytes.length = layout.folded ? userPitch : innermost;
  layout.lead = tileElementsIn(inBytes.lead, tile.elementSize);
  layout.pitch = tileElementsIn(inBytes.pitch, tile.elementSize);
  layout.rowLength = tileElementsIn(inBytes.length, tile.elementSize);
  const Cell &last = relation.cells.back();
  if (tile.isDynamic && plan.hasMap() && !plan.gather)
    plan.overhang =
        std::max(Bytes(), layout.destination + plan.expectedBytes - Bytes(last.offset + last.size));
  return true;
}

/// Decides whether the tile's elements get other places, and refuses what TMA cannot write: rows
/// between which others lie, swizzles that do not fit, a start that is not aligned.
bool Fitter::decideMove(Bytes userPitch, Bytes pitch, Bytes row) {
  SharedLayout &layout = plan.layout;
  const SharedTile &tile = relation.tile;
  const Bytes span(span_of(layout.swizzle));
  const bool isLonger = shape.firstByte + plan.expectedBytes > Bytes(tile.bytes());
  const bool isAsWritten = plan.hasMap() && written != swizzle_mode::none &&
                           inBytes.lead == Bytes() && userPitch == span && row == span && !isLonger;
  if (written != swizzle_mode::none && !isAsWritten)
    return fail(diagnose(diag::no_rows, relation.place, tile.name));
  if (plan.hasMap() && plan.rows().empty() && !isDense())
    return failLayout(userPitch, pitch,
                      "rows that it does not fill lie between those that it fills");
  layout.transposed = tile.isTransposed;
  layout.readAtOnce = tile.readAtOnce;
  layout.moved = plan.rows().empty() && !isAsWritten &&
                 (tile.isTransposed || inBytes.lead != Bytes() || isLonger || span != Bytes() ||
                  mustMove(userPitch, pitch));
  if (options.swizzle != swizzle_mode::none && !plan.hasMap())
    return fail(diagnose(diag::no_rows, relation.place, tile.name));
  if (span != Bytes() && !isCut() && !partsAreRows() && plan.pieces() > 1 &&
      plan.expectedBytes / rowsWritten() != span)
    return failLayout(userPitch, pitch, "it is filled in pieces, and its rows are shorter");
  return layout.moved || startsAligned();
}

/// Checks that a tile which stays as it is starts where TMA can write.
bool Fitter::startsAligned() {
  const SharedTile &tile = relation.tile;
  checkSlot();
  if (plan.layout.destination % startsOn() == Bytes())
    return true;
  return fail(diagnose(diag::tile_start, tile.place, plan.layout.destination.count(), tile.name,
                       plan.bulk() ? "a bulk copy" : "a copy with a tensor map",
                       startsOn().count()));
}

/// Whether TMA would not write rows of that pitch where the user's lie.
bool Fitter::mustMove(Bytes userPitch, Bytes pitch) const {
  if (!plan.gather || shape.digits.size() != 2)
    return pitch != userPitch;
  // Rows of their own may lie anywhere that TMA can write.
  const bool isWritable = userPitch % startsOn() == Bytes();
  return !isWritable && (pitch != userPitch || !mayBeByFours);
}

/// Whether the rows of a box follow each other in the tile, as TMA writes them. Boxes that are
/// looked up are written one by one.
bool Fitter::isDense() const {
  const ArrayRef<Digit> digits = ArrayRef(shape.digits).drop_back(plan.gather ? 1 : 0);
  for (size_t d = 2; d < digits.size(); ++d)
    if (digits[d].distance != digits[d - 1].distance * digits[d - 1].count)
      return false;
  return true;
}

/// Whether a swizzle cuts rows into parts that lie in panels of their own.
bool Fitter::isCut() const {
  return plan.layout.swizzle != swizzle_mode::none && dims()[0].pieces > 1 && !partsAreRows();
}

/// Whether the box has one row that covers several rows of the tile, and each part that a swizzle
/// cuts that row into is one row of the tile. Then the parts need no panels.
bool Fitter::partsAreRows() const {
  const SharedTile &tile = relation.tile;
  const Bytes span(span_of(plan.layout.swizzle));
  return shape.digits.size() == 1 && inBytes.lead == Bytes() && span % boxAlignment == Bytes() &&
         span == bytesOf(TileElements(tile.extents.back()), tile.elementSize) &&
         shape.firstByte % span == Bytes();
}

/// Each row that is looked up is an operation of its own.
bool Fitter::placeRows() {
  const Digit &rows = shape.digits.back();
  const Bytes span(span_of(plan.layout.swizzle));
  const Bytes pitch = plan.layout.panel != Bytes() ? span : inBytes.pitch;
  Bytes &distance = plan.gather->distance;
  distance =
      plan.layout.moved ? plan.layout.rows / rows.count * pitch : rows.distance * shape.unitSize;
  if (distance % startsOn() == Bytes())
    return true;
  if (!isByFours(distance))
    return fail(diagnose(diag::row_start, relation.tile.place, relation.tile.name, distance.count(),
                         startsOn().count()));
  plan.gather->byFours = true;
  Check fours{rule_id::row_start, {}, {}, 1, relation.place, Check::Subject::Target};
  plan.launchChecks.push_back(fours);
  if (isStored()) // the launcher does not know which targets of a device's the code is for
    plan.copyChecks.push_back(fours);
  return true;
}

/// Four rows of a tensor with two dimensions are one instruction on some devices, and then it
/// is these four that start on 128 bytes, the rows right behind one another. Of rows that are
/// stored and not there, the others would be on their own. `distance` is that of two rows.
bool Fitter::isByFours(Bytes distance) const {
  const LookedUpRows &rows = *plan.gather;
  bool isRow = plan.mode() == Mode::Tile && dims().size() == 2 && dims()[1].box == Elements(1) &&
               dims()[0].pieces == 1 && !plan.reduction;
  return mayBeByFours && isRow && rows.count % 4 == 0 &&
         distance == plan.expectedBytes / rows.count && distance * 4 % boxAlignment == Bytes() &&
         !(isStored() && !rows.present.empty());
}

/// One end of a range of indices as a message writes it: "any" where the range has no end.
static std::string endOf(int64_t index) {
  return index == Interval::lowest || index == Interval::highest ? "any" : std::to_string(index);
}

bool Fitter::failLayout(Bytes before, Bytes after, const Twine &why) {
  const SharedTile &tile = relation.tile;
  bool isSwizzled = plan.layout.swizzle != swizzle_mode::none;
  return fail(diagnose(
      diag::layout_escapes, tile.escapePlace.isKnown() ? tile.escapePlace : tile.place, tile.name,
      (isSwizzled ? "swizzled rows of " : "rows of ") + std::to_string(after.count()),
      isSwizzled ? std::string("plain ones") : std::to_string(before.count()), why.str()));
}

/// The slot that is filled starts where TMA can write.
void Fitter::checkSlot() {
  const rule_id rule = startsOn() == boxAlignment ? rule_id::shared_128 : rule_id::shared_16;
  // What the program swizzles itself, it does from where a slot starts.
  const Bytes multiple = written == swizzle_mode::none ? startsOn() : plan.layout.alignment();
  addCheck({rule, plan.layout.slot.count(), {}, multiple.count(), relation.place}, false);
}

/// Whether the rest of the kernel uses no elements of a row but those in `length` bytes from the
/// byte `first` on.
bool Fitter::staysWithin(Bytes first, Bytes length) const {
  const Bytes element(relation.tile.elementSize);
  Interval kept{first / element, (first + length) / element - 1};
  return relation.tile.extents.size() > 1 && first % element == Bytes() &&
         kept.contains(relation.tile.columns);
}

/// Whether the tile's elements may lie elsewhere: what uses them goes by its type, and all of what
/// is used in a row comes with the copy.
bool Fitter::mayMoveRows(Bytes userPitch, Bytes pitch, Bytes innermost) {
  const SharedLayout &layout = plan.layout;
  const SharedTile &tile = relation.tile;
  auto escapes = [&](const Twine &why) { return failLayout(userPitch, pitch, why); };
  if (!tile.layoutEscape.empty())
    return escapes(tile.layoutEscape);
  if (tile.columnsLeaveRows())
    return escapes("its rows may be used beyond their ends: as far as the indices are known, they "
                   "are from " +
                   endOf(tile.columns.low) + " to " + endOf(tile.columns.high));
  if (layout.swizzle != swizzle_mode::none && Bytes(tile.widestAccess) > grain)
    return escapes("it is accessed " + Twine(tile.widestAccess) +
                   " bytes at a time, and a swizzle keeps only 16 together");
  if (layout.folded && userPitch % Bytes(tile.widestAccess) != Bytes())
    return escapes("it is accessed " + Twine(tile.widestAccess) + " bytes at a time, across rows");
  if (layout.folded && userPitch % Bytes(tile.elementSize) != Bytes())
    return escapes("its rows are no whole number of elements");
  const bool hasRows = layout.rows > 1;
  if (hasRows && isStored() && pitch < userPitch &&
      !staysWithin(shape.firstByte % innermost, pitch))
    return escapes("the rest of its rows may be used");
  return !hasRows || userPitch == innermost ||
         escapes("the copy does not fill whole rows of '" + tile.name + "'");
}

/// Where in the rows the copy begins: not before the tile, and where TMA can write.
bool Fitter::placeInRows(Bytes userPitch, Bytes pitch, Bytes innermost, Bytes step) {
  SharedLayout &layout = plan.layout;
  const SharedTile &tile = relation.tile;
  auto escapes = [&](const Twine &why) { return failLayout(userPitch, pitch, why); };
  const int64_t rowsBefore = shape.firstByte / innermost;
  const Bytes before = shape.firstByte % innermost;
  if (layout.rows > 1 && before + shape.digits[0].count * shape.unitSize > innermost)
    return escapes("the copy's rows start in one row of '" + tile.name + "' and end in the next");
  layout.destination = rowsBefore * step;
  const Bytes lead = inBytes.lead - before;
  Bytes shift = roundUp(layout.destination, startsOn()) - layout.destination;
  shift += std::max(Bytes(), roundUp(-(lead + shift), startsOn()));
  if (isCut() && shift != Bytes()) // what follows a part of a row is not the row's next part
    return escapes("its rows are cut, and the copy's would start within a part of 128 bytes");
  layout.destination += shift;
  inBytes.lead = lead + shift;
  auto areWhole = [&](int64_t size) {
    return inBytes.lead % Bytes(size) == Bytes() && inBytes.pitch % Bytes(size) == Bytes();
  };
  if (!areWhole(tile.widestAccess))
    return escapes("it is accessed " + Twine(tile.widestAccess) +
                   " bytes at a time and would start " + Twine(inBytes.lead.count()) +
                   " bytes into a row");
  return areWhole(tile.elementSize) || escapes("that is no whole number of elements");
}

/// Lays the tile out with rows as the boxes bring them. The box starts where TMA can write,
/// and no element of the user's lies before the tile.
bool Fitter::moveRows(Bytes userPitch, Bytes pitch) {
  SharedLayout &layout = plan.layout;
  const SharedTile &tile = relation.tile;
  Bytes innermost = bytesOf(TileElements(tile.extents.back()), tile.elementSize);
  auto escapes = [&](const Twine &why) { return failLayout(userPitch, pitch, why); };
  const bool hasRows = layout.rows > 1;
  layout.folded = hasRows && tile.extents.size() == 1 && userPitch < innermost;
  if (layout.folded)
    innermost = userPitch;
  if (!mayMoveRows(userPitch, pitch, innermost))
    return false;
  // A row of its own may be as long as it needs to be. Of a longer one, the box covers
  // what is next to the copy's elements.
  const bool isRow = !hasRows && userPitch == innermost && shape.firstByte % innermost == Bytes();
  const bool isAll = shape.firstByte == Bytes() && userPitch == Bytes(tile.bytes());
  const bool isShared =
      relation.kind == CopyKind::Load && (!tile.otherWriter.empty() || !tile.slot.isZero());
  if (!hasRows && !isRow && !isAll && isShared)
    return escapes("elements next to the copy's would be overwritten");
  const bool isCut = this->isCut();
  if (isCut && !hasRows && userPitch > innermost)
    return escapes("a row of the copy goes through several of its rows");
  const bool isLine = !hasRows && (!isRow || isAll);
  inBytes.pitch = hasRows || isCut ? pitch : isLine ? innermost : roundUp(pitch, startsOn());
  const std::optional<Polynomial> slotRows = tile.slot.dividedBy(innermost.count());
  if (!slotRows)
    return escapes("its slots are no whole rows");
  const Bytes span(span_of(layout.swizzle)), whole(tile.bytes());
  if (isCut)
    layout.panel = roundUp(roundUp(whole, innermost) / innermost * span, boxAlignment);
  const Bytes step = layout.panel != Bytes() ? span : inBytes.pitch;
  layout.slot = *slotRows * SymbolicBytes(step);
  checkSlot();
  if (!tile.ownEscape.empty() && !plan.copyChecks.empty())
    return escapes(tile.ownEscape + " in the loop that is the other branch");
  if (!placeInRows(userPitch, pitch, innermost, step))
    return false;
  if (layout.panel != Bytes()) {
    layout.bytes = layout.panel * dims()[0].pieces;
    return inBytes.lead + innermost <= inBytes.pitch ||
           staysWithin(Bytes(), inBytes.pitch - inBytes.lead) ||
           escapes("the rest of its rows may be used");
  }
  const Bytes beforeLast = (whole - Bytes(1)) / innermost * inBytes.pitch;
  layout.bytes = roundUp(
      std::max(layout.destination + rowsWritten() * pitch, inBytes.lead + beforeLast + innermost),
      grain);
  return true;
}

} // namespace tilelift
