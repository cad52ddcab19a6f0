//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

constexpr int64_t maxBox = 256;
/// One thread starts the copies of single rows, one after the other.
constexpr int64_t maxRows = 256;

/// For a positive divisor.
int64_t nearestQuotient(int64_t value, int64_t divisor) {
  int64_t shifted = value + divisor / 2;
  return (shifted - floorMod(shifted, divisor)) / divisor;
}

/// Without what the host knows, but for constants.
Polynomial withoutKnown(const Polynomial &value, const Symbols &symbols) {
  Polynomial rest;
  for (const Term &term : value.getTerms())
    if (term.factors.empty() || !symbols.knownAtLaunch(term))
      rest += Polynomial::ofTerm(term);
  return rest;
}

} // namespace

/// What the copy without a map has, too: no sums that flush, and no bits.
bool Fitter::reducesBulk() const {
  bool isSum = plan.reduction->operation == reduce_operation::add;
  switch (plan.reduction->type) {
  case element_type::u32:
  case element_type::i32:
  case element_type::u64: return plan.reduction->operation < reduce_operation::and_;
  case element_type::i64: return !isSum;
  case element_type::f32:
  case element_type::f64: return isSum;
  default: return false;
  }
}

std::variant<Plan, Diagnostic> Fitter::run() {
  std::variant<TileShape, Diagnostic> found =
      shapeOf(relation, options.outsideIsAny, Gaps::MayBeFilled);
  if (auto *diagnostic = std::get_if<Diagnostic>(&found))
    return std::move(*diagnostic);
  shape = std::move(std::get<TileShape>(found));
  if (!start())
    return std::move(*failure);
  splitRows();

  // A guard that has to hold for the whole tile needs no tensor map either.
  // Of a row that is stored, one that goes past the end is the plain statement's: how
  // long the tensor is, is then nobody's concern.
  bool mayBeGuarded = !shape.outsideIsZero || isStored();
  bool isBulk = shape.digits.size() == 1 && (shape.columns.empty() || mayBeGuarded) &&
                isWholeBulk() && (!plan.reduction || reducesBulk());
  if (isBulk) {
    shape.outsideIsZero = false;
    makeBulk();
    placeConstraints();
  } else {
    chooseElement();
    if (!failure)
      placeConstraints();
    splitOffset();
    finishBoxes();
  }
  return finish();
}

/// Once it is known where boxes start, and what their dimensions are.
void Fitter::finishBoxes() {
  if (!failure && isStored())
    storeWhole();
  if (failure)
    return;
  alignInner();
  boundCoordinates();
  limitBoxes();
  endRows();
  keepApart();
  plan.expectedBytes = size_of(plan.element);
  for (const PlanDimension &dim : plan.dims)
    plan.expectedBytes *= dim.box;
}

/// What all modes have in common.
std::variant<Plan, Diagnostic> Fitter::finish() {
  if (!failure) {
    if (plan.gather)
      order(plan.gather->present);
    std::vector<Requirement> required =
        requirementsOfLoads(relation, shape, digitEnds(), plan.hasMap());
    for (Requirement &each : required)
      for (const auto &change : inCoordinates)
        each.value = change(each.value);
    auto add = [&](const Requirement &each, unsigned behind) {
      addCheck({each.within.isSingle() ? "argument-value" : "index-range", each.value, each.within,
                1, each.place, Check::Subject::Value, behind},
               true);
    };
    for (const Requirement &each : relation.requirements)
      add(each, conditionsBefore(each.value));
    for (const Requirement &each : required)
      add(each, Check::allConditions);
    std::vector<Requirement> underLookups;
    for (const LookupCondition &each : relation.lookedUpUnder)
      underLookups.push_back(each.condition);
    for (const Requirement &each : withoutImplied(std::move(underLookups))) {
      Check check{"index-range", each.value, each.within, 1, each.place};
      // Whether a row is there may be known before anything is looked up for it, or not at all.
      if (plan.isOfRow(each.value) && !plan.gather->present.empty() && !holdsWhereAsked(check)) {
        check.behind = conditionsBefore(check.value);
        if (check.behind != 0)
          fail(diagnose(diag::not_a_copy, relation.place, wordingOf(relation.kind).nothing));
      }
      addCheck(std::move(check), false);
    }
    // That TMA has no such tensor matters more than where its tile would lie.
    checkRules();
    if (!failure)
      layOut();
    order(plan.copyChecks);
    refuseContradictions();
  }
  if (failure)
    return std::move(*failure);
  return std::move(plan);
}

/// With whole numbers, 4 * n >= 10 says that n >= 3.
static Condition conditionOf(const Check &check) {
  Polynomial value = check.value.withoutConstant();
  int64_t unit = 0;
  for (const Term &term : value.getTerms())
    unit = std::gcd(unit, term.coefficient);
  unit = std::max<int64_t>(unit, 1);
  value = value.dividedBy(unit).value_or(value);
  const int64_t constant = check.value.constantTerm();
  Condition result = Condition::always();
  int64_t limit = 0;
  if (check.within.low != Interval::lowest && !SubOverflow(check.within.low, constant, limit))
    result = result && Condition::notNegative(value - Polynomial(divideCeilSigned(limit, unit)));
  if (check.within.high != Interval::highest && !SubOverflow(check.within.high, constant, limit))
    result = result && Condition::notNegative(Polynomial(divideFloorSigned(limit, unit)) - value);
  return result;
}

/// Where conditions exclude each other, TMA would never make the copy.
void Fitter::refuseContradictions() {
  std::vector<Condition> before;
  for (const std::vector<Check> *checks : {&plan.launchChecks, &plan.copyChecks})
    for (const Check &check : *checks) {
      if (check.subject != Check::Subject::Value)
        continue;
      const Condition own = conditionOf(check);
      if (own.possible(plan.symbols).isNever())
        fail(diagnose(diag::never_holds, relation.place,
                      "'" + print(check, plan.symbols) + "', which never holds"));
      for (const Condition &other : before)
        if ((own && other).isNever())
          fail(diagnose(diag::never_holds, relation.place,
                        "'" + other.print(plan.symbols) + "' and '" + own.print(plan.symbols) +
                            "', which exclude each other"));
      before.push_back(std::move(own));
    }
}

/// What the kernel looks up first may be what says whether there is more to look up.
void Fitter::order(std::vector<Check> &checks) {
  auto rank = [&](const Check &check) {
    std::set<SymbolId> lookups = plan.symbols.lookupsFor(check.value);
    return check.subject == Check::Subject::Address ? ~0u
           : lookups.empty()                        ? 0
                                                    : *lookups.rbegin() + 1;
  };
  auto isEarlier = [&](const Check &a, const Check &b) { return rank(a) < rank(b); };
  llvm::stable_sort(checks, isEarlier);
}

/// Whether a pointer is where its offset says, as far as what is read from it has to be.
bool Fitter::isKnownWhereRead(const NamedPointer &pointer) const {
  for (const Cell &cell : relation.cells)
    for (const Case &each : cell.cases)
      if (each.source->kind == Source::Kind::Load)
        return llvm::all_of(pointer.needs,
                            [&](unsigned need) { return llvm::is_contained(each.needs, need); });
  return false;
}

/// But for their order, numbers with a sign are numbers without one.
bool Fitter::takeReduction(Reduction reduction) {
  bool isOrder =
      reduction.operation == reduce_operation::min || reduction.operation == reduce_operation::max;
  if (reduction.type == element_type::i64 && !isOrder)
    reduction.type = element_type::u64;
  plan.reduction = reduction;
  if (reduces(reduction.operation, reduction.type))
    return true;
  std::string types;
  for (unsigned type = 0; type < unsigned(element_type::f32_ftz); ++type)
    if (reduces(reduction.operation, element_type(type)))
      types += std::string(types.empty() ? "" : ", ") + name_of(element_type(type));
  return fail(diagnose(diag::no_such_reduction, relation.place, name_of(reduction.operation),
                       name_of(reduction.type), types));
}

/// What does not depend on the mode.
bool Fitter::start() {
  plan.kind = relation.kind;
  if (relation.reduction && !takeReduction(*relation.reduction))
    return false;
  plan.kernel = relation.kernel;
  plan.tile = relation.tile.name;
  plan.tileElement = relation.tile.elementType;
  plan.tileElementSize = relation.tile.elementSize;
  plan.tileExtents.assign(relation.tile.extents.begin(), relation.tile.extents.end());
  plan.base = relation.bases[shape.base];
  plan.base.spelling = std::string(plan.base.name());
  plan.block = relation.block;
  plan.symbols = relation.symbols;
  plan.names = relation.names.numbers;
  for (const NamedPointer &pointer : relation.names.pointers)
    if (pointer.base == shape.base && isKnownWhereRead(pointer))
      plan.pointers.push_back(pointer);
  if (!plan.base.firstElement.empty())
    plan.pointers.push_back(
        {plan.base.firstElement, shape.base, Polynomial(), plan.base.elementSize, {}});
  for (const NamedPointer &pointer : relation.names.intoShared)
    if (pointer.base == relation.tile.object)
      plan.intoTile.push_back(pointer);
  plan.looksUpShared = relation.looksUpShared;
  plan.place = relation.place;
  if (plan.base.isTable)
    return fail(diagnose(diag::constant_memory, relation.place, plan.base.spelling));
  // Single rows need no map, but a name for where they start.
  if (!plan.base.knownAtLaunch && !(inRows && !plan.pointers.empty()))
    return fail(diagnose(diag::unknown_base, plan.base.place, plan.base.spelling));
  return true;
}

/// A swizzle has rows, even where the bytes of one follow those of the row before.
void Fitter::splitRows() {
  const SharedTile &tile = relation.tile;
  bool isOurs = written == swizzle_mode::none;
  int64_t bytes = isOurs ? tile.rowBytes() : span_of(written);
  Digit &inner = shape.digits.front();
  bool hasRows = swizzle() != swizzle_mode::none && bytes > 0 && bytes % shape.unitSize == 0 &&
                 (isOurs || bytes <= span_of(swizzle())) && inner.count * shape.unitSize > bytes &&
                 inner.count * shape.unitSize % bytes == 0 && shape.firstByte % bytes == 0;
  bool isGuarded =
      llvm::any_of(shape.columns, [](const GuardColumn &column) { return column.slopes[0] != 0; });
  if (!hasRows || isGuarded)
    return;
  int64_t units = bytes / shape.unitSize;
  Digit rows{inner.count / units, inner.distance * units, Polynomial(bytes)};
  inner.count = units;
  shape.digits.insert(shape.digits.begin() + 1, rows);
  for (GuardColumn &column : shape.columns)
    column.slopes.insert(column.slopes.begin() + 1, 0);
}

/// The element that TMA counts in: the tile's own where that is a size TMA has, else the largest
/// that divides a row, and a unit as well where a guard cuts rows; wider ones where a row would not
/// fit a box otherwise and nothing is cut.
void Fitter::chooseElement() {
  plan.element = elementTypeOf(relation.tile.elementType, relation.tile.elementSize);
  if (plan.reduction)
    plan.element = plan.reduction->type;
  auto innerIsFree = [&] {
    return llvm::all_of(shape.columns,
                        [&](const GuardColumn &column) { return column.slopes[0] == 0; });
  };
  auto divides = [&](int64_t bytes) {
    return shape.digits[0].count * shape.unitSize % bytes == 0 &&
           (shape.unitSize % bytes == 0 || innerIsFree()) && shape.start.divisor() % bytes == 0;
  };
  while (int64_t(size_of(plan.element)) > shape.unitSize ||
         (shape.unitSize % int64_t(size_of(plan.element)) != 0 && !divides(size_of(plan.element))))
    plan.element = elementTypeOf("", size_of(plan.element) / 2);
  while (shape.digits[0].count * shape.unitSize / int64_t(size_of(plan.element)) > maxBox &&
         size_of(plan.element) < 8 && !plan.reduction && divides(2 * size_of(plan.element)))
    plan.element = elementTypeOf("", 2 * size_of(plan.element));
  int64_t size = size_of(plan.element);
  for (const Digit &digit : shape.digits) {
    PlanDimension dim;
    bool inner = &digit == &shape.digits.front();
    dim.box = inner ? digit.count * shape.unitSize / size : digit.count;
    dim.stride = inner ? Polynomial(size) : digit.stride;
    plan.dims.push_back(dim);
  }
  perUnit = std::max<int64_t>(1, shape.unitSize / size);
  if (plan.dims.size() > size_t(max_rank))
    fail(diagnose(diag::too_many_dimensions, relation.place, int(plan.dims.size()),
                  "its rows are that many distances apart"));
  hasLower.assign(plan.dims.size(), false);
  boundedBy.resize(plan.dims.size());
}

/// Turns each bound of the guard into an extent or a start of one dimension;
/// what no dimension can express must hold for the whole box, at the copy.
void Fitter::placeConstraints() {
  std::vector<Constraint> constraints;
  for (const GuardColumn &column : shape.columns) {
    Constraint constraint;
    bool isLow = column.isLow, isOfOneDigit = true;
    constraint.room =
        isLow ? column.value - Polynomial(column.first) : Polynomial(column.first) - column.value;
    Polynomial least = constraint.room;
    for (size_t digit = 0; digit < column.slopes.size(); ++digit) {
      int64_t slope = isLow ? -column.slopes[digit] : column.slopes[digit];
      if (slope == 0)
        continue;
      // Rows on both sides of a face are counted by two digits of one dimension.
      if (constraint.digit >= 0) {
        isOfOneDigit = false;
        const Digit &other = shape.digits[size_t(constraint.digit)];
        if (!inRows || shape.digits[digit].stride * Polynomial(constraint.slope) !=
                           other.stride * Polynomial(slope))
          return void(fail(diagnose(diag::guard_not_a_box, relation.place,
                                    print(column, relation.symbols), plan.base.spelling)));
      }
      constraint.digit = int(digit);
      constraint.slope = slope;
      least += Polynomial(std::min<int64_t>(0, slope) * (shape.digits[digit].count - 1));
    }
    if (isOfOneDigit)
      constraints.push_back(alongRow(constraint));
    else
      addCheck({"guard", least, {0, Interval::highest}, 1, relation.place}, false);
  }
  for (const Polynomial &value : shape.implied)
    addCheck({"guard", value, {0, Interval::highest}, 1, relation.place}, false);
  // Where a dimension starts helps to say where it ends.
  std::stable_partition(constraints.begin(), constraints.end(),
                        [](const Constraint &constraint) { return constraint.slope > 0; });
  for (const Constraint &constraint : constraints)
    placeOne(constraint);
}

/// The guard of a row of one unit is the same for all of the row; what it bounds is the
/// row's dimension if that starts where the guard counts from.
Constraint Fitter::alongRow(Constraint constraint) const {
  if (constraint.digit >= 0 || shape.digits[0].count != 1 || !plan.hasMap())
    return constraint;
  auto follows = [&](int64_t bytes) {
    bool any = false;
    for (const Term &term : constraint.room.getTerms())
      if (!term.factors.empty() && !plan.symbols.knownAtLaunch(term)) {
        any = true;
        Term scaled = term;
        scaled.coefficient *= bytes;
        if (!llvm::is_contained(shape.start.getTerms(), scaled))
          return false;
      }
    return any;
  };
  int64_t element = size_of(plan.element);
  for (int64_t sign : {1, -1})
    for (int64_t slope : {int64_t(1), perUnit})
      if (follows(sign * (slope == 1 ? shape.unitSize : element))) {
        constraint.digit = 0;
        constraint.slope = sign * slope;
        return constraint;
      }
  return constraint;
}

void Fitter::placeOne(const Constraint &constraint) {
  if (constraint.digit < 0 && mayBeAbsent(constraint.room))
    return;
  auto mustHoldForAll = [&] {
    Polynomial worst = constraint.room;
    if (constraint.slope < 0)
      worst += Polynomial(constraint.slope * (shape.digits[constraint.digit].count - 1));
    if (shape.constantCell && worst.isConstant() && worst.constantTerm() < 0)
      fail(*shape.constantCell);
    addCheck({"guard", worst, {0, Interval::highest}, 1, relation.place}, false);
  };
  // Where what is outside keeps its value the whole box has to be inside; the guard
  // still says where the tensor ends, for what the box adds to its rows.
  bool isOnlyEnd = !shape.outsideIsZero && constraint.slope < 0 && plan.hasMap();
  if (!shape.outsideIsZero || constraint.digit < 0)
    mustHoldForAll();
  if (constraint.digit < 0 || (!shape.outsideIsZero && !isOnlyEnd))
    return;
  size_t d = size_t(constraint.digit);
  // The guard counts so many to a unit, as one or as elements of some type; TMA so many.
  int64_t slope = std::abs(constraint.slope), step = d == 0 ? perUnit : 1;
  PlanDimension &dim = plan.dims[d];
  if (constraint.slope > 0) { // from here on
    std::optional<Polynomial> start = (constraint.room * Polynomial(step)).dividedBy(slope);
    if (hasLower[d] || !start)
      return mustHoldForAll();
    dim.coordinate = *start;
    hasLower[d] = true;
    // The guard speaks of the first element of each unit, TMA of every element.
    if (plan.symbols.divisorOf(dim.coordinate) % step != 0)
      addCheck({"guard", dim.coordinate, {}, step, relation.place},
               plan.symbols.knownAtLaunch(dim.coordinate));
    return;
  }
  // Up to here: room / slope whole units follow the first one. Relative to the coordinate,
  // which is added once it is known. One that the guard gives is a multiple of the step.
  Polynomial start = hasLower[d] ? dim.coordinate : Polynomial();
  std::optional<Polynomial> counted = (start * Polynomial(slope)).dividedBy(step), last;
  if (counted)
    last = (wholeUnits(plan.symbols, constraint.room + *counted, slope) * Polynomial(step))
               .dividedBy(slope);
  if (dim.extent || !last)
    return mustHoldForAll();
  dim.extent = *last - start + Polynomial(step);
  boundedBy[d] = *last - start;
}

/// Distributes where the first cell lies over coordinates and the map's base.
void Fitter::splitOffset() {
  if (failure)
    return;
  Polynomial rest = shape.start;
  for (size_t d = 0; d < plan.dims.size(); ++d)
    if (hasLower[d])
      rest -= plan.dims[d].coordinate * plan.dims[d].stride;
  for (size_t d = plan.dims.size(); d-- > 1;)
    if (!hasLower[d])
      takeCoordinate(d, rest);
  if (!hasLower[0])
    takeCoordinate(0, rest);
  addOuterDimensions(rest);
  plan.offset = rest;

  for (PlanDimension &dim : plan.dims) {
    if (!dim.extent)
      continue;
    *dim.extent += dim.coordinate;
    if (plan.symbols.knownAtLaunch(*dim.extent))
      continue;
    // An extent that only the device knows: the box must lie inside it.
    Polynomial inside = *dim.extent - dim.coordinate - Polynomial(dim.box);
    addCheck({"guard", inside, {0, Interval::highest}, 1, relation.place}, false);
    dim.extent.reset();
  }
}

void Fitter::takeCoordinate(size_t d, Polynomial &rest) {
  Division division = divide(rest, plan.dims[d].stride);
  // What the host knows may as well stay in the base, but a constant belongs
  // to the coordinate: it decides how the tile is widened.
  Polynomial taken;
  for (const Term &term : division.quotient.getTerms()) {
    bool stays = d == 0 && !term.factors.empty() && plan.symbols.knownAtLaunch(term);
    // Where a guard says how far the dimension goes from here, only what it
    // speaks of is this dimension's; the rest is an offset of another kind.
    bool isForeign = plan.dims[d].extent && !term.factors.empty() &&
                     !llvm::is_contained((-boundedBy[d]).getTerms(), term);
    if (!stays && !isForeign)
      taken += Polynomial::ofTerm(term);
  }
  // Where both are constants, the rest is the inner dimensions': as little as can be.
  std::optional<int64_t> stride = plan.dims[d].stride.asConstant();
  if (d > 0 && stride && *stride > 0)
    taken += Polynomial(nearestQuotient(division.remainder.constantTerm(), *stride));
  // Nothing is left of an extent that is taken for an offset.
  if (plan.dims[d].extent && (*plan.dims[d].extent + taken).asConstant().value_or(1) < 1)
    taken = withoutKnown(taken, plan.symbols);
  plan.dims[d].coordinate = taken;
  rest -= taken * plan.dims[d].stride;
}

/// Device-dependent offsets that no dimension of the box explains, such as
/// `blockIdx.z * h * w`, become dimensions of their own with a box of one.
void Fitter::addOuterDimensions(Polynomial &rest) {
  std::vector<LaunchParts> groups = plan.symbols.partsOf(rest);
  llvm::erase_if(groups, [](const LaunchParts &group) { return group.device.isConstant(); });
  for (const LaunchParts &group : groups) {
    if (plan.dims.size() >= size_t(max_rank)) {
      fail(diagnose(diag::too_many_dimensions, relation.place,
                    int(plan.dims.size() + groups.size() - (&group - groups.data())),
                    "'" + plan.symbols.print(group.device) + "' asks for one more"));
      return;
    }
    PlanDimension dim;
    dim.coordinate = group.device;
    dim.stride = group.host;
    rest -= group.device * group.host;
    plan.dims.push_back(dim);
    hasLower.push_back(false);
  }
}

/// Without a lower bound of its own, a dimension must not start below zero: TMA
/// would fill there, the plain copy reads.
void Fitter::boundCoordinates() {
  bool isMoved = false;
  for (size_t d = 0; d < plan.dims.size(); ++d) {
    PlanDimension &dim = plan.dims[d];
    int64_t constant = dim.coordinate.constantTerm();
    bool mayBeNegative = !hasLower[d] && plan.symbols.rangeOf(dim.coordinate).low < 0;
    if (mayBeNegative && constant < 0) { // the tensor begins that much earlier
      isMoved = true;
      plan.offset += Polynomial(constant) * dim.stride;
      dim.coordinate -= Polynomial(constant);
      if (dim.extent)
        *dim.extent -= Polynomial(constant);
    }
    Interval allowed = rangeOfType(32, true);
    if (!hasLower[d] && !startsInside(d))
      allowed.low = 0;
    if (hasLower[d] && isStored()) // a store that starts below zero is an illegal instruction
      addCheck({"guard", dim.coordinate, {0, Interval::highest}, 1, relation.place}, false);
    if (!dim.extent) // the whole box lies before the end that was made up
      allowed.high = unbounded_extent - dim.box;
    if (dim.coordinate.isConstant() &&
        !allowed.contains({dim.coordinate.constantTerm(), dim.coordinate.constantTerm()})) {
      fail(diagnose(diag::rule_violated, relation.place,
                    "the box of '" + plan.tile + "' starts at " +
                        std::to_string(dim.coordinate.constantTerm()) + " in dimension " +
                        std::to_string(d) + ", allowed are " + std::to_string(allowed.low) +
                        " to " + std::to_string(allowed.high) + " (coordinate-range)"));
      return;
    }
    addCheck({"coordinate-range", dim.coordinate, allowed, 1, relation.place}, true);
  }
  isMoved |=
      llvm::any_of(plan.offset.getTerms(), [](const Term &term) { return term.coefficient < 0; });
  isMoved |= !isStored() && (startsWhereGuardSays() || startsElsewhere());
  if (isMoved && plan.mode == Mode::Im2col)
    addCheck({"tensor-start", plan.offset, {0, Interval::highest}, 1, relation.place}, true);
  else if (isMoved)
    requireInside();
}

/// Whether an argument that a guard names, as in `x >= first`, is where the tensor starts. The
/// program may never read there.
bool Fitter::startsWhereGuardSays() const {
  for (size_t d = 0; d < plan.dims.size(); ++d) {
    const Polynomial shift = -(plan.dims[d].coordinate * plan.dims[d].stride);
    auto isOfGuard = [&](const Term &term) {
      return !term.factors.empty() && llvm::is_contained(shift.getTerms(), term);
    };
    if (hasLower[d] && llvm::any_of(plan.offset.getTerms(), isOfGuard))
      return true;
  }
  return false;
}

/// Whether the tensor starts where an argument says that no guard names: if all boxes lie outside,
/// the program may never get there.
bool Fitter::startsElsewhere() const {
  auto isNamed = [&](SymbolId id) {
    return llvm::any_of(plan.dims, [&](const PlanDimension &dim) {
      return (dim.extent && plan.symbols.dependsOn(*dim.extent, id)) ||
             plan.symbols.dependsOn(dim.stride, id);
    });
  };
  // Where boxes start at what the launch says, and not only at multiples of the block's index, it
  // may be that none of them starts where the tensor does.
  auto startsByArgument = [&](size_t d) {
    return (plan.dims[d].extent || hasLower[d]) &&
           llvm::any_of(plan.dims[d].coordinate.getTerms(), [&](const Term &term) {
             return llvm::any_of(term.factors, [&](SymbolId id) {
               return plan.symbols[id].knownAtLaunch || plan.symbols[id].isLookedUp;
             });
           });
  };
  const bool hasGuard = llvm::any_of(llvm::seq(plan.dims.size()), startsByArgument);
  return hasGuard && llvm::any_of(plan.offset.getTerms(), [&](const Term &term) {
           return !term.factors.empty() && llvm::none_of(term.factors, isNamed);
         });
}

/// A box that lies wholly outside of its tensor still reads where that starts, and there may be
/// nothing if that is before what the program's pointer points to, or far behind it.
void Fitter::requireInside() {
  for (size_t d = 0; d < plan.dims.size(); ++d) {
    const PlanDimension &dim = plan.dims[d];
    Interval positive{0, Interval::highest};
    if (dim.extent)
      addCheck({"guard", *dim.extent - Polynomial(1) - dim.coordinate, positive, 1, relation.place},
               false);
    if (hasLower[d])
      addCheck({"guard", dim.coordinate + Polynomial(dim.box - 1), positive, 1, relation.place},
               false);
  }
}

/// Whether a test at the copy keeps what is read from starting below zero.
bool Fitter::startsInside(size_t d) const {
  Polynomial first = plan.dims[d].coordinate;
  if (d == 0)
    first += Polynomial(plan.layout.lead / int64_t(size_of(plan.element)));
  return llvm::any_of(plan.copyChecks, [&](const Check &check) {
    std::optional<int64_t> ahead = (check.value - first).asConstant();
    return ahead && check.subject == Check::Subject::Value &&
           check.within.low != Interval::lowest && check.within.low >= *ahead;
  });
}

/// The innermost coordinate must be a multiple of 16 bytes: start the box
/// earlier by what is missing, and end it on a multiple, too.
void Fitter::alignInner() {
  PlanDimension &inner = plan.dims[0];
  int64_t perGrain = grain / size_of(plan.element);
  int64_t lead = isStored() ? 0 : floorMod(inner.coordinate.constantTerm(), perGrain);
  plan.layout.lead = lead * size_of(plan.element);
  plan.layout.rowLength = inner.box * size_of(plan.element);
  inner.coordinate -= Polynomial(lead);
  inner.box = roundUp(lead + inner.box, perGrain);
  if (plan.symbols.divisorOf(inner.coordinate) % perGrain != 0)
    addCheck({"inner-coordinate-16", inner.coordinate, {}, perGrain, relation.place},
             plan.symbols.knownAtLaunch(inner.coordinate));
}

/// Past a known extent nothing is read, so the last of the pieces that a dimension is cut
/// into may overhang where there is room for it.
bool Fitter::mayOverhang(llvm::SmallVectorImpl<PlanDimension>::const_iterator cut) const {
  bool isOutermost =
      std::all_of(cut + 1, plan.dims.end(), [](const PlanDimension &dim) { return dim.box == 1; });
  bool isRow = cut == plan.dims.begin();
  bool hasEnd = cut->extent || (isRow && endsAtLaunch(cut->coordinate));
  bool isFollowed = plan.gather.has_value(); // by the box of the next row that is looked up
  // Rows behind the copy's would be written, too, where the tile or a slot of it has some.
  const SharedTile &tile = relation.tile;
  int64_t bytes = size_of(plan.element);
  for (const PlanDimension &dim : plan.dims)
    bytes *= dim.box;
  bool hasRoom = isRow || (shape.firstByte + bytes == tile.bytes() && tile.slot.isZero());
  return (isOutermost || isRow) && hasEnd && hasRoom && !isFollowed && tile.layoutEscape.empty() &&
         !isStored();
}

/// Whether rows are longer than the swizzle that is asked for.
bool Fitter::isWide() const {
  return options.swizzle != swizzle_mode::none &&
         plan.dims[0].box * int64_t(size_of(plan.element)) > span_of(options.swizzle);
}

/// A swizzled box is at most as wide as its span: one for each part of the rows.
void Fitter::cutPanels() {
  PlanDimension &inner = plan.dims[0];
  int64_t part = span_of(options.swizzle) / int64_t(size_of(plan.element));
  int64_t whole = roundUp(inner.box, part);
  if (whole != inner.box && !mayOverhang(plan.dims.begin()))
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
  auto cut = llvm::find_if(plan.dims, tooLong);
  if (cut == plan.dims.end())
    return;
  int64_t inner = size_of(plan.element);
  for (auto dim = plan.dims.begin(); dim != cut; ++dim)
    inner *= dim->box;
  int64_t unit = boxAlignment / std::gcd<int64_t>(boxAlignment, inner);
  std::optional<Pieces> found = fewestPieces(cut->box, maxBox, unit, mayOverhang(cut));
  if (!found)
    return;
  if (cut != plan.dims.begin())
    cutLength = {cut->box, found->count * found->size};
  cut->box = found->count * found->size;
  cut->pieces = found->count;
  for (auto dim = cut + 1; dim != plan.dims.end(); ++dim)
    dim->pieces = dim->box;
}

std::optional<Fitter::Pieces> Fitter::fewestPieces(int64_t whole, int64_t most, int64_t unit,
                                                   bool mayOverhang) {
  for (int64_t count = (whole + most - 1) / most; count <= whole; ++count) {
    int64_t size = roundUp((whole + count - 1) / count, unit);
    if (size <= most && (size * count == whole || mayOverhang))
      return Pieces{count, size};
  }
  return std::nullopt;
}

/// Whether the box that starts last is copied, and the launcher knows where it starts.
bool Fitter::endsAtLaunch(const Polynomial &start) const {
  if (!plan.symbols.endsAtLaunch(start) || relation.reached.isUnknown())
    return false;
  auto anyOnDevice = [&](function_ref<bool(SymbolId)> holds) {
    return llvm::any_of(start.getTerms(), [&](const Term &term) {
      return llvm::any_of(
          term.factors, [&](SymbolId id) { return !plan.symbols[id].knownAtLaunch && holds(id); });
    });
  };
  auto isLimited = [&](const Bound &bound) {
    return anyOnDevice([&](SymbolId id) {
      std::optional<Polynomial> most = bound.most(id), below = plan.symbols[id].below;
      bool isOwn = most && below && *most + Polynomial(1) == *below;
      return !isOwn && plan.symbols.dependsOn(bound.value, id);
    });
  };
  auto isTested = [&](const Check &check) {
    return StringRef(check.rule) == "guard" &&
           anyOnDevice([&](SymbolId id) { return plan.symbols.dependsOn(check.value, id); });
  };
  return llvm::none_of(plan.copyChecks, isTested) &&
         llvm::none_of(relation.reached.getAlternatives(),
                       [&](const Conjunction &bounds) { return llvm::any_of(bounds, isLimited); });
}

/// Whether the box that starts last in its rows is that of the tensor's last row, too: which row a
/// box is in says nothing of where in the row it starts.
bool Fitter::endsInLastRow() const {
  for (const Term &term : plan.dims[0].coordinate.getTerms())
    for (SymbolId id : term.factors) {
      if (plan.symbols[id].knownAtLaunch)
        continue;
      auto isOfRow = [&](const PlanDimension &dim) {
        return plan.symbols.dependsOn(dim.coordinate, id);
      };
      if (plan.gather || llvm::any_of(ArrayRef(plan.dims).drop_front(), isOfRow))
        return false;
    }
  return true;
}

/// TMA reads whole 16 bytes. Where no guard says how far rows go, the last box does.
void Fitter::endRows() {
  PlanDimension &inner = plan.dims[0];
  int64_t element = size_of(plan.element);
  int64_t length = (plan.layout.lead + plan.layout.rowLength) / element;
  if (failure || inner.extent || inner.box == length || isStored())
    return;
  if (!endsAtLaunch(inner.coordinate) || !endsInLastRow())
    fail(diagnose(diag::reads_past_end, relation.place, (inner.box - length) * element,
                  plan.base.spelling));
  inner.lastLength = length;
}

/// Stores write whole 16 bytes: neither may a row start or end within them, nor the
/// tensor, unless no box gets there.
void Fitter::storeWhole() {
  PlanDimension &inner = plan.dims[0];
  int64_t size = size_of(plan.element);
  auto isWhole = [&](const Polynomial &elements) {
    return plan.symbols.divisorOf(elements * Polynomial(size)) % grain == 0;
  };
  auto failAs = [&](const std::string &does, int64_t bytes) {
    fail(diagnose(diag::store_not_whole, relation.place, plan.tile, does, bytes));
  };
  int64_t behind = floorMod(inner.coordinate.constantTerm() * size, grain);
  if (behind != 0 && isWhole(inner.coordinate.withoutConstant()))
    return failAs("start in '" + plan.base.spelling + "' behind a multiple of 16 bytes, by",
                  behind);
  if (inner.box * size % grain != 0)
    return failAs("have", inner.box * size);
  // A stride is a multiple, or there is no map.
  bool endsWhole = !inner.extent || isWhole(*inner.extent) ||
                   llvm::any_of(ArrayRef(plan.dims).drop_front(), [&](const PlanDimension &dim) {
                     Polynomial rest = *inner.extent * Polynomial(size) - dim.stride;
                     return plan.symbols.divisorOf(rest) % grain == 0;
                   });
  if (endsWhole)
    return;
  Polynomial inside = *inner.extent - inner.coordinate - Polynomial(inner.box);
  addCheck({"guard", inside, {0, Interval::highest}, 1, relation.place}, false);
  inner.extent.reset();
}

/// Orders strides by their size for large arguments: first by the number of arguments that are
/// multiplied with each other, then by the coefficient of that product.
static std::pair<size_t, int64_t> reachOf(const Polynomial &stride) {
  std::pair<size_t, int64_t> reach = {0, 0};
  for (const Term &term : stride.getTerms())
    reach = std::max(reach, {term.factors.size(), std::abs(term.coefficient)});
  return reach;
}

/// No two elements of a store may go to one address, because TMA writes them in any order. Checks
/// that each stride is at least as long as the range of addresses that all shorter strides cover.
void Fitter::keepApart() {
  if (failure || !isStored())
    return;
  struct Axis {
    Polynomial stride, count;
  };
  std::vector<Axis> axes;
  // Whether rows that are looked up lie apart is asked of their coordinates: those of two places in
  // memory have to be two. Where such a coordinate ends, only an extent says.
  constexpr int64_t anywhere = int64_t(1) << 31;
  const bool asksCoordinates = llvm::any_of(
      plan.copyChecks, [](const Check &check) { return check.subject == Check::Subject::Apart; });
  for (const PlanDimension &dim : plan.dims) {
    const bool isOfRow = asksCoordinates && plan.isOfRow(dim.coordinate);
    if (dim.box > 1 || isOfRow) // of those, only what lies inside of the tensor is stored
      axes.push_back(
          {dim.stride, dim.extent ? *dim.extent : Polynomial(isOfRow ? anywhere : dim.box)});
  }
  for (const RowDigit &row : plan.rows)
    axes.push_back({row.stride, Polynomial(row.count)});
  llvm::stable_sort(
      axes, [](const Axis &a, const Axis &b) { return reachOf(a.stride) < reachOf(b.stride); });
  Polynomial span(plan.hasMap() ? int64_t(size_of(plan.element)) : plan.layout.rowLength);
  for (const Axis &axis : axes) {
    addCheck({"store-overlap", axis.stride - span, {0, Interval::highest}, 1, relation.place},
             true);
    span += (axis.count - Polynomial(1)) * axis.stride;
  }
}

/// Without a map, nothing keeps the last 16 bytes from reaching past the tensor's end.
bool Fitter::isWholeBulk() const {
  int64_t lead = floorMod(shape.start.constantTerm(), grain);
  return lead == 0 && shape.digits[0].count * shape.unitSize % grain == 0;
}

/// Contiguous bytes: no map, any length.
void Fitter::makeBulk() {
  plan.mode = Mode::Bulk;
  plan.element = elementTypeOf(relation.tile.elementType, relation.tile.elementSize);
  int64_t bytes = shape.digits[0].count * shape.unitSize;
  int64_t lead = floorMod(shape.start.constantTerm(), grain);
  plan.offset = shape.start - Polynomial(lead);
  plan.layout.lead = lead;
  plan.layout.rowLength = bytes;
  plan.expectedBytes = roundUp(lead + bytes, grain);
  if (plan.symbols.divisorOf(plan.offset) % grain == 0)
    return;
  const size_t before = plan.copyChecks.size();
  addCheck({"bulk-offset-16", plan.offset, {}, grain, relation.place},
           plan.symbols.knownAtLaunch(plan.offset));
  // A function that gets a pointer may have no name for where that lies in the tensor. The tensor
  // starts on a multiple, so the pointer has to be one.
  if (plan.copyChecks.size() > before && !options.canBeSaid(plan))
    plan.copyChecks.back() = {"address-16", {}, {}, grain, relation.place, Check::Subject::Address};
}

std::variant<Plan, Diagnostic> Fitter::runRows() {
  auto found = shapeOf(relation, options.outsideIsAny, Gaps::Stay);
  if (auto *diagnostic = std::get_if<Diagnostic>(&found))
    return std::move(*diagnostic);
  shape = std::move(std::get<TileShape>(found));
  shape.outsideIsZero = false; // whole rows come from the tensor
  inRows = true;
  if (start() && makeRows())
    placeConstraints();
  return finish();
}

bool Fitter::makeRows() {
  plan.mode = Mode::Bulk;
  plan.element = elementTypeOf(relation.tile.elementType, relation.tile.elementSize);
  plan.offset = shape.start;
  plan.layout.rowLength = shape.digits[0].count * shape.unitSize;
  plan.expectedBytes = plan.layout.rowLength;
  for (const Digit &digit : ArrayRef(shape.digits).drop_front()) {
    plan.rows.push_back({digit.count, digit.stride, digit.distance * shape.unitSize});
    plan.expectedBytes *= digit.count;
  }
  if (!plan.base.knownAtLaunch)
    plan.copyChecks.push_back(
        {"address-16", {}, {}, grain, relation.place, Check::Subject::Address});
  bool isWhole = plan.layout.rowLength % grain == 0 && shape.firstByte % grain == 0;
  auto checkGrain = [&](const Polynomial &value) {
    // With all else a multiple, the constant decides.
    int64_t rest = std::gcd(grain, plan.symbols.divisorOf(value.withoutConstant()));
    isWhole &= value.constantTerm() % rest == 0;
    addCheck({"bulk-offset-16", value, {}, grain, relation.place},
             plan.symbols.knownAtLaunch(value));
  };
  checkGrain(plan.offset);
  keepApart();
  for (const RowDigit &row : plan.rows) {
    isWhole &= row.distance % grain == 0;
    checkGrain(row.stride);
  }
  return (isWhole && plan.pieces() <= maxRows) ||
         fail(diagnose(diag::not_a_copy, relation.place, wordingOf(relation.kind).nothing));
}

/// Where the guard ends the loads, as values of the tile's digits.
std::vector<DigitEnds> Fitter::digitEnds() const {
  std::vector<DigitEnds> ends(shape.digits.size());
  if (plan.mode == Mode::Bulk)
    return ends;
  size_t boxed = plan.mode == Mode::Im2col ? 1 : ends.size(); // pixels have other ends
  for (size_t d = 0; d < boxed; ++d) {
    const PlanDimension &dim = plan.dims[d];
    int64_t lead = d == 0 ? plan.layout.lead / size_of(plan.element) : 0;
    int64_t step = d == 0 ? perUnit : 1;
    Polynomial start = dim.coordinate + Polynomial(lead);
    if (hasLower[d])
      ends[d].first = (-start).dividedBy(step);
    if (dim.extent)
      ends[d].last = (*dim.extent - Polynomial(step) - start).dividedBy(step);
  }
  return ends;
}

/// What a value is in the block with the number 0, which every launch has, if that is a number.
static std::optional<int64_t> inFirstBlock(const Polynomial &value, const Symbols &symbols) {
  auto isOfBlock = [&](SymbolId id) { return symbols[id].kind == Symbol::Kind::BlockIndex; };
  Polynomial first;
  for (const Term &term : value.getTerms())
    if (llvm::none_of(term.factors, isOfBlock))
      first += Polynomial::ofTerm(term);
  return first == value ? std::nullopt : first.asConstant();
}

/// Puts a condition on the best rung: proven, at launch, at the copy.
void Fitter::addCheck(Check check, bool atLaunch) {
  bool isMultiple = plan.symbols.divisorOf(check.value) % check.multiple == 0;
  if (isMultiple && plan.symbols.isAlwaysWithin(check.value, check.within))
    return;
  if (holdsWhereAsked(check))
    return;
  bool launchCanTell = plan.symbols.boundedAtLaunch(check.value) &&
                       !plan.symbols.isOpenTo(check.value, check.within);
  // What the first block breaks would never hold of all blocks: each asks for itself.
  std::optional<int64_t> first = inFirstBlock(check.value, plan.symbols);
  if (atLaunch && launchCanTell && first && !check.within.contains({*first, *first})) {
    Check ownOfBlock = check;
    if (*first < check.within.low) {
      ownOfBlock.within.high = Interval::highest;
      check.within.low = Interval::lowest;
    } else {
      ownOfBlock.within.low = Interval::lowest;
      check.within.high = Interval::highest;
    }
    addCheck(std::move(ownOfBlock), false);
    return addCheck(std::move(check), true);
  }
  std::vector<Check> &checks = atLaunch && launchCanTell ? plan.launchChecks : plan.copyChecks;
  for (Check &known : checks) {
    // The same value but for a constant: one test serves both.
    if (known.multiple != check.multiple || known.behind != check.behind ||
        known.value.withoutConstant() != check.value.withoutConstant())
      continue;
    int64_t shift = check.value.constantTerm() - known.value.constantTerm();
    if (shift % check.multiple != 0)
      continue;
    if (check.within.low != Interval::lowest)
      known.within.low = std::max(known.within.low, check.within.low - shift);
    if (check.within.high != Interval::highest)
      known.within.high = std::min(known.within.high, check.within.high - shift);
    return;
  }
  checks.push_back(std::move(check));
}

quantity Fitter::describeValue(const Polynomial &value) {
  Interval range = plan.symbols.rangeOf(value);
  quantity result{range.low, range.high, plan.symbols.divisorOf(value), ""};
  if (!value.isConstant())
    result.text = llvm::StringRef(plan.symbols.print(value)).copy(words);
  return result;
}

tile_request Fitter::tileRequest() {
  tile_request request;
  describeMap(request);
  for (size_t d = 0; d < plan.dims.size(); ++d)
    request.dims[d].box = quantity::exactly(plan.dims[d].boxOfPiece());
  return request;
}

void Fitter::describeMap(map_request &request) {
  request.tensor = plan.base.spelling;
  request.tile = plan.tile;
  request.type = plan.element;
  request.rank = int(plan.dims.size());
  request.address.text = plan.base.spelling;
  for (size_t d = 0; d < plan.dims.size(); ++d) {
    const PlanDimension &dim = plan.dims[d];
    request.dims[d].extent =
        dim.extent ? describeValue(*dim.extent) : quantity::exactly(unbounded_extent);
    request.dims[d].stride = describeValue(dim.stride);
  }
  request.swizzle = swizzle();
}

void Fitter::report(const finding &found) {
  plan.verdicts.push_back(found);
  if (found.outcome == verdict::fails)
    fail(diagnose(diag::rule_violated, relation.place, found.text + " (" + found.rule + ")"));
}

void Fitter::checkRules() {
  auto sink = [&](const finding &found) { report(found); };
  if (plan.hasMap()) {
    for (const PlanDimension &dim : plan.dims)
      if (!plan.symbols.knownAtLaunch(dim.stride)) {
        fail(diagnose(diag::unknown_stride, relation.place, plan.base.spelling,
                      plan.symbols.print(dim.stride)));
        return;
      }
    if (plan.mode == Mode::Im2col)
      check(im2colRequest(), sink);
    else
      check(tileRequest(), sink);
    if (isStored())
      return; // no barrier counts them
    report({"bytes-in-flight", is_within(quantity::exactly(plan.expectedBytes), 16, (1 << 20) - 1),
            "the copy to '" + plan.tile + "' has " + std::to_string(plan.expectedBytes) +
                " bytes, a barrier counts at most 1048575"});
    return;
  }
  if (!plan.base.knownAtLaunch)
    return; // what the launcher cannot see is tested at the copy
  bulk_request request;
  request.tensor = plan.base.spelling;
  request.tile = plan.tile;
  request.address.text = plan.base.spelling;
  request.offset = describeValue(plan.offset);
  request.bytes = quantity::exactly(plan.expectedBytes / plan.pieces());
  check(request, sink);
}

static bool isAboutShape(const Diagnostic &refusal) {
  return llvm::is_contained({DiagnosticId::not_contiguous, DiagnosticId::uneven_steps,
                             DiagnosticId::uneven_guard, DiagnosticId::guard_not_a_box,
                             DiagnosticId::unknown_stride, DiagnosticId::too_many_dimensions},
                            refusal.id);
}

static bool canBeMade(const std::variant<Plan, Diagnostic> &fitted, const FitOptions &options) {
  const Plan *plan = std::get_if<Plan>(&fitted);
  return plan && options.canBeSaid(*plan);
}

/// The cells of a tile in the order of their rows, if a swizzle has put them where they are.
static std::optional<CopyRelation> withoutSwizzle(const CopyRelation &relation, int64_t span) {
  CopyRelation ordered = relation;
  for (Cell &cell : ordered.cells) {
    if (cell.offset % grain + cell.size > grain)
      return std::nullopt;
    cell.offset ^= cell.offset >> 3 & (span - grain);
  }
  llvm::sort(ordered.cells, [](const Cell &a, const Cell &b) { return a.offset < b.offset; });
  return ordered;
}

using Fitted = std::variant<Plan, Diagnostic>;
using Attempt = llvm::function_ref<Fitted(const CopyRelation &, swizzle_mode)>;

/// With the rows as they are, and with each of the swizzles that they may have been written in.
static Fitted fitRows(const CopyRelation &relation, const FitOptions &options, Attempt attempt) {
  Fitted plain = attempt(relation, swizzle_mode::none);
  if (canBeMade(plain, options) || options.swizzle != swizzle_mode::none)
    return plain;
  for (swizzle_mode mode : {swizzle_mode::b128, swizzle_mode::b64, swizzle_mode::b32})
    if (auto ordered = withoutSwizzle(relation, span_of(mode)))
      if (Fitted written = attempt(*ordered, mode); canBeMade(written, options))
        return written;
  return plain;
}

/// On devices that copy rows only one by one, too.
static bool canBeMadeAnywhere(const Fitted &fitted, const FitOptions &options) {
  return canBeMade(fitted, options) && !std::get<Plan>(fitted).isByFours();
}

/// Boxes of one row, of which there is an instruction for four on Blackwell, unless every row
/// would have to be tested before, or the tile be laid out anew: bytes need no coordinate, and
/// start anywhere.
static Fitted fitGather(const CopyRelation &cells, const FitOptions &options,
                        swizzle_mode written) {
  std::optional<GatherRelation> gather = gatherOf(cells);
  if (!gather)
    return diagnose(diag::not_a_copy, cells.place, wordingOf(cells.kind).nothing);
  auto fitAs = [&](Mode mode, bool byFours) {
    return Fitter(gather->relation, options, written).runGather(*gather, mode, byFours);
  };
  auto fitBoxes = [&] {
    const Device &device = options.device;
    const bool prefersFours =
        cells.kind == CopyKind::Load ? device.isBlackwell() : device.scattersByFours();
    Fitted preferred = fitAs(Mode::Tile, prefersFours);
    if (canBeMade(preferred, options))
      return preferred;
    // If neither can be made, what is said is why rows that keep their places cannot.
    Fitted other = fitAs(Mode::Tile, !prefersFours);
    return canBeMade(other, options) || !prefersFours ? other : preferred;
  };
  auto isBest = [&](const Fitted &fitted) {
    const Plan *plan = std::get_if<Plan>(&fitted);
    return canBeMade(fitted, options) && !plan->layout.moved && !plan->isByFours() &&
           llvm::none_of(plan->copyChecks,
                         [&](const Check &check) { return plan->isOfRow(check.value); });
  };
  Fitted boxes = fitBoxes();
  if (isBest(boxes))
    return boxes;
  Fitted bytes = fitAs(Mode::Bulk, false);
  bool areBytes =
      isBest(bytes) || (canBeMade(bytes, options) && !canBeMadeAnywhere(boxes, options));
  return areBytes ? bytes : boxes;
}

/// Whether a refusal says why rows that are looked up cannot be copied, and not that there are
/// none.
static bool isAboutGather(const Fitted &fitted) {
  const auto *refusal = std::get_if<Diagnostic>(&fitted);
  return !refusal || !llvm::is_contained({DiagnosticId::not_a_copy, DiagnosticId::not_contiguous,
                                          DiagnosticId::uneven_steps},
                                         refusal->id);
}

/// Whether some stride is negative for all sizes above zero, as that of rows in reverse order is.
/// No tensor map has such.
static bool runsBackwards(const Plan &plan) {
  return plan.hasMap() && llvm::any_of(plan.dims, [](const PlanDimension &dim) {
           return !dim.stride.isConstant() &&
                  llvm::all_of(dim.stride.getTerms(),
                               [](const Term &term) { return term.coefficient < 0; });
         });
}

Fitted fit(const CopyRelation &relation, const FitOptions &options) {
  auto asBox = [&](const CopyRelation &cells, swizzle_mode written) {
    return Fitter(cells, options, written).run();
  };
  Fitted box = fitRows(relation, options, asBox);
  if (canBeMade(box, options)) {
    if (!runsBackwards(std::get<Plan>(box)) || relation.kind == CopyKind::Reduce)
      return box;
    Fitted rows = Fitter(relation, options).runRows();
    return canBeMade(rows, options) ? rows : box;
  }
  Fitted gathered =
      fitRows(relation, options, [&](const CopyRelation &cells, swizzle_mode written) {
        return fitGather(cells, options, written);
      });
  if (isAboutGather(gathered))
    return gathered;
  if (relation.kind == CopyKind::Reduce)
    return box;
  std::optional<Fitted> im2col;
  if (std::optional<PixelRelation> pixels = pixelsOf(relation))
    im2col =
        fitRows(pixels->relation, options, [&](const CopyRelation &cells, swizzle_mode written) {
          return Fitter(cells, options, written).runPixels(*pixels);
        });
  if (im2col && canBeMade(*im2col, options))
    return std::move(*im2col);
  const std::optional<CopyRelation> simple = withSimpleQuotients(relation);
  if (simple) {
    Fitted simpler = fitRows(*simple, options, asBox);
    if (canBeMade(simpler, options))
      return simpler;
  }
  Fitted rows = Fitter(simple ? *simple : relation, options).runRows();
  if (canBeMade(rows, options))
    return rows;
  if (im2col)
    return std::move(*im2col);
  auto *refusal = std::get_if<Diagnostic>(&box);
  if (refusal && isAboutShape(*refusal))
    if (std::optional<Diagnostic> gather = findGather(relation))
      return std::move(*gather);
  return box;
}

} // namespace tilelift
