//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/CacheHints.h"

#include "kernel/Pipelines.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

std::optional<Diagnostic> whyNotPersistent(const Persistence &asked, const Directive &directive,
                                           const Persistence *earlier,
                                           const InstancePlan &instance) {
  auto reason = [&](const std::string &why) {
    return diagnose(diag::no_persistence, asked.place, asked.tensor, why);
  };
  if (earlier)
    return reason("a launch keeps one tensor there, and has '" + earlier->tensor + "'")
        .note(earlier->place, "asked for here");
  std::string others;
  for (const PlannedCopy &copy : instance.copies) {
    const GlobalBase &base = copy.plan.base;
    if (copy.directive != &directive)
      continue;
    if (base.name() == asked.tensor && base.knownAtLaunch)
      return std::nullopt;
    others += (others.empty() ? "'" : ", '") + base.name() + "'";
  }
  return reason("the copy goes through " + others);
}

} // namespace

void planPrefetches(InstancePlan &instance, const DenseSet<const Stmt *> &inPipelines,
                    Verdicts &verdicts) {
  for (PlannedCopy &copy : instance.copies) {
    const Clauses &clauses = copy.directive->clauses;
    if (!clauses.prefetch)
      continue;
    const char *why = copy.plan.gather ? "its rows are looked up one by one"
                      : copy.pipeline  ? nullptr
                      : inPipelines.contains(copy.statement)
                          ? "its tiles are not filled ahead of their rounds"
                          : "that takes a loop with '#pragma tma pipeline' around the copy";
    if (!why) {
      auto rounds = countOf(*clauses.prefetch, "prefetch", mostRoundsAhead, instance.function);
      if (auto *wrong = std::get_if<Diagnostic>(&rounds))
        verdicts.fail(std::move(*wrong));
      else
        copy.prefetched = std::get<unsigned>(rounds);
      continue;
    }
    verdicts.refuseClause(diagnose(diag::no_prefetch, copy.plan.place, copy.plan.tile, why),
                          *copy.directive, instance.function);
  }
}

void planPersistence(InstancePlan &instance, Verdicts &verdicts) {
  const Directive *last = nullptr;
  const Persistence *earlier = nullptr;
  for (const PlannedCopy &copy : instance.copies) {
    const Directive &directive = *copy.directive;
    if (!directive.clauses.persistence || last == &directive)
      continue;
    last = &directive;
    const Persistence &asked = *directive.clauses.persistence;
    if (auto reason = whyNotPersistent(asked, directive, earlier, instance)) {
      verdicts.refuseClause(std::move(*reason), directive, instance.function);
      continue;
    }
    earlier = &asked;
    instance.launchCalls.push_back(
        {"persist", {{"tensor", asked.tensor, /*isText=*/true}, {"share", asked.share}}});
  }
}

} // namespace tilelift
