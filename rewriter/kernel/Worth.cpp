//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/Worth.h"

#include "kernel/Orders.h"
#include "plan/Profit.h"
#include "support/VariableFacts.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Whether each round of some loop makes the copy, in the copy's function or in one on the way to
/// it.
bool isInLoop(const PlannedCopy &copy) {
  const VariableFacts facts(copy.path);
  return facts.outermostLoopAround(copy.statement) ||
         llvm::any_of(copy.path.getCalls(),
                      [&](const CallExpr *call) { return facts.outermostLoopAround(call); });
}

/// Looks for loops in a kernel and the functions that it calls, apart from those of its copies.
class LoopsBesideCopies : public RecursiveASTVisitor<LoopsBesideCopies> {
public:
  explicit LoopsBesideCopies(const InstancePlan &instance) {
    for (const PlannedCopy &copy : instance.copies)
      copies.insert(copy.statement);
    TraverseStmt(instance.function->getBody());
  }

  bool areThere() const { return found; }

  bool TraverseStmt(Stmt *statement) {
    if (!statement || copies.count(statement))
      return true;
    found |= isLoop(statement);
    return !found && RecursiveASTVisitor::TraverseStmt(statement);
  }
  bool VisitCallExpr(CallExpr *call) {
    const FunctionDecl *callee = call->getDirectCallee();
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    return !definition || !seen.insert(definition).second || TraverseStmt(definition->getBody());
  }

private:
  SmallPtrSet<const Stmt *, 8> copies;
  SmallPtrSet<const FunctionDecl *, 8> seen;
  bool found = false;
};

class InstanceWorth {
public:
  InstanceWorth(const InstancePlan &instance, const CopyOrders &orders, bool copiesByGroups)
      : instance(instance),
        orders(orders),
        copiesByGroups(copiesByGroups),
        hasOtherLoops(LoopsBesideCopies(instance).areThere()) {
    for (const PlannedCopy &copy : instance.copies)
      works.push_back(workOf(*copy.relation));
  }

  std::optional<ExpectedLoss> lossOf(size_t number) const {
    const PlannedCopy &copy = instance.copies[number];
    if (auto loss = lossByRows(copy.plan, works[number], copiesByGroups))
      return loss;
    if (copy.plan.kind == CopyKind::Load || copy.plan.layout.transposed)
      if (auto loss = lossByConflicts(copy.plan, works[number]))
        return loss;
    return copy.plan.kind == CopyKind::Reduce ? std::nullopt : lossByWait(awaitedWith(number));
  }

private:
  Hiding hidingOf(size_t number) const {
    const PlannedCopy &copy = instance.copies[number];
    const bool hasStages = !copy.relation->tile.slot.withoutConstant().isZero();
    if (works[number].isLoadedBefore || hasStages || orders.copies[number].isDeferred)
      return Hiding::ByProgram;
    // Where the threads may copy in some rounds, all rounds have barriers for that.
    if (copy.pipeline && copy.plan.copyChecks.empty())
      return Hiding::ByPipeline;
    return isInLoop(copy) ? Hiding::NothingInLoop : Hiding::Nothing;
  }

  /// The copies that wait together with one.
  WaitingCopies awaitedWith(size_t number) const {
    size_t first = number, end = number + 1;
    while (first > 0 && orders.copies[first].joinsPrevious)
      --first;
    while (end < instance.copies.size() && orders.copies[end].joinsPrevious)
      ++end;
    WaitingCopies group;
    group.areStores = instance.copies[number].plan.kind == CopyKind::Store;
    const BlockShape &block = instance.block;
    group.threads = block[0] * block[1] * block[2];
    group.isMostOfBlock = !hasOtherLoops && instance.copies[number].plan.passes >=
                                                instance.copies[number].plan.passesBefore;
    for (size_t i = first; i < end; ++i) {
      for (const Cell &cell : instance.copies[i].relation->cells)
        group.bytes += Bytes(cell.size);
      group.accesses += works[i].accesses;
      group.waits = std::max(group.waits, works[i].waits());
      group.hiding = std::max(group.hiding, hidingOf(i));
    }
    return group;
  }

  const InstancePlan &instance;
  const CopyOrders &orders;
  bool copiesByGroups, hasOtherLoops;
  /// By the copies' numbers.
  std::vector<CopyWork> works;
};

/// Whether no pragma says already that the copy is to be lifted in any case.
bool isJudged(const InstancePlan &instance, const PlannedCopy &copy) {
  const bool isOfPragma = copy.pipeline && instance.pipelines[*copy.pipeline].directive;
  return !copy.directive->clauses.isAlwaysLifted && !isOfPragma && copy.plan.peerCount() == 1;
}

} // namespace

std::map<const Directive *, Diagnostic> expectedLosses(const KernelPlan &kernel,
                                                       const FileFacts &file) {
  std::map<const Directive *, Diagnostic> losses;
  if (file.selection.liftsAlways || file.selection.only)
    return losses;
  const CopyOrders orders = ordersOf(kernel, file.effects);
  for (const InstancePlan &instance : kernel.instances) {
    const bool copiesByGroups = file.effects.of(instance.function).ofAll().groups.ordersCopies();
    const InstanceWorth worth(instance, orders, copiesByGroups);
    for (size_t i = 0; i < instance.copies.size(); ++i) {
      const PlannedCopy &copy = instance.copies[i];
      if (!isJudged(instance, copy))
        continue;
      if (std::optional<ExpectedLoss> loss = worth.lossOf(i))
        losses.try_emplace(copy.directive,
                           diagnose(diag::predicted_loss, copy.plan.place, copy.plan.tile,
                                    loss->byTma, loss->byLoop, loss->reason));
    }
  }
  return losses;
}

} // namespace tilelift
