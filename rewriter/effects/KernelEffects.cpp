//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "effects/KernelEffects.h"

#include "effects/Assembly.h"
#include "effects/CodeUniformity.h"
#include "effects/ElementUses.h"
#include "effects/Escapes.h"
#include "effects/PipelineCalls.h"
#include "effects/Waits.h"
#include "effects/WaysNotTaken.h"
#include "support/Builtins.h"
#include "support/VariableFacts.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/GlobalVariable.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// The effect of code that is not visible.
Effect anyEffect() {
  Effect effect;
  effect.reads = effect.writes = effect.beginsWrites = ObjectSet::all();
  effect.meetsBlock = effect.meetsOthers = true;
  effect.barriers = effect.lanes = anyMeeting;
  effect.signals = effect.acquires = effect.fencesProxy = effect.awaitsArrivals = true;
  effect.mayLeave = effect.differs = effect.varies = effect.asksSharedSize = effect.asksCluster =
      true;
  effect.isUnknown = true;
  effect.countsThreads = 7;
  effect.tellsBlocks = 7 | Effect::otherBlocks;
  return effect;
}

} // namespace

/// Adds to `sources` the loads that may find different values in different threads: between the
/// same barriers of the block, something may be written there, and something else orders the
/// threads, such as atomic accesses and named barriers.
void KernelEffects::addHandedOn(const InstructionsOfSteps &instructions,
                                Instructions &sources) const {
  if (!all.signals && !all.meetsOthers)
    return;
  std::vector<StepPlace> starts{{0, 0}};
  for (unsigned block = 0; block < blocks.size(); ++block)
    for (size_t step = 0; step < blocks[block].steps.size(); ++step)
      if (blocks[block].steps[step].effect.meetsBlock)
        starts.push_back({block, step + 1});
  for (const StepPlace &start : starts) {
    const BetweenBarriers found = untilBarriers(start);
    for (auto [block, step] : found.reads)
      if (found.mayOrderThreads && mayMeet(found.written, blocks[block].steps[step].effect.reads))
        sources.insert(instructions[block][step]);
  }
}

/// What happens from a step until each of the next barriers of the block.
KernelEffects::BetweenBarriers KernelEffects::untilBarriers(StepPlace start) const {
  BetweenBarriers found;
  std::vector<StepPlace> open{start};
  std::vector<bool> isSeen(blocks.size());
  while (!open.empty()) {
    auto [block, step] = open.back();
    open.pop_back();
    const std::vector<CodeStep> &steps = blocks[block].steps;
    for (; step < steps.size() && !steps[step].effect.meetsBlock; ++step) {
      const Effect &effect = steps[step].effect;
      found.mayOrderThreads |= effect.signals || effect.meetsOthers;
      found.written.add(effect.beginsWrites);
      if (!effect.reads.empty())
        found.reads.push_back({block, step});
    }
    for (unsigned next : blocks[block].next)
      if (step == steps.size() && !isSeen[next]) {
        isSeen[next] = true;
        open.push_back({next, 0});
      }
  }
  return found;
}

/// Where threads may wait for each other. What stands on ways that are never taken does not count.
void KernelEffects::addWaits(const InstructionsOfSteps &instructions, const Instructions &sources) {
  std::vector<Waits::Step> steps;
  Instructions reached;
  std::vector<bool> isSeen(blocks.size());
  isSeen[0] = true;
  SmallVector<unsigned, 16> open{0};
  while (!open.empty()) {
    const unsigned block = open.pop_back_val();
    for (size_t i = 0; i < blocks[block].steps.size(); ++i) {
      const Instruction *instruction = instructions[block][i];
      steps.push_back({instruction, &blocks[block].steps[i].effect});
      if (sources.contains(instruction))
        reached.insert(instruction);
    }
    for (unsigned next : blocks[block].next)
      if (!isSeen[next]) {
        isSeen[next] = true;
        open.push_back(next);
      }
  }
  Waits(*function, reached).note(steps);
  for (const CodeBlock &block : blocks)
    for (const CodeStep &step : block.steps)
      for (Effect *whole : {&all, &ofPlaces[step.place]}) {
        whole->awaitsThreads |= step.effect.awaitsThreads;
        whole->awaitsBlocks |= step.effect.awaitsBlocks;
      }
}

KernelEffects::KernelEffects(const FunctionDecl *kernel, DeviceCode &code, bool typesTellApart)
    : kernel(kernel), code(code), function(code.of(kernel)), places(code) {
  if (!function) {
    all = anyEffect();
    return;
  }
  memory = std::make_unique<Memory>(kernel, *function, code, typesTellApart);
  DenseMap<const BasicBlock *, unsigned> numbers;
  for (const BasicBlock &block : *function)
    numbers.try_emplace(&block, unsigned(numbers.size()));
  blocks.resize(numbers.size());
  Instructions sources;
  InstructionsOfSteps instructionsOfSteps(numbers.size());
  PipelineCalls pipelines(places);
  const DenseSet<const BasicBlock *> reached = reachedBlocks(*function, code);
  for (const BasicBlock &block : *function) {
    if (!reached.contains(&block))
      continue;
    CodeBlock &own = blocks[numbers[&block]];
    for (const Instruction &instruction : block) {
      Effect effect = effectOf(instruction, *memory, code);
      if (effect.differs || effect.varies)
        sources.insert(&instruction);
      const unsigned place =
          pipelines.correct(places.numberOf(instruction.getDebugLoc().get()), effect);
      all.add(effect);
      ofPlaces.resize(places.size());
      ofPlaces[place].add(effect);
      bool isSeen = !effect.touchesNoCommonMemory() || effect.differs || effect.varies ||
                    effect.lanes != 0 || !effect.groups.isNone() || effect.countsThreads != 0 ||
                    effect.asksSharedSize || effect.asksCluster;
      bool isElsewhere = place != 0 && (own.steps.empty() || own.steps.back().place != place);
      if (isSeen || isElsewhere) {
        own.steps.push_back({std::move(effect), place});
        instructionsOfSteps[numbers[&block]].push_back(&instruction);
      }
    }
    for (const BasicBlock *next : successors(&block))
      if (mayBeTaken(block, *next, code))
        own.next.push_back(numbers[next]);
  }
  addAwaitedCopies();
  addWaits(instructionsOfSteps, sources);
  addHandedOn(instructionsOfSteps, sources);
  differing.resize(places.size());
  const Instructions divergent = divergentIn(*function, sources);
  for (const Instruction *instruction : divergent)
    differing[places.lookUp(instruction->getDebugLoc().get())] = true;
  for (const BasicBlock *block : partedBlocks(*function, divergent))
    blocks[numbers[block]].isParted = true;
  addUpCalls();
}

void KernelEffects::addAwaitedCopies() {
  Effect copies;
  for (const CodeBlock &block : blocks)
    for (const CodeStep &step : block.steps)
      if (step.effect.groups.begins || step.effect.isUnknown) {
        copies.reads.add(step.effect.reads);
        copies.writes.add(step.effect.writes);
      }
  for (CodeBlock &block : blocks)
    for (CodeStep &step : block.steps)
      if (step.effect.groups.awaits)
        for (Effect *effect : {&step.effect, &ofPlaces[step.place], &all})
          effect->add(copies);
}

/// A call does what is done in the function that it enters, whose places have larger numbers.
void KernelEffects::addUpCalls() {
  for (unsigned place = unsigned(places.size()); place-- > 1;) {
    const CodePlace &own = places[place];
    byDepth.resize(std::max<size_t>(byDepth.size(), own.depth));
    byDepth[own.depth - 1].push_back(place);
    if (own.call == 0)
      continue;
    ofPlaces[own.call].add(ofPlaces[place]);
    differing[own.call] = differing[own.call] || differing[place];
  }
}

ArrayRef<unsigned> KernelEffects::placesAt(const CallPath &path) const {
  const size_t depth = path.getFunctions().size();
  return depth <= byDepth.size() ? ArrayRef(byDepth[depth - 1]) : ArrayRef<unsigned>();
}

bool KernelEffects::mayDiffer(const Stmt *part, const CallPath &path,
                              ArrayRef<const Stmt *> except) const {
  if (!isKnown())
    return true;
  auto isExcepted = [&](unsigned place) {
    return llvm::any_of(
        except, [&](const Stmt *each) { return isWithin(place, each, path) == Within::Yes; });
  };
  // What has no place in the text is computed for another statement's sake.
  return llvm::any_of(placesAt(path), [&](unsigned place) {
    return differing[place] && isWithin(place, part, path) >= Within::Shared && !isExcepted(place);
  });
}

ObjectSet KernelEffects::objectsAt(const VarDecl *origin, uint64_t offset) const {
  if (!isKnown())
    return ObjectSet::all();
  ObjectSet others;
  for (unsigned i = 0; i < memory->size(); ++i) {
    const MemoryObject &object = (*memory)[i];
    bool isMeant = object.kind == MemoryObject::Kind::Argument && object.declaration == origin &&
                   object.offset == offset;
    if (isMeant && origin)
      return ObjectSet::of(i);
    if (!object.isShared())
      others.add(i);
  }
  std::optional<unsigned> variable = origin ? memory->find(origin) : std::nullopt;
  return variable ? ObjectSet::of(*variable) : others;
}

bool KernelEffects::mayMeet(const ObjectSet &a, const ObjectSet &b) const {
  return isKnown() ? memory->mayMeet(a, b) : !a.empty() && !b.empty();
}

bool KernelEffects::staysAsItIs(const ObjectSet &objects) const {
  return isKnown() && !all.awaitsGrids && !objects.isAll() &&
         llvm::all_of(objects.numbers(),
                      [&](unsigned number) { return (*memory)[number].isPromised(); });
}

bool KernelEffects::mayWrite(const Effect &effect, const ObjectSet &objects) const {
  bool isTold = effect.signals || effect.meetsOthers;
  return mayMeet(effect.writes, objects) || (isTold && !staysAsItIs(objects));
}

KernelEffects::Within KernelEffects::isWithin(unsigned place, const Stmt *part,
                                              const CallPath &path) const {
  if (place == 0)
    return Within::Nowhere;
  const unsigned own = places.within(path, place);
  if (own == 0)
    return Within::No;
  ArrayRef<const Stmt *> here = places[own].statements;
  if (here.empty())
    return Within::Nowhere;
  const SpotTable &table = places.tableOf(path.end());
  if (!table.isAnyWithin(here, part))
    return Within::No;
  return table.isAnyApart(here, part) ? Within::Shared : Within::Yes;
}

std::optional<KernelEffects::OtherWay> KernelEffects::otherWayTo(const FunctionDecl *callee,
                                                                 ArrayRef<CallPath> known,
                                                                 const CallPath &through) const {
  if (!isKnown() || code.mayCallFromAfar(kernel, callee))
    return OtherWay{true, nullptr};
  for (unsigned place = 1; place < places.size(); ++place) {
    const FunctionDecl *function = places[place].function;
    auto isOnIt = [&](const CallPath &path) { return places.isEndOf(path, place); };
    const unsigned start = places.within(through, place);
    // Of two calls whose code LLVM has merged in part, the rest has places of its own.
    if (!function || !isOfSameText(function, callee) || start == 0 || !places.isWritten(place) ||
        llvm::any_of(known, isOnIt))
      continue;
    const ArrayRef<const Stmt *> here = places[start].statements;
    return OtherWay{false, here.empty() ? nullptr : here.back()};
  }
  return std::nullopt;
}

const void *KernelEffects::entryOf(const CodeStep &step, const CallPath &path) const {
  const unsigned call = places[places.within(path, step.place)].call;
  return call == 0 ? nullptr : places[call].location;
}

Effect KernelEffects::of(const Stmt *part, const CallPath &path) const {
  if (!isKnown())
    return anyEffect();
  if (!places.tableOf(path.end()).has(part))
    return inAnyCall(part);
  Effect effect = ofPlaces[0];
  for (unsigned place : placesAt(path))
    if (isWithin(place, part, path) != Within::No)
      effect.add(ofPlaces[place]);
  return effect;
}

/// Of a part of some other function, wherever that is called.
Effect KernelEffects::inAnyCall(const Stmt *part) const {
  const auto mayHold = [&](const CodePlace &place) {
    if (!place.function)
      return true;
    const SpotTable &table = places.tableOf(place.function);
    return table.has(part) &&
           (place.statements.empty() || table.isAnyWithin(place.statements, part));
  };
  Effect effect = ofPlaces[0];
  for (unsigned place = 1; place < places.size(); ++place)
    if (mayHold(places[place]))
      effect.add(ofPlaces[place]);
  return effect;
}

Effect KernelEffects::ofText(SourceRange range) const {
  if (!isKnown())
    return anyEffect();
  const SourceManager &sources = kernel->getASTContext().getSourceManager();
  Spot begin = spotAt(sources, range.getBegin()), end = spotAt(sources, range.getEnd());
  Effect effect;
  for (const auto &[spot, own] : bySpots())
    if (!spot.isKnown() || (!(spot < begin) && !(end < spot)))
      effect.add(own);
  return effect;
}

std::map<Spot, Effect> KernelEffects::bySpots() const {
  std::map<Spot, Effect> effects{{Spot(), ofPlaces[0]}};
  for (unsigned place : placesAt(CallPath(kernel)))
    effects[places[place].spot].add(ofPlaces[place]);
  return effects;
}

unsigned KernelEffects::alignmentOf(const VarDecl *array) const {
  std::optional<unsigned> object = isKnown() ? memory->find(array) : std::nullopt;
  unsigned alignment = isKnown() ? 1 : 16;
  for (const CodeBlock &block : blocks)
    for (const CodeStep &step : block.steps)
      if (object && (step.effect.reads.has(*object) || step.effect.writes.has(*object)))
        alignment = std::max(alignment, step.effect.alignment);
  return alignment;
}

std::optional<KernelEffects::Writer>
KernelEffects::otherWriterOf(const VarDecl *array, const Stmt *copy, const CallPath &path) const {
  if (!isKnown())
    return Writer{};
  std::optional<unsigned> object = memory->find(array);
  for (const CodeBlock &block : blocks)
    for (const CodeStep &step : block.steps)
      if (object && step.effect.beginsWrites.has(*object) &&
          isWithin(step, copy, path) != Within::Yes)
        return Writer{statementInText(step)};
  return std::nullopt;
}

bool KernelEffects::isWrittenOnlyBy(const VarDecl *array, ArrayRef<Part> parts) const {
  const std::optional<unsigned> object = isKnown() ? memory->find(array) : std::nullopt;
  auto isOfPart = [&](const CodeStep &step) {
    return llvm::any_of(parts, [&](const Part &part) {
      return isWithin(step, part.statement, part.path) == Within::Yes;
    });
  };
  return object && llvm::all_of(blocks, [&](const CodeBlock &block) {
           return llvm::all_of(block.steps, [&](const CodeStep &step) {
             return !step.effect.beginsWrites.has(*object) || isOfPart(step);
           });
         });
}

bool KernelEffects::beginsCopiesBeside(ArrayRef<Part> parts) const {
  return !isKnown() || llvm::any_of(blocks, [&](const CodeBlock &block) {
    return llvm::any_of(block.steps, [&](const CodeStep &step) {
      const auto isOfPart = [&](const Part &part) {
        return isWithin(step, part.statement, part.path) == Within::Yes;
      };
      return (step.effect.groups.begins || step.effect.isUnknown) && llvm::none_of(parts, isOfPart);
    });
  });
}

KernelEffects::Accesses KernelEffects::accessesTo(const VarDecl *array, unsigned dimensions,
                                                  const Stmt *copy, const CallPath &path,
                                                  const Alignments &aligned) const {
  Accesses accesses;
  const GlobalVariable *variable = isKnown() ? code.sharedArray(array) : nullptr;
  if (!variable) {
    accesses.areOfElements = isKnown();
    return accesses;
  }
  auto placeOf = [&](const Instruction &instruction) {
    const DILocation *location = instruction.getDebugLoc().get();
    return location ? places.lookUp(location) : 0;
  };
  auto isOfCopy = [&](const Instruction &instruction) {
    return isWithin(placeOf(instruction), copy, path) == Within::Yes;
  };
  auto alignedAt = [&](const Instruction &instruction) {
    uint64_t bytes = 0;
    for (const Stmt *here : statementsInText(placeOf(instruction)))
      bytes = std::max(bytes, aligned.lookup(here));
    return bytes;
  };
  ElementUses uses = elementUsesOf(*variable, dimensions, *function, isOfCopy, alignedAt);
  accesses.widest = uses.widest;
  accesses.areOfElements = !uses.other;
  if (uses.other) {
    ArrayRef<const Stmt *> here = statementsInText(placeOf(*uses.other));
    accesses.other = here.empty() ? nullptr : here.back();
  }
  return accesses;
}

bool KernelEffects::mayOutliveRound(const VarDecl *array, const Stmt *copy,
                                    const CallPath &path) const {
  const GlobalVariable *variable = isKnown() ? code.sharedArray(array) : nullptr;
  if (!variable)
    return true;
  SmallVector<const BasicBlock *, 8> copying;
  size_t number = 0;
  for (const BasicBlock &block : *function)
    if (llvm::any_of(blocks[number++].steps, [&](const CodeStep &step) {
          return isWithin(step, copy, path) == Within::Yes;
        }))
      copying.push_back(&block);
  return outlivesRound(*function, variable, copying);
}

const KernelEffects &Effects::of(const FunctionDecl *kernel) const {
  if (!code)
    code = std::make_unique<DeviceCode>(context, kernels);
  std::unique_ptr<KernelEffects> &own = known[kernel];
  if (!own)
    own = std::make_unique<KernelEffects>(kernel, *code, typesTellApart);
  return *own;
}

} // namespace tilelift
