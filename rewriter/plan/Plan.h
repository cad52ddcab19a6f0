//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which TMA operations do what a copy relation says, and under which
// conditions.
//
// A plan has no text and no syntax tree. Everything is a number or a polynomial
// over the relation's symbols, with a unit where it has one (Measures.h), innermost
// dimension first. Each condition stands
// on the best rung of one ladder: proven when compiling (then it is only a
// verdict), tested once by the launcher, or tested at the copy, where the plain
// statement is the other branch.
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
  /// Nothing where no guard bounds the dimension.
  std::optional<SymbolicElements> extent;
  /// Without a guard, but what a box adds to its elements must not be read behind the
  /// last one: so many from where the last box starts are there.
  std::optional<Elements> lastLength;
  /// From one element to the next.
  SymbolicBytes stride;
  /// What the copy covers, and how many instructions share it.
  Elements box{1};
  int64_t pieces = 1;
  /// Where the box starts.
  Position coordinate;

  Elements boxOfPiece() const { return box / pieces; }
  /// Behind the last element of a dimension that is bounded.
  Position end() const { return Position() + *extent; }
};

/// How pixels follow one another in a dimension of a convolution's input: `count` of them,
/// each `step` elements behind the one before, then on to the next dimension.
struct Walk {
  /// Nothing where the dimension after this one never gets on.
  std::optional<Polynomial> count;
  SymbolicElements step;
  /// Where the first pixel is; the host knows it.
  SymbolicElements first;
  /// What the element of the filter adds to all of them, known at the copy.
  SymbolicElements offset;
};

/// The part of a plan that all copies through a tensor map have in common, box or pixels.
struct MapAccess {
  /// From the base to element (0, 0, ...) of the tensor; the host knows it.
  SymbolicBytes offset;
  llvm::SmallVector<PlanDimension, 5> dims;
  /// A box may lie wholly outside of the tensor, and reads at its first element then.
  bool readsStart = false;
  /// Where boxes start in each dimension, or zero where they are inside, if the launcher can tell.
  std::vector<Position> boxStarts;
};

/// cp.async.bulk.tensor: boxes.
struct TileAccess : MapAccess {};

/// The same: pixels one behind the other, as a convolution's filter meets them. The dimensions are
/// channels, those of the walks, and images.
struct PixelAccess : MapAccess {
  llvm::SmallVector<Walk, 3> walks;
  /// All walks but the innermost stand still, as im2col::w has it where there is that.
  bool inLines = false;
  /// The flat number of the first pixel, and how many follow it.
  Polynomial pixel;
  int64_t pixels = 1;
  /// Instructions that share the pixels.
  int64_t pieces = 1;

  int64_t pixelsOfPiece() const { return pixels / pieces; }
};

/// Rows that are copied one by one: how far it is from one to the next in the tensor, and in the
/// tile.
struct RowDigit {
  int64_t count = 1;
  SymbolicBytes stride;
  Bytes distance;
};

/// cp.async.bulk: contiguous rows, without a map.
struct BulkAccess {
  /// From the base to the first byte that is copied, known at the copy.
  SymbolicBytes offset;
  /// One copy for each value of these, innermost first.
  llvm::SmallVector<RowDigit, 4> rows;
};

using Access = std::variant<TileAccess, PixelAccess, BulkAccess>;

/// Where element [..][c] of the user's tile lies: rows of `pitch` elements, the
/// first `lead` of which are not the user's.
struct SharedLayout {
  /// False when the tile keeps its type and every address in it.
  bool moved = false;
  /// The user's tile is flat, and its rows are found by division.
  bool folded = false;
  TileElements rowLength;
  int64_t rows = 1;
  TileElements pitch;
  TileElements lead;
  Bytes bytes;
  /// Where in the shared array the box goes.
  Bytes destination;
  /// And how far past that: a stage, known at the copy.
  SymbolicBytes slot;
  /// Where in each 8 rows of its span the 16-byte parts go.
  swizzle_mode swizzle = swizzle_mode::none;
  /// Rows longer than the span are cut: all first parts lie one behind the other, then
  /// all second ones, so much further. Zero where rows are whole.
  Bytes panel;

  /// What the tile starts on, so that everybody knows where the parts go.
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
  /// Of a row: asked where so many conditions of LookedUpRows::present hold, from the first one on.
  /// Those behind them may hang on the answer. With 0, it is asked of rows that are not there, too.
  unsigned behind = allConditions;
  static constexpr unsigned allConditions = ~0u;
};

/// Rows, or boxes, that are looked up one by one: what says where one of them is depends on
/// its number.
struct LookedUpRows {
  int64_t count = 1;
  SymbolId row = 0;
  /// From one to the next, in the tile as it is laid out.
  Bytes distance;
  /// So few that only four rows together start where TMA can write: gather4 and scatter4.
  bool byFours = false;
  /// Where these do not all hold, in this order, a load has zeros, and a store nothing.
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
  llvm::SmallVector<int64_t, 3> tileExtents;
  GlobalBase base;
  element_type element = element_type::f32;
  /// The same operations for each of these.
  std::optional<LookedUpRows> gather;
  /// What says where to copy is what the block left in shared memory.
  bool looksUpShared = false;
  /// It is made in an earlier round, where variables of the loop go by other names.
  bool isAhead = false;
  SharedLayout layout;
  /// Tiles of that layout, of which all but one are filled in advance.
  unsigned stages = 1;
  /// Where they start in dynamic shared memory, if they do not fit anywhere else.
  std::optional<Bytes> ringAt;
  /// How often warps pass shared memory for an access to the tile, on average: with this
  /// layout, and as it was declared. Zero where nobody has counted.
  double passes = 0, passesBefore = 0;
  Bytes expectedBytes;
  /// So many blocks of a cluster, along each axis, get the tile at once.
  BlockShape peers{1, 1, 1};
  BlockShape block{1, 1, 1};

  /// Rules that a tensor map or a bulk copy has by itself, with what is known
  /// while compiling; the open ones are checked again at launch.
  std::vector<finding> verdicts;
  std::vector<Check> launchChecks;
  std::vector<Check> copyChecks;

  Symbols symbols;
  std::vector<NamedValue> names;
  /// Of those into the tensor.
  std::vector<NamedPointer> pointers;
  /// Of those into the shared array.
  std::vector<NamedPointer> intoTile;
  Place place;

  Mode mode() const { return Mode(access.index()); }
  /// Of a copy through a tensor map, or null; so are the others.
  const MapAccess *map() const;
  MapAccess *map();
  const PixelAccess *pixels() const { return std::get_if<PixelAccess>(&access); }
  const BulkAccess *bulk() const { return std::get_if<BulkAccess>(&access); }
  bool hasMap() const { return map() != nullptr; }
  const SymbolicBytes &offset() const { return map() ? map()->offset : bulk()->offset; }
  /// The dimensions of the copy's tensor map, the walks of an im2col copy along them, and the rows
  /// of a bulk copy. Each list is empty for copies of another kind.
  llvm::ArrayRef<PlanDimension> dims() const;
  llvm::ArrayRef<Walk> walks() const;
  llvm::ArrayRef<RowDigit> rows() const;
  bool inLines() const { return pixels() && pixels()->inLines; }
  int64_t peerCount() const { return int64_t(peers[0]) * peers[1] * peers[2]; }
  /// Those along which there are several, bit 0 for x.
  unsigned peerAxes() const {
    return unsigned(peers[0] > 1) | unsigned(peers[1] > 1) << 1 | unsigned(peers[2] > 1) << 2;
  }
  /// Of all rows, if the value depends on which it is.
  bool isOfRow(const Polynomial &value) const {
    return gather && symbols.dependsOn(value, gather->row);
  }
  /// Whether where the box starts in a dimension is looked up for each row.
  bool isLookedUp(size_t d) const {
    assert(d < dims().size() && "only a tensor map has dimensions");
    const Polynomial &start = dims()[d].coordinate.count();
    return isOfRow(start) && !symbols.lookupsFor(start).empty();
  }
  /// Whether what says where to copy lies in memory.
  bool looksUp() const;
  /// What only some devices do.
  bool isByFours() const { return gather && gather->byFours; }
  int64_t pieces() const;
  /// Of the tile as it was declared.
  Bytes tileBytes() const;
  /// Of all of its tiles as they are laid out now, those of a ring aligned.
  Bytes sharedBytes() const;
  /// Where a byte of the tile as it was declared lies now.
  Bytes placeOf(Bytes byte) const;
  /// The tile's extents; of a flat one whose rows are found by division, with the rows.
  llvm::SmallVector<int64_t, 3> extentsWithRows() const;
};

/// Whether one text can serve both: the same operations, perhaps with other
/// numbers.
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
