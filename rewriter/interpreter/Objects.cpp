//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's objects: how they are made from initializers and constructors, and where
// variables, members, arguments of the kernel and arrays in other memory lie.
//===----------------------------------------------------------------------===//

#include "interpreter/Interpreter.h"
#include "relation/BaseObjects.h"

#include "support/DeclaredNames.h"
#include "support/LocalTypes.h"
#include "support/Locations.h"
#include "tilelift/rules.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

Value Interpreter::evaluateInitList(const InitListExpr *list) {
  if (!list->getType()->isRecordType() && !list->getType()->isArrayType())
    return list->getNumInits() == 0 ? Value(Scalar::ofNumber(0)) : evaluate(list->getInit(0));
  Value object = makeTemporary(list->getType());
  if (const auto *record = list->getType()->getAsRecordDecl()) {
    initialiseParts(object, record, list);
  } else if (const auto *array = kernel.context.getAsConstantArrayType(list->getType())) {
    unsigned size = sizeOf(array->getElementType());
    for (unsigned i = 0; i < array->getZExtSize(); ++i)
      if (const Expr *init = i < list->getNumInits() ? list->getInit(i) : list->getArrayFiller())
        initialisePart(object, init, int64_t(i) * size);
  }
  return object;
}

/// A part of a new object, so many bytes into it.
void Interpreter::initialisePart(const Value &object, const Expr *init, int64_t offset) {
  // In a default member initialiser, `this` is the new object.
  const bool isOfMember = isa<CXXDefaultInitExpr>(init->IgnoreParens());
  Value self = frames.back().self;
  if (isOfMember)
    frames.back().self = object;
  Value value = evaluate(init);
  frames.back().self = std::move(self);
  initialise(movedBy(object, offset), value, init->getType(), placeOf(init));
}

void Interpreter::initialiseParts(const Value &object, const RecordDecl *record,
                                  const InitListExpr *list) {
  const ASTRecordLayout &layout = kernel.context.getASTRecordLayout(record);
  unsigned index = 0;
  bool hasBits = false;
  if (const auto *derived = dyn_cast<CXXRecordDecl>(record))
    for (const CXXBaseSpecifier &base : derived->bases())
      if (index < list->getNumInits())
        initialisePart(object, list->getInit(index++),
                       offsetOfBase(derived, base.getType().getTypePtr()));
  for (const FieldDecl *field : record->fields()) {
    if (index == list->getNumInits())
      break;
    if (field->isUnnamedBitField())
      continue;
    const Expr *init = list->getInit(index++);
    if (field->isBitField()) { // which shares its bytes with others
      evaluate(init);
      hasBits = true;
    } else if (field->getType()->isReferenceType()) {
      initialise(addressOfField(object, field), addressOf(init), pointerTo(field), placeOf(init));
    } else {
      const uint64_t bits = layout.getFieldOffset(field->getFieldIndex());
      initialisePart(object, init, kernel.context.toCharUnitsFromBits(int64_t(bits)).getQuantity());
    }
  }
  if (hasBits)
    memory[object.single()->object].forget("is an object with bit-fields", placeOf(list));
}

/// `using Base::Base;`: the arguments go on to the base class.
Value Interpreter::evaluateInherited(const CXXInheritedCtorInitExpr *construct) {
  Value object = makeTemporary(construct->getType());
  const FunctionDecl *definition = nullptr;
  if (!construct->getConstructor()->hasBody(definition))
    return notFollowed(construct);
  const FunctionDecl *own = frames.back().function;
  enter(definition, {}, object);
  for (unsigned i = 0; i < definition->getNumParams() && i < own->getNumParams(); ++i) {
    LocalObject argument = memory[objectOf(own->getParamDecl(i))];
    memory[objectOf(definition->getParamDecl(i))] = std::move(argument);
  }
  runEntered(construct);
  return object;
}

Value Interpreter::evaluateConstruct(const CXXConstructExpr *construct) {
  const CXXConstructorDecl *constructor = construct->getConstructor();
  bool isCopy = construct->getNumArgs() == 1 && constructor->isCopyOrMoveConstructor();
  if (isCopy && copiesBytes(constructor))
    return evaluate(construct->getArg(0)); // copies the bytes
  Value object = makeTemporary(construct->getType());
  // The numbers of half precision are made from zero in many ways.
  StringRef name = constructor->getParent()->getName();
  bool isHalf = name == "__half" || name == "__nv_bfloat16";
  if (isHalf && construct->getNumArgs() == 1 &&
      !construct->getArg(0)->HasSideEffects(kernel.context)) {
    Value argument = evaluate(construct->getArg(0));
    const Scalar *scalar = argument.single();
    if (scalar && scalar->isZero()) {
      initialise(object, Scalar::ofBits(APInt()), construct->getType(), placeOf(construct));
      return object;
    }
  }
  if (construct->getNumArgs() == 0 && constructor->isTrivial()) {
    if (construct->requiresZeroInitialization())
      initialise(object, Scalar::ofBits(APInt()), construct->getType(), placeOf(construct));
    return object;
  }
  const FunctionDecl *definition = nullptr;
  if (!constructor->hasBody(definition)) {
    for (const Expr *argument : construct->arguments())
      evaluate(argument);
    if (isCopying())
      failAsSideEffect("calls the constructor of '" + constructor->getParent()->getNameAsString() +
                           "', whose body is not visible",
                       placeOf(construct));
    return object;
  }
  SmallVector<const Expr *, 4> arguments(construct->arg_begin(), construct->arg_end());
  runBody(definition, arguments, object, construct);
  return object;
}

Value Interpreter::addressOf(const Expr *lvalue) {
  lvalue = lvalue->IgnoreParens();
  if (const auto *reference = dyn_cast<DeclRefExpr>(lvalue)) {
    if (const auto *variable = dyn_cast<VarDecl>(reference->getDecl()))
      return addressOfVariable(variable, reference);
    const auto *part = dyn_cast<BindingDecl>(reference->getDecl());
    if (const Expr *bound = part && !part->getHoldingVar() ? part->getBinding() : nullptr)
      return addressOf(bound);
  } else if (const auto *unary = dyn_cast<UnaryOperator>(lvalue)) {
    return unary->getOpcode() == UO_Deref ? evaluate(unary->getSubExpr()) : evaluateUnary(unary);
  } else if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(lvalue)) {
    const Value base = evaluate(subscript->getBase());
    return movePointer(base, evaluate(subscript->getIdx()), subscript->getType(), 1, subscript);
  } else if (const auto *member = dyn_cast<MemberExpr>(lvalue)) {
    if (const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl())) {
      Value place = addressOfField(evaluate(member->getBase()), field);
      return field->getType()->isReferenceType() ? load(place, pointerTo(field), placeOf(member))
                                                 : place;
    }
  } else if (const auto *cast = dyn_cast<CastExpr>(lvalue)) {
    return addressOfCast(cast);
  } else if (const auto *temporary = dyn_cast<MaterializeTemporaryExpr>(lvalue)) {
    const Expr *inner = temporary->getSubExpr();
    Value object = evaluate(inner);
    return inner->getType()->isArrayType() ? object
                                           : copied(object, inner->getType(), placeOf(inner));
  } else if (const auto *binary = dyn_cast<BinaryOperator>(lvalue)) {
    return evaluateBinary(binary);
  } else if (const auto *conditional = dyn_cast<AbstractConditionalOperator>(lvalue)) {
    return evaluateConditional(conditional);
  } else if (const auto *callExpression = dyn_cast<CallExpr>(lvalue)) {
    return call(callExpression);
  } else if (const auto *full = dyn_cast<FullExpr>(lvalue)) {
    return addressOf(full->getSubExpr());
  } else if (lvalue->isPRValue() && lvalue->getType()->isRecordType()) {
    return evaluate(lvalue);
  }
  return Scalar::unknown("has an address made by '" + spell(lvalue) + "'", placeOf(lvalue));
}

Value Interpreter::addressOfCast(const CastExpr *cast) {
  switch (cast->getCastKind()) {
  case CK_NoOp:
  case CK_LValueBitCast: return addressOf(cast->getSubExpr());
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase:
  case CK_BaseToDerived: return baseClassOf(cast, addressOf(cast->getSubExpr()));
  default: return evaluate(cast);
  }
}

/// What a member that is a reference holds.
QualType Interpreter::pointerTo(const FieldDecl *field) const {
  return kernel.context.getPointerType(field->getType().getNonReferenceType());
}

Value Interpreter::addressOfField(const Value &object, const FieldDecl *field) const {
  if (field->isBitField())
    return Scalar::unknown("is a bit-field", {});
  return movedBy(
      object,
      kernel.context.toCharUnitsFromBits(kernel.context.getFieldOffset(field)).getQuantity());
}

unsigned Interpreter::objectOf(const VarDecl *variable) {
  auto [place, isNew] = objects.try_emplace(variable, memory.size());
  if (!isNew)
    return place->second;
  unsigned object = unsigned(memory.size());
  typesOfObjects[object] = variable->getType();
  memory.emplace_back();
  const auto *parameter = dyn_cast<ParmVarDecl>(variable);
  if (!parameter || parameter->getDeclContext() != kernel.path.kernel())
    return object;

  memory[object].forget("is an argument of type '" + parameter->getType().getAsString() + "'",
                        placeOf(parameter->getLocation()));
  if (isOfPack(parameter)) {
    memory[object].forget("is one of the arguments that are all called '" +
                              parameter->getNameAsString() + "'",
                          placeOf(parameter->getLocation()));
    return object;
  }
  describeArgument({parameter, parameter->getNameAsString(), parameter->getType(), 0}, object);
  return object;
}

/// An argument of the kernel, or a member of one: a symbol, or a base that offsets are
/// counted from.
void Interpreter::describeArgument(const ArgumentPart &described, unsigned object) {
  ArgumentPart part = described;
  QualType type = part.type;
  if (part.isHidden && (numberType(type) || type->isPointerType())) {
    part.code = codeOf(part);
    if (part.code.empty())
      return;
  }
  bool isFixed = kernel.facts.changesOf(part.parameter).empty();
  if (std::optional<NumberType> number = numberType(type)) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::Parameter;
    symbol.spelling = part.spelling;
    symbol.code = part.code;
    symbol.range = number->rangeOfAny();
    symbol.isUnsignedLong = number->isUnsignedLong();
    symbol.knownAtLaunch = true;
    symbol.needsCast = type->isScopedEnumeralType();
    symbol.readableAtCopy = isFixed && canName(part.parameter);
    Scalar value = Scalar::ofNumber(Polynomial::symbol(block.symbols.intern(symbol)));
    auto given = kernel.givenArguments.find(part.spelling);
    if (given != kernel.givenArguments.end()) {
      block.need(value.number, {given->second, given->second},
                 placeOf(part.parameter->getLocation()), value.needs);
      block.demand(value.needs);
      value = Scalar::ofNumber(given->second);
    } else if (type->isBooleanType()) {
      value = Scalar::ofTruth(!Condition::zero(value.number));
    }
    memory[object].write(part.offset, sizeOf(type), Condition::always(), value);
  } else if (type->isPointerType()) {
    GlobalBase base;
    base.spelling = part.spelling;
    base.code = part.code;
    base.knownAtLaunch = true;
    base.origin = part.parameter;
    base.originOffset = part.offset;
    base.hasNameAtCopy = canName(part.parameter);
    base.place = placeOf(part.parameter->getLocation());
    unsigned number = baseOf(base, type->getPointeeType(), isFixed);
    memory[object].write(part.offset, 8, Condition::always(),
                         Scalar::ofAddress(Scalar::Space::Global, number, 0));
  } else if (const auto *record = type->getAsCXXRecordDecl()) {
    return describeMembers(record, record, part, object);
  } else if (const ConstantArrayType *array = kernel.context.getAsConstantArrayType(type)) {
    return describeElements(array, part, object);
  } else {
    return;
  }
  arguments.push_back(part);
}

/// Describes each element of an array in an argument, if the array has at most 64 elements. An
/// element of a longer array is looked up where it is used.
void Interpreter::describeElements(const ConstantArrayType *array, const ArgumentPart &part,
                                   unsigned object) {
  constexpr uint64_t most = 64;
  const QualType element = array->getElementType();
  for (uint64_t i = 0; array->getZExtSize() <= most && i < array->getZExtSize(); ++i)
    describeArgument({part.parameter, part.spelling + "[" + std::to_string(i) + "]", element,
                      part.offset + int64_t(i * sizeOf(element)), part.isHidden},
                     object);
}

unsigned Interpreter::baseOf(GlobalBase base, QualType pointee, bool isFixed) {
  base.elementType = pointee.getUnqualifiedType().getAsString();
  base.elementIdentity = identityOf(pointee);
  base.elementSize = pointee->isFunctionType() ? 1 : sizeOf(pointee);
  base.isReadOnly = pointee.isConstQualified() && isFixed;
  base.isSet = !isFixed;
  return block.baseOf(std::move(base));
}

/// How code reads a member that it may not name: by where the member lies in the argument. Empty if
/// the argument or the member's type does not allow that.
std::string Interpreter::codeOf(const ArgumentPart &part) const {
  const QualType whole = part.parameter->getType();
  QualType type = part.type.getCanonicalType().getUnqualifiedType();
  if (const auto *enumeration = type->getAs<EnumType>())
    type = enumeration->getDecl()->getIntegerType().getCanonicalType();
  const bool isBuiltin =
      type->isBuiltinType() || (type->isPointerType() && type->getPointeeType()->isBuiltinType());
  const CXXRecordDecl *pointee = type->isPointerType() ? type->getPointeeCXXRecordDecl() : nullptr;
  const bool isOfAll = pointee && isa<TranslationUnitDecl>(pointee->getDeclContext()) &&
                       pointee->getIdentifier() && !isa<ClassTemplateSpecializationDecl>(pointee);
  const int64_t alignment = kernel.context.getTypeAlignInChars(type).getQuantity();
  const bool isAligned = part.offset % alignment == 0 &&
                         kernel.context.getTypeAlignInChars(whole).getQuantity() % alignment == 0;
  if (!kernel.readsPrivateMembers || !whole.isTriviallyCopyableType(kernel.context) || !isAligned ||
      (!isBuiltin && !isOfAll))
    return "";
  PrintingPolicy policy = kernel.context.getPrintingPolicy();
  policy.SuppressTagKeyword = true;
  return "tilelift::member<" + type.getAsString(policy) + ", " + std::to_string(part.offset) +
         ">(" + part.parameter->getNameAsString() + ")";
}

/// What the launcher may name: public members, those of base classes too. `object` is of the
/// class `whole`, by whose members they are named. What it may not name it finds by its place.
void Interpreter::describeMembers(const CXXRecordDecl *record, const CXXRecordDecl *whole,
                                  const ArgumentPart &part, unsigned object) {
  record = record->getDefinition();
  if (!record || record->isUnion() || record->isDependentType())
    return;
  const ASTRecordLayout &layout = kernel.context.getASTRecordLayout(record);
  for (const CXXBaseSpecifier &base : record->bases())
    if (const auto *own = base.getType()->getAsCXXRecordDecl(); own && !base.isVirtual())
      describeMembers(own, whole,
                      {part.parameter, part.spelling, base.getType(),
                       part.offset + layout.getBaseClassOffset(own).getQuantity(),
                       part.isHidden || base.getAccessSpecifier() != AS_public},
                      object);
  for (const FieldDecl *field : record->fields())
    describeMember(field, whole, part, object);
}

void Interpreter::describeMember(const FieldDecl *field, const CXXRecordDecl *whole,
                                 const ArgumentPart &part, unsigned object) {
  if (!field->getIdentifier() || field->isBitField() || field->getType()->isReferenceType())
    return;
  const auto *record = cast<CXXRecordDecl>(field->getParent());
  const ASTRecordLayout &layout = kernel.context.getASTRecordLayout(record);
  const int64_t offset =
      part.offset +
      kernel.context.toCharUnitsFromBits(layout.getFieldOffset(field->getFieldIndex()))
          .getQuantity();
  const bool isHidden =
      part.isHidden || field->getAccess() != AS_public || !meansField(whole, field);
  const QualType type = field->getType();
  if (isHidden && sizeOf(type) > 0)
    memory[object].write(
        offset, sizeOf(type), Condition::always(),
        Scalar::unknown("is a member that '" + record->getNameAsString() + "' keeps to itself",
                        placeOf(field->getLocation())));
  const std::string of = meansField(whole, field) ? "" : record->getNameAsString() + "::";
  describeArgument(
      {part.parameter, part.spelling + "." + of + field->getNameAsString(), type, offset, isHidden},
      object);
}

/// A variable in global memory, or in constant memory: that one may be looked up in, but
/// no copy starts from it.
unsigned Interpreter::namedMemory(const VarDecl *variable) {
  QualType type = variable->getType();
  std::string name;
  raw_string_ostream out(name);
  PrintingPolicy policy = kernel.context.getPrintingPolicy();
  policy.SuppressUnwrittenScope = true; // of unnamed namespaces
  variable->printQualifiedName(out, policy);
  GlobalBase base;
  const std::string written = kernel.names && !kernel.names->means(variable) ? "::" + name : name;
  base.spelling = type->isArrayType() ? written : "(&" + written + ")";
  base.identity = variable->getCanonicalDecl();
  base.place = placeOf(variable->getLocation());
  base.origin = variable;
  base.isTable = variable->hasAttr<CUDAConstantAttr>();
  base.knownAtLaunch = !base.isTable;
  base.symbol = name;
  base.firstElement = "&" + written;
  for (; const ArrayType *array = kernel.context.getAsArrayType(type);
       type = array->getElementType())
    base.firstElement += "[0]";
  return baseOf(base, base.isTable ? kernel.context.getConstType(type) : type, true);
}

Value Interpreter::addressOfVariable(const VarDecl *variable, const Expr *reference) {
  if (variable->hasAttr<CUDASharedAttr>()) {
    auto isIts = [&](const SharedObject &object) {
      const auto *own = static_cast<const VarDecl *>(object.declaration);
      return own && own->getCanonicalDecl() == variable->getCanonicalDecl();
    };
    unsigned index = unsigned(llvm::find_if(block.shared, isIts) - block.shared.begin());
    if (index == block.shared.size()) {
      SharedObject object;
      // Kernels may declare the same dynamic memory each for itself.
      object.declaration = variable;
      object.name = variable->getNameAsString();
      bool isDynamic = variable->getType()->isIncompleteType();
      object.bytes = isDynamic
                         ? largest_shared_memory
                         : kernel.context.getTypeSizeInChars(variable->getType()).getQuantity();
      block.shared.push_back(std::move(object));
    }
    return Scalar::ofAddress(Scalar::Space::Shared, index, 0);
  }
  if (isa<VarTemplateSpecializationDecl>(variable))
    return Scalar::unknown("is a specialization of the variable template '" +
                               variable->getNameAsString() + "'",
                           placeOf(reference));
  if (isHidden(variable))
    return Scalar::unknown("is a member that its class keeps to itself", placeOf(reference));
  if (!variable->hasLocalStorage() &&
      (variable->hasAttr<CUDAConstantAttr>() || variable->hasAttr<CUDADeviceAttr>()))
    return Scalar::ofAddress(Scalar::Space::Global, namedMemory(variable), 0);
  const CXXRecordDecl *record =
      kernel.context.getBaseElementType(variable->getType())->getAsCXXRecordDecl();
  if (variable->isStaticLocal() && record && record->hasDefinition() &&
      !record
           ->hasTrivialDefaultConstructor()) // Clang takes no other static objects (SharedObjects)
    return Scalar::unknown("is the shared object '" + variable->getNameAsString() +
                               "', whose class '" + record->getNameAsString() +
                               "' has a constructor",
                           placeOf(reference));
  if (!variable->hasLocalStorage())
    return Scalar::unknown("is the global variable '" + variable->getNameAsString() + "'",
                           placeOf(reference));
  const auto *owner = dyn_cast<FunctionDecl>(variable->getDeclContext());
  if (owner && !owner->hasAttr<CUDADeviceAttr>() && !owner->hasAttr<CUDAGlobalAttr>())
    return Scalar::unknown("is captured in '" + owner->getNameAsString() +
                               "' by a lambda that the kernel gets as an argument",
                           placeOf(reference));
  bool isReference = variable->getType()->isReferenceType();
  if (kernel.facts.escapes(variable) && !isReference && !followed.contains(variable))
    return Scalar::unknown("depends on '" + nameOf(*variable) + "', which " +
                               kernel.facts.describeEscape(variable),
                           placeOf(variable->getLocation()));
  Value address = Scalar::ofAddress(Scalar::Space::Local, objectOf(variable), 0);
  if (kernel.facts.isCopiedByLambda(variable))
    return Scalar::unknown("is a reference of which a lambda captures what it leads to",
                           placeOf(variable->getLocation()));
  if (isReference)
    return memory[objectOf(variable)].read(0, 8, placeOf(reference));
  return address;
}

} // namespace tilelift
