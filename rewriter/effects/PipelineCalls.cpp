//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "effects/PipelineCalls.h"

#include "support/Builtins.h"

#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// The library's class, if a type is an instance of it or a reference to one.
const ClassTemplateSpecializationDecl *pipelineOf(QualType type) {
  const auto *record = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      type.getNonReferenceType()->getAsCXXRecordDecl());
  const bool isMeant = record && record->getIdentifier() && record->getName() == "pipeline";
  return isMeant ? record : nullptr;
}

/// Whether a pipeline belongs to one thread (cuda::thread_scope_thread), whose wait takes the
/// oldest group at once.
bool isOfOneThread(const ClassTemplateSpecializationDecl &pipeline) {
  const TemplateArgument &scope = pipeline.getTemplateArgs().get(0);
  const EnumDecl *scopes = scope.getKind() == TemplateArgument::Integral
                               ? scope.getIntegralType()->getAsEnumDecl()
                               : nullptr;
  return scopes && llvm::any_of(scopes->enumerators(), [&](const EnumConstantDecl *each) {
           return each->getName() == "thread_scope_thread" &&
                  APSInt::isSameValue(each->getInitVal(), scope.getAsIntegral());
         });
}

} // namespace

/// What a called function means; `place` is that of the call.
PipelineCalls::Call PipelineCalls::callOf(const FunctionDecl *function, unsigned place) {
  if (!function)
    return {};
  const DeclarationName full = function->getDeclName();
  const StringRef name = full.isIdentifier() ? function->getName() : StringRef();
  if (name == "memcpy_async" && isInNamespace(function, "cooperative_groups"))
    return {place, Meaning::Copies};
  if (!isInNamespace(function, "cuda"))
    return {};
  if (const auto *method = dyn_cast<CXXMethodDecl>(function)) {
    const auto *pipeline = pipelineOf(method->getFunctionObjectParameterType());
    if (!pipeline)
      return {};
    const Meaning waits = isOfOneThread(*pipeline) ? Meaning::TakesOldest : Meaning::AwaitsOldest;
    const Meaning releases = isOfOneThread(*pipeline) ? Meaning::Plain : Meaning::ReleasesOldest;
    const Meaning other = name.empty() ? Meaning::Plain : Meaning::Unclear; // e.g. the destructor
    return {place, StringSwitch<Meaning>(name)
                       .Case("producer_acquire", Meaning::Plain)
                       .Case("producer_commit", Meaning::Commits)
                       .Case("consumer_wait", waits)
                       .Case("consumer_release", releases)
                       .Case("quit", Meaning::Plain)
                       .Default(other)};
  }
  // With a third argument, some threads only fill the tiles, and others only use them.
  if (name == "make_pipeline")
    return {place, function->getNumParams() > 2 ? Meaning::Unclear : Meaning::Plain};
  const bool isCopy = name == "memcpy_async" && function->getNumParams() > 0 &&
                      pipelineOf(function->parameters().back()->getType());
  return isCopy ? Call{place, Meaning::Copies} : Call();
}

PipelineCalls::Call PipelineCalls::outermostCallAt(unsigned place) const {
  Call found;
  for (; place != 0 && places[place].call != 0; place = places[place].call)
    if (const Call own = callOf(places[place].function, places[place].call); own.place != 0)
      found = own;
  return found;
}

unsigned PipelineCalls::correct(unsigned place, Effect &effect) {
  const Call call = outermostCallAt(place);
  if (call.place == 0)
    return place;
  CopyGroups &groups = effect.groups;
  if (call.meaning == Meaning::Copies) {
    groups.begins |= effect.touchesMemory();
    return place;
  }
  const bool doesSomething = groups.ordersCopies() || !effect.touchesNoCommonMemory();
  groups = {};
  // LLVM may have merged the same call of two places.
  if (!places.isWritten(call.place)) {
    groups.isUnclear = doesSomething;
    return place;
  }
  if (!entered.insert(call.place).second)
    return call.place;
  switch (call.meaning) {
  case Meaning::Plain:
  case Meaning::Copies: break;
  case Meaning::Unclear: groups.isUnclear = true; break;
  case Meaning::Commits: groups.closes = true; break;
  case Meaning::TakesOldest:
    groups.awaits = groups.awaitsOldest = groups.releasesOldest = true;
    break;
  case Meaning::AwaitsOldest: groups.awaits = groups.awaitsOldest = true; break;
  case Meaning::ReleasesOldest: groups.releasesOldest = true; break;
  }
  return call.place;
}

} // namespace tilelift
