//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers and pointers that the kernel looks up in memory: `starts[b]`, `jobs[b].data`.
//
// What was loaded once is what every load of that place gives, and what the copy finds
// there, as long as nothing is written in between. Then it is a symbol, or a tensor, by
// the name that C++ has for the place. Otherwise each statement that loads has a symbol
// of its own, and only variables know its value.
//===----------------------------------------------------------------------===//

#include "effects/Ways.h"
#include "interpreter/Interpreter.h"

#include "relation/BaseObjects.h"
#include "relation/RowChoices.h"

#include "clang/AST/RecordLayout.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Bytes as whole elements and what is left; that is less than one element, but for what
/// the symbols add to it.
struct Position {
  Polynomial index;
  Polynomial rest;
};

Position positionOf(const Polynomial &bytes, int64_t size) {
  Position position;
  for (const Term &term : bytes.getTerms()) {
    int64_t remainder = term.coefficient % size;
    if (term.factors.empty() && remainder < 0)
      remainder += size;
    else if (!term.factors.empty() && remainder != 0)
      remainder = term.coefficient;
    position.rest += Polynomial::ofTerm({term.factors, remainder});
    position.index += Polynomial::ofTerm({term.factors, (term.coefficient - remainder) / size});
  }
  return position;
}

/// How C++ calls what lies so many bytes into an object.
class PartName {
public:
  PartName(const ASTContext &context, const Symbols &symbols, const void *type)
      : context(context), symbols(symbols), wanted(type) {}

  std::optional<IndexedName> within(QualType type, IndexedName name,
                                    const Polynomial &offset) const;
  std::optional<IndexedName> element(QualType type, IndexedName name,
                                     const Polynomial &offset) const;

private:
  std::optional<IndexedName> member(const CXXRecordDecl *record, const IndexedName &name,
                                    const Polynomial &offset) const;

  const ASTContext &context;
  const Symbols &symbols;
  /// The type of the part, as the compiler knows it.
  const void *wanted;
};

std::optional<IndexedName> PartName::within(QualType type, IndexedName name,
                                            const Polynomial &offset) const {
  if (identityOf(type) == wanted)
    return offset.isZero() ? std::optional(std::move(name)) : std::nullopt;
  if (const ArrayType *array = context.getAsArrayType(type)) {
    // What is counted back from a member's start may lie in another one.
    bool isInside = symbols.rangeOf(offset).low >= 0;
    return isInside ? element(array->getElementType(), std::move(name), offset) : std::nullopt;
  }
  const auto *record = type->getAsCXXRecordDecl();
  return record ? member(record, name, offset) : std::nullopt;
}

/// Of an array, or behind a pointer.
std::optional<IndexedName> PartName::element(QualType type, IndexedName name,
                                             const Polynomial &offset) const {
  bool hasSize = !type->isIncompleteType() && !type->isFunctionType();
  int64_t size = hasSize ? context.getTypeSizeInChars(type).getQuantity() : 0;
  if (size == 0 || !offset.isValid())
    return std::nullopt;
  Position position = positionOf(offset, size);
  name.appendIndex(position.index);
  return within(type, std::move(name), position.rest);
}

std::optional<IndexedName> PartName::member(const CXXRecordDecl *record, const IndexedName &name,
                                            const Polynomial &offset) const {
  record = record->getDefinition();
  if (!record || record->isDependentType())
    return std::nullopt;
  const ASTRecordLayout &layout = context.getASTRecordLayout(record);
  for (const CXXBaseSpecifier &base : record->bases())
    if (const auto *own = base.getType()->getAsCXXRecordDecl();
        own && base.getAccessSpecifier() == AS_public && !base.isVirtual())
      if (auto found =
              member(own, name, offset - Polynomial(layout.getBaseClassOffset(own).getQuantity())))
        return found;
  for (const FieldDecl *field : record->fields()) {
    if (field->isBitField() || field->getAccess() != AS_public)
      continue;
    int64_t begin =
        context.toCharUnitsFromBits(layout.getFieldOffset(field->getFieldIndex())).getQuantity();
    int64_t size = context.getTypeSizeInChars(field->getType()).getQuantity();
    if (offset.constantTerm() < begin || offset.constantTerm() >= begin + size)
      continue;
    IndexedName own = name;
    if (!field->isAnonymousStructOrUnion())
      own.append("." + field->getNameAsString());
    if (auto found = within(field->getType(), std::move(own), offset - Polynomial(begin)))
      return found;
  }
  return std::nullopt;
}

} // namespace

const ParmVarDecl *Interpreter::unchangedArgument(unsigned object) const {
  for (const ParmVarDecl *parameter : kernel.path.kernel()->parameters()) {
    auto known = objects.find(parameter);
    if (known != objects.end() && known->second == object &&
        kernel.facts.changesOf(parameter).empty() && !kernel.facts.escapes(parameter))
      return parameter;
  }
  return nullptr;
}

unsigned Interpreter::tableOf(const ParmVarDecl *argument) {
  GlobalBase base;
  base.spelling = "(&" + argument->getNameAsString() + ")";
  base.identity = argument;
  base.isTable = true;
  base.hasNameAtCopy = canName(argument);
  base.place = placeOf(argument->getLocation());
  return baseOf(base, kernel.context.getConstType(argument->getType()), true);
}

/// How C++ calls what is loaded there, if it can.
std::optional<IndexedName> Interpreter::spell(const Source &source) const {
  const GlobalBase &base = block.bases[source.base];
  PartName part(kernel.context, block.symbols, source.typeIdentity);
  QualType type = QualType::getFromOpaquePtr(base.elementIdentity);
  StringRef object = base.spelling;
  bool isArgument = object.consume_front("(&") && object.consume_back(")");
  IndexedName name;
  name.append(object.str());
  if (isArgument)
    return part.within(type, name, source.offset);
  // Of an array with several dimensions, each has an index of its own.
  const bool isVariable = base.isShared || !base.symbol.empty();
  const auto *variable = isVariable ? static_cast<const VarDecl *>(base.origin) : nullptr;
  if (const ArrayType *array =
          variable ? kernel.context.getAsArrayType(variable->getType()) : nullptr)
    return part.element(array->getElementType(), name, source.offset);
  return part.element(type, name, source.offset);
}

/// Whether the copy would load the same from there: nothing writes to the base between the load and
/// the copy.
bool Interpreter::isSteady(const Source &source) {
  const GlobalBase &base = block.bases[source.base];
  const auto *maker = static_cast<const Stmt *>(source.madeBy);
  if (!maker || !mayBeWritten(base, kernel.effects))
    return true;
  auto [known, isNew] =
      block.steadyLoads.try_emplace({source.base, maker, source.isOfRoundBefore}, true);
  if (isNew)
    known->second =
        !writeAfterLoad({{maker, source.isOfRoundBefore}}, objectsOf(base, kernel.effects), target,
                        kernel.path, kernel.effects);
  return known->second;
}

/// Why nobody knows what it is: the copy would find something else there, and so may the
/// statement that loads have, from one load to the next; or its text takes too long.
std::optional<Scalar> Interpreter::whyUnclear(const Source &source) {
  const GlobalBase &base = block.bases[source.base];
  if (base.spelling.size() + block.symbols.lengthOf(source.offset) > longestFormula)
    return Scalar::unknown("is too long a formula", source.place);
  if (isSteady(source))
    return std::nullopt;
  const auto *maker = static_cast<const Stmt *>(source.madeBy);
  if (!source.isOfRoundBefore && !mayWrite(kernel.uniformity.effectOf(maker), base, kernel.effects))
    return std::nullopt;
  return Scalar::unknown("is read from '" + base.name() + "', which may be written until the copy",
                         source.place);
}

/// Whether the copy finds the same number under the same name.
bool Interpreter::isNamed(const Polynomial &value) const {
  auto isNamedSymbol = [&](SymbolId id) {
    const Symbol &symbol = block.symbols[id];
    if (symbol.kind == Symbol::Kind::Variable)
      return (isCopying() || mode == Mode::Arrived) &&
             isVisible(static_cast<const VarDecl *>(symbol.identity), id);
    const Operation *made = symbol.operation.get();
    return symbol.readableAtCopy || (made && isNamed(made->left) && isNamed(made->right));
  };
  return llvm::all_of(value.getTerms(),
                      [&](const Term &term) { return llvm::all_of(term.factors, isNamedSymbol); });
}

/// Whether the variable is the one of its name here, and has that value.
bool Interpreter::isVisible(const VarDecl *variable, SymbolId value) const {
  auto meant = llvm::find_if(llvm::reverse(scope), [&](const VarDecl *other) {
    return other->getIdentifier() == variable->getIdentifier();
  });
  auto object = objects.find(variable);
  if (meant == scope.rend() || *meant != variable || object == objects.end() ||
      !canName(variable) || kernel.facts.escapes(variable))
    return false;
  Value now = memory[object->second].read(0, sizeOf(variable->getType()), {});
  return now.single() && now.single()->is(Scalar::Kind::Number) &&
         now.single()->number == Polynomial::symbol(value);
}

/// Returns the name of what is loaded by way of a pointer variable that is visible at the copy and
/// leads to the load's base; nothing if the base has a name there itself.
std::optional<IndexedName> Interpreter::spellByPointer(const Source &source) {
  const GlobalBase &base = block.bases[source.base];
  if (!isCopying() || base.hasNameAtCopy || base.isTable || base.isSet || !isSteady(source))
    return std::nullopt;
  for (const VarDecl *variable : visibleVariables()) {
    const QualType type = variable->getType();
    if (!type->isPointerType() || identityOf(type->getPointeeType()) != base.elementIdentity)
      continue;
    const Value now = memory[objectOf(variable)].read(0, sizeOf(type), {});
    const Scalar *pointer = now.single();
    if (!pointer || !pointer->is(Scalar::Kind::Address) ||
        pointer->space != Scalar::Space::Global || pointer->object != source.base)
      continue;
    IndexedName name;
    name.append(variable->getNameAsString());
    const Polynomial offset = source.offset - pointer->number;
    std::optional<IndexedName> spelled =
        PartName(kernel.context, block.symbols, source.typeIdentity)
            .element(type->getPointeeType(), std::move(name), offset);
    if (spelled && isNamed(offset))
      return spelled;
  }
  return std::nullopt;
}

bool Interpreter::isReadableAtCopy(const Source &source) {
  const GlobalBase &base = block.bases[source.base];
  return isSteady(source) && !base.isSet && base.hasNameAtCopy && isNamed(source.offset);
}

/// The lifted copy looks there, too, with all threads and before anything else: it may where one
/// of the threads does. Of two conditions, one of which follows from the other, that one is enough.
void Interpreter::noteLookup(const Source &source, Lookup lookup, bool isByPointer,
                             bool isReadable) {
  if (!isCopying() || source.madeBy)
    return;
  auto [readers, isFirst] =
      block.readers.try_emplace(lookup, Block::Readers{source.base, {}, isByPointer});
  readers->second.threads.insert(threadNumber);
  auto whenLookedUp = [&] {
    Condition possible = mask.possible(block.symbols);
    return kernel.mergesCases ? withoutHoles(std::move(possible), block.symbols) : possible;
  };
  if (!isFirst) {
    Condition &known = block.lookedUpUnder[readers->second.condition].condition;
    const Condition now = known.isAlways() ? known : whenLookedUp();
    if (now.asConjunction() && (known && now) == known)
      known = now;
    return;
  }
  const Condition possible = whenLookedUp();
  readers->second.condition = block.lookedUpUnder.size();
  block.lookedUpUnder.push_back({lookup, possible, source.place});
  // A condition on the way to the copy may have looked there, too, where the copy's names meant
  // nothing yet.
  if (isReadable && lookup.kind == Lookup::Kind::Number)
    block.symbols.showAtCopy(lookup.number);
  if (!possible.asConjunction())
    block.hideFromCopy(lookup);
}

/// The integer that lies in memory there, as a symbol.
Scalar Interpreter::lookedUp(const Source &source, NumberType type) {
  if (std::optional<Scalar> unclear = whyUnclear(source))
    return *unclear;
  const GlobalBase &base = block.bases[source.base];
  std::optional<IndexedName> byPointer = spellByPointer(source);
  std::optional<IndexedName> name = byPointer ? byPointer : spell(source);
  Symbol symbol;
  symbol.kind = Symbol::Kind::Opaque;
  symbol.spelling =
      name ? block.symbols.print(*name)
           : "*(" + base.spelling + " + " + block.symbols.print(source.offset) + " bytes)";
  symbol.identity = isSteady(source) ? source.typeIdentity : source.madeBy;
  symbol.range = type.rangeOfAny();
  symbol.isUnsignedLong = type.isUnsignedLong();
  symbol.readableAtCopy = byPointer || (name && isReadableAtCopy(source));
  symbol.isLookedUp = true;
  symbol.isFixed = !base.isShared && !mayBeWritten(base, kernel.effects);
  const bool isOnTheWay = !isCopying() && name && !symbol.readableAtCopy;
  if (name)
    symbol.name = std::make_shared<IndexedName>(std::move(*name));
  SymbolId number = block.symbols.intern(symbol);
  if (isOnTheWay)
    lookedUpBefore.push_back({number, source});
  noteLookup(source, {Lookup::Kind::Number, number}, byPointer.has_value(), symbol.readableAtCopy);
  return Scalar::ofNumber(Polynomial::symbol(number));
}

/// What was looked up on the way can be looked up at the copy, and ahead of it, where its index
/// still has a name that means it.
void Interpreter::nameLookups() {
  for (const auto &[number, source] : lookedUpBefore)
    if (isReadableAtCopy(source))
      block.symbols.noteOnceMore(number);
}

/// The same of what the block itself left in an array of shared memory. Nobody writes there
/// while the statement runs; the emitted copy has a barrier before it.
Scalar Interpreter::lookedUpInShared(const Source &source, NumberType type) {
  const SharedObject &object = block.shared[source.base];
  const auto *array = static_cast<const VarDecl *>(object.declaration);
  if (!kernel.context.getAsConstantArrayType(array->getType()))
    return Scalar::unknown("is read from shared memory", source.place);
  GlobalBase base;
  base.spelling = object.name;
  base.identity = array;
  base.origin = array;
  base.isTable = base.isShared = true;
  base.hasNameAtCopy = canName(array);
  base.place = placeOf(array->getLocation());
  Source found = source;
  found.kind = Source::Kind::Load;
  found.base = baseOf(base, kernel.context.getConstType(array->getType()), true);
  block.looksUpShared.insert(source.base);
  return lookedUp(found, type);
}

/// A pointer that was looked up is a base of its own, if it can be named.
Scalar Interpreter::asAddress(const Scalar &scalar, QualType pointee, Place place) {
  if (!scalar.is(Scalar::Kind::Data) || scalar.data->kind != Source::Kind::Load)
    return scalar;
  if (std::optional<Scalar> unclear = whyUnclear(*scalar.data))
    return *unclear;
  std::optional<IndexedName> name = spell(*scalar.data);
  if (!name)
    return scalar;
  GlobalBase base;
  base.spelling = block.symbols.print(*name);
  base.identity = isSteady(*scalar.data) ? nullptr : scalar.data->madeBy;
  base.indices = name->indices;
  base.place = place;
  base.hasNameAtCopy = isReadableAtCopy(*scalar.data);
  // The text that names the pointer has the type of the pointer in memory, not that of a cast.
  const QualType read = scalar.data->typeIdentity
                            ? QualType::getFromOpaquePtr(scalar.data->typeIdentity)
                            : QualType();
  const bool isPointer = !read.isNull() && read->isPointerType();
  const bool isOfVoid = isPointer && read->getPointeeType()->isVoidType();
  if (base.hasNameAtCopy && isPointer)
    base.firstElement =
        isOfVoid ? "static_cast<const char *>(" + base.spelling + ")" : base.spelling;
  const QualType element = isOfVoid    ? kernel.context.CharTy.withConst()
                           : isPointer ? read->getPointeeType()
                                       : pointee;
  unsigned number = baseOf(base, element, true);
  noteLookup(*scalar.data, {Lookup::Kind::Pointer, number}, false, base.hasNameAtCopy);
  return Scalar::ofAddress(Scalar::Space::Global, number, 0, scalar.needs);
}

} // namespace tilelift
