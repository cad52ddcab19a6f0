//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's loads and stores, and what values become when they are read as another
// type. What is recorded of those that make the copy is in Records.cpp.
//===----------------------------------------------------------------------===//

#include "interpreter/Interpreter.h"
#include "relation/BaseObjects.h"

#include "clang/AST/RecordLayout.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

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
  source.madeBy = isCopying() ? nullptr : onTheWay;
  source.isOfRoundBefore = mode == Mode::RoundBefore;
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
  if (type.isVolatileQualified() && isCopying())
    fail(diagnose(diag::volatile_access, place));
  Value result;
  bool first = true;
  for (const ValueCase &one : address.getCases()) {
    Scalar from = asAddress(one.scalar, type, place);
    Value loaded;
    if (!from.is(Scalar::Kind::Address)) {
      loaded = from;
      if (isCopying() && from.is(Scalar::Kind::Data) && from.data->kind == Source::Kind::Load)
        failAtLookup(*from.data, place);
      else if (isCopying() && from.is(Scalar::Kind::Unknown) && !from.why.empty())
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
  return named(std::move(result), address, type, place);
}

/// A value by a name, where it has one; it has that in a variable, too, from then on.
Value Interpreter::named(Value value, const Value &address, QualType type, Place place) {
  const bool isChoice = !value.single();
  value = nameExtreme(std::move(value), type, place);
  const Scalar *from = address.single();
  const bool isOfVariable = from && from->is(Scalar::Kind::Address) &&
                            from->space == Scalar::Space::Local && from->number.isConstant();
  if (isChoice && value.single() && isOfVariable)
    memory[from->object].write(*from->number.asConstant(), sizeOf(type), Condition::always(),
                               value);
  return value;
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
  if (stopped() || (isCopying() && !isAtOnePlace(address, place)))
    return;
  if (type.isVolatileQualified() && isCopying())
    fail(diagnose(diag::volatile_access, place));
  for (const ValueCase &one : address.getCases()) {
    const Scalar to = asAddress(one.scalar, type, place);
    const Condition guard = mask && one.guard;
    if (guard.isNever())
      continue;
    if (to.is(Scalar::Kind::Address))
      storeThere(to, guard, value, type, place);
    else
      storeAnywhere(to, place);
  }
}

/// A store whose address is not followed: a copy is refused, and otherwise local objects that have
/// parts may have been written. Numbers are written by their names, or escape.
void Interpreter::storeAnywhere(const Scalar &to, Place place) {
  if (isCopying())
    fail(diagnose(diag::unknown_index, place, "the address of this store",
                  "it " + (to.why.empty() ? "is no pointer" : to.why)));
  for (const auto &[variable, object] : objects)
    if (variable->getType()->isRecordType() || variable->getType()->isArrayType())
      memory[object].forget("is written at an address that is not followed", place);
}

void Interpreter::storeThere(const Scalar &to, const Condition &guard, const Value &value,
                             QualType type, Place place) {
  auto data = [&] { return value.map([&](const Scalar &scalar) { return asData(scalar, type); }); };
  const bool isLoad = kernel.kind == CopyKind::Load;
  switch (to.space) {
  case Scalar::Space::Local:
    block.demand(to.needs);
    return storeLocal(to, guard, value, sizeOf(type), place);
  case Scalar::Space::Shared:
    block.demand(to.needs);
    noteAccess(to, type, true, place);
    if (isCopying() && isLoad)
      record(to, guard, data(), type, place);
    else if (isCopying())
      failAsSideEffect("writes to '" + block.shared[to.object].name + "'", place);
    return;
  case Scalar::Space::Global:
    if (isCopying() && !isLoad)
      storeGlobal(to, guard, data(), type, place);
    else if (isCopying())
      failAsSideEffect("writes to '" + block.bases[to.object].name() + "'", place);
    return;
  }
}

void Interpreter::storeLocal(const Scalar &to, const Condition &guard, const Value &value,
                             unsigned size, Place place) {
  if (isCopying() && to.object < ownObjects)
    noteWriteOutside(to.object, place);
  if (std::optional<int64_t> offset = to.number.asConstant())
    memory[to.object].write(*offset, size, guard, value);
  else
    memory[to.object].forget("is written at an index that is not a number", place);
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
