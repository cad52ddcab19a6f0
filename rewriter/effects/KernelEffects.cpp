//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "effects/KernelEffects.h"

#include "effects/Divergence.h"
#include "effects/ElementUses.h"
#include "effects/Escapes.h"
#include "effects/Waits.h"
#include "effects/WaysNotTaken.h"
#include "support/Builtins.h"
#include "support/VariableFacts.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/Support/Path.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Of code that nobody has seen.
Effect anyEffect() {
  Effect effect;
  effect.reads = effect.writes = effect.beginsWrites = ObjectSet::all();
  effect.meetsBlock = effect.meetsOthers = effect.signals = effect.acquires = true;
  effect.fencesProxy = true;
  effect.mayLeave = effect.differs = effect.varies = effect.asksSharedSize = true;
  effect.isUnknown = true;
  effect.countsThreads = 7;
  return effect;
}

} // namespace

/// Loads that may find something else for each thread: between the same barriers of the block,
/// something may be written there, and other means put threads in an order, as atomic accesses and
/// named barriers do.
void KernelEffects::addHandedOn(const InstructionsOfSteps &instructions,
                                Instructions &sources) const {
  if (!all.signals && !all.meetsOthers)
    return;
  using At = std::pair<unsigned, size_t>; // block and step
  std::vector<At> starts{{0, 0}};
  for (unsigned block = 0; block < blocks.size(); ++block)
    for (size_t step = 0; step < blocks[block].steps.size(); ++step)
      if (blocks[block].steps[step].effect.meetsBlock)
        starts.push_back({block, step + 1});
  for (const At &start : starts) {
    bool takesTurns = false;
    ObjectSet written;
    std::vector<At> open{start}, reads;
    std::vector<bool> isSeen(blocks.size());
    while (!open.empty()) {
      auto [block, step] = open.back();
      open.pop_back();
      const std::vector<CodeStep> &steps = blocks[block].steps;
      for (; step < steps.size() && !steps[step].effect.meetsBlock; ++step) {
        const Effect &effect = steps[step].effect;
        takesTurns |= effect.signals || effect.meetsOthers;
        written.add(effect.beginsWrites);
        if (!effect.reads.empty())
          reads.push_back({block, step});
      }
      for (unsigned next : blocks[block].next)
        if (step == steps.size() && !isSeen[next]) {
          isSeen[next] = true;
          open.push_back({next, 0});
        }
    }
    for (auto [block, step] : reads)
      if (takesTurns && mayMeet(written, blocks[block].steps[step].effect.reads))
        sources.insert(instructions[block][step]);
  }
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
    : kernel(kernel), code(code), function(code.of(kernel)) {
  if (!function) {
    all = anyEffect();
    return;
  }
  memory = std::make_unique<Memory>(kernel, *function, code, typesTellApart);
  places.emplace_back(); // of what has none
  entries.emplace_back();
  ofPlaces.emplace_back();
  DenseMap<const BasicBlock *, unsigned> numbers;
  for (const BasicBlock &block : *function)
    numbers.try_emplace(&block, unsigned(numbers.size()));
  blocks.resize(numbers.size());
  Instructions sources;
  InstructionsOfSteps instructionsOfSteps(numbers.size());
  for (const BasicBlock &block : *function) {
    CodeBlock &own = blocks[numbers[&block]];
    for (const Instruction &instruction : block) {
      Effect effect = effectOf(instruction, *memory, code);
      if (effect.differs || effect.varies)
        sources.insert(&instruction);
      unsigned place = placeOf(instruction.getDebugLoc().get());
      all.add(effect);
      ofPlaces.resize(places.size());
      ofPlaces[place].add(effect);
      bool isSeen = !effect.isNothing() || effect.differs || effect.varies ||
                    effect.countsThreads != 0 || effect.asksSharedSize;
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
  addWaits(instructionsOfSteps, sources);
  addHandedOn(instructionsOfSteps, sources);
  differing.resize(places.size());
  for (const Instruction *instruction : divergentIn(*function, sources))
    differing[placeOf(instruction->getDebugLoc().get())] = true;
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
  for (size_t place = 1; place < places.size(); ++place)
    if (differing[place] && isWithin(unsigned(place), part, path) >= Within::Shared &&
        !isExcepted(unsigned(place)))
      return true;
  return false;
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

/// From the innermost function outwards, as debug information has it, and back.
unsigned KernelEffects::placeOf(const DILocation *location) {
  if (!location)
    return 0;
  auto [known, isNew] = placeNumbers.try_emplace(location, unsigned(places.size()));
  if (!isNew)
    return known->second;
  Frames frames;
  auto &entered = entries.emplace_back();
  for (const DILocation *at = location; at; at = at->getInlinedAt()) {
    frames.push_back(
        {code.functionOf(at->getScope()->getSubprogram()),
         {at->getLine(), at->getColumn(), sys::path::filename(at->getFilename()).str()}});
    entered.push_back(at->getInlinedAt());
  }
  std::reverse(frames.begin(), frames.end());
  std::reverse(entered.begin(), entered.end());
  places.push_back(std::move(frames));
  return unsigned(places.size() - 1);
}

const SpotTable &KernelEffects::spotsOf(const FunctionDecl *function) const {
  return spots.try_emplace(function->getCanonicalDecl(), function).first->second;
}

/// Where in the path's last function; null where the step was not made by that. Calls of a
/// lambda are as good as each other: they run the same text.
const Spot *KernelEffects::spotIn(unsigned place, const CallPath &path) const {
  const Frames &frames = places[place];
  size_t depth = path.getFunctions().size(), textDepth = path.textDepth();
  if (frames.size() < depth)
    return nullptr;
  for (size_t i = 0; i < depth; ++i) {
    const auto &[function, spot] = frames[i];
    const FunctionDecl *wanted = path.getFunctions()[i];
    if (!function || function->getCanonicalDecl() != wanted->getCanonicalDecl())
      return nullptr;
    bool isCallOfText = i + 1 < textDepth;
    if (isCallOfText && !spotsOf(wanted).isAt(path.getCalls()[i], spot))
      return nullptr;
  }
  return &frames[depth - 1].second;
}

KernelEffects::Within KernelEffects::isWithin(unsigned place, const Stmt *part,
                                              const CallPath &path) const {
  if (place == 0)
    return Within::Nowhere;
  const Spot *spot = spotIn(place, path);
  if (!spot)
    return Within::No;
  const SpotTable &table = spotsOf(path.end());
  if (table.at(*spot).empty())
    return Within::Nowhere;
  if (!table.isAnyWithin(*spot, part))
    return Within::No;
  return table.isAnyApart(*spot, part) ? Within::Shared : Within::Yes;
}

const void *KernelEffects::entryOf(const CodeStep &step, const CallPath &path) const {
  return step.place != 0 && spotIn(step.place, path)
             ? entries[step.place][path.getFunctions().size() - 1]
             : nullptr;
}

Effect KernelEffects::of(const Stmt *part, const CallPath &path) const {
  if (!isKnown())
    return anyEffect();
  if (!spotsOf(path.end()).has(part))
    return inAnyCall(part);
  Effect effect;
  for (size_t place = 0; place < places.size(); ++place)
    if (isWithin(unsigned(place), part, path) != Within::No)
      effect.add(ofPlaces[place]);
  return effect;
}

/// Of a part of some other function, wherever that is called.
Effect KernelEffects::inAnyCall(const Stmt *part) const {
  const auto mayHold = [&](const std::pair<const FunctionDecl *, Spot> &frame) {
    if (!frame.first)
      return true;
    const SpotTable &table = spotsOf(frame.first);
    return table.has(part) &&
           (table.at(frame.second).empty() || table.isAnyWithin(frame.second, part));
  };
  Effect effect = ofPlaces[0];
  for (size_t place = 1; place < places.size(); ++place)
    if (llvm::any_of(places[place], mayHold))
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
  std::map<Spot, Effect> effects;
  for (size_t place = 0; place < places.size(); ++place)
    effects[place == 0 ? Spot() : places[place].front().second].add(ofPlaces[place]);
  return effects;
}

const Stmt *KernelEffects::statementAt(const CodeStep &step, const CallPath &path) const {
  const Spot *spot = step.place == 0 ? nullptr : spotIn(step.place, path);
  if (!spot || spotsOf(path.end()).isShared(*spot))
    return nullptr;
  ArrayRef<const Stmt *> here = spotsOf(path.end()).at(*spot);
  return here.empty() ? nullptr : here.back();
}

const CallExpr *KernelEffects::callAt(const CodeStep &step, const CallPath &path) const {
  const Spot *spot = step.place == 0 ? nullptr : spotIn(step.place, path);
  const CallExpr *innermost = nullptr;
  if (spot && !spotsOf(path.end()).isShared(*spot))
    for (const Stmt *here : spotsOf(path.end()).at(*spot))
      if (const auto *call = dyn_cast<CallExpr>(here))
        innermost = call;
  return innermost;
}

bool KernelEffects::isStatement(const Expr *expression, const CallPath &path) const {
  const SpotTable &table = spotsOf(path.end());
  const Stmt *parent = table.parentOf(expression);
  while (isa_and_nonnull<FullExpr>(parent))
    parent = table.parentOf(parent);
  return isa_and_nonnull<CompoundStmt>(parent);
}

namespace {

/// Whether a function is a lambda whose text is part of the kernel's.
bool isPartOf(const FunctionDecl *kernel, const FunctionDecl *lambda) {
  const auto *function = dyn_cast_or_null<FunctionDecl>(textAround(lambda));
  return function && function->getCanonicalDecl() == kernel->getCanonicalDecl();
}

} // namespace

ArrayRef<const Stmt *> KernelEffects::statementsInText(unsigned place) const {
  if (place == 0)
    return {};
  const Frames &frames = places[place];
  size_t innermost = 0;
  while (innermost + 1 < frames.size() && frames[innermost + 1].first &&
         isLambda(frames[innermost + 1].first) && isPartOf(kernel, frames[innermost + 1].first))
    ++innermost;
  const auto &[function, spot] = frames[innermost];
  const SpotTable &table = spotsOf(function);
  return table.isShared(spot) ? ArrayRef<const Stmt *>() : table.at(spot);
}

const Stmt *KernelEffects::statementInText(const CodeStep &step) const {
  ArrayRef<const Stmt *> here = statementsInText(step.place);
  return here.empty() ? nullptr : here.back();
}

const CallExpr *KernelEffects::callInText(const CodeStep &step) const {
  const CallExpr *innermost = nullptr;
  for (const Stmt *here : statementsInText(step.place))
    if (const auto *call = dyn_cast<CallExpr>(here))
      innermost = call;
  return innermost;
}

bool KernelEffects::namesBlockSize(const CodeStep &step) const {
  return llvm::any_of(statementsInText(step.place), tilelift::namesBlockSize);
}

Effect KernelEffects::ofCallInText(const CallExpr *call) const {
  Effect effect;
  for (const CodeBlock &block : blocks)
    for (const CodeStep &step : block.steps)
      if (callInText(step) == call)
        effect.add(step.effect);
  return effect;
}

bool KernelEffects::isStatementInText(const CallExpr *call) const {
  return llvm::any_of(spots, [&](const auto &known) {
    const Stmt *parent = known.second.parentOf(call);
    while (isa_and_nonnull<FullExpr>(parent))
      parent = known.second.parentOf(parent);
    return isa_and_nonnull<CompoundStmt>(parent);
  });
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
    return location ? placeNumbers.lookup(location) : 0;
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
