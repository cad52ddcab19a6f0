//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "effects/Escapes.h"

#include "effects/Assembly.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace tilelift {
namespace {

/// Goes through what is made of an address, forwards.
class Walk {
public:
  explicit Walk(const Function &function, const Loop *round = nullptr)
      : function(function), round(round) {}

  bool keeps(const Value *address) {
    root = address;
    push(address);
    while (!work.empty())
      for (const Use &use : work.pop_back_val()->uses())
        if (keepsAt(use))
          return true;
    return llvm::any_of(comparisons, [&](const ICmpInst *each) { return tellsStages(*each); });
  }

private:
  void push(const Value *value) {
    if (seen.insert(value).second)
      work.push_back(value);
  }
  bool keepsAt(const Use &use);
  bool keepsAtCall(const CallBase &call, const Use &use);
  bool keepsInMemory(const Value *memory);
  bool choosesByAddress(const Use &use);
  bool tellsStages(const ICmpInst &comparison) const;
  bool isPlaceInTile(const Value *value, SmallPtrSetImpl<const Value *> &path) const;
  bool isAligned(const Value *address) const;

  const Function &function;
  /// If there is one, a use of the address outside of this loop, or in its next round, counts as an
  /// escape.
  const Loop *round;
  const Value *root = nullptr;
  /// Of values that are made of the address.
  SmallVector<const ICmpInst *, 8> comparisons;
  SmallVector<const Value *, 16> work;
  SmallPtrSet<const Value *, 16> seen;
};

/// What is stored to the thread's own memory is what is loaded from there, in whatever round. From
/// a constant, as Clang makes it for the initialiser of a struct, an address is taken by a load.
bool Walk::keepsInMemory(const Value *memory) {
  const Value *object = getUnderlyingObject(memory, 0);
  const auto *constant = dyn_cast<GlobalVariable>(object);
  if (round && !(constant && constant->isConstant()))
    return true;
  bool isOwn = isa<AllocaInst>(object) || (constant && constant->isConstant());
  if (!isOwn || !isPrivate(object))
    return true;
  SmallVector<const Value *, 8> parts{object};
  SmallPtrSet<const Value *, 8> met{object};
  while (!parts.empty())
    for (const User *user : parts.pop_back_val()->users()) {
      if (isa<LoadInst>(user))
        push(user);
      else if (const auto *copy = dyn_cast<MemTransferInst>(user)) {
        const Value *to = getUnderlyingObject(copy->getRawDest(), 0);
        if (to != object && met.insert(to).second && keepsInMemory(to))
          return true;
      } else if (!isa<StoreInst, IntrinsicInst>(user) && met.insert(user).second)
        parts.push_back(user);
    }
  return false;
}

bool Walk::keepsAtCall(const CallBase &call, const Use &use) {
  if (const auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand())) {
    AssemblyEffect effect = effectOfAssembly(assembly->getAsmString());
    bool isStored = effect.storesAny || llvm::any_of(effect.stored, [&](unsigned operand) {
                      const Value *value = operandOf(call, operand);
                      return !value || value == use.get();
                    });
    if (effect.isUnknown || isStored)
      return true;
    if (effect.computes) // it may give it back
      push(&call);
    return false;
  }
  // What such a call reads through a pointer is not the pointer, as where `wmma` loads fragments.
  if (call.isDataOperand(&use) && use.get()->getType()->isPointerTy() &&
      call.doesNotCapture(call.getDataOperandNo(&use)))
    return false;
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
  if (!intrinsic)
    return true;
  if (isa<MemIntrinsic>(intrinsic) || intrinsic->isLifetimeStartOrEnd())
    return false;
  // A number may be what the intrinsic stores; all else is a place, or part of the result.
  bool mayStore = !call.onlyReadsMemory() && !call.onlyAccessesInaccessibleMemory();
  if (mayStore && !use.get()->getType()->isPointerTy())
    return true;
  push(&call);
  return false;
}

/// Whether the value is the tile's address plus a distance that does not depend on this address,
/// and so is the same in all stages of a ring.
bool Walk::isPlaceInTile(const Value *value, SmallPtrSetImpl<const Value *> &path) const {
  if (value == root || !path.insert(value).second) // or the value of an earlier round
    return true;
  const auto *operation = dyn_cast<Operator>(value);
  if (!operation)
    return false;
  auto isPlace = [&](unsigned operand) {
    return isPlaceInTile(operation->getOperand(operand), path);
  };
  auto isDistance = [&](const Value *operand) { return !seen.contains(operand); };
  switch (operation->getOpcode()) {
  case Instruction::GetElementPtr:
    return isPlace(0) && llvm::all_of(llvm::drop_begin(operation->operands()), isDistance);
  case Instruction::Add: {
    const unsigned distance = isDistance(operation->getOperand(0)) ? 0 : 1;
    return isDistance(operation->getOperand(distance)) && isPlace(1 - distance);
  }
  case Instruction::Sub: return isPlace(0) && isDistance(operation->getOperand(1));
  case Instruction::AddrSpaceCast:
  case Instruction::BitCast:
  case Instruction::Freeze:
  case Instruction::IntToPtr:
  case Instruction::PtrToInt:
  case Instruction::Trunc:
  case Instruction::ZExt: return isPlace(0);
  case Instruction::PHI:
    return llvm::all_of(operation->operands(),
                        [&](const Value *each) { return isPlaceInTile(each, path); });
  case Instruction::Select: return isPlace(1) && isPlace(2);
  default: return false;
  }
}

/// Whether a comparison may have another result in another stage of the tile.
bool Walk::tellsStages(const ICmpInst &comparison) const {
  SmallPtrSet<const Value *, 8> left, right;
  const Value *first = comparison.getOperand(0), *second = comparison.getOperand(1);
  if (isa<ConstantPointerNull>(first) || isa<ConstantPointerNull>(second))
    return false;
  return !isPlaceInTile(first, left) || !isPlaceInTile(second, right);
}

/// Whether the value is the tile's address plus constants, perhaps converted to an integer. The
/// lowest bits of such a value are the same in all stages of a ring.
bool Walk::isAligned(const Value *address) const {
  while (address != root) {
    const auto *operation = dyn_cast<Operator>(address);
    if (!operation)
      return false;
    const unsigned code = operation->getOpcode();
    const bool isMoved =
        (code == Instruction::Add || code == Instruction::GetElementPtr) &&
        llvm::all_of(llvm::drop_begin(operation->operands()),
                     [&](const Value *by) { return !seen.contains(by) && isa<Constant>(by); });
    const bool isCast = code == Instruction::AddrSpaceCast || code == Instruction::BitCast ||
                        code == Instruction::PtrToInt || code == Instruction::ZExt ||
                        code == Instruction::Trunc || code == Instruction::Freeze;
    if (!isMoved && !isCast)
      return false;
    address = operation->getOperand(0);
  }
  return true;
}

/// Stages of a ring start on so many bytes at least.
constexpr uint64_t stageAlignment = 128;

/// Whether a value that is made of the address decides what is done: a branch, a choice, or a place
/// in other memory. Another stage, with another address, would do something else.
bool Walk::choosesByAddress(const Use &use) {
  const User *user = use.getUser();
  if (isa<BranchInst, SwitchInst>(user))
    return true;
  if (isa<SelectInst>(user))
    return use.getOperandNo() == 0;
  return isa<GEPOperator>(user) && use.getOperandNo() > 0;
}

bool Walk::keepsAt(const Use &use) {
  const User *user = use.getUser();
  if (isa<ConstantExpr>(user) || isa<ConstantAggregate>(user)) {
    if (round && choosesByAddress(use))
      return true;
    push(user);
    return false;
  }
  if (const auto *constant = dyn_cast<GlobalVariable>(user))
    return keepsInMemory(constant);
  const auto *instruction = dyn_cast<Instruction>(user);
  if (!instruction)
    return true;
  if (instruction->getFunction() != &function)
    return false;
  bool leavesRound =
      round && (!round->contains(instruction) ||
                (isa<PHINode>(instruction) && instruction->getParent() == round->getHeader()));
  if (leavesRound || (round && choosesByAddress(use)))
    return true;
  if (const auto *comparison = dyn_cast<ICmpInst>(instruction); round && comparison) {
    comparisons.push_back(comparison);
    return false;
  }
  const auto *masked = dyn_cast<BinaryOperator>(instruction);
  if (round && masked && masked->getOpcode() == Instruction::And && isAligned(use.get()))
    if (const auto *mask = dyn_cast<ConstantInt>(masked->getOperand(1));
        mask && mask->getValue().ult(stageAlignment))
      return false;
  if (const auto *store = dyn_cast<StoreInst>(instruction))
    return store->getValueOperand() == use.get() && keepsInMemory(store->getPointerOperand());
  if (isa<LoadInst, ICmpInst, BranchInst, SwitchInst>(instruction))
    return false;
  if (const auto *update = dyn_cast<AtomicRMWInst>(instruction))
    return update->getValOperand() == use.get();
  if (const auto *exchange = dyn_cast<AtomicCmpXchgInst>(instruction))
    return exchange->getPointerOperand() != use.get();
  if (const auto *call = dyn_cast<CallBase>(instruction))
    return keepsAtCall(*call, use);
  if (isa<BinaryOperator, CastInst, GetElementPtrInst, PHINode, SelectInst, FreezeInst,
          ExtractValueInst, InsertValueInst, ExtractElementInst, InsertElementInst,
          ShuffleVectorInst>(instruction)) {
    push(instruction);
    return false;
  }
  return true;
}

} // namespace

bool isKeptIn(const Function &function, const Value *address) {
  return Walk(function).keeps(address);
}

bool outlivesRound(const Function &function, const Value *address,
                   ArrayRef<const BasicBlock *> inRound) {
  DominatorTree dominators(const_cast<Function &>(function));
  LoopInfo loops(dominators);
  // A copy may have loops of its own.
  const Loop *round = nullptr;
  for (const BasicBlock *block : inRound) {
    const Loop *own = loops.getLoopFor(block);
    if (!own)
      return true;
    if (!round || own->getLoopDepth() < round->getLoopDepth())
      round = own;
  }
  return !round || Walk(function, round).keeps(address);
}

/// Reads, compares, fills or ends the memory, or writes to it; and keeps no address of it.
static bool onlyAccesses(const Use &use) {
  const User *user = use.getUser();
  if (const auto *store = dyn_cast<StoreInst>(user))
    return store->getValueOperand() != use.get();
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(user);
      intrinsic && intrinsic->isLifetimeStartOrEnd())
    return true;
  return isa<LoadInst, ICmpInst, MemIntrinsic>(user);
}

bool isPrivate(const Value *memory) {
  SmallVector<const Value *, 8> work{memory};
  SmallPtrSet<const Value *, 8> seen{memory};
  while (!work.empty()) {
    const Value *part = work.pop_back_val();
    for (const Use &use : part->uses()) {
      const User *user = use.getUser();
      if (onlyAccesses(use))
        continue;
      if (!isa<GetElementPtrInst, AddrSpaceCastInst, BitCastInst, ConstantExpr>(user))
        return false;
      if (seen.insert(user).second)
        work.push_back(user);
    }
  }
  return true;
}

void forEachStoreTo(const Value *memory, function_ref<void(const Instruction &)> meet) {
  SmallVector<const Value *, 8> work{memory};
  SmallPtrSet<const Value *, 8> seen{memory};
  while (!work.empty()) {
    const Value *part = work.pop_back_val();
    for (const User *user : part->users()) {
      const auto *copy = dyn_cast<MemTransferInst>(user);
      if (isa<StoreInst>(user) || (copy && copy->getRawDest() == part))
        meet(*cast<Instruction>(user));
      else if (isa<GetElementPtrInst, AddrSpaceCastInst, BitCastInst>(user) &&
               seen.insert(user).second)
        work.push_back(user);
    }
  }
}

} // namespace tilelift
