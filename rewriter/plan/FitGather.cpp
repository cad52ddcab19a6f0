//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that are looked up one by one (Gather.h): which of the terms of their places are
// coordinates, whether each row may be absent, and how its place is checked.
//===----------------------------------------------------------------------===//

#include "plan/Fitter.h"
#include "plan/Gather.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilelift {

/// Fits one operation for each row, whose place is a value of the row's number: a box of one row,
/// or contiguous bytes wherever they start.
std::variant<Plan, Diagnostic> Fitter::runGather(const GatherRelation &gather, Mode mode,
                                                 bool byFours) {
  mayBeByFours = byFours;
  auto found = shapeOf(relation, options.outsideIsAny, Gaps::MayBeFilled);
  if (auto *diagnostic = std::get_if<Diagnostic>(&found))
    return std::move(*diagnostic);
  shape = std::move(std::get<TileShape>(found));
  if (!takeGather(gather) || !start())
    return std::move(*failure);
  if (gather.threadsHaveSeveralRows && keepsOrder())
    plan.copyChecks.push_back({rule_id::rows_apart,
                               {},
                               {},
                               1,
                               relation.place,
                               Check::Subject::Apart,
                               /*conditionsBefore=*/0});
  const RowTerms terms = rowTermsOf(shape.start.count());
  ofRows = SymbolicBytes(terms.ofRows);
  shape.start = SymbolicBytes(terms.rest);
  if (mode == Mode::Bulk) {
    bool endsInRow = shape.outsideIsZero && !isStored() &&
                     llvm::any_of(shape.columns,
                                  [](const GuardColumn &column) { return column.slopes[0] != 0; });
    if (shape.digits.size() != 2 || endsInRow || !isWholeBulk() ||
        (plan.reduction && !reducesBulk()))
      return diagnose(diag::not_a_copy, relation.place, wordingOf(relation.kind).nothing);
    isOnlyWhole = isStored();
    makeBulk();
    std::get<BulkAccess>(plan.access).offset += ofRows;
    checkRowMultiples(rule_id::bulk_offset_16, ofRows);
    placeConstraints();
  } else {
    placeBoxes();
  }
  plan.expectedBytes *= plan.gather->count;
  return finish();
}

bool Fitter::takeGather(const GatherRelation &gather) {
  const Digit &rows = shape.digits.back();
  bool hasRows = shape.digits.size() > 1 && rows.count == gather.count &&
                 rows.stride.count() == Polynomial::symbol(gather.distance) &&
                 !shape.start.count().mentions(gather.distance);
  bool isUneven = llvm::any_of(shape.columns,
                               [](const GuardColumn &column) { return column.slopes.back() != 0; });
  if (!hasRows || isUneven)
    return fail(diagnose(diag::not_a_copy, relation.place, wordingOf(relation.kind).nothing));
  plan.gather = LookedUpRows{gather.count, gather.row, {}, {}, {}};
  return true;
}

/// Whether the last of two writes to one place counts, or their order: TMA keeps none. Integers are
/// added, compared and combined by bits in any order.
bool Fitter::keepsOrder() const {
  if (!isStored())
    return false;
  if (!plan.reduction)
    return true;
  const bool isInteger = llvm::is_contained(
      {element_type::u32, element_type::i32, element_type::u64, element_type::i64},
      plan.reduction->type);
  const bool countsUp = plan.reduction->operation == reduce_operation::inc ||
                        plan.reduction->operation == reduce_operation::dec;
  return !isInteger || countsUp;
}

/// Splits a value into the terms that depend on the number of a row, and the other terms.
Fitter::RowTerms Fitter::rowTermsOf(const Polynomial &value) const {
  RowTerms terms;
  for (const Term &term : value.getTerms())
    (plan.isOfRow(Polynomial::ofTerm(term)) ? terms.ofRows : terms.rest) +=
        Polynomial::ofTerm(term);
  return terms;
}

/// Whether a coordinate, as far as it depends on the row, says where that row is. Of the rows of a
/// page a guard may speak by numbers that have nothing to do with where the page is.
bool Fitter::followsRows(const Position &coordinate, const SymbolicBytes &stride) const {
  const SymbolicBytes bytes = rowTermsOf(coordinate.count()).ofRows * stride;
  return llvm::all_of(bytes.count().getTerms(), [&](const Term &term) {
    return llvm::is_contained(ofRows.count().getTerms(), term);
  });
}

void Fitter::placeBoxes() {
  chooseElement();
  if (failure)
    return;
  dims().pop_back();
  hasLower.pop_back();
  placeConstraints();
  splitOffset();
  finishBoxes();
}

/// Each row is a multiple if what the rows are counted in is one; else each has to be tested.
void Fitter::checkRowMultiples(rule_id rule, const SymbolicBytes &value) {
  Polynomial open;
  for (const auto &[device, host] : plan.symbols.partsOf(value.count()))
    if (host.isConstant() && host.constantTerm() % grain.count() != 0)
      open += device * host;
    else
      addCheck({rule, host, {}, grain.count(), relation.place}, true);
  if (!open.isZero())
    addCheck({rule, open, {}, grain.count(), relation.place}, false);
}

/// A row that its guard leaves out is absent as a whole. Whether it is may depend on what
/// was found when looking before.
bool Fitter::mayBeAbsent(const Polynomial &room) {
  if (!plan.isOfRow(room) || !(shape.outsideIsZero || isStored()))
    return false;
  if (!Interval{0, Interval::highest}.contains(plan.symbols.rangeOf(room)))
    plan.gather->present.push_back(
        {rule_id::guard, room, {0, Interval::highest}, 1, relation.place});
  return true;
}

/// What is divided, if the value is a quotient by a constant.
static const Operation *quotientIn(const Polynomial &value, const Symbols &symbols) {
  ArrayRef<Term> terms = value.getTerms();
  if (terms.size() != 1 || terms[0].coefficient != 1 || terms[0].factors.size() != 1)
    return nullptr;
  const Operation *made = symbols[terms[0].factors[0]].operation.get();
  bool isQuotient = made && StringRef(made->op) == "/" && made->right.asConstant().value_or(0) > 0;
  return isQuotient ? made : nullptr;
}

/// How many conditions come before those that use what is looked up for a value. Where these hold,
/// it may be looked up; and what the value is needed for may be one of the others.
unsigned Fitter::conditionsBefore(const Polynomial &value) const {
  if (!plan.isOfRow(value))
    return Check::allConditions;
  const std::vector<Check> &present = plan.gather->present;
  unsigned before = 0;
  for (SymbolId id : plan.symbols.lookupsFor(value)) {
    const auto user = llvm::find_if(present, [&](const Check &each) {
      return llvm::is_contained(plan.symbols.lookupsFor(each.value), id);
    });
    if (user == present.end())
      return Check::allConditions;
    before = std::max(before, unsigned(user - present.begin()));
  }
  return before;
}

/// Returns the range of a value in rows for which the first `conditions` conditions hold.
Interval Fitter::rangeBehind(unsigned conditions, const Polynomial &value) const {
  Interval range = plan.symbols.rangeOf(value);
  if (!plan.isOfRow(value))
    return range;
  for (const Check &each :
       ArrayRef(plan.gather->present)
           .take_front(std::min<size_t>(conditions, plan.gather->present.size())))
    for (int64_t sign : {1, -1}) {
      std::optional<int64_t> shift = (value - Polynomial(sign) * each.value).asConstant();
      if (shift && sign > 0)
        range.low = std::max(range.low, *shift);
      else if (shift)
        range.high = std::min(range.high, *shift);
    }
  if (const Operation *made = quotientIn(value, plan.symbols)) {
    Interval whole = rangeBehind(conditions, made->left);
    int64_t divisor = *made->right.asConstant();
    range = intersection(range, {whole.low / divisor, whole.high / divisor});
  }
  return range;
}

bool Fitter::holdsWhereAsked(const Check &check) const {
  return plan.isOfRow(check.value) && check.multiple == 1 &&
         check.within.contains(rangeBehind(check.conditionsBefore, check.value));
}

} // namespace tilelift
