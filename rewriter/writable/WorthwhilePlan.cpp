//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "writable/WorthwhilePlan.h"

#include "kernel/Worth.h"

using namespace llvm;

namespace tilelift {

namespace {

/// A kernel that is planned in one way, with what that way says of it.
struct TriedPlan {
  std::optional<ChosenPlan> chosen;
  Verdicts verdicts;

  bool isLifted() const { return chosen && chosen->writable; }
  bool hasOwnRings() const { return isLifted() && chosen->planned.plan.hasOwnRings(); }
  bool isWritable() const {
    return chosen->planned.isOneText && std::holds_alternative<WritableKernel>(*chosen->writable);
  }
};

TriedPlan tryPlan(const AnnotatedKernel &kernel, const FileFacts &file, const SourceText &source,
                  const PlanChoices &choices, const Verdicts &before) {
  TriedPlan tried{std::nullopt, before};
  if (auto planned = planKernel(kernel, file, choices, tried.verdicts)) {
    tried.chosen = ChosenPlan{std::move(*planned), std::nullopt};
    if (const KernelPlan &plan = tried.chosen->planned.plan; !plan.instances.empty())
      tried.chosen->writable = makeWritable(plan, file, source);
  }
  return tried;
}

} // namespace

std::optional<ChosenPlan> planWorthwhile(const AnnotatedKernel &kernel, const FileFacts &file,
                                         const SourceText &source, Verdicts &verdicts) {
  PlanChoices choices;
  choices.hasOwnRings = !file.selection.hasOnlyAskedRings;
  std::vector<Diagnostic> warnings;
  std::optional<std::vector<CopyRelation>>
      relations; // of all copies, those that will stay loops included
  while (true) {
    TriedPlan tried = tryPlan(kernel, file, source, choices, verdicts);
    if (tried.chosen && !relations)
      relations = tried.chosen->planned.relations;
    if (tried.hasOwnRings() && !tried.isWritable()) {
      choices.hasOwnRings = false;
      continue;
    }
    std::map<const Directive *, Diagnostic> losses;
    if (tried.isLifted())
      losses = expectedLosses(tried.chosen->planned.plan, file);
    if (losses.empty()) {
      verdicts = std::move(tried.verdicts);
      verdicts.sayOnce(std::move(warnings));
      if (tried.chosen)
        tried.chosen->planned.relations = std::move(*relations);
      return std::move(tried.chosen);
    }
    for (auto &[directive, warning] : losses) {
      choices.loops.insert(directive);
      warnings.push_back(std::move(warning));
    }
  }
}

} // namespace tilelift
