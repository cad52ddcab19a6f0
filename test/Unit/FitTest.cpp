// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relations are written down cell by cell here, as the interpreter would record
// them, so that the fit is tested without a compiler.
#include "plan/Fit.h"
#include "relation/WrittenBytes.h"

#include "gtest/gtest.h"

using namespace tilelift;

namespace {

struct FitTest : testing::Test {
  FitTest() {
    relation.kernel = "kernel";
    relation.tile.name = "tile";
    relation.tile.elementType = "float";
    relation.tile.elementSize = 4;
    relation.tile.extents = {8, 32};
    relation.tile.widestAccess = 4;
    GlobalBase in;
    in.spelling = "in";
    in.elementType = "float";
    in.elementSize = 4;
    in.knownAtLaunch = true;
    relation.bases.push_back(in);
    w = parameter("w"), h = parameter("h");
    bx = blockIndex("blockIdx.x", 0), by = blockIndex("blockIdx.y", 1);
  }
  Polynomial parameter(const char *name) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::Parameter;
    symbol.spelling = name;
    symbol.range = rangeOfType(32, true);
    symbol.knownAtLaunch = true;
    return Polynomial::symbol(relation.symbols.intern(symbol));
  }
  Polynomial blockIndex(const char *name, unsigned axis) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::BlockIndex;
    symbol.spelling = name;
    symbol.axis = axis;
    symbol.range = {0, 65534};
    return Polynomial::symbol(relation.symbols.intern(symbol));
  }
  /// A cell that reads `offset` where `guard` holds and is zero elsewhere.
  void cell(int64_t at, const Polynomial &offset, const Condition &guard,
            Source::Kind outside = Source::Kind::Constant, uint64_t bits = 0) {
    Cell cell;
    cell.offset = at;
    cell.size = 4;
    Source load, other;
    load.kind = Source::Kind::Load;
    load.offset = offset;
    other.kind = outside;
    other.bits = llvm::APInt(32, bits);
    if (!guard.isNever())
      cell.cases.push_back({guard, load});
    if (!guard.isAlways())
      cell.cases.push_back({!guard, other});
    relation.cells.push_back(cell);
  }
  Condition inside(const Polynomial &x, const Polynomial &y) {
    return Condition::notNegative(x) && Condition::notNegative(w - x - 1) &&
           Condition::notNegative(y) && Condition::notNegative(h - y - 1);
  }
  void guardedTile(int halo, Source::Kind outside = Source::Kind::Constant, uint64_t bits = 0) {
    for (int r = 0; r < 8; ++r)
      for (int c = 0; c < 32; ++c) {
        Polynomial x = bx * 32 + (c - halo), y = by * 8 + r;
        cell((r * 32 + c) * 4, (y * w + x) * 4, inside(x, y), outside, bits);
      }
  }
  /// The relation, in which it is known what nobody writes if nothing else writes to the tile.
  const CopyRelation &completed() {
    if (relation.tile.otherWriter.empty() && !relation.cells.empty())
      relation.tile.unwritten = unwrittenAround(relation, {&relation});
    return relation;
  }
  Plan plan(bool any = false) {
    auto result = fit(completed(), {any});
    if (auto *diagnostic = std::get_if<Diagnostic>(&result)) {
      ADD_FAILURE() << nameOf(diagnostic->id) << ": " << diagnostic->text;
      return {};
    }
    return std::get<Plan>(result);
  }
  Diagnostic refusal() {
    auto result = fit(completed(), {false});
    if (std::holds_alternative<Plan>(result)) {
      ADD_FAILURE() << "lifted: " << summary(std::get<Plan>(result));
      return {};
    }
    return std::get<Diagnostic>(result);
  }

  CopyRelation relation;
  Polynomial w, h, bx, by;
};

TEST_F(FitTest, guardedTile) {
  guardedTile(0);
  Plan result = plan();
  ASSERT_EQ(result.dims().size(), 2u);
  EXPECT_EQ(*result.dims()[0].extent, SymbolicElements(w));
  EXPECT_EQ(*result.dims()[1].extent, SymbolicElements(h));
  EXPECT_EQ(result.dims()[1].stride, SymbolicBytes(w * 4));
  EXPECT_EQ(result.dims()[0].box, Elements(32));
  EXPECT_EQ(result.dims()[1].box, Elements(8));
  EXPECT_EQ(result.dims()[0].coordinate, Position(bx * 32));
  EXPECT_EQ(result.dims()[1].coordinate, Position(by * 8));
  EXPECT_EQ(result.expectedBytes, Bytes(1024));
  EXPECT_FALSE(result.layout.moved);
  EXPECT_TRUE(result.copyChecks.empty());
}

TEST_F(FitTest, haloIsWidenedToSixteenBytes) {
  guardedTile(1);
  Plan result = plan();
  EXPECT_TRUE(result.layout.moved);
  EXPECT_EQ(result.layout.lead, TileElements(3));
  EXPECT_EQ(result.layout.pitch, TileElements(36));
  EXPECT_EQ(result.dims()[0].box, Elements(36));
  EXPECT_EQ(result.dims()[0].coordinate, Position(bx * 32 - 4));
}

TEST_F(FitTest, aTileThatEscapesIsNotMoved) {
  guardedTile(1);
  relation.tile.layoutEscape = "it is passed to 'f'";
  EXPECT_EQ(refusal().text, "'tile' has to be laid out with rows of 144 bytes instead of 128, but "
                            "it is passed to 'f'");
}

TEST_F(FitTest, wideConsumersKeepTheirAlignment) {
  guardedTile(1);
  relation.tile.widestAccess = 16;
  EXPECT_EQ(refusal().id, DiagnosticId::layout_escapes);
}

TEST_F(FitTest, contiguousIsBulk) {
  for (int i = 0; i < 256; ++i)
    cell(i * 4, bx * 1024 + i * 4, Condition::always());
  Plan result = plan();
  EXPECT_TRUE(result.bulk());
  EXPECT_EQ(result.expectedBytes, Bytes(1024));
  EXPECT_EQ(result.offset(), SymbolicBytes(bx * 1024));
}

TEST_F(FitTest, unguardedDimensionsHaveNoExtent) {
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 32; ++c)
      cell((r * 32 + c) * 4, ((by * 8 + r) * w + bx * 32 + c) * 4, Condition::always());
  Plan result = plan();
  ASSERT_EQ(result.dims().size(), 2u);
  EXPECT_FALSE(result.dims()[0].extent);
  EXPECT_FALSE(result.dims()[1].extent);
  EXPECT_EQ(result.dims()[1].coordinate, Position(by * 8));
}

TEST_F(FitTest, staleCellsNeedTheWholeBoxInside) {
  guardedTile(0, Source::Kind::Untouched);
  // That the box does not start left of or above the tensor is proven.
  EXPECT_EQ(plan().copyChecks.size(), 2u);
  EXPECT_TRUE(plan(true).copyChecks.empty()); // outside(any)
}

TEST_F(FitTest, anotherFillNeedsTheWholeBoxInside) {
  guardedTile(0, Source::Kind::Constant, 0x3f800000);
  EXPECT_EQ(plan().copyChecks.size(), 2u);
}

TEST_F(FitTest, aGapThatNobodyWritesHasNoValue) {
  guardedTile(0);
  relation.cells.erase(relation.cells.begin() + 33);
  EXPECT_EQ(plan().dims()[0].box, Elements(32));
}

TEST_F(FitTest, aCornerOfTheBoxMustExist) {
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 32; ++c)
      if (r != 7 || c != 31)
        cell((r * 32 + c) * 4, ((by * 8 + r) * w + bx * 32 + c) * 4, Condition::always());
  relation.cells.erase(relation.cells.begin() + 7 * 32 - 1);
  EXPECT_EQ(refusal().id, DiagnosticId::gap_in_tile);
}

TEST_F(FitTest, rowsThatJumpAreNoBoxThatEndsLater) {
  relation.tile.extents = {7, 32};
  for (int r = 0; r < 7; ++r)
    for (int c = 0; c < 32; ++c)
      cell((r * 32 + c) * 4, ((by * 7 + r) * w + bx * 32 + c + (r < 3 ? 0 : 4)) * 4,
           Condition::always());
  EXPECT_EQ(refusal().id, DiagnosticId::uneven_steps);
}

TEST_F(FitTest, aStretchMustNotReachIntoItsNeighbours) {
  relation.tile.extents = {1024};
  for (int i = 0; i < 512; ++i) {
    Polynomial x = bx * 512 + (i - 1);
    cell(i * 4, x * 4, Condition::notNegative(x) && Condition::notNegative(w - x - 1));
  }
  EXPECT_EQ(plan().layout.lead, TileElements(3));
  relation.tile.otherWriter = "may be written here, too";
  EXPECT_EQ(refusal().id, DiagnosticId::layout_escapes);
}

/// Two rows in each element, as in `struct { float2 upper, lower; }`.
TEST_F(FitTest, rowsThatAreFoundByDivisionAreWholeElements) {
  relation.tile.elementType = "Quad";
  relation.tile.elementSize = 16;
  relation.tile.extents = {32};
  for (int r = 0; r < 64; ++r)
    for (int c = 0; c < 2; ++c)
      cell((r * 2 + c) * 4, ((by * 64 + r) * w + bx * 2 + c) * 4, Condition::always());
  EXPECT_EQ(refusal().text, "'tile' has to be laid out with rows of 16 bytes instead of 8, but its "
                            "rows are no whole number of elements");
}

TEST_F(FitTest, stagesOfOneRowMoveApart) {
  relation.tile.extents = {3, 100};
  relation.tile.slot = by * 400;
  for (int i = 0; i < 100; ++i) {
    Polynomial x = bx * 100 + (i - 1);
    cell(i * 4, x * 4, Condition::notNegative(x) && Condition::notNegative(w - x - 1));
  }
  Plan result = plan();
  EXPECT_EQ(result.expectedBytes, Bytes(416));
  EXPECT_EQ(result.layout.pitch, TileElements(128));
  EXPECT_EQ(result.layout.slot, SymbolicBytes(by * 512));
}

TEST_F(FitTest, aRowThatWrapsAroundHasNoCoordinate) {
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 32; ++c)
      cell((r * 32 + c) * 4, (Polynomial(4294967290 + r) * w + bx * 32 + c) * 4,
           Condition::always());
  EXPECT_TRUE(plan().bulk()); // row by row, without a coordinate
  relation.tile.layoutEscape = "it is passed to 'f'";
  for (Cell &cell : relation.cells)
    cell.cases[0].source.edit().offset += Polynomial(4);
  EXPECT_EQ(refusal().text,
            "the box of 'tile' starts at 4294967290 in dimension 1, allowed are 0 to 2147483640 "
            "(coordinate-range)");
}

TEST_F(FitTest, paddingIsLeftOut) {
  relation.tile.extents = {8, 33};
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 32; ++c)
      cell((r * 33 + c) * 4, ((by * 8 + r) * w + bx * 32 + c) * 4, Condition::always());
  Plan result = plan();
  EXPECT_EQ(result.dims()[0].box, Elements(32));
  EXPECT_TRUE(result.layout.moved);
  EXPECT_EQ(result.layout.pitch, TileElements(32));
  EXPECT_EQ(result.layout.bytes, Bytes(1040)); // the last row keeps its padding
}

TEST_F(FitTest, aBoundOfOneSideHasToHoldForTheOthers) {
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 32; ++c) {
      Polynomial x = bx * 32 + c, y = by * 8 + r;
      cell((r * 32 + c) * 4, (y * w + x) * 4,
           r == 7 ? Condition::notNegative(h - y - 1) : Condition::always());
    }
  Plan result = plan();
  EXPECT_EQ(*result.dims()[1].extent, SymbolicElements(h));
  ASSERT_EQ(result.copyChecks.size(), 1u);
  EXPECT_EQ(print(result.copyChecks[0], result.symbols), "h - blockIdx.y * 8 - 7 >= 0");
}

TEST_F(FitTest, aGapIsNamed) {
  guardedTile(0);
  relation.cells.erase(relation.cells.begin() + 33);
  relation.tile.otherWriter = "may be written here, too";
  EXPECT_EQ(refusal().text,
            "'tile[1][1]' is not written, 'tile[1][2]' is: TMA fills a tile without gaps");
}

TEST_F(FitTest, aTransposedTileLiesAsItArrives) {
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 32; ++c)
      cell((r * 32 + c) * 4, ((bx * 32 + c) * w + by * 8 + r) * 4, Condition::always());
  Plan result = plan();
  EXPECT_TRUE(result.layout.transposed && result.layout.moved);
  EXPECT_EQ(result.tileExtents, (llvm::SmallVector<int64_t, 3>{32, 8}));
  EXPECT_EQ(result.dims()[0].box, Elements(8));
  EXPECT_EQ(result.dims()[1].stride, SymbolicBytes(w * 4));
  EXPECT_EQ(result.placeOf(Bytes((3 * 32 + 5) * 4)), Bytes((5 * 8 + 3) * 4));
}

TEST_F(FitTest, whatHindersATranspositionIsNamed) {
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 32; ++c)
      cell((r * 32 + c) * 4, ((bx * 32 + c) * w + by * 8 + r) * 4, Condition::always());
  relation.tile.layoutEscape = "it is passed to 'f'";
  const Diagnostic found = refusal();
  EXPECT_EQ(found.text, "'tile[0][0]' and 'tile[0][1]' lie side by side in shared memory but "
                        "w * 4 bytes apart in 'in': TMA keeps the order of the innermost "
                        "dimension");
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_EQ(found.notes[0].text, "'tile' is not laid out transposed: it is passed to 'f'");
}

TEST_F(FitTest, unevenRowsAreNamed) {
  guardedTile(0);
  relation.cells[5 * 32].cases[0].source.edit().offset += Polynomial(64);
  EXPECT_EQ(refusal().id, DiagnosticId::uneven_steps);
}

TEST_F(FitTest, aFlatGuardIsNoBox) {
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 32; ++c) {
      Polynomial index = (by * 8 + r) * w + bx * 32 + c;
      cell((r * 32 + c) * 4, index * 4, Condition::notNegative(w * h - index - 1));
    }
  EXPECT_EQ(refusal().id, DiagnosticId::uneven_guard);
}

TEST_F(FitTest, aBatchIsADimensionOfItsOwn) {
  Polynomial bz = blockIndex("blockIdx.z", 2);
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 32; ++c) {
      Polynomial x = bx * 32 + c, y = by * 8 + r;
      cell((r * 32 + c) * 4, ((bz * h + y) * w + x) * 4, inside(x, y));
    }
  Plan result = plan();
  ASSERT_EQ(result.dims().size(), 3u);
  EXPECT_EQ(result.dims()[2].stride, SymbolicBytes(h * w * 4));
  EXPECT_EQ(result.dims()[2].coordinate, Position(bz));
  EXPECT_EQ(result.dims()[2].box, Elements(1));
}

TEST_F(FitTest, longRowsComeInPieces) {
  relation.tile.extents = {1024};
  for (int i = 0; i < 1024; ++i) {
    Polynomial x = bx * 1024 + i;
    cell(i * 4, x * 4, Condition::notNegative(w - x - 1));
  }
  Plan result = plan();
  EXPECT_EQ(result.dims()[0].pieces, 4);
  EXPECT_EQ(result.dims()[0].boxOfPiece(), Elements(256));
}

TEST_F(FitTest, anUnprovenStartIsTestedAtTheCopy) {
  Polynomial k0 = [&] {
    Symbol symbol;
    symbol.kind = Symbol::Kind::Variable;
    symbol.spelling = "k0";
    symbol.range = {0, 1 << 20};
    return Polynomial::symbol(relation.symbols.intern(symbol));
  }();
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 32; ++c)
      cell((r * 32 + c) * 4, ((by * 8 + r) * w + k0 + c) * 4, Condition::always());
  Plan result = plan();
  ASSERT_EQ(result.copyChecks.size(), 1u);
  EXPECT_EQ(result.copyChecks[0].rule, rule_id::inner_coordinate_16);
  EXPECT_EQ(result.copyChecks[0].multiple, 4);
}

} // namespace
