//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a box starts and how long it is in each dimension, behind what the guard says of that
// (FitGuards.cpp), and where the tensor ends.
//===----------------------------------------------------------------------===//

#include "plan/Fitter.h"
#include "plan/Gather.h"
#include "plan/Quotients.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace llvm;

namespace tilelift {
namespace {

/// For a positive divisor.
int64_t nearestQuotient(int64_t value, int64_t divisor) {
  int64_t shifted = value + divisor / 2;
  return (shifted - floorMod(shifted, divisor)) / divisor;
}

/// The terms of a value that the host cannot compute before the launch, and its constant.
Polynomial withoutKnown(const Polynomial &value, const Symbols &symbols) {
  Polynomial rest;
  for (const Term &term : value.getTerms())
    if (term.factors.empty() || !symbols.knownAtLaunch(term))
      rest += Polynomial::ofTerm(term);
  return rest;
}

} // namespace

/// Distributes the place of the first cell over coordinates and the map's base. The terms that give
/// the place of a looked-up row get dimensions of their own.
void Fitter::splitOffset() {
  if (failure)
    return;
  SymbolicBytes rest = shape.start;
  for (size_t d = 0; d < dims().size(); ++d)
    if (hasLower[d])
      rest -= dims()[d].coordinate.count() * dims()[d].stride;
  const RowTerms terms = rowTermsOf(rest.count());
  ofRows += SymbolicBytes(terms.ofRows); // a guard may have put them into a coordinate already
  rest = SymbolicBytes(terms.rest);
  for (size_t d = dims().size(); d-- > 1;)
    if (!hasLower[d])
      takeCoordinate(d, rest);
  if (!hasLower[0])
    takeCoordinate(0, rest);
  rest += ofRows;
  addOuterDimensions(rest);
  plan.map()->offset = rest;

  for (PlanDimension &dim : dims()) {
    if (!dim.extent)
      continue;
    *dim.extent += dim.coordinate.fromStart();
    if (plan.symbols.knownAtLaunch(dim.extent->count()))
      continue;
    // An extent that only the device knows: the box must lie inside it.
    const SymbolicElements inside = dim.end() - dim.coordinate - dim.box;
    addCheck({rule_id::guard, inside.count(), {0, Interval::highest}, 1, relation.place}, false);
    dim.extent.reset();
  }
}

void Fitter::takeCoordinate(size_t d, SymbolicBytes &rest) {
  const Division division = divide(rest.count(), dims()[d].stride.count());
  // What the host knows may as well stay in the base, but a constant belongs
  // to the coordinate: it decides how the tile is widened.
  Polynomial taken;
  for (const Term &term : division.quotient.getTerms()) {
    bool stays = d == 0 && !term.factors.empty() && plan.symbols.knownAtLaunch(term);
    // Where a guard says how far the dimension goes from here, only what it
    // speaks of is this dimension's; the rest is an offset of another kind.
    bool isForeign = dims()[d].extent && !term.factors.empty() &&
                     !llvm::is_contained((-boundedBy[d]).count().getTerms(), term);
    if (!stays && !isForeign)
      taken += Polynomial::ofTerm(term);
  }
  // Where both are constants, the rest is the inner dimensions': as little as can be.
  std::optional<int64_t> stride = dims()[d].stride.count().asConstant();
  if (d > 0 && stride && *stride > 0)
    taken += Polynomial(nearestQuotient(division.remainder.constantTerm(), *stride));
  // Nothing is left of an extent that is taken for an offset.
  if (dims()[d].extent && (dims()[d].extent->count() + taken).asConstant().value_or(1) < 1)
    taken = withoutKnown(taken, plan.symbols);
  dims()[d].coordinate = Position(taken);
  rest -= taken * dims()[d].stride;
}

/// Device-dependent offsets that no dimension of the box explains, such as
/// `blockIdx.z * h * w`, become dimensions of their own with a box of one.
void Fitter::addOuterDimensions(SymbolicBytes &rest) {
  std::vector<LaunchParts> groups = plan.symbols.partsOf(rest.count());
  llvm::erase_if(groups, [](const LaunchParts &group) { return group.device.isConstant(); });
  for (const LaunchParts &group : groups) {
    if (dims().size() >= size_t(max_rank)) {
      fail(diagnose(diag::too_many_dimensions, relation.place,
                    int(dims().size() + groups.size() - (&group - groups.data())),
                    "'" + plan.symbols.print(group.device) + "' asks for one more"));
      return;
    }
    PlanDimension dim;
    dim.coordinate = Position(group.device);
    dim.stride = SymbolicBytes(group.host);
    rest -= group.device * dim.stride;
    if (plan.isOfRow(group.device)) { // rows that are looked up, and then so many ahead
      const Elements ahead(divide(rest.count(), group.host).quotient.constantTerm());
      dim.coordinate += ahead;
      rest -= ahead.count() * dim.stride;
    }
    dims().push_back(dim);
    hasLower.push_back(false);
  }
}

/// Without a lower bound of its own, a dimension must not start below zero: TMA
/// would fill there, the plain copy reads.
void Fitter::boundCoordinates() {
  bool isMoved = false;
  for (size_t d = 0; d < dims().size(); ++d) {
    PlanDimension &dim = dims()[d];
    const Elements constant(dim.coordinate.count().constantTerm());
    bool mayBeNegative =
        !hasLower[d] && rangeBehind(Check::allConditions, dim.coordinate.count()).low < 0;
    if (mayBeNegative && constant < Elements()) { // the tensor begins that much earlier
      isMoved = true;
      plan.map()->offset += constant.count() * dim.stride;
      dim.coordinate -= constant;
      if (dim.extent)
        *dim.extent -= constant;
    }
    const Polynomial &start = dim.coordinate.count();
    Interval allowed = rangeOfType(32, true);
    if (!hasLower[d] && !startsInside(d))
      allowed.low = 0;
    if (hasLower[d] && isStored()) // a store that starts below zero is an illegal instruction
      addCheck({rule_id::guard, start, {0, Interval::highest}, 1, relation.place}, false);
    if (!dim.extent) // the whole box lies before the end that was made up
      allowed.high = unbounded_extent - dim.box.count();
    if (start.isConstant() && !allowed.contains({start.constantTerm(), start.constantTerm()})) {
      fail(diagnose(diag::rule_violated, relation.place,
                    "the box of '" + plan.tile + "' starts at " +
                        std::to_string(start.constantTerm()) + " in dimension " +
                        std::to_string(d) + ", allowed are " + std::to_string(allowed.low) +
                        " to " + std::to_string(allowed.high) + " (coordinate-range)"));
      return;
    }
    addCheck({rule_id::coordinate_range, start, allowed, 1, relation.place}, true);
  }
  isMoved |= llvm::any_of(plan.offset().count().getTerms(),
                          [](const Term &term) { return term.coefficient < 0; });
  if (isMoved && !plan.pixels())
    requireInside();
}

/// A box that lies wholly outside of its tensor still reads where that starts. There is often
/// nothing if that is before what the program's pointer points to, and then no launch would use
/// TMA: so each box has a part inside.
void Fitter::requireInside() {
  boxesTouchTensor = true;
  for (size_t d = 0; d < dims().size(); ++d) {
    const PlanDimension &dim = dims()[d];
    Interval positive{0, Interval::highest};
    if (dim.extent)
      addCheck({rule_id::guard, (dim.end() - dim.coordinate - Elements(1)).count(), positive, 1,
                relation.place},
               false);
    if (hasLower[d])
      addCheck({rule_id::guard, (dim.coordinate + dim.box - Elements(1)).count(), positive, 1,
                relation.place},
               false);
  }
}

/// Whether there has to be memory where the tensor starts: a load that lies wholly outside reads
/// there, where the plain program may read nothing at all.
void Fitter::findStart() {
  if (plan.bulk())
    return;
  auto isBounded = [&](size_t d) { return dims()[d].extent || hasLower[d]; };
  auto mayLieOutside = [&](size_t d) {
    return isBounded(d) && (!boxesTouchTensor || dims()[d].pieces > 1);
  };
  const bool hasAbsentRows = plan.gather && !plan.gather->present.empty();
  // Of these, the coordinates of the copy do not tell which boxes lie outside.
  const bool mayBeAnywhere = plan.pixels() || hasAbsentRows;
  MapAccess &map = *plan.map();
  const auto all = llvm::seq(map.dims.size());
  map.readsStart = !isStored() && (mayBeAnywhere || llvm::any_of(all, mayLieOutside));
  if (!map.readsStart || mayBeAnywhere || plan.pieces() != 1)
    return;
  auto startOf = [&](size_t d) { return isBounded(d) ? dims()[d].coordinate : Position(); };
  if (llvm::all_of(all, [&](size_t d) { return plan.symbols.boundedAtLaunch(startOf(d).count()); }))
    for (size_t d : all)
      map.boxStarts.push_back(startOf(d));
}

/// Whether a check at the copy keeps the start of what is read from being negative.
bool Fitter::startsInside(size_t d) const {
  Position first = dims()[d].coordinate;
  if (d == 0)
    first += elementsIn(inBytes.lead, elementSize());
  return llvm::any_of(plan.copyChecks, [&](const Check &check) {
    std::optional<int64_t> ahead = (check.value - first.count()).asConstant();
    return ahead && check.subject == Check::Subject::Value &&
           check.within.low != Interval::lowest && check.within.low >= *ahead;
  });
}

/// The innermost coordinate must be a multiple of 16 bytes: start the box
/// earlier by what is missing, and end it on a multiple, too.
void Fitter::alignInner() {
  PlanDimension &inner = dims()[0];
  const Elements perGrain = elementsIn(grain, elementSize());
  const Elements lead(
      isStored() ? 0 : floorMod(inner.coordinate.count().constantTerm(), perGrain.count()));
  inBytes.lead = bytesOf(lead, elementSize());
  inBytes.length = shape.coversPadding() ? shape.copiedUnits * shape.unitSize
                                         : bytesOf(inner.box, elementSize());
  inner.coordinate -= lead;
  inner.box = roundUp(lead + inner.box, perGrain);
  const Polynomial &start = inner.coordinate.count();
  if (plan.symbols.divisorOf(start) % perGrain.count() != 0)
    addCheck({rule_id::inner_coordinate_16, start, {}, perGrain.count(), relation.place},
             plan.symbols.knownAtLaunch(start));
}

/// Past a known extent nothing is read, so the last of the pieces that a dimension is cut
/// into may overhang where there is room for it.
bool Fitter::mayOverhang(llvm::SmallVectorImpl<PlanDimension>::const_iterator cut) const {
  bool isOutermost = std::all_of(cut + 1, dims().end(),
                                 [](const PlanDimension &dim) { return dim.box == Elements(1); });
  bool isRow = cut == dims().begin();
  bool hasEnd = cut->extent || (isRow && endsAtLaunch(cut->coordinate));
  bool isFollowed = plan.gather.has_value(); // by the box of the next row that is looked up
  // Rows behind the copy's would be written, too, where the tile or a slot of it has some.
  const SharedTile &tile = relation.tile;
  bool hasRoom =
      isRow || (shape.firstByte + boxBytes() == Bytes(tile.bytes()) && tile.slot.isZero());
  return (isOutermost || isRow) && hasEnd && hasRoom && !isFollowed && tile.layoutEscape.empty() &&
         !isStored();
}

/// Whether rows are longer than the swizzle that is asked for.
bool Fitter::isWide() const {
  return options.swizzle != swizzle_mode::none &&
         bytesOf(dims()[0].box, elementSize()) > Bytes(span_of(options.swizzle));
}

/// A swizzled box is at most as wide as its span: one for each part of the rows.
void Fitter::cutPanels() {
  PlanDimension &inner = dims()[0];
  const Elements part = elementsIn(Bytes(span_of(options.swizzle)), elementSize());
  const Elements whole = roundUp(inner.box, part);
  if (whole != inner.box && !mayOverhang(dims().begin()))
    return;
  inner.box = whole;
  inner.pieces = whole / part;
}

/// Boxes have at most 256 elements in each dimension; several instructions fill
/// a longer one. Each fills one stretch of shared memory that starts on 128
/// bytes, so outside the dimension that is cut they take single rows.
void Fitter::limitBoxes() {
  if (isWide())
    return cutPanels();
  auto tooLong = [](const PlanDimension &dim) { return dim.box > maxBox; };
  auto cut = llvm::find_if(dims(), tooLong);
  if (cut == dims().end())
    return;
  Elements inner(1);
  for (auto dim = dims().begin(); dim != cut; ++dim)
    inner *= dim->box.count();
  const int64_t unit = alignedAfter(bytesOf(inner, elementSize()), boxAlignment);
  std::optional<Pieces> found =
      fewestPieces(cut->box.count(), maxBox.count(), unit, mayOverhang(cut));
  if (!found)
    return;
  if (cut != dims().begin())
    cutLength = {cut->box, Elements(found->count * found->size)};
  cut->box = Elements(found->count * found->size);
  cut->pieces = found->count;
  for (auto dim = cut + 1; dim != dims().end(); ++dim)
    dim->pieces = dim->box.count();
}

std::optional<Fitter::Pieces> Fitter::fewestPieces(int64_t whole, int64_t most, int64_t unit,
                                                   bool mayOverhang) {
  for (int64_t count = (whole + most - 1) / most; count <= whole; ++count) {
    int64_t size = ((whole + count - 1) / count + unit - 1) / unit * unit;
    if (size <= most && (size * count == whole || mayOverhang))
      return Pieces{count, size};
  }
  return std::nullopt;
}

/// Returns the symbols of a value that the launcher does not know, such as counters of loops.
static SmallVector<SymbolId, 4> onDevice(const Polynomial &value, const Symbols &symbols) {
  SmallVector<SymbolId, 4> found;
  for (const Term &term : value.getTerms())
    for (SymbolId id : term.factors)
      if (!symbols[id].knownAtLaunch)
        found.push_back(id);
  return found;
}

/// Whether a bound leaves out numbers that a counter would have otherwise.
bool Fitter::limits(const Bound &bound, SymbolId id) const {
  std::optional<Polynomial> most = bound.most(id), below = plan.symbols[id].below;
  bool isOwn = most && below && *most + Polynomial(1) == *below;
  return !isOwn && plan.symbols.dependsOn(bound.value, id);
}

/// Whether the box that starts last is copied, and the launcher knows where it starts.
bool Fitter::endsAtLaunch(const Position &position) const {
  const SmallVector<SymbolId, 4> counters = onDevice(position.count(), plan.symbols);
  if (!plan.symbols.endsAtLaunch(position.count()) || relation.reached.isUnknown())
    return false;
  auto isTested = [&](const Check &check) {
    return check.rule == rule_id::guard && llvm::any_of(counters, [&](SymbolId id) {
             return plan.symbols.dependsOn(check.value, id);
           });
  };
  auto isLimited = [&](const Bound &bound) {
    return llvm::any_of(counters, [&](SymbolId id) { return limits(bound, id); });
  };
  return llvm::none_of(plan.copyChecks, isTested) &&
         (limitsAreSettled ||
          llvm::none_of(relation.reached.getAlternatives(), [&](const Conjunction &bounds) {
            return llvm::any_of(bounds, isLimited);
          }));
}

/// Finds out where the box starts last, if there are conditions on the way to the copy. A counter
/// ends where such a condition ends it. A condition that does not say so in terms of the counter
/// has to hold for all of its numbers, which the launcher checks.
void Fitter::settleLimits(const Position &position) {
  const Conjunction *bounds = relation.reached.asConjunction();
  if (limitsAreSettled || !bounds || !plan.symbols.endsAtLaunch(position.count()))
    return;
  SmallVector<Check, 2> checks;
  for (const Bound &bound : *bounds)
    for (SymbolId id : onDevice(position.count(), plan.symbols)) {
      if (!limits(bound, id))
        continue;
      std::optional<Polynomial> most = bound.most(id);
      const std::optional<int64_t> later =
          most ? (*most + Polynomial(1) - *plan.symbols[id].below).asConstant() : std::nullopt;
      if (later && *later <= 0)
        plan.symbols.boundBelow(id, *most + Polynomial(1));
      else if (plan.symbols.boundedAtLaunch(bound.value))
        checks.push_back({rule_id::index_range, bound.value, bound.range, 1, relation.place});
      else
        return;
    }
  for (Check &check : checks)
    addCheck(std::move(check), true);
  limitsAreSettled = true;
}

/// Whether the box that starts last in its rows is that of the tensor's last row, too: which row a
/// box is in says nothing of where in the row it starts.
bool Fitter::endsInLastRow() const {
  for (const Term &term : dims()[0].coordinate.count().getTerms())
    for (SymbolId id : term.factors) {
      if (plan.symbols[id].knownAtLaunch)
        continue;
      auto isOfRow = [&](const PlanDimension &dim) {
        return plan.symbols.dependsOn(dim.coordinate.count(), id);
      };
      if (plan.gather || llvm::any_of(ArrayRef(dims()).drop_front(), isOfRow))
        return false;
    }
  return true;
}

/// TMA reads whole 16 bytes, perhaps past the copy's rows. If no guard gives the end of the
/// tensor's rows, they end where the last box does.
void Fitter::endRows() {
  PlanDimension &inner = dims()[0];
  const Elements length = elementsIn(inBytes.lead + inBytes.length, elementSize());
  if (failure || inner.extent || inner.box == length || isStored())
    return;
  if (shape.coversPadding())
    settleLimits(inner.coordinate);
  if (!endsAtLaunch(inner.coordinate) || !endsInLastRow())
    unknownEnd = diagnose(diag::reads_past_end, relation.place,
                          bytesOf(inner.box - length, elementSize()).count(), plan.base.spelling,
                          inBytes.lead == Bytes() ? "" : " that starts at one");
  inner.lastLength = length;
}

/// Stores write whole 16 bytes, so no row of the copy may start or end within them. Nor may the
/// tensor end within them, unless a check at the copy keeps boxes from its end.
void Fitter::storeWhole() {
  PlanDimension &inner = dims()[0];
  auto isWhole = [&](const SymbolicBytes &bytes) {
    return plan.symbols.divisorOf(bytes.count()) % grain.count() == 0;
  };
  auto failAs = [&](const std::string &does, Bytes bytes) {
    fail(diagnose(diag::store_not_whole, relation.place, plan.tile, does, bytes.count()));
  };
  const Polynomial &start = inner.coordinate.count();
  const Bytes behind(
      floorMod(bytesOf(Elements(start.constantTerm()), elementSize()).count(), grain.count()));
  if (behind != Bytes() &&
      isWhole(bytesOf(SymbolicElements(start.withoutConstant()), elementSize())))
    return failAs("start in '" + plan.base.spelling + "' behind a multiple of 16 bytes, by",
                  behind);
  const Bytes row = bytesOf(inner.box, elementSize());
  if (row % grain != Bytes())
    return failAs("have", row);
  // A stride is a multiple, or there is no map.
  auto length = [&] { return bytesOf(*inner.extent, elementSize()); };
  bool endsWhole = !inner.extent || isWhole(length()) ||
                   llvm::any_of(ArrayRef(dims()).drop_front(), [&](const PlanDimension &dim) {
                     return isWhole(length() - dim.stride);
                   });
  if (endsWhole)
    return;
  const SymbolicElements inside = inner.end() - inner.coordinate - inner.box;
  addCheck({rule_id::guard, inside.count(), {0, Interval::highest}, 1, relation.place}, false);
  inner.extent.reset();
}

/// Orders strides by their size for large arguments: first by the number of arguments that are
/// multiplied with each other, then by the coefficient of that product.
static std::pair<size_t, int64_t> reachOf(const SymbolicBytes &stride) {
  std::pair<size_t, int64_t> reach = {0, 0};
  for (const Term &term : stride.count().getTerms())
    reach = std::max(reach, {term.factors.size(), std::abs(term.coefficient)});
  return reach;
}

/// No two elements of a store may go to one address, because TMA writes them in any order. Checks
/// that each stride is at least as long as the range of addresses that all shorter strides cover.
void Fitter::keepApart() {
  if (failure || !isStored())
    return;
  struct Axis {
    SymbolicBytes stride;
    Polynomial count;
  };
  std::vector<Axis> axes;
  // Whether rows that are looked up lie apart is asked of their coordinates: those of two places in
  // memory have to be two. Where such a coordinate ends, only an extent says.
  constexpr int64_t anywhere = int64_t(1) << 31;
  const bool asksCoordinates = llvm::any_of(
      plan.copyChecks, [](const Check &check) { return check.subject == Check::Subject::Apart; });
  for (const PlanDimension &dim : plan.dims()) {
    const bool isOfRow = asksCoordinates && plan.isOfRow(dim.coordinate.count());
    if (dim.box > Elements(1) || isOfRow) // of those, only what lies inside of the tensor is stored
      axes.push_back({dim.stride, dim.extent ? dim.extent->count()
                                             : Polynomial(isOfRow ? anywhere : dim.box.count())});
  }
  for (const RowDigit &row : plan.rows())
    axes.push_back({row.stride, Polynomial(row.count)});
  llvm::stable_sort(
      axes, [](const Axis &a, const Axis &b) { return reachOf(a.stride) < reachOf(b.stride); });
  SymbolicBytes span = plan.hasMap() ? Bytes(elementSize()) : inBytes.length;
  for (const Axis &axis : axes) {
    addCheck({rule_id::store_overlap,
              (axis.stride - span).count(),
              {0, Interval::highest},
              1,
              relation.place},
             true);
    span += (axis.count - Polynomial(1)) * axis.stride;
  }
}

} // namespace tilelift
