//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "order/KernelFlow.h"

#include "order/BarrierCalls.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

KernelFlow::KernelFlow(const KernelEffects &effects, const std::vector<LiftedCopy> &copies,
                       std::vector<BarrierPlace> &barriers)
    : effects(effects), copies(copies), barriers(barriers) {
  for (const LiftedCopy &copy : copies)
    if (llvm::none_of(texts, [&](const CallPath &text) { return text.sameText(copy.path); }))
      texts.push_back(copy.path);
  for (const LiftedCopy &copy : copies)
    for (size_t depth = 1; depth <= copy.path.getFunctions().size(); ++depth)
      allTexts.push_back(copy.path.first(depth));
  findCopies();
  if (effects.isKnown())
    findSteps();
}

void KernelFlow::findCopies() {
  unclear.assign(copies.size(), !effects.isKnown());
  for (const LiftedCopy &copy : copies) {
    ofCopies.push_back(effects.of(copy.statement, copy.path));
    const Effect &own = ofCopies.back();
    ObjectSet tile = ObjectSet::all(), others = own.isUnknown ? ObjectSet::all() : ObjectSet();
    if (effects.isKnown()) {
      std::optional<unsigned> object = effects.getMemory().find(copy.tile);
      tile = object ? ObjectSet::of(*object) : ObjectSet::all();
      ObjectSet all = own.reads;
      all.add(own.writes);
      if (all.isAll())
        others = all;
      else
        for (unsigned number : all.numbers())
          if (!effects.getMemory()[number].isShared())
            others.add(number);
    }
    tiles.push_back(tile);
    others.add(copy.tensor);
    tensors.push_back(others);
  }
}

/// Which copy a step is in. `isPlaced` becomes false if the step has no place in some copy's text.
KernelFlow::Inside KernelFlow::insideAt(const CodeStep &step, bool &isPlaced) {
  using Within = KernelEffects::Within;
  isPlaced = step.place != 0;
  Inside inside;
  for (size_t i = 0; i < copies.size() && isPlaced; ++i) {
    Within within = effects.isWithin(step, copies[i].statement, copies[i].path);
    if (within == Within::Yes && !inside.copy)
      inside = {i, effects.entryOf(step, copies[i].path)};
    unclear[i] = unclear[i] || within == Within::Shared;
    isPlaced &= within != Within::Nowhere;
  }
  return inside;
}

void KernelFlow::findSteps() {
  findAwaited();
  for (const CodeBlock &block : effects.getBlocks()) {
    Block &own = blocks.emplace_back();
    own.next = block.next;
    for (const CodeStep &step : block.steps) {
      bool isPlaced = true;
      const Inside inside = insideAt(step, isPlaced);
      const bool isBarrier = step.effect.meetsBlock && !inside.copy;
      const Effect *effect = &step.effect;
      const bool awaits = step.effect.groups.awaits && !inside.copy;
      if (awaits) {
        ofWaits.push_back(awaited);
        ofWaits.back().groups = step.effect.groups;
        effect = &ofWaits.back();
      }
      own.steps.push_back(
          {effect, inside, isBarrier ? barrierAt(step) : std::nullopt, isPlaced, awaits});
    }
  }
}

/// Finds which copies a wait is for, and which lifted copies are written by cp.async alone.
void KernelFlow::findAwaited() {
  areAsync.assign(copies.size(), true);
  for (const CodeBlock &block : effects.getBlocks())
    for (const CodeStep &step : block.steps) {
      bool isPlaced = true;
      const Inside inside = insideAt(step, isPlaced);
      const bool isLifted = isPlaced && inside.copy && !copies[*inside.copy].mayRunPlain;
      if ((step.effect.groups.begins && !isLifted) || step.effect.isUnknown) {
        awaited.reads.add(step.effect.reads);
        awaited.writes.add(step.effect.writes);
      }
      for (size_t i = 0; i < copies.size(); ++i) {
        const bool isOfCopy =
            !isPlaced || (inside.copy && copies[i].isMadeWith(copies[*inside.copy]));
        if (isOfCopy && !step.effect.groups.begins && mayMeet(step.effect.beginsWrites, tiles[i]))
          areAsync[i] = false;
      }
    }
}

/// Adds what a step does to the statement that does it; false if text in front of that statement
/// would not do the same as often and in the same order.
bool KernelFlow::addGroup(const CodeStep &step, std::vector<GroupPlace> &found,
                          std::set<std::pair<unsigned, const void *>> &closing) const {
  const CallPath *deepest = nullptr;
  for (const CallPath &text : allTexts)
    if (effects.isReachedThrough(step, text) &&
        (!deepest || text.getFunctions().size() > deepest->getFunctions().size()))
      deepest = &text;
  if (!deepest)
    return false;
  const CopyGroups &own = step.effect.groups;
  const Stmt *statement =
      own.closes ? effects.statementDoing(step, *deepest) : effects.statementAround(step, *deepest);
  if (!statement)
    return false;
  const SourceLocation begin = statement->getBeginLoc();
  auto known = llvm::find_if(
      found, [&](const GroupPlace &other) { return other.statement->getBeginLoc() == begin; });
  if (known == found.end()) {
    known = found.insert(known, GroupPlace());
    known->statement = statement;
    known->function = deepest->end();
    known->isBody = effects.isBody(statement, *deepest);
  }
  // In each call of its function, a statement closes one group.
  const bool isFirst =
      !own.closes ||
      closing.insert({begin.getRawEncoding(), effects.entryOf(step, *deepest)}).second;
  known->closes |= own.closes;
  known->releasesOldest |= own.releasesOldest;
  known->awaitsAll |= own.awaitsAll;
  if (own.awaits)
    known->awaitsOldest = own.awaitsOldest && (!known->awaits || known->awaitsOldest);
  if (own.awaits)
    known->left = {known->awaits ? std::min(known->left.front(), own.left) : own.left};
  known->awaits |= own.awaits;
  return isFirst && !(known->closes && known->awaits);
}

/// Whether a step of a copy closes a group, and the copy's statement does that once each time that
/// it is executed.
bool KernelFlow::isOwnGroup(const CodeStep &step, size_t copy) const {
  const CopyGroups &own = step.effect.groups;
  return own.closes && !own.awaits && !own.releasesOldest &&
         effects.statementDoing(step, copies[copy].path) == copies[copy].statement;
}

bool KernelFlow::closesGroup(size_t copy) const {
  return llvm::any_of(effects.getBlocks(), [&](const CodeBlock &block) {
    return llvm::any_of(block.steps, [&](const CodeStep &step) {
      return step.effect.groups.closes && isOwnGroup(step, copy);
    });
  });
}

LostGroups KernelFlow::lostGroupsOf(size_t copy) const {
  std::vector<KernelEffects::Part> lifted;
  for (const LiftedCopy &each : copies)
    if (!each.mayRunPlain)
      lifted.push_back({each.statement, each.path});
  const CopyGroups own = effects.of(copies[copy].statement, copies[copy].path).groups;
  if (!own.closes || !effects.beginsCopiesBeside(lifted))
    return LostGroups::None;
  return closesGroup(copy) ? LostGroups::One : LostGroups::Some;
}

std::optional<std::vector<GroupPlace>> KernelFlow::groups() const {
  std::vector<GroupPlace> found;
  std::set<std::pair<unsigned, const void *>> closing;
  for (const CodeBlock &block : effects.getBlocks())
    for (const CodeStep &step : block.steps) {
      const CopyGroups &own = step.effect.groups;
      if (step.effect.isUnknown || own.isUnclear || own.notifies)
        return std::nullopt;
      if (!own.ordersCopies())
        continue;
      bool isInCopy = false, isOfCopies = true;
      for (size_t i = 0; i < copies.size(); ++i)
        if (effects.isWithin(step, copies[i].statement, copies[i].path) !=
            KernelEffects::Within::No) {
          isInCopy = true;
          isOfCopies &= isOwnGroup(step, i) && !copies[i].mayRunPlain &&
                        closing.insert({step.place, copies[i].statement}).second;
        }
      const bool isFollowed = isInCopy ? isOfCopies : addGroup(step, found, closing);
      if (block.isParted || !isFollowed)
        return std::nullopt;
    }
  return found;
}

FlowStep KernelFlow::take(const Step &step, Inside &inside) {
  if (!step.isPlaced)
    return {step.effect, std::nullopt, false, std::nullopt, step.barrier, step.awaitsGroups};
  const Inside before = std::exchange(inside, step.inside);
  const bool isChanged = !(before == step.inside);
  return {step.effect,
          step.inside.copy,
          step.inside.copy && isChanged,
          isChanged ? before.copy : std::nullopt,
          step.barrier,
          step.awaitsGroups};
}

/// By its place in the text, which instances and calls have in common.
std::optional<unsigned> KernelFlow::barrierAt(const CodeStep &step) {
  for (const CallPath &text : texts) {
    const CallExpr *call = effects.callAt(step, text);
    if (!call)
      continue;
    Effect own = effects.of(call, text);
    bool isOther = own.meetsOthers || own.signals || own.fencesProxy || own.mayLeave ||
                   own.isUnknown || !own.writes.empty();
    const SourceLocation begin = static_cast<const Expr *>(call)->getBeginLoc();
    bool isStatement = effects.isStatement(call, text) && !begin.isMacroID();
    auto known = llvm::find_if(
        barriers, [&](const BarrierPlace &other) { return other.call->getBeginLoc() == begin; });
    if (known == barriers.end())
      known = barriers.insert(known, {call, true, true, true});
    known->isStatement &= isStatement;
    known->onlyReads &= !isOther;
    known->isOnlyBarrier &= !isOther && own.reads.empty() && !mayChangeVariables(call);
    return unsigned(known - barriers.begin());
  }
  return std::nullopt;
}

} // namespace tilelift
