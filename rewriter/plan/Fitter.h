//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One attempt to fit a plan to a copy relation. Its parts are in several files: the order of the
// attempts, contiguous bytes and single rows are in Fit.cpp, boxes in FitBoxes.cpp, the bounds of
// the guard in FitGuards.cpp, pixels in FitPixels.cpp, and rows that are looked up in
// FitGather.cpp. Common to all of them are the layout of the tile, in FitLayout.cpp, and the
// conditions and rules of a plan, in FitChecks.cpp.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_FITTER_H
#define TILELIFT_PLAN_FITTER_H

#include "plan/Elements.h"
#include "plan/Fit.h"
#include "plan/Needs.h"
#include "plan/Pixels.h"
#include "plan/Shape.h"

#include "llvm/Support/Allocator.h"

#include <numeric>

namespace tilelift {

struct GatherRelation;
struct WalkedTensor;

inline int64_t floorMod(int64_t value, int64_t of) { return ((value % of) + of) % of; }

/// Returns the least number of stretches, one after the other from a boundary on, that end on a
/// multiple of `boundary`.
inline int64_t alignedAfter(Bytes stretch, Bytes boundary) {
  return boundary.count() / std::gcd(boundary.count(), stretch.count());
}

/// A bound of the guard, which holds for value i of one digit of the shape while
/// `room + slope * i >= 0`.
struct Constraint {
  Polynomial room;
  int digit = -1; ///< -1: the same for all cells
  int64_t slope = 0;
};

/// The most elements of a box in one dimension.
constexpr Elements maxBox{256};

class Fitter {
public:
  /// `written` is a swizzle that the program's own indices apply to the tile. The cells of
  /// `relation` must then be in the order before that swizzle.
  Fitter(const CopyRelation &relation, const FitOptions &options,
         swizzle_mode written = swizzle_mode::none)
      : relation(relation), options(options), written(written) {}

  /// Fits a box, or one bulk copy if the bytes are contiguous.
  std::variant<Plan, Diagnostic> run(Gaps gaps);
  /// Fits one bulk copy for each row. The tile keeps its layout, and no tensor map is needed.
  std::variant<Plan, Diagnostic> runRows();
  /// Fits an im2col copy. The relation of the Fitter must be `pixels.relation`, in the order before
  /// a written swizzle.
  std::variant<Plan, Diagnostic> runPixels(const PixelRelation &pixels);
  /// Fits an operation for each looked-up row: a box through a tensor map (Mode::Tile), or a bulk
  /// copy (Mode::Bulk). `byFours` allows gather4 and scatter4. The relation of the Fitter must be
  /// `gather.relation`.
  std::variant<Plan, Diagnostic> runGather(const GatherRelation &gather, Mode mode, bool byFours);

private:
  /// The dimensions of the plan, which has to be one for a copy through a tensor map.
  const llvm::SmallVector<PlanDimension, 5> &dims() const {
    assert(plan.map() && "bytes have no dimensions");
    return plan.map()->dims;
  }
  llvm::SmallVector<PlanDimension, 5> &dims() {
    return const_cast<llvm::SmallVector<PlanDimension, 5> &>(std::as_const(*this).dims());
  }
  bool isKnownWhereRead(const NamedPointer &pointer) const;
  bool start();
  void splitRows();
  void chooseElement();
  bool hasNoOtherUnits() const;
  void placeConstraints();
  Constraint alongRow(Constraint constraint) const;
  std::optional<Position> lastWithin(const Constraint &constraint);
  bool hasKnownEnd(int digit, llvm::ArrayRef<Constraint> constraints);
  /// The bound that a column of the guard puts on the box, and the smallest distance from any unit
  /// of the box to that bound.
  struct Bounded {
    Constraint constraint;
    Polynomial least;
    bool isOfOneDimension = true;
  };
  std::optional<Bounded> constraintOf(const GuardColumn &column);
  /// Requires, at the copy, that a bound holds for the whole box.
  void holdForAll(const Constraint &constraint);
  void placeOne(const Constraint &constraint, llvm::ArrayRef<Constraint> all);
  bool placeStart(const Constraint &constraint);
  bool placeEnd(const Constraint &constraint, llvm::ArrayRef<Constraint> all);
  void splitOffset();
  void takeCoordinate(size_t dim, SymbolicBytes &rest);
  void addOuterDimensions(SymbolicBytes &rest);
  void boundCoordinates();
  void requireInside();
  void findStart();
  /// Whether a check at the copy keeps the start of what is read from being negative.
  bool startsInside(size_t d) const;
  void alignInner();
  void limitBoxes();
  bool mayOverhang(llvm::SmallVectorImpl<PlanDimension>::const_iterator cut) const;
  bool isWide() const;
  void cutPanels();
  bool limits(const Bound &bound, SymbolId id) const;
  bool endsAtLaunch(const Position &start) const;
  void settleLimits(const Position &start);
  bool endsInLastRow() const;
  bool layOut();
  bool decideMove(Bytes userPitch, Bytes pitch, Bytes row);
  bool startsAligned();
  bool mustMove(Bytes userPitch, Bytes pitch) const;
  bool isDense() const;
  bool isCut() const;
  bool partsAreRows() const;
  bool placeRows();
  bool isByFours(Bytes distance) const;
  bool mayMoveRows(Bytes userPitch, Bytes pitch, Bytes innermost);
  bool placeInRows(Bytes userPitch, Bytes pitch, Bytes innermost, Bytes step);
  bool moveRows(Bytes userPitch, Bytes pitch);
  bool staysWithin(Bytes first, Bytes length) const;
  bool failLayout(Bytes before, Bytes after, const llvm::Twine &why);
  void checkSlot();
  /// The alignment of the copy's start in shared memory.
  Bytes startsOn() const { return plan.bulk() ? grain : boxAlignment; }
  swizzle_mode swizzle() const { return written == swizzle_mode::none ? options.swizzle : written; }
  bool isStored() const { return relation.kind != CopyKind::Load; }
  bool takeReduction(Reduction reduction);
  /// Refuses a store whose rows do not start and end on 16 bytes. If the end of the tensor's rows
  /// may not lie on 16 bytes, adds a check that keeps boxes inside of them.
  void storeWhole();
  /// Requires that no two elements of a store go to one address.
  void keepApart();
  void finishBoxes();
  Bytes boxBytes() const;
  Bytes leadOfBulk() const;
  bool isWholeBulk() const;
  /// Sets PlanDimension::lastLength of the innermost dimension if boxes read past the copy's rows
  /// and no guard says where the tensor ends.
  void endRows();
  void makeBulk();
  bool makeRows();
  bool takePixels(const PixelRelation &pixels);
  void placePixels(const PixelRelation &pixels);
  struct Pieces {
    int64_t count, size;
  };
  /// Returns the fewest pieces of equal size that together have the length `whole`, or nothing if
  /// there are none. The size is a multiple of `unit` and at most `most`. If the last piece may
  /// overhang, all pieces together may be longer than `whole`.
  static std::optional<Pieces> fewestPieces(int64_t whole, int64_t most, int64_t unit,
                                            bool mayOverhang);
  void limitPixels(PixelAccess &access) const;
  void nameCoordinates(const PixelRelation &pixels, const WalkedTensor &tensor);
  bool takeGather(const GatherRelation &gather);
  bool keepsOrder() const;
  /// The terms of a value that depend on the number of a looked-up row, and the other terms.
  struct RowTerms {
    Polynomial ofRows, rest;
  };
  RowTerms rowTermsOf(const Polynomial &value) const;
  bool followsRows(const Position &coordinate, const SymbolicBytes &stride) const;
  void placeBoxes();
  void checkRowMultiples(rule_id rule, const SymbolicBytes &value);
  bool mayBeAbsent(const Polynomial &room);
  unsigned conditionsBefore(const Polynomial &value) const;
  Interval rangeBehind(unsigned conditions, const Polynomial &value) const;
  bool holdsWhereAsked(const Check &check) const;
  bool reducesBulk() const;
  void nameRequired(std::vector<Requirement> &required);
  void checkRequirements();
  void checkThreadsStay();
  void checkLookups();
  std::variant<Plan, Diagnostic> finish();
  /// Sorts checks by the last lookup that each depends on.
  void order(std::vector<Check> &checks);
  void refuseManyConditions();
  void refuseContradictions();
  void refuseMultiples();
  std::vector<DigitEnds> digitEnds() const;
  void checkRules();
  void addCheck(Check check, bool atLaunch);
  quantity describeValue(const Polynomial &value);
  void describeMap(map_request &request);
  tile_request tileRequest();
  im2col_request im2colRequest();
  void report(const finding &found);
  bool fail(Diagnostic diagnostic) {
    if (!failure)
      failure = std::move(diagnostic);
    return false;
  }

  const CopyRelation &relation;
  const FitOptions &options;
  swizzle_mode written;
  /// Whether looked-up rows may be moved four at a time, by gather4 or scatter4, if single rows
  /// would not start on 128 bytes.
  bool mayBeByFours = false;
  TileShape shape;
  /// The terms of the first cell's place in the tensor that depend on the number of the looked-up
  /// row.
  SymbolicBytes ofRows;
  /// Conditions on the way to the copy do not keep the box that starts last from being copied.
  bool limitsAreSettled = false;
  /// The plan copies single rows without a map (runRows()).
  bool inRows = false;
  /// The copy is made only where the whole tile lies inside of the guard.
  bool isOnlyWhole = false;
  Plan plan;
  /// The rows of the tile in bytes, while the layout is looked for: their length, which is that of
  /// the copied part until layOut() sets it, the distance between two, and the part at the start of
  /// each that is not the user's. The plan has them in elements of the tile.
  struct RowsInBytes {
    Bytes length, pitch, lead;
  };
  RowsInBytes inBytes;
  /// The size of an element as TMA counts them, in bytes.
  int64_t elementSize() const { return size_of(plan.element); }
  /// The number of TMA elements in one unit.
  int64_t perUnit = 1;
  /// If a dimension other than the innermost one is cut into pieces: its length in the tile, and
  /// the sum of its pieces, which is larger where the last piece goes past the tile's last row.
  /// Otherwise both are 1.
  struct CutLength {
    Elements inTile{1}, inPieces{1};
  };
  CutLength cutLength;
  /// The rows that boxes write, with those past the tile's last one.
  int64_t rowsWritten() const { return plan.layout.rows * cutLength.inPieces / cutLength.inTile; }
  /// Checks at the copy ensure that each box has a part inside of its tensor.
  bool boxesTouchTensor = false;
  /// For each dimension, whether the guard gives the start of the box.
  llvm::SmallVector<bool, 5> hasLower;
  /// For each dimension whose end the guard gives: the last index that the guard allows, minus the
  /// start of the box.
  llvm::SmallVector<SymbolicElements, 5> boundedBy;
  /// Functions that replace digits of a pixel by coordinates in a value. All of them are applied,
  /// in this order.
  std::vector<std::function<Polynomial(const Polynomial &)>> inCoordinates;
  std::optional<Diagnostic> failure;
  /// The refusal for boxes that read past the last element of a row, if the launcher cannot compute
  /// where the tensor ends.
  std::optional<Diagnostic> unknownEnd;
  /// The memory of the texts in requests.
  llvm::BumpPtrAllocator words;
};

} // namespace tilelift

#endif
