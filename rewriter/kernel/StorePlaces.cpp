//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/StorePlaces.h"

#include "facts/IndexRange.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// By how much each change of a symbol moves something, if by a number.
std::optional<int64_t> slopeOf(const Polynomial &value, SymbolId symbol) {
  std::optional<int64_t> slope;
  for (const Term &term : value.getTerms()) {
    if (!llvm::is_contained(term.factors, symbol))
      continue;
    if (slope || term.factors.size() > 1)
      return std::nullopt;
    slope = term.coefficient;
  }
  return slope;
}

/// Whether a loop lies between a statement and one around it.
bool isInInnerLoop(const Stmt *statement, const Stmt *loop, const VariableFacts &facts) {
  for (const Stmt *outer = facts.parentOf(statement); outer && outer != loop;
       outer = facts.parentOf(outer))
    if (isLoop(outer))
      return true;
  return false;
}

/// Whether each round moves it by one or more in one direction, and it never comes around, as
/// numbers do that are no signed ones of 32 bits or more.
bool goesOneWay(const Cursor &cursor, const KernelUnderTest &under) {
  const QualType type = cursor.variable->getType();
  const bool comesAround = !type->isPointerType() && (!type->isSignedIntegerOrEnumerationType() ||
                                                      under.context.getIntWidth(type) < 32);
  return !comesAround && llvm::all_of(cursor.steps, [&](const Change &step) {
    return step.direction == cursor.steps[0].direction &&
           (!step.value || rangeOf(step.value, under).low >= 1);
  });
}

/// Whether a symbol has the same value in all rounds of a loop that changes these variables.
bool isFixed(const Symbol &symbol, ArrayRef<const VarDecl *> changed) {
  const auto *variable = symbol.kind == Symbol::Kind::Variable
                             ? static_cast<const VarDecl *>(symbol.identity)
                             : nullptr;
  return symbol.knownAtLaunch ||
         (symbol.kind != Symbol::Kind::Opaque && !llvm::is_contained(changed, variable));
}

} // namespace

bool storesApart(const PlannedCopy &copy, const KernelUnderTest &under) {
  const Stmt *loop = under.facts.outermostLoopAround(copy.statement);
  if (!loop || isInInnerLoop(copy.statement, loop, under.facts) ||
      isa<DoStmt, CXXForRangeStmt>(loop) || !copy.path.inKernel())
    return false;
  auto found = findRounds(loop, under.uniformity, under.context.getSourceManager());
  const auto *rounds = std::get_if<Rounds>(&found);
  const Plan &plan = copy.plan;
  bool isBulk = plan.bulk() && plan.rows().empty();
  if (!rounds || plan.gather || (!isBulk && (plan.bulk() || plan.dims().back().box == Elements(1))))
    return false;
  // Both in bytes, or both in elements.
  const Polynomial &place = isBulk ? plan.offset().count() : plan.dims().back().coordinate.count();
  const int64_t length = isBulk ? plan.expectedBytes.count() : plan.dims().back().box.count();
  // Nothing else of the place may move, or be made of what does.
  const ArrayRef<const VarDecl *> changed = under.facts.changedWithin(loop);
  auto leavesItsPlace = [&](SymbolId moving, int64_t slope) {
    return std::abs(slope) >= length && llvm::all_of(place.getTerms(), [&](const Term &term) {
             return llvm::all_of(term.factors, [&](SymbolId id) {
               return id == moving || isFixed(plan.symbols[id], changed);
             });
           });
  };
  return llvm::any_of(rounds->cursors, [&](const Cursor &cursor) {
    if (!goesOneWay(cursor, under))
      return false;
    for (SymbolId id = 0; id < plan.symbols.size(); ++id)
      if (plan.symbols[id].identity == cursor.variable && plan.symbols[id].moment == loop)
        if (std::optional<int64_t> slope = slopeOf(place, id))
          return leavesItsPlace(id, *slope);
    return false;
  });
}

} // namespace tilelift
