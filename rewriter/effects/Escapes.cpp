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
    push(address);
    while (!work.empty())
      for (const Use &use : work.pop_back_val()->uses())
        if (keepsAt(use))
          return true;
    return false;
  }

private:
  void push(const Value *value) {
    if (seen.insert(value).second)
      work.push_back(value);
  }
  bool keepsAt(const Use &use);
  bool keepsAtCall(const CallBase &call, const Use &use);
  bool keepsInMemory(const Value *memory);

  const Function &function;
  /// If there is one, a use of the address outside of this loop, or in its next round, counts as an
  /// escape.
  const Loop *round;
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

bool Walk::keepsAt(const Use &use) {
  const User *user = use.getUser();
  if (isa<ConstantExpr>(user) || isa<ConstantAggregate>(user)) {
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
  if (leavesRound)
    return true;
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
