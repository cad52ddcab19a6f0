//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Lift.h"

#include "Clusters.h"
#include "LaunchArguments.h"
#include "directive/BlockSize.h"
#include "directive/Program.h"
#include "effects/Describe.h"
#include "emit/CodeText.h"
#include "emit/DeviceSource.h"
#include "emit/Emitter.h"
#include "fix/MissingGuards.h"
#include "fix/Remedies.h"
#include "order/WholeBlock.h"
#include "plan/BankConflicts.h"
#include "plan/Fit.h"
#include "plan/Profit.h"
#include "plan/Stages.h"
#include "plan/Together.h"
#include "relation/CopyAhead.h"
#include "relation/CopyAnalysis.h"
#include "relation/IndexRange.h"
#include "relation/MemoryUses.h"
#include "relation/WarpAccesses.h"
#include "support/Locations.h"

#include "clang/AST/Mangle.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/thread.h"

#include <set>

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Whether a statement is all that a branch or a loop executes, without braces.
bool isBody(const Stmt *statement, const VariableFacts &facts) {
  const Stmt *parent = facts.parentOf(statement);
  while (isa_and_nonnull<LabelStmt, AttributedStmt, SwitchCase>(parent))
    parent = facts.parentOf(parent);
  return parent && !isa<CompoundStmt>(parent);
}

std::string print(const BlockShape &shape) {
  std::string text = std::to_string(shape[0]);
  if (shape[1] != 1 || shape[2] != 1)
    text += " x " + std::to_string(shape[1]);
  if (shape[2] != 1)
    text += " x " + std::to_string(shape[2]);
  return text;
}

bool sameWay(const CallPath &a, const CallPath &b) {
  return std::equal(
      a.getCalls().begin(), a.getCalls().end(), b.getCalls().begin(), b.getCalls().end(),
      [](const CallExpr *x, const CallExpr *y) { return x->getBeginLoc() == y->getBeginLoc(); });
}

bool sameText(const InstanceToEmit &a, const InstanceToEmit &b) {
  bool sameProducers =
      std::equal(a.pipelines.begin(), a.pipelines.end(), b.pipelines.begin(), b.pipelines.end(),
                 [](const PipelineToEmit &x, const PipelineToEmit &y) {
                   return x.hasProducer == y.hasProducer;
                 });
  return sameProducers &&
         std::equal(a.copies.begin(), a.copies.end(), b.copies.begin(), b.copies.end(),
                    [](const CopyToEmit &x, const CopyToEmit &y) {
                      return x.directive == y.directive && x.pipeline == y.pipeline &&
                             x.takesTurns == y.takesTurns &&
                             (x.prefetched == 0) == (y.prefetched == 0) &&
                             sameWay(x.path, y.path) && sameOperations(x.plan, y.plan);
                    });
}

/// What the directive of a statement says that it does.
CopyKind kindOf(const Directive &directive) {
  switch (directive.kind) {
  case DirectiveKind::Store: return CopyKind::Store;
  case DirectiveKind::Reduce: return CopyKind::Reduce;
  default: return CopyKind::Load;
  }
}

/// All copies that a statement makes, or why not.
struct Attempt {
  std::vector<CopyToEmit> copies;
  std::vector<CopyRelation> relations;
  std::optional<Diagnostic> refusal;
  bool hasChoices = false;
  std::set<std::string> decidingArguments;

  /// What tells the blocks whose box is the copy from those that take the loop.
  size_t countGuards() const {
    size_t count = 0;
    for (const CopyToEmit &copy : copies)
      count += llvm::count_if(copy.plan.copyChecks,
                              [](const Check &check) { return StringRef(check.rule) == "guard"; });
    return count;
  }
};

/// Without its attributes, which pragmas such as `unroll` give it.
const Stmt *loopOf(const AnnotatedStatement &annotated) {
  const auto *attributed = dyn_cast<AttributedStmt>(annotated.statement);
  return attributed ? attributed->getSubStmt() : annotated.statement;
}

SmallVector<PlannedCopy, 4> plannedCopies(InstanceToEmit &instance) {
  SmallVector<PlannedCopy, 4> planned;
  for (CopyToEmit &copy : instance.copies)
    planned.push_back({copy.tile, &copy.plan});
  return planned;
}

/// All kernels that may make copies.
std::vector<const FunctionDecl *> instancesOf(const Program &program) {
  std::vector<const FunctionDecl *> functions;
  for (const AnnotatedKernel &kernel : program.kernels)
    for (const KernelInstance &instance : kernel.instances)
      functions.push_back(instance.function);
  return functions;
}

class Lifter {
public:
  Lifter(ASTContext &context, const DirectiveList &directives, const DiagnosticOptions &options,
         const ProgramFacts &others, const Selection &selection)
      : context(context),
        directives(directives),
        options(options),
        others(others),
        selection(selection),
        program(findProgram(context, directives.directives)),
        effects(context, instancesOf(program), selection.typesTellApart) {
    result.diagnostics = directives.diagnostics;
    result.anyRefused = llvm::any_of(program.diagnostics, [](const Diagnostic &diagnostic) {
      return StringRef(diagnostic.id) == "stays-plain";
    });
    append(program.diagnostics);
  }

  LiftResult run();

private:
  void append(const std::vector<Diagnostic> &more) {
    result.diagnostics.insert(result.diagnostics.end(), more.begin(), more.end());
  }
  void liftKernel(const AnnotatedKernel &kernel);
  std::optional<InstanceToEmit> liftInstance(const AnnotatedKernel &kernel,
                                             const KernelInstance &instance);
  void keepPlain(const InstanceToEmit &instance, const InstanceToEmit &first);
  std::optional<Diagnostic> whyNoMoreMemory(const KernelEffects &kernel) const;
  std::optional<BlockShape> blockOf(const AnnotatedKernel &kernel, const KernelInstance &instance);
  std::vector<CopyToEmit> liftStatement(KernelUnderTest &under,
                                        const AnnotatedStatement &annotated);
  Attempt attemptAsLaunched(KernelUnderTest &under, const AnnotatedStatement &annotated);
  Attempt attempt(const KernelUnderTest &under, const AnnotatedStatement &annotated);
  std::optional<RingUse> stagesOf(const Directive &directive, InstanceToEmit filled);
  static void setStages(InstanceToEmit &instance, size_t pipeline, unsigned stages);
  void pipeline(InstanceToEmit &emitted, const AnnotatedStatement &annotated);
  std::optional<Diagnostic> fillAhead(CopyToEmit &copy, const Rounds &rounds,
                                      const KernelUnderTest &under);
  void takeTurns(InstanceToEmit &instance, const KernelUnderTest &under);
  void takePrefetches(InstanceToEmit &instance);
  void takePersistence(InstanceToEmit &instance);
  static std::optional<Diagnostic> whyNotPersistent(const Persistence &asked,
                                                    const Directive &directive,
                                                    const InstanceToEmit &instance);
  void refuseClause(Diagnostic reason, const Directive &directive, const FunctionDecl *instance);
  void adoptSwizzle(ArrayRef<CopyToEmit *> copies);
  void chooseSwizzles(InstanceToEmit &instance);
  std::optional<std::vector<Plan>>
  plansWith(swizzle_mode swizzle, ArrayRef<const CopyToEmit *> copies, bool asGood) const;
  void tryGuards(Diagnostic &refusal, const KernelUnderTest &under,
                 const AnnotatedStatement &annotated);
  bool isSelected(const Directive &directive) const;
  bool mayPay(ArrayRef<CopyToEmit> copies);
  static bool isOtherInstanceOfText(const AnnotatedStatement &statement,
                                    const KernelInstance &instance);
  bool joinCalls(InstanceToEmit &emitted, std::vector<CopyToEmit> &copies);
  void dropHalfLifted(InstanceToEmit &emitted);
  void dropMisfits(InstanceToEmit &emitted, const DenseSet<const Stmt *> &inPipelines);
  static void drop(InstanceToEmit &emitted, const Stmt *statement, CallPath path);
  void refuseAll(const InstanceToEmit &emitted, Diagnostic reason, const Directive &directive);
  KernelSizes sizesOf(const FunctionDecl *kernel) const;
  void refuse(Diagnostic reason, const Directive &directive, const FunctionDecl *instance);
  std::string fullName(const FunctionDecl *instance) const {
    std::string name;
    raw_string_ostream stream(name);
    instance->getNameForDiagnostic(stream, context.getPrintingPolicy(), true);
    return name;
  }
  std::vector<std::string> namesOf(const FunctionDecl *instance) const {
    return {ASTNameGenerator(context).getName(instance), fullName(instance),
            instance->getQualifiedNameAsString(), instance->getNameAsString()};
  }
  void remark(const Plan &plan);
  void warnOfDevice(const Plan &plan);
  void remarkOnPipeline(const InstanceToEmit &instance, size_t pipeline);
  void remarkOn(const Launch &launch, const InstanceToEmit &instance);
  void remarkOnUses();
  void dropRemarks(ArrayRef<const FunctionDecl *> refused);
  bool hasErrors() const;

  ASTContext &context;
  const DirectiveList &directives;
  const DiagnosticOptions &options;
  const ProgramFacts &others;
  const Selection &selection;
  Program program;
  Effects effects;
  LiftResult result;
  std::vector<KernelToEmit> kernels;
  /// Which message refuses which pragma.
  std::set<std::pair<size_t, const Directive *>> refusals;
  /// Which message says that a copy of which kernel is lifted.
  std::vector<std::pair<const FunctionDecl *, size_t>> remarks;
};

LiftResult Lifter::run() {
  for (const FunctionDecl *instance : instancesOf(program))
    result.names.push_back(namesOf(instance));
  for (const AnnotatedKernel &kernel : program.kernels)
    liftKernel(kernel);
  if (selection.output == Output::Program)
    remarkOnUses();
  if (selection.describesEffects)
    for (const FunctionDecl *instance : instancesOf(program))
      result.effects.push_back(describe(effects.of(instance), fullName(instance)));
  // Even where a copy was refused: what cannot be written is to be said as well.
  bool refusedBefore = hasErrors();
  EmitResult emitted =
      emit(context, kernels, program, directives, others, effects, selection.output);
  dropRemarks(emitted.refused);
  result.anyRefused |= !emitted.refused.empty();
  append(emitted.diagnostics);
  for (const Launch &launch : program.foreignLaunches)
    result.facts.add({{{sharedNameOf(launch.instance), launch.block}}, {}});
  if (!hasErrors()) {
    result.edits = std::move(emitted.edits);
    if (selection.output == Output::DeviceSource)
      result.edits.add(withoutHost(context, directives.includes));
    result.kernels = std::move(emitted.kernels);
    result.recipes = std::move(emitted.recipes);
    result.facts.launchers = std::move(emitted.launchers);
  } else if (!refusedBefore) {
    result.anyRefused = true;
  }
  llvm::stable_sort(result.diagnostics, [](const Diagnostic &a, const Diagnostic &b) {
    return a.place.offset < b.place.offset;
  });
  return std::move(result);
}

bool Lifter::hasErrors() const {
  return llvm::any_of(result.diagnostics, [&](const Diagnostic &diagnostic) {
    return options.severityOf(diagnostic) == Severity::Error;
  });
}

void Lifter::liftKernel(const AnnotatedKernel &kernel) {
  Place place = placeOf(context.getSourceManager(), kernel.pattern->getLocation());
  if (kernel.pattern->getTemplateSpecializationKind() == TSK_ExplicitSpecialization) {
    for (const KernelInstance &instance : kernel.instances)
      for (const AnnotatedStatement &each : instance.statements)
        refuse(diagnose("not-available-yet", each.directive->begin,
                        "a copy in an explicit specialization"),
               *each.directive, instance.function);
    return;
  }
  KernelToEmit emitted;
  emitted.pattern = kernel.pattern;
  for (const KernelInstance &instance : kernel.instances) {
    std::optional<InstanceToEmit> one = liftInstance(kernel, instance);
    if (!one)
      continue;
    // All instantiations share one text.
    if (!emitted.instances.empty() && !sameText(emitted.instances.front(), *one)) {
      keepPlain(*one, emitted.instances.front());
      continue;
    }
    for (const CopyToEmit &copy : one->copies) {
      remarks.push_back({kernel.pattern, result.diagnostics.size()});
      remark(copy.plan);
      warnOfDevice(copy.plan);
    }
    for (size_t i = 0; i < one->pipelines.size(); ++i) {
      remarks.push_back({kernel.pattern, result.diagnostics.size()});
      remarkOnPipeline(*one, i);
    }
    emitted.instances.push_back(std::move(*one));
  }
  bool moves = llvm::any_of(emitted.instances, [&](InstanceToEmit &instance) {
    return needsDynamicRings(plannedCopies(instance), sizesOf(instance.function));
  });
  for (InstanceToEmit &instance : emitted.instances)
    if (moves)
      moveRings(plannedCopies(instance));
  for (const AnnotatedStatement &annotated : kernel.instances.front().statements) {
    if (llvm::is_contained(emitted.plain, annotated.directive))
      continue;
    bool isLifted = !emitted.instances.empty() &&
                    llvm::any_of(emitted.instances.front().copies, [&](const CopyToEmit &copy) {
                      return copy.directive == annotated.directive;
                    });
    if (!isLifted)
      emitted.plain.push_back(annotated.directive);
  }
  for (const AnnotatedStatement &annotated : kernel.instances.front().pipelines) {
    bool isMade =
        !emitted.instances.empty() &&
        llvm::any_of(emitted.instances.front().pipelines, [&](const PipelineToEmit &made) {
          return made.directive == annotated.directive;
        });
    if (!isMade)
      emitted.plain.push_back(annotated.directive);
  }
  kernels.push_back(std::move(emitted));
}

/// An instance that another text would be for: each of its copies stays what it is.
void Lifter::keepPlain(const InstanceToEmit &instance, const InstanceToEmit &first) {
  result.anyRefused = true;
  const Directive *last = nullptr;
  for (const CopyToEmit &copy : instance.copies)
    if (std::exchange(last, copy.directive) != copy.directive)
      result.diagnostics.push_back(diagnose("instance-differs", copy.plan.place,
                                            fullName(instance.function), fullName(first.function)));
}

std::optional<BlockShape> Lifter::blockOf(const AnnotatedKernel &kernel,
                                          const KernelInstance &instance) {
  std::optional<BlockShape> said;
  for (const AnnotatedStatement &annotated : instance.statements) {
    auto threads = threadsOf(*annotated.directive, instance.function, result.diagnostics);
    if (threads && said && *threads != *said)
      result.diagnostics.push_back(diagnose("threads-differ", annotated.directive->begin,
                                            print(*threads), kernel.pattern->getNameAsString(),
                                            print(*said)));
    if (!said)
      said = threads;
  }
  for (const std::string &name : namesOf(instance.function)) {
    auto given = selection.blocks.find(name);
    if (given == selection.blocks.end())
      continue;
    if (!said || *said == given->second)
      return given->second;
    result.diagnostics.push_back(diagnose("block-differs",
                                          instance.statements.front().directive->begin,
                                          print(*said), name, print(given->second)));
    return std::nullopt;
  }
  if (said)
    return said;
  for (const Launch &launch : program.launches)
    if (launch.block && launch.isOf(instance.function))
      return launch.block;
  auto elsewhere = others.launched.find(sharedNameOf(instance.function));
  return elsewhere == others.launched.end() ? std::nullopt : elsewhere->second;
}

/// Barriers and rings make a lifted kernel's shared memory larger, which it may ask for. Code
/// of another file is taken not to: no compiler makes that of anything but assembly.
std::optional<Diagnostic> Lifter::whyNoMoreMemory(const KernelEffects &kernel) const {
  for (const CodeBlock &block : kernel.getBlocks())
    for (const CodeStep &step : block.steps) {
      if (!step.effect.asksSharedSize || step.effect.isUnknown)
        continue;
      Diagnostic reason = diagnose("shared-size-asked", {});
      if (const Stmt *where = kernel.statementInText(step))
        reason.notes.push_back(
            {placeOf(context.getSourceManager(), where->getBeginLoc()), "it is asked for here"});
      return reason;
    }
  return std::nullopt;
}

std::optional<InstanceToEmit> Lifter::liftInstance(const AnnotatedKernel &kernel,
                                                   const KernelInstance &instance) {
  if (instance.statements.empty()) {
    for (const AnnotatedStatement &each : instance.pipelines)
      refuse(diagnose("pipeline-empty", each.directive->begin), *each.directive, instance.function);
    return std::nullopt;
  }
  size_t said = result.diagnostics.size();
  std::optional<BlockShape> shape = blockOf(kernel, instance);
  if (!shape && result.diagnostics.size() > said) {
    result.anyRefused = true;
    return std::nullopt;
  }
  if (!shape) {
    refuse(diagnose("unknown-block", instance.statements.front().directive->begin,
                    kernel.pattern->getNameAsString()),
           *instance.statements.front().directive, instance.function);
    return std::nullopt;
  }
  if (std::optional<std::string> wrong = wrongBlock(*shape)) {
    refuse(diagnose("block-too-large", instance.statements.front().directive->begin,
                    kernel.pattern->getNameAsString(), print(*shape), *wrong),
           *instance.statements.front().directive, instance.function);
    return std::nullopt;
  }
  if (std::optional<Diagnostic> reason = whyNoMoreMemory(effects.of(instance.function))) {
    for (const AnnotatedStatement &each : instance.statements)
      refuse(*reason, *each.directive, instance.function);
    return std::nullopt;
  }
  InstanceToEmit emitted;
  emitted.function = instance.function;
  emitted.block = *shape;
  DenseSet<const Stmt *> inPipelines;
  for (const AnnotatedStatement &annotated : instance.statements) {
    bool isShared =
        llvm::count_if(instance.statements, [&](const AnnotatedStatement &other) {
          return other.statement == annotated.statement && other.path.sameText(annotated.path);
        }) > 1;
    if (isOtherInstanceOfText(annotated, instance)) {
      refuse(diagnose("not-available-yet", annotated.directive->begin,
                      "a copy in a lambda of which there are several instances, one for each type "
                      "or each part of a fold expression,"),
             *annotated.directive, instance.function);
      emitted.plainPaths.push_back(annotated.path);
      continue;
    }
    VariableFacts facts(annotated.path);
    const KernelEffects &own = effects.of(instance.function);
    Uniformity uniformity(facts, own, annotated.path);
    KernelUnderTest under{
        context, annotated.path, facts, own, uniformity, *shape, kindOf(*annotated.directive),
        isShared};
    std::vector<CopyToEmit> copies;
    if (isSelected(*annotated.directive))
      copies = liftStatement(under, annotated);
    bool isAhead = llvm::any_of(instance.pipelines, [&](const AnnotatedStatement &pipeline) {
      return facts.isWithin(annotated.statement, loopOf(pipeline));
    });
    if (isAhead)
      inPipelines.insert(annotated.statement);
    if (!copies.empty() && !isAhead && !mayPay(copies))
      copies.clear();
    if (copies.empty() || (isShared && !joinCalls(emitted, copies)))
      emitted.plainPaths.push_back(annotated.path);
    if (!copies.empty())
      emitted.given.insert(under.givenArguments.begin(), under.givenArguments.end());
    for (CopyToEmit &copy : copies)
      emitted.copies.push_back(std::move(copy));
  }
  dropHalfLifted(emitted);
  chooseSwizzles(emitted);
  dropMisfits(emitted, inPipelines);
  for (const AnnotatedStatement &annotated : instance.pipelines)
    pipeline(emitted, annotated);
  takePrefetches(emitted);
  if (auto unshared = shareTiles(emitted, effects.of(instance.function), result.diagnostics)) {
    refuseAll(emitted, std::move(unshared->reason), *emitted.copies[unshared->copy].directive);
    return std::nullopt;
  }
  takePersistence(emitted);
  for (const CopyToEmit &copy : emitted.copies)
    result.plans.push_back(copy.plan);
  if (emitted.copies.empty())
    return std::nullopt;
  if (auto misfit = fitTogether(plannedCopies(emitted), sizesOf(instance.function))) {
    refuseAll(emitted, std::move(misfit->reason), *emitted.copies[misfit->copy].directive);
    return std::nullopt;
  }
  return emitted;
}

/// A copy that does not fit to those before it stays a loop, and these are lifted. The tiles of a
/// pipeline will be rings, for which there is more memory; how much they take is asked once they
/// are.
void Lifter::dropMisfits(InstanceToEmit &emitted, const DenseSet<const Stmt *> &inPipelines) {
  while (!emitted.copies.empty()) {
    std::vector<Plan> plans;
    for (const CopyToEmit &copy : emitted.copies) {
      plans.push_back(copy.plan);
      if (inPipelines.contains(copy.statement))
        plans.back().stages = std::max(plans.back().stages, 2u);
    }
    SmallVector<PlannedCopy, 4> planned;
    for (size_t i = 0; i < plans.size(); ++i)
      planned.push_back({emitted.copies[i].tile, &plans[i]});
    auto misfit = fitTogether(planned, sizesOf(emitted.function));
    if (!misfit)
      return;
    const CopyToEmit &dropped = emitted.copies[misfit->copy];
    refuse(std::move(misfit->reason), *dropped.directive, emitted.function);
    drop(emitted, dropped.statement, dropped.path);
  }
}

/// Removes all copies that a statement makes on one call path; they stay plain loops.
void Lifter::drop(InstanceToEmit &emitted, const Stmt *statement, CallPath path) {
  llvm::erase_if(emitted.copies, [&](const CopyToEmit &copy) {
    return copy.statement == statement && copy.path.sameText(path);
  });
  emitted.plainPaths.push_back(std::move(path));
}

/// Refuses all copies of an instance because of one of them; each pragma gets a message.
void Lifter::refuseAll(const InstanceToEmit &emitted, Diagnostic reason,
                       const Directive &directive) {
  refuse(std::move(reason), directive, emitted.function);
  if (directive.clauses.fallback != Fallback::Loop) // nothing is written anyway
    return;
  for (const CopyToEmit &copy : emitted.copies)
    if (copy.directive != &directive)
      refuse(diagnose("refused-together", copy.plan.place, emitted.function->getNameAsString()),
             *copy.directive, emitted.function);
}

/// Whether its text stands for another statement, too: a generic lambda's body is one text.
bool Lifter::isOtherInstanceOfText(const AnnotatedStatement &statement,
                                   const KernelInstance &instance) {
  return llvm::any_of(instance.statements, [&](const AnnotatedStatement &other) {
    return other.directive == statement.directive && other.statement != statement.statement &&
           other.path.sameText(statement.path);
  });
}

/// Describes the copy of one call of a lambda beside that of another call: by where the copies
/// begin, if they differ in nothing else.
static std::string summaryBeside(const Plan &plan, const Plan &other) {
  std::string text = summary(plan);
  if (text != summary(other))
    return text;
  std::vector<std::string> start;
  for (const PlanDimension &dim : plan.dims)
    start.push_back(plan.symbols.print(dim.coordinate));
  if (start.empty())
    start.push_back(plan.symbols.print(plan.offset) + " bytes");
  return text + " at (" + join(start, ", ") + ")";
}

/// Copies that a lambda makes in another call, too, are made by the same text.
bool Lifter::joinCalls(InstanceToEmit &emitted, std::vector<CopyToEmit> &copies) {
  std::vector<CopyToEmit *> before;
  for (CopyToEmit &other : emitted.copies)
    if (other.statement == copies[0].statement && other.path.sameText(copies[0].path))
      before.push_back(&other);
  if (before.empty())
    return true;
  for (size_t i = 0; i < copies.size(); ++i) {
    if (before.size() != copies.size() || toJson(before[i]->plan) != toJson(copies[i].plan)) {
      const Plan &own = copies[i].plan, &other = before[std::min(i, before.size() - 1)]->plan;
      refuse(
          diagnose("calls-differ", own.place, summaryBeside(own, other), summaryBeside(other, own)),
          *copies[i].directive, emitted.function);
      drop(emitted, copies[i].statement, copies[i].path);
      copies.clear();
      return false;
    }
  }
  copies.clear();
  return true;
}

/// A lambda's text is lifted for all of its calls, or for none.
void Lifter::dropHalfLifted(InstanceToEmit &emitted) {
  auto half = [&] {
    return llvm::find_if(emitted.copies, [&](const CopyToEmit &copy) {
      return llvm::any_of(emitted.plainPaths, [&](const CallPath &plain) {
        return isLambda(copy.path.end()) && copy.path.end() == plain.end() &&
               copy.path.sameText(plain);
      });
    });
  };
  for (auto copy = half(); copy != emitted.copies.end(); copy = half()) {
    refuse(diagnose("calls-differ", copy->plan.place, "a loop", summary(copy->plan)),
           *copy->directive, emitted.function);
    drop(emitted, copy->statement, copy->path);
  }
}

KernelSizes Lifter::sizesOf(const FunctionDecl *kernel) const {
  KernelSizes sizes{kernel->getNameAsString(), staticSharedBytes(kernel), 0,
                    !foreignDynamicMemory(kernel)};
  for (const ParmVarDecl *parameter : kernel->parameters()) {
    TypeInfoChars type = context.getTypeInfoInChars(parameter->getType());
    sizes.parameterBytes =
        int64_t(alignTo(uint64_t(sizes.parameterBytes), uint64_t(type.Align.getQuantity()))) +
        type.Width.getQuantity();
  }
  return sizes;
}

bool Lifter::isSelected(const Directive &directive) const {
  if (!selection.only)
    return true;
  size_t number = 0;
  for (const Directive &other : directives.directives) {
    if (&other == &directive)
      return number == *selection.only;
    number += other.kind != DirectiveKind::Pipeline;
  }
  return false;
}

/// Whether a statement's loads are worth it, or nobody asked. Stores cost no wait.
bool Lifter::mayPay(ArrayRef<CopyToEmit> copies) {
  auto isLittle = [](const CopyToEmit &copy) {
    return copy.plan.kind == CopyKind::Load && !workOf(*copy.relation).pays();
  };
  if (!llvm::all_of(copies, isLittle))
    return true;
  const CopyToEmit &first = copies.front();
  result.diagnostics.push_back(diagnose(
      "little-to-gain", first.plan.place, print(workOf(*first.relation)), first.plan.tile,
      selection.onlyProfitable ? ": it stays a loop" : "; '--only-profitable' leaves it a loop"));
  return !selection.onlyProfitable;
}

/// All copies that a statement makes, or none of them.
std::vector<CopyToEmit> Lifter::liftStatement(KernelUnderTest &under,
                                              const AnnotatedStatement &annotated) {
  Attempt best = attemptAsLaunched(under, annotated);
  if (best.hasChoices && (best.refusal || best.countGuards() > 0)) {
    KernelUnderTest named = under;
    named.namesChoices = true;
    Attempt other = attempt(named, annotated);
    // A guard that says which case it is, nobody has written.
    bool isOfCases = best.refusal && (StringRef(best.refusal->id) == "uneven-guard" ||
                                      StringRef(best.refusal->id) == "guard-not-a-box");
    if (other.refusal ? isOfCases : best.refusal || other.countGuards() < best.countGuards())
      best = std::move(other);
  }
  llvm::append_range(result.relations, best.relations);
  if (best.refusal) {
    refuse(std::move(*best.refusal), *annotated.directive, under.path.kernel());
    return {};
  }
  return std::move(best.copies);
}

/// Those that a refusal is about, or that keep every launch from ever meeting a guard.
static std::set<std::string> decidingArguments(const Attempt &made,
                                               const LaunchArguments &arguments) {
  if (made.refusal)
    return made.decidingArguments;
  std::set<std::string> names;
  for (const CopyToEmit &copy : made.copies)
    names.merge(arguments.neverMeeting(copy.plan.copyChecks, copy.plan.symbols));
  return names;
}

/// Where an argument decides how much is copied, it is what the first launch says.
Attempt Lifter::attemptAsLaunched(KernelUnderTest &under, const AnnotatedStatement &annotated) {
  LaunchArguments arguments(program, under.path.kernel());
  Attempt best = attempt(under, annotated);
  std::set<std::string> deciding = decidingArguments(best, arguments);
  KernelUnderTest launched = under;
  auto learnMore = [&] {
    size_t before = launched.givenArguments.size();
    for (const std::string &name : deciding)
      if (std::optional<int64_t> value = arguments.valueOf(name))
        launched.givenArguments.emplace(name, *value);
    return launched.givenArguments.size() > before;
  };
  while (learnMore()) {
    Attempt last = attempt(launched, annotated);
    deciding = decidingArguments(last, arguments);
    if (best.refusal || !last.refusal) {
      best = std::move(last);
      under.givenArguments = launched.givenArguments;
    }
  }
  if (best.refusal)
    for (const std::string &name : deciding)
      best.refusal->notes.push_back(
          {best.refusal->place, "no launch gives the argument '" + name +
                                    "' as a constant: make it one, or a template parameter"});
  return best;
}

/// Why the copy leaves something in the tile that it held before, if it does.
static std::string whyKept(const CopyRelation &relation, bool outsideIsAny) {
  int64_t filled = 0;
  bool leavesOut = false;
  for (const Cell &cell : relation.cells) {
    filled += cell.size;
    leavesOut |= llvm::any_of(
        cell.cases, [](const Case &each) { return each.source->kind == Source::Kind::Untouched; });
  }
  if (leavesOut && !outsideIsAny)
    return "the guard leaves cells out; write zero there, or say 'outside(any)' if nobody reads "
           "them";
  bool isPart = filled < relation.tile.bytes();
  return isPart && !relation.tile.otherWriter.empty()
             ? "it is written elsewhere, too, and the copy does not fill all of it"
             : "";
}

/// By how much each change of a symbol moves something, if by a number.
static std::optional<int64_t> slopeOf(const Polynomial &value, SymbolId symbol) {
  std::optional<int64_t> slope;
  for (const Term &term : value.getTerms()) {
    if (!llvm::is_contained(term.factors, symbol))
      continue;
    if (slope || term.factors.size() > 1)
      return std::nullopt;
    slope = term.coefficient;
  }
  return slope;
}

/// Whether no two rounds of the only loop around a store write to the same place: a
/// variable that they move one way moves it by its own length, or more.
static bool movesOn(const CopyToEmit &copy, const KernelUnderTest &under) {
  const Stmt *loop = under.facts.outermostLoopAround(copy.statement);
  auto isInner = [&](const Stmt *outer) { return outer != loop && isLoop(outer); };
  for (const Stmt *outer = copy.statement; outer && outer != loop;
       outer = under.facts.parentOf(outer))
    if (outer != copy.statement && isInner(outer))
      return false;
  if (!loop || isa<DoStmt, CXXForRangeStmt>(loop) || !copy.path.inKernel())
    return false;
  auto found = findRounds(loop, under.uniformity, under.context.getSourceManager());
  const auto *rounds = std::get_if<Rounds>(&found);
  const Plan &plan = copy.plan;
  bool isBulk = plan.mode == Mode::Bulk && plan.rows.empty();
  if (!rounds || plan.gather || (!isBulk && (plan.mode == Mode::Bulk || plan.dims.back().box == 1)))
    return false;
  const Polynomial &place = isBulk ? plan.offset : plan.dims.back().coordinate;
  // Nothing else of the place may move, or be made of what does.
  const ArrayRef<const VarDecl *> changed = under.facts.changedWithin(loop);
  auto isFixed = [&](SymbolId id) {
    const Symbol &symbol = plan.symbols[id];
    const auto *variable = symbol.kind == Symbol::Kind::Variable
                               ? static_cast<const VarDecl *>(symbol.identity)
                               : nullptr;
    return symbol.kind != Symbol::Kind::Opaque && !llvm::is_contained(changed, variable);
  };
  int64_t length = isBulk ? plan.expectedBytes : plan.dims.back().box;
  return llvm::any_of(rounds->cursors, [&](const Cursor &cursor) {
    // Numbers that are no signed ones of 32 bits or more come around; pointers do not.
    const QualType type = cursor.variable->getType();
    bool comesAround = !type->isPointerType() && (!type->isSignedIntegerOrEnumerationType() ||
                                                  under.context.getIntWidth(type) < 32);
    bool isOneWay = !comesAround && llvm::all_of(cursor.steps, [&](const Change &step) {
      return step.direction == cursor.steps[0].direction &&
             (!step.value || rangeOf(step.value, under).low >= 1);
    });
    for (SymbolId id = 0; isOneWay && id < plan.symbols.size(); ++id)
      if (plan.symbols[id].identity == cursor.variable && plan.symbols[id].moment == loop)
        if (std::optional<int64_t> slope = slopeOf(place, id))
          return std::abs(*slope) >= length &&
                 llvm::all_of(place.getTerms(), [&](const Term &term) {
                   return llvm::all_of(term.factors, [&](SymbolId other) {
                     return other == id || isFixed(other) || plan.symbols[other].knownAtLaunch;
                   });
                 });
    return false;
  });
}

static FitOptions fitOptionsOf(const Directive &directive, const Device &device) {
  const Clauses &clauses = directive.clauses;
  return {clauses.outsideIsAny, clauses.swizzle.value_or(swizzle_mode::none),
          [](const Plan &plan) { return !unnamedPart(plan); }, device};
}

Attempt Lifter::attempt(const KernelUnderTest &under, const AnnotatedStatement &annotated) {
  CopyAnalysis analysed = analyseCopy(under, annotated.statement);
  Attempt made;
  made.hasChoices = analysed.hasChoices;
  made.refusal = std::move(analysed.failure);
  made.decidingArguments = std::move(analysed.decidingArguments);
  if (made.refusal && !under.guard.statement && under.kind == CopyKind::Load)
    tryGuards(*made.refusal, under, annotated);
  for (AnalysedCopy &copy : analysed.copies) {
    // All names of dynamic memory move to its aligned start, but only in the kernel's text.
    const VarDecl *foreign = copy.tile->getType()->isIncompleteArrayType()
                                 ? foreignDynamicMemory(under.path.kernel())
                                 : nullptr;
    if (foreign) {
      made.refusal = diagnose("not-available-yet", copy.relation.place,
                              "a tile in dynamic shared memory that other functions name, too ('" +
                                  foreign->getNameAsString() + "')");
      return made;
    }
    describeUses(copy.relation.tile, copy.tile, under, annotated.statement);
    copy.relation.tile.isFresh &= annotated.path.inKernel();
    made.relations.push_back(copy.relation);
    FitOptions fitOptions = fitOptionsOf(*annotated.directive, selection.device);
    auto fitted = fit(copy.relation, fitOptions);
    if (auto *reason = std::get_if<Diagnostic>(&fitted)) {
      made.refusal = std::move(*reason);
      if (std::optional<Remedy> remedy =
              under.kind == CopyKind::Load ? findRemedy(copy, under, fitOptions) : std::nullopt)
        made.refusal->remedy = std::move(*remedy);
      return made;
    }
    if (std::optional<Unnamed> unnamed = unnamedPart(std::get<Plan>(fitted))) {
      made.refusal = unnamed->at(copy.relation.place);
      return made;
    }
    CopyToEmit lifted{annotated.directive,
                      annotated.statement,
                      annotated.path,
                      copy.tile,
                      !copy.relation.tile.otherWriter.empty(),
                      /*movesOn=*/false,
                      /*takesTurns=*/false,
                      whyKept(copy.relation, fitOptions.outsideIsAny),
                      std::move(std::get<Plan>(fitted)),
                      std::make_shared<CopyRelation>(copy.relation),
                      std::nullopt,
                      std::nullopt,
                      0,
                      {}};
    lifted.isBody = isBody(annotated.statement, under.facts);
    lifted.movesOn = under.kind != CopyKind::Load && movesOn(lifted, under);
    made.copies.push_back(std::move(lifted));
  }
  return made;
}

/// The plans of all copies of a tile with a swizzle, if each of them has one, and if it is as good
/// as the plan without: no more is asked before the copy.
std::optional<std::vector<Plan>>
Lifter::plansWith(swizzle_mode swizzle, ArrayRef<const CopyToEmit *> copies, bool asGood) const {
  std::vector<Plan> plans;
  for (const CopyToEmit *copy : copies) {
    const Plan &own = copy->plan;
    bool hasOne = own.layout.swizzle != swizzle_mode::none && !own.layout.moved;
    bool mayHaveOne = !hasOne && copy->relation->tile.layoutEscape.empty();
    if (!mayHaveOne)
      return std::nullopt;
    FitOptions options = fitOptionsOf(*copy->directive, selection.device);
    options.swizzle = swizzle;
    auto fitted = fit(*copy->relation, options);
    Plan *plan = std::get_if<Plan>(&fitted);
    bool hasPlan = plan && options.canBeSaid(*plan) && plan->hasMap();
    if (!hasPlan || (asGood && (plan->copyChecks.size() != copy->plan.copyChecks.size() ||
                                plan->isByFours() != copy->plan.isByFours())))
      return std::nullopt;
    plans.push_back(std::move(*plan));
  }
  return plans;
}

/// Where one copy of a tile says how it is swizzled, others that leave it open do the same: with
/// another layout, none of them would lift.
void Lifter::adoptSwizzle(ArrayRef<CopyToEmit *> copies) {
  std::optional<swizzle_mode> asked;
  std::vector<CopyToEmit *> open;
  for (CopyToEmit *copy : copies) {
    std::optional<swizzle_mode> own = copy->directive->clauses.swizzle;
    if (own && !asked)
      asked = own;
    if (!own)
      open.push_back(copy);
  }
  if (!asked || asked == swizzle_mode::none || open.empty())
    return;
  if (std::optional<std::vector<Plan>> plans = plansWith(*asked, open, /*asGood=*/false))
    for (size_t i = 0; i < open.size(); ++i)
      open[i]->plan = std::move((*plans)[i]);
}

/// Whether the plans fit into a block as they stand; they stay what they are.
static bool hasRoom(InstanceToEmit &instance, const KernelSizes &sizes) {
  SmallVector<PlannedCopy, 4> copies = plannedCopies(instance);
  std::vector<Plan> plans;
  for (const PlannedCopy &copy : copies)
    plans.push_back(*copy.plan);
  for (size_t i = 0; i < copies.size(); ++i)
    copies[i].plan = &plans[i];
  return !fitTogether(copies, sizes);
}

/// Where nothing is said, the swizzle by which warps pass shared memory least.
void Lifter::chooseSwizzles(InstanceToEmit &instance) {
  MapVector<const VarDecl *, SmallVector<CopyToEmit *, 2>> byTile;
  SmallVector<const Stmt *, 4> annotated;
  for (CopyToEmit &copy : instance.copies) {
    byTile[copy.tile].push_back(&copy);
    annotated.push_back(copy.statement);
  }
  const KernelSizes sizes = sizesOf(instance.function);
  std::optional<AccessesByTile> accesses;
  for (auto &[tile, copies] : byTile) {
    adoptSwizzle(copies);
    bool isAuto = llvm::none_of(copies, [](const CopyToEmit *copy) {
      return copy->directive->clauses.swizzle.has_value();
    });
    std::vector<std::vector<Plan>> choices;
    for (swizzle_mode mode : {swizzle_mode::b128, swizzle_mode::b64, swizzle_mode::b32}) {
      auto plans =
          isAuto ? plansWith(mode, {copies.begin(), copies.end()}, /*asGood=*/true) : std::nullopt;
      // Rows are cut where they are too long for every swizzle.
      if (plans && (mode == swizzle_mode::b128 || plans->front().layout.panel == 0))
        choices.push_back(std::move(*plans));
    }
    if (choices.empty() && isAuto)
      continue;
    if (!accesses) { // that takes a while
      VariableFacts facts(copies[0]->path);
      const KernelEffects &own = effects.of(instance.function);
      Uniformity uniformity(facts, own, copies[0]->path);
      accesses = accessesOfWarps({context, copies[0]->path, facts, own, uniformity, instance.block},
                                 annotated);
    }
    const std::vector<WarpAccess> &own = (*accesses)[tile];
    double passes = passesAsPlanned(own, copies[0]->plan);
    auto bytes = [&] { return double(copies[0]->plan.expectedBytes); };
    for (std::vector<Plan> &plans : choices) {
      double fewer = passesAsPlanned(own, plans.front());
      // Where longer rows have to be brought, as much is to be gained.
      bool isBetter =
          fewer < passes - 0.01 && fewer * double(plans.front().expectedBytes) < passes * bytes();
      if (!isBetter)
        continue;
      auto exchange = [&] {
        for (size_t i = 0; i < copies.size(); ++i)
          std::swap(copies[i]->plan, plans[i]);
      };
      const bool hadRoom = hasRoom(instance, sizes);
      exchange();
      // Nobody asked for rows so long that the tile has no room.
      if (hadRoom && !hasRoom(instance, sizes))
        exchange();
      else
        passes = fewer;
    }
    copies[0]->plan.passes = passes;
    copies[0]->plan.passesBefore = passesAsDeclared(own);
  }
}

/// A store past the end of a row, or of all rows, may lack a guard.
void Lifter::tryGuards(Diagnostic &refusal, const KernelUnderTest &under,
                       const AnnotatedStatement &annotated) {
  if (refusal.id != "outside-the-tile" && refusal.id != "clashing-stores")
    return;
  std::vector<GuardRemedy> guards = guardsFor(refusal, annotated.statement, under);
  auto lifts = [&](const GuardRemedy &each) {
    KernelUnderTest guarded = under;
    guarded.guard = each.guard;
    return !attempt(guarded, annotated).refusal;
  };
  if (!guards.empty() && lifts(guards.back()))
    refusal.remedy = llvm::find_if(guards, lifts)->remedy;
}

/// Why there is no room for a pipeline's variables before its loop, if there is none.
static const char *whyNoRoom(const AnnotatedStatement &annotated, const VariableFacts &facts,
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
static std::optional<Diagnostic> whyNoProducer(const InstanceToEmit &instance,
                                               const KernelEffects &effects) {
  if (!instance.pipelines.back().hasProducer)
    return std::nullopt;
  for (const CopyToEmit &copy : instance.copies)
    if (!copy.path.inKernel())
      return diagnose("no-producer", {}, "a function that the kernel calls makes copies, too");
  auto uses = findBlockUses(instance.function, instance.block, effects);
  auto *reason = std::get_if<Diagnostic>(&uses);
  return reason ? std::optional(std::move(*reason)) : std::nullopt;
}

/// That somebody may ask to be ahead.
constexpr unsigned mostRounds = 64;

/// As many as are asked for, or as many as bring something.
std::optional<RingUse> Lifter::stagesOf(const Directive &directive, InstanceToEmit filled) {
  if (const std::optional<CountArgument> &asked = directive.clauses.stages) {
    size_t before = result.diagnostics.size();
    auto stages = countOf(*asked, "stages", mostRounds, filled.function, result.diagnostics);
    result.anyRefused |= result.diagnostics.size() > before;
    return stages ? std::optional(RingUse{*stages}) : std::nullopt;
  }
  size_t pipeline = filled.pipelines.size() - 1;
  int64_t roundBytes = 0;
  for (const CopyToEmit &copy : filled.copies)
    roundBytes += copy.pipeline == pipeline ? copy.plan.expectedBytes : 0;
  KernelSizes sizes = sizesOf(filled.function);
  SmallVector<RingUse, 4> choices;
  BlockShape block =
      filled.pipelines.back().hasProducer ? withAddedWarp(filled.block) : filled.block;
  for (unsigned stages : {2, 3, 4}) {
    setStages(filled, pipeline, stages);
    bool fits = !fitTogether(plannedCopies(filled), sizes);
    if (fits || choices.empty())
      choices.push_back(
          ringUse(stages, sharedBytesOf(plannedCopies(filled), sizes), roundBytes, block));
  }
  return pickStages(choices);
}

void Lifter::setStages(InstanceToEmit &instance, size_t pipeline, unsigned stages) {
  for (CopyToEmit &copy : instance.copies)
    if (copy.pipeline == pipeline)
      copy.plan.stages = copy.ahead->stages = stages;
}

/// Makes the copies of a loop ahead of their rounds, all of them or none.
void Lifter::pipeline(InstanceToEmit &emitted, const AnnotatedStatement &annotated) {
  const SourceManager &sources = context.getSourceManager();
  const Directive &directive = *annotated.directive;
  auto refuseIt = [&](Diagnostic reason) {
    refuse(std::move(reason), directive, emitted.function);
  };
  const Stmt *loop = loopOf(annotated);
  if (!isa<ForStmt, WhileStmt>(loop)) // said before
    return;
  VariableFacts facts(annotated.path);
  const KernelEffects &own = effects.of(emitted.function);
  Uniformity uniformity(facts, own, annotated.path);
  if (const char *what = whyNoRoom(annotated, facts, sources))
    return refuseIt(diagnose("not-available-yet", directive.begin, what));
  auto isMade = [&](const CopyToEmit &copy) {
    return copy.plan.kind == CopyKind::Load && facts.isWithin(copy.statement, loop);
  };
  bool isEmpty = llvm::none_of(emitted.copies, isMade);
  if (isEmpty && (selection.only || selection.onlyProfitable))
    return; // what it would be of was not selected
  const bool isCalled = llvm::any_of(emitted.copies, [&](const CopyToEmit &copy) {
    return copy.plan.kind == CopyKind::Load &&
           llvm::any_of(copy.path.getCalls(),
                        [&](const CallExpr *call) { return facts.isWithin(call, loop); });
  });
  if (isEmpty)
    return refuseIt(isCalled ? diagnose("not-available-yet", directive.begin,
                                        "a pipeline of a copy in a function that the loop calls")
                             : diagnose("pipeline-empty", directive.begin));
  auto rounds = findRounds(loop, uniformity, sources);
  if (auto *reason = std::get_if<Diagnostic>(&rounds))
    return refuseIt(std::move(*reason));
  InstanceToEmit filled = emitted;
  filled.pipelines.push_back(
      {&directive, std::get<Rounds>(rounds), directive.clauses.hasProducer, {}});
  KernelUnderTest under{context, annotated.path, facts, own, uniformity, emitted.block};
  for (CopyToEmit &copy : filled.copies) {
    if (!isMade(copy))
      continue;
    copy.pipeline = emitted.pipelines.size();
    if (std::optional<Diagnostic> reason = fillAhead(copy, std::get<Rounds>(rounds), under))
      return refuseIt(std::move(*reason));
  }
  if (std::optional<Diagnostic> reason = whyNoProducer(filled, own)) {
    if (directive.clauses.fallback != Fallback::Loop)
      return refuseIt(std::move(*reason));
    reason->severity = Severity::Warning;
    reason->place = directive.statement;
    result.diagnostics.push_back(std::move(*reason));
    filled.pipelines.back().hasProducer = false;
  }
  std::optional<RingUse> use = stagesOf(directive, filled);
  if (!use)
    return;
  setStages(filled, emitted.pipelines.size(), use->stages);
  filled.pipelines.back().use = *use;
  emitted = std::move(filled);
  takeTurns(emitted, under);
}

/// Of copies ahead of their rounds, by how many L2 is ahead of them.
void Lifter::takePrefetches(InstanceToEmit &instance) {
  for (CopyToEmit &copy : instance.copies) {
    const Clauses &clauses = copy.directive->clauses;
    if (!clauses.prefetch)
      continue;
    size_t before = result.diagnostics.size();
    const char *why = copy.plan.gather ? "its rows are looked up one by one"
                      : !copy.pipeline
                          ? "that takes a loop with '#pragma tma pipeline' around the copy"
                          : nullptr;
    if (!why) {
      auto rounds =
          countOf(*clauses.prefetch, "prefetch", mostRounds, instance.function, result.diagnostics);
      result.anyRefused |= result.diagnostics.size() > before;
      copy.prefetched = rounds.value_or(0);
      continue;
    }
    refuseClause(diagnose("no-prefetch", copy.plan.place, copy.plan.tile, why), *copy.directive,
                 instance.function);
  }
}

/// What a copy can do without, where `fallback(loop)` says that it may.
void Lifter::refuseClause(Diagnostic reason, const Directive &directive,
                          const FunctionDecl *instance) {
  if (directive.clauses.fallback != Fallback::Loop)
    return refuse(std::move(reason), directive, instance);
  reason.severity = Severity::Warning;
  result.diagnostics.push_back(std::move(reason));
}

/// A launch has one window of memory that stays in L2, which the host opens.
void Lifter::takePersistence(InstanceToEmit &instance) {
  const Directive *last = nullptr;
  for (const CopyToEmit &copy : instance.copies) {
    const Directive &directive = *copy.directive;
    if (!directive.clauses.persistence || last == &directive)
      continue;
    last = &directive;
    const Persistence &asked = *directive.clauses.persistence;
    if (std::optional<Diagnostic> reason = whyNotPersistent(asked, directive, instance))
      refuseClause(std::move(*reason), directive, instance.function);
    else
      instance.persistence = asked;
  }
}

std::optional<Diagnostic> Lifter::whyNotPersistent(const Persistence &asked,
                                                   const Directive &directive,
                                                   const InstanceToEmit &instance) {
  auto reason = [&](const std::string &why) {
    return diagnose("no-persistence", asked.place, asked.tensor, why);
  };
  if (const std::optional<Persistence> &other = instance.persistence)
    return reason("a launch keeps one tensor there, and has '" + other->tensor + "'")
        .note(other->place, "asked for here");
  std::string others;
  for (const CopyToEmit &copy : instance.copies) {
    const GlobalBase &base = copy.plan.base;
    if (copy.directive != &directive)
      continue;
    if (base.name() == asked.tensor && base.knownAtLaunch)
      return std::nullopt;
    others += (others.empty() ? "'" : ", '") + base.name() + "'";
  }
  return reason("the copy goes through " + others);
}

/// Where a round stores one tile, the next one can have another, if there is room for it.
void Lifter::takeTurns(InstanceToEmit &instance, const KernelUnderTest &under) {
  const Rounds &rounds = instance.pipelines.back().rounds;
  CopyToEmit *store = nullptr;
  for (CopyToEmit &copy : instance.copies) {
    if (copy.plan.kind == CopyKind::Load)
      continue;
    if (store) // how many are on their way is counted for all of them
      return;
    store = &copy;
  }
  bool isOwn =
      store && under.facts.isWithin(store->statement, rounds.loop) && store->path.inKernel() &&
      store->tile->getType()->isConstantArrayType() && store->plan.layout.slot.isZero() &&
      llvm::count_if(instance.copies,
                     [&](const CopyToEmit &copy) { return copy.tile == store->tile; }) == 1;
  if (!isOwn)
    return;
  const Stmt *writer =
      onlyWriter({store->statement, store->tile, &store->plan.base}, rounds, under);
  KernelUnderTest writing = under;
  writing.kind = CopyKind::Load;
  if (!writer || !alwaysWrites(writing, writer, {*store->relation, store->tile}))
    return;
  store->plan.stages = 2;
  store->takesTurns = !fitTogether(plannedCopies(instance), sizesOf(instance.function));
  if (!store->takesTurns)
    store->plan.stages = 1;
}

/// Finds the names for a copy that is made ahead of its round, or says why it is not.
std::optional<Diagnostic> Lifter::fillAhead(CopyToEmit &copy, const Rounds &rounds,
                                            const KernelUnderTest &under) {
  const Plan &plan = copy.plan;
  auto missing = [&](const char *what) { return diagnose("not-available-yet", plan.place, what); };
  if (!copy.path.inKernel())
    return missing("a pipeline of a copy in a function that the kernel calls");
  if (copy.tile->getType()->isIncompleteArrayType())
    return missing("a pipeline of tiles in dynamic shared memory");
  if (!plan.layout.slot.isZero())
    return missing("a pipeline of tiles that have stages already");
  if (!copy.keeps.empty())
    return diagnose("tile-keeps-values", plan.place, plan.tile, copy.keeps);
  if (std::optional<Diagnostic> reason =
          whyNotAhead({copy.statement, copy.tile, &plan.base}, rounds, under))
    return reason;
  copy.ahead = plan;
  std::optional<PlaceInRound> where = placeInRound(copy.statement, rounds, under.facts);
  copy.turns = where->turns;
  copy.inRound = where->statement;
  NamesAhead names(copy.statement, rounds, under);
  for (const Turn &turn : copy.turns)
    for (const VarDecl *variable : variablesIn(turn.condition))
      if (!names.has(variable->getName()))
        return diagnose("not-ahead", plan.place,
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
    return diagnose("not-ahead", plan.place,
                    "'" + unnamed->what + "' is not known before its round");
  return std::nullopt;
}

/// A refusal is an error, unless the user asked for a plain loop in that case.
void Lifter::refuse(Diagnostic reason, const Directive &directive, const FunctionDecl *instance) {
  result.anyRefused = true;
  if (!reason.place.isKnown())
    reason.place = directive.statement;
  if (directive.clauses.fallback == Fallback::Loop)
    reason = staysPlain(std::move(reason), directive);
  if (instance->isTemplateInstantiation()) {
    reason.notes.push_back(
        {directive.statement, "in the instantiation '" + fullName(instance) + "'"});
  }
  // The same reason in several instantiations is said once; of several copies, too, with all of
  // them.
  for (size_t i = 0; i < result.diagnostics.size(); ++i) {
    Diagnostic &known = result.diagnostics[i];
    if (known.id != reason.id || !(known.place == reason.place) || known.text != reason.text)
      continue;
    if (refusals.insert({i, &directive}).second)
      known.notes.push_back({directive.statement, "this copy is refused for the same reason"});
    return;
  }
  refusals.insert({result.diagnostics.size(), &directive});
  result.diagnostics.push_back(std::move(reason));
}

/// Warns of rows that the device that the user names cannot copy: every launch there would fail
/// the launcher's check, or every block that of the copy, and the loop would run.
void Lifter::warnOfDevice(const Plan &plan) {
  const Device &device = selection.device;
  const bool isLoad = plan.kind == CopyKind::Load;
  if (!device.isKnown() || !plan.isByFours() ||
      (isLoad ? device.isBlackwell() : device.scattersByFours()))
    return;
  result.diagnostics.push_back(
      diagnose("plain-on-device", plan.place, device.family(),
               (isLoad ? "gathering" : "scattering") + std::string(" rows of '") + plan.tile +
                   "' that are less than 128 bytes apart",
               isLoad ? "sm_100 or later" : "sm_100a, sm_103a or sm_110a"));
}

void Lifter::remark(const Plan &plan) {
  std::string text = summary(plan);
  SmallVector<std::string, 8> conditions;
  for (const finding &each : plan.verdicts)
    if (each.outcome == verdict::open && StringRef(each.rule) != "address-null")
      conditions.push_back("at launch: " +
                           std::string(llvm::find_if(rule_table, [&](const rule &r) {
                                         return StringRef(r.id) == each.rule;
                                       })->summary));
  for (const Check &check : plan.launchChecks)
    conditions.push_back("at launch: " + print(check, plan.symbols));
  for (const Check &check : plan.copyChecks)
    conditions.push_back("at the copy: " + print(check, plan.symbols));
  std::sort(conditions.begin(), conditions.end());
  conditions.erase(std::unique(conditions.begin(), conditions.end()), conditions.end());
  Diagnostic lifted =
      diagnose(plan.copyChecks.empty() ? "lifted" : "lifted-under-guard", plan.place, text);
  for (const std::string &condition : conditions)
    lifted.notes.push_back({plan.place, condition});
  if (plan.layout.folded) {
    SmallVector<int64_t, 3> rows = plan.extentsWithRows();
    lifted.notes.push_back(
        {plan.place, "each use of '" + plan.tile + "' divides by " + std::to_string(rows[1]) +
                         ", which may cost more than TMA brings: declare it as '" + plan.tile +
                         "[" + std::to_string(rows[0]) + "][" + std::to_string(rows[1]) + "]'"});
  }
  result.diagnostics.push_back(std::move(lifted));
  // A start that the launch decides is the same in every round.
  if (plan.kind == CopyKind::Load && !plan.symbols.boundedAtLaunch(plan.layout.slot))
    result.diagnostics.push_back(diagnose("stages-by-hand", plan.place, plan.tile));
  if (int64_t bytes = plan.expectedBytes / plan.pieces(); plan.gather && bytes < fullRowBytes)
    result.diagnostics.push_back(
        diagnose("short-rows", plan.place, plan.tile, bytes, fullRowBytes));
  unsigned span = span_of(plan.layout.swizzle);
  if (plan.passes != plan.passesBefore || (span != 0 && plan.layout.moved))
    result.diagnostics.push_back(
        diagnose("bank-conflicts", plan.place, plan.tile, formatv("{0:f1}", plan.passes).str(),
                 formatv("{0:f1}", plan.passesBefore).str(),
                 span == 0 ? std::string()
                           : "; its rows are swizzled by " + std::to_string(span) + " bytes"));
}

/// How far ahead, and what that costs.
void Lifter::remarkOnPipeline(const InstanceToEmit &instance, size_t pipeline) {
  DenseSet<const VarDecl *> tiles;
  int64_t before = 0, after = 0;
  unsigned stages = 1;
  for (const CopyToEmit &copy : instance.copies) {
    if (copy.pipeline != pipeline || !tiles.insert(copy.tile).second)
      continue;
    stages = copy.plan.stages;
    before += copy.plan.tileBytes();
    after += copy.plan.sharedBytes();
  }
  std::string ahead = stages == 1   ? "no round"
                      : stages == 2 ? "a round"
                                    : std::to_string(stages - 1) + " rounds";
  const auto &[directive, rounds, hasProducer, use] = instance.pipelines[pipeline];
  Diagnostic made = diagnose("pipelined", directive->statement, ahead, after, before);
  if (hasProducer)
    made.notes.push_back(
        {directive->statement, "a warp of its own makes them: the lifted kernel's block is " +
                                   print(withAddedWarp(instance.block))});
  if (!directive->clauses.stages)
    made.notes.push_back(
        {directive->statement,
         formatv("{0} stages were picked: of such blocks {1} run on an SM at once, with {2} bytes "
                 "on their way to it; memory is busy with {3}",
                 use.stages, use.blocks, use.bytesAhead, bytesWanted)
             .str()});
  result.diagnostics.push_back(std::move(made));
}

/// A kernel that cannot be written is not lifted.
void Lifter::dropRemarks(ArrayRef<const FunctionDecl *> refused) {
  for (const auto &[kernel, message] : llvm::reverse(remarks))
    if (llvm::is_contained(refused, kernel))
      result.diagnostics.erase(result.diagnostics.begin() + ptrdiff_t(message));
}

/// Launches that run the plain kernel because they are not what the copies were checked for.
void Lifter::remarkOn(const Launch &launch, const InstanceToEmit &instance) {
  std::string name = instance.function->getNameAsString();
  if (launch.block && *launch.block != instance.block)
    result.diagnostics.push_back(diagnose("other-block-size", launch.place, name,
                                          print(*launch.block), print(instance.block)));
  for (const auto &[argument, checked] : instance.given)
    if (std::optional<int64_t> given = launch.constantArgument(argument);
        given && *given != checked)
      result.diagnostics.push_back(
          diagnose("other-argument", launch.place, name, *given, argument, checked));
}

void Lifter::remarkOnUses() {
  for (const DeclRefExpr *use : program.otherUses) {
    result.diagnostics.push_back(
        diagnose("launch-not-lifted", placeOf(context.getSourceManager(), use->getLocation()),
                 use->getDecl()->getNameAsString(), "its address is used"));
  }
  DenseSet<SourceLocation> updates; // instances of a template have the same ones
  for (const CallExpr *call : program.nodeUpdates)
    if (!kernels.empty() && updates.insert(call->getBeginLoc()).second)
      result.diagnostics.push_back(
          diagnose("node-update", placeOf(context.getSourceManager(), call->getBeginLoc()),
                   call->getDirectCallee()->getNameAsString()));
  for (const KernelToEmit &kernel : kernels)
    for (const Launch &launch : program.launches)
      for (const InstanceToEmit &instance : kernel.instances)
        if (launch.isOf(instance.function))
          remarkOn(launch, instance);
}

} // namespace

/// Expressions are walked by recursion, and Clang takes deeper ones than the main stack.
constexpr unsigned stackBytes = 512u << 20;

LiftResult lift(ASTContext &context, const DirectiveList &directives,
                const DiagnosticOptions &options, const ProgramFacts &others,
                const Selection &selection) {
  LiftResult result;
  llvm::thread worker(std::optional<unsigned>(stackBytes), [&] {
    result = Lifter(context, directives, options, others, selection).run();
  });
  worker.join();
  return result;
}

} // namespace tilelift
