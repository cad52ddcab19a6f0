//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which TMA operations do what a copy relation says, and under which
// conditions.
//
// A plan has no text and no syntax tree. Everything is a number or a polynomial
// over the relation's symbols, with a unit where it has one (Measures.h), innermost
// dimension first. Each condition is decided as early as possible: proven while
// compiling, tested once by the launcher, or tested at the copy, where the plain
// statement runs if it fails.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_PLAN_H
#define TILELIFT_PLAN_PLAN_H

#include "plan/Measures.h"
#include "relation/CopyRelation.h"
#include "tilelift/rules.h"

#include "llvm/Support/JSON.h"

#include <cassert>
#include <variant>

namespace tilelift {

/// Which operations of the TMA unit make a copy; in the order of Access.
enum class Mode { Tile, Im2col, Bulk };

struct PlanDimension {
  /// The number of elements, which the host knows; nothing if no guard gives it.
  std::optional<SymbolicElements> extent;
  /// Set if no guard bounds the dimension and boxes are longer than the copy's rows. The launcher
  /// then ends the dimension this many elements after the start of the last box, so that TMA reads
  /// nothing past the tensor's last element.
  std::optional<Elements> lastLength;
  /// The distance from one element to the next.
  SymbolicBytes stride;
  /// The number of elements that the copy covers, divided evenly among `pieces` instructions.
  Elements box{1};
  int64_t pieces = 1;
  /// The start of the box.
  Position coordinate;

  Elements boxOfPiece() const { return box / pieces; }
  /// The position after the last element. The dimension has to have an extent.
  Position end() const { return Position() + *extent; }
};

/// How pixels follow one another in a dimension of a convolution's input: `count` of them,
/// each `step` elements behind the one before. The pixel after them is one step further in the
/// next dimension.
struct Walk {
  /// The number of pixels in this dimension; nothing if the pixels never reach the next one.
  std::optional<Polynomial> count;
  SymbolicElements step;
  /// The coordinate of the first pixel, without `offset`; the host knows it.
  SymbolicElements first;
  /// The offset of the filter's element, which is added to the coordinates of all pixels; known at
  /// the copy.
  SymbolicElements offset;
};

/// The part of a plan that all copies through a tensor map have in common, boxes or pixels.
struct MapAccess {
  /// The distance from the base to element (0, 0, ...) of the tensor; the host knows it.
  SymbolicBytes offset;
  llvm::SmallVector<PlanDimension, 5> dims;
  /// A box may lie wholly outside of the tensor. TMA then reads at the tensor's start, so there has
  /// to be memory.
  bool readsStart = false;
  /// The starts of the boxes, from which the launcher computes whether any box lies outside of the
  /// tensor: one for each dimension, zero if the dimension is not bounded. Empty if the launcher
  /// cannot compute it.
  std::vector<Position> boxStarts;
};

/// cp.async.bulk.tensor: boxes.
struct TileAccess : MapAccess {};

/// cp.async.bulk.tensor in an im2col mode: consecutive pixels of a convolution's input. The
/// dimensions are channels, those of the walks, and images.
struct PixelAccess : MapAccess {
  llvm::SmallVector<Walk, 3> walks;
  /// The pixels move along the innermost walk only; all other walks have a count of one. Such a
  /// copy uses im2col::w on devices that have it.
  bool inLines = false;
  /// The flat number of the first pixel that is copied, and the number of all that are.
  Polynomial pixel;
  int64_t pixels = 1;
  /// The number of instructions among which the pixels are divided evenly.
  int64_t pieces = 1;

  int64_t pixelsOfPiece() const { return pixels / pieces; }
};

/// `count` rows that are copied one by one. The distance from one to the next is `stride` in the
/// tensor, and `distance` in the tile.
struct RowDigit {
  int64_t count = 1;
  SymbolicBytes stride;
  Bytes distance;
};

/// cp.async.bulk: contiguous rows, without a map.
struct BulkAccess {
  /// The distance from the base to the first byte that is copied, known at the copy.
  SymbolicBytes offset;
  /// The rows, innermost digit first; each combination of the digits' values is one copy.
  llvm::SmallVector<RowDigit, 4> rows;
};

using Access = std::variant<TileAccess, PixelAccess, BulkAccess>;

/// Where element [..][c] of the user's tile lies: rows of `pitch` elements, the
/// first `lead` of which are not the user's.
struct SharedLayout {
  /// False when the tile keeps its type and every address in it.
  bool moved = false;
  /// The tile's last two dimensions have changed places, and the lifted kernel exchanges the
  /// subscripts of each use. All else here is about the tile as it lies then.
  bool transposed = false;
  /// The same as SharedTile::readAtOnce.
  unsigned readAtOnce = 1;
  /// The tile is declared with one dimension, and the lifted kernel divides each index by
  /// `rowLength` to find its row.
  bool folded = false;
  TileElements rowLength;
  int64_t rows = 1;
  TileElements pitch;
  TileElements lead;
  Bytes bytes;
  /// The offset in the shared array at which the box starts.
  Bytes destination;
  /// An offset that is added to `destination`: the start of the stage that the program's own ring
  /// fills, known at the copy.
  SymbolicBytes slot;
  /// The swizzle of TMA. It permutes the 16-byte parts of rows that are as long as its span, alike
  /// in each group of 8 rows.
  swizzle_mode swizzle = swizzle_mode::none;
  /// The distance between two panels. Rows that are longer than the swizzle's span are cut into
  /// parts of that length; the first parts of all rows are one panel, the second parts the next.
  /// Zero if rows are not cut.
  Bytes panel;

  /// The alignment of the tile. A swizzle goes by address bits, so a swizzled tile starts where all
  /// bits that it uses are zero.
  Bytes alignment() const {
    return swizzle == swizzle_mode::none ? Bytes(128) : 8 * Bytes(span_of(swizzle));
  }
};

/// value is in `within`, and a multiple of `multiple`.
struct Check {
  rule_id rule = rule_id::guard;
  Polynomial value;
  Interval within;
  int64_t multiple = 1;
  Place place;
  enum class Subject {
    Value,
    Address, ///< where the copy reads from, which only the device knows
    Target,  ///< whether what the code is compiled for copies four rows at once
    Apart,   ///< whether all rows that are looked up go to different places
  } subject = Subject::Value;
  /// For a check of a looked-up row: the check is evaluated only if the first `conditionsBefore`
  /// conditions of LookedUpRows::present hold for that row. The conditions after those may depend
  /// on this check. With 0 it is evaluated for all rows, absent ones included.
  unsigned conditionsBefore = allConditions;
  static constexpr unsigned allConditions = ~0u;
};

/// Rows, or boxes, whose places in the tensor are looked up in memory, for each row by itself: the
/// plan's coordinates or its offset depend on the symbol `row`, the number of the row.
struct LookedUpRows {
  int64_t count = 1;
  SymbolId row = 0;
  /// The distance from one row to the next, in the tile as it is laid out.
  Bytes distance;
  /// Rows are moved four at a time, by gather4 or scatter4: they are so short that single rows
  /// would not all start on 128 bytes of shared memory.
  bool byFours = false;
  /// The conditions under which a row is present, in the order in which they are evaluated. A load
  /// fills an absent row with zeros, a store skips it.
  std::vector<Check> present;
};

struct Plan {
  CopyKind kind = CopyKind::Load;
  std::optional<Reduction> reduction;
  Access access;
  std::string kernel;
  std::string tile;
  std::string tileElement;
  unsigned tileElementSize = 1;
  /// With the last two exchanged where the layout is transposed.
  llvm::SmallVector<int64_t, 3> tileExtents;
  GlobalBase base;
  element_type element = element_type::f32;
  /// The rows that are looked up, if any; the operations of the plan are made for each of them.
  std::optional<LookedUpRows> gather;
  /// The place of the copy depends on values that are looked up in shared memory.
  bool looksUpShared = false;
  /// The plan is for a copy that a pipeline issues ahead of its round, where other variables stand
  /// for those of the loop.
  bool isAhead = false;
  SharedLayout layout;
  /// The number of tiles of that layout: the stages of a ring, or two for a tile that the rounds of
  /// a pipeline store alternately; otherwise 1.
  unsigned stages = 1;
  /// The start of these tiles in dynamic shared memory; nothing if they are in static memory.
  std::optional<Bytes> ringAt;
  /// The mean number of passes that shared memory takes for a warp's access to the tile
  /// (BankConflicts.h), with this layout and with the declared one. Zero if it was not counted.
  double passes = 0, passesBefore = 0;
  Bytes expectedBytes;
  /// In dynamic shared memory, the bytes that the box fills behind the last one that the program
  /// writes there. The program may not have asked for them.
  Bytes overhang;
  /// The number of blocks of a cluster, along each axis, that get the tile at once.
  BlockShape peers{1, 1, 1};
  BlockShape block{1, 1, 1};

  /// Rules that a tensor map or a bulk copy has by itself, with what is known
  /// while compiling; the open ones are checked again at launch.
  std::vector<finding> findings;
  std::vector<Check> launchChecks;
  std::vector<Check> copyChecks;

  Symbols symbols;
  /// The variables that the kernel can name at the copy.
  std::vector<NamedValue> names;
  /// The pointers into the tensor that the kernel can name at the copy.
  std::vector<NamedPointer> pointers;
  /// The pointers into the shared array that the kernel can name at the copy.
  std::vector<NamedPointer> intoTile;
  Place place;

  Mode mode() const { return Mode(access.index()); }
  /// Returns what a copy through a tensor map has, or null for a bulk copy. Likewise, pixels() and
  /// bulk() return null for copies of another mode.
  const MapAccess *map() const;
  MapAccess *map();
  const PixelAccess *pixels() const { return std::get_if<PixelAccess>(&access); }
  const BulkAccess *bulk() const { return std::get_if<BulkAccess>(&access); }
  bool hasMap() const { return map() != nullptr; }
  const SymbolicBytes &offset() const { return map() ? map()->offset : bulk()->offset; }
  /// The dimensions of the copy's tensor map, the walks of an im2col copy along them, and the rows
  /// of a bulk copy. A list is empty if the copy's mode does not have it: dims() for bulk copies,
  /// walks() for all but im2col copies, rows() for all but bulk copies.
  llvm::ArrayRef<PlanDimension> dims() const;
  llvm::ArrayRef<Walk> walks() const;
  llvm::ArrayRef<RowDigit> rows() const;
  bool inLines() const { return pixels() && pixels()->inLines; }
  int64_t peerCount() const { return int64_t(peers[0]) * peers[1] * peers[2]; }
  /// The axes along which several blocks get the tile: bit 0 for x, bit 1 for y, bit 2 for z.
  unsigned peerAxes() const {
    return unsigned(peers[0] > 1) | unsigned(peers[1] > 1) << 1 | unsigned(peers[2] > 1) << 2;
  }
  /// Whether rows are looked up and the value depends on the number of the row.
  bool isOfRow(const Polynomial &value) const {
    return gather && symbols.dependsOn(value, gather->row);
  }
  /// Whether the start of the box in dimension `d` is looked up for each row.
  bool isLookedUp(size_t d) const {
    assert(d < dims().size() && "only a tensor map has dimensions");
    const Polynomial &start = dims()[d].coordinate.count();
    return isOfRow(start) && !symbols.lookupsFor(start).empty();
  }
  /// Whether the copy depends on numbers, or on a pointer, that are looked up in memory.
  bool looksUp() const;
  /// Whether rows are moved four at a time, which only some devices can (LookedUpRows::byFours).
  bool isByFours() const { return gather && gather->byFours; }
  int64_t pieces() const;
  /// The size of the tile as it was declared.
  Bytes tileBytes() const;
  /// The size of all `stages` tiles as they are laid out now. If there are several, each starts on
  /// the layout's alignment.
  Bytes sharedBytes() const;
  /// The offset, in the new layout, of a byte of the tile as it was declared.
  Bytes placeOf(Bytes byte) const;
  /// The tile's extents. A flat tile whose rows are found by division has two: the number of rows,
  /// and their length.
  llvm::SmallVector<int64_t, 3> extentsWithRows() const;
};

/// Whether one text can serve both plans: they have the same operations and tests, which may differ
/// in their numbers.
bool sameOperations(const Plan &a, const Plan &b);

/// One line for remarks: "tile copy of 20 x 136 f32 (10880 bytes), ...".
std::string summary(const Plan &plan);
/// The condition as a sentence: "w * 4 is a multiple of 16".
std::string print(const Check &check, const Symbols &symbols);

/// For --dump-plan and --dump-relation; an object for each copy.
llvm::json::Value toJson(const Plan &plan);
llvm::json::Value toJson(const CopyRelation &relation);

} // namespace tilelift

#endif
