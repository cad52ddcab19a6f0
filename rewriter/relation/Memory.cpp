//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's arithmetic on values, and its loads and stores. What is recorded
// of those that make the copy is in Records.cpp.
//===----------------------------------------------------------------------===//

#include "relation/BaseObjects.h"
#include "relation/Interpreter.h"

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

Scalar Interpreter::asResidue(const Scalar &scalar, QualType type, Place place) {
  switch (scalar.kind) {
  case Scalar::Kind::Number: return scalar;
  case Scalar::Kind::Truth:
    if (scalar.truth.isAlways() || scalar.truth.isNever())
      return Scalar::ofNumber(scalar.truth.isAlways() ? 1 : 0);
    return Scalar::unknown("depends on a condition", place);
  case Scalar::Kind::Data: {
    std::optional<NumberType> number = numberType(type);
    if (!number)
      return Scalar::unknown("is computed with", place);
    if (scalar.data->kind == Source::Kind::Shared && scalar.data->reduction)
      return Scalar::unknown(scalar.data->text, place);
    if (scalar.data->isMemory()) {
      unsigned bits = scalar.data->widenedFrom ? scalar.data->widenedFrom : number->bits;
      NumberType own{bits, scalar.data->isSigned.value_or(number->isSigned)};
      if (isOfFloats(*scalar.data))
        return Scalar::unknown("is the bits of a number with a fraction", place);
      bool isShared = scalar.data->kind == Source::Kind::Shared;
      Scalar loaded = isShared ? lookedUpInShared(*scalar.data, own) : lookedUp(*scalar.data, own);
      addNeeds(loaded.needs, scalar.needs);
      if (!loaded.is(Scalar::Kind::Number))
        return loaded;
      if (scalar.data->isOfOtherSign) {
        const NumberType other{own.bits, !own.isSigned};
        loaded = convert(loaded, own, other, place);
        own = other;
      }
      return convert(loaded, own, *number, place);
    }
    if (scalar.data->kind == Source::Kind::Constant) {
      Scalar result = Scalar::ofNumber(0);
      int64_t bits = int64_t(scalar.data->bits.zextOrTrunc(64).getZExtValue());
      result.number = block.convert(bits, {64, true}, *number, place, result.needs);
      return result;
    }
    return Scalar::unknown(scalar.data->text, place);
  }
  default: return scalar;
  }
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

Scalar Interpreter::arithmetic(BinaryOperatorKind op, const Scalar &a, const Scalar &b,
                               QualType type, const Expr *where) {
  Place place = placeOf(where);
  if (a.is(Scalar::Kind::Truth) || b.is(Scalar::Kind::Truth))
    if (std::optional<Condition> left = asTruth(a), right = asTruth(b); left && right)
      if (std::optional<Condition> both = combinedTruth(op, *left, *right))
        return Scalar::ofTruth(*both);
  if (std::optional<reduce_operation> reduction = reductionOf(op))
    if (std::optional<Scalar> both = combined(*reduction, a, b, type))
      return *both;
  std::optional<NumberType> number = numberType(type);
  std::optional<NumberOperator> known = numberOperator(op);
  if (!number || !known)
    return Scalar::unknown(verbOf(op), place);
  if (a.is(Scalar::Kind::Data) && isNeutral(op, b, /*isRight=*/true))
    return a;
  if (b.is(Scalar::Kind::Data) && isNeutral(op, a, /*isRight=*/false))
    return b;
  // An address of shared memory as a number, for inline assembly.
  bool isAddress = a.is(Scalar::Kind::Address) || b.is(Scalar::Kind::Address);
  if (isAddress && (op == BO_Add || (op == BO_Sub && !b.is(Scalar::Kind::Address))))
    return movedAddress(a, b, op == BO_Add ? 1 : -1, type, place);
  Scalar x = asNumber(a, type, place), y = asNumber(b, type, place);
  if (x.is(Scalar::Kind::Address) || y.is(Scalar::Kind::Address))
    return Scalar::unknown("is an address that is computed with", place);
  if (!x.is(Scalar::Kind::Number))
    return x;
  if (!y.is(Scalar::Kind::Number))
    return y;
  if (std::optional<std::string> why = whyUndefined(*known, y.number, *number))
    return Scalar::unknown(*why, place);
  if (block.symbols.lengthOf(x.number) + block.symbols.lengthOf(y.number) > longestFormula)
    return Scalar::unknown("is too long a formula", place);
  Needs needs = x.needs;
  addNeeds(needs, y.needs);
  block.steps += unsigned(needs.size()); // a long list is much work
  Polynomial value = block.apply(*known, x.number, y.number, *number, place, needs);
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

/// A part of a struct that was loaded is of the type that it is read as first.
Value Interpreter::typed(const Value &value, QualType type) const {
  bool hasData = llvm::any_of(
      value.getCases(), [](const ValueCase &one) { return one.scalar.is(Scalar::Kind::Data); });
  if (!hasData)
    return value;
  std::optional<NumberType> number = numberType(type);
  return value.map([&](const Scalar &scalar) {
    Scalar result = scalar;
    if (scalar.is(Scalar::Kind::Data) && !scalar.data->typeIdentity)
      result.data.edit().typeIdentity = identityOf(type);
    if (number && scalar.is(Scalar::Kind::Data) && !scalar.data->isSigned)
      result.data.edit().isSigned = number->isSigned;
    return result;
  });
}

/// The part of a constant that lies so many bytes in and has the type; null if there is none.
static const APValue *partOf(const APValue &whole, QualType type, int64_t offset, QualType wanted,
                             const ASTContext &context) {
  if (offset == 0 && context.hasSameUnqualifiedType(type, wanted))
    return &whole;
  if (const ConstantArrayType *array = context.getAsConstantArrayType(type);
      array && whole.isArray()) {
    const QualType element = array->getElementType();
    const int64_t size = context.getTypeSizeInChars(element).getQuantity();
    const int64_t index = offset / size;
    if (index >= int64_t(whole.getArraySize()))
      return nullptr;
    const bool isWritten = index < int64_t(whole.getArrayInitializedElts());
    return partOf(isWritten ? whole.getArrayInitializedElt(unsigned(index))
                            : whole.getArrayFiller(),
                  element, offset % size, wanted, context);
  }
  const auto *record = type->getAsCXXRecordDecl();
  if (!record || !whole.isStruct())
    return nullptr;
  const ASTRecordLayout &layout = context.getASTRecordLayout(record);
  for (const auto &[number, base] : llvm::enumerate(record->bases())) {
    const CXXRecordDecl *own = base.getType()->getAsCXXRecordDecl();
    const int64_t begin = layout.getBaseClassOffset(own).getQuantity();
    const int64_t size = context.getASTRecordLayout(own).getNonVirtualSize().getQuantity();
    if (!own->isEmpty() && begin <= offset && offset < begin + size)
      return partOf(whole.getStructBase(unsigned(number)), base.getType(), offset - begin, wanted,
                    context);
  }
  for (const FieldDecl *field : record->fields()) {
    const int64_t begin =
        context.toCharUnitsFromBits(int64_t(context.getFieldOffset(field))).getQuantity();
    const int64_t size = context.getTypeSizeInChars(field->getType()).getQuantity();
    if (!field->isBitField() && !field->isMutable() && begin <= offset && offset < begin + size)
      return partOf(whole.getStructField(field->getFieldIndex()), field->getType(), offset - begin,
                    wanted, context);
  }
  return nullptr;
}

/// The number that a `constexpr` object holds at this address. It is written as a number, because
/// nvcc lets device code use the value of a host object, but not name the object.
std::optional<Scalar> Interpreter::constantAt(const Scalar &from, QualType type) const {
  const GlobalBase &base = block.bases[from.object];
  std::optional<int64_t> offset = from.number.asConstant();
  if (base.symbol.empty() || !offset || *offset < 0)
    return std::nullopt;
  const auto *variable = static_cast<const VarDecl *>(base.origin);
  if (!variable->isUsableInConstantExpressions(kernel.context))
    return std::nullopt;
  const APValue *whole = variable->evaluateValue();
  const APValue *part =
      whole ? partOf(*whole, variable->getType(), *offset, type, kernel.context) : nullptr;
  if (!part || !part->isInt() || part->getInt().getBitWidth() > 64)
    return std::nullopt;
  const APSInt &number = part->getInt();
  return Scalar::ofNumber(
      number.isSigned() ? number.getSExtValue() : int64_t(number.getZExtValue()), from.needs);
}

Scalar Interpreter::loadGlobal(const Scalar &from, QualType type, Place place) const {
  if (std::optional<Scalar> constant = constantAt(from, type))
    return *constant;
  Source source;
  source.kind = Source::Kind::Load;
  source.base = from.object;
  source.offset = from.number;
  source.place = place;
  source.madeBy = copying ? nullptr : onTheWay;
  source.isOfRoundBefore = isInRoundBefore;
  source.typeIdentity = identityOf(type);
  if (std::optional<NumberType> number = numberType(type))
    source.isSigned = number->isSigned;
  Scalar data = Scalar::ofData(source);
  data.needs = from.needs;
  return data;
}

/// A table that the kernel gets as an argument is looked up in as one in constant memory.
Value Interpreter::loadLocal(const Scalar &from, QualType type, Place place) {
  std::optional<int64_t> offset = from.number.asConstant();
  const ParmVarDecl *argument = offset ? nullptr : unchangedArgument(from.object);
  if (argument)
    return loadGlobal(
        Scalar::ofAddress(Scalar::Space::Global, tableOf(argument), from.number, from.needs), type,
        place);
  if (!offset)
    return Scalar::unknown("is read at an index that is not a number", place);
  Value stored = memory[from.object].read(*offset, sizeOf(type), place);
  block.steps += 24 * (unsigned(stored.getCases().size()) - 1); // many are much work
  return typed(asReadNumber(stored.given(mask), from.object, *offset, type, place), type);
}

/// The integer type that lies at a place in an object; null where there is none, or where a union
/// may have several.
static QualType integerAt(QualType type, int64_t offset, const ASTContext &context) {
  if (type->isIntegralOrEnumerationType())
    return offset == 0 ? type : QualType();
  if (const ConstantArrayType *array = context.getAsConstantArrayType(type)) {
    const int64_t size = context.getTypeSizeInChars(array->getElementType()).getQuantity();
    return size == 0 ? QualType() : integerAt(array->getElementType(), offset % size, context);
  }
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || record->isUnion())
    return QualType();
  const ASTRecordLayout &layout = context.getASTRecordLayout(record);
  auto within = [&](QualType part, int64_t begin) {
    const int64_t size = context.getTypeSizeInChars(part).getQuantity();
    return begin <= offset && offset < begin + size ? integerAt(part, offset - begin, context)
                                                    : QualType();
  };
  for (const CXXBaseSpecifier &base : record->bases())
    if (const CXXRecordDecl *own = base.getType()->getAsCXXRecordDecl(); own && !base.isVirtual())
      if (QualType found = within(base.getType(), layout.getBaseClassOffset(own).getQuantity());
          !found.isNull())
        return found;
  for (const FieldDecl *field : record->fields())
    if (QualType found = within(
            field->getType(),
            context.toCharUnitsFromBits(int64_t(context.getFieldOffset(field))).getQuantity());
        !found.isNull())
      return found;
  return QualType();
}

/// What a thread reads of its own memory as a number with a sign may have been stored as one
/// without, which is known by its residue only.
Value Interpreter::asReadNumber(const Value &stored, unsigned object, int64_t offset, QualType type,
                                Place place) {
  const std::optional<NumberType> wanted = numberType(type);
  if (!wanted || !wanted->isSigned || !typesOfObjects.count(object))
    return stored;
  const QualType own = integerAt(typesOfObjects[object], offset, kernel.context);
  const std::optional<NumberType> written = own.isNull() ? std::nullopt : numberType(own);
  const CXXRecordDecl *record = typesOfObjects[object]->getAsCXXRecordDecl();
  const bool mayBeOther = own.isNull() && record && hasUnion(record);
  if (!mayBeOther && (!written || written->isSigned || written->bits != wanted->bits))
    return stored;
  return stored.map([&](const Scalar &scalar) {
    if (!scalar.is(Scalar::Kind::Number))
      return scalar;
    if (mayBeOther && !scalar.number.isConstant())
      return Scalar::unknown("is read from a union", place);
    return convert(scalar, mayBeOther ? NumberType{wanted->bits, false} : *written, *wanted, place);
  });
}

/// Whether a class is a union, or has a member that is one.
bool Interpreter::hasUnion(const CXXRecordDecl *record) {
  record = record->getDefinition();
  return record && (record->isUnion() || llvm::any_of(record->fields(), [](const FieldDecl *field) {
                      const CXXRecordDecl *own =
                          field->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
                      return own && hasUnion(own);
                    }));
}

/// Whether data was read from memory as numbers that are no integers.
bool Interpreter::isOfFloats(const Source &data) const {
  if (!data.typeIdentity)
    return false;
  const QualType type = QualType::getFromOpaquePtr(data.typeIdentity);
  return type->isFloatingType();
}

/// What is found in memory, as the user calls it; an argument that is looked up in has an address.
static std::string lookedUpIn(const GlobalBase &base) {
  StringRef name = base.name();
  if (name.consume_front("(&"))
    name.consume_back(")");
  return (name + "[...]").str();
}

/// Refuses an address that starts at a pointer which the kernel reads from a table, and which
/// cannot be named. A negative index is one reason: the pointer may lie in front of the table then.
void Interpreter::failAtLookup(const Source &pointer, Place place) {
  const GlobalBase &base = block.bases[pointer.base];
  if (base.isTable && !pointer.offset.isConstant() && block.symbols.rangeOf(pointer.offset).low < 0)
    fail(diagnose(diag::unknown_index, place, "the address of this load",
                  "it is looked up in '" + lookedUpIn(base) +
                      "' by an index that may be negative, which an unsigned argument is not"));
  else
    fail(diagnose(diag::unknown_base, place, lookedUpIn(base)));
}

Value Interpreter::load(const Value &address, QualType type, Place place) {
  if (type.isVolatileQualified() && copying)
    fail(diagnose(diag::unsupported_statement, place, "a volatile access"));
  Value result;
  bool first = true;
  for (const ValueCase &one : address.getCases()) {
    Scalar from = asAddress(one.scalar, type, place);
    Value loaded;
    if (!from.is(Scalar::Kind::Address)) {
      loaded = from;
      if (copying && from.is(Scalar::Kind::Data) && from.data->kind == Source::Kind::Load)
        failAtLookup(*from.data, place);
      else if (copying && from.is(Scalar::Kind::Unknown) && !from.why.empty())
        fail(mask.isUnknown()
                 ? diagnose(diag::unknown_index, place, "the condition of this load", whyMasked)
                 : diagnose(diag::unknown_index, place, "the address of this load",
                            "it " + from.why));
    } else if (from.space == Scalar::Space::Local) {
      block.demand(from.needs);
      loaded = loadLocal(from, type, place);
    } else if (from.space == Scalar::Space::Shared) {
      loaded = loadShared(from, type, place);
    } else {
      loaded = loadGlobal(from, type, place);
    }
    result = first ? loaded : result.overwritten(one.guard, loaded);
    first = false;
  }
  return result;
}

Scalar Interpreter::asData(const Scalar &scalar, QualType type) {
  Source source;
  source.place = scalar.place;
  bool isOfShared = scalar.is(Scalar::Kind::Data) && scalar.data->kind == Source::Kind::Shared;
  if (isOfShared && kernel.kind == CopyKind::Load) {
    source.kind = Source::Kind::Other;
    source.text = "is read from shared memory";
    return Scalar::ofData(source);
  }
  if (scalar.is(Scalar::Kind::Data) && !scalar.data->widenedFrom)
    return scalar;
  if (scalar.is(Scalar::Kind::Data)) {
    source.kind = Source::Kind::Other;
    source.text = "is converted from " + std::to_string(scalar.data->widenedFrom) + " to " +
                  std::to_string(8 * sizeOf(type)) + " bits";
    return Scalar::ofData(source);
  }
  if (scalar.is(Scalar::Kind::Number) && scalar.number.isConstant()) {
    source.kind = Source::Kind::Constant;
    source.bits = APInt(64, uint64_t(*scalar.number.asConstant())).sextOrTrunc(8 * sizeOf(type));
    return Scalar::ofData(source);
  }
  source.kind = Source::Kind::Other;
  source.text =
      scalar.is(Scalar::Kind::Unknown) && !scalar.why.empty() ? scalar.why
      : scalar.is(Scalar::Kind::Number)
          ? (block.symbols.lookupsFor(scalar.number).empty() ? "is an index, " : "is computed, ") +
                block.symbols.print(scalar.number)
          : "is computed";
  return Scalar::ofData(source);
}

/// Reports that a condition chooses the place in a shared array, where a copy needs a single one.
void Interpreter::failAtChosenPlace(unsigned object, const Condition &guard, Place place) {
  fail(diagnose(diag::unknown_index, place, "the place in '" + block.shared[object].name + "'",
                "it depends on '" + guard.print(block.symbols) +
                    "': choose it by a number that is a variable"));
}

/// Whether a store has a single place in its shared array. Reports an error if a condition chooses
/// one of several places.
bool Interpreter::isAtOnePlace(const Value &address, Place place) {
  const ValueCase *first = nullptr;
  for (const ValueCase &one : address.getCases()) {
    const bool isShared =
        one.scalar.is(Scalar::Kind::Address) && one.scalar.space == Scalar::Space::Shared;
    if (!isShared || (mask && one.guard).isNever())
      continue;
    if (first && first->scalar.object == one.scalar.object &&
        (first->scalar.number - one.scalar.number).isConstant()) {
      failAtChosenPlace(one.scalar.object, first->guard, place);
      return false;
    }
    first = &one;
  }
  return true;
}

void Interpreter::store(const Value &address, const Value &value, QualType type, Place place) {
  if (stopped() || (copying && !isAtOnePlace(address, place)))
    return;
  unsigned size = sizeOf(type);
  if (type.isVolatileQualified() && copying)
    fail(diagnose(diag::unsupported_statement, place, "a volatile access"));
  auto data = [&] { return value.map([&](const Scalar &scalar) { return asData(scalar, type); }); };
  for (const ValueCase &one : address.getCases()) {
    Scalar to = asAddress(one.scalar, type, place);
    Condition guard = mask && one.guard;
    if (guard.isNever())
      continue;
    if (!to.is(Scalar::Kind::Address)) {
      if (copying)
        fail(diagnose(diag::unknown_index, place, "the address of this store",
                      "it " + (to.why.empty() ? "is no pointer" : to.why)));
      // Numbers are written by their names, or escape; parts of others have such addresses, too.
      for (const auto &[variable, object] : objects)
        if (variable->getType()->isRecordType() || variable->getType()->isArrayType())
          memory[object].forget("is written at an address that is not followed", place);
      continue;
    }
    if (to.space != Scalar::Space::Global)
      block.demand(to.needs);
    if (to.space == Scalar::Space::Local) {
      if (copying && to.object < ownObjects)
        noteWriteOutside(to.object, place);
      std::optional<int64_t> offset = to.number.asConstant();
      if (offset)
        memory[to.object].write(*offset, size, guard, value);
      else
        memory[to.object].forget("is written at an index that is not a number", place);
    } else if (to.space == Scalar::Space::Shared) {
      noteAccess(to, type, true, place);
      if (copying && kernel.kind == CopyKind::Load)
        record(to, guard, data(), type, place);
      else if (copying)
        failAsSideEffect("writes to '" + block.shared[to.object].name + "'", place);
    } else if (copying && kernel.kind != CopyKind::Load) {
      storeGlobal(to, guard, data(), type, place);
    } else if (copying) {
      failAsSideEffect("writes to '" + block.bases[to.object].name() + "'", place);
    }
  }
}

/// Under its own name a variable is seen to be changed; through a pointer or reference
/// it is not, and the statement that does it will be gone.
void Interpreter::noteWriteOutside(unsigned object, Place place) {
  for (const auto &[variable, number] : objects)
    if (number == object && kernel.facts.escapes(variable) && !followed.contains(variable))
      failAsSideEffect("writes to '" + variable->getNameAsString() + "'", place);
}

/// The first value of an object that nobody else has seen: wherever the object
/// exists at all, it has this value.
void Interpreter::initialise(const Value &address, const Value &value, QualType type, Place place) {
  Condition before = mask;
  mask = Condition::always();
  if (type->isRecordType() || type->isArrayType())
    copyObject(address, value, type, place);
  else
    store(address, value, type, place);
  mask = before;
}

/// A local object into another one, part by part.
bool Interpreter::copyLocal(const Value &to, const Scalar &from, unsigned size) {
  const Scalar *target = to.single();
  std::optional<int64_t> offset =
      target && target->is(Scalar::Kind::Address) && target->space == Scalar::Space::Local
          ? target->number.asConstant()
          : std::nullopt;
  if (!offset)
    return false;
  LocalObject source = memory[from.object]; // may be the same one
  memory[target->object].copy(*offset, source, *from.number.asConstant(), size, mask);
  return true;
}

void Interpreter::copyObject(const Value &to, const Value &from, QualType type, Place place) {
  unsigned size = sizeOf(type);
  for (const ValueCase &source : from.getCases()) {
    Condition before = mask;
    mask = mask && source.guard;
    const Scalar &object = source.scalar;
    bool isLocal = object.is(Scalar::Kind::Address) && object.space == Scalar::Space::Local &&
                   object.number.isConstant();
    // A pointer that was itself loaded is an address that nobody knows.
    bool isAddress = object.is(Scalar::Kind::Address) ||
                     (object.is(Scalar::Kind::Data) && object.data->kind == Source::Kind::Load);
    bool isCopied = isLocal && copyLocal(to, object, size);
    if (!isCopied && !mask.isNever()) {
      Value value = isLocal ? memory[object.object].read(*object.number.asConstant(), size, place)
                    : isAddress ? load(object, type, place)
                                : Value(object);
      store(to, value, type, place);
    }
    mask = before;
  }
}

/// Another object with the same value.
Value Interpreter::copied(const Value &object, QualType type, Place place) {
  Value copy = makeTemporary(type);
  initialise(copy, object, type, place);
  return copy;
}

Value Interpreter::makeTemporary(QualType type) {
  typesOfObjects[unsigned(memory.size())] = type;
  memory.emplace_back();
  return Scalar::ofAddress(Scalar::Space::Local, unsigned(memory.size() - 1), 0);
}

} // namespace tilelift
