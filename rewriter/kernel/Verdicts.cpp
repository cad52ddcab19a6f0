//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/Verdicts.h"

#include "directive/Program.h"
#include "kernel/InstanceNames.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

void Verdicts::sayOnce(std::vector<Diagnostic> more) {
  for (Diagnostic &each : more) {
    const bool isKnown = llvm::any_of(diagnostics, [&](const Diagnostic &known) {
      return known.id == each.id && known.place == each.place && known.text == each.text &&
             known.notes == each.notes;
    });
    if (!isKnown)
      say(std::move(each));
  }
}

void Verdicts::refuse(Diagnostic reason, const Directive &directive, const FunctionDecl *instance) {
  anyRefused = true;
  if (!reason.place.isKnown())
    reason.place = directive.statement;
  if (directive.clauses.fallback == Fallback::Loop)
    reason = staysPlain(std::move(reason), directive);
  if (instance->isTemplateInstantiation()) {
    reason.notes.push_back(
        {directive.statement, "in the instantiation '" + fullNameOf(instance) + "'"});
  }
  // The same reason in several instantiations is said once; of several copies, too, with all of
  // them.
  for (size_t i = 0; i < diagnostics.size(); ++i) {
    Diagnostic &known = diagnostics[i];
    if (known.id != reason.id || !(known.place == reason.place) || known.text != reason.text)
      continue;
    if (refusals.insert({i, &directive}).second)
      known.notes.push_back({directive.statement, "this copy is refused for the same reason"});
    return;
  }
  refusals.insert({diagnostics.size(), &directive});
  diagnostics.push_back(std::move(reason));
}

void Verdicts::refuseClause(Diagnostic reason, const Directive &directive,
                            const FunctionDecl *instance) {
  if (directive.clauses.fallback != Fallback::Loop)
    return refuse(std::move(reason), directive, instance);
  reason.severity = Severity::Warning;
  diagnostics.push_back(std::move(reason));
}

void Verdicts::refuseAll(const InstancePlan &instance, Diagnostic reason,
                         const Directive &directive) {
  refuse(std::move(reason), directive, instance.function);
  if (directive.clauses.fallback != Fallback::Loop) // nothing is written anyway
    return;
  for (const PlannedCopy &copy : instance.copies)
    if (copy.directive != &directive)
      refuse(
          diagnose(diag::refused_together, copy.plan.place, instance.function->getNameAsString()),
          *copy.directive, instance.function);
}

/// The copies' pragmas, each once.
static std::vector<const Directive *> directivesOf(const InstancePlan &instance) {
  std::vector<const Directive *> directives;
  for (const PlannedCopy &copy : instance.copies)
    if (directives.empty() || directives.back() != copy.directive)
      directives.push_back(copy.directive);
  return directives;
}

bool Verdicts::refuseText(const KernelPlan &kernel, Diagnostic reason) {
  anyRefused = true;
  const std::vector<const Directive *> directives = directivesOf(kernel.instances.front());
  const bool mayStay = llvm::all_of(directives, [](const Directive *directive) {
    return directive->clauses.fallback == Fallback::Loop;
  });
  if (!mayStay || reason.severity != Severity::Error) {
    for (const Directive *directive : directives)
      if (!(directive->statement == reason.place || directive->begin == reason.place))
        reason.notes.push_back({directive->statement, "so this copy is not lifted"});
    sayOnce({std::move(reason)});
    return false;
  }
  for (const Directive *directive : directives) {
    Diagnostic plain = diagnose(diag::stays_plain, directive->statement, reason.text);
    plain.notes = reason.notes;
    if (reason.place.isKnown())
      plain.notes.push_back({reason.place, "because of what is here"});
    sayOnce({std::move(plain)});
  }
  return true;
}

} // namespace tilelift
