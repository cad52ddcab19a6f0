//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "relation/Transposed.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilelift {

/// The last two extents of a tile, as it is declared.
struct LastExtents {
  int64_t rows, columns;
};

static std::optional<LastExtents> lastExtents(const SharedTile &tile) {
  if (tile.extents.size() < 2)
    return std::nullopt;
  return LastExtents{*(tile.extents.end() - 2), tile.extents.back()};
}

/// Whether accesses of several elements are all reads of as many, which never reach beyond a row.
static std::string hindranceOfWideAccesses(const SharedTile &tile) {
  if (tile.widestAccess <= tile.elementSize)
    return "";
  const std::string wide = std::to_string(tile.widestAccess) + " bytes at a time";
  if (tile.widestAccess != tile.narrowestAccess || tile.widestAccess % tile.elementSize != 0)
    return "it is accessed " + wide + ", and otherwise";
  if (!tile.otherWriter.empty())
    return "it is accessed " + wide + ", and written beside the copy";
  if (tile.hasElementInType)
    return "it is accessed " + wide + ", and the type or size of an element is asked for";
  return tile.rowBytes() % tile.widestAccess == 0
             ? ""
             : "it is accessed " + wide + ", and its rows are no multiple of that";
}

std::string hindranceToTranspose(const SharedTile &tile) {
  const std::optional<LastExtents> extents = lastExtents(tile);
  assert(extents && "a tile with one dimension cannot be transposed");
  if (tile.isDynamic)
    return "it is dynamic shared memory";
  if (!tile.layoutEscape.empty())
    return tile.layoutEscape;
  if (tile.columnsLeaveRows() || tile.rowsLeavePlanes())
    return "its rows may be used beyond their ends";
  if (!tile.slot.dividedBy(extents->rows * extents->columns * tile.elementSize))
    return "its slots are no whole planes";
  return hindranceOfWideAccesses(tile);
}

std::optional<CopyRelation> withColumns(const CopyRelation &relation) {
  const SharedTile &tile = relation.tile;
  const Cell &first = relation.cells.front();
  if (tile.extents.size() != 1 || !first.onlyLoad())
    return std::nullopt;
  const Source &start = *first.onlyLoad()->source;
  const auto next = llvm::find_if(relation.cells, [&](const Cell &cell) {
    const Case *load = cell.onlyLoad();
    return load && load->source->base == start.base &&
           load->source->offset == start.offset + Polynomial(int64_t(tile.elementSize));
  });
  if (next == relation.cells.end())
    return std::nullopt;
  const int64_t length = (next->offset - first.offset) / tile.elementSize;
  if (length < 2 || tile.extents[0] % length != 0)
    return std::nullopt;
  CopyRelation result = relation;
  result.tile.extents = {tile.extents[0] / length, length};
  return result;
}

int64_t exchanged(int64_t element, int64_t rows, int64_t columns) {
  const int64_t inPlane = element % (rows * columns);
  return element - inPlane + inPlane % columns * rows + inPlane / columns;
}

std::optional<CopyRelation> transposed(const CopyRelation &relation) {
  const SharedTile &tile = relation.tile;
  const std::optional<LastExtents> extents = lastExtents(tile);
  if (!extents)
    return std::nullopt;
  CopyRelation result = relation;
  SharedTile &turned = result.tile;
  turned.isTransposed = true;
  turned.readAtOnce = std::max(1u, tile.widestAccess / tile.elementSize);
  turned.widestAccess = tile.elementSize;
  if (turned.ownEscape.empty() && turned.readAtOnce > 1 && !tile.isOnlyAssigned)
    turned.ownEscape = "its elements are not only assigned numbers";
  if (turned.ownEscape.empty() && tile.ownWidestAccess > tile.elementSize)
    turned.ownEscape =
        "it is accessed " + std::to_string(tile.ownWidestAccess) + " bytes at a time";
  std::swap(*(turned.extents.end() - 2), turned.extents.back());
  const Interval all{0, extents->rows - 1};
  turned.columns = all.contains(tile.rows) ? tile.rows : all;
  turned.rows = tile.columns;
  turned.unwritten.clear();
  for (Cell &cell : result.cells) {
    const int64_t inElement = cell.offset % tile.elementSize;
    if (inElement + cell.size > tile.elementSize)
      return std::nullopt;
    cell.offset = exchanged(cell.offset / tile.elementSize, extents->rows, extents->columns) *
                      tile.elementSize +
                  inElement;
  }
  llvm::sort(result.cells, [](const Cell &a, const Cell &b) { return a.offset < b.offset; });
  return result;
}

} // namespace tilelift
