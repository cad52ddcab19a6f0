//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Fitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace llvm;

namespace tilelift {

/// One thread starts the copies of single rows, one after the other.
static constexpr int64_t maxRows = 256;

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

std::variant<Plan, Diagnostic> Fitter::run(Gaps gaps) {
  std::variant<TileShape, Diagnostic> found = shapeOf(relation, options.outsideIsAny, gaps);
  if (auto *diagnostic = std::get_if<Diagnostic>(&found))
    return std::move(*diagnostic);
  shape = std::move(std::get<TileShape>(found));
  if (!start())
    return std::move(*failure);
  splitRows();

  // A guard that has to hold for the whole tile needs no tensor map either.
  // A row that is stored past the tensor's end is left to the plain statement, so the plan
  // need not know how long the tensor is.
  bool mayBeGuarded = !shape.outsideIsZero || isStored();
  bool isBulk = shape.digits.size() == 1 && (shape.columns.empty() || mayBeGuarded) &&
                isWholeBulk() && (!plan.reduction || reducesBulk());
  if (isBulk) {
    isOnlyWhole = true;
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

/// Completes the boxes, whose dimensions and starts are known by now.
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
  plan.expectedBytes = boxBytes();
}

/// Returns the bytes of all that the box covers.
Bytes Fitter::boxBytes() const {
  Elements all(1);
  for (const PlanDimension &dim : dims())
    all *= dim.box.count();
  return bytesOf(all, elementSize());
}

/// Writes the needs of loads in terms of coordinates, because the launch knows where these end,
/// while digits of a pixel have no known end. A need that the launch cannot test even so is a
/// refusal, as blocks cannot test it either: a box of pixels has many indices.
void Fitter::nameRequired(std::vector<Requirement> &required) {
  for (Requirement &each : required) {
    const Polynomial asDigits = each.value;
    for (const auto &change : inCoordinates)
      each.value = change(each.value);
    if (each.value != asDigits && !plan.symbols.boundedAtLaunch(each.value))
      fail(diagnose(diag::not_im2col, relation.place, relation.tile.name,
                    "nothing that is known at launch keeps its index between " +
                        std::to_string(each.within.low) + " and " +
                        std::to_string(each.within.high) +
                        ", behind which it wraps around: compute it in signed numbers"));
  }
}

/// Adds the conditions under which the indices of the copy are in range, and those that must hold
/// for the copy to be made at all.
void Fitter::checkRequirements() {
  std::vector<Requirement> required =
      requirementsOfLoads(relation, shape, digitEnds(), plan.hasMap());
  nameRequired(required);
  auto add = [&](const Requirement &each, unsigned conditionsBefore) {
    const rule_id rule = each.within.isSingle() ? rule_id::argument_value : rule_id::index_range;
    addCheck(
        {rule, each.value, each.within, 1, each.place, Check::Subject::Value, conditionsBefore},
        true);
  };
  for (const Requirement &each : relation.requirements)
    add(each, conditionsBefore(each.value));
  for (const Requirement &each : required)
    add(each, Check::allConditions);
  checkThreadsStay();
}

/// Adds the conditions under which the copy looks up its rows. Whether a row is there may be known
/// before anything is looked up for it; if it is not, the lookup cannot be checked.
void Fitter::checkLookups() {
  std::vector<Requirement> conditions;
  for (const LookupCondition &each : relation.lookedUpUnder)
    conditions.push_back(each.condition);
  for (const Requirement &each : withoutImplied(std::move(conditions))) {
    Check check{rule_id::index_range, each.value, each.within, 1, each.place};
    if (plan.isOfRow(each.value) && !plan.gather->present.empty() && !holdsWhereAsked(check)) {
      check.conditionsBefore = conditionsBefore(check.value);
      if (check.conditionsBefore != 0)
        fail(diagnose(diag::not_a_copy, relation.place, wordingOf(relation.kind).nothing));
    }
    addCheck(std::move(check), false);
  }
}

/// Completes a plan of any mode: its layout and its conditions.
std::variant<Plan, Diagnostic> Fitter::finish() {
  if (failure)
    return std::move(*failure);
  if (plan.gather)
    order(plan.gather->present);
  checkRequirements();
  checkLookups();
  // That TMA has no such tensor matters more than where it ends, and where its tile would lie.
  checkRules();
  if (unknownEnd)
    fail(*unknownEnd);
  if (!failure)
    layOut();
  findStart();
  order(plan.copyChecks);
  refuseManyConditions();
  refuseContradictions();
  if (failure)
    return std::move(*failure);
  return std::move(plan);
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

/// Fills in what does not depend on the mode.
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
  const Bytes bytes(isOurs ? tile.rowBytes() : span_of(written));
  Digit &inner = shape.digits.front();
  bool hasRows =
      swizzle() != swizzle_mode::none && bytes > Bytes() && bytes % shape.unitSize == Bytes() &&
      (isOurs || bytes <= Bytes(span_of(swizzle()))) && inner.count * shape.unitSize > bytes &&
      inner.count * shape.unitSize % bytes == Bytes() && shape.firstByte % bytes == Bytes();
  bool isGuarded =
      llvm::any_of(shape.columns, [](const GuardColumn &column) { return column.slopes[0] != 0; });
  if (!hasRows || isGuarded)
    return;
  int64_t units = bytes / shape.unitSize;
  Digit rows{inner.count / units, inner.distance * units, bytes};
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
  const Bytes row = shape.digits[0].count * shape.unitSize;
  auto divides = [&](Bytes bytes) {
    return row % bytes == Bytes() && shape.copiedUnits * shape.unitSize % bytes == Bytes() &&
           (shape.unitSize % bytes == Bytes() || innerIsFree()) &&
           shape.start.count().divisor() % bytes.count() == 0;
  };
  auto one = [&] { return Bytes(elementSize()); };
  while (one() > shape.unitSize || (shape.unitSize % one() != Bytes() && !divides(one())))
    plan.element = elementTypeOf("", size_of(plan.element) / 2);
  while (Elements(row / one()) > maxBox && size_of(plan.element) < 8 && !plan.reduction &&
         divides(2 * one()))
    plan.element = elementTypeOf("", 2 * size_of(plan.element));
  for (const Digit &digit : shape.digits) {
    PlanDimension dim;
    bool inner = &digit == &shape.digits.front();
    dim.box = inner ? elementsIn(row, elementSize()) : Elements(digit.count);
    dim.stride = inner ? SymbolicBytes(one()) : digit.stride;
    dims().push_back(dim);
  }
  perUnit = std::max<int64_t>(1, shape.unitSize / one());
  if (dims().size() > size_t(max_rank))
    fail(diagnose(diag::too_many_dimensions, relation.place, int(dims().size()),
                  "its rows are that many distances apart"));
  hasLower.assign(dims().size(), false);
  boundedBy.resize(dims().size());
}

/// How far the first cell lies behind where a bulk copy can start.
Bytes Fitter::leadOfBulk() const {
  return Bytes(floorMod(shape.start.count().constantTerm(), grain.count()));
}

/// Without a map, nothing keeps the last 16 bytes from reaching past the tensor's end.
bool Fitter::isWholeBulk() const {
  return leadOfBulk() == Bytes() && shape.digits[0].count * shape.unitSize % grain == Bytes();
}

/// Contiguous bytes: no map, any length.
void Fitter::makeBulk() {
  BulkAccess &bulk = plan.access.emplace<BulkAccess>();
  plan.element = elementTypeOf(relation.tile.elementType, relation.tile.elementSize);
  inBytes.length = shape.digits[0].count * shape.unitSize;
  inBytes.lead = leadOfBulk();
  bulk.offset = shape.start - inBytes.lead;
  plan.expectedBytes = roundUp(inBytes.lead + inBytes.length, grain);
  const Polynomial &offset = bulk.offset.count();
  if (plan.symbols.divisorOf(offset) % grain.count() == 0)
    return;
  const size_t before = plan.copyChecks.size();
  addCheck({rule_id::bulk_offset_16, offset, {}, grain.count(), relation.place},
           plan.symbols.knownAtLaunch(offset));
  // A function that gets a pointer may have no name for where that lies in the tensor. The tensor
  // starts on a multiple, so the pointer has to be one.
  if (plan.copyChecks.size() > before && !options.canBeSpelled(plan))
    plan.copyChecks.back() = {rule_id::address_16,    {}, {}, grain.count(), relation.place,
                              Check::Subject::Address};
}

std::variant<Plan, Diagnostic> Fitter::runRows() {
  auto found = shapeOf(relation, options.outsideIsAny, Gaps::Stay);
  if (auto *diagnostic = std::get_if<Diagnostic>(&found))
    return std::move(*diagnostic);
  shape = std::move(std::get<TileShape>(found));
  isOnlyWhole = true; // whole rows come from the tensor
  inRows = true;
  if (start() && makeRows())
    placeConstraints();
  return finish();
}

bool Fitter::makeRows() {
  BulkAccess &bulk = plan.access.emplace<BulkAccess>();
  plan.element = elementTypeOf(relation.tile.elementType, relation.tile.elementSize);
  bulk.offset = shape.start;
  inBytes.length = shape.digits[0].count * shape.unitSize;
  plan.expectedBytes = inBytes.length;
  for (const Digit &digit : ArrayRef(shape.digits).drop_front()) {
    bulk.rows.push_back({digit.count, digit.stride, digit.distance * shape.unitSize});
    plan.expectedBytes *= digit.count;
  }
  if (!plan.base.knownAtLaunch)
    plan.copyChecks.push_back(
        {rule_id::address_16, {}, {}, grain.count(), relation.place, Check::Subject::Address});
  bool isWhole = inBytes.length % grain == Bytes() && shape.firstByte % grain == Bytes();
  auto checkGrain = [&](const SymbolicBytes &bytes) {
    const Polynomial &value = bytes.count();
    // With all else a multiple, the constant decides.
    int64_t rest = std::gcd(grain.count(), plan.symbols.divisorOf(value.withoutConstant()));
    isWhole &= value.constantTerm() % rest == 0;
    addCheck({rule_id::bulk_offset_16, value, {}, grain.count(), relation.place},
             plan.symbols.knownAtLaunch(value));
  };
  checkGrain(bulk.offset);
  keepApart();
  for (const RowDigit &row : bulk.rows) {
    isWhole &= row.distance % grain == Bytes();
    checkGrain(row.stride);
  }
  return (isWhole && plan.pieces() <= maxRows) ||
         fail(diagnose(diag::not_a_copy, relation.place, wordingOf(relation.kind).nothing));
}

} // namespace tilelift
