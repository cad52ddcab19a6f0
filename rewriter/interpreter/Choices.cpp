//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of the kernel that all threads share and no single formula describes:
// `first = b ? ends[b - 1] : 0`, the smaller of two rows, a pointer that was looked up.
//
// As cases they say most: a guard that speaks of one of them is followed into each.
// But a box starts at one place, so where the cases lead nowhere the copy is analysed
// again with `namesChoices`: such a variable is then a symbol, or a tensor of its own,
// and what TMA needs of it is tested at the copy. So is the smaller or the larger of two
// numbers, one of which is looked up, as in `rows[r] < n ? rows[r] : n - 1`.
//===----------------------------------------------------------------------===//

#include "interpreter/Interpreter.h"

#include "clang/Basic/SourceManager.h"

#include <numeric>

using namespace clang;
using namespace llvm;

namespace tilelift {

/// Whether nothing changes the variable between a statement on the way and the copy, in any round
/// of a loop around both.
bool Interpreter::isSettled(const VarDecl *variable, const Stmt *done) const {
  const SourceManager &sources = kernel.context.getSourceManager();
  auto isBehindCopy = [&](const Stmt *change) {
    for (const Stmt *around = kernel.facts.parentOf(done); around;
         around = kernel.facts.parentOf(around))
      if (isLoop(around) && kernel.facts.isWithin(change, around))
        return false;
    return kernel.path.inKernel() &&
           sources.isBeforeInTranslationUnit(target->getEndLoc(), change->getBeginLoc());
  };
  return !kernel.facts.escapes(variable) && !kernel.uniformity.mayDiffer(variable) &&
         llvm::all_of(kernel.facts.changesOf(variable), [&](const Change &change) {
           return kernel.facts.isWithin(change.statement, done) ||
                  sources.isBeforeInTranslationUnit(change.statement->getBeginLoc(),
                                                    done->getBeginLoc()) ||
                  isBehindCopy(change.statement);
         });
}

bool Interpreter::isFormula(const Value &value) const {
  const Scalar *single = value.single();
  if (!single)
    return false;
  bool isKnownPlace =
      single->is(Scalar::Kind::Address) &&
      (single->space != Scalar::Space::Global || block.symbols.readableAtCopy(single->number));
  return single->is(Scalar::Kind::Number) || single->is(Scalar::Kind::Data) || isKnownPlace;
}

void Interpreter::nameChoices(const Stmt *done) {
  for (const VarDecl *variable : kernel.facts.changedWithin(done)) {
    QualType type = variable->getType();
    const bool isVisible = isa<ParmVarDecl>(variable) || llvm::is_contained(scope, variable);
    bool canBeNamed = isVisible && canName(variable) && (numberType(type) || type->isPointerType());
    if (!canBeNamed)
      continue;
    Value value = memory[objectOf(variable)].read(0, sizeOf(type), placeOf(done));
    if (isFormula(value) || !isSettled(variable, done))
      continue;
    block.hasChoices = true;
    if (kernel.namesChoices && type->isPointerType())
      namePointer(variable, value);
    else if (kernel.namesChoices)
      nameNumber(variable, value, done);
  }
}

void Interpreter::nameNumber(const VarDecl *variable, const Value &value, const Stmt *done) {
  Symbol symbol = symbolOf(variable, done);
  Interval all{Interval::highest, Interval::lowest};
  int64_t divisor = 0;
  bool isSigned = variable->getType()->isSignedIntegerType();
  for (const ValueCase &each : value.getCases()) {
    const Scalar &scalar = each.scalar;
    Interval range = symbol.range;
    bool isKnown = scalar.is(Scalar::Kind::Number) && scalar.residueBits == 0 &&
                   (isSigned || symbol.range.contains(block.symbols.rangeOf(scalar.number)));
    if (isKnown)
      range = intersection(intersection(range, block.symbols.rangeOf(scalar.number)),
                           each.guard.rangeOf(scalar.number));
    all = {std::min(all.low, range.low), std::max(all.high, range.high)};
    divisor = std::gcd(divisor, isKnown ? block.symbols.divisorOf(scalar.number) : 1);
  }
  symbol.range = all;
  symbol.divisor = std::max<int64_t>(1, divisor);
  setToSymbol(variable, symbol);
}

void Interpreter::namePointer(const VarDecl *variable, const Value &value) {
  bool mayBeShared = llvm::any_of(value.getCases(), [](const ValueCase &each) {
    return each.scalar.is(Scalar::Kind::Address) && each.scalar.space != Scalar::Space::Global;
  });
  QualType type = variable->getType();
  if (mayBeShared || type->getPointeeType()->isVoidType())
    return;
  GlobalBase base;
  base.spelling = variable->getNameAsString();
  base.identity = variable;
  base.place = placeOf(variable->getLocation());
  unsigned number = baseOf(base, type->getPointeeType(), true);
  memory[objectOf(variable)].write(0, sizeOf(type), Condition::always(),
                                   Scalar::ofAddress(Scalar::Space::Global, number, 0));
}

/// What the copy asks for once more in the place of a choice between two numbers: the smaller or
/// the larger one. All other values are left as they are.
Value Interpreter::nameExtreme(Value value, QualType type, Place place) {
  const ArrayRef<ValueCase> cases = value.getCases();
  auto isNumber = [](const ValueCase &each) {
    return each.scalar.is(Scalar::Kind::Number) || each.scalar.is(Scalar::Kind::Data);
  };
  if (cases.size() != 2 || !numberType(type) || !llvm::all_of(cases, isNumber) ||
      cases[1].guard != !cases[0].guard)
    return value;
  const Scalar first = asNumber(cases[0].scalar, type, place),
               second = asNumber(cases[1].scalar, type, place);
  if (!first.is(Scalar::Kind::Number) || !second.is(Scalar::Kind::Number))
    return value;
  const Polynomial more = second.number - first.number;
  auto isChosen = [&](const Polynomial &distance) {
    return cases[0].guard == Condition::notNegative(distance) ||
           cases[0].guard == Condition::notNegative(distance - Polynomial(1));
  };
  const bool isSmaller = isChosen(more), isLarger = isChosen(-more);
  if (block.symbols.lookupsFor(more).empty() || isSmaller == isLarger)
    return value;
  block.hasChoices = true;
  if (!kernel.namesChoices)
    return value;
  const Interval a = block.symbols.rangeOf(first.number), b = block.symbols.rangeOf(second.number);
  const Interval range = isSmaller ? Interval{std::min(a.low, b.low), std::min(a.high, b.high)}
                                   : Interval{std::max(a.low, b.low), std::max(a.high, b.high)};
  const char *op = isSmaller ? "min" : "max";
  const std::string text = block.symbols.print(first.number, op, second.number);
  Needs needs = first.needs;
  addNeeds(needs, second.needs);
  return Scalar::ofNumber(
      block.symbols.computed({op, first.number, second.number, /*isInt=*/false}, text, range),
      needs);
}

} // namespace tilelift
