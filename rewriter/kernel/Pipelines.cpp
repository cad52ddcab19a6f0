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
#include "support/LoopsAndLabels.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// A loop whose copies may be made ahead, and the pragma that asks for it, if there is one.
struct LoopAhead {
  const Stmt *loop = nullptr;
  const Directive *directive = nullptr;
  CallPath path;
};

/// Where a line with a pragma begins; nothing if a macro or an attribute in brackets stands for it.
std::optional<Place> lineOfPragma(const SourceManager &sources, SourceLocation location) {
  if (!location.isFileID())
    return std::nullopt;
  const Place place = tilelift::placeOf(sources, location);
  const UserFile file = fileAt(sources, place);
  const unsigned at = place.offset - file.begin;
  const size_t line = file.text.rfind('\n', at) + 1;
  const size_t hash = file.text.find_first_not_of(" \t", line);
  if (hash > at || file.text[hash] != '#')
    return std::nullopt;
  return tilelift::placeOf(sources, location.getLocWithOffset(int(hash) - int(at)));
}

/// Whether a jump may lead from before a statement of a block to behind it: past variables that are
/// declared there.
bool mayBeJumpedOver(const Stmt *statement, const CompoundStmt &block) {
  auto found = llvm::find(block.body(), statement);
  return std::any_of(found, block.body_end(), [](const Stmt *behind) {
    return isa<SwitchCase>(behind) || hasLabel(behind);
  });
}

/// Where the pipeline's variables are declared: before the loop and the pragmas in front of it. Or
/// why there is no room for them.
std::variant<Place, const char *> placeOf(const LoopAhead &ahead, const VariableFacts &facts,
                                          const SourceManager &sources) {
  if (!ahead.path.inKernel())
    return "a pipeline in a function that a kernel calls";
  std::optional<Place> place = tilelift::placeOf(sources, ahead.loop->getBeginLoc());
  const Stmt *statement = ahead.loop, *around = facts.parentOf(ahead.loop);
  if (const auto *attributed = dyn_cast_or_null<AttributedStmt>(around)) {
    place = lineOfPragma(sources, attributed->getAttrLoc());
    if (ahead.directive ? tilelift::placeOf(sources, attributed->getAttrLoc()).offset <
                              ahead.directive->begin.offset
                        : !place)
      return "a pipeline behind another pragma of the loop";
    statement = std::exchange(around, facts.parentOf(around));
  }
  const auto *block = dyn_cast_or_null<CompoundStmt>(around);
  if (!block)
    return "a pipeline of a loop that does not stand in a block";
  if (mayBeJumpedOver(statement, *block))
    return "a pipeline of a loop with a label or a 'case' behind it";
  return ahead.directive ? ahead.directive->statement : *place;
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

/// What the last pipeline's ring would be with 2, 3 and 4 stages. More than two are among the
/// choices only if the kernel has room for them.
SmallVector<RingUse, 4> choicesOf(InstancePlan filled, const KernelSizes &sizes) {
  size_t pipeline = filled.pipelines.size() - 1;
  Bytes roundBytes;
  for (const PlannedCopy &copy : filled.copies)
    roundBytes += copy.pipeline == pipeline ? copy.plan.expectedBytes : Bytes();
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
  return choices;
}

/// As many stages as are asked for, or as many as bring something.
std::variant<RingUse, Diagnostic> stagesOf(const Directive &directive, const InstancePlan &filled,
                                           const KernelSizes &sizes) {
  const std::optional<CountArgument> &asked = directive.clauses.stages;
  if (!asked)
    return pickStages(choicesOf(filled, sizes));
  auto stages = countOf(*asked, "stages", mostRoundsAhead, filled.function);
  if (auto *wrong = std::get_if<Diagnostic>(&stages))
    return std::move(*wrong);
  return RingUse{std::get<unsigned>(stages)};
}

/// Gives a second tile to the only store of a pipeline, so that rounds use two tiles alternately,
/// if there is room for it.
void takeTurns(InstancePlan &instance, const KernelUnderTest &under, const KernelSizes &sizes) {
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
  store->hasTwoTiles = !fitTogether(tilePlansOf(instance), sizes);
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

/// The instance with the loads of a loop made ahead of their rounds, or why they cannot be.
std::variant<InstancePlan, Diagnostic>
withPipeline(const InstancePlan &instance, const LoopAhead &ahead, const KernelUnderTest &under) {
  const SourceManager &sources = under.context.getSourceManager();
  const Place asked = ahead.directive ? ahead.directive->begin
                                      : tilelift::placeOf(sources, ahead.loop->getBeginLoc());
  auto place = placeOf(ahead, under.facts, sources);
  if (const char **what = std::get_if<const char *>(&place))
    return diagnose(diag::not_available_yet, asked, *what);
  auto isIn = [&](const Stmt *part) { return under.facts.isWithin(part, ahead.loop); };
  auto isLoad = [](const PlannedCopy &copy) { return copy.plan.kind == CopyKind::Load; };
  auto isMade = [&](const PlannedCopy &copy) { return isLoad(copy) && isIn(copy.statement); };
  if (llvm::none_of(instance.copies, isMade)) {
    const bool isCalled = llvm::any_of(instance.copies, [&](const PlannedCopy &copy) {
      return isLoad(copy) && llvm::any_of(copy.path.getCalls(), isIn);
    });
    return isCalled ? diagnose(diag::not_available_yet, asked,
                               "a pipeline of a copy in a function that the loop calls")
                    : diagnose(diag::pipeline_empty, asked);
  }
  auto rounds = findRounds(ahead.loop, under.uniformity, sources);
  if (auto *reason = std::get_if<Diagnostic>(&rounds))
    return std::move(*reason);
  const Rounds &found = std::get<Rounds>(rounds);
  InstancePlan filled = instance;
  filled.pipelines.push_back({ahead.directive,
                              std::get<Place>(place),
                              found,
                              ahead.directive && ahead.directive->clauses.hasProducer,
                              {}});
  for (PlannedCopy &copy : filled.copies) {
    if (!isMade(copy))
      continue;
    copy.pipeline = instance.pipelines.size();
    if (std::optional<Diagnostic> reason = fillAhead(copy, found, under))
      return std::move(*reason);
  }
  return filled;
}

/// The innermost loops in which loads are neither made ahead yet nor asked to be.
SmallVector<LoopAhead, 4> loopsWithLoads(const InstancePlan &instance,
                                         const DenseSet<const Stmt *> &asked) {
  SmallVector<LoopAhead, 4> loops;
  for (const PlannedCopy &copy : instance.copies) {
    if (copy.plan.kind != CopyKind::Load || !copy.path.inKernel() || asked.contains(copy.statement))
      continue;
    const VariableFacts facts(copy.path);
    const Stmt *loop = innermostLoopAround(copy.statement, facts);
    if (isa_and_nonnull<ForStmt, WhileStmt>(loop) &&
        llvm::none_of(loops, [&](const LoopAhead &each) { return each.loop == loop; }))
      loops.push_back({loop, nullptr, copy.path});
  }
  return loops;
}

/// The stages of a ring that nobody asks for; nothing if it would not lie in static shared memory,
/// or if it leaves an SM fewer blocks, and these are less than half of the threads that it may
/// have.
std::optional<RingUse> stagesOfOwnRing(const InstancePlan &before, const InstancePlan &filled,
                                       const KernelSizes &sizes) {
  InstancePlan without = before, with = filled;
  const int64_t blocks =
      ringUse(1, sharedBytesOf(tilePlansOf(without), sizes), Bytes(), before.block).blocks;
  const int64_t threads = int64_t(before.block[0]) * before.block[1] * before.block[2];
  SmallVector<RingUse, 4> choices = choicesOf(filled, sizes);
  llvm::erase_if(choices, [&](const RingUse &use) {
    setStages(with, filled.pipelines.size() - 1, use.stages);
    const bool isFull = use.blocks >= blocks || (use.blocks >= 2 && use.blocks * threads >= 1024);
    return !isFull || fitTogether(tilePlansOf(with), sizes) ||
           needsDynamicRings(tilePlansOf(with), sizes);
  });
  return choices.empty() ? std::nullopt : std::optional(pickStages(choices));
}

/// Why copies cannot be made ahead whose statements close groups of cp.async copies: others are
/// waited for by counting groups.
std::optional<Diagnostic> whyGroupsAreLost(const InstancePlan &filled, const KernelEffects &own) {
  std::vector<KernelEffects::Part> lifted;
  for (const PlannedCopy &copy : filled.copies)
    if (copy.plan.copyChecks.empty())
      lifted.push_back({copy.statement, copy.path});
  for (const PlannedCopy &copy : filled.copies)
    if (copy.pipeline && own.of(copy.statement, copy.path).groups.closes &&
        own.beginsCopiesBeside(lifted))
      return diagnose(diag::not_available_yet, copy.plan.place,
                      "a ring of copies whose statement closes a group of cp.async copies, beside "
                      "others that are waited for in groups,");
  return std::nullopt;
}

} // namespace

const Stmt *loopOf(const AnnotatedStatement &annotated) {
  const auto *attributed = dyn_cast<AttributedStmt>(annotated.statement);
  return attributed ? attributed->getSubStmt() : annotated.statement;
}

void planPipeline(InstancePlan &instance, const AnnotatedStatement &annotated,
                  const FileFacts &file, Verdicts &verdicts) {
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
  KernelUnderTest under{file.context, annotated.path, facts, own, uniformity, instance.block};
  under.readsPrivateMembers = file.selection.output == Output::Program;
  auto made = withPipeline(instance, {loop, &directive, annotated.path}, under);
  if (auto *reason = std::get_if<Diagnostic>(&made)) {
    // With a copy selected, what the pipeline would be of may not be.
    if (reason->id == DiagnosticId::pipeline_empty && file.selection.only)
      return;
    return refuseIt(std::move(*reason));
  }
  InstancePlan &filled = std::get<InstancePlan>(made);
  if (std::optional<Diagnostic> reason = whyNoProducer(filled, own)) {
    if (directive.clauses.fallback != Fallback::Loop)
      return refuseIt(std::move(*reason));
    reason->severity = Severity::Warning;
    reason->place = directive.statement;
    verdicts.say(std::move(*reason));
    filled.pipelines.back().hasProducer = false;
  }
  if (std::optional<Diagnostic> reason = whyGroupsAreLost(filled, own))
    return refuseIt(std::move(*reason));
  const KernelSizes sizes = sizesOf(instance.function, file.effects);
  auto use = stagesOf(directive, filled, sizes);
  if (auto *wrong = std::get_if<Diagnostic>(&use)) {
    verdicts.fail(std::move(*wrong));
    return;
  }
  filled.pipelines.back().use = std::get<RingUse>(use);
  setStages(filled, instance.pipelines.size(), filled.pipelines.back().use.stages);
  instance = std::move(filled);
  takeTurns(instance, under, sizes);
}

void planOwnRings(InstancePlan &instance, const DenseSet<const Stmt *> &asked,
                  const FileFacts &file) {
  const KernelEffects &own = file.effects.of(instance.function);
  if (instance.cluster != BlockShape{1, 1, 1})
    return;
  const InstancePlan without = instance;
  const KernelSizes sizes = sizesOf(instance.function, file.effects);
  for (const LoopAhead &ahead : loopsWithLoads(instance, asked)) {
    VariableFacts facts(ahead.path);
    Uniformity uniformity(facts, own, ahead.path);
    KernelUnderTest under{file.context, ahead.path, facts, own, uniformity, instance.block};
    under.readsPrivateMembers = file.selection.output == Output::Program;
    const bool hasPipeline = llvm::any_of(instance.copies, [&](const PlannedCopy &copy) {
      return copy.pipeline && facts.isWithin(copy.statement, ahead.loop);
    });
    if (hasPipeline)
      continue;
    auto made = withPipeline(instance, ahead, under);
    auto *filled = std::get_if<InstancePlan>(&made);
    if (!filled || whyGroupsAreLost(*filled, own))
      continue;
    if (std::optional<RingUse> use = stagesOfOwnRing(instance, *filled, sizes)) {
      filled->pipelines.back().use = *use;
      setStages(*filled, instance.pipelines.size(), use->stages);
      instance = std::move(*filled);
    }
  }
  // In a kernel with a pipeline, no copy is waited for with the program's own groups. So all loads
  // are ahead, or none.
  const bool areAllAhead = llvm::all_of(instance.copies, [](const PlannedCopy &copy) {
    return copy.plan.kind != CopyKind::Load || copy.pipeline;
  });
  if (own.ofAll().groups.ordersCopies() && !areAllAhead)
    instance = without;
}

} // namespace tilelift
