//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the guard of a copy says of its box: each condition becomes where a dimension starts or
// ends, or a check at the copy where no dimension can express it. Where the box starts in the other
// dimensions is decided in FitBoxes.cpp.
//===----------------------------------------------------------------------===//

#include "plan/Fitter.h"
#include "plan/Quotients.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilelift {

/// Whether the box has exactly as many units as the tile. A larger box also reads rows past the
/// tile's last row. The guard may exclude these rows, and the tensor may have no memory there.
bool Fitter::hasNoOtherUnits() const {
  int64_t units = 1;
  Bytes bytes;
  for (const Digit &digit : shape.digits)
    units *= digit.count;
  for (const Cell &cell : relation.cells)
    bytes += Bytes(cell.size);
  return units * shape.unitSize == bytes;
}

/// Returns the bound that a column of the guard puts on the box, and the smallest distance from any
/// unit of the box to that bound, or nothing if the copy is refused
/// because of it.
std::optional<Fitter::Bounded> Fitter::constraintOf(const GuardColumn &column) {
  const bool isLow = column.isLow;
  const bool mayHoldForAll = !shape.outsideIsZero || options.outsideIsAny || isStored();
  Bounded result;
  Constraint &constraint = result.constraint;
  constraint.room =
      isLow ? column.value - Polynomial(column.first) : Polynomial(column.first) - column.value;
  result.least = constraint.room;
  for (size_t digit = 0; digit < column.slopes.size(); ++digit) {
    int64_t slope = isLow ? -column.slopes[digit] : column.slopes[digit];
    if (slope == 0)
      continue;
    // Rows on both sides of a face are counted by two digits of one dimension.
    if (constraint.digit >= 0) {
      result.isOfOneDimension = false;
      const Digit &other = shape.digits[size_t(constraint.digit)];
      const bool isOneWay = shape.digits[digit].stride * constraint.slope == other.stride * slope;
      if (!(isOneWay && inRows) && !((isOneWay || mayHoldForAll) && hasNoOtherUnits())) {
        fail(diagnose(diag::guard_not_a_box, relation.place, print(column, relation.symbols),
                      plan.base.spelling));
        return std::nullopt;
      }
    }
    constraint.digit = int(digit);
    constraint.slope = slope;
    result.least += Polynomial(std::min<int64_t>(0, slope) * (shape.digits[digit].count - 1));
  }
  return result;
}

/// Turns each bound of the guard into an extent or a start of one dimension;
/// what no dimension can express must hold for the whole box, at the copy. A bound of two
/// dimensions at once is such. Where the cells outside of it have to become zero, the copy is
/// refused instead, as there would be few boxes that lie wholly inside; unless the two go through
/// memory one after the other, as the parts of a long row do: then all boxes but the last one lie
/// inside.
void Fitter::placeConstraints() {
  std::vector<Constraint> constraints;
  for (const GuardColumn &column : shape.columns) {
    const std::optional<Bounded> bounded = constraintOf(column);
    if (!bounded)
      return;
    if (bounded->isOfOneDimension)
      constraints.push_back(alongRow(bounded->constraint));
    else
      addCheck({rule_id::guard, bounded->least, {0, Interval::highest}, 1, relation.place}, false);
  }
  for (const Polynomial &value : shape.implied)
    addCheck({rule_id::guard, value, {0, Interval::highest}, 1, relation.place}, false);
  // Where a dimension starts helps to say where it ends.
  std::stable_partition(constraints.begin(), constraints.end(),
                        [](const Constraint &constraint) { return constraint.slope > 0; });
  for (const Constraint &constraint : constraints)
    placeOne(constraint, constraints);
}

/// The guard of a row of one unit is the same for all of the row; what it bounds is the
/// row's dimension if that starts where the guard counts from.
Constraint Fitter::alongRow(Constraint constraint) const {
  if (constraint.digit >= 0 || shape.digits[0].count != 1 || !plan.hasMap())
    return constraint;
  auto follows = [&](Bytes step) {
    bool any = false;
    for (const Term &term : constraint.room.getTerms())
      if (!term.factors.empty() && !plan.symbols.knownAtLaunch(term)) {
        any = true;
        Term scaled = term;
        scaled.coefficient *= step.count();
        if (!llvm::is_contained(shape.start.count().getTerms(), scaled))
          return false;
      }
    return any;
  };
  const Bytes element(elementSize());
  for (int64_t sign : {1, -1})
    for (int64_t slope : {int64_t(1), perUnit})
      if (follows(sign * (slope == 1 ? shape.unitSize : element))) {
        constraint.digit = 0;
        constraint.slope = sign * slope;
        return constraint;
      }
  return constraint;
}

/// The last unit that a bound from above lets in. Room / slope whole units follow the first one,
/// which is counted from the dimension's start, if the guard gives one. Nothing where TMA counts no
/// whole units.
std::optional<Position> Fitter::lastWithin(const Constraint &constraint) {
  const size_t d = size_t(constraint.digit);
  const int64_t slope = std::abs(constraint.slope), step = d == 0 ? perUnit : 1;
  const Position start = hasLower[d] ? dims()[d].coordinate : Position();
  const std::optional<Polynomial> counted = (start.count() * Polynomial(slope)).dividedBy(step);
  if (!counted)
    return std::nullopt;
  const Polynomial units = wholeUnits(plan.symbols, constraint.room + *counted, slope);
  const std::optional<Polynomial> last = (units * Polynomial(step)).dividedBy(slope);
  return last ? std::optional(Position(*last)) : std::nullopt;
}

/// Whether another bound says where the same dimension ends, and the launch knows it.
bool Fitter::hasKnownEnd(int digit, ArrayRef<Constraint> constraints) {
  return llvm::any_of(constraints, [&](const Constraint &other) {
    if (other.digit != digit || other.slope > 0)
      return false;
    const std::optional<Position> last = lastWithin(other);
    return last && plan.symbols.knownAtLaunch(last->count());
  });
}

/// A bound that no dimension can express has to hold for the whole box.
void Fitter::holdForAll(const Constraint &constraint) {
  Polynomial worst = constraint.room;
  if (constraint.slope < 0)
    worst += Polynomial(constraint.slope * (shape.digits[size_t(constraint.digit)].count - 1));
  if (shape.constantCell && worst.isConstant() && worst.constantTerm() < 0)
    fail(*shape.constantCell);
  addCheck({rule_id::guard, worst, {0, Interval::highest}, 1, relation.place}, false);
}

void Fitter::placeOne(const Constraint &constraint, ArrayRef<Constraint> all) {
  if (constraint.digit < 0 && mayBeAbsent(constraint.room))
    return;
  // Where what is outside keeps its value the whole box has to be inside; the guard
  // still says where the tensor ends, for what the box adds to its rows.
  const bool isWhole = isOnlyWhole || !shape.outsideIsZero;
  bool isOnlyEnd = isWhole && constraint.slope < 0 && plan.hasMap();
  if (isWhole || constraint.digit < 0)
    holdForAll(constraint);
  if (constraint.digit < 0 || (isWhole && !isOnlyEnd))
    return;
  const bool isPlaced = constraint.slope > 0 ? placeStart(constraint) : placeEnd(constraint, all);
  if (!isPlaced)
    holdForAll(constraint);
}

/// Makes a bound from below the start of the box in its dimension. Returns false if the bound
/// cannot be that. The guard counts `slope` to a unit, as one or as elements of some type; TMA
/// counts `step`.
bool Fitter::placeStart(const Constraint &constraint) {
  const size_t d = size_t(constraint.digit);
  const int64_t step = d == 0 ? perUnit : 1;
  PlanDimension &dim = dims()[d];
  std::optional<Polynomial> start =
      (constraint.room * Polynomial(step)).dividedBy(std::abs(constraint.slope));
  if (hasLower[d] || !start || !followsRows(Position(*start), dim.stride))
    return false;
  dim.coordinate = Position(*start);
  hasLower[d] = true;
  // The guard speaks of the first element of each unit, TMA of every element.
  if (plan.symbols.divisorOf(*start) % step != 0)
    addCheck({rule_id::guard, *start, {}, step, relation.place},
             plan.symbols.knownAtLaunch(*start));
  return true;
}

/// Makes a bound from above the end of its dimension. Returns false if the bound cannot be that.
/// The extent is relative to the coordinate, which splitOffset() adds.
bool Fitter::placeEnd(const Constraint &constraint, ArrayRef<Constraint> all) {
  const size_t d = size_t(constraint.digit);
  PlanDimension &dim = dims()[d];
  const Position start = hasLower[d] ? dim.coordinate : Position();
  const std::optional<Position> last = lastWithin(constraint);
  if (dim.extent || !last ||
      (!plan.symbols.knownAtLaunch(last->count()) && hasKnownEnd(constraint.digit, all)))
    return false;
  dim.extent = *last - start + Elements(d == 0 ? perUnit : 1);
  boundedBy[d] = *last - start;
  return true;
}

} // namespace tilelift
