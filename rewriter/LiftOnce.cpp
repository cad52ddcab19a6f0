//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "LiftOnce.h"

#include "WriteFile.h"
#include "effects/Describe.h"
#include "emit/DeviceSource.h"
#include "kernel/InstanceNames.h"
#include "kernel/PlanJson.h"
#include "kernel/Remarks.h"
#include "support/Locations.h"

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

std::vector<ChosenPlan> planKernels(const FileFacts &file, const SourceText &source,
                                    Verdicts &verdicts) {
  std::vector<ChosenPlan> kernels;
  for (const AnnotatedKernel &kernel : file.program.kernels)
    if (auto planned = planWorthwhile(kernel, file, source, verdicts))
      kernels.push_back(std::move(*planned));
  if (file.selection.output == Output::Program) {
    std::vector<const KernelPlan *> plans;
    for (const ChosenPlan &kernel : kernels)
      plans.push_back(&kernel.planned.plan);
    verdicts.say(remarksOnUses(plans, file));
  }
  return kernels;
}

/// Adds the names of the kernels' instances, and what is asked for of how they were understood.
void addDescriptions(ArrayRef<ChosenPlan> kernels, const FileFacts &file, LiftResult &result) {
  for (const FunctionDecl *instance : instancesOf(file.program)) {
    result.names.push_back(namesOf(instance));
    if (file.selection.describesEffects)
      result.effects.push_back(describe(file.effects.of(instance), fullNameOf(instance)));
  }
  for (const ChosenPlan &kernel : kernels) {
    const KernelPlan &plan = kernel.planned.plan;
    if (file.selection.describesRelations)
      for (const CopyRelation &relation : kernel.planned.relations)
        result.relations.push_back(toJson(relation));
    if (file.selection.describesPlans)
      result.plans.push_back(
          toJson(plan, plan.instances.empty() ? CopyOrders() : ordersOf(plan, file.effects),
                 file.context.getSourceManager()));
  }
}

/// Adds what was written.
void addText(EmitResult emitted, const FileFacts &file, LiftResult &result) {
  result.edits = std::move(emitted.edits);
  // What is for other hosts is one text: where headers change, too, there is none.
  const unsigned end = userFiles(file.context.getSourceManager()).front().end();
  if (file.selection.output == Output::DeviceSource && result.edits.within(end, ~0u).empty())
    result.edits.add(withoutHost(file.context, file.directives.includes));
  result.kernels = std::move(emitted.kernels);
  result.recipes = std::move(emitted.recipes);
  result.facts.launchers = std::move(emitted.launchers);
}

} // namespace

LiftedOnce liftOnce(const LiftInputs &inputs, const DirectiveList &directives,
                    const ExitConditions &exits) {
  LiftResult result;
  Program program = findProgram(inputs.context, directives.directives);
  const Effects effects(inputs.context, instancesOf(program), inputs.selection.typesTellApart);
  const FileFacts file{inputs.context, directives, inputs.others, inputs.selection,
                       program,        effects,    exits};
  const SourceText source(inputs.context);
  Verdicts verdicts = verdictsOn(program, directives);
  auto isError = [&](const Diagnostic &diagnostic) {
    return inputs.options.severityOf(diagnostic) == Severity::Error;
  };
  const std::vector<ChosenPlan> kernels = planKernels(file, source, verdicts);
  // Even where a copy was refused: what cannot be written is to be said as well.
  const bool failedBefore = llvm::any_of(verdicts.diagnostics, isError);
  EmitResult emitted = writeFile(kernels, file, source, verdicts);
  addDescriptions(kernels, file, result);
  for (const LaunchedWith &launch : program.launchedWith)
    if (!launch.instance->isDefined() && !sharedNameOf(launch.instance).empty())
      result.facts.add({{{sharedNameOf(launch.instance), launch.block}}, {}});
  if (llvm::none_of(verdicts.diagnostics, isError))
    addText(std::move(emitted), file, result);
  else if (!failedBefore)
    // A remark that is asked for as an error refuses nothing.
    verdicts.anyRefused |= llvm::any_of(verdicts.diagnostics, [&](const Diagnostic &diagnostic) {
      return diagnostic.severity != Severity::Remark && isError(diagnostic);
    });
  result.anyRefused = verdicts.anyRefused;
  result.diagnostics = std::move(verdicts.diagnostics);
  // What is lifted is said before what stays as it is, in other instances of the same text.
  llvm::stable_sort(result.diagnostics, [](const Diagnostic &a, const Diagnostic &b) {
    return std::pair(a.place.offset, a.severity != Severity::Remark) <
           std::pair(b.place.offset, b.severity != Severity::Remark);
  });
  return {std::move(result), outcomesOf(kernels), std::move(program)};
}

} // namespace tilelift
