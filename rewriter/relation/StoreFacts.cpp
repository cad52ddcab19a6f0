//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What orders stores. TMA must find in the tile what the threads wrote there, so
// each of them fences before the last barrier that comes before the store. And it
// goes on reading the tile, and then writing the tensor, while the block goes on:
// the leader waits for that before the next barrier, which no thread passes before;
// where somebody may be at the tile or the tensor earlier than that, all wait at once.
//===----------------------------------------------------------------------===//

#include "relation/BlockFlow.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// On some path. Bit k speaks of store k, bit b of the function's barrier b.
struct State {
  /// Since the function's entry, and since the last barrier of the block.
  uint64_t tileWritten = 0, tileWrittenSince = 0;
  uint64_t tensorTouched = 0, tensorTouchedSince = 0;
  uint64_t lastBarriers = 0;
  /// Stores that nobody has waited for, and all that were made.
  uint64_t inFlight = 0, made = 0;
  std::optional<size_t> inside;

  bool join(const State &other) {
    bool changed = false;
    auto add = [&](uint64_t State::*bits) {
      changed |= (other.*bits & ~(this->*bits)) != 0;
      this->*bits |= other.*bits;
    };
    for (uint64_t State::*bits :
         {&State::tileWritten, &State::tileWrittenSince, &State::tensorTouched,
          &State::tensorTouchedSince, &State::lastBarriers, &State::inFlight, &State::made})
      add(bits);
    return changed;
  }
};

/// Not a barrier, but where nobody knows what comes before.
constexpr unsigned unknownBarrier = 63;

class StoreFlow {
public:
  StoreFlow(const FunctionDecl *function, ASTContext &context,
            const std::vector<LiftedStatement> &copies, ArrayRef<const CallExpr *> redundant)
      : copies(copies), redundant(redundant), function(function, context, copies) {}

  StoreFacts run();

private:
  static uint64_t bit(size_t number) { return uint64_t(1) << number; }
  void step(State &state, const Stmt *statement, std::optional<size_t> copy);
  void enterCopy(State &state, size_t copy);
  void reachStore(const State &state, size_t store);
  void passBarrier(State &state, const CallExpr *barrier);
  void accessTensors(State &state, const Stmt *statement);
  void meet(const State &state, uint64_t stores);
  unsigned numberOf(const CallExpr *barrier);
  void finish();

  const std::vector<LiftedStatement> &copies;
  ArrayRef<const CallExpr *> redundant;
  BlockFlow function;
  StoreFacts result;
  /// The barriers met so far; of each, the stores that are waited for there.
  SmallVector<const CallExpr *, 8> barriers;
  SmallVector<uint64_t, 8> waited;
  /// Of each store, the barriers that come last before it.
  std::vector<uint64_t> fencedAt;
};

StoreFacts StoreFlow::run() {
  result.stores.resize(copies.size());
  fencedAt.resize(copies.size());
  if (llvm::none_of(copies, [](const LiftedStatement &copy) { return copy.isStore; }))
    return std::move(result);
  State entry;
  entry.lastBarriers = bit(unknownBarrier);
  if (!function.isKernel)
    entry.tileWritten = entry.tileWrittenSince = entry.tensorTouched = entry.tensorTouchedSince =
        ~uint64_t(0);
  function.run<State>(std::move(entry),
                      [&](State &state, const Stmt *statement, std::optional<size_t> copy) {
                        step(state, statement, copy);
                      });
  finish();
  return std::move(result);
}

/// Somebody is where stores may not be done.
void StoreFlow::meet(const State &state, uint64_t stores) {
  for (size_t i = 0; i < copies.size(); ++i)
    if (stores & state.inFlight & bit(i))
      result.stores[i].waitsHere = true;
}

/// What happens to the tensors outside of barriers, be it in a copy.
void StoreFlow::accessTensors(State &state, const Stmt *statement) {
  bool signals = maySignal(statement);
  for (size_t i = 0; i < copies.size(); ++i) {
    bool isNextRound = copies[i].statement == statement;
    if (isNextRound && copies[i].movesOn)
      continue;
    bool touches = copies[i].isStore &&
                   mayTouch(statement, copies[i].source, function.isKernel, function.facts);
    if (touches) {
      state.tensorTouched |= bit(i);
      state.tensorTouchedSince |= bit(i);
    }
    if ((touches || signals) && (state.made & bit(i))) {
      result.stores[i].needsResult = true;
      meet(state, bit(i));
    }
  }
}

void StoreFlow::reachStore(const State &state, size_t store) {
  StoreOrder &order = result.stores[store];
  if (copies[store].looksUpShared) // who writes there next does not know of the leader
    order.needsBarrier = order.waitsHere = true;
  bool written = state.tileWritten & bit(store), touched = state.tensorTouched & bit(store);
  if (!written && !touched)
    return;
  order.fencesAll |= touched;
  bool isSince = (state.tileWrittenSince | state.tensorTouchedSince) & bit(store);
  order.needsBarrier |= isSince || (state.lastBarriers & bit(unknownBarrier));
  fencedAt[store] |= state.lastBarriers & ~bit(unknownBarrier);
}

/// One of the copies that a statement makes.
void StoreFlow::enterCopy(State &state, size_t copy) {
  uint64_t tile = function.copiesOf(copies[copy].tile);
  if (!copies[copy].isStore) {
    meet(state, tile);
    if (copies[copy].mayRunPlain) {
      state.tileWritten |= tile;
      state.tileWrittenSince |= tile;
    }
    return;
  }
  reachStore(state, copy);
  state.inFlight |= bit(copy);
  state.made |= bit(copy);
}

void StoreFlow::step(State &state, const Stmt *statement, std::optional<size_t> copy) {
  std::optional<size_t> inside = std::exchange(state.inside, copy);
  if (copy) {
    if (inside == copy)
      return;
    const Stmt *whole = copies[*copy].statement;
    // Be it the threads or TMA who are at the tensors now, other stores have to be done, and
    // those of the round before. What TMA did needs no fence.
    State byThreads = state;
    accessTensors(byThreads, whole);
    for (size_t i = *copy; i < copies.size() && copies[i].statement == whole; ++i)
      enterCopy(state, i);
    if (copies[*copy].mayRunPlain) {
      state.tensorTouched = byThreads.tensorTouched;
      state.tensorTouchedSince = byThreads.tensorTouchedSince;
    }
    return;
  }
  if (const auto *barrier = dyn_cast<CallExpr>(statement); barrier && isBlockBarrier(barrier)) {
    if (!llvm::is_contained(redundant, barrier))
      passBarrier(state, barrier);
    return;
  }
  uint64_t written = function.trafficOf(statement).written;
  state.tileWritten |= written;
  state.tileWrittenSince |= written;
  meet(state, written);
  accessTensors(state, statement);
}

unsigned StoreFlow::numberOf(const CallExpr *barrier) {
  auto known = llvm::find(barriers, barrier);
  if (known != barriers.end())
    return unsigned(known - barriers.begin());
  bool isStatement = isa_and_nonnull<CompoundStmt>(function.facts.parentOf(barrier)) &&
                     !barrier->getBeginLoc().isMacroID();
  if (!isStatement || barriers.size() == unknownBarrier)
    return unknownBarrier; // there is no place for anything before it
  barriers.push_back(barrier);
  waited.push_back(0);
  return unsigned(barriers.size() - 1);
}

void StoreFlow::passBarrier(State &state, const CallExpr *barrier) {
  unsigned number = numberOf(barrier);
  if (number == unknownBarrier)
    meet(state, state.inFlight);
  else
    waited[number] |= state.inFlight;
  state.inFlight = state.tileWrittenSince = state.tensorTouchedSince = 0;
  state.lastBarriers = bit(number);
}

/// Gives the barriers what is left to do for the stores.
void StoreFlow::finish() {
  for (const CallExpr *barrier : barriers)
    result.duties.push_back({barrier});
  for (size_t i = 0; i < copies.size(); ++i) {
    StoreOrder &order = result.stores[i];
    if (copies[i].isStore && !function.isKernel)
      order.waitsHere = order.needsResult = true;
    for (size_t b = 0; b < barriers.size(); ++b) {
      BarrierDuty &duty = result.duties[b];
      if (!order.needsBarrier && (fencedAt[i] & bit(b)))
        (order.fencesAll ? duty.fencesAll : duty.fences) = true;
      if (!order.waitsHere && (waited[b] & bit(i)))
        (order.needsResult ? duty.waitsForResult : duty.waits) = true;
    }
  }
  llvm::erase_if(result.duties, [](const BarrierDuty &duty) {
    return !duty.fences && !duty.fencesAll && !duty.waits && !duty.waitsForResult;
  });
}

} // namespace

StoreFacts findStoreFacts(const FunctionDecl *function, ASTContext &context,
                          const std::vector<LiftedStatement> &copies,
                          ArrayRef<const CallExpr *> redundant) {
  return StoreFlow(function, context, copies, redundant).run();
}

} // namespace tilelift
