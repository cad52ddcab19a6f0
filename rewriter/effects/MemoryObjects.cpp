//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "effects/MemoryObjects.h"

#include "effects/Assembly.h"
#include "effects/Escapes.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

constexpr unsigned anythingNumber = 0, fromHostNumber = 1, outputNumber = 2;

/// The pointer that lies in an object at some place, if one does.
QualType pointerAt(QualType type, uint64_t offset, const ASTContext &context) {
  if (type->isPointerType() || type->isReferenceType()) // as declared: its target may be an alias
    return offset == 0 ? type : QualType();
  if (const auto *array = context.getAsConstantArrayType(type)) {
    uint64_t size = uint64_t(context.getTypeSizeInChars(array->getElementType()).getQuantity());
    return size == 0 ? QualType() : pointerAt(array->getElementType(), offset % size, context);
  }
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || record->isUnion())
    return QualType();
  const ASTRecordLayout &layout = context.getASTRecordLayout(record);
  auto within = [&](QualType part, uint64_t begin) {
    uint64_t size = uint64_t(context.getTypeSizeInChars(part).getQuantity());
    return begin <= offset && offset < begin + size ? pointerAt(part, offset - begin, context)
                                                    : QualType();
  };
  for (const CXXBaseSpecifier &base : record->bases())
    if (const CXXRecordDecl *part = base.getType()->getAsCXXRecordDecl(); part && !base.isVirtual())
      if (QualType found =
              within(base.getType(), uint64_t(layout.getBaseClassOffset(part).getQuantity()));
          !found.isNull())
        return found;
  for (const FieldDecl *field : record->fields())
    if (QualType found = within(field->getType(), layout.getFieldOffset(field->getFieldIndex()) /
                                                      uint64_t(context.getCharWidth()));
        !found.isNull())
      return found;
  return QualType();
}

/// Whether the program says of a type that its objects may be of any other type, too.
bool mayAlias(QualType type) {
  for (const auto *alias = type->getAs<TypedefType>(); alias;
       alias = alias->desugar()->getAs<TypedefType>())
    if (alias->getDecl()->hasAttr<MayAliasAttr>())
      return true;
  const TagDecl *tag = type->getAsTagDecl();
  return tag && tag->hasAttr<MayAliasAttr>();
}

/// Numbers of one kind, which memory holds as such: neither bytes nor objects.
bool isPlainNumber(QualType type) {
  if (type.isNull() || !type->isScalarType() || type->isCharType() || type->isStdByteType() ||
      mayAlias(type))
    return false;
  const auto *enumeration = type->getAs<EnumType>();
  return !enumeration || isPlainNumber(enumeration->getDecl()->getIntegerType());
}

/// Whether an access reads or writes numbers of the element's type: one of them or a vector.
bool isMadeAs(QualType element, const llvm::Type &accessed, const ASTContext &context) {
  const llvm::Type &one = *accessed.getScalarType();
  if (element->isPointerType())
    return one.isPointerTy();
  return one.getPrimitiveSizeInBits() == context.getTypeSize(element) &&
         (element->isFloatingType() ? one.isFloatingPointTy() : one.isIntegerTy());
}

} // namespace

/// Follows one address back.
class AddressReader {
public:
  explicit AddressReader(Memory &memory) : memory(memory) {}

  ObjectSet run(const Value *address) {
    work.push_back(address);
    while (!work.empty())
      if (const Value *next = work.pop_back_val(); seen.insert(next).second)
        follow(*next);
    if (isUnknown)
      found.add(memory.anything());
    return std::move(found);
  }

private:
  void follow(const Value &value);
  void followInstruction(const Instruction &instruction);
  void followLoad(const LoadInst &load);
  bool followConstant(const Value &memory);
  void followLocal(const Value &local);
  void followCall(const CallBase &call);
  void followArgument(const llvm::Argument &argument, std::optional<uint64_t> offset);
  void followOperands(const User &user) {
    for (const Use &operand : user.operands())
      work.push_back(operand.get());
  }

  Memory &memory;
  ObjectSet found;
  bool isUnknown = false;
  SmallVector<const Value *, 16> work;
  SmallPtrSet<const Value *, 16> seen;
};

void AddressReader::follow(const Value &value) {
  if (isa<GlobalVariable>(value)) {
    auto number = memory.variables.find(&value);
    if (number != memory.variables.end())
      found.add(number->second);
    return;
  }
  if (const auto *argument = dyn_cast<llvm::Argument>(&value))
    return followArgument(*argument, std::nullopt);
  if (const auto *element = dyn_cast<GEPOperator>(&value)) {
    work.push_back(element->getPointerOperand());
    return;
  }
  if (isa<llvm::ConstantExpr, ConstantAggregate>(value))
    return followOperands(cast<Constant>(value));
  if (isa<Constant>(value) || isa<AllocaInst>(value))
    return;
  if (const auto *instruction = dyn_cast<Instruction>(&value))
    return followInstruction(*instruction);
  isUnknown = true;
}

void AddressReader::followInstruction(const Instruction &instruction) {
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return followLoad(*load);
  if (const auto *call = dyn_cast<CallBase>(&instruction))
    return followCall(*call);
  if (const auto *select = dyn_cast<SelectInst>(&instruction)) {
    work.push_back(select->getTrueValue());
    work.push_back(select->getFalseValue());
    return;
  }
  if (isa<ICmpInst, FCmpInst>(instruction))
    return;
  if (isa<CastInst, llvm::BinaryOperator, PHINode, FreezeInst, ExtractValueInst, InsertValueInst,
          ExtractElementInst, InsertElementInst, ShuffleVectorInst>(instruction))
    return followOperands(instruction);
  isUnknown = true;
}

/// What a pointer was passed, or lies in an object that was; of numbers, the host knows.
void AddressReader::followArgument(const llvm::Argument &argument, std::optional<uint64_t> offset) {
  const FunctionDecl *kernel = memory.declaration;
  bool isDeclared = memory.kernel.arg_size() == kernel->getNumParams();
  const ParmVarDecl *parameter = isDeclared ? kernel->getParamDecl(argument.getArgNo()) : nullptr;
  if (!parameter) {
    isUnknown = true;
    return;
  }
  bool isObject = argument.hasByValAttr();
  if (isObject && !offset) // the object itself, which is the thread's own
    return;
  QualType pointer = isObject ? pointerAt(parameter->getType(), *offset, kernel->getASTContext())
                              : parameter->getType();
  if (pointer.isNull() || !(pointer->isPointerType() || pointer->isReferenceType())) {
    found.add(fromHostNumber);
    return;
  }
  found.add(memory.number({MemoryObject::Kind::Argument, parameter, offset.value_or(0),
                           pointer->getPointeeType(), pointer.isRestrictQualified()}));
}

void AddressReader::followLoad(const LoadInst &load) {
  const DataLayout &layout = memory.kernel.getDataLayout();
  APInt offset(layout.getIndexTypeSizeInBits(load.getPointerOperandType()), 0);
  const Value *base = load.getPointerOperand()->stripAndAccumulateConstantOffsets(
      layout, offset, /*AllowNonInbounds=*/true);
  const Value *object = getUnderlyingObject(base, 0);
  if (const auto *argument = dyn_cast<llvm::Argument>(object);
      argument && argument->hasByValAttr() && memory.isOnlyRead(*argument)) {
    if (base == object)
      return followArgument(*argument, offset.getZExtValue());
    found.add(fromHostNumber);
    return;
  }
  if (isa<AllocaInst>(object) && isPrivate(object))
    return followLocal(*object);
  if (!followConstant(*object))
    isUnknown = true;
}

/// What lies in a constant: what it was made with, or what the host has put there.
bool AddressReader::followConstant(const Value &memory) {
  const auto *variable = dyn_cast<GlobalVariable>(&memory);
  bool isConstant = variable && (variable->isConstant() ||
                                 variable->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_CONST);
  if (!isConstant)
    return false;
  if (variable->hasInitializer())
    work.push_back(variable->getInitializer());
  if (!variable->hasDefinitiveInitializer() || variable->isExternallyInitialized())
    found.add(fromHostNumber);
  return true;
}

/// All that was stored there, wherever in it.
void AddressReader::followLocal(const Value &local) {
  if (!seen.insert(&local).second)
    return;
  forEachStoreTo(&local, [&](const Instruction &instruction) {
    if (const auto *store = dyn_cast<StoreInst>(&instruction)) {
      // A number that is large enough may be an address, whatever its type.
      const llvm::Type *type = store->getValueOperand()->getType();
      const bool isSmall = type->isFloatTy() || type->isHalfTy() || type->isBFloatTy();
      if (!isSmall)
        work.push_back(store->getValueOperand());
      return;
    }
    const Value *from = getUnderlyingObject(cast<MemTransferInst>(instruction).getRawSource(), 0);
    const auto *argument = dyn_cast<llvm::Argument>(from);
    if (isa<AllocaInst>(from) && isPrivate(from))
      followLocal(*from);
    else if (argument && argument->hasByValAttr() && memory.isOnlyRead(*argument))
      found.add(fromHostNumber);
    else if (!followConstant(*from))
      isUnknown = true;
  });
}

void AddressReader::followCall(const CallBase &call) {
  if (const auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand())) {
    AssemblyEffect effect = effectOfAssembly(assembly->getAsmString());
    bool loads =
        llvm::any_of(effect.accesses, [](const AssemblyAccess &access) { return access.reads; });
    isUnknown |= effect.isUnknown || loads;
  } else if (!isa<IntrinsicInst>(call) || !call.doesNotAccessMemory()) {
    isUnknown |= !call.onlyAccessesInaccessibleMemory();
  }
  for (const Use &argument : call.args())
    work.push_back(argument.get());
}

/// Whether a function, or one that it calls, makes objects in memory that it has: what lies there
/// has another type from then on.
static bool placesObjects(const Stmt *part, SmallPtrSetImpl<const FunctionDecl *> &seen) {
  if (!part)
    return false;
  const auto *made = dyn_cast<CXXNewExpr>(part);
  if (made && made->getNumPlacementArgs() > 0)
    return true;
  const FunctionDecl *callee = nullptr;
  if (const auto *call = dyn_cast<CallExpr>(part))
    callee = call->getDirectCallee();
  else if (const auto *object = dyn_cast<CXXConstructExpr>(part))
    callee = object->getConstructor();
  const FunctionDecl *body = nullptr;
  if (callee && callee->hasBody(body) && seen.insert(body).second &&
      placesObjects(body->getBody(), seen))
    return true;
  return llvm::any_of(part->children(),
                      [&](const Stmt *child) { return placesObjects(child, seen); });
}

static bool placesObjects(const FunctionDecl *function) {
  SmallPtrSet<const FunctionDecl *, 16> seen;
  return placesObjects(function->getBody(), seen);
}

Memory::Memory(const FunctionDecl *declaration, const Function &kernel, DeviceCode &code,
               bool typesTellApart)
    : declaration(declaration),
      kernel(kernel),
      code(code),
      typesTellApart(typesTellApart && !placesObjects(declaration)) {
  objects.push_back({MemoryObject::Kind::Anything});
  objects.push_back({MemoryObject::Kind::FromHost});
  objects.push_back({MemoryObject::Kind::Output});
  findObjects();
  findArguments();
  findRetyped();
}

unsigned Memory::number(MemoryObject object) {
  auto known = llvm::find_if(objects, [&](const MemoryObject &other) {
    return other.kind == object.kind && other.declaration == object.declaration &&
           other.offset == object.offset;
  });
  if (known == objects.end()) {
    objects.push_back(object);
    return unsigned(objects.size() - 1);
  }
  return unsigned(known - objects.begin());
}

/// Finds the variables of the module, and which of their addresses escape.
void Memory::findObjects() {
  ASTContext &context = declaration->getASTContext();
  for (const GlobalVariable &variable : kernel.getParent()->globals()) {
    bool isConstant =
        variable.isConstant() || variable.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_CONST;
    if (isConstant)
      continue;
    MemoryObject object;
    object.declaration = code.variableOf(variable);
    bool isShared = variable.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED;
    bool isDynamic = isShared && variable.isDeclaration();
    object.kind = isDynamic  ? MemoryObject::Kind::Dynamic
                  : isShared ? MemoryObject::Kind::Shared
                             : MemoryObject::Kind::Variable;
    if (isDynamic)
      object.declaration = nullptr; // whatever it is called
    else if (object.declaration)
      object.element = context.getBaseElementType(object.declaration->getType());
    unsigned own = isDynamic || object.declaration ? number(object) : unsigned(objects.size());
    if (own == objects.size())
      objects.push_back(object);
    variables[&variable] = own;
    if (isKeptIn(kernel, &variable))
      kept.add(own);
  }
}

bool Memory::isOnlyRead(const llvm::Argument &argument) const {
  bool isStoredTo = false;
  forEachStoreTo(&argument, [&](const Instruction &) { isStoredTo = true; });
  return isPrivate(&argument) && !isStoredTo;
}

/// Finds the pointers that the host passes and that escape.
void Memory::findArguments() {
  auto note = [&](const Value *pointer) {
    ObjectSet objects = AddressReader(*this).run(pointer);
    if (isKeptIn(kernel, pointer))
      kept.add(objects);
  };
  for (const llvm::Argument &argument : kernel.args())
    if (argument.getType()->isPointerTy() && !argument.hasByValAttr())
      note(&argument);
  for (const Instruction &instruction : instructions(kernel))
    if (const auto *load = dyn_cast<LoadInst>(&instruction))
      if (const auto *from =
              dyn_cast<llvm::Argument>(getUnderlyingObject(load->getPointerOperand(), 0));
          from && from->hasByValAttr() &&
          (load->getType()->isPointerTy() || load->getType()->isIntegerTy(64) ||
           load->getType()->isDoubleTy()))
        note(load);
  // A copy of an object of the thread's own may have pointers of those that the host passes.
  for (const Instruction &instruction : instructions(kernel))
    if (const auto *copy = dyn_cast<MemTransferInst>(&instruction)) {
      const Value *from = getUnderlyingObject(copy->getRawSource(), 0);
      const auto *argument = dyn_cast<llvm::Argument>(from);
      const bool isOwn = isa<AllocaInst>(from) || (argument && argument->hasByValAttr());
      const Value *to = getUnderlyingObject(copy->getRawDest(), 0);
      keepsObjects |= isOwn && !(isa<AllocaInst>(to) && isPrivate(to));
    }
  // Of a pointer that is read from such a copy, nobody knows which it is.
  for (const Instruction &instruction : instructions(kernel))
    if (const auto *load = dyn_cast<LoadInst>(&instruction);
        load && isa<AllocaInst>(getUnderlyingObject(load->getPointerOperand(), 0)) &&
        (load->getType()->isPointerTy() || load->getType()->isIntegerTy(64) ||
         load->getType()->isDoubleTy()))
      keepsObjects |= isKeptIn(kernel, load);
  keepsObjects |= kept.has(fromHostNumber); // chosen by a number
}

/// Inline assembly may access memory, even where it does not tell the compiler so.
static bool isAssembly(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  return call && call->isInlineAsm();
}

/// Finds the pointers whose declared element type says nothing of the memory behind them, because
/// some access through them is of another type: after a cast, as bytes, or in inline assembly.
void Memory::findRetyped() {
  const ASTContext &context = declaration->getASTContext();
  auto access = [&](const Value *address, const llvm::Type *type) {
    const ObjectSet found = pointedToBy(address);
    if (found.isAll())
      return;
    for (unsigned object : found.numbers()) {
      const QualType element = objects[object].element;
      if (isPlainNumber(element) && !(type && isMadeAs(element, *type, context)))
        retyped.add(object);
    }
  };
  for (const Instruction &instruction : instructions(kernel)) {
    if (const Value *address = getLoadStorePointerOperand(&instruction))
      access(address, isOfBytes(instruction) ? nullptr : getLoadStoreType(&instruction));
    else if (const auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
      access(atomic->getPointerOperand(), atomic->getType());
    else if (instruction.mayReadOrWriteMemory() || isAssembly(instruction))
      for (const Use &operand : instruction.operands())
        if (operand->getType()->isPointerTy() || operand->getType()->isIntegerTy(64))
          access(operand.get(), nullptr);
  }
}

ObjectSet Memory::pointedToBy(const Value *address) {
  auto [place, isNew] = known.try_emplace(address);
  if (!isNew)
    return place->second;
  ObjectSet found = AddressReader(*this).run(address);
  known[address] = found;
  return found;
}

ObjectSet Memory::anything() const {
  ObjectSet all;
  all.add(anythingNumber);
  for (unsigned i = 0; i < objects.size(); ++i)
    if (objects[i].isShared() && kept.has(i))
      all.add(i);
  return all;
}

ObjectSet Memory::allShared() const {
  ObjectSet all;
  for (unsigned i = 0; i < objects.size(); ++i)
    if (objects[i].isShared())
      all.add(i);
  return all;
}

ObjectSet Memory::output() const {
  ObjectSet printed;
  printed.add(outputNumber);
  return printed;
}

bool Memory::mayBeOneType(unsigned a, unsigned b) const {
  QualType first = objects[a].element, second = objects[b].element;
  if (!typesTellApart || !isPlainNumber(first) || !isPlainNumber(second) || retyped.has(a) ||
      retyped.has(b))
    return true;
  return declaration->getASTContext().hasSimilarType(first.getUnqualifiedType(),
                                                     second.getUnqualifiedType()) ||
         (first->isIntegralOrEnumerationType() && second->isIntegralOrEnumerationType());
}

bool Memory::mayMeet(unsigned a, unsigned b) const {
  if (a == b)
    return true;
  using Kind = MemoryObject::Kind;
  const MemoryObject &first = objects[a], &second = objects[b];
  if (first.isShared() || second.isShared()) // by their names; kept ones are named as well
    return false;
  if (first.kind == Kind::Output || second.kind == Kind::Output)
    return false;
  if (first.kind == Kind::Variable && second.kind == Kind::Variable)
    return false;
  auto isApart = [&](unsigned own, const MemoryObject &other) {
    const MemoryObject &object = objects[own];
    const bool isOfObject = object.kind == Kind::Argument && object.declaration &&
                            !object.declaration->getType()->isPointerType() &&
                            !object.declaration->getType()->isReferenceType();
    const bool isKept = kept.has(own) || (isOfObject && keepsObjects);
    // What is read at a place in an object that is not known may be this very pointer.
    return object.isRestrict && !(other.kind == Kind::Anything && isKept) &&
           !(other.kind == Kind::FromHost && isOfObject);
  };
  return !isApart(a, second) && !isApart(b, first) && mayBeOneType(a, b);
}

bool Memory::mayMeet(const ObjectSet &a, const ObjectSet &b) const {
  if (a.isAll() || b.isAll())
    return !a.empty() && !b.empty();
  SmallVector<unsigned, 4> others = b.numbers();
  return llvm::any_of(a.numbers(), [&](unsigned own) {
    return llvm::any_of(others, [&](unsigned other) { return mayMeet(own, other); });
  });
}

static bool isNamedIn(const Function &kernel, const User *user) {
  const auto *instruction = dyn_cast<Instruction>(user);
  return instruction ? instruction->getFunction() == &kernel
                     : llvm::any_of(user->users(),
                                    [&](const User *outer) { return isNamedIn(kernel, outer); });
}

std::vector<SharedArray> Memory::sharedArrays() const {
  std::vector<SharedArray> arrays;
  const DataLayout &layout = kernel.getParent()->getDataLayout();
  for (const GlobalVariable &variable : kernel.getParent()->globals()) {
    const uint64_t bytes = variable.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED
                               ? layout.getTypeAllocSize(variable.getValueType()).getFixedValue()
                               : 0;
    if (bytes != 0 &&
        llvm::any_of(variable.users(), [&](const User *user) { return isNamedIn(kernel, user); }))
      arrays.push_back({code.variableOf(variable), bytes});
  }
  return arrays;
}

std::optional<unsigned> Memory::find(const VarDecl *variable) const {
  bool isDynamic = variable->getType()->isIncompleteArrayType();
  for (unsigned i = 0; i < objects.size(); ++i) {
    const MemoryObject &object = objects[i];
    if (isDynamic ? object.kind == MemoryObject::Kind::Dynamic
                  : object.declaration && object.kind != MemoryObject::Kind::Argument &&
                        object.declaration->getCanonicalDecl() == variable->getCanonicalDecl())
      return i;
  }
  return std::nullopt;
}

} // namespace tilelift
