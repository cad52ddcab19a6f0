//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Lift.h"

#include "effects/Describe.h"
#include "emit/DeviceSource.h"
#include "emit/Emitter.h"
#include "kernel/InstanceNames.h"
#include "kernel/Kernels.h"
#include "kernel/Remarks.h"
#include "kernel/Verdicts.h"

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

LiftResult liftParsed(ASTContext &context, const DirectiveList &directives,
                      const DiagnosticOptions &options, const ProgramFacts &others,
                      const Selection &selection) {
  LiftResult result;
  const Program program = findProgram(context, directives.directives);
  const std::vector<const FunctionDecl *> instances = instancesOf(program);
  const Effects effects(context, instances, selection.typesTellApart);
  const FileFacts file{context, directives, others, selection, program, effects};
  Verdicts verdicts = verdictsOn(program, directives);
  PlannedKernels planned = planKernels(file, verdicts);
  if (selection.output == Output::Program)
    verdicts.say(remarksOnUses(planned.kernels, file));
  auto hasErrors = [&] {
    return llvm::any_of(verdicts.diagnostics, [&](const Diagnostic &diagnostic) {
      return options.severityOf(diagnostic) == Severity::Error;
    });
  };
  // Even where a copy was refused: what cannot be written is to be said as well.
  const bool refusedBefore = hasErrors();
  EmitResult emitted =
      emit(context, planned.kernels, program, directives, others, effects, selection.output);
  verdicts.takeBackRemarksOn(emitted.refused);
  verdicts.anyRefused |= !emitted.refused.empty();
  verdicts.say(emitted.diagnostics);

  for (const FunctionDecl *instance : instances)
    result.names.push_back(namesOf(instance));
  if (selection.describesEffects)
    for (const FunctionDecl *instance : instances)
      result.effects.push_back(describe(effects.of(instance), fullNameOf(instance)));
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
    verdicts.anyRefused = true;
  }
  result.relations = std::move(planned.relations);
  result.plans = std::move(planned.plans);
  result.anyRefused = verdicts.anyRefused;
  result.diagnostics = std::move(verdicts.diagnostics);
  llvm::stable_sort(result.diagnostics, [](const Diagnostic &a, const Diagnostic &b) {
    return a.place.offset < b.place.offset;
  });
  return result;
}

} // namespace

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
