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

void KernelFlow::findSteps() {
  using Within = KernelEffects::Within;
  for (const CodeBlock &block : effects.getBlocks()) {
    Block &own = blocks.emplace_back();
    own.next = block.next;
    for (const CodeStep &step : block.steps) {
      bool isPlaced = step.place != 0;
      Inside inside;
      for (size_t i = 0; i < copies.size() && isPlaced; ++i) {
        Within within = effects.isWithin(step, copies[i].statement, copies[i].path);
        if (within == Within::Yes && !inside.copy)
          inside = {i, effects.entryOf(step, copies[i].path)};
        unclear[i] = unclear[i] || within == Within::Shared;
        isPlaced &= within != Within::Nowhere;
      }
      bool isBarrier = step.effect.meetsBlock && !inside.copy;
      own.steps.push_back(
          {&step.effect, inside, isBarrier ? barrierAt(step) : std::nullopt, isPlaced});
    }
  }
}

FlowStep KernelFlow::take(const Step &step, Inside &inside) {
  if (!step.isPlaced)
    return {step.effect, std::nullopt, false, std::nullopt, step.barrier};
  const Inside before = std::exchange(inside, step.inside);
  const bool isChanged = !(before == step.inside);
  return {step.effect, step.inside.copy, step.inside.copy && isChanged,
          isChanged ? before.copy : std::nullopt, step.barrier};
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
