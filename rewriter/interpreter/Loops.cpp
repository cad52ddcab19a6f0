//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops around the copy: some round of them, nobody knows which.
//
// One variable that every round moves by the same number is the loop's counter and
// becomes a symbol. Whatever else every round moves, pointers and running indices,
// is where it was plus its step for each round, and the counter tells the rounds:
// `A += 8 * w` beside `k += 8` is `A + (k - k0) * w`. What every round sets back, at
// its end, to what it was before the loop, is still that. What is changed in another way
// becomes a symbol if all threads agree on it, and is unknown if they do not.
//===----------------------------------------------------------------------===//

#include "interpreter/Interpreter.h"
#include "rounds/Rounds.h"
#include "support/DeclaredNames.h"

#include <numeric>

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// What the steps of a loop say of its counter. That the loop's condition holds
/// in the body is not needed: it is in the mask.
void describeCounter(Symbol &symbol, const Value &start, ArrayRef<Change> changes, NumberType type,
                     const ASTContext &context) {
  std::optional<int64_t> first = start.asConstant();
  if (!first)
    return;
  bool onlyUp = true, onlyDown = true;
  int64_t divisor = *first;
  for (const Change &change : changes) {
    Expr::EvalResult amount;
    bool known = change.kind == Change::Kind::Added &&
                 (!change.value || change.value->EvaluateAsInt(amount, context));
    if (!known)
      return;
    int64_t step = change.direction * (change.value ? amount.Val.getInt().getExtValue() : 1);
    step = truncated(step, {type.bits, true});
    onlyUp &= step > 0;
    onlyDown &= step < 0;
    divisor = std::gcd(divisor, step);
  }
  // A counter that wraps around may be on either side of its start. Of what divides its start and
  // its steps, only a power of two divides the wrapped values, too.
  const bool comesAround = !type.isSigned || type.bits < 32;
  if (onlyUp && !comesAround)
    symbol.range.low = std::max(symbol.range.low, *first);
  if (onlyDown && !comesAround)
    symbol.range.high = std::min(symbol.range.high, *first);
  symbol.divisor = std::max<int64_t>(1, comesAround ? divisor & -divisor : divisor);
}

/// Of what is one symbol.
SymbolId symbolIn(const Polynomial &value) { return value.getTerms()[0].factors[0]; }

/// A number of fewer bits may come around, and then does not tell how many rounds there were.
bool isWide(std::optional<NumberType> type) { return type && type->bits >= 32; }

/// Whether both types are known and are not the same.
bool areDifferent(std::optional<NumberType> a, std::optional<NumberType> b) {
  return a && b && (a->isSigned != b->isSigned || a->bits != b->bits);
}

/// Whether the change is made in each round and adds a number that the loop does not change.
bool addsTheSameEachRound(const Change &change, const Stmt *loop, ArrayRef<const VarDecl *> changed,
                          const VariableFacts &facts) {
  return change.kind == Change::Kind::Added && !mentionsAny(change.value, changed) &&
         (runsEachRound(change.statement, loop, facts) ||
          runsWithCondition(change.statement, loop, facts));
}

/// Why nobody knows where a loop has moved a pointer. `steady` is the first number to which each
/// round adds the same constant; null if there is none.
std::string whyUncounted(const VarDecl *steady, bool isNarrow, bool isCounted) {
  if (!steady)
    return "in which no integer counts the rounds by a constant";
  const std::string name = "whose counter '" + steady->getNameAsString() + "'";
  if (isNarrow)
    return name + " has fewer than 32 bits and may come around";
  return isCounted ? name + " is unsigned and may come around"
                   : name + " starts at a value that has no name at the copy";
}

/// What a message says of a variable that the loop changes.
std::string whyForgotten(const VarDecl *variable, bool hasStep, const std::string &uncounted) {
  if (hasStep && variable->getType()->isPointerType())
    return "is moved by the loop around the copy, " + uncounted;
  if (!variable->getType()->isScalarType())
    return "depends on a part of '" + nameOf(*variable) +
           "', which the loop around the copy changes";
  return "is changed by the loop around the copy";
}

Condition alwaysIfUnknown(const Condition &condition) {
  return condition.isUnknown() ? Condition::always() : condition;
}

bool isSame(const Scalar &a, const Scalar &b) {
  bool isKnown = a.is(Scalar::Kind::Number) || a.is(Scalar::Kind::Address);
  return isKnown && a.kind == b.kind && a.number == b.number && a.residueBits == b.residueBits &&
         a.space == b.space && a.object == b.object;
}

} // namespace

/// Whether all of a number has a name at the copy, and is the same in all rounds of the loop.
bool Interpreter::keepsItsValue(const Polynomial &value, const Stmt *loop) const {
  auto isReadable = [&](SymbolId id) {
    const Symbol &symbol = block.symbols[id];
    // A variable that this loop does not change, such as the counter of an enclosing loop, still
    // has its name at the copy.
    return symbol.readableAtCopy ||
           (symbol.kind == Symbol::Kind::Variable &&
            !llvm::is_contained(kernel.facts.changedWithin(loop),
                                static_cast<const VarDecl *>(symbol.identity)));
  };
  return llvm::all_of(value.getTerms(),
                      [&](const Term &term) { return llvm::all_of(term.factors, isReadable); });
}

/// The copy has to be able to say how far it has come.
bool Interpreter::isCounter(const Moving &moving, const Stmt *loop) const {
  const Scalar *start = moving.start.single();
  return moving.hasConstantStep() && start && start->is(Scalar::Kind::Number) &&
         start->residueBits == 0 && keepsItsValue(start->number, loop);
}

/// Whether a counter is farther from its start in each round than in the round before. A number of
/// an unsigned or a narrow type may come around: then neither the range that the loop's condition
/// leaves for it holds, nor does it tell the rounds. Where the launch has to show that it does not,
/// that becomes a requirement.
bool Interpreter::staysInOrder(const Moving &counting, const Counter &counter, const Stmt *loop,
                               const Expr *condition, const Condition &enters) {
  const NumberType type = *numberType(counting.variable->getType());
  if (type.bits >= 64 || (type.isSigned && type.bits >= 32)) // exact, or an overflow
    return true;
  SmallVector<const VarDecl *, 4> others(kernel.facts.changedWithin(loop));
  llvm::erase(others, counting.variable);
  const std::optional<int64_t> start = counter.start.asConstant();
  // One that comes back to its very start would go on for ever.
  if (!type.isSigned && start && *start >= 0 && *start < counter.step &&
      isPowerOf2_64(uint64_t(counter.step)) && condition && !enters.isUnknown() &&
      !mentionsAny(condition, others) && !leavesRound(bodyOf(loop)))
    return true;
  const Interval all = rangeOfType(type.bits, type.isSigned);
  const bool isUp = counter.step > 0;
  const Interval within =
      isUp ? Interval{Interval::lowest, all.high} : Interval{all.low, Interval::highest};
  const bool movesInHead = llvm::any_of(counting.changes, [&](const Change &change) {
    return condition && kernel.facts.isWithin(change.statement, condition);
  });
  const Conjunction *bounds = enters.asConjunction();
  for (const Bound &bound : bounds ? *bounds : Conjunction()) {
    const SymbolId symbol = symbolIn(counter.now);
    std::optional<Polynomial> last = isUp ? bound.most(symbol) : bound.least(symbol);
    if (!last || !keepsItsValue(*last, loop))
      continue;
    const Polynomial next = movesInHead ? *last : *last + Polynomial(counter.step);
    if (const std::optional<int64_t> number = next.asConstant();
        number && !within.contains({*number, *number}))
      continue;
    Needs needs;
    block.need(counter.start, all, placeOf(loop), needs);
    block.need(next, within, placeOf(loop), needs);
    block.demand(needs);
    return true;
  }
  return false;
}

/// By how much each round moves a variable: elements of a pointer, or a number.
std::optional<Scalar> Interpreter::stepOf(ArrayRef<Change> changes, const Stmt *loop,
                                          ArrayRef<const VarDecl *> changed) {
  Scalar total = Scalar::ofNumber(0);
  for (const Change &change : changes) {
    if (!addsTheSameEachRound(change, loop, changed, kernel.facts))
      return std::nullopt;
    Value amount = change.value ? evaluate(change.value) : Value(Scalar::ofNumber(1));
    if (!amount.single())
      return std::nullopt;
    Scalar number = change.value ? asNumber(*amount.single(), change.value->getType(),
                                            placeOf(change.statement))
                                 : *amount.single();
    if (!number.is(Scalar::Kind::Number))
      return std::nullopt;
    const std::optional<NumberType> own =
        change.value ? numberType(change.value->getType()) : std::nullopt;
    const auto *sum = dyn_cast<clang::BinaryOperator>(change.statement);
    const QualType type = sum ? sum->getLHS()->getType() : QualType();
    const std::optional<NumberType> moved = type.isNull()           ? std::optional<NumberType>()
                                            : type->isPointerType() ? NumberType{64, true}
                                                                    : numberType(type);
    if (areDifferent(own, moved)) {
      Needs inRange;
      number.number = block.convert(number.number, *own, {moved->bits, true},
                                    placeOf(change.statement), inRange);
      block.demand(inRange);
    }
    total.number += Polynomial(change.direction) * number.number;
    addNeeds(total.needs, number.needs);
  }
  return total.number.isValid() ? std::optional(total) : std::nullopt;
}

/// Whether each round ends with the variable as it was before the loop.
bool Interpreter::isRestored(const Moving &moving, const Stmt *loop,
                             ArrayRef<const VarDecl *> changed) {
  const Change &last = moving.changes.back(); // in the order of the text
  const Stmt *body = bodyOf(loop);
  bool isSetBack = last.kind == Change::Kind::Assigned && !mentionsAny(last.value, changed) &&
                   runsEachRound(last.statement, loop, kernel.facts) &&
                   llvm::all_of(moving.changes, [&](const Change &change) {
                     return kernel.facts.isWithin(change.statement, body);
                   });
  if (!isSetBack || !moving.start.single())
    return false;
  Value after = evaluate(last.value);
  return after.single() && isSame(*after.single(), *moving.start.single()) &&
         llvm::none_of(after.single()->number.getTerms(), [&](const Term &term) {
           return llvm::any_of(term.factors, [&](SymbolId id) {
             return block.symbols[id].kind == Symbol::Kind::Opaque; // may be read again
           });
         });
}

/// Where each round moves something, after so many rounds as the counter tells.
Value Interpreter::advanced(const Moving &moving, const Counter &counter) {
  QualType type = moving.variable->getType();
  const Scalar &step = *moving.step;
  int64_t unit = type->isPointerType() ? sizeOf(type->getPointeeType()) : 1;
  Polynomial distance = (counter.now - counter.start) * step.number * Polynomial(unit);
  std::optional<Polynomial> moved = distance.dividedBy(counter.step);
  if (!moved) {
    Symbol rounds;
    rounds.spelling = "((" + block.symbols.print(counter.now - counter.start) + ") / " +
                      std::to_string(counter.step) + ")";
    rounds.range = rangeOfType(32, true);
    rounds.range.low = 0;
    rounds.readableAtCopy = true;
    rounds.operation = std::make_shared<Operation>(
        Operation{"/", counter.now - counter.start, Polynomial(counter.step), true});
    moved = Polynomial::symbol(block.symbols.intern(rounds)) * step.number * Polynomial(unit);
  }
  return moving.start.map([&](const Scalar &from) -> Scalar {
    if (!from.is(Scalar::Kind::Address) && !from.is(Scalar::Kind::Number))
      return from;
    Scalar result = from;
    addNeeds(result.needs, step.needs);
    result.number = from.is(Scalar::Kind::Address)
                        ? from.number + *moved
                        : block.apply(NumberOperator::Add, from.number, *moved, *numberType(type),
                                      from.place, result.needs);
    const std::optional<NumberType> own = numberType(type);
    if (own && own->isSigned && own->bits < 32) // which comes around
      result.number = block.convert(result.number, {64, true}, *own, from.place, result.needs);
    return result.number.isValid() ? result : Scalar::unknown("leaves 64 bits", from.place);
  });
}

std::vector<Interpreter::Moving> Interpreter::changedByRounds(const Stmt *loop) {
  const Stmt *init = isa<ForStmt>(loop) ? cast<ForStmt>(loop)->getInit() : nullptr;
  ArrayRef<const VarDecl *> changed = kernel.facts.changedWithin(loop);
  std::vector<Moving> all;
  for (const VarDecl *variable : changed) {
    Moving one;
    one.variable = variable;
    for (const Change &change : kernel.facts.changesWithin(variable, loop))
      if (!init || !kernel.facts.isWithin(change.statement, init))
        one.changes.push_back(change);
    if (one.changes.empty() || !objects.count(variable))
      continue;
    QualType type = variable->getType();
    bool isNumber = numberType(type).has_value();
    if ((isNumber || type->isPointerType()) && !kernel.facts.escapes(variable)) {
      one.isUniform = isNumber && !kernel.uniformity.mayDifferInLoop(variable, loop);
      one.start = memory[objectOf(variable)].read(0, sizeOf(type), placeOf(loop));
      if (isRestored(one, loop, changed))
        continue;
      one.step = stepOf(one.changes, loop, changed);
    }
    all.push_back(std::move(one));
  }
  return all;
}

Symbol Interpreter::symbolOf(const VarDecl *variable, const Stmt *moment) const {
  Symbol symbol;
  symbol.kind = Symbol::Kind::Variable;
  symbol.spelling = variable->getNameAsString();
  symbol.identity = variable;
  symbol.moment = moment;
  const NumberType type = *numberType(variable->getType());
  symbol.range = type.rangeOfAny();
  symbol.isUnsignedLong = type.isUnsignedLong();
  return symbol;
}

Symbol Interpreter::symbolOf(const Moving &moving, const Stmt *loop) const {
  Symbol symbol = symbolOf(moving.variable, loop);
  const NumberType type = numberType(moving.variable->getType()).value_or(NumberType{64, true});
  describeCounter(symbol, moving.start, moving.changes, type, kernel.context);
  // Steps of a size that nobody knows, as those of a grid, lead away from the start as well.
  const Scalar *start = moving.start.single();
  bool isAscending = type.isSigned && type.bits >= 32 && start && start->is(Scalar::Kind::Number) &&
                     start->residueBits == 0 && moving.step &&
                     block.symbols.rangeOf(moving.step->number).low >= 0;
  if (isAscending)
    symbol.range.low = std::max(symbol.range.low, block.symbols.rangeOf(start->number).low);
  return symbol;
}

Interpreter::Counter Interpreter::count(const Moving &moving, const Stmt *loop) {
  return {setToSymbol(moving.variable, symbolOf(moving, loop)), moving.start.single()->number,
          *moving.step->number.asConstant()};
}

/// A variable that all threads agree on is what it is.
Polynomial Interpreter::setToSymbol(const VarDecl *variable, const Symbol &symbol) {
  Polynomial now = Polynomial::symbol(block.symbols.intern(symbol));
  memory[objectOf(variable)].write(0, sizeOf(variable->getType()), Condition::always(),
                                   Scalar::ofNumber(now));
  return now;
}

/// Variables that the body sets and that are no numbers which the loop counts or all
/// threads agree on.
std::vector<Interpreter::Carried> Interpreter::carriedBy(const Stmt *loop,
                                                         ArrayRef<Moving> changed) {
  std::vector<Carried> carried;
  for (const Moving &one : changed) {
    bool isOfBody = llvm::all_of(one.changes, [&](const Change &change) {
      return kernel.facts.isWithin(change.statement, bodyOf(loop)) &&
             change.kind != Change::Kind::Initialised;
    });
    if (isOfBody && !one.step && !one.isUniform && !one.variable->getType()->isPointerType() &&
        relevant->contains(one.variable))
      carried.push_back({one.variable, memory[objectOf(one.variable)]});
  }
  return carried;
}

/// What `k-- > 0` leaves in an unsigned k is known once it is known that k was not 0. Returns
/// whether the condition changes anything of which it says something.
bool Interpreter::narrow(ArrayRef<Moving> all, const std::optional<Counter> &counter,
                         const Stmt *loop, const Expr *condition, const Condition &enters) {
  bool isNarrowed = false;
  for (const Moving &one : all) {
    bool isAsked = llvm::any_of(one.changes, [&](const Change &change) {
      return condition && kernel.facts.isWithin(change.statement, condition);
    });
    if (!isAsked || !one.isUniform || (one.step && counter && !one.isCounter))
      continue;
    Polynomial now = Polynomial::symbol(block.symbols.intern(symbolOf(one, loop)));
    block.symbols.narrow(symbolIn(now), enters.possible(block.symbols).rangeOf(now));
    isNarrowed = true;
  }
  return isNarrowed;
}

/// Some round of a loop around the copy.
void Interpreter::enterLoop(const Stmt *loop, const Expr *condition) {
  loops.emplace_back();
  std::vector<Moving> all = changedByRounds(loop);
  std::vector<Carried> carried = carriedBy(loop, all);
  auto hasWideType = [&](const Moving &one) { return isWide(numberType(one.variable->getType())); };
  auto counting = llvm::find_if(
      all, [&](const Moving &one) { return hasWideType(one) && isCounter(one, loop); });
  if (counting == all.end())
    counting = llvm::find_if(all, [&](const Moving &one) { return isCounter(one, loop); });
  auto steady = llvm::find_if(all, [](const Moving &one) { return one.hasConstantStep(); });
  const bool isNarrow = steady != all.end() && !hasWideType(*steady);
  const std::string uncounted = whyUncounted(steady == all.end() ? nullptr : steady->variable,
                                             isNarrow, counting != all.end());
  auto forgetAll = [&] {
    for (const Moving &one : all)
      memory[objectOf(one.variable)].forget(
          whyForgotten(one.variable, one.step.has_value(), uncounted),
          placeOf(one.changes[0].statement));
  };
  forgetAll();
  std::optional<Counter> counter;
  if (counting != all.end()) {
    counter = count(*counting, loop);
    counting->isCounter = true;
  }
  const auto place = [&](const Moving &one) {
    if (one.isCounter)
      setToSymbol(one.variable, block.symbols[symbolIn(counter->now)]);
    else if (one.step && counter && hasWideType(*counting))
      memory[objectOf(one.variable)].write(0, sizeOf(one.variable->getType()), Condition::always(),
                                           advanced(one, *counter));
    else if (one.isUniform)
      setToSymbol(one.variable, symbolOf(one, loop));
  };
  auto enter = [&] {
    llvm::for_each(all, place);
    Condition enters = condition ? headOf(loop, condition) : Condition::always();
    if (!narrow(all, counter, loop, condition, enters))
      return enters;
    llvm::for_each(all, place);
    return headOf(loop, condition);
  };
  Condition enters = enter();
  if (counter && !staysInOrder(*counting, *counter, loop, condition, enters)) {
    counter.reset();
    counting->isCounter = false;
    forgetAll();
    enters = enter();
  }
  if (counter && counter->step > 0 && block.symbols.knownAtLaunch(counter->start) &&
      !leavesRound(bodyOf(loop)))
    block.symbols.countFrom(symbolIn(counter->now), counter->start, counter->step);
  mayMiss |= enters.isUnknown();
  if (counter && !carried.empty() && !stopped())
    carryLoads(bodyOf(loop), carried, all, *counter, alwaysIfUnknown(enters));
  if (enters.isUnknown())
    return;
  assume(enters);
  if (const Conjunction *bounds = enters.asConjunction())
    for (const Bound &bound : *bounds)
      boundCounter(bound);
}

/// From `k0 < k`, with the host knowing k, the launcher knows k0's range.
void Interpreter::boundCounter(const Bound &bound) {
  for (const Term &term : bound.value.getTerms()) {
    bool isCounter =
        term.factors.size() == 1 && block.symbols[term.factors[0]].kind == Symbol::Kind::Variable;
    std::optional<Polynomial> most = isCounter ? bound.most(term.factors[0]) : std::nullopt;
    if (most && block.symbols.knownAtLaunch(*most))
      block.symbols.boundBelow(term.factors[0], *most + Polynomial(1));
  }
}

} // namespace tilelift
