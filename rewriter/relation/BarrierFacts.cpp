//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "relation/BarrierFacts.h"

#include "relation/BlockFlow.h"

#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Since the last barrier of the block, on some path; the `ever` fields since
/// the kernel's entry. Bit k speaks of the tile of copy k.
struct State {
  uint64_t touched = 0;
  bool waited = false;
  bool otherMemory = false;
  bool copied = false;
  uint64_t everRead = 0;
  uint64_t everWritten = 0;
  bool everStored = false;
  /// Copies whose source a store may have changed, through a pointer of its own.
  uint64_t sourceWritten = 0;
  /// The copy that the path is in.
  std::optional<size_t> inside;

  bool join(const State &other) {
    State before = *this;
    touched |= other.touched;
    waited |= other.waited;
    otherMemory |= other.otherMemory;
    copied |= other.copied;
    everRead |= other.everRead;
    everWritten |= other.everWritten;
    everStored |= other.everStored;
    sourceWritten |= other.sourceWritten;
    return touched != before.touched || waited != before.waited ||
           otherMemory != before.otherMemory || copied != before.copied ||
           everRead != before.everRead || everWritten != before.everWritten ||
           everStored != before.everStored || sourceWritten != before.sourceWritten;
  }
  void barrier() {
    touched = 0;
    waited = otherMemory = copied = false;
  }
};

class Flow {
public:
  Flow(const FunctionDecl *function, ASTContext &context,
       const std::vector<LiftedStatement> &copies, ArrayRef<const CallExpr *> lifting)
      : copies(copies), lifting(lifting), function(function, context, copies) {}

  BarrierFacts run() {
    result.copies.resize(copies.size());
    groupCopies();
    solve();
    // Without the redundant barriers, the copies may look different.
    // Dropping one that a macro writes would drop the rest of the macro, too.
    llvm::erase_if(candidates, [&](const CallExpr *call) {
      return call->getBeginLoc().isMacroID() || llvm::is_contained(kept, call);
    });
    result.redundant.assign(candidates.begin(), candidates.end());
    for (size_t i = 0; i < copies.size(); ++i) {
      bool runsOnce =
          function.isKernel && function.facts.parentOf(copies[i].statement) == function.getBody();
      result.copies[i] = {runsOnce, result.copies[i].joinsPrevious};
    }
    solve();
    return std::move(result);
  }

private:
  void groupCopies();
  bool sharesTile(size_t copy) const;
  bool isQuiet(const Stmt *statement) const;
  void solve();
  void step(State &state, const Stmt *statement, std::optional<size_t> copy);
  void enterCopies(State &state, size_t first);
  void reachLoad(State &state, size_t copy);
  void access(State &state, const Stmt *statement);
  bool callsLifting(const Stmt *statement) const;

  const std::vector<LiftedStatement> &copies;
  ArrayRef<const CallExpr *> lifting;
  BlockFlow function;
  BarrierFacts result;
  SmallVector<const CallExpr *, 8> candidates;
  SmallVector<const CallExpr *, 8> kept;
};

/// Whether a statement between two copies leaves shared memory alone.
bool Flow::isQuiet(const Stmt *statement) const {
  if (!statement)
    return true;
  if (isa<ForStmt, WhileStmt, DoStmt, IfStmt, SwitchStmt, ReturnStmt, BreakStmt, ContinueStmt,
          AsmStmt>(statement))
    return false;
  if (const auto *call = dyn_cast<CallExpr>(statement))
    if (!isHarmlessCall(call))
      return false;
  if (const auto *reference = dyn_cast<DeclRefExpr>(statement))
    if (const auto *variable = dyn_cast<VarDecl>(reference->getDecl()))
      if (variable->hasAttr<CUDASharedAttr>())
        return false;
  return llvm::all_of(statement->children(), [&](const Stmt *child) { return isQuiet(child); });
}

void Flow::groupCopies() {
  for (size_t i = 1; i < copies.size(); ++i) {
    if (copies[i].statement == copies[i - 1].statement) {
      result.copies[i].joinsPrevious = true;
      continue;
    }
    const auto *body = dyn_cast_or_null<CompoundStmt>(function.facts.parentOf(copies[i].statement));
    bool together = body && body == function.facts.parentOf(copies[i - 1].statement) &&
                    !copies[i].mayRunPlain && !copies[i - 1].mayRunPlain && !sharesTile(i) &&
                    copies[i].isAhead == copies[i - 1].isAhead && !copies[i].isStore &&
                    !copies[i - 1].isStore;
    if (!together)
      continue;
    bool between = false;
    for (const Stmt *statement : body->body()) {
      if (statement == copies[i].statement)
        break;
      together &= !between || (isQuiet(statement) && !copies[i].isAhead);
      between |= statement == copies[i - 1].statement;
    }
    result.copies[i].joinsPrevious = together;
  }
}

/// Whether a copy fills what one of those before it in its group fills.
bool Flow::sharesTile(size_t copy) const {
  for (size_t i = copy; i-- > 0;) {
    if (copies[i].tile == copies[copy].tile)
      return true;
    if (!result.copies[i].joinsPrevious)
      break;
  }
  return false;
}

bool Flow::callsLifting(const Stmt *statement) const {
  const auto *call = dyn_cast<CallExpr>(statement);
  return (call && llvm::is_contained(lifting, call)) ||
         llvm::any_of(statement->children(),
                      [&](const Stmt *child) { return child && callsLifting(child); });
}

void Flow::access(State &state, const Stmt *statement) {
  TileUses uses = function.usesIn(statement);
  // A fence and the barrier behind it may be for what was written before another barrier.
  state.otherMemory |= uses.any || (isProxyFence(statement) && state.everStored);
  state.everStored |= uses.store;
  state.touched |= uses.read | uses.written;
  state.everRead |= uses.read;
  state.everWritten |= uses.written;
  if (callsLifting(statement))
    state.waited = state.copied = true;
}

void Flow::reachLoad(State &state, size_t copy) {
  CopyOrder &order = result.copies[copy];
  uint64_t bit = uint64_t(1) << copy;
  bool startsPhase = !order.joinsPrevious;
  order.needsBarrier |= (state.touched & bit) || (startsPhase && state.waited);
  order.sourceWritten |= (state.sourceWritten & bit) != 0;
  order.readBefore |= state.everRead & bit;
  order.writtenBefore |= state.everWritten & bit;
}

/// All that one statement copies. Where the plain statement may run, it is the threads
/// who fill or read the tile; a store leaves it to be read in either way.
void Flow::enterCopies(State &state, size_t first) {
  state.copied = true;
  auto isSame = [&](size_t i) {
    return i < copies.size() && copies[i].statement == copies[first].statement;
  };
  for (size_t i = first; isSame(i); ++i)
    if (!copies[i].isStore)
      reachLoad(state, i);
  for (size_t i = first; isSame(i); ++i) {
    uint64_t tile = function.copiesOf(copies[i].tile);
    if (copies[i].isStore || copies[i].mayRunPlain) {
      state.otherMemory = true;
      state.everStored |= copies[i].mayRunPlain;
      state.touched |= tile;
    }
    if (copies[i].isStore)
      state.everRead |= copies[i].mayRunPlain ? tile : 0;
    else if (copies[i].mayRunPlain)
      state.everWritten |= tile;
    for (size_t load = 0; load < copies.size() && copies[i].isStore; ++load)
      if (mayWrite(copies[i].statement, copies[load].source, function.isKernel, function.facts))
        state.sourceWritten |= uint64_t(1) << load;
  }
}

/// Leaving a copy is its wait.
void Flow::step(State &state, const Stmt *statement, std::optional<size_t> copy) {
  std::optional<size_t> inside = std::exchange(state.inside, copy);
  if (inside && inside != copy && !copies[*inside].isStore)
    state.waited |= !copy || !result.copies[*copy].joinsPrevious;
  if (copy && inside != copy)
    enterCopies(state, *copy);
  if (copy)
    return;
  if (!isBlockBarrier(statement)) {
    for (size_t i = 0; i < copies.size(); ++i)
      if (!copies[i].isStore &&
          mayWrite(statement, copies[i].source, function.isKernel, function.facts))
        state.sourceWritten |= uint64_t(1) << i;
    return access(state, statement);
  }

  const auto *call = cast<CallExpr>(statement);
  if (llvm::is_contained(result.redundant, call))
    return;
  bool isPlain = calleeName(call) == "__syncthreads";
  bool orders = !isPlain || !state.copied || state.otherMemory || state.touched != 0;
  SmallVector<const CallExpr *, 8> &list = orders ? kept : candidates;
  if (!llvm::is_contained(list, call))
    list.push_back(call);
  state.barrier();
}

void Flow::solve() {
  State entry;
  if (!function.isKernel) {
    entry.touched = entry.everRead = ~uint64_t(0);
    for (const LiftedStatement &copy : copies)
      if (copy.tileIsWritten || copy.mayRunPlain)
        entry.everWritten |= function.copiesOf(copy.tile);
    entry.waited = entry.otherMemory = entry.everStored = true;
    for (size_t i = 0; i < copies.size(); ++i)
      if (copies[i].source.mayBeWritten())
        entry.sourceWritten |= uint64_t(1) << i;
  }
  function.run<State>(std::move(entry),
                      [&](State &state, const Stmt *statement, std::optional<size_t> copy) {
                        step(state, statement, copy);
                      });
}

} // namespace

BarrierFacts findBarrierFacts(const FunctionDecl *function, ASTContext &context,
                              const std::vector<LiftedStatement> &copies,
                              ArrayRef<const CallExpr *> lifting) {
  return Flow(function, context, copies, lifting).run();
}

} // namespace tilelift
