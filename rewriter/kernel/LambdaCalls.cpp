//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/LambdaCalls.h"

#include "effects/KernelEffects.h"
#include "support/Locations.h"

#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Describes the copy of one call of a lambda beside that of another call: by where the copies
/// begin, if they differ in nothing else.
std::string summaryBeside(const Plan &plan, const Plan &other) {
  std::string text = summary(plan);
  if (text != summary(other))
    return text;
  std::vector<std::string> start;
  for (const PlanDimension &dim : plan.dims())
    start.push_back(plan.symbols.print(dim.coordinate.count()));
  if (start.empty())
    start.push_back(plan.symbols.print(plan.offset().count()) + " bytes");
  return text + " at (" + join(start, ", ") + ")";
}

/// Whether a statement is a pointer to a function or to a member function.
bool isFunctionPointer(const Stmt *statement) {
  const auto *value = dyn_cast_or_null<Expr>(statement);
  return value && (value->getType()->isFunctionPointerType() ||
                   value->getType()->isMemberFunctionPointerType());
}

} // namespace

bool isOtherInstanceOfText(const AnnotatedStatement &statement, const KernelInstance &instance) {
  return llvm::any_of(instance.statements, [&](const AnnotatedStatement &other) {
    return other.directive == statement.directive && other.statement != statement.statement &&
           other.path.sameText(statement.path);
  });
}

bool joinCalls(InstancePlan &instance, std::vector<PlannedCopy> &copies, Verdicts &verdicts) {
  std::vector<PlannedCopy *> before;
  for (PlannedCopy &other : instance.copies)
    if (other.statement == copies[0].statement && other.path.sameText(copies[0].path))
      before.push_back(&other);
  if (before.empty())
    return true;
  for (size_t i = 0; i < copies.size(); ++i) {
    if (before.size() != copies.size() || toJson(before[i]->plan) != toJson(copies[i].plan)) {
      const Plan &own = copies[i].plan, &other = before[std::min(i, before.size() - 1)]->plan;
      verdicts.refuse(diagnose(diag::calls_differ, own.place, summaryBeside(own, other),
                               summaryBeside(other, own)),
                      *copies[i].directive, instance.function);
      instance.drop(copies[i].statement, copies[i].path);
      copies.clear();
      return false;
    }
  }
  copies.clear();
  return true;
}

void dropHalfLifted(InstancePlan &instance, Verdicts &verdicts) {
  auto half = [&] {
    return llvm::find_if(instance.copies, [&](const PlannedCopy &copy) {
      return llvm::any_of(instance.plainPaths, [&](const CallPath &plain) {
        return isLambda(copy.path.end()) && copy.path.end() == plain.end() &&
               copy.path.sameText(plain);
      });
    });
  };
  for (auto copy = half(); copy != instance.copies.end(); copy = half()) {
    verdicts.refuse(diagnose(diag::calls_differ, copy->plan.place, "a loop", summary(copy->plan)),
                    *copy->directive, instance.function);
    instance.drop(copy->statement, copy->path);
  }
}

void refuseUnseenCalls(InstancePlan &plan, const KernelInstance &instance,
                       const KernelEffects &effects, Verdicts &verdicts) {
  const ASTContext &context = instance.function->getASTContext();
  std::vector<CallPath> known;
  for (const AnnotatedStatement &annotated : instance.statements)
    known.push_back(annotated.path);
  for (const AnnotatedStatement &annotated : instance.statements) {
    const FunctionDecl *callee = annotated.path.end();
    if (annotated.path.inKernel())
      continue;
    const bool isText = isLambda(callee);
    const CallPath through =
        isText ? annotated.path.first(annotated.path.textDepth()) : CallPath(instance.function);
    auto way = effects.otherWayTo(callee, known, through);
    if (!way)
      continue;
    Diagnostic reason = diagnose(
        diag::calls_unseen, {annotated.directive->statement},
        isText ? "the lambda that makes this copy"
               : "'" + callee->getNameAsString() + "', which makes this copy,",
        way->isFromAfar || isFunctionPointer(way->statement) ? "through a pointer"
                                                             : "by a destructor or an initialiser");
    if (way->statement)
      reason.notes.push_back({placeOf(context.getSourceManager(), way->statement->getBeginLoc()),
                              "the kernel gets there here"});
    verdicts.refuse(std::move(reason), *annotated.directive, instance.function);
    if (isText)
      plan.drop(annotated.statement, annotated.path);
  }
}

} // namespace tilelift
