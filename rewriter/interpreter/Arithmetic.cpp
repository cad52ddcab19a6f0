//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's arithmetic on values: numbers, their residues where a type is too narrow,
// truth values, and addresses that are moved.
//===----------------------------------------------------------------------===//

#include "interpreter/Interpreter.h"
#include "relation/BaseObjects.h"

#include "clang/AST/RecordLayout.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

std::optional<NumberOperator> numberOperator(BinaryOperatorKind op) {
  switch (op) {
  case BO_Add: return NumberOperator::Add;
  case BO_Sub: return NumberOperator::Sub;
  case BO_Mul: return NumberOperator::Mul;
  case BO_Div: return NumberOperator::Div;
  case BO_Rem: return NumberOperator::Rem;
  case BO_Shl: return NumberOperator::Shl;
  case BO_Shr: return NumberOperator::Shr;
  case BO_And: return NumberOperator::And;
  case BO_Or: return NumberOperator::Or;
  case BO_Xor: return NumberOperator::Xor;
  default: return std::nullopt;
  }
}

/// A truth value, or a number that may stand for one.
std::optional<Condition> asTruth(const Scalar &scalar) {
  if (scalar.is(Scalar::Kind::Truth))
    return scalar.truth;
  std::optional<int64_t> number =
      scalar.is(Scalar::Kind::Number) ? scalar.number.asConstant() : std::nullopt;
  if (number != 0 && number != 1)
    return std::nullopt;
  return *number ? Condition::always() : Condition::never();
}

/// `a & b` of truth values is `a && b`, but for the order of evaluation.
std::optional<Condition> combinedTruth(BinaryOperatorKind op, const Condition &a,
                                       const Condition &b) {
  switch (op) {
  case BO_And: return a && b;
  case BO_Or: return a || b;
  case BO_Xor: return (a && !b) || (!a && b);
  default: return std::nullopt;
  }
}

std::optional<reduce_operation> reductionOf(BinaryOperatorKind op) {
  switch (op) {
  case BO_Add: return reduce_operation::add;
  case BO_And: return reduce_operation::and_;
  case BO_Or: return reduce_operation::or_;
  case BO_Xor: return reduce_operation::xor_;
  default: return std::nullopt;
  }
}

/// What has no result in C++.
std::optional<std::string> whyUndefined(NumberOperator op, const Polynomial &right,
                                        NumberType type) {
  std::optional<int64_t> number = right.asConstant();
  bool divides = op == NumberOperator::Div || op == NumberOperator::Rem;
  bool shifts = op == NumberOperator::Shl || op == NumberOperator::Shr;
  if (number == 0 && divides)
    return "is divided by zero";
  if (number && *number < 0 && op == NumberOperator::Rem && type.isUnsignedLong())
    return "is the rest of a division by a number of 2^63 or more";
  if (number && shifts && (*number < 0 || *number >= int64_t(type.bits)))
    return "is shifted by " + std::to_string(*number) + " bits";
  return std::nullopt;
}

const char *verbOf(BinaryOperatorKind op) {
  switch (op) {
  case BO_Add: return "is a sum";
  case BO_Sub: return "is a difference";
  case BO_Mul: return "is a product";
  case BO_Div: return "is a quotient";
  default: return "is computed on the way";
  }
}

} // namespace

Scalar Interpreter::asNumber(const Scalar &scalar, QualType type, Place place) {
  Scalar number = asResidue(scalar, type, place);
  if (number.residueBits != 0)
    block.need(number.number, rangeOfType(number.residueBits, false), place, number.needs);
  number.residueBits = 0;
  return number;
}

/// A number in another type. Unsigned ones that are widened stay residues: only
/// who computes with them needs to know that they are none.
Scalar Interpreter::convert(Scalar number, NumberType from, NumberType to, Place place) {
  if (!number.is(Scalar::Kind::Number))
    return number;
  if (number.residueBits != 0) {
    if (to.bits > number.residueBits)
      return number;
    from = {number.residueBits, false};
    number.residueBits = 0;
  }
  if (!from.isSigned && to.bits > from.bits && !number.number.isConstant())
    number.residueBits = from.bits;
  else
    number.number = block.convert(number.number, from, to, place, number.needs);
  return number;
}

/// An integer that lies in memory, whatever the type is that it lies there as.
Scalar Interpreter::numberInMemory(const Scalar &scalar, NumberType type, Place place) {
  const Source &source = *scalar.data;
  NumberType own{source.widenedFrom ? source.widenedFrom : type.bits,
                 source.isSigned.value_or(type.isSigned)};
  if (isOfFloats(source))
    return Scalar::unknown("is the bits of a number with a fraction", place);
  bool isShared = source.kind == Source::Kind::Shared;
  Scalar loaded = isShared ? lookedUpInShared(source, own) : lookedUp(source, own);
  addNeeds(loaded.needs, scalar.needs);
  if (!loaded.is(Scalar::Kind::Number))
    return loaded;
  if (source.isOfOtherSign) {
    const NumberType other{own.bits, !own.isSigned};
    loaded = convert(loaded, own, other, place);
    own = other;
  }
  return convert(loaded, own, type, place);
}

Scalar Interpreter::asResidue(const Scalar &scalar, QualType type, Place place) {
  if (scalar.is(Scalar::Kind::Truth))
    return scalar.truth.isAlways() || scalar.truth.isNever()
               ? Scalar::ofNumber(scalar.truth.isAlways() ? 1 : 0)
               : Scalar::unknown("depends on a condition", place);
  if (!scalar.is(Scalar::Kind::Data))
    return scalar;
  std::optional<NumberType> number = numberType(type);
  if (!number)
    return Scalar::unknown("is computed", place);
  if (scalar.data->kind == Source::Kind::Shared && scalar.data->reduction)
    return Scalar::unknown(scalar.data->text, place);
  if (scalar.data->isMemory())
    return numberInMemory(scalar, *number, place);
  if (scalar.data->kind != Source::Kind::Constant)
    return Scalar::unknown(scalar.data->text, place);
  Scalar result = Scalar::ofNumber(0);
  int64_t bits = int64_t(scalar.data->bits.zextOrTrunc(64).getZExtValue());
  result.number = block.convert(bits, {64, true}, *number, place, result.needs);
  return result;
}

/// Whether a pointer is not null. Only what the host passes may be: a symbol, which is one or zero.
Condition Interpreter::isPresent(const Scalar &address) {
  if (address.space != Scalar::Space::Global)
    return Condition::always();
  const GlobalBase &base = block.bases[address.object];
  if (!base.symbol.empty()) // a variable
    return Condition::always();
  if (!address.number.isZero() || !base.hasNameAtCopy || base.isSet)
    return Condition::unknown();
  Symbol present;
  present.kind = Symbol::Kind::Opaque;
  present.spelling = "(" + base.spelling + " != nullptr)";
  present.identity = base.identity;
  present.range = {0, 1};
  present.readableAtCopy = true;
  return !Condition::zero(Polynomial::symbol(block.symbols.intern(present)));
}

Condition Interpreter::asCondition(const Value &value, QualType type, Place place) {
  Value truths = value.map([&](const Scalar &scalar) -> Scalar {
    if (scalar.is(Scalar::Kind::Truth))
      return scalar;
    if (scalar.is(Scalar::Kind::Address))
      return Scalar::ofTruth(isPresent(scalar));
    Scalar number = asNumber(scalar, type, place);
    if (!number.is(Scalar::Kind::Number))
      return Scalar::ofTruth(Condition::unknown());
    block.demand(number.needs);
    std::optional<NumberType> own = numberType(type);
    if (own && !own->isSigned && !type->isBooleanType()) // which may have come around
      return Scalar::ofTruth(
          !block.compare(Comparison::Equal, number.number, 0, *own, place, ExtentSide::Right));
    return Scalar::ofTruth(!Condition::zero(number.number));
  });
  Condition holds = Condition::never();
  for (const ValueCase &one : truths.getCases()) {
    if (!one.scalar.is(Scalar::Kind::Truth) || one.scalar.truth.isUnknown())
      return Condition::unknown();
    holds = holds || (one.guard && one.scalar.truth);
  }
  return holds;
}

/// `(x + w) % w`, as wrapped borders have it, is x inside; only elsewhere it has to be
/// divided.
std::optional<Value> Interpreter::wrapped(const Value &a, const Value &b, QualType type,
                                          const Expr *where) {
  if (!a.single() || !b.single() || !numberType(type))
    return std::nullopt;
  Place place = placeOf(where);
  Scalar sum = asNumber(*a.single(), type, place), period = asNumber(*b.single(), type, place);
  if (!sum.is(Scalar::Kind::Number) || !period.is(Scalar::Kind::Number) ||
      period.number.isConstant())
    return std::nullopt;
  Polynomial inside = sum.number - period.number;
  if (inside.getTerms().size() >= sum.number.getTerms().size())
    return std::nullopt;
  Scalar rest = arithmetic(BO_Rem, sum, period, type, where);
  Scalar straight = Scalar::ofNumber(inside, rest.needs);
  Condition isInside = Condition::notNegative(inside) &&
                       Condition::notNegative(period.number - inside - Polynomial(1));
  return Value(rest).overwritten(isInside, straight);
}

Value Interpreter::arithmetic(BinaryOperatorKind op, const Value &a, const Value &b, QualType type,
                              const Expr *where) {
  if (op == BO_Rem)
    if (std::optional<Value> value = wrapped(a, b, type, where))
      return *value;
  // Bits of truths are truths.
  const bool isOfBits = op == BO_And || op == BO_Or || op == BO_Xor;
  return Value::combine(
      isOfBits ? a : counted(a, block.symbols), isOfBits ? b : counted(b, block.symbols),
      [&](const Scalar &x, const Scalar &y) { return arithmetic(op, x, y, type, where); });
}

Scalar Interpreter::movedAddress(const Scalar &a, const Scalar &b, int direction, QualType type,
                                 Place place) {
  const Scalar &address = a.is(Scalar::Kind::Address) ? a : b;
  Scalar bytes = asNumber(a.is(Scalar::Kind::Address) ? b : a, type, place);
  if (!bytes.is(Scalar::Kind::Number))
    return Scalar::unknown("is an address that is computed with", place);
  Needs needs = address.needs;
  addNeeds(needs, bytes.needs);
  return Scalar::ofAddress(address.space, address.object,
                           address.number + bytes.number * Polynomial(direction), needs);
}

/// Whether an operation of integers with this number leaves the other operand as it is.
static bool isNeutral(BinaryOperatorKind op, const Scalar &scalar, bool isRight) {
  const std::optional<int64_t> number =
      scalar.is(Scalar::Kind::Number) ? scalar.number.asConstant() : std::nullopt;
  switch (op) {
  case BO_Add:
  case BO_Or:
  case BO_Xor: return number == 0;
  case BO_Sub:
  case BO_Shl:
  case BO_Shr: return isRight && number == 0;
  case BO_Mul: return number == 1;
  case BO_Div: return isRight && number == 1;
  default: return false;
  }
}

/// What comes of operands without computing with numbers: a condition, a reduction, one of them, or
/// an address.
std::optional<Scalar> Interpreter::withoutNumbers(BinaryOperatorKind op, const Scalar &a,
                                                  const Scalar &b, QualType type, Place place) {
  if (a.is(Scalar::Kind::Truth) || b.is(Scalar::Kind::Truth))
    if (std::optional<Condition> left = asTruth(a), right = asTruth(b); left && right)
      if (std::optional<Condition> both = combinedTruth(op, *left, *right))
        return Scalar::ofTruth(*both);
  if (std::optional<reduce_operation> reduction = reductionOf(op))
    if (std::optional<Scalar> both = combined(*reduction, a, b, type))
      return both;
  if (!numberType(type) || !numberOperator(op))
    return Scalar::unknown(verbOf(op), place);
  if (a.is(Scalar::Kind::Data) && isNeutral(op, b, /*isRight=*/true))
    return a;
  if (b.is(Scalar::Kind::Data) && isNeutral(op, a, /*isRight=*/false))
    return b;
  // An address of shared memory as a number, for inline assembly.
  bool isAddress = a.is(Scalar::Kind::Address) || b.is(Scalar::Kind::Address);
  if (isAddress && (op == BO_Add || (op == BO_Sub && !b.is(Scalar::Kind::Address))))
    return movedAddress(a, b, op == BO_Add ? 1 : -1, type, place);
  return std::nullopt;
}

Scalar Interpreter::arithmetic(BinaryOperatorKind op, const Scalar &a, const Scalar &b,
                               QualType type, const Expr *where) {
  Place place = placeOf(where);
  if (std::optional<Scalar> known = withoutNumbers(op, a, b, type, place))
    return *known;
  Scalar x = asNumber(a, type, place), y = asNumber(b, type, place);
  if (x.is(Scalar::Kind::Address) || y.is(Scalar::Kind::Address))
    return Scalar::unknown("is an address that is computed with", place);
  if (!x.is(Scalar::Kind::Number))
    return x;
  if (!y.is(Scalar::Kind::Number))
    return y;
  const NumberType number = *numberType(type);
  const NumberOperator known = *numberOperator(op);
  if (std::optional<std::string> why = whyUndefined(known, y.number, number))
    return Scalar::unknown(*why, place);
  if (block.symbols.lengthOf(x.number) + block.symbols.lengthOf(y.number) > longestFormula)
    return Scalar::unknown("is too long a formula", place);
  Needs needs = x.needs;
  addNeeds(needs, y.needs);
  block.steps += unsigned(needs.size()); // a long list is much work
  Polynomial value = block.apply(known, x.number, y.number, number, place, needs);
  Scalar result = Scalar::ofNumber(std::move(value), std::move(needs));
  result.place = place;
  return result;
}

Value Interpreter::movePointer(const Value &pointer, const Value &count, QualType pointee,
                               int direction, const Expr *where) {
  int64_t size = int64_t(sizeOf(pointee)) * direction;
  const Expr *index = where;
  QualType indexType = kernel.context.LongTy;
  if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(where))
    indexType = (index = subscript->getIdx())->getType();
  else if (const auto *binary = dyn_cast<BinaryOperator>(where))
    indexType = (binary->getLHS()->getType()->isPointerType() ? binary->getRHS() : binary->getLHS())
                    ->getType();
  std::optional<NumberType> type = numberType(indexType);
  auto moved = [&](const Scalar &from, const Scalar &by) -> Scalar {
    Scalar base = asAddress(from, pointee, placeOf(where));
    if (base.is(Scalar::Kind::Number))
      return Scalar::unknown(base.number.isZero()
                                 ? "is a null pointer"
                                 : "is made of the number '" + block.symbols.print(base.number) +
                                       "', and not of a pointer",
                             placeOf(where));
    if (!base.is(Scalar::Kind::Address))
      return (base.is(Scalar::Kind::Unknown) && !base.why.empty()) || base.is(Scalar::Kind::Data)
                 ? base
                 : Scalar::unknown("is computed by '" + spell(where) + "'", placeOf(where));
    Scalar number = asNumber(by, indexType, placeOf(index));
    if (!number.is(Scalar::Kind::Number))
      return number;
    Needs needs = base.needs;
    addNeeds(needs, number.needs);
    if (type)
      number.number = block.convert(number.number, *type, {64, true}, placeOf(index), needs);
    return Scalar::ofAddress(base.space, base.object,
                             base.number + number.number * Polynomial(size), std::move(needs));
  };
  return atOnePlace(Value::combine(pointer, counted(count, block.symbols), moved), block.symbols);
}

} // namespace tilelift
