//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What translated code calls to synchronize: barriers, votes, shuffles, fences,
// barrier objects. Each function is called on the fiber of its thread and
// returns when the thread may go on.
//===----------------------------------------------------------------------===//

#include "machine/Access.h"
#include "machine/Collectives.h"

#include <algorithm>

namespace tilelift::emulator {

namespace {

// Barriers of the block.

/// All of the block, or those who contributed, know what each of them knew.
void share(Block &block, const std::vector<uint32_t> &threads, bool isWholeBlock) {
  if (isWholeBlock)
    return block.order.barrier();
  std::shared_ptr<Knowledge> all = block.order.nothing();
  for (uint32_t thread : threads)
    block.order.release(thread, *all);
  for (uint32_t thread : threads)
    block.order.acquire(thread, all);
}

/// Whether all threads that have not ended came; some may have come, not waited, and ended.
bool haveAllCome(const Block &block, const NamedBarrier &barrier) {
  if (barrier.arrived < block.alive)
    return false;
  auto isAlive = [&](uint32_t thread) { return block.threads[thread].state != Thread::done; };
  return std::count_if(barrier.contributors.begin(), barrier.contributors.end(), isAlive) >=
         block.alive;
}

void completeIfAllCame(Block &block, NamedBarrier &barrier) {
  const bool isWhole = haveAllCome(block, barrier);
  if (barrier.arrived == 0 || (barrier.expected ? barrier.arrived < barrier.expected : !isWhole))
    return;
  share(block, barrier.contributors, isWhole);
  --block.openBarriers;
  NamedBarrier round = std::move(barrier);
  barrier = NamedBarrier();
  for (Thread *thread : round.waiting) {
    thread->votes = round.votes;
    thread->voters = round.arrived;
    block.team->wake(*thread);
  }
}

NamedBarrier &arrive(Thread *thread, uint32_t number, uint32_t count, bool vote) {
  NamedBarrier &barrier = thread->block->barriers[number % 16];
  barrier.expected = count == thread->block->threads.size() ? 0 : count;
  thread->block->openBarriers += barrier.arrived == 0;
  barrier.arrived += 1;
  barrier.votes += vote;
  barrier.contributors.push_back(thread->index);
  return barrier;
}

uint32_t reduceWords(ReduceOp op, uint32_t a, uint32_t b) {
  switch (op) {
  case ReduceOp::addU32: return a + b;
  case ReduceOp::minU32: return std::min(a, b);
  case ReduceOp::maxU32: return std::max(a, b);
  case ReduceOp::minS32: return uint32_t(std::min(int32_t(a), int32_t(b)));
  case ReduceOp::maxS32: return uint32_t(std::max(int32_t(a), int32_t(b)));
  case ReduceOp::bitAnd: return a & b;
  case ReduceOp::bitOr: return a | b;
  case ReduceOp::bitXor: return a ^ b;
  }
  return a;
}

} // namespace

void Team::exit(Thread &thread) {
  noteProgress();
  Block &block = *thread.block;
  thread.state = Thread::done;
  --block.alive;
  Warp &warp = *thread.warp;
  warp.present &= ~(1u << thread.laneid);
  finishWithoutExited(warp);
  for (NamedBarrier &barrier : block.barriers)
    if (block.openBarriers && !barrier.expected)
      completeIfAllCame(block, barrier);
  switchTo(&thread.context, scheduler, schedulerStack, false);
  __builtin_unreachable();
}

void completePhase(Block &block, BarrierObject &object) {
  object.nextPhase();
  std::vector<Thread *> waiting = std::move(object.waiting);
  object.waiting.clear();
  for (Thread *thread : waiting)
    thread->block->team->wake(*thread);
  block.team->noteProgress();
}

BarrierObject &barrierAt(Thread *thread, uint64_t address, uint32_t site, Block **owner) {
  Block *block = blockOf(thread, address, site);
  uint32_t offset = offsetOf(address);
  if (owner)
    *owner = block;
  if (offset % 8 != 0)
    misaligned(thread, "the barrier object at shared address " + std::to_string(offset), 8, site);
  auto found = block->objects.find(offset);
  if (found == block->objects.end()) {
    thread->block->report(*thread, {"barrier-not-initialised",
                                    "the barrier object " + block->describeShared(offset) +
                                        " is used, but nobody has initialised it",
                                    site,
                                    {},
                                    {}});
    teamOf(thread).fault(*thread, Outcome::neverEnds);
  }
  BarrierObject &object = found->second;
  bool knows = block != thread->block ||
               block->order.knows(thread->index, object.initThread, object.initClock);
  if (!knows)
    thread->block->report(*thread, {"barrier-not-initialised",
                                    "the barrier object " + block->describeShared(offset) +
                                        " is used before its initialisation by thread " +
                                        block->describeThread(object.initThread) + " is known here",
                                    site,
                                    {},
                                    {{"it is initialised here", object.initSite}}});
  return object;
}

Knowledge &gatheredBy(const Block &block, BarrierObject &object) {
  if (!object.gathered)
    object.gathered = block.order.nothing();
  return *object.gathered;
}

extern "C" {

uint32_t tilelift_barrier(Thread *thread, uint32_t number, uint32_t count, uint32_t how,
                          uint32_t vote, uint32_t site) {
  Block &block = *thread->block;
  NamedBarrier &barrier = arrive(thread, number, count, vote);
  barrier.waiting.push_back(thread);
  thread->state = Thread::blocked;
  completeIfAllCame(block, barrier); // wakes this thread as well when it is the last
  teamOf(thread).rest(*thread, {Waiting::barrier, site, number});
  switch (BarrierReduce(how)) {
  case BarrierReduce::popc: return thread->votes;
  case BarrierReduce::all: return thread->votes == thread->voters;
  case BarrierReduce::any: return thread->votes > 0;
  case BarrierReduce::none: break;
  }
  return 0;
}

void tilelift_barrier_arrive(Thread *thread, uint32_t number, uint32_t count, uint32_t) {
  completeIfAllCame(*thread->block, arrive(thread, number, count, false));
}

void tilelift_cluster_arrive(Thread *thread, uint32_t, uint32_t) {
  Team &team = teamOf(thread);
  ++team.clusterArrived;
  thread->clusterPhase = team.clusterPhase;
  team.noteProgress();
  team.completeCluster();
}

void tilelift_cluster_wait(Thread *thread, uint32_t, uint32_t site) {
  Team &team = teamOf(thread);
  if (team.clusterPhase != thread->clusterPhase)
    return; // all have come since this thread arrived
  team.clusterWaiting.push_back(thread);
  team.wait(*thread, {Waiting::cluster, site, 0});
}

void tilelift_warp_sync(Thread *thread, uint32_t mask, uint32_t site) {
  Block &block = *thread->block;
  together(thread, "sync", mask, nullptr, site, [&](Collective &group) {
    std::shared_ptr<Knowledge> all = block.order.nothing();
    for (uint32_t lane = 0; lane < 32; ++lane)
      if (group.arrived >> lane & 1)
        block.order.release(thread->warp->lanes[lane]->index, *all);
    for (uint32_t lane = 0; lane < 32; ++lane)
      if (group.arrived >> lane & 1)
        block.order.acquire(thread->warp->lanes[lane]->index, all);
  });
}

uint32_t tilelift_vote(Thread *thread, uint32_t mode, uint32_t vote, uint32_t mask, uint32_t site) {
  uint32_t slot = vote;
  together(thread, "vote", mask, &slot, site, [&](Collective &group) {
    uint32_t ballot = 0;
    eachLane<uint32_t>(group,
                       [&](uint32_t lane, uint32_t &value) { ballot |= (value & 1) << lane; });
    uint32_t answer = ballot;
    if (VoteMode(mode) == VoteMode::all)
      answer = ballot == group.arrived;
    else if (VoteMode(mode) == VoteMode::any)
      answer = ballot != 0;
    else if (VoteMode(mode) == VoteMode::uni)
      answer = ballot == group.arrived || ballot == 0;
    eachLane<uint32_t>(group, [&](uint32_t, uint32_t &value) { value = answer; });
  });
  return slot;
}

uint32_t tilelift_match(Thread *thread, uint32_t isAll, uint64_t value, uint32_t mask,
                        uint32_t *same, uint32_t site) {
  struct Slot {
    uint64_t value;
    uint32_t answer, same;
  } slot = {value, 0, 0};
  together(thread, isAll ? "match.all" : "match.any", mask, &slot, site, [&](Collective &group) {
    eachLane<Slot>(group, [&](uint32_t, Slot &own) {
      eachLane<Slot>(group, [&](uint32_t lane, Slot &other) {
        own.answer |= uint32_t(other.value == own.value) << lane;
      });
    });
    eachLane<Slot>(group, [&](uint32_t, Slot &own) {
      own.same = own.answer == group.arrived;
      if (isAll && !own.same)
        own.answer = 0;
    });
  });
  *same = slot.same;
  return slot.answer;
}

uint32_t tilelift_shuffle(Thread *thread, uint32_t mode, uint32_t value, uint32_t b, uint32_t c,
                          uint32_t mask, uint32_t *valid, uint32_t site) {
  struct Slot {
    uint32_t value, result, valid, mode, b, c;
  } slot = {value, value, 0, mode, b, c};
  together(thread, "shuffle", mask, &slot, site, [&](Collective &group) {
    eachLane<Slot>(group, [&](uint32_t lane, Slot &own) {
      uint32_t segment = own.c >> 8 & 31, clamp = own.c & 31, by = own.b & 31;
      uint32_t highest = (lane & segment) | (clamp & ~segment);
      uint32_t lowest = lane & segment;
      int from = int(lane);
      bool inside = false;
      switch (ShuffleMode(own.mode)) {
      case ShuffleMode::up:
        from = int(lane) - int(by);
        inside = from >= int(highest);
        break;
      case ShuffleMode::down:
        from = int(lane + by);
        inside = from <= int(highest);
        break;
      case ShuffleMode::bfly:
        from = int(lane ^ by);
        inside = from <= int(highest);
        break;
      case ShuffleMode::idx:
        from = int(lowest | (by & ~segment));
        inside = from <= int(highest);
        break;
      }
      if (!inside)
        from = int(lane);
      own.valid = inside;
      // What a lane has that does not take part is not defined.
      own.result =
          group.arrived >> from & 1 ? static_cast<Slot *>(group.slots[from])->value : 0xa5a5a5a5;
    });
  });
  *valid = slot.valid;
  return slot.result;
}

uint32_t tilelift_redux(Thread *thread, uint32_t op, uint32_t value, uint32_t mask, uint32_t site) {
  uint32_t slot = value;
  together(thread, "redux", mask, &slot, site, [&](Collective &group) {
    uint32_t result = 0;
    bool isFirst = true;
    eachLane<uint32_t>(group, [&](uint32_t, uint32_t &each) {
      result = isFirst ? each : reduceWords(ReduceOp(op), result, each);
      isFirst = false;
    });
    eachLane<uint32_t>(group, [&](uint32_t, uint32_t &each) { each = result; });
  });
  return slot;
}

uint32_t tilelift_elect(Thread *thread, uint32_t mask, uint32_t) {
  uint32_t there = mask & thread->warp->present;
  return uint32_t(__builtin_ctz(there ? there : mask));
}

/// The mask is known when no other lane of the warp can still come to this place. Lanes that ask at
/// different places in the code have taken different branches.
uint32_t tilelift_activemask(Thread *thread, uint32_t site) {
  uint32_t answer = 0;
  joinCollective(thread, "activemask", 0, &answer, site);
  teamOf(thread).wait(*thread, {Waiting::warp, site, 0});
  return answer;
}

// Fences.

void tilelift_fence(Thread *thread, uint32_t kind, uint32_t) {
  if (FenceKind(kind) != FenceKind::proxy)
    thread->block->order.publish(thread->index, FenceKind(kind) == FenceKind::block);
  teamOf(thread).maybePreempt(*thread);
}

void tilelift_fence_async(Thread *thread, uint32_t isSharedOnly, uint32_t) {
  Order &order = thread->block->order;
  isSharedOnly ? order.fence(thread->index) : order.fenceAbroad(thread->index);
  if (isSharedOnly || !thread->span)
    return;
  teamOf(thread).grid.machine.memory.endSpan(thread->span);
  thread->span = 0;
}

// Barrier objects.

void tilelift_mbarrier_init(Thread *thread, uint64_t address, uint32_t count, uint32_t site) {
  Block *block = blockOf(thread, address, site);
  uint32_t offset = offsetOf(address);
  if (offset % 8 != 0)
    misaligned(thread, "the barrier object at shared address " + std::to_string(offset), 8, site);
  writeShared(thread, address, 8, site);
  BarrierObject object;
  object.expectedArrivals = count;
  object.pendingArrivals = count;
  object.initSite = site;
  object.initThread = thread->index;
  object.initClock = block->order.clock(thread->index);
  block->objects[offset] = std::move(object);
}

void tilelift_mbarrier_invalidate(Thread *thread, uint64_t address, uint32_t site) {
  Block *block;
  barrierAt(thread, address, site, &block);
  block->objects.erase(offsetOf(address));
}

uint64_t tilelift_mbarrier_arrive(Thread *thread, uint64_t address, uint32_t count, uint32_t bytes,
                                  uint32_t isDrop, uint32_t site) {
  Block *block;
  BarrierObject &object = barrierAt(thread, address, site, &block);
  uint64_t token = object.phase << 32 | uint32_t(std::max<int64_t>(object.pendingArrivals, 0));
  Knowledge &gathered = gatheredBy(*block, object);
  if (block == thread->block)
    block->order.release(thread->index, gathered);
  else
    gathered.reach = Reach::join(gathered.reach, thread->block->order.everything(thread->index));
  if (bytes) {
    object.expectedBytes += bytes;
    object.pendingBytes += bytes;
    object.expectSite = site;
  }
  object.pendingArrivals -= count;
  if (isDrop)
    object.expectedArrivals -= count;
  if (object.pendingArrivals < 0)
    thread->block->report(*thread,
                          {"too-many-arrivals",
                           "more threads arrive at " + block->describeShared(offsetOf(address)) +
                               " than the " + std::to_string(object.expectedArrivals) +
                               " that it was initialised for",
                           site,
                           {},
                           {{"it is initialised here", object.initSite}}});
  completeIfDue(thread, *block, offsetOf(address), object);
  teamOf(thread).noteProgress();
  return token;
}

void tilelift_mbarrier_expect_tx(Thread *thread, uint64_t address, uint32_t bytes, uint32_t site) {
  BarrierObject &object = barrierAt(thread, address, site, nullptr);
  object.expectedBytes += bytes;
  object.pendingBytes += bytes;
  object.expectSite = site;
}

void tilelift_mbarrier_complete_tx(Thread *thread, uint64_t address, uint32_t bytes,
                                   uint32_t site) {
  Block *block;
  BarrierObject &object = barrierAt(thread, address, site, &block);
  object.arrivedBytes += bytes;
  object.pendingBytes -= bytes;
  completeIfDue(thread, *block, offsetOf(address), object);
}

uint32_t tilelift_mbarrier_wait(Thread *thread, uint64_t address, uint64_t phase, uint32_t byParity,
                                uint32_t mayBlock, uint32_t site) {
  Block *block;
  BarrierObject &object = barrierAt(thread, address, site, &block);
  Team &team = teamOf(thread);
  uint32_t parity = uint32_t(byParity ? phase & 1 : phase >> 32 & 1);
  if (!object.hasCompleted(parity)) {
    if (!mayBlock) {
      team.yield(*thread, true);
    } else {
      object.waiting.push_back(thread);
      team.wait(*thread, {Waiting::barrierObject, site, offsetOf(address)});
    }
    if (block->objects.find(offsetOf(address)) == block->objects.end())
      return 1; // invalidated meanwhile
    if (!object.hasCompleted(parity))
      return 0;
  }
  if (block == thread->block)
    block->order.acquire(thread->index, object.previous);
  return 1;
}

uint32_t tilelift_mbarrier_pending(Thread *, uint64_t token, uint32_t) { return uint32_t(token); }

} // extern "C"

/// A phase that completes while copies of it are under way let its threads go
/// too early.
void completeIfDue(Thread *thread, Block &block, uint32_t offset, BarrierObject &object) {
  if (!object.isComplete())
    return;
  if (object.issuedBytes != object.expectedBytes && object.issuedBytes > object.arrivedBytes)
    thread->block->report(*thread, {"bytes-mismatch",
                                    block.describeShared(offset) + " lets its threads go after " +
                                        std::to_string(object.expectedBytes) +
                                        " bytes, but the copies of this phase bring " +
                                        std::to_string(object.issuedBytes),
                                    object.expectSite,
                                    {},
                                    {{"the last copy is issued here", object.issueSite}}});
  completePhase(block, object);
}

void Team::completeCluster() {
  uint32_t alive = 0;
  for (auto &block : blocks)
    alive += block->alive;
  if (clusterArrived < alive)
    return;
  clusterArrived = 0;
  ++clusterPhase;
  Reach::Shared all;
  for (auto &block : blocks)
    all = Reach::join(all, block->order.everything());
  for (auto &block : blocks) {
    block->order.barrier();
    block->order.learnAbroad(all);
  }
  std::vector<Thread *> waiting = std::move(clusterWaiting);
  clusterWaiting.clear();
  for (Thread *thread : waiting)
    wake(*thread);
}

} // namespace tilelift::emulator
