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

/// What happens between two barriers of the block, on some path. Bit k speaks of copy k.
struct Region {
  MemoryTraffic threads;
  /// Some copy was reached, and some wait for one was left behind.
  bool copied = false, waited = false;
  /// Copies by which TMA writes to tiles, and those of them that the leader announces anew.
  uint64_t loads = 0, phases = 0;

  bool join(const Region &other) {
    Region before = *this;
    threads.add(other.threads);
    copied |= other.copied;
    waited |= other.waited;
    loads |= other.loads;
    phases |= other.phases;
    return !(threads == before.threads) || copied != before.copied || waited != before.waited ||
           loads != before.loads || phases != before.phases;
  }
  uint64_t touched() const { return threads.read | threads.written; }
};

/// The region since the last barrier; the `ever` fields since the kernel's entry.
struct State {
  Region since;
  /// The barriers that came last, by their numbers.
  uint64_t behind = 0;
  uint64_t everRead = 0;
  uint64_t everWritten = 0;
  bool everStored = false;
  /// Copies whose source a store may have changed, through a pointer of its own.
  uint64_t sourceWritten = 0;
  /// The copy that the path is in.
  std::optional<size_t> inside;

  bool join(const State &other) {
    State before = *this;
    bool isNew = since.join(other.since);
    behind |= other.behind;
    everRead |= other.everRead;
    everWritten |= other.everWritten;
    everStored |= other.everStored;
    sourceWritten |= other.sourceWritten;
    return isNew || behind != before.behind || everRead != before.everRead ||
           everWritten != before.everWritten || everStored != before.everStored ||
           sourceWritten != before.sourceWritten;
  }
};

/// A barrier of the program, with the regions on both of its sides.
struct Barrier {
  const CallExpr *call = nullptr;
  Region before, after;
  bool isRedundant = false;

  /// Dropping one that a macro writes would drop the rest of the macro, too.
  bool mayGo() const {
    return calleeName(call) == "__syncthreads" && !call->getBeginLoc().isMacroID() && before.copied;
  }
  /// Where the threads did nothing, whoever comes next may need a barrier, but not this one.
  bool ordersNothing() const {
    if (!before.threads.any())
      return true;
    return !before.threads.clashesWith(after.threads) && (before.touched() & after.loads) == 0 &&
           !(before.waited && after.phases != 0);
  }
};

/// Whether the end of some variable's life does something with memory, which no statement
/// shows.
bool hasLateEffects(const Stmt *statement) {
  if (!statement)
    return false;
  if (const auto *declaration = dyn_cast<DeclStmt>(statement))
    for (const Decl *each : declaration->decls()) {
      const auto *variable = dyn_cast<VarDecl>(each);
      const CXXRecordDecl *type = variable ? variable->getType()->getAsCXXRecordDecl() : nullptr;
      if (!type || !type->hasDefinition() || type->hasTrivialDestructor())
        continue;
      const FunctionDecl *end = nullptr;
      if (!type->getDestructor() || !type->getDestructor()->hasBody(end) ||
          memoryOf(end->getBody()).touches)
        return true;
    }
  return llvm::any_of(statement->children(), hasLateEffects);
}

class Flow {
public:
  Flow(const FunctionDecl *function, ASTContext &context,
       const std::vector<LiftedStatement> &copies, ArrayRef<const CallExpr *> lifting)
      : copies(copies), lifting(lifting), function(function, context, copies) {}

  BarrierFacts run();

private:
  BarrierFacts takeRedundant();
  void groupCopies();
  bool sharesTile(size_t copy) const;
  bool isQuiet(const Stmt *statement) const;
  void solve();
  void step(State &state, const Stmt *statement, std::optional<size_t> copy);
  void enterCopies(State &state, size_t first);
  void reachLoad(State &state, size_t copy);
  void access(State &state, const Stmt *statement);
  void passBarrier(State &state, const CallExpr *call);
  void add(State &state, const Region &region);
  bool callsLifting(const Stmt *statement) const;

  const std::vector<LiftedStatement> &copies;
  ArrayRef<const CallExpr *> lifting;
  BlockFlow function;
  BarrierFacts result;
  std::vector<Barrier> barriers;
};

/// As many as there are bits for: others stay.
constexpr size_t mostBarriers = 64;

BarrierFacts Flow::run() {
  result.copies.resize(copies.size());
  groupCopies();
  solve();
  if (hasLateEffects(function.getBody()))
    return std::move(result);
  for (Barrier &barrier : barriers)
    barrier.isRedundant = barrier.mayGo() && !barrier.before.threads.any();
  if (!function.isKernel) { // who knows what its caller does behind the last one
    solve();
    return takeRedundant();
  }
  // Each that goes joins two regions, so the next one is judged without it.
  for (auto next = barriers.begin(); next != barriers.end();) {
    solve();
    next = llvm::find_if(barriers, [](const Barrier &barrier) {
      return !barrier.isRedundant && barrier.mayGo() && barrier.ordersNothing();
    });
    if (next != barriers.end())
      next->isRedundant = true;
  }
  return takeRedundant();
}

BarrierFacts Flow::takeRedundant() {
  for (const Barrier &barrier : barriers)
    if (barrier.isRedundant)
      result.redundant.push_back(barrier.call);
  return std::move(result);
}

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
                    !copies[i].looksUpShared && copies[i].isAhead == copies[i - 1].isAhead &&
                    !copies[i].isStore && !copies[i - 1].isStore;
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

/// Notes what happens here, also for the barriers behind which it happens.
void Flow::add(State &state, const Region &region) {
  state.since.join(region);
  for (size_t i = 0; i < barriers.size(); ++i)
    if (state.behind & uint64_t(1) << i)
      barriers[i].after.join(region);
}

void Flow::access(State &state, const Stmt *statement) {
  Region region;
  region.threads = function.trafficOf(statement);
  // A fence and the barrier behind it may be for what was written before another barrier.
  if (isProxyFence(statement) && state.everStored)
    region.threads = {0, 0, true, true, true, true};
  region.waited = region.copied = callsLifting(statement);
  state.everStored |= region.threads.stores() || region.threads.written != 0;
  state.everRead |= region.threads.read;
  state.everWritten |= region.threads.written;
  add(state, region);
}

void Flow::reachLoad(State &state, size_t copy) {
  CopyOrder &order = result.copies[copy];
  uint64_t bit = uint64_t(1) << copy;
  bool startsPhase = !order.joinsPrevious;
  bool isOrdered = copies[copy].isSupplied;
  order.needsBarrier |= copies[copy].looksUpShared &&
                        (state.since.threads.storesShared || state.since.threads.written != 0);
  order.needsBarrier |=
      !isOrdered && ((state.since.touched() & bit) || (startsPhase && state.since.waited));
  order.sourceWritten |= (state.sourceWritten & bit) != 0;
  order.readBefore |= state.everRead & bit;
  order.writtenBefore |= state.everWritten & bit;
  Region region;
  region.threads.readsShared = copies[copy].looksUpShared;
  region.loads = isOrdered ? 0 : bit;
  region.phases = startsPhase ? region.loads : 0;
  add(state, region);
}

/// All that one statement copies. Where the plain statement may run, it is the threads
/// who fill or read the tile; a store leaves it to be read in either way.
void Flow::enterCopies(State &state, size_t first) {
  Region region;
  region.copied = true;
  add(state, region);
  auto isSame = [&](size_t i) {
    return i < copies.size() && copies[i].statement == copies[first].statement;
  };
  for (size_t i = first; isSame(i); ++i)
    if (!copies[i].isStore)
      reachLoad(state, i);
  for (size_t i = first; isSame(i); ++i) {
    uint64_t tile = function.copiesOf(copies[i].tile);
    if (copies[i].isStore || copies[i].mayRunPlain) {
      region.threads = MemoryTraffic::everything();
      region.threads.read = region.threads.written = tile;
      add(state, region);
      state.everStored |= copies[i].mayRunPlain;
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
  if (inside && inside != copy && !copies[*inside].isStore) {
    Region region;
    region.waited = !copies[*inside].isSupplied && (!copy || !result.copies[*copy].joinsPrevious);
    add(state, region);
  }
  if (copy && inside != copy)
    enterCopies(state, *copy);
  if (copy)
    return;
  if (isBlockBarrier(statement))
    return passBarrier(state, cast<CallExpr>(statement));
  for (size_t i = 0; i < copies.size(); ++i)
    if (!copies[i].isStore &&
        mayWrite(statement, copies[i].source, function.isKernel, function.facts))
      state.sourceWritten |= uint64_t(1) << i;
  access(state, statement);
}

void Flow::passBarrier(State &state, const CallExpr *call) {
  auto barrier = llvm::find_if(barriers, [&](const Barrier &each) { return each.call == call; });
  if (barrier == barriers.end() && barriers.size() < mostBarriers)
    barrier = barriers.insert(barriers.end(), {call, {}, {}});
  if (barrier == barriers.end()) {
    state.since = {};
    state.behind = 0;
    return;
  }
  if (barrier->isRedundant)
    return;
  barrier->before.join(state.since);
  state.since = {};
  state.behind = uint64_t(1) << (barrier - barriers.begin());
}

/// Without the redundant barriers, the copies may look different.
void Flow::solve() {
  for (Barrier &barrier : barriers)
    barrier = {barrier.call, {}, {}, barrier.isRedundant};
  for (size_t i = 0; i < copies.size(); ++i) {
    bool runsOnce =
        function.isKernel && function.facts.parentOf(copies[i].statement) == function.getBody();
    result.copies[i] = {runsOnce, result.copies[i].joinsPrevious};
  }
  State entry;
  if (!function.isKernel) {
    entry.since.threads = MemoryTraffic::everything();
    entry.since.waited = true;
    entry.everRead = ~uint64_t(0);
    entry.everStored = true;
    for (const LiftedStatement &copy : copies)
      if (copy.tileIsWritten || copy.mayRunPlain)
        entry.everWritten |= function.copiesOf(copy.tile);
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
