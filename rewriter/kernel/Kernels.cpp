//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/Kernels.h"

#include "kernel/InstanceNames.h"
#include "kernel/Remarks.h"
#include "kernel/Sizes.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Adds an instance to those that share the kernel's text, or each of its copies stays what it is.
void addInstance(PlannedKernel &planned, InstancePlan instance, Verdicts &verdicts) {
  KernelPlan &kernel = planned.plan;
  if (kernel.instances.empty() || haveOneText(kernel.instances.front(), instance)) {
    kernel.instances.push_back(std::move(instance));
    return;
  }
  planned.isOneText = false;
  verdicts.anyRefused = true;
  const Directive *last = nullptr;
  for (const PlannedCopy &copy : instance.copies)
    if (std::exchange(last, copy.directive) != copy.directive)
      verdicts.say(diagnose(diag::instance_differs, copy.plan.place, fullNameOf(instance.function),
                            fullNameOf(kernel.instances.front().function)));
}

/// Rings lie in dynamic memory in all instances, if they have to in one.
void placeRings(KernelPlan &kernel, const Effects &effects) {
  bool moves = llvm::any_of(kernel.instances, [&](InstancePlan &instance) {
    return needsDynamicRings(tilePlansOf(instance), sizesOf(instance.function, effects));
  });
  for (InstancePlan &instance : kernel.instances)
    if (moves)
      moveRings(tilePlansOf(instance));
}

/// The pragmas that no copy and no pipeline of the plan is for.
std::vector<const Directive *> plainOf(const KernelPlan &kernel,
                                       ArrayRef<KernelInstance> instances) {
  std::vector<const Directive *> plain;
  auto isMade = [&](const auto &made, const AnnotatedStatement &annotated) {
    return llvm::any_of(made,
                        [&](const auto &each) { return each.directive == annotated.directive; });
  };
  const InstancePlan none;
  const InstancePlan &planned = kernel.instances.empty() ? none : kernel.instances.front();
  auto add = [&](const auto &made, const AnnotatedStatement &annotated) {
    if (!isMade(made, annotated) && !llvm::is_contained(plain, annotated.directive))
      plain.push_back(annotated.directive);
  };
  // Some instances may not have the statements of others, which a constant condition leaves out.
  for (const KernelInstance &instance : instances) {
    for (const AnnotatedStatement &annotated : instance.statements)
      add(planned.copies, annotated);
    for (const AnnotatedStatement &annotated : instance.pipelines)
      add(planned.pipelines, annotated);
  }
  return plain;
}

} // namespace

std::optional<PlannedKernel> planKernel(const AnnotatedKernel &kernel, const FileFacts &file,
                                        const PlanChoices &choices, Verdicts &verdicts) {
  if (kernel.pattern->getTemplateSpecializationKind() == TSK_ExplicitSpecialization) {
    for (const KernelInstance &instance : kernel.instances)
      for (const AnnotatedStatement &each : instance.statements)
        verdicts.refuse(diagnose(diag::not_available_yet, each.directive->begin,
                                 "a copy in an explicit specialization"),
                        *each.directive, instance.function);
    return std::nullopt;
  }
  PlannedKernel planned;
  planned.plan.pattern = kernel.pattern;
  for (const KernelInstance &instance : kernel.instances) {
    PlannedInstance made = planInstance(kernel, instance, file, choices, verdicts);
    llvm::move(made.relations, std::back_inserter(planned.relations));
    if (made.plan)
      addInstance(planned, std::move(*made.plan), verdicts);
  }
  placeRings(planned.plan, file.effects);
  planned.plan.plain = plainOf(planned.plan, kernel.instances);
  return planned;
}

} // namespace tilelift
