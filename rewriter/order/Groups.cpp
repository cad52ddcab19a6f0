//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "order/Groups.h"

#include "clang/AST/Stmt.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

const CompoundStmt *blockOf(const Stmt *statement, const Stmt *around) {
  if (!around)
    return nullptr;
  const auto *block = dyn_cast<CompoundStmt>(around);
  if (block && llvm::is_contained(block->body(), statement))
    return block;
  for (const Stmt *child : around->children())
    if (const CompoundStmt *found = blockOf(statement, child))
      return found;
  return nullptr;
}

namespace {

bool mayJump(const Stmt *statement) {
  return statement && (isa<ReturnStmt, BreakStmt, ContinueStmt, GotoStmt>(statement) ||
                       llvm::any_of(statement->children(), mayJump));
}

class Grouping {
public:
  Grouping(const OrderedInstance &instance, const KernelFlow &flow, const CopyOrders &orders)
      : copies(instance.copies), flow(flow), orders(orders) {}

  /// Whether a copy may wait with the one before it, which may wait with others.
  bool joins(size_t copy) const;

private:
  bool isQuiet(const Stmt *between, size_t copy) const;
  size_t firstOfGroup(size_t copy) const {
    while (copy > 0 && orders.copies[copy].joinsPrevious)
      --copy;
    return copy;
  }

  const std::vector<LiftedCopy> &copies;
  const KernelFlow &flow;
  const CopyOrders &orders;
};

/// Whether nobody is at the tiles of the group meanwhile, or changes what is on its way, and
/// all who come to the first copy come to the last one.
bool Grouping::isQuiet(const Stmt *between, size_t copy) const {
  Effect effect = flow.effectOf(between, copies[copy].path);
  if (mayJump(between) || effect.isUnknown || effect.meetsBlock || effect.meetsOthers ||
      effect.groups.ordersCopies() || effect.signals || effect.mayLeave)
    return false;
  ObjectSet touched = effect.reads;
  touched.add(effect.writes);
  for (size_t i = firstOfGroup(copy - 1); i <= copy; ++i) {
    bool isInTheWay = flow.mayMeet(touched, flow.tileOf(i)) ||
                      (i != copy && flow.mayMeet(effect.writes, flow.tensorsOf(i)));
    if (isInTheWay)
      return false;
  }
  return true;
}

bool Grouping::joins(size_t copy) const {
  const LiftedCopy &own = copies[copy], &before = copies[copy - 1];
  if (own.isMadeWith(before))
    return true;
  const CompoundStmt *block = blockOf(own.statement, own.path.end()->getBody());
  bool isBeside = block && block == blockOf(before.statement, before.path.end()->getBody()) &&
                  own.path.getCalls() == before.path.getCalls();
  bool mayShare = isBeside && !own.mayRunPlain && !before.mayRunPlain && !own.looksUpShared &&
                  own.isAhead == before.isAhead && !own.isStore && !before.isStore &&
                  !flow.isUnclear(copy) && !flow.isUnclear(copy - 1);
  if (!mayShare)
    return false;
  for (size_t i = firstOfGroup(copy - 1); i < copy; ++i)
    if (copies[i].tile->getCanonicalDecl() == own.tile->getCanonicalDecl())
      return false;
  bool isBetween = false;
  for (const Stmt *statement : block->body()) {
    if (statement == own.statement)
      break;
    if (isBetween && (own.isAhead || !isQuiet(statement, copy)))
      return false;
    isBetween |= statement == before.statement;
  }
  return true;
}

} // namespace

void groupCopies(const std::vector<OrderedInstance> &instances,
                 const std::vector<KernelFlow> &flows, CopyOrders &orders) {
  const std::vector<LiftedCopy> &first = instances.front().copies;
  for (size_t copy = 0; copy < first.size(); ++copy) {
    const CallPath &path = first[copy].path;
    orders.copies[copy].runsOnce =
        path.inKernel() &&
        blockOf(first[copy].statement, path.kernel()->getBody()) == path.kernel()->getBody();
    orders.copies[copy].joinsPrevious = copy > 0;
    for (size_t i = 0; i < instances.size(); ++i)
      orders.copies[copy].joinsPrevious =
          orders.copies[copy].joinsPrevious && Grouping(instances[i], flows[i], orders).joins(copy);
  }
}

} // namespace tilelift
