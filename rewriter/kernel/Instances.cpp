//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/Instances.h"

#include "directive/BlockSize.h"
#include "facts/IndexRange.h"
#include "kernel/CacheHints.h"
#include "kernel/Clusters.h"
#include "kernel/InstanceNames.h"
#include "kernel/LambdaCalls.h"
#include "kernel/Padding.h"
#include "kernel/Pipelines.h"
#include "kernel/Remarks.h"
#include "kernel/Sizes.h"
#include "kernel/Statements.h"
#include "kernel/Swizzles.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

using GivenBlock = std::pair<const std::string, BlockShape>;

/// What the user says of the block, by one of the kernel's names.
const GivenBlock *givenBlock(const FunctionDecl *kernel, const Selection &selection) {
  for (const std::string &name : namesOf(kernel))
    if (auto given = selection.blocks.find(name); given != selection.blocks.end())
      return &*given;
  return nullptr;
}

/// What the first launch has, in this file or another one.
std::optional<BlockShape> launchedBlock(const FunctionDecl *kernel, const FileFacts &file) {
  for (const LaunchedWith &launch : file.program.launchedWith)
    if (launch.block && launch.isOf(kernel))
      return launch.block;
  for (const PointerLaunch &launch : file.program.pointerLaunches)
    if (launch.openBlock && launch.mayLaunch(kernel))
      return launch.openBlock;
  auto elsewhere = file.others.launched.find(sharedNameOf(kernel));
  return elsewhere == file.others.launched.end() ? std::nullopt : elsewhere->second;
}

/// The block that an instance is planned for; none, and the reason is said, if it is not known or
/// not one that a launch may have.
std::optional<BlockShape> blockOf(const AnnotatedKernel &kernel, const KernelInstance &instance,
                                  const FileFacts &file, Verdicts &verdicts) {
  const Directive &first = *instance.statements.front().directive;
  const std::string name = kernel.pattern->getNameAsString();
  std::optional<BlockShape> asked;
  bool isWrong = false;
  for (const AnnotatedStatement &annotated : instance.statements) {
    auto found = threadsOf(*annotated.directive, instance.function);
    if (auto *wrong = std::get_if<Diagnostic>(&found)) {
      verdicts.say(std::move(*wrong));
      isWrong = true;
      continue;
    }
    const std::optional<BlockShape> &threads = std::get<std::optional<BlockShape>>(found);
    if (threads && asked && *threads != *asked)
      verdicts.say(diagnose(diag::threads_differ, annotated.directive->begin, print(*threads), name,
                            print(*asked)));
    if (!asked)
      asked = threads;
  }
  const GivenBlock *given = givenBlock(instance.function, file.selection);
  if (given && asked && *asked != given->second) {
    verdicts.fail(diagnose(diag::block_differs, first.begin, print(*asked), given->first,
                           print(given->second)));
    return std::nullopt;
  }
  std::optional<BlockShape> shape = given   ? std::optional(given->second)
                                    : asked ? asked
                                            : launchedBlock(instance.function, file);
  if (!shape && isWrong) {
    verdicts.anyRefused = true;
    return std::nullopt;
  }
  std::optional<Diagnostic> reason;
  if (!shape)
    reason = diagnose(diag::unknown_block, first.begin, name);
  else if (std::optional<std::string> wrong = wrongBlock(*shape))
    reason = diagnose(diag::block_too_large, first.begin, name, print(*shape), *wrong);
  if (!reason)
    return shape;
  verdicts.refuse(std::move(*reason), first, instance.function);
  return std::nullopt;
}

bool isSelected(const Directive &directive, const FileFacts &file, const PlanChoices &choices) {
  if (choices.loops.contains(&directive))
    return false;
  if (!file.selection.only)
    return true;
  size_t number = 0;
  for (const Directive &other : file.directives.directives) {
    if (&other == &directive)
      return number == *file.selection.only;
    number += other.kind != DirectiveKind::Pipeline;
  }
  return false;
}

/// A tile that some copy has by its rows is not transposed: copies that need that stay loops.
void dropTransposed(InstancePlan &instance, Verdicts &verdicts) {
  auto clashes = [&](const PlannedCopy &copy) {
    return copy.plan.layout.transposed &&
           llvm::any_of(instance.copies, [&](const PlannedCopy &other) {
             return other.tile == copy.tile && !other.plan.layout.transposed;
           });
  };
  for (auto clash = llvm::find_if(instance.copies, clashes); clash != instance.copies.end();
       clash = llvm::find_if(instance.copies, clashes)) {
    const PlannedCopy dropped = *clash;
    verdicts.refuse(diagnose(diag::transposed_clash, dropped.plan.place, dropped.plan.tile),
                    *dropped.directive, instance.function);
    instance.drop(dropped.statement, dropped.path);
  }
}

/// A copy that does not fit to those before it stays a loop, and these are lifted. The tiles of a
/// pipeline will be rings, for which there is more memory; how much they take is asked once they
/// are.
void dropMisfits(InstancePlan &instance, const DenseSet<const Stmt *> &inPipelines,
                 const KernelSizes &sizes, Verdicts &verdicts) {
  while (!instance.copies.empty()) {
    std::vector<Plan> plans;
    for (const PlannedCopy &copy : instance.copies) {
      plans.push_back(copy.plan);
      if (inPipelines.contains(copy.statement))
        plans.back().stages = std::max(plans.back().stages, 2u);
    }
    SmallVector<TilePlan, 4> planned;
    for (size_t i = 0; i < plans.size(); ++i)
      planned.push_back({instance.copies[i].tile, &plans[i]});
    auto misfit = fitTogether(planned, sizes);
    if (!misfit)
      return;
    const PlannedCopy &dropped = instance.copies[misfit->copy];
    verdicts.refuse(std::move(misfit->reason), *dropped.directive, instance.function);
    instance.drop(dropped.statement, dropped.path);
  }
}

/// What the arguments of lambdas on the way to a statement may be, in all calls that share its
/// text. The numbers at the ends of the ranges are multiples, too.
DenseMap<const ParmVarDecl *, Multiples> argumentNumbers(const AnnotatedStatement &annotated,
                                                         const KernelInstance &instance,
                                                         const BlockShape &block,
                                                         const FileFacts &file) {
  DenseMap<const ParmVarDecl *, Multiples> found;
  const KernelEffects &effects = file.effects.of(instance.function);
  for (const AnnotatedStatement &other : instance.statements) {
    if (other.statement != annotated.statement || !other.path.sameText(annotated.path))
      continue;
    const VariableFacts facts(other.path);
    const Uniformity uniformity(facts, effects, other.path);
    KernelUnderTest under{file.context, other.path, facts, effects, uniformity, block};
    under.readsPrivateMembers = file.selection.output == Output::Program;
    for (size_t i = 0; i < other.path.getCalls().size(); ++i) {
      const FunctionDecl *callee = other.path.getFunctions()[i + 1];
      const CallParts parts = partsOf(other.path.getCalls()[i]);
      if (!isLambda(callee))
        continue;
      for (auto [parameter, argument] : llvm::zip(callee->parameters(), parts.arguments)) {
        const Multiples own = multiplesOf(argument, under);
        auto [known, isFirst] = found.try_emplace(parameter, own);
        if (!isFirst)
          known->second = hull(known->second, own);
      }
    }
  }
  for (auto &[parameter, numbers] : found) {
    numbers.divisor = std::max<int64_t>(1, numbers.divisor);
    if (numbers.range.low > Interval::lowest + numbers.divisor)
      numbers.range.low -= numbers.range.low % numbers.divisor; // towards zero
    if (numbers.range.high < Interval::highest)
      numbers.range.high -= numbers.range.high % numbers.divisor;
  }
  return found;
}

/// The copies of one statement are added to the instance, or it stays a loop. `ahead` collects the
/// statements that a loop with a pipeline contains.
void addStatement(InstancePlan &plan, const AnnotatedStatement &annotated,
                  const KernelInstance &instance, DenseSet<const Stmt *> &ahead,
                  PlannedInstance &made, const FileFacts &file, const PlanChoices &choices,
                  Verdicts &verdicts) {
  if (isOtherInstanceOfText(annotated, instance)) {
    verdicts.refuse(
        diagnose(diag::not_available_yet, annotated.directive->begin,
                 "a copy in a lambda of which there are several instances, one for each type "
                 "or each part of a fold expression,"),
        *annotated.directive, instance.function);
    plan.plainPaths.push_back(annotated.path);
    return;
  }
  bool isShared =
      llvm::count_if(instance.statements, [&](const AnnotatedStatement &other) {
        return other.statement == annotated.statement && other.path.sameText(annotated.path);
      }) > 1;
  VariableFacts facts(annotated.path);
  const bool isAhead = llvm::any_of(instance.pipelines, [&](const AnnotatedStatement &pipeline) {
    return facts.isWithin(annotated.statement, loopOf(pipeline));
  });
  if (isAhead)
    ahead.insert(annotated.statement);
  const KernelEffects &own = file.effects.of(instance.function);
  Uniformity uniformity(facts, own, annotated.path);
  KernelUnderTest under{file.context,
                        annotated.path,
                        facts,
                        own,
                        uniformity,
                        plan.block,
                        kindOf(*annotated.directive),
                        isShared,
                        isShared ? argumentNumbers(annotated, instance, plan.block, file)
                                 : DenseMap<const ParmVarDecl *, Multiples>()};
  under.exits = &file.exits;
  under.readsPrivateMembers = file.selection.output == Output::Program;
  std::vector<PlannedCopy> copies;
  if (isSelected(*annotated.directive, file, choices)) {
    Attempt attempt = planStatement(under, annotated, file);
    llvm::append_range(made.relations, attempt.relations);
    if (attempt.refusal)
      verdicts.refuse(std::move(*attempt.refusal), *annotated.directive, instance.function);
    else
      copies = std::move(attempt.copies);
  }
  if (copies.empty() || (isShared && !joinCalls(plan, copies, verdicts)))
    plan.plainPaths.push_back(annotated.path);
  if (!copies.empty())
    plan.given.insert(under.givenArguments.begin(), under.givenArguments.end());
  llvm::move(copies, std::back_inserter(plan.copies));
}

/// What all copies of an instance need together, and what is asked for beside them; says why if
/// they cannot have it.
bool planTogether(InstancePlan &plan, const KernelInstance &instance,
                  const DenseSet<const Stmt *> &ahead, const FileFacts &file,
                  const PlanChoices &choices, Verdicts &verdicts) {
  dropHalfLifted(plan, verdicts);
  dropTransposed(plan, verdicts);
  fillPadding(plan, file);
  chooseSwizzles(plan, file);
  dropMisfits(plan, ahead, sizesOf(plan.function, file.effects), verdicts);
  for (const AnnotatedStatement &annotated : instance.pipelines)
    planPipeline(plan, annotated, file, verdicts);
  auto unshared = shareTiles(plan, file.effects.of(instance.function), verdicts.diagnostics);
  if (unshared) {
    verdicts.refuseAll(plan, std::move(unshared->reason), *plan.copies[unshared->copy].directive);
    return false;
  }
  planPersistence(plan, verdicts);
  if (choices.hasOwnRings)
    planOwnRings(plan, ahead, file);
  planPrefetches(plan, ahead, verdicts);
  return true;
}

} // namespace

PlannedInstance planInstance(const AnnotatedKernel &kernel, const KernelInstance &instance,
                             const FileFacts &file, const PlanChoices &choices,
                             Verdicts &verdicts) {
  if (instance.statements.empty()) {
    for (const AnnotatedStatement &each : instance.pipelines)
      verdicts.refuse(diagnose(diag::pipeline_empty, each.directive->begin), *each.directive,
                      instance.function);
    return {};
  }
  std::optional<BlockShape> shape = blockOf(kernel, instance, file, verdicts);
  if (!shape)
    return {};
  if (std::optional<Diagnostic> reason =
          whyNoMoreMemory(file.effects.of(instance.function), file.context.getSourceManager())) {
    for (const AnnotatedStatement &each : instance.statements)
      verdicts.refuse(*reason, *each.directive, instance.function);
    return {};
  }
  PlannedInstance made;
  InstancePlan plan;
  plan.function = instance.function;
  plan.block = *shape;
  DenseSet<const Stmt *> ahead;
  for (const AnnotatedStatement &annotated : instance.statements)
    addStatement(plan, annotated, instance, ahead, made, file, choices, verdicts);
  refuseUnseenCalls(plan, instance, file.effects.of(instance.function), verdicts);
  if (!planTogether(plan, instance, ahead, file, choices, verdicts))
    return made;
  if (plan.copies.empty())
    return made;
  if (auto misfit = fitTogether(tilePlansOf(plan), sizesOf(instance.function, file.effects)))
    verdicts.refuseAll(plan, std::move(misfit->reason), *plan.copies[misfit->copy].directive);
  else
    made.plan = std::move(plan);
  return made;
}

} // namespace tilelift
