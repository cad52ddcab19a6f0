//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "order/BarrierFacts.h"

#include "order/GroupWaits.h"
#include "order/Groups.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// What happens between two barriers of the block, on some path.
struct Region {
  ObjectSet reads, writes;
  /// Some copy was reached, and some wait for one was left behind.
  bool copied = false, waited = false;
  /// Something tells others than the block's threads, or is told, how far things are.
  bool signals = false;
  /// Tiles that TMA writes to, and whether the leader announces that anew.
  ObjectSet loads;
  bool announces = false;

  bool join(const Region &other) {
    bool isNew = reads.add(other.reads);
    isNew |= writes.add(other.writes);
    isNew |= loads.add(other.loads);
    isNew |= (other.copied && !copied) || (other.waited && !waited) ||
             (other.announces && !announces) || (other.signals && !signals);
    signals |= other.signals;
    copied |= other.copied;
    waited |= other.waited;
    announces |= other.announces;
    return isNew;
  }
  bool isTouched() const { return !reads.empty() || !writes.empty(); }
};

/// The region since the last barrier; the `ever` sets since the kernel's entry.
struct State {
  Region since;
  /// The barriers that came last, by their numbers.
  NumberSet behind;
  ObjectSet everRead, everWritten;
  /// What others have written and told of is there for the threads.
  bool isTold = false;

  bool join(const State &other) {
    bool isNew = since.join(other.since);
    isNew |= behind.add(other.behind);
    isNew |= everRead.add(other.everRead);
    isNew |= everWritten.add(other.everWritten);
    isNew |= other.isTold && !isTold;
    isTold |= other.isTold;
    return isNew;
  }
};

/// One instance's regions on both sides of a barrier.
struct Sides {
  Region before, after;
};

/// Follows one instance.
class InstanceFlow {
public:
  InstanceFlow(const KernelFlow &flow, const std::vector<LiftedCopy> &copies,
               const std::vector<BarrierPlace> &barriers, CopyOrders &orders)
      : flow(flow), copies(copies), orders(orders), sides(barriers.size()) {
    findQuiet();
  }

  void solve(const NumberSet &redundant);
  bool ordersNothing(unsigned barrier) const;
  const Sides &sidesOf(unsigned barrier) const { return sides[barrier]; }

private:
  void findQuiet();
  bool mayMeet(const ObjectSet &a, const ObjectSet &b) const { return flow.mayMeet(a, b); }
  bool clash(const Region &a, const Region &b) const {
    bool isTold = (a.signals && b.isTouched()) || (b.signals && a.isTouched());
    return isTold || mayMeet(a.writes, b.reads) || mayMeet(a.writes, b.writes) ||
           mayMeet(a.reads, b.writes);
  }
  void step(State &state, const FlowStep &at, const NumberSet &redundant);
  void enterCopies(State &state, size_t first);
  ObjectSet lookupsOf(size_t copy) const;
  void reachLoad(State &state, size_t copy);
  void access(State &state, const Effect &effect);
  void add(State &state, const Region &region);
  void passBarrier(State &state, unsigned barrier);

  const KernelFlow &flow;
  const std::vector<LiftedCopy> &copies;
  CopyOrders &orders;
  std::vector<Sides> sides;
  /// Tiles that TMA fills once the threads have given them back, and nobody else writes to:
  /// who reads them is in no thread's way.
  ObjectSet quiet;
};

void InstanceFlow::findQuiet() {
  ObjectSet busy;
  for (size_t i = 0; i < copies.size(); ++i)
    if (!copies[i].isSupplied || copies[i].tileIsWritten || copies[i].mayRunPlain)
      busy.add(flow.tileOf(i));
  if (busy.isAll())
    return;
  for (size_t i = 0; i < copies.size(); ++i)
    if (copies[i].isSupplied)
      quiet.add(flow.tileOf(i));
  quiet.remove(busy);
}

bool InstanceFlow::ordersNothing(unsigned barrier) const {
  const auto &[before, after] = sides[barrier];
  // Where the threads did nothing, whoever comes next may need a barrier, but not this one.
  if (!before.isTouched() && !before.signals)
    return true;
  ObjectSet touched = before.reads;
  touched.add(before.writes);
  return !clash(before, after) && !mayMeet(touched, after.loads) &&
         !(before.waited && after.announces);
}

/// Notes what happens here, also for the barriers behind which it happens.
void InstanceFlow::add(State &state, const Region &region) {
  state.since.join(region);
  for (unsigned barrier : state.behind.numbers())
    sides[barrier].after.join(region);
}

void InstanceFlow::access(State &state, const Effect &effect) {
  Region region;
  region.reads = effect.reads;
  region.writes = effect.writes;
  region.reads.remove(quiet);
  region.writes.remove(quiet);
  region.signals = effect.signals || effect.meetsOthers;
  // A fence and the barrier behind it may be for what was written before another barrier.
  if (effect.fencesProxy && !state.everWritten.empty())
    region.reads = region.writes = ObjectSet::all();
  state.everRead.add(effect.reads);
  state.everWritten.add(effect.writes);
  state.isTold |= effect.acquires;
  add(state, region);
}

/// What the leader looks up to know where to copy. Of tensors, TMA has read all by the wait.
ObjectSet InstanceFlow::lookupsOf(size_t copy) const {
  if (!copies[copy].looksUp)
    return {};
  ObjectSet found = flow.effectOf(copy).reads;
  for (const LiftedCopy &other : copies)
    if (!copies[copy].looksUpShared && other.isMadeWith(copies[copy]))
      found.remove(other.tensor);
  return found;
}

void InstanceFlow::reachLoad(State &state, size_t copy) {
  CopyOrder &order = orders.copies[copy];
  const ObjectSet &tile = flow.tileOf(copy), &tensors = flow.tensorsOf(copy);
  bool startsPhase = !order.joinsPrevious, isOrdered = copies[copy].isSupplied;
  ObjectSet touched = state.since.reads;
  touched.add(state.since.writes);
  bool isToldOf = state.isTold && !flow.staysAsItIs(tensors);
  order.needsBarrier |=
      copies[copy].looksUpShared && mayMeet(state.since.writes, flow.effectOf(copy).reads);
  order.needsBarrier |=
      !isOrdered && (mayMeet(touched, tile) || (startsPhase && state.since.waited));
  order.sourceWritten |= isToldOf || mayMeet(state.everWritten, tensors);
  order.readBefore |= mayMeet(state.everRead, tile);
  order.writtenBefore |= mayMeet(state.everWritten, tile);
  Region region;
  region.reads = lookupsOf(copy);
  if (!isOrdered) {
    region.loads = tile;
    region.announces = startsPhase;
  }
  add(state, region);
}

/// All that one statement copies. Where the plain statement may run, it is the threads
/// who fill or read the tile; a store leaves it to be read in either way.
void InstanceFlow::enterCopies(State &state, size_t first) {
  Region region;
  region.copied = true;
  add(state, region);
  const Effect &own = flow.effectOf(first);
  bool mayRunPlain = copies[first].mayRunPlain, isStore = copies[first].isStore;
  for (size_t i = first; i < copies.size() && copies[i].isMadeWith(copies[first]); ++i)
    if (!copies[i].isStore)
      reachLoad(state, i);
  if (!isStore && !mayRunPlain)
    return;
  region.reads = own.reads;
  region.writes = own.writes;
  add(state, region);
  state.everWritten.add(own.writes);
  if (mayRunPlain)
    state.everRead.add(own.reads);
}

/// Leaving a copy is its wait, unless the program waits for it later.
void InstanceFlow::step(State &state, const FlowStep &at, const NumberSet &redundant) {
  if (at.leftCopy && !copies[*at.leftCopy].isStore) {
    bool goesOn = at.copy && orders.copies[*at.copy].joinsPrevious;
    Region region;
    region.waited =
        !copies[*at.leftCopy].isSupplied && !goesOn && !orders.copies[*at.leftCopy].isDeferred;
    add(state, region);
  }
  if (at.awaitsGroups && !orders.groups.empty()) {
    Region region;
    region.waited = true;
    add(state, region);
  }
  if (at.entersCopy)
    enterCopies(state, *at.copy);
  if (at.copy)
    return;
  access(state, *at.effect);
  if (!at.effect->meetsBlock)
    return;
  if (at.barrier && redundant.has(*at.barrier))
    return;
  if (at.barrier)
    sides[*at.barrier].before.join(state.since);
  state.since = {};
  state.behind = at.barrier ? NumberSet::of(*at.barrier) : NumberSet();
}

/// Without the redundant barriers, the copies may look different.
void InstanceFlow::solve(const NumberSet &redundant) {
  sides.assign(sides.size(), Sides());
  flow.run<State>(State(), [&](State &state, const FlowStep &at) { step(state, at, redundant); });
}

class Orders {
public:
  explicit Orders(const std::vector<OrderedInstance> &instances) : instances(instances) {}

  CopyOrders run();

private:
  void solve();
  void findRedundant();
  bool mayGo(unsigned barrier) const;
  void takeUnclear();

  const std::vector<OrderedInstance> &instances;
  std::vector<BarrierPlace> barriers;
  std::vector<KernelFlow> flows;
  std::vector<InstanceFlow> solvers;
  CopyOrders orders;
  NumberSet redundant;
};

CopyOrders Orders::run() {
  const std::vector<LiftedCopy> &copies = instances.front().copies;
  orders.copies.resize(copies.size());
  orders.stores.resize(copies.size());
  flows.reserve(instances.size());
  for (const OrderedInstance &instance : instances)
    flows.emplace_back(*instance.effects, instance.copies, barriers);
  for (size_t i = 0; i < instances.size(); ++i)
    solvers.emplace_back(flows[i], instances[i].copies, barriers, orders);
  groupCopies(instances, flows, orders);
  deferWaits(instances, flows, orders);
  solve();
  findRedundant();
  for (unsigned barrier : redundant.numbers())
    orders.redundant.push_back(barriers[barrier].call);
  orderStores(instances, flows, barriers, redundant, orders);
  takeUnclear();
  return std::move(orders);
}

void Orders::solve() {
  for (CopyOrder &order : orders.copies)
    order.needsBarrier = order.sourceWritten = order.readBefore = order.writtenBefore = false;
  for (InstanceFlow &solver : solvers)
    solver.solve(redundant);
}

/// Dropping one that a macro writes would drop the rest of the macro, too.
bool Orders::mayGo(unsigned barrier) const {
  const BarrierPlace &place = barriers[barrier];
  return place.isStatement && place.isOnlyBarrier &&
         llvm::any_of(solvers, [&](const InstanceFlow &solver) {
           return solver.sidesOf(barrier).before.copied;
         });
}

/// Each that goes joins two regions, so the next one is judged without it.
void Orders::findRedundant() {
  for (size_t i = 0; i < flows.size(); ++i)
    for (size_t copy = 0; copy < instances[i].copies.size(); ++copy)
      if (flows[i].isUnclear(copy))
        return;
  auto goes = [&](unsigned barrier, auto isFree) {
    return !redundant.has(barrier) && mayGo(barrier) && llvm::all_of(solvers, isFree);
  };
  NumberSet first;
  for (unsigned barrier = 0; barrier < barriers.size(); ++barrier)
    if (goes(barrier, [&](const InstanceFlow &solver) {
          const Region &before = solver.sidesOf(barrier).before;
          return !before.isTouched() && !before.signals;
        }))
      first.add(barrier);
  redundant = first;
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    solve();
    for (unsigned barrier = 0; barrier < barriers.size() && !isChanged; ++barrier)
      if (goes(barrier,
               [&](const InstanceFlow &solver) { return solver.ordersNothing(barrier); })) {
        redundant.add(barrier);
        isChanged = true;
      }
  }
}

/// Of a copy whose place in the code nobody knows, everything is to be expected.
void Orders::takeUnclear() {
  for (size_t i = 0; i < flows.size(); ++i)
    for (size_t copy = 0; copy < orders.copies.size(); ++copy) {
      if (!flows[i].isUnclear(copy))
        continue;
      if (instances[i].copies[copy].isStore)
        orders.stores[copy] = {true, true, true, true};
      else
        orders.copies[copy] = {orders.copies[copy].runsOnce,
                               orders.copies[copy].joinsPrevious,
                               true,
                               true,
                               true,
                               true};
    }
}

} // namespace

CopyOrders orderCopies(const std::vector<OrderedInstance> &instances) {
  return Orders(instances).run();
}

} // namespace tilelift
