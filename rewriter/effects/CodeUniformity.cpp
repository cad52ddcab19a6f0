//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "effects/CodeUniformity.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace tilelift {
namespace {

using Sides = uint64_t;
using Region = DenseMap<const BasicBlock *, Sides>;

/// Where all ways from a block meet again, of those that come to the kernel's end: who traps, or
/// never ends, does not come there. By the algorithm of Cooper, Harvey and Kennedy.
class Meetings {
public:
  explicit Meetings(const Function &function);

  /// Null where they meet nowhere before the kernel ends.
  const BasicBlock *behind(const BasicBlock &block) const {
    auto own = numbers.find(&block);
    return own == numbers.end() || next[own->second] == end ? nullptr : order[next[own->second]];
  }
  /// Whether the kernel's end can be reached from there.
  bool goesOn(const BasicBlock &block) const { return numbers.contains(&block); }

private:
  void number(const BasicBlock &exit);
  unsigned meet(unsigned a, unsigned b) const;
  unsigned meetingBehind(const BasicBlock &block) const;

  DenseMap<const BasicBlock *, unsigned> numbers;
  std::vector<const BasicBlock *> order; ///< blocks after those that come to them
  std::vector<unsigned> next;            ///< by numbers
  unsigned end = 0;                      ///< behind all exits
};

/// Backwards from an exit; those that are farther get smaller numbers.
void Meetings::number(const BasicBlock &exit) {
  std::vector<std::pair<const BasicBlock *, const_pred_iterator>> open{{&exit, pred_begin(&exit)}};
  numbers.try_emplace(&exit, 0);
  while (!open.empty()) {
    auto &[block, at] = open.back();
    if (at == pred_end(block)) {
      numbers[block] = unsigned(order.size());
      order.push_back(block);
      open.pop_back();
    } else if (const BasicBlock *before = *at++; numbers.try_emplace(before, 0).second) {
      open.push_back({before, pred_begin(before)});
    }
  }
}

unsigned Meetings::meet(unsigned a, unsigned b) const {
  while (a != b) {
    while (a < b)
      a = next[a];
    while (b < a)
      b = next[b];
  }
  return a;
}

/// Where the ways behind a block meet, as far as these are known; else the number behind all.
unsigned Meetings::meetingBehind(const BasicBlock &block) const {
  const unsigned unknown = end + 1;
  unsigned meeting = isa<ReturnInst>(block.getTerminator()) ? end : unknown;
  for (const BasicBlock *after : successors(&block))
    if (auto number = numbers.find(after);
        number != numbers.end() && next[number->second] != unknown)
      meeting = meeting == unknown ? number->second : meet(meeting, number->second);
  return meeting;
}

Meetings::Meetings(const Function &function) {
  for (const BasicBlock &block : function)
    if (isa<ReturnInst>(block.getTerminator()))
      number(block);
  end = unsigned(order.size());
  const unsigned unknown = end + 1;
  next.assign(order.size() + 1, unknown);
  next[end] = end;
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = end; i-- > 0;) {
      const unsigned meeting = meetingBehind(*order[i]);
      changed |= meeting != unknown && meeting != next[i];
      if (meeting != unknown)
        next[i] = meeting;
    }
  }
}

/// A vote of the whole block has one result, whatever each thread says.
bool isVote(const Instruction &instruction) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  switch (intrinsic ? intrinsic->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::nvvm_barrier_cta_red_popc_all:
  case Intrinsic::nvvm_barrier_cta_red_popc_aligned_all:
  case Intrinsic::nvvm_barrier_cta_red_and_all:
  case Intrinsic::nvvm_barrier_cta_red_and_aligned_all:
  case Intrinsic::nvvm_barrier_cta_red_or_all:
  case Intrinsic::nvvm_barrier_cta_red_or_aligned_all: return true;
  default: return false;
  }
}

class Spreading {
public:
  Spreading(const Function &function, const Instructions &alike)
      : meetings(function), alike(alike) {}

  void mark(const Instruction *instruction) {
    if (!isVote(*instruction) && !alike.contains(instruction) &&
        divergent.insert(instruction).second)
      work.push_back(instruction);
  }
  void run() {
    while (!work.empty())
      spread(*work.pop_back_val());
  }
  Instructions take() { return std::move(divergent); }

private:
  void spread(const Instruction &instruction);
  /// A branch whose sides different threads take, and the blocks up to where these meet again.
  struct SplitThreads {
    const Instruction &branch;
    Region region;
    bool isInLoop = false;
  };

  Sides sidesOf(const SplitThreads &split, const BasicBlock *from, const BasicBlock *to) const;
  void spreadJoins(const SplitThreads &split, const BasicBlock &block);
  void spreadBranch(const Instruction &branch);
  void spreadOutOf(const Region &loop, const Instruction &inside);
  void spreadStore(const Value &address);
  Region regionOf(const BasicBlock &branching, const BasicBlock *behind) const;

  Meetings meetings;
  const Instructions &alike;
  Instructions divergent;
  SmallPtrSet<const Value *, 16> spreadVariables;
  SmallVector<const Instruction *, 32> work;
};

/// The blocks between a branch and where its sides meet again, behind it: for each the sides, as
/// bits, from which threads come there.
Region Spreading::regionOf(const BasicBlock &branching, const BasicBlock *behind) const {
  Region region;
  unsigned side = 0;
  for (const BasicBlock *first : successors(&branching)) {
    const Sides bit = Sides(1) << (side++ % 64);
    SmallVector<const BasicBlock *, 16> open{first};
    while (!open.empty()) {
      const BasicBlock *block = open.pop_back_val();
      if (block == behind || !meetings.goesOn(*block) || (region.lookup(block) & bit))
        continue;
      region[block] |= bit;
      open.append(succ_begin(block), succ_end(block));
    }
  }
  return region;
}

/// The sides from which threads that took the branch come from one block to the next.
Sides Spreading::sidesOf(const SplitThreads &split, const BasicBlock *from,
                         const BasicBlock *to) const {
  if (from != split.branch.getParent())
    return split.region.lookup(from);
  Sides sides = 0;
  for (unsigned side = 0; side < split.branch.getNumSuccessors(); ++side)
    if (split.branch.getSuccessor(side) == to)
      sides |= Sides(1) << (side % 64);
  return sides;
}

/// Where the sides of a branch join, a phi differs if they bring it different values. How threads
/// come there that did not come from the branch does not matter.
void Spreading::spreadJoins(const SplitThreads &split, const BasicBlock &block) {
  for (const PHINode &phi : block.phis()) {
    SmallPtrSet<const Value *, 4> values;
    Sides all = 0;
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      const Sides sides = sidesOf(split, phi.getIncomingBlock(i), &block);
      const Value *value = phi.getIncomingValue(i);
      if (sides == 0 || isa<UndefValue>(value))
        continue;
      values.insert(value);
      all |= sides;
    }
    if (values.size() > 1 && (split.isInLoop || !isPowerOf2_64(all)))
      mark(&phi);
  }
}

/// Threads take different sides of a branch. Behind it, the value of a phi, the value that a store
/// has left in a variable and the number of rounds of a loop may differ between them. Threads that
/// took the same side still agree, unless the branch is in a loop and they come to it again.
void Spreading::spreadBranch(const Instruction &branch) {
  const BasicBlock &own = *branch.getParent();
  const BasicBlock *behind = meetings.behind(own);
  SplitThreads split{branch, regionOf(own, behind)};
  split.isInLoop = split.region.contains(&own) || branch.getNumSuccessors() > 64;
  if (behind)
    spreadJoins(split, *behind);
  for (const auto &[block, sides] : split.region) {
    spreadJoins(split, *block);
    // If the sides never join again, no thread reads what is stored on a side that it did not take.
    const bool isMet = behind || split.isInLoop || !isPowerOf2_64(sides);
    for (const Instruction &inside : *block) {
      if (const auto *store = dyn_cast<StoreInst>(&inside); store && isMet)
        spreadStore(*store->getPointerOperand());
      if (split.isInLoop)
        spreadOutOf(split.region, inside);
    }
  }
}

/// What a loop computes differs outside of it, as threads leave it in different rounds.
void Spreading::spreadOutOf(const Region &loop, const Instruction &inside) {
  for (const User *user : inside.users()) {
    const auto *outside = dyn_cast<Instruction>(user);
    if (outside && !loop.contains(outside->getParent()))
      mark(outside);
  }
}

/// The variable that an address is in which a thread has for itself: a local one, or an object that
/// the kernel got by value. Or null.
const Value *ownVariable(const Value *address) {
  const Value *object = getUnderlyingObject(address, /*MaxLookup=*/0);
  const auto *argument = dyn_cast<llvm::Argument>(object);
  return isa<AllocaInst>(object) || (argument && argument->hasByValAttr()) ? object : nullptr;
}

/// A variable that a thread has for itself does not hold the same for all any more.
void Spreading::spreadStore(const Value &address) {
  const Value *variable = ownVariable(&address);
  if (!variable || !spreadVariables.insert(variable).second)
    return;
  SmallVector<const Value *, 8> addresses{variable};
  SmallPtrSet<const Value *, 16> seen;
  while (!addresses.empty()) {
    const Value *each = addresses.pop_back_val();
    for (const User *user : each->users()) {
      const auto *instruction = dyn_cast<Instruction>(user);
      if (!instruction || !seen.insert(instruction).second)
        continue;
      const auto *transfer = dyn_cast<MemTransferInst>(instruction);
      if (transfer && transfer->getRawSource() == each)
        spreadStore(*transfer->getRawDest());
      else if (isa<LoadInst, CallBase>(instruction)) // assembly may read it, too
        mark(instruction);
      else if (!isa<StoreInst>(instruction))
        addresses.push_back(instruction);
    }
  }
}

void Spreading::spread(const Instruction &instruction) {
  if (instruction.isTerminator() && instruction.getNumSuccessors() > 1)
    spreadBranch(instruction);
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    spreadStore(*store->getPointerOperand());
  for (const User *user : instruction.users())
    if (const auto *other = dyn_cast<Instruction>(user))
      mark(other);
}

/// Whether all that happens to a variable's memory are loads and stores that are seen.
bool isFollowed(const Value &variable) {
  SmallVector<const Value *, 8> addresses{&variable};
  while (!addresses.empty()) {
    const Value *address = addresses.pop_back_val();
    for (const User *user : address->users()) {
      const auto *store = dyn_cast<StoreInst>(user);
      const auto *intrinsic = dyn_cast<IntrinsicInst>(user);
      const auto *transfer = dyn_cast<MemTransferInst>(user);
      if (transfer && transfer->getRawDest() != address)
        continue; // it is read
      if (isa<GetElementPtrInst, AddrSpaceCastInst>(user))
        addresses.push_back(user);
      else if (!isa<LoadInst>(user) && !(store && store->getPointerOperand() == address) &&
               !(intrinsic && intrinsic->isAssumeLikeIntrinsic()))
        return false;
    }
  }
  return true;
}

/// Whether it reads what a thread has for itself, and others may have changed.
bool readsUnfollowed(const LoadInst &load) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(load.getPointerOperand(), objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return llvm::any_of(objects, [](const Value *object) {
    const Value *variable = ownVariable(object);
    return variable && !isFollowed(*variable);
  });
}

} // namespace

Instructions divergentIn(const Function &function, const Instructions &sources,
                         const Instructions &alike) {
  Spreading spreading(function, alike);
  for (const Instruction &instruction : instructions(function)) {
    const auto *load = dyn_cast<LoadInst>(&instruction);
    if (sources.contains(&instruction) || (load && readsUnfollowed(*load)))
      spreading.mark(&instruction);
  }
  spreading.run();
  return spreading.take();
}

DenseSet<const BasicBlock *> partedBlocks(const Function &function, const Instructions &divergent) {
  const Meetings meetings(function);
  DenseSet<const BasicBlock *> parted;
  for (const Instruction *branch : divergent) {
    if (!branch->isTerminator() || branch->getNumSuccessors() < 2)
      continue;
    const BasicBlock *behind = meetings.behind(*branch->getParent());
    DenseSet<const BasicBlock *> seen;
    SmallVector<const BasicBlock *, 16> open(succ_begin(branch->getParent()),
                                             succ_end(branch->getParent()));
    while (!open.empty()) {
      const BasicBlock *block = open.pop_back_val();
      if (block == behind || !seen.insert(block).second)
        continue;
      open.append(succ_begin(block), succ_end(block));
    }
    parted.insert(seen.begin(), seen.end());
  }
  return parted;
}

} // namespace tilelift
