//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "WriteFile.h"

#include "kernel/Remarks.h"
#include "writable/TextReview.h"

using namespace llvm;

namespace tilelift {
namespace {

/// What the user is told of a kernel that is lifted.
void remarkOn(const WritableKernel &kernel, const LiftedText &text, const FileFacts &file,
              Verdicts &verdicts) {
  if (kernel.warning)
    verdicts.say(*kernel.warning);
  for (const InstancePlan &instance : kernel.plan.instances) {
    for (size_t i = 0; i < instance.copies.size(); ++i) {
      std::vector<Diagnostic> remarks = remarksOn(instance.copies[i].plan, file.selection.device,
                                                  kernel.orders.copies[i].isDeferred);
      for (const Directive &joined : instance.copies[i].directive->joined)
        remarks.front().notes.push_back({joined.statement, "this statement is part of the copy"});
      verdicts.say(remarks);
    }
    for (size_t i = 0; i < instance.pipelines.size(); ++i)
      verdicts.say(remarkOnPipeline(instance, i));
  }
  verdicts.sayOnce(remarksOnBarriers(kernel.plan.instances.front(), kernel.orders,
                                     file.context.getSourceManager()));
  if (file.selection.output == Output::Program)
    verdicts.sayOnce(remarksOnLaunches(kernel.plan, text.names.lifted, file));
}

/// Writes the kernel, or says why it stays as it is.
void writeKernel(const ChosenPlan &chosen, const FileFacts &file, const SourceText &source,
                 Emitter &emitter, Verdicts &verdicts) {
  const KernelPlan &plan = chosen.planned.plan;
  auto staysPlain = [&](Diagnostic reason) {
    if (!verdicts.refuseText(plan, std::move(reason)))
      return;
    for (const PlannedCopy &copy : plan.instances.front().copies)
      emitter.staysPlain(*copy.directive);
    for (const PlannedPipeline &pipeline : plan.instances.front().pipelines)
      if (pipeline.directive)
        emitter.staysPlain(*pipeline.directive);
  };
  if (auto *obstacle = std::get_if<Diagnostic>(&*chosen.writable))
    return staysPlain(*obstacle);
  const WritableKernel &kernel = std::get<WritableKernel>(*chosen.writable);
  const LiftedText text = emitter.write(kernel);
  if (auto clash = whyNotKept(text.written, kernel.plan, source, file.directives.variants)) {
    emitter.drop(text);
    return staysPlain(std::move(*clash));
  }
  emitter.keep(text);
  remarkOn(kernel, text, file, verdicts);
}

} // namespace

EmitResult writeFile(ArrayRef<ChosenPlan> kernels, const FileFacts &file, const SourceText &source,
                     Verdicts &verdicts) {
  Emitter emitter(file, source);
  for (const ChosenPlan &kernel : kernels) {
    if (kernel.writable)
      writeKernel(kernel, file, source, emitter, verdicts);
    for (const Directive *directive : kernel.planned.plan.plain)
      emitter.staysPlain(*directive);
  }
  if (file.selection.output == Output::Program) {
    ForeignLaunches foreign = foreignLaunches(file.program, file.others.launchers, source);
    std::vector<RedirectedLaunch> launches = emitter.launches();
    llvm::append_range(launches, foreign.launches);
    llvm::append_range(launches, throughPointers(file.program, emitter.knownByAddress(), source));
    LaunchChanges changes = changesOfLaunches(launches, file.context, source,
                                              file.directives.macros, file.directives.variants);
    verdicts.sayOnce(std::move(foreign.diagnostics));
    verdicts.sayOnce(std::move(changes.diagnostics));
    verdicts.sayOnce(warningsOnUses(file.program, emitter.liftedKernels(), emitter.knownByAddress(),
                                    changes, source));
    emitter.addLaunches(changes, foreign);
  }
  return emitter.finish();
}

} // namespace tilelift
