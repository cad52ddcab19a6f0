//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers and pointers that have a name where the copy stands, with what they are worth:
// the code that is written there may use them.
//===----------------------------------------------------------------------===//

#include "interpreter/Interpreter.h"

#include "clang/AST/RecordLayout.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
void Interpreter::addNumber(const std::string &name, QualType type, const Value &value,
                            NamesInScope &names) {
  std::optional<NumberType> number = numberType(type);
  if (!number || !value.single())
    return;
  const Scalar &single = *value.single();
  std::optional<Polynomial> flag =
      single.is(Scalar::Kind::Truth) ? flagOf(single.truth, block.symbols) : std::nullopt;
  Scalar scalar = flag ? Scalar::ofNumber(*flag) : asNumber(single, type, {});
  if (!scalar.is(Scalar::Kind::Number))
    return;
  // A name is worth a requirement, unless a halo's start would break it.
  bool breaksAtStart = llvm::any_of(scalar.needs, [&](unsigned need) {
    return !block.holdsAlways(need) && block.needs[need].within.low >= 0;
  });
  if (breaksAtStart)
    return;
  block.demand(scalar.needs);
  // An unsigned variable holds a residue, which is the number only in range; one of 64 bits is
  // converted to a signed one.
  if (!number->isSigned && !number->isUnsignedLong() &&
      !number->range().contains(block.symbols.rangeOf(scalar.number)))
    return;
  bool isInt = number->isSigned && number->bits == 32;
  names.numbers.push_back({name, scalar.number, isInt});
}

void Interpreter::addPointer(const std::string &name, QualType type, const Value &value,
                             NamesInScope &names) {
  QualType pointee = type->getPointeeType();
  if (!value.single() || pointee.isVolatileQualified())
    return;
  Scalar address = asAddress(*value.single(), pointee, {});
  if (!address.is(Scalar::Kind::Address))
    return;
  const bool isReadOnly = pointee.isConstQualified() || address.space == Scalar::Space::Global;
  std::string typed =
      pointee->isVoidType()
          ? std::string("static_cast<") + (isReadOnly ? "const " : "") + "char *>(" + name + ")"
          : name;
  auto add = [&](const std::string &text, QualType element) {
    NamedPointer pointer{text, address.object, address.number, sizeOf(element), address.needs};
    if (address.space == Scalar::Space::Global)
      names.pointers.push_back(std::move(pointer));
    else if (address.space == Scalar::Space::Shared)
      names.intoShared.push_back(std::move(pointer));
  };
  add(typed, pointee);
  if (!pointee->isArrayType())
    return;
  std::string first = "&" + name + "[0]";
  for (QualType at = pointee; at->isArrayType();
       at = kernel.context.getAsArrayType(at)->getElementType())
    first += "[0]";
  add(first, kernel.context.getBaseElementType(pointee));
}

void Interpreter::addName(const std::string &name, QualType type, const Value &value,
                          NamesInScope &names) {
  if (type->isPointerType())
    addPointer(name, type, value, names);
  else
    addNumber(name, type, value, names);
}

/// A variable or, of a struct, its public members.
void Interpreter::addObject(const std::string &name, QualType type, const Value &address,
                            NamesInScope &names) {
  if (type->isArrayType()) {
    std::string element = "&" + name;
    for (QualType at = type; at->isArrayType();
         at = kernel.context.getAsArrayType(at)->getElementType())
      element += "[0]";
    addPointer(element, kernel.context.getPointerType(kernel.context.getBaseElementType(type)),
               address, names);
  } else if (numberType(type) || type->isPointerType()) {
    addName(name, type, load(address, type, {}), names);
  } else if (const auto *record = type->getAsCXXRecordDecl()) {
    addMembers(name + ".", record, record, address, false, names);
  }
}

/// `isOwn` for those of the method's own object, whose private ones it may use, too. The names are
/// looked up in the class `whole`.
void Interpreter::addMembers(const std::string &prefix, const CXXRecordDecl *record,
                             const CXXRecordDecl *whole, const Value &address, bool isOwn,
                             NamesInScope &names) {
  for (const FieldDecl *field : record->fields()) {
    // Numbers and pointers in a union may be bytes of another member, so they get no name.
    if (record->isUnion() && !field->getType()->isArrayType() && !field->getType()->isRecordType())
      continue;
    bool hasName = field->getIdentifier() && !field->isBitField() && meansField(whole, field);
    bool isSeen = field->getAccess() == AS_public ||
                  (isOwn && (record == whole || field->getAccess() == AS_protected));
    if (!hasName || !isSeen)
      continue;
    Value member = addressOfField(address, field);
    addObject(prefix + field->getNameAsString(), field->getType().getNonReferenceType(),
              field->getType()->isReferenceType()
                  ? load(member,
                         kernel.context.getPointerType(field->getType().getNonReferenceType()), {})
                  : member,
              names);
  }
  const ASTRecordLayout &layout = kernel.context.getASTRecordLayout(record);
  for (const CXXBaseSpecifier &base : record->bases())
    if (const auto *own = base.getType()->getAsCXXRecordDecl();
        own && !base.isVirtual() && (base.getAccessSpecifier() == AS_public || record == whole) &&
        (base.getAccessSpecifier() == AS_public || isOwn))
      addMembers(prefix, own, whole, movedBy(address, layout.getBaseClassOffset(own).getQuantity()),
                 isOwn, names);
}

/// The variables and parameters that can be named at this place, the innermost one for each name.
std::vector<const VarDecl *> Interpreter::visibleVariables() const {
  std::vector<const VarDecl *> visible;
  llvm::DenseSet<IdentifierInfo *> seen; // the innermost declaration of a name is meant
  auto take = [&](const VarDecl *variable) {
    if (variable->getIdentifier() && objects.count(variable) && canName(variable) &&
        seen.insert(variable->getIdentifier()).second && !kernel.facts.escapes(variable))
      visible.push_back(variable);
  };
  for (const VarDecl *variable : llvm::reverse(scope))
    take(variable);
  for (const FunctionDecl *function : llvm::reverse(kernel.path.getFunctions()))
    for (const ParmVarDecl *parameter : function->parameters())
      take(parameter);
  return visible;
}

/// The class of the object that `this` points to in a function; null where there is no `this`.
static const CXXRecordDecl *classOfThis(const FunctionDecl *function) {
  const auto *method = dyn_cast<CXXMethodDecl>(function);
  if (!method || !method->isInstance())
    return nullptr;
  if (!isLambda(method))
    return method->getParent();
  llvm::DenseMap<const ValueDecl *, FieldDecl *> captures;
  FieldDecl *captured = nullptr;
  method->getParent()->getCaptureFields(captures, captured);
  return captured ? captured->getType()->getPointeeCXXRecordDecl() : nullptr;
}

NamesInScope Interpreter::namesInScope() {
  NamesInScope names;
  llvm::DenseSet<const ParmVarDecl *> ofKernel;
  for (const VarDecl *variable : visibleVariables()) {
    const std::string name = variable->getNameAsString();
    const QualType type = variable->getType();
    const auto *parameter = dyn_cast<ParmVarDecl>(variable);
    if (parameter && parameter->getDeclContext() == kernel.path.kernel()) {
      ofKernel.insert(parameter);
    } else if (parameter) {
      unsigned object = objectOf(parameter);
      addObject(name, type.getNonReferenceType(),
                type->isReferenceType() ? memory[object].read(0, 8, {})
                                        : Value(Scalar::ofAddress(Scalar::Space::Local, object, 0)),
                names);
    } else if (numberType(type) || type->isPointerType()) {
      addName(name, type, memory[objectOf(variable)].read(0, sizeOf(type), {}), names);
    }
  }
  if (const CXXRecordDecl *record = classOfThis(kernel.path.end()))
    addMembers("this->", record, record, frames.back().self, true, names);
  for (const ArgumentPart &part : arguments)
    if (ofKernel.contains(part.parameter))
      addName(part.isHidden ? part.code : part.spelling, part.type,
              memory[objectOf(part.parameter)].read(part.offset, sizeOf(part.type), {}), names);
  return names;
}

} // namespace tilelift
