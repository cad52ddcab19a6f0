//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What orders stores. TMA must find in the tile what the threads wrote there, so
// each of them fences before the last barrier that comes before the store, or, where
// that is in a loop which has ended by then, before a barrier of the store's own. And it
// goes on reading the tile, and then writing the tensor, while the block goes on:
// the leader waits for that before the next barrier, which no thread passes before;
// where somebody may be at the tile or the tensor earlier than that, all wait at once.
//===----------------------------------------------------------------------===//

#include "order/BarrierFacts.h"
#include "support/LoopsAndLabels.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// On some path: what threads did since the kernel's entry, and since the last barrier.
struct State {
  ObjectSet written, writtenSince;
  ObjectSet touched, touchedSince;
  /// The barriers that came last, and whether there is one of them that nothing can be
  /// written in front of.
  NumberSet lastBarriers;
  bool mayLackBarrier = true;
  /// Stores that nobody has waited for, and all that were made.
  NumberSet inFlight, made;

  bool join(const State &other) {
    bool isNew = other.mayLackBarrier && !mayLackBarrier;
    mayLackBarrier |= other.mayLackBarrier;
    for (NumberSet State::*set :
         {&State::written, &State::writtenSince, &State::touched, &State::touchedSince,
          &State::lastBarriers, &State::inFlight, &State::made})
      isNew |= (this->*set).add(other.*set);
    return isNew;
  }

  void access(const ObjectSet &reads, const ObjectSet &writes) {
    written.add(writes);
    writtenSince.add(writes);
    for (const ObjectSet *objects : {&reads, &writes}) {
      touched.add(*objects);
      touchedSince.add(*objects);
    }
  }
};

class StoreFlow {
public:
  StoreFlow(const OrderedInstance &instance, const KernelFlow &flow,
            const std::vector<BarrierPlace> &barriers, const NumberSet &redundant,
            CopyOrders &orders)
      : copies(instance.copies),
        flow(flow),
        barriers(barriers),
        redundant(redundant),
        orders(orders),
        waited(barriers.size()),
        fencedAt(copies.size()) {}

  void run() {
    flow.run<State>(State(), [&](State &state, const FlowStep &at) { step(state, at); });
    for (size_t i = 0; i < copies.size(); ++i)
      if (copies[i].isStore && !copies[i].path.inKernel())
        orders.stores[i].waitsHere = orders.stores[i].needsResult = true;
  }
  /// Of a barrier, the stores that are waited for there; of a store, the barriers that come
  /// last before it.
  const NumberSet &waitedAt(size_t barrier) const { return waited[barrier]; }
  const NumberSet &barriersBefore(size_t store) const { return fencedAt[store]; }

private:
  void step(State &state, const FlowStep &at);
  void enterStatement(State &state, size_t first);
  void reachStore(State &state, size_t store);
  bool isInLoopBefore(unsigned barrier, size_t store) const;
  void passBarrier(State &state, const FlowStep &at);
  void accessMemory(const State &state, const Effect &effect, std::optional<size_t> copy);
  void meet(const State &state, size_t store) {
    if (state.inFlight.has(unsigned(store)))
      orders.stores[store].waitsHere = true;
  }
  bool mayMeet(const ObjectSet &a, const ObjectSet &b) const { return flow.mayMeet(a, b); }

  const std::vector<LiftedCopy> &copies;
  const KernelFlow &flow;
  const std::vector<BarrierPlace> &barriers;
  const NumberSet &redundant;
  CopyOrders &orders;
  std::vector<NumberSet> waited, fencedAt;
};

/// Somebody may be where stores are not done yet: who writes to their tiles, who is at their
/// tensors, or tells others of them. Of a copy, be it by the threads or TMA.
void StoreFlow::accessMemory(const State &state, const Effect &effect, std::optional<size_t> copy) {
  for (size_t i = 0; i < copies.size(); ++i) {
    if (!copies[i].isStore || !state.made.has(unsigned(i)))
      continue;
    bool isNextRound = copy && copies[*copy].isMadeWith(copies[i]);
    if (isNextRound && copies[i].storesApart)
      continue;
    bool touches = mayMeet(effect.reads, flow.tensorsOf(i)) ||
                   mayMeet(effect.writes, flow.tensorsOf(i)) || effect.signals ||
                   effect.meetsOthers;
    if (touches)
      orders.stores[i].needsResult = true;
    // Who leaves by assembly does not come to the wait at the kernel's end.
    if (touches || effect.mayLeave || (!copy && mayMeet(effect.writes, flow.tileOf(i))))
      meet(state, i);
  }
}

/// Whether a barrier stands in a loop that the store is not in. A fence there would be one for each
/// round.
bool StoreFlow::isInLoopBefore(unsigned barrier, size_t store) const {
  const VariableFacts facts(copies[store].path);
  const Stmt *loop = innermostLoopAround(barriers[barrier].call, facts);
  return loop && !facts.isWithin(copies[store].statement, loop);
}

void StoreFlow::reachStore(State &state, size_t store) {
  StoreOrder &order = orders.stores[store];
  if (copies[store].looksUpShared) // who writes there next does not know of the leader
    order.needsBarrier = order.waitsHere = true;
  const ObjectSet &tile = flow.tileOf(store), &tensors = flow.tensorsOf(store);
  bool isWritten = mayMeet(state.written, tile), isTouched = mayMeet(state.touched, tensors);
  if (!isWritten && !isTouched)
    return;
  order.fencesAll |= isTouched;
  bool isSince = mayMeet(state.writtenSince, tile) || mayMeet(state.touchedSince, tensors);
  order.needsBarrier |= isSince || state.mayLackBarrier ||
                        llvm::any_of(state.lastBarriers.numbers(), [&](unsigned barrier) {
                          return isInLoopBefore(barrier, store);
                        });
  fencedAt[store].add(state.lastBarriers);
}

/// All that a statement copies. What TMA did needs no fence; where the plain statement may
/// run, it is the threads who do it.
void StoreFlow::enterStatement(State &state, size_t first) {
  const Effect &own = flow.effectOf(first);
  accessMemory(state, own, first);
  for (size_t i = first; i < copies.size() && copies[i].isMadeWith(copies[first]); ++i) {
    if (copies[i].isStore) {
      reachStore(state, i);
      state.inFlight.add(unsigned(i));
      state.made.add(unsigned(i));
      continue;
    }
    for (size_t store = 0; store < copies.size(); ++store)
      if (copies[store].isStore && mayMeet(flow.tileOf(i), flow.tileOf(store)))
        meet(state, store);
  }
  if (copies[first].mayRunPlain)
    state.access(own.reads, own.writes);
}

void StoreFlow::step(State &state, const FlowStep &at) {
  if (at.entersCopy)
    enterStatement(state, *at.copy);
  if (at.copy)
    return;
  accessMemory(state, *at.effect, std::nullopt);
  state.access(at.effect->reads, at.effect->writes);
  bool isGone = at.barrier && redundant.has(*at.barrier);
  if (at.effect->meetsBlock && !isGone)
    passBarrier(state, at);
}

void StoreFlow::passBarrier(State &state, const FlowStep &at) {
  bool hasPlace =
      at.barrier && barriers[*at.barrier].isStatement && barriers[*at.barrier].onlyReads;
  if (hasPlace)
    waited[*at.barrier].add(state.inFlight);
  else
    for (unsigned store : state.inFlight.numbers())
      meet(state, store);
  state.inFlight = state.writtenSince = state.touchedSince = {};
  state.lastBarriers = hasPlace ? NumberSet::of(*at.barrier) : NumberSet();
  state.mayLackBarrier = !hasPlace;
}

/// What is left to do for the stores at a barrier.
BarrierDuty dutyAt(size_t barrier, const Expr *call, ArrayRef<StoreFlow> solved,
                   const CopyOrders &orders) {
  BarrierDuty duty{call};
  for (const StoreFlow &one : solved)
    for (size_t i = 0; i < orders.stores.size(); ++i) {
      const StoreOrder &order = orders.stores[i];
      if (!order.needsBarrier && one.barriersBefore(i).has(unsigned(barrier)))
        (order.fencesAll ? duty.fencesAll : duty.fences) = true;
      if (!order.waitsHere && one.waitedAt(barrier).has(unsigned(i)))
        (order.needsResult ? duty.waitsForResult : duty.waits) = true;
    }
  return duty;
}

} // namespace

void orderStores(const std::vector<OrderedInstance> &instances,
                 const std::vector<KernelFlow> &flows, const std::vector<BarrierPlace> &barriers,
                 const NumberSet &redundant, CopyOrders &orders) {
  const std::vector<LiftedCopy> &copies = instances.front().copies;
  if (llvm::none_of(copies, [](const LiftedCopy &copy) { return copy.isStore; }))
    return;
  std::vector<StoreFlow> solved;
  for (size_t i = 0; i < instances.size(); ++i) {
    solved.emplace_back(instances[i], flows[i], barriers, redundant, orders);
    solved.back().run();
  }
  for (size_t barrier = 0; barrier < barriers.size(); ++barrier) {
    const BarrierDuty duty = dutyAt(barrier, barriers[barrier].call, solved, orders);
    if (duty.fences || duty.fencesAll || duty.waits || duty.waitsForResult)
      orders.duties.push_back(duty);
  }
}

} // namespace tilelift
