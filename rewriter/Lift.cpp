//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Lift.h"

#include "effects/Describe.h"
#include "emit/DeviceSource.h"
#include "emit/Emitter.h"
#include "kernel/InstanceNames.h"
#include "kernel/Kernels.h"
#include "kernel/PlanJson.h"
#include "kernel/Remarks.h"
#include "kernel/Verdicts.h"
#include "kernel/Worth.h"
#include "support/Locations.h"
#include "writable/TextReview.h"
#include "writable/WritableKernel.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/thread.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// All kernels that may make copies.
std::vector<const FunctionDecl *> instancesOf(const Program &program) {
  std::vector<const FunctionDecl *> functions;
  for (const AnnotatedKernel &kernel : program.kernels)
    for (const KernelInstance &instance : kernel.instances)
      functions.push_back(instance.function);
  return functions;
}

/// What was said before the copies were looked at.
Verdicts verdictsOn(const Program &program, const DirectiveList &directives) {
  Verdicts verdicts;
  verdicts.say(directives.diagnostics);
  verdicts.say(program.diagnostics);
  verdicts.anyRefused = llvm::any_of(program.diagnostics, [](const Diagnostic &diagnostic) {
    return diagnostic.id == DiagnosticId::stays_plain;
  });
  return verdicts;
}

/// What the user is told of a kernel that is lifted.
void remarkOn(const WritableKernel &kernel, const LiftedText &text, const FileFacts &file,
              Verdicts &verdicts) {
  if (kernel.warning)
    verdicts.say(*kernel.warning);
  for (const InstancePlan &instance : kernel.plan.instances) {
    for (size_t i = 0; i < instance.copies.size(); ++i)
      verdicts.say(remarksOn(instance.copies[i].plan, file.selection.device,
                             kernel.orders.copies[i].isDeferred));
    for (size_t i = 0; i < instance.pipelines.size(); ++i)
      verdicts.say(remarkOnPipeline(instance, i));
  }
  verdicts.sayOnce(remarksOnBarriers(kernel.plan.instances.front(), kernel.orders,
                                     file.context.getSourceManager()));
  if (file.selection.output == Output::Program)
    verdicts.sayOnce(remarksOnLaunches(kernel.plan, text.names.lifted, file));
}

/// Writes the kernel, or says why it stays as it is.
void writeKernel(const KernelPlan &plan, const FileFacts &file, const SourceText &source,
                 Emitter &emitter, Verdicts &verdicts) {
  auto staysPlain = [&](Diagnostic reason) {
    if (!verdicts.refuseText(plan, std::move(reason)))
      return;
    for (const PlannedCopy &copy : plan.instances.front().copies)
      emitter.staysPlain(*copy.directive);
    for (const PlannedPipeline &pipeline : plan.instances.front().pipelines)
      if (pipeline.directive)
        emitter.staysPlain(*pipeline.directive);
  };
  auto writable = makeWritable(plan, file, source);
  if (auto *obstacle = std::get_if<Diagnostic>(&writable))
    return staysPlain(std::move(*obstacle));
  const WritableKernel &kernel = std::get<WritableKernel>(writable);
  const LiftedText text = emitter.write(kernel);
  if (auto clash = whyNotKept(text.written, kernel.plan, source, file.directives.variants)) {
    emitter.drop(text);
    return staysPlain(std::move(*clash));
  }
  emitter.keep(text);
  remarkOn(kernel, text, file, verdicts);
}

/// Plans a kernel. Rings that nobody asked for are dropped if not all of its instances get the
/// same, or if the kernel cannot be written with them. Copies that are expected to be slower by TMA
/// stay loops, and the others are planned anew without them.
std::optional<PlannedKernel> planWorthwhile(const AnnotatedKernel &kernel, const FileFacts &file,
                                            const SourceText &source, Verdicts &verdicts) {
  PlanChoices choices;
  choices.hasOwnRings = !file.selection.hasOnlyAskedRings;
  std::vector<Diagnostic> warnings;
  while (true) {
    Verdicts tried = verdicts;
    std::optional<PlannedKernel> planned = planKernel(kernel, file, choices, tried);
    const bool isLifted = planned && !planned->plan.instances.empty();
    if (isLifted && planned->plan.hasOwnRings() &&
        !(planned->isOneText &&
          std::holds_alternative<WritableKernel>(makeWritable(planned->plan, file, source)))) {
      choices.hasOwnRings = false;
      continue;
    }
    std::map<const Directive *, Diagnostic> losses;
    if (isLifted)
      losses = expectedLosses(planned->plan, file);
    for (auto &[directive, warning] : losses) {
      choices.loops.insert(directive);
      warnings.push_back(std::move(warning));
    }
    if (!losses.empty())
      continue;
    verdicts = std::move(tried);
    verdicts.sayOnce(std::move(warnings));
    return planned;
  }
}

/// Writes the kernels and the launches of a file.
EmitResult writeFile(ArrayRef<KernelPlan> kernels, const FileFacts &file, const SourceText &source,
                     Verdicts &verdicts) {
  Emitter emitter(file, source);
  for (const KernelPlan &kernel : kernels) {
    if (!kernel.instances.empty())
      writeKernel(kernel, file, source, emitter, verdicts);
    for (const Directive *directive : kernel.plain)
      emitter.staysPlain(*directive);
  }
  if (file.selection.output == Output::Program) {
    ForeignLaunches foreign = foreignLaunches(file.program, file.others.launchers, source);
    std::vector<RedirectedLaunch> launches = emitter.launches();
    llvm::append_range(launches, foreign.launches);
    LaunchChanges changes = changesOfLaunches(launches, file.context, source,
                                              file.directives.macros, file.directives.variants);
    verdicts.sayOnce(std::move(foreign.diagnostics));
    verdicts.sayOnce(std::move(changes.diagnostics));
    emitter.addLaunches(changes, foreign);
  }
  return emitter.finish();
}

LiftResult liftParsed(ASTContext &context, const DirectiveList &directives,
                      const DiagnosticOptions &options, const ProgramFacts &others,
                      const Selection &selection) {
  LiftResult result;
  const Program program = findProgram(context, directives.directives);
  const std::vector<const FunctionDecl *> instances = instancesOf(program);
  const Effects effects(context, instances, selection.typesTellApart);
  const FileFacts file{context, directives, others, selection, program, effects};
  Verdicts verdicts = verdictsOn(program, directives);
  const SourceText source(context);
  std::vector<KernelPlan> kernels;
  std::vector<CopyRelation> relations;
  for (const AnnotatedKernel &kernel : program.kernels)
    if (auto planned = planWorthwhile(kernel, file, source, verdicts)) {
      kernels.push_back(std::move(planned->plan));
      llvm::move(planned->relations, std::back_inserter(relations));
    }
  if (selection.output == Output::Program)
    verdicts.say(remarksOnUses(kernels, file));
  auto isError = [&](const Diagnostic &diagnostic) {
    return options.severityOf(diagnostic) == Severity::Error;
  };
  // Even where a copy was refused: what cannot be written is to be said as well.
  const bool failedBefore = llvm::any_of(verdicts.diagnostics, isError);
  EmitResult emitted = writeFile(kernels, file, source, verdicts);

  for (const FunctionDecl *instance : instances)
    result.names.push_back(namesOf(instance));
  if (selection.describesRelations)
    for (const CopyRelation &relation : relations)
      result.relations.push_back(toJson(relation));
  if (selection.describesPlans)
    for (const KernelPlan &kernel : kernels) {
      const bool lifts = !kernel.instances.empty();
      result.plans.push_back(toJson(kernel, lifts ? ordersOf(kernel, effects) : CopyOrders(),
                                    context.getSourceManager()));
    }
  if (selection.describesEffects)
    for (const FunctionDecl *instance : instances)
      result.effects.push_back(describe(effects.of(instance), fullNameOf(instance)));
  for (const Launch &launch : program.foreignLaunches)
    result.facts.add({{{sharedNameOf(launch.instance), launch.block}}, {}});
  if (llvm::none_of(verdicts.diagnostics, isError)) {
    result.edits = std::move(emitted.edits);
    // What is for other hosts is one text: where headers change, too, there is none.
    const unsigned end = userFiles(context.getSourceManager()).front().end();
    if (selection.output == Output::DeviceSource && result.edits.within(end, ~0u).empty())
      result.edits.add(withoutHost(context, directives.includes));
    result.kernels = std::move(emitted.kernels);
    result.recipes = std::move(emitted.recipes);
    result.facts.launchers = std::move(emitted.launchers);
  } else if (!failedBefore) {
    // A remark that is asked for as an error refuses nothing.
    verdicts.anyRefused |= llvm::any_of(verdicts.diagnostics, [&](const Diagnostic &diagnostic) {
      return diagnostic.severity != Severity::Remark && isError(diagnostic);
    });
  }
  result.anyRefused = verdicts.anyRefused;
  result.diagnostics = std::move(verdicts.diagnostics);
  // What is lifted is said before what stays as it is, in other instances of the same text.
  llvm::stable_sort(result.diagnostics, [](const Diagnostic &a, const Diagnostic &b) {
    return std::pair(a.place.offset, a.severity != Severity::Remark) <
           std::pair(b.place.offset, b.severity != Severity::Remark);
  });
  return result;
}

} // namespace

std::string printed(const json::Array &list) {
  return formatv("{0:2}\n", json::Value(json::Array(list)));
}

/// Expressions are walked by recursion, and Clang takes deeper ones than the main stack.
constexpr unsigned stackBytes = 512u << 20;

LiftResult lift(ASTContext &context, const DirectiveList &directives,
                const DiagnosticOptions &options, const ProgramFacts &others,
                const Selection &selection) {
  LiftResult result;
  llvm::thread worker(std::optional<unsigned>(stackBytes), [&] {
    result = liftParsed(context, directives, options, others, selection);
  });
  worker.join();
  return result;
}

} // namespace tilelift
