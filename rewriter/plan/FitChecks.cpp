//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conditions of a plan: which are proven, which are asked at launch and which at the
// copy, which exclude each other, and what the rules of the TMA unit say of it.
//===----------------------------------------------------------------------===//

#include "plan/Fitter.h"
#include "plan/Gather.h"
#include "plan/Quotients.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <numeric>

using namespace llvm;

namespace tilelift {

/// Whether a value cannot be a multiple where another value is one. What is left of it without
/// multiples of the other one has a constant that its unit does not divide.
static bool excludesMultiple(const Check &check, const Check &other, const Symbols &symbols) {
  if (check.multiple <= 1 || other.multiple % check.multiple != 0 || other.value.isConstant())
    return false;
  const Polynomial rest = divide(check.value, other.value).remainder;
  const int64_t unit = std::gcd(check.multiple, symbols.divisorOf(rest.withoutConstant()));
  return rest.constantTerm() % unit != 0;
}

/// Each thread evaluates the copy's own conditions ahead of it. That is for a few: hundreds, which
/// a remainder by a number that is not known takes for each column, cost more than the copy.
void Fitter::refuseManyConditions() {
  constexpr size_t most = 32;
  if (plan.copyChecks.size() > most)
    fail(diagnose(diag::too_many_conditions, relation.place, std::to_string(plan.copyChecks.size()),
                  std::to_string(most), print(plan.copyChecks.front(), plan.symbols)));
}

/// Where conditions exclude each other, TMA would never make the copy.
void Fitter::refuseContradictions() {
  refuseMultiples();
  std::vector<Condition> before;
  for (const std::vector<Check> *checks : {&plan.launchChecks, &plan.copyChecks})
    for (const Check &check : *checks) {
      if (check.subject != Check::Subject::Value)
        continue;
      const Condition own = Condition::within(check.value, check.within);
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

void Fitter::refuseMultiples() {
  for (const Check &check : plan.copyChecks)
    for (const Check &other : plan.launchChecks)
      if (check.subject == Check::Subject::Value && other.subject == Check::Subject::Value &&
          excludesMultiple(check, other, plan.symbols))
        fail(diagnose(diag::never_holds, relation.place,
                      "'" + print(other, plan.symbols) + "' and '" + print(check, plan.symbols) +
                          "', which exclude each other"));
}

/// Sorts checks by the last lookup that each depends on, because the value that is looked up first
/// may decide whether there is more to look up.
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

/// Where the guard ends the loads, as values of the tile's digits.
std::vector<DigitEnds> Fitter::digitEnds() const {
  std::vector<DigitEnds> ends(shape.digits.size());
  if (plan.bulk())
    return ends;
  // Pixels have other ends, and rows that are looked up have none.
  const size_t boxed = plan.pixels() ? 1 : ends.size() - (plan.gather ? 1 : 0);
  for (size_t d = 0; d < boxed; ++d) {
    const PlanDimension &dim = dims()[d];
    const Elements lead = d == 0 ? elementsIn(inBytes.lead, elementSize()) : Elements();
    int64_t step = d == 0 ? perUnit : 1;
    const Position start = dim.coordinate + lead;
    if (hasLower[d])
      ends[d].first = (Position() - start).count().dividedBy(step);
    if (dim.extent)
      ends[d].last = (dim.end() - start - Elements(step)).count().dividedBy(step);
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

/// Adds a condition where it is decided earliest: nowhere if it is proven, else to the checks of
/// the launch, else to those of the copy.
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
    if (known.multiple != check.multiple || known.conditionsBefore != check.conditionsBefore ||
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

/// Which threads leave has to be decided before the launch: the lifted kernel is one that no thread
/// leaves.
void Fitter::checkThreadsStay() {
  for (const Requirement &each : relation.staying) {
    const std::optional<int64_t> first = inFirstBlock(each.value, plan.symbols);
    const bool launchKnows =
        plan.symbols.boundedAtLaunch(each.value) && !plan.symbols.isOpenTo(each.value, each.within);
    if (launchKnows && (!first || each.within.contains({*first, *first}))) {
      addCheck({rule_id::threads_stay, each.value, each.within, 1, each.place}, true);
      continue;
    }
    fail(diagnose(diag::divergent_copy, relation.place,
                  "some leave ahead of it unless '" +
                      print(Bound{each.value, each.within}, plan.symbols) +
                      "', which the launcher does not know")
             .note(each.place, "they leave here"));
  }
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
  for (size_t d = 0; d < dims().size(); ++d)
    request.dims[d].box = quantity::exactly(dims()[d].boxOfPiece().count());
  return request;
}

void Fitter::describeMap(map_request &request) {
  request.tensor = plan.base.spelling;
  request.tile = plan.tile;
  request.type = plan.element;
  request.rank = int(dims().size());
  request.address.text = plan.base.spelling;
  for (size_t d = 0; d < dims().size(); ++d) {
    const PlanDimension &dim = dims()[d];
    request.dims[d].extent =
        dim.extent ? describeValue(dim.extent->count()) : quantity::exactly(unbounded_extent);
    request.dims[d].stride = describeValue(dim.stride.count());
  }
  request.swizzle = swizzle();
}

void Fitter::report(const finding &found) {
  plan.findings.push_back(found);
  if (found.outcome == verdict::fails)
    fail(diagnose(diag::rule_violated, relation.place,
                  found.text + " (" + name_of(found.rule) + ")"));
}

void Fitter::checkRules() {
  auto sink = [&](const finding &found) { report(found); };
  if (plan.hasMap()) {
    for (const PlanDimension &dim : dims())
      if (!plan.symbols.knownAtLaunch(dim.stride.count())) {
        fail(diagnose(diag::unknown_stride, relation.place, plan.base.spelling,
                      plan.symbols.print(dim.stride.count())));
        return;
      }
    if (plan.pixels())
      check(im2colRequest(), sink);
    else
      check(tileRequest(), sink);
    if (isStored())
      return; // no barrier counts them
    report({rule_id::bytes_in_flight,
            is_within(quantity::exactly(plan.expectedBytes.count()), 16, (1 << 20) - 1),
            "the copy to '" + plan.tile + "' has " + std::to_string(plan.expectedBytes.count()) +
                " bytes, a barrier counts at most 1048575"});
    return;
  }
  if (!plan.base.knownAtLaunch)
    return; // what the launcher cannot see is tested at the copy
  bulk_request request;
  request.tensor = plan.base.spelling;
  request.tile = plan.tile;
  request.address.text = plan.base.spelling;
  request.offset = describeValue(plan.offset().count());
  request.bytes = quantity::exactly((plan.expectedBytes / plan.pieces()).count());
  check(request, sink);
}

} // namespace tilelift
