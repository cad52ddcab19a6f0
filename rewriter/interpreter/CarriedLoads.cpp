//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each round of a loop around the copy loads for the next one.
//
// The round before is run as any round, with the counter one step back. What its end
// leaves in a register is what this round starts with, if it is the first round's start
// as well: `v = in[0]` before the loop, `v = in[k + 1]` in it, so it is `in[k]`. Where
// the first round starts with something else, it is that or the other.
//===----------------------------------------------------------------------===//

#include "interpreter/Interpreter.h"

#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

Polynomial with(const Polynomial &value, SymbolId symbol, const Polynomial &number) {
  Polynomial result;
  for (const Term &term : value.getTerms()) {
    Polynomial product(term.coefficient);
    for (SymbolId factor : term.factors)
      product *= factor == symbol ? number : Polynomial::symbol(factor);
    result += product;
  }
  return result;
}

Condition conditionOf(const Polynomial &value, const Interval &range) {
  Condition result = Condition::always();
  if (range.low != Interval::lowest)
    result = result && Condition::notNegative(value - Polynomial(range.low));
  if (range.high != Interval::highest)
    result = result && Condition::notNegative(Polynomial(range.high) - value);
  return result;
}

/// Nothing for what is no box.
std::optional<Condition> with(const Condition &condition, SymbolId symbol,
                              const Polynomial &number) {
  const Conjunction *bounds = condition.asConjunction();
  if (!bounds)
    return std::nullopt;
  Condition result = Condition::always();
  for (const Bound &bound : *bounds)
    result = result && conditionOf(with(bound.value, symbol, number), bound.range);
  return result;
}

/// What a guard says beyond what is known to hold.
Condition beyond(const Condition &guard, const Condition &known) {
  const Conjunction *bounds = guard.asConjunction();
  if (!bounds)
    return guard;
  Condition result = Condition::always();
  for (const Bound &bound : *bounds) {
    Condition one = conditionOf(bound.value, bound.range);
    if (!(!one && known).isNever())
      result = result && one;
  }
  return result;
}

/// The value where the condition holds; nothing if that is not known.
std::optional<std::vector<ValueCase>> casesGiven(const Value &value, const Condition &condition) {
  std::vector<ValueCase> cases;
  for (ValueCase one : value.getCases()) {
    if ((one.guard && condition).isNever())
      continue;
    if (one.guard.isUnknown() || one.scalar.is(Scalar::Kind::Unknown))
      return std::nullopt;
    one.guard = beyond(one.guard, condition);
    cases.push_back(std::move(one));
  }
  return cases;
}

Value valueOf(ArrayRef<ValueCase> cases) {
  Value value = cases.front().scalar;
  for (const ValueCase &one : cases.drop_front())
    value = value.overwritten(one.guard, one.scalar);
  return value;
}

bool isLoad(const ValueCase &one) {
  return one.scalar.is(Scalar::Kind::Data) && one.scalar.data->kind == Source::Kind::Load;
}

/// Whether data is the same but for the statement that loaded it.
bool isSameData(const Scalar &a, const Scalar &b) {
  if (!a.is(Scalar::Kind::Data) || !b.is(Scalar::Kind::Data))
    return a.isZero() && b.isZero();
  Source other = *b.data;
  other.madeBy = a.data->madeBy;
  other.isOfRoundBefore = a.data->isOfRoundBefore;
  return a.data->sameValue(other);
}

} // namespace

/// Whether what a round starts with is, in the first one, what was there before.
bool Interpreter::startsWith(ArrayRef<ValueCase> cases, const Value &first,
                             const Counter &counter) {
  SymbolId symbol = counter.now.getTerms()[0].factors[0];
  if (cases.size() != first.getCases().size())
    return false;
  for (ValueCase one : cases) {
    std::optional<Condition> guard = with(one.guard, symbol, counter.start);
    if (!guard)
      return false;
    one.scalar.data.edit().offset = with(one.scalar.data->offset, symbol, counter.start);
    auto same = llvm::find_if(first.getCases(), [&](const ValueCase &other) {
      return other.guard == *guard && isSameData(one.scalar, other.scalar);
    });
    if (same == first.getCases().end())
      return false;
    if (isLoad(*same))
      block.alsoMadeBy[one.scalar.data->madeBy].insert(same->scalar.data->madeBy);
  }
  return true;
}

/// This thread at the end of the round before, or nothing where that is not followed. What
/// the round needs is said again where its loads are used.
std::optional<Interpreter> Interpreter::afterRoundBefore(const Stmt *body, ArrayRef<Moving> changed,
                                                         Counter counter) {
  Interpreter before = *this;
  before.mode = Mode::RoundBefore;
  counter.now -= Polynomial(counter.step);
  for (const Moving &each : changed) {
    LocalObject &object = before.memory[before.objectOf(each.variable)];
    unsigned size = sizeOf(each.variable->getType());
    if (each.isCounter)
      object.write(0, size, Condition::always(), Scalar::ofNumber(counter.now));
    else if (each.step)
      object.write(0, size, Condition::always(), advanced(each, counter));
    else
      object.forget("is changed by the loop around the copy", placeOf(body));
  }
  std::vector<Requirement> requirements = block.requirements;
  bool hadChoices = block.hasChoices;
  SmallVector<const Stmt *, 8> statements(body->child_begin(), body->child_end());
  if (!isa<CompoundStmt>(body))
    statements = {body};
  for (const Stmt *statement : statements)
    if (statement && before.matters(statement)) {
      before.onTheWay = statement;
      before.run(statement);
    }
  block.requirements = std::move(requirements);
  block.hasChoices = hadChoices;
  if (!block.failed())
    return before;
  block.failure.reset();
  return std::nullopt;
}

void Interpreter::carryLoads(const Stmt *body, ArrayRef<Carried> carried, ArrayRef<Moving> changed,
                             const Counter &counter, const Condition &enters) {
  std::optional<Interpreter> before = afterRoundBefore(body, changed, counter);
  if (!before)
    return;
  Condition goOn = before->mask || before->loops.back().continued;
  Condition holds = goOn.isUnknown() ? enters : enters && goOn;
  for (const Carried &each : carried) {
    LocalObject &object = memory[objectOf(each.variable)];
    before->memory[before->objectOf(each.variable)].forEach(
        [&](int64_t offset, unsigned size, const Value &value) {
          std::optional<std::vector<ValueCase>> cases = casesGiven(value, holds);
          if (!cases || llvm::none_of(*cases, isLoad))
            return;
          Value now = valueOf(*cases), first = each.before.read(offset, size, placeOf(body));
          if (!startsWith(*cases, first, counter))
            now = now.overwritten(Condition::zero(counter.now - counter.start), first);
          object.write(offset, size, Condition::always(), now);
        });
  }
}

} // namespace tilelift
