//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/Verdicts.h"

#include "directive/Program.h"
#include "kernel/InstanceNames.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

void Verdicts::sayOf(const FunctionDecl *kernel, std::vector<Diagnostic> more) {
  for (Diagnostic &remark : more) {
    remarks.push_back({kernel, diagnostics.size()});
    say(std::move(remark));
  }
}

void Verdicts::takeBackRemarksOn(ArrayRef<const FunctionDecl *> kernels) {
  for (const auto &[kernel, message] : llvm::reverse(remarks))
    if (llvm::is_contained(kernels, kernel))
      diagnostics.erase(diagnostics.begin() + ptrdiff_t(message));
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

} // namespace tilelift
