//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "order/GroupWaits.h"
#include "order/Groups.h"
#include "support/Builtins.h"
#include "support/LoopsAndLabels.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"

#include "llvm/ADT/Sequence.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

/// Joins the places of all instances, which share one text. If a statement closes a group or waits
/// in some instances only, the text does it in all of them. That is safe: with a wait too many, or
/// an additional group, the lifted kernel waits for copies earlier than the program does.
static std::optional<std::vector<GroupPlace>> placesOf(const std::vector<KernelFlow> &flows) {
  std::vector<GroupPlace> all;
  for (size_t instance = 0; instance < flows.size(); ++instance) {
    std::optional<std::vector<GroupPlace>> own = flows[instance].groups();
    if (!own)
      return std::nullopt;
    for (const GroupPlace &each : *own) {
      auto known = llvm::find_if(all, [&](const GroupPlace &other) {
        return other.statement->getBeginLoc() == each.statement->getBeginLoc();
      });
      if (known == all.end())
        known = all.insert(known, each);
      known->closes |= each.closes;
      known->releasesOldest |= each.releasesOldest;
      if (each.awaits)
        known->awaitsOldest = each.awaitsOldest && (!known->awaits || known->awaitsOldest);
      known->awaits |= each.awaits;
      known->awaitsAll |= each.awaitsAll;
      if (each.awaits) {
        known->left.resize(instance, each.left.front());
        known->left.push_back(each.left.front());
      }
    }
  }
  for (GroupPlace &place : all)
    if (place.awaits)
      place.left.resize(flows.size(), place.left.back());
  return all;
}

/// Whether the program closes a group right behind a copy and waits for it, all copies included.
/// Then there is nothing to gain from counting groups.
static bool isAwaitedAtOnce(const LiftedCopy &copy, ArrayRef<GroupPlace> places) {
  const CompoundStmt *block = blockOf(copy.statement, copy.path.end()->getBody());
  if (!block)
    return false;
  const auto closes = [](const GroupPlace &each) { return each.closes; };
  for (const Stmt *const *next = llvm::find(block->body(), copy.statement) + 1;
       next != block->body_end(); ++next) {
    auto place = llvm::find_if(places, [&](const GroupPlace &each) {
      return each.statement->getBeginLoc() == (*next)->getBeginLoc();
    });
    if (place == places.end())
      return false;
    // The oldest group is the one just closed if groups are closed nowhere else.
    if (place->awaitsOldest && llvm::count_if(places, closes) > 1)
      return false;
    if (place->awaits)
      return llvm::all_of(place->left, [](unsigned left) { return left == 0; });
  }
  return false;
}

static const VarDecl *variableOf(const Expr *expression) {
  const auto *reference = dyn_cast<DeclRefExpr>(expression->IgnoreParenImpCasts());
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

/// The variable whose method a statement calls, and nothing else; null if it is another statement.
static const VarDecl *objectOf(const Stmt *statement) {
  const auto *expression = dyn_cast<Expr>(statement);
  const auto *call =
      expression ? dyn_cast<CXXMemberCallExpr>(expression->IgnoreImplicit()) : nullptr;
  return call ? variableOf(call->getImplicitObjectArgument()) : nullptr;
}

/// Counts what is done with a variable, and how much of that is a call of one of its methods or of
/// a function of the library. Any other use of a pipeline might destroy it
/// and construct another one in its place.
class PipelineUses : public DynamicRecursiveASTVisitor {
public:
  explicit PipelineUses(const VarDecl &pipeline) : pipeline(pipeline) {}
  bool areCalls() const { return uses == calls; }

  bool VisitDeclRefExpr(DeclRefExpr *reference) override {
    uses += reference->getDecl() == &pipeline;
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    if (!callee || isa<CXXDestructorDecl>(callee) || !isInNamespace(callee, "cuda"))
      return true;
    if (const auto *member = dyn_cast<CXXMemberCallExpr>(call))
      calls += variableOf(member->getImplicitObjectArgument()) == &pipeline;
    for (const Expr *argument : call->arguments())
      calls += variableOf(argument) == &pipeline;
    return true;
  }

private:
  const VarDecl &pipeline;
  unsigned uses = 0, calls = 0;
};

/// Whether the kernel makes a pipeline once: its outermost block declares it, no jump leads back
/// there, and nothing but calls of the library uses it.
static bool isMadeOnce(const VarDecl &pipeline, const FunctionDecl &kernel) {
  const auto *body = dyn_cast<CompoundStmt>(kernel.getBody());
  const bool isDeclared = body && llvm::any_of(body->body(), [&](const Stmt *each) {
                            const auto *declares = dyn_cast<DeclStmt>(each);
                            return declares && llvm::is_contained(declares->decls(), &pipeline);
                          });
  if (!isDeclared || pipeline.getType()->isReferenceType() || hasLabel(body))
    return false;
  PipelineUses uses(pipeline);
  uses.TraverseStmt(kernel.getBody());
  return uses.areCalls();
}

/// Whoever waits for the oldest group has to know which one that is: all groups have to be closed,
/// awaited and handed back by the methods of one pipeline, which counts from the kernel's
/// beginning. Otherwise the waits are for all groups. A wait by the number of groups that it leaves
/// may change which one is the oldest.
static void countOldest(std::vector<GroupPlace> &places, const FunctionDecl &kernel,
                        bool copiesCloseGroups) {
  const VarDecl *pipeline = nullptr;
  const bool areCounted = !copiesCloseGroups && llvm::all_of(places, [&](const GroupPlace &place) {
    if (place.awaits && !place.awaitsOldest)
      return false;
    const VarDecl *own = objectOf(place.statement);
    const bool isSame = !pipeline || own == pipeline;
    pipeline = own;
    return own && isSame && isMadeOnce(*own, kernel);
  });
  for (GroupPlace &place : places) {
    place.awaitsOldest &= areCounted;
    place.releasesOldest &= areCounted;
  }
  llvm::erase_if(places, [](const GroupPlace &place) {
    return !place.closes && !place.awaits && !place.releasesOldest;
  });
}

void deferWaits(const std::vector<OrderedInstance> &instances, const std::vector<KernelFlow> &flows,
                CopyOrders &orders) {
  std::vector<CopyOrder> &copies = orders.copies;
  for (size_t copy = 0; copy < copies.size(); ++copy)
    for (const KernelFlow &flow : flows) {
      copies[copy].closesGroup |= flow.closesGroup(copy);
      copies[copy].lostGroups = std::max(copies[copy].lostGroups, flow.lostGroupsOf(copy));
    }
  auto mayBeDeferred = [&](size_t copy) {
    return llvm::all_of(llvm::seq(instances.size()), [&](size_t i) {
      return instances[i].copies[copy].mayBeDeferred && flows[i].isAsync(copy) &&
             !flows[i].isUnclear(copy);
    });
  };
  std::optional<std::vector<GroupPlace>> places = placesOf(flows);
  if (places && !copies.empty())
    countOldest(*places, *instances.front().copies.front().path.kernel(),
                llvm::any_of(copies, [](const CopyOrder &order) { return order.closesGroup; }));
  for (size_t first = 0, end; first < copies.size(); first = end) {
    for (end = first + 1; end < copies.size() && copies[end].joinsPrevious;)
      ++end;
    const bool isDeferred = places && llvm::all_of(llvm::seq(first, end), mayBeDeferred) &&
                            !isAwaitedAtOnce(instances.front().copies[end - 1], *places);
    for (size_t copy = first; copy < end; ++copy)
      copies[copy].isDeferred = isDeferred;
  }
  const bool hasDeferred =
      llvm::any_of(copies, [](const CopyOrder &order) { return order.isDeferred; });
  if (hasDeferred && llvm::any_of(*places, [](const GroupPlace &place) { return place.awaits; })) {
    orders.groups = *places;
    return;
  }
  for (CopyOrder &order : copies)
    order.isDeferred = false;
}

} // namespace tilelift
