//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "effects/Waits.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace tilelift {
namespace {

/// The text of assembly; empty for other instructions.
StringRef assemblyOf(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  const auto *assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return assembly ? assembly->getAsmString() : StringRef();
}

/// Behind it, even a plain load may find something else than before.
bool isFence(const Instruction &instruction) {
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction))
    return intrinsic->getIntrinsicID() == Intrinsic::nvvm_membar_cta ||
           intrinsic->getIntrinsicID() == Intrinsic::nvvm_membar_gl ||
           intrinsic->getIntrinsicID() == Intrinsic::nvvm_membar_sys;
  const StringRef text = assemblyOf(instruction);
  return isa<FenceInst>(instruction) || text.contains("fence") || text.contains("membar");
}

/// Whether a branch asks only if an exchange has succeeded, by its flag, or by comparing what it
/// has found with what it expected.
bool asksForSuccess(const Value *condition, const AtomicCmpXchgInst &exchange) {
  auto isFound = [&](const Value *value) {
    const auto *part = dyn_cast<ExtractValueInst>(value->stripPointerCasts());
    return part && part->getAggregateOperand() == &exchange;
  };
  const auto *comparison = dyn_cast<ICmpInst>(condition);
  if (!comparison)
    return isFound(condition);
  const Value *left = comparison->getOperand(0), *right = comparison->getOperand(1);
  const Value *expected = exchange.getCompareOperand();
  return comparison->isEquality() &&
         ((isFound(left) && right == expected) || (isFound(right) && left == expected));
}

/// A thread's wait at an mbarrier, for a phase that it knows by a state or a parity.
bool isOfBarrier(const Instruction &instruction) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  const StringRef text = assemblyOf(instruction);
  return text.contains("mbarrier.try_wait") || text.contains("mbarrier.test_wait") ||
         (intrinsic && (intrinsic->getIntrinsicID() == Intrinsic::nvvm_mbarrier_test_wait ||
                        intrinsic->getIntrinsicID() == Intrinsic::nvvm_mbarrier_test_wait_shared));
}

/// A thread's arrival at an mbarrier. That of its asynchronous copies, which it counts for them, is
/// another one unless it says `noinc`.
bool isArrival(const Instruction &instruction) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  const StringRef text =
      intrinsic ? intrinsic->getCalledFunction()->getName() : assemblyOf(instruction);
  const bool isOfCopies = text.contains("cp.async");
  return text.contains("mbarrier.arrive") && (!isOfCopies || text.contains("noinc"));
}

/// The branches by which a thread may leave a cycle.
SmallVector<const Instruction *, 4> exitsOf(const Cycle &cycle) {
  SmallVector<const Instruction *, 4> exits;
  for (const BasicBlock *block : cycle.blocks())
    if (llvm::any_of(successors(block),
                     [&](const BasicBlock *next) { return !cycle.contains(next); }))
      exits.push_back(block->getTerminator());
  return exits;
}

} // namespace

Waits::Waits(const Function &function, const Instructions &sources)
    : function(function), sources(sources) {
  cycles.compute(const_cast<Function &>(function)); // which it does not change
  for (const Instruction &each : instructions(function))
    if (isFence(each))
      for (const Cycle *cycle = cycles.getCycle(each.getParent()); cycle;
           cycle = cycle->getParentCycle())
        withFence.insert(cycle);
}

/// Whether what is read in memory may be another thing each time that it is read in a cycle.
bool Waits::mayFindAnother(const Instruction &instruction, const Effect &effect,
                           const Cycle &cycle) const {
  if (effect.reads.empty())
    return false;
  const bool awaitsOperation = !effect.writes.empty() && effect.beginsWrites.empty();
  return effect.varies || awaitsOperation || !assemblyOf(instruction).empty() ||
         withFence.contains(&cycle);
}

/// The branches by which a thread leaves loops around an access, with what that has found.
SmallVector<const Instruction *, 4> Waits::exitsBy(const Instruction &poll) const {
  SmallVector<const Instruction *, 4> exits;
  const Instructions influenced = divergentIn(function, {&poll});
  for (const Cycle *cycle = cycles.getCycle(poll.getParent()); cycle;
       cycle = cycle->getParentCycle())
    for (const Instruction *exit : exitsOf(*cycle))
      if (influenced.contains(exit))
        exits.push_back(exit);
  return exits;
}

/// Whether some loop around an access ends when that has found something.
bool Waits::mayEndLoop(const Instruction &instruction, const Effect &effect) const {
  const Cycle *cycle = cycles.getCycle(instruction.getParent());
  if (!cycle || !mayFindAnother(instruction, effect, *cycle))
    return false;
  const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction);
  const auto *expected = exchange ? dyn_cast<Instruction>(exchange->getCompareOperand()) : nullptr;
  const bool triesAgain = expected && divergentIn(function, {&instruction}).contains(expected);
  return llvm::any_of(exitsBy(instruction), [&](const Instruction *exit) {
    const auto *branch = dyn_cast<BranchInst>(exit);
    return !(triesAgain && branch && branch->isConditional() &&
             asksForSuccess(branch->getCondition(), *exchange));
  });
}

/// The loop that ends with a poll's answer, the outermost one if there are several: who asks with a
/// pause in between has one more.
const Cycle *Waits::loopOf(const Instruction &poll) const {
  const SmallVector<const Instruction *, 4> exits = exitsBy(poll);
  const Cycle *loop = nullptr;
  for (const Cycle *cycle = cycles.getCycle(poll.getParent()); cycle;
       cycle = cycle->getParentCycle())
    for (const Instruction *exit : exitsOf(*cycle))
      if (llvm::is_contained(exits, exit))
        loop = cycle;
  return loop;
}

/// Whether all threads come to a poll's loop. Within that, each asks in its own time.
bool Waits::comeTogether(const Instruction &poll) const {
  const Cycle *loop = loopOf(poll);
  if (!loop)
    return !parted.contains(poll.getParent());
  Instructions outside;
  for (const Instruction *each : divergent)
    if (!loop->contains(each->getParent()))
      outside.insert(each);
  return !partedBlocks(function, outside).contains(loop->getHeader());
}

/// Whether all threads come here and ask the same: at the same place in memory, until the answer is
/// the same. Which phase of an mbarrier a thread waits for, its own arrival says.
bool Waits::isAlike(const Instruction &poll) const {
  auto differs = [&](const Value *value) {
    const auto *computed = dyn_cast<Instruction>(value);
    return computed && divergent.contains(computed);
  };
  if (!comeTogether(poll))
    return false;
  if (llvm::any_of(poll.operands(), differs))
    return false;
  return isOfBarrier(poll) ? allArrive : llvm::none_of(exitsBy(poll), differs);
}

/// Begins with all polls that change nothing, and takes away those that are not alike: then others
/// may not be, either. What an arrival returns tells of a phase, which is the same for all that
/// arrive together.
void Waits::findAskedByAll(ArrayRef<Step> polls) {
  Instructions arrivals;
  for (const Instruction &each : instructions(function))
    if (isArrival(each))
      arrivals.insert(&each);
  for (const auto &[poll, effect] : polls)
    if (effect->beginsWrites.empty() || isOfBarrier(*poll))
      askedByAll.insert(poll);
  for (bool isChanged = true; isChanged;) {
    Instructions alike = askedByAll;
    alike.insert(arrivals.begin(), arrivals.end());
    divergent = divergentIn(function, sources, alike);
    parted = partedBlocks(function, divergent);
    allArrive = llvm::none_of(
        arrivals, [&](const Instruction *each) { return parted.contains(each->getParent()); });
    const Instructions before = askedByAll;
    for (const Instruction *poll : before)
      if (!isAlike(*poll))
        askedByAll.erase(poll);
    isChanged = askedByAll.size() != before.size();
  }
}

void Waits::note(ArrayRef<Step> steps) {
  SmallVector<Step, 8> polls;
  for (const auto &[instruction, effect] : steps) {
    const bool isPoll = effect->polls || mayEndLoop(*instruction, *effect);
    effect->awaitsBlocks = effect->isUnknown || isPoll;
    if (isPoll && !effect->isUnknown)
      polls.push_back({instruction, effect});
  }
  findAskedByAll(polls);
  for (const auto &[instruction, effect] : steps)
    effect->awaitsThreads =
        effect->isUnknown || (effect->awaitsBlocks ? !askedByAll.contains(instruction)
                                                   : effect->awaitsArrivals &&
                                                         parted.contains(instruction->getParent()));
}

} // namespace tilelift
