//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "effects/ElementUses.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace tilelift {
namespace {

/// An address in the array.
struct Address {
  const Value *value = nullptr;
  /// What lies there: the array, a row, an element.
  Type *type = nullptr;
  /// How many subscripts are still to come.
  unsigned subscripts = 0;
  /// What leads to the element that it was made of.
  const Value *element = nullptr;
  /// Bytes past the first one of the element, at most.
  uint64_t offset = 0;
};

/// So many bytes of an element and of what lies behind it.
struct Access {
  const Value *element = nullptr;
  uint64_t begin = 0, end = 0, elementBytes = 0;
  Align alignment;
  const Instruction *instruction = nullptr;

  bool isWithinElement() const { return end <= elementBytes; }
};

class UseWalk {
public:
  UseWalk(const GlobalVariable &array, const Function &function,
          function_ref<bool(const Instruction &)> isExcepted,
          function_ref<uint64_t(const Instruction &)> alignedAt)
      : layout(array.getDataLayout()),
        function(function),
        isExcepted(isExcepted),
        alignedAt(alignedAt) {}

  ElementUses run(Address start) {
    push(start);
    while (!work.empty() && !result.other) {
      Address address = work.pop_back_val();
      for (const Use &use : address.value->uses())
        follow(address, use);
    }
    for (const Access &access : accesses)
      judge(access);
    return result;
  }

private:
  void push(Address address) {
    if (seen.insert(address.value).second)
      work.push_back(address);
  }
  void follow(const Address &address, const Use &use);
  bool followElement(Address address, const GEPOperator &step);
  bool isAccess(const Address &address, const Use &use, const Instruction &user);
  bool take(const Address &address, uint64_t bytes, Align alignment, const Instruction &user) {
    Type *type = address.type;
    for (unsigned i = 0; i < address.subscripts; ++i) // the array itself is its first element
      type = cast<ArrayType>(type)->getElementType();
    accesses.push_back({address.element ? address.element : address.value, address.offset,
                        address.offset + bytes, layout.getTypeAllocSize(type).getFixedValue(),
                        alignment, &user});
    return true;
  }
  void judge(const Access &access);

  const DataLayout &layout;
  const Function &function;
  function_ref<bool(const Instruction &)> isExcepted;
  function_ref<uint64_t(const Instruction &)> alignedAt;
  SmallVector<Address, 16> work;
  SmallPtrSet<const Value *, 16> seen;
  std::vector<Access> accesses;
  ElementUses result;
};

/// What lies behind an element is of the same 16 bytes, say, if the type by which it is accessed,
/// or some other access to it, tells that the element starts on 16.
void UseWalk::judge(const Access &access) {
  uint64_t bytes = access.isWithinElement() ? access.elementBytes : PowerOf2Ceil(access.end);
  const auto *element = dyn_cast<Instruction>(access.element);
  auto tellsSo = [&](const Access &other) {
    return other.element == access.element && other.begin == 0 &&
           other.alignment.value() >= bytes &&
           other.instruction->getParent() == access.instruction->getParent();
  };
  bool isAligned = access.isWithinElement() || (element && alignedAt(*element) >= bytes) ||
                   alignedAt(*access.instruction) >= bytes || llvm::any_of(accesses, tellsSo);
  if (isAligned)
    result.widest = std::max(result.widest, bytes);
  else if (!result.other)
    result.other = access.instruction;
}

/// The address of a part; false if it is not known to be one of the same element.
bool UseWalk::followElement(Address address, const GEPOperator &step) {
  const Value *before = std::exchange(address.value, &step);
  auto isZero = [](const Value *index) {
    const auto *number = dyn_cast<ConstantInt>(index);
    return number && number->isZero();
  };
  // Subscripts that are zero leave no trace.
  while (address.subscripts > 0 && step.getSourceElementType() != address.type) {
    address.type = cast<ArrayType>(address.type)->getElementType();
    --address.subscripts;
  }
  if (address.subscripts > 0) {
    if (!isZero(step.getOperand(1)) || step.getNumIndices() > address.subscripts + 1)
      return false;
    address.subscripts -= step.getNumIndices() - 1;
    address.type = step.getResultElementType();
    push(address);
    return true;
  }
  if (!address.element)
    address.element = before;
  // In an element all indices stay within what the types say.
  APInt bytes(layout.getIndexTypeSizeInBits(step.getType()), 0);
  bool isConstant = step.accumulateConstantOffset(layout, bytes);
  if (isConstant && bytes.isNonNegative()) {
    address.offset += bytes.getZExtValue();
  } else if (!isConstant && isZero(step.getOperand(1))) {
    Type *part = step.getSourceElementType();
    for (const Use &index : llvm::drop_begin(step.indices())) {
      if (auto *record = dyn_cast<StructType>(part)) {
        unsigned field = unsigned(cast<ConstantInt>(index)->getZExtValue());
        address.offset += layout.getStructLayout(record)->getElementOffset(field);
        part = record->getElementType(field);
      } else if (auto *elements = dyn_cast<ArrayType>(part);
                 elements && elements->getNumElements() > 0) {
        part = elements->getElementType();
        address.offset +=
            (elements->getNumElements() - 1) * layout.getTypeAllocSize(part).getFixedValue();
      } else {
        return false;
      }
    }
  } else {
    return false;
  }
  push(address);
  return true;
}

Align alignmentOf(const MemIntrinsic &block, const Use &use) {
  const auto *transfer = dyn_cast<MemTransferInst>(&block);
  bool isSource = transfer && &transfer->getRawSourceUse() == &use;
  return (isSource ? transfer->getSourceAlign() : block.getDestAlign()).valueOrOne();
}

bool UseWalk::isAccess(const Address &address, const Use &use, const Instruction &user) {
  auto sizeOf = [&](const Value *value) {
    return layout.getTypeStoreSize(value->getType()).getFixedValue();
  };
  if (isa<LoadInst>(user))
    return take(address, sizeOf(&user), cast<LoadInst>(user).getAlign(), user);
  if (const auto *store = dyn_cast<StoreInst>(&user))
    return store->getPointerOperand() == use.get() && store->getValueOperand() != use.get() &&
           take(address, sizeOf(store->getValueOperand()), store->getAlign(), user);
  if (const auto *update = dyn_cast<AtomicRMWInst>(&user))
    return update->getPointerOperand() == use.get() &&
           take(address, sizeOf(update), update->getAlign(), user);
  if (const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&user))
    return exchange->getPointerOperand() == use.get() &&
           take(address, sizeOf(exchange->getNewValOperand()), exchange->getAlign(), user);
  if (const auto *block = dyn_cast<MemIntrinsic>(&user))
    if (const auto *length = dyn_cast<ConstantInt>(block->getLength()))
      return take(address, length->getZExtValue(), alignmentOf(*block, use), user);
  return isa<ICmpInst>(user);
}

void UseWalk::follow(const Address &address, const Use &use) {
  const User *user = use.getUser();
  const auto *instruction = dyn_cast<Instruction>(user);
  if (instruction && (instruction->getFunction() != &function || isExcepted(*instruction)))
    return;
  if (isa<AddrSpaceCastOperator, BitCastOperator>(user)) {
    Address same = address;
    same.value = user;
    return push(same);
  }
  const auto *step = dyn_cast<GEPOperator>(user);
  bool isKnown =
      step ? followElement(address, *step) : instruction && isAccess(address, use, *instruction);
  if (isKnown)
    return;
  // A constant that is made of the address: whoever uses it.
  while (!instruction && user && !user->use_empty()) {
    user = user->use_begin()->getUser();
    instruction = dyn_cast<Instruction>(user);
  }
  if (instruction)
    result.other = instruction;
}

} // namespace

ElementUses elementUsesOf(const GlobalVariable &array, unsigned dimensions,
                          const Function &function,
                          function_ref<bool(const Instruction &)> isExcepted,
                          function_ref<uint64_t(const Instruction &)> alignedAt) {
  // Of what is no array of so many dimensions, all is one element.
  Type *type = array.getValueType();
  for (unsigned i = 0; i < dimensions; ++i) {
    auto *level = dyn_cast<ArrayType>(type);
    if (!level)
      dimensions = 0;
    else
      type = level->getElementType();
  }
  return UseWalk(array, function, isExcepted, alignedAt)
      .run({&array, array.getValueType(), dimensions, nullptr, 0});
}

} // namespace tilelift
