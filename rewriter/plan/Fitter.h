//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fit at work, one object for each attempt. Its parts are in several files: boxes and
// rows in Fit.cpp, pixels in FitPixels.cpp, rows that are looked up in FitGather.cpp, and where
// elements lie in the tile, which is the same for all of them, in FitLayout.cpp.
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

/// After how many stretches of so many bytes, one behind the other, the next starts on a boundary.
inline int64_t alignedAfter(Bytes stretch, Bytes boundary) {
  return boundary.count() / std::gcd(boundary.count(), stretch.count());
}

/// A guard bound that holds for digit i of one dimension while
/// `room + slope * i >= 0`.
struct Constraint {
  Polynomial room;
  int digit = -1; ///< -1: the same for all cells
  int64_t slope = 0;
};

/// In one dimension of a box.
constexpr Elements maxBox{256};

class Fitter {
public:
  /// `written` is the swizzle that the program wrote itself, of a relation without it.
  Fitter(const CopyRelation &relation, const FitOptions &options,
         swizzle_mode written = swizzle_mode::none)
      : relation(relation), options(options), written(written) {}

  std::variant<Plan, Diagnostic> run();
  /// Row by row, with every address as it is: no box, no map, no other layout.
  std::variant<Plan, Diagnostic> runRows();
  /// Of a relation in terms of these pixels.
  std::variant<Plan, Diagnostic> runPixels(const PixelRelation &pixels);
  /// Of a relation in terms of rows that are looked up, each of them a box or bytes.
  std::variant<Plan, Diagnostic> runGather(const GatherRelation &gather, Mode mode, bool byFours);

private:
  /// Of a copy through a tensor map, while its dimensions are looked for.
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
  struct Bounded {
    Constraint constraint;
    Polynomial least;
    bool isOfOneDimension = true;
  };
  std::optional<Bounded> constraintOf(const GuardColumn &column);
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
  bool startsInside(size_t d) const;
  void alignInner();
  void limitBoxes();
  bool mayOverhang(llvm::SmallVectorImpl<PlanDimension>::const_iterator cut) const;
  bool isWide() const;
  void cutPanels();
  bool endsAtLaunch(const Position &start) const;
  bool endsInLastRow() const;
  bool layOut();
  bool mustMove(Bytes userPitch, Bytes pitch) const;
  bool isDense() const;
  bool isCut() const;
  bool partsAreRows() const;
  bool placeRows();
  bool isByFours(Bytes distance) const;
  bool mayMoveRows(Bytes userPitch, Bytes pitch, Bytes innermost);
  bool placeInRows(Bytes userPitch, Bytes pitch, Bytes innermost, Bytes step);
  bool moveRows(Bytes userPitch, Bytes pitch);
  bool staysInRows() const;
  bool staysWithin(Bytes first, Bytes length) const;
  bool failLayout(Bytes before, Bytes after, const llvm::Twine &why);
  void checkSlot();
  /// What the start of a copy in shared memory is a multiple of.
  Bytes startsOn() const { return plan.bulk() ? grain : boxAlignment; }
  swizzle_mode swizzle() const { return written == swizzle_mode::none ? options.swizzle : written; }
  bool isStored() const { return relation.kind != CopyKind::Load; }
  bool takeReduction(Reduction reduction);
  void storeWhole();
  void keepApart();
  void finishBoxes();
  Bytes boxBytes() const;
  Bytes leadOfBulk() const;
  bool isWholeBulk() const;
  void endRows();
  void makeBulk();
  bool makeRows();
  bool takePixels(const PixelRelation &pixels);
  void placePixels(const PixelRelation &pixels);
  struct Pieces {
    int64_t count, size;
  };
  /// The fewest pieces of at most `most`, multiples of `unit`, that make up the whole; where
  /// the last one may overhang, or more.
  static std::optional<Pieces> fewestPieces(int64_t whole, int64_t most, int64_t unit,
                                            bool mayOverhang);
  void limitPixels(PixelAccess &access) const;
  void nameCoordinates(const PixelRelation &pixels, const WalkedTensor &tensor);
  bool takeGather(const GatherRelation &gather);
  bool keepsOrder() const;
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
  std::variant<Plan, Diagnostic> finish();
  void order(std::vector<Check> &checks);
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
  /// Whether rows that are looked up may have to come in fours.
  bool mayBeByFours = false;
  TileShape shape;
  /// The part of where the first cell lies that depends on which row is looked up.
  SymbolicBytes ofRows;
  bool inRows = false;
  /// The copy is made only where the whole tile lies inside of the guard.
  bool isOnlyWhole = false;
  Plan plan;
  /// The rows of the layout as they are looked for: as long as what is copied of each, so far
  /// apart, and behind so much that is not the user's. Only where all of that is whole elements of
  /// the tile, the plan says it in those.
  struct RowsInBytes {
    Bytes length, pitch, lead;
  };
  RowsInBytes inBytes;
  /// Of what TMA counts.
  int64_t elementSize() const { return size_of(plan.element); }
  /// TMA elements in one unit.
  int64_t perUnit = 1;
  /// The length of the dimension that is cut into pieces, in the tile and as the sum of its pieces.
  /// The sum is larger where the last piece goes past the tile's last row.
  struct CutLength {
    Elements inTile{1}, inPieces{1};
  };
  CutLength cutLength;
  /// The rows that boxes write, with those past the tile's last one.
  int64_t rowsWritten() const { return plan.layout.rows * cutLength.inPieces / cutLength.inTile; }
  /// Whether each box has a part inside of its tensor.
  bool areInside = false;
  /// Dimensions whose start the guard gives.
  llvm::SmallVector<bool, 5> hasLower;
  /// What has to stay positive before the dimension's end, if it has one.
  llvm::SmallVector<SymbolicElements, 5> boundedBy;
  /// From digits of a pixel to coordinates, one after the other.
  std::vector<std::function<Polynomial(const Polynomial &)>> inCoordinates;
  std::optional<Diagnostic> failure;
  /// Why nobody knows where the tensor ends, of which TMA would read more than the copy.
  std::optional<Diagnostic> unknownEnd;
  /// Of the numbers in requests.
  llvm::BumpPtrAllocator words;
};

} // namespace tilelift

#endif
