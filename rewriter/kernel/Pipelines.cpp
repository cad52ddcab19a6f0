//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/Pipelines.h"

#include "interpreter/CopyAnalysis.h"
#include "kernel/Sizes.h"
#include "order/AddedWarp.h"
#include "spelling/NamedParts.h"
#include "support/DeclaredNames.h"
#include "support/Locations.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Why there is no room for a pipeline's variables before its loop, if there is none.
const char *whyNoRoom(const AnnotatedStatement &annotated, const VariableFacts &facts,
                      const SourceManager &sources) {
  if (!annotated.path.inKernel())
    return "a pipeline in a function that a kernel calls";
  const Stmt *around = facts.parentOf(loopOf(annotated));
  if (const auto *attributed = dyn_cast_or_null<AttributedStmt>(around)) {
    if (placeOf(sources, attributed->getAttrLoc()).offset < annotated.directive->begin.offset)
      return "a pipeline behind another pragma of the loop";
    around = facts.parentOf(around);
  }
  bool isInBlock = isa_and_nonnull<CompoundStmt>(around);
  return isInBlock ? nullptr : "a pipeline of a loop that does not stand in a block";
}

/// Why no warp can be added to a kernel's block, as far as that is no matter of its text.
std::optional<Diagnostic> whyNoProducer(const InstancePlan &instance,
                                        const KernelEffects &effects) {
  if (!instance.pipelines.back().hasProducer)
    return std::nullopt;
  for (const PlannedCopy &copy : instance.copies)
    if (!copy.path.inKernel())
      return diagnose(diag::no_producer, {}, "a function that the kernel calls makes copies, too");
  auto uses = findBlockUses(instance.function, instance.block, effects);
  auto *reason = std::get_if<Diagnostic>(&uses);
  return reason ? std::optional(std::move(*reason)) : std::nullopt;
}

void setStages(InstancePlan &instance, size_t pipeline, unsigned stages) {
  for (PlannedCopy &copy : instance.copies)
    if (copy.pipeline == pipeline)
      copy.plan.stages = copy.ahead->stages = stages;
}

/// As many as are asked for, or as many as bring something.
std::variant<RingUse, Diagnostic> stagesOf(const Directive &directive, InstancePlan filled) {
  if (const std::optional<CountArgument> &asked = directive.clauses.stages) {
    auto stages = countOf(*asked, "stages", mostRoundsAhead, filled.function);
    if (auto *wrong = std::get_if<Diagnostic>(&stages))
      return std::move(*wrong);
    return RingUse{std::get<unsigned>(stages)};
  }
  size_t pipeline = filled.pipelines.size() - 1;
  Bytes roundBytes;
  for (const PlannedCopy &copy : filled.copies)
    roundBytes += copy.pipeline == pipeline ? copy.plan.expectedBytes : Bytes();
  KernelSizes sizes = sizesOf(filled.function);
  SmallVector<RingUse, 4> choices;
  BlockShape block =
      filled.pipelines.back().hasProducer ? withAddedWarp(filled.block) : filled.block;
  for (unsigned stages : {2, 3, 4}) {
    setStages(filled, pipeline, stages);
    bool fits = !fitTogether(tilePlansOf(filled), sizes);
    if (fits || choices.empty())
      choices.push_back(
          ringUse(stages, sharedBytesOf(tilePlansOf(filled), sizes), roundBytes, block));
  }
  return pickStages(choices);
}

/// Gives a second tile to the only store of a pipeline, so that rounds use two tiles alternately,
/// if there is room for it.
void takeTurns(InstancePlan &instance, const KernelUnderTest &under) {
  const Rounds &rounds = instance.pipelines.back().rounds;
  PlannedCopy *store = nullptr;
  for (PlannedCopy &copy : instance.copies) {
    if (copy.plan.kind == CopyKind::Load)
      continue;
    if (store) // how many are on their way is counted for all of them
      return;
    store = &copy;
  }
  bool isOwn =
      store && under.facts.isWithin(store->statement, rounds.loop) && store->path.inKernel() &&
      store->tile->getType()->isConstantArrayType() && store->plan.layout.slot.count().isZero() &&
      llvm::count_if(instance.copies,
                     [&](const PlannedCopy &copy) { return copy.tile == store->tile; }) == 1;
  if (!isOwn)
    return;
  const Stmt *writer =
      onlyWriter({store->statement, store->tile, &store->plan.base}, rounds, under);
  KernelUnderTest writing = under;
  writing.kind = CopyKind::Load;
  if (!writer || !alwaysWrites(writing, writer, {*store->relation, store->tile}))
    return;
  store->plan.stages = 2;
  store->hasTwoTiles = !fitTogether(tilePlansOf(instance), sizesOf(instance.function));
  if (!store->hasTwoTiles)
    store->plan.stages = 1;
}

/// Finds the names for a copy that is made ahead of its round, or says why it is not.
std::optional<Diagnostic> fillAhead(PlannedCopy &copy, const Rounds &rounds,
                                    const KernelUnderTest &under) {
  const Plan &plan = copy.plan;
  auto missing = [&](const char *what) {
    return diagnose(diag::not_available_yet, plan.place, what);
  };
  if (!copy.path.inKernel())
    return missing("a pipeline of a copy in a function that the kernel calls");
  if (copy.tile->getType()->isIncompleteArrayType())
    return missing("a pipeline of tiles in dynamic shared memory");
  if (!plan.layout.slot.count().isZero())
    return missing("a pipeline of tiles that have stages already");
  if (!copy.whyCellsStay.empty())
    return diagnose(diag::tile_keeps_values, plan.place, plan.tile, copy.whyCellsStay);
  if (std::optional<Diagnostic> reason =
          whyNotAhead({copy.statement, copy.tile, &plan.base}, rounds, under))
    return reason;
  copy.ahead = plan;
  std::optional<PlaceInRound> where = placeInRound(copy.statement, rounds, under.facts);
  copy.branches = where->branches;
  copy.inRound = where->statement;
  NamesAhead names(copy.statement, rounds, under);
  for (const BranchCondition &branch : copy.branches)
    for (const VarDecl *variable : variablesIn(branch.condition))
      if (!names.has(variable->getName()))
        return diagnose(diag::not_ahead, plan.place,
                        "'" + variable->getNameAsString() +
                            "', which its condition names, is not known before its round");
  auto isUnknown = [&](const auto &named) { return !names.has(named.name); };
  llvm::erase_if(copy.ahead->names, isUnknown);
  llvm::erase_if(copy.ahead->pointers, isUnknown);
  copy.ahead->isAhead = true;
  auto isSame = [&](const std::string &part) { return names.isSame(part); };
  for (SymbolId id = 0; id < copy.ahead->symbols.size(); ++id)
    if (const Symbol &symbol = plan.symbols[id]; symbol.isLookedUp) {
      bool isThere = symbol.isFixed && symbol.name && llvm::all_of(symbol.name->parts, isSame);
      if (!isThere)
        copy.ahead->symbols.hideAtCopy(id);
      else if (symbol.readableOnceMore)
        copy.ahead->symbols.showAtCopy(id);
    }
  if (std::optional<Unnamed> unnamed = unnamedPart(*copy.ahead))
    return diagnose(diag::not_ahead, plan.place,
                    "'" + unnamed->what + "' is not known before its round");
  return std::nullopt;
}

} // namespace

const Stmt *loopOf(const AnnotatedStatement &annotated) {
  const auto *attributed = dyn_cast<AttributedStmt>(annotated.statement);
  return attributed ? attributed->getSubStmt() : annotated.statement;
}

void planPipeline(InstancePlan &instance, const AnnotatedStatement &annotated,
                  const FileFacts &file, Verdicts &verdicts) {
  const SourceManager &sources = file.context.getSourceManager();
  const Directive &directive = *annotated.directive;
  auto refuseIt = [&](Diagnostic reason) {
    verdicts.refuse(std::move(reason), directive, instance.function);
  };
  const Stmt *loop = loopOf(annotated);
  if (!isa<ForStmt, WhileStmt>(loop)) // said before
    return;
  VariableFacts facts(annotated.path);
  const KernelEffects &own = file.effects.of(instance.function);
  Uniformity uniformity(facts, own, annotated.path);
  if (const char *what = whyNoRoom(annotated, facts, sources))
    return refuseIt(diagnose(diag::not_available_yet, directive.begin, what));
  auto isMade = [&](const PlannedCopy &copy) {
    return copy.plan.kind == CopyKind::Load && facts.isWithin(copy.statement, loop);
  };
  bool isEmpty = llvm::none_of(instance.copies, isMade);
  if (isEmpty && (file.selection.only || file.selection.onlyProfitable))
    return; // what it would be of was not selected
  const bool isCalled = llvm::any_of(instance.copies, [&](const PlannedCopy &copy) {
    return copy.plan.kind == CopyKind::Load &&
           llvm::any_of(copy.path.getCalls(),
                        [&](const CallExpr *call) { return facts.isWithin(call, loop); });
  });
  if (isEmpty)
    return refuseIt(isCalled ? diagnose(diag::not_available_yet, directive.begin,
                                        "a pipeline of a copy in a function that the loop calls")
                             : diagnose(diag::pipeline_empty, directive.begin));
  auto rounds = findRounds(loop, uniformity, sources);
  if (auto *reason = std::get_if<Diagnostic>(&rounds))
    return refuseIt(std::move(*reason));
  InstancePlan filled = instance;
  filled.pipelines.push_back(
      {&directive, std::get<Rounds>(rounds), directive.clauses.hasProducer, {}});
  KernelUnderTest under{file.context, annotated.path, facts, own, uniformity, instance.block};
  for (PlannedCopy &copy : filled.copies) {
    if (!isMade(copy))
      continue;
    copy.pipeline = instance.pipelines.size();
    if (std::optional<Diagnostic> reason = fillAhead(copy, std::get<Rounds>(rounds), under))
      return refuseIt(std::move(*reason));
  }
  if (std::optional<Diagnostic> reason = whyNoProducer(filled, own)) {
    if (directive.clauses.fallback != Fallback::Loop)
      return refuseIt(std::move(*reason));
    reason->severity = Severity::Warning;
    reason->place = directive.statement;
    verdicts.say(std::move(*reason));
    filled.pipelines.back().hasProducer = false;
  }
  auto use = stagesOf(directive, filled);
  if (auto *wrong = std::get_if<Diagnostic>(&use)) {
    verdicts.fail(std::move(*wrong));
    return;
  }
  filled.pipelines.back().use = std::get<RingUse>(use);
  setStages(filled, instance.pipelines.size(), filled.pipelines.back().use.stages);
  instance = std::move(filled);
  takeTurns(instance, under);
}

} // namespace tilelift
