//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "machine/Team.h"

#include <algorithm>

namespace tilelift::emulator {

namespace {

/// So often may threads look in vain before other teams have their turns.
constexpr uint64_t patience = 20'000;

/// A thread that was interrupted more often than this since it last looked does something else by
/// now: a loop that waits makes fewer accesses in a round, even where it is not optimized and each
/// of its variables is in memory.
constexpr uint32_t interruptionsOfARound = 32;

} // namespace

Team::Team(Grid &grid, uint32_t count, uint64_t seed) : grid(grid) {
  for (uint32_t i = 0; i < count; ++i)
    blocks.push_back(std::make_unique<Block>());
  if (grid.machine.settings.seed)
    random.emplace(seed);
}

// Start.

void Team::start(uint64_t number) {
  ready.clear();
  pending.clear();
  clusterArrived = 0;
  clusterWaiting.clear();
  idleTurns = 0;
  const LaunchRequest &request = grid.request;
  Dim clusters = {request.grid.x / request.cluster.x, request.grid.y / request.cluster.y,
                  request.grid.z / request.cluster.z};
  bool isWhole = request.isCooperative;
  for (uint32_t rank = 0; rank < blocks.size(); ++rank) {
    uint64_t cluster = isWhole ? rank / request.cluster.count() : number;
    uint32_t inside = uint32_t(isWhole ? rank % request.cluster.count() : rank);
    uint32_t at[3] = {uint32_t(cluster % clusters.x), uint32_t(cluster / clusters.x % clusters.y),
                      uint32_t(cluster / clusters.x / clusters.y)};
    uint32_t in[3] = {inside % request.cluster.x, inside / request.cluster.x % request.cluster.y,
                      inside / request.cluster.x / request.cluster.y};
    Block &block = *blocks[rank];
    block.teamIndex = rank;
    block.index[0] = at[0] * request.cluster.x + in[0];
    block.index[1] = at[1] * request.cluster.y + in[1];
    block.index[2] = at[2] * request.cluster.z + in[2];
    block.number =
        (block.index[2] * request.grid.y + block.index[1]) * request.grid.x + block.index[0];
    startBlock(block, inside);
  }
}

void Team::startBlock(Block &block, uint32_t rank) {
  const LaunchRequest &request = grid.request;
  const Kernel &kernel = *request.kernel;
  uint32_t count = uint32_t(request.block.count());
  block.team = this;
  block.kernel = &kernel;
  block.rank = rank;
  block.alive = count;
  block.objects.clear();
  for (NamedBarrier &barrier : block.barriers)
    barrier = NamedBarrier();
  uint32_t sharedBytes = kernel.sharedBytes + request.dynamicShared;
  block.shared.reset(block, sharedBytes, kernel.traits & hasNarrowShared,
                     kernel.traits & usesAsyncProxy);
  block.order.reset(count, block.number);
  block.flags.clear();
  block.openBarriers = 0;
  block.threads.resize(count);
  ThreadRegisters registers = registersOf(block);
  for (uint32_t i = 0; i < count; ++i) {
    Thread &thread = block.threads[i];
    static_cast<ThreadRegisters &>(thread) = registers;
    thread.tid[0] = i % request.block.x;
    thread.tid[1] = i / request.block.x % request.block.y;
    thread.tid[2] = i / request.block.x / request.block.y;
    thread.laneid = i % 32;
    thread.warpid = i / 32;
    thread.block = &block;
    thread.index = i;
    thread.state = Thread::fresh;
    thread.waiting = Waiting();
    thread.span = 0;
    thread.actor = 0;
    thread.suspected.reset();
    thread.outstanding.reset();
    ready.push_back(&thread);
  }
  startWarps(block);
}

/// What all threads of a block read alike.
ThreadRegisters Team::registersOf(const Block &block) const {
  const LaunchRequest &request = grid.request;
  const uint32_t grids[3] = {request.grid.x, request.grid.y, request.grid.z};
  const uint32_t sizes[3] = {request.block.x, request.block.y, request.block.z};
  const uint32_t clusters[3] = {request.cluster.x, request.cluster.y, request.cluster.z};
  ThreadRegisters registers = {};
  for (int d = 0; d < 3; ++d) {
    registers.ntid[d] = sizes[d];
    registers.ctaid[d] = block.index[d];
    registers.nctaid[d] = grids[d];
    registers.clusterid[d] = block.index[d] / clusters[d];
    registers.nclusterid[d] = grids[d] / clusters[d];
    registers.clusterCtaid[d] = block.index[d] % clusters[d];
    registers.clusterNctaid[d] = clusters[d];
  }
  registers.clusterCtarank = block.rank;
  registers.clusterNctarank = uint32_t(request.cluster.count());
  registers.nwarpid = uint32_t((request.block.count() + 31) / 32);
  registers.dynamicShared = request.dynamicShared;
  registers.totalShared = block.shared.bytes();
  registers.gridWorkspace = uint64_t(grid.workspace);
  registers.shared = block.shared.base();
  registers.sharedOffsets = block.kernel->sharedOffsets;
  return registers;
}

void Team::startWarps(Block &block) {
  block.warps.clear();
  block.warps.resize((block.threads.size() + 31) / 32);
  for (Thread &thread : block.threads) {
    Warp &warp = block.warps[thread.index / 32];
    thread.warp = &warp;
    warp.lanes[thread.laneid] = &thread;
    warp.present |= 1u << thread.laneid;
  }
}

// Turns.

bool Team::runWhileMoving() {
  idleTurns = 0;
  hasMoved = false;
  while (!grid.isStopped() && idleTurns <= patience) {
    if (Thread *thread = nextThread()) {
      turn(*thread);
      if (random && !pending.empty() && (*random)() % 4 == 0)
        performOne();
    } else if (isOver()) {
      reportLeftovers();
      return true;
    } else if (!performOne() && !releaseActiveMasks()) {
      reportStandstill(); // all wait for each other
    }
  }
  return hasMoved;
}

bool Team::isOver() const {
  return std::all_of(blocks.begin(), blocks.end(), [](auto &block) { return block->alive == 0; });
}

Thread *Team::nextThread() {
  if (ready.empty())
    return nullptr;
  if (random)
    std::swap(ready.front(), ready[(*random)() % ready.size()]);
  Thread *thread = ready.front();
  ready.pop_front();
  return thread;
}

void Team::turn(Thread &thread) {
  if (thread.state == Thread::fresh) {
    if (!thread.stack) {
      if (spareStacks.empty())
        spareStacks.emplace_back();
      thread.stack = std::move(spareStacks.back());
      spareStacks.pop_back();
    }
    thread.context = prepare(*thread.stack, entry, &thread);
  }
  thread.state = Thread::ready;
  switchTo(&scheduler, thread.context, thread.stack->bounds());
  if (thread.state == Thread::done && thread.stack) {
    spareStacks.push_back(std::move(*thread.stack));
    thread.stack.reset();
  }
}

void Team::entry(void *argument) {
  Thread &thread = *static_cast<Thread *>(argument);
  Team &team = *thread.block->team;
  team.schedulerStack = arrive();
  team.grid.request.kernel->function(&thread, team.grid.parameters);
  team.exit(thread);
}

void Team::wait(Thread &thread, Waiting why) {
  thread.state = Thread::blocked;
  rest(thread, why);
}

void Team::rest(Thread &thread, Waiting why) {
  noteProgress();
  thread.waiting = why;
  switchTo(&thread.context, scheduler, schedulerStack);
  thread.waiting = Waiting();
}

void Team::wake(Thread &thread) {
  if (thread.state == Thread::blocked) {
    thread.state = Thread::ready;
    ready.push_back(&thread);
  }
}

void Team::yield(Thread &thread, bool isSpinning) {
  if (isSpinning) {
    ++idleTurns;
    thread.interruptionsSinceLook = 0;
  } else if (thread.interruptionsSinceLook > interruptionsOfARound) {
    noteProgress();
  } else {
    ++thread.interruptionsSinceLook;
  }
  ready.push_back(&thread);
  // Nobody else may be able to move before a copy is done.
  if (isSpinning && idleTurns > ready.size())
    performOne();
  switchTo(&thread.context, scheduler, schedulerStack);
}

void Team::preemptAtRandom(Thread &thread) {
  if ((*random)() % 64 == 0)
    yield(thread, false);
}

void Team::fault(Thread &thread, Outcome why) {
  grid.stop(why);
  switchTo(&thread.context, scheduler, schedulerStack, false);
  __builtin_unreachable();
}

Block *Team::peer(const Block &block, uint32_t rank) {
  uint32_t first = block.teamIndex - block.rank;
  return rank < grid.request.cluster.count() ? blocks[first + rank].get() : nullptr;
}

// Copies.

bool Team::performOne() {
  if (pending.empty())
    return false;
  size_t which = random ? (*random)() % pending.size() : 0;
  PendingCopy copy = std::move(pending[which]);
  pending.erase(pending.begin() + long(which));
  copy.perform();
  noteProgress();
  return true;
}

void Team::finishCopies(Block &block, const std::vector<uint32_t> &numbers) {
  for (size_t i = 0; i < pending.size();) {
    bool isOne = pending[i].block == &block &&
                 std::find(numbers.begin(), numbers.end(), pending[i].number) != numbers.end();
    if (!isOne) {
      ++i;
      continue;
    }
    PendingCopy copy = std::move(pending[i]);
    pending.erase(pending.begin() + long(i));
    copy.perform();
  }
}

/// A group of lanes that asked who is active: those who are there when nobody
/// else of the warp can come are.
bool Team::releaseActiveMasks() {
  for (auto &block : blocks)
    for (Warp &warp : block->warps)
      for (size_t i = 0; i < warp.open.size(); ++i)
        if (warp.open[i]->mask == 0) {
          std::unique_ptr<Collective> group = std::move(warp.open[i]);
          warp.open.erase(warp.open.begin() + long(i));
          for (uint32_t lane = 0; lane < 32; ++lane)
            if (group->arrived >> lane & 1) {
              *static_cast<uint32_t *>(group->slots[lane]) = group->arrived;
              wake(*warp.lanes[lane]);
            }
          return true;
        }
  return false;
}

// The end.

/// A block must not end while a store may still read its shared memory.
void Team::reportLeftovers() {
  for (auto &block : blocks)
    for (Thread &thread : block->threads)
      if (thread.outstanding && !thread.outstanding->openBulk.empty())
        block->report(thread, {"exit-in-flight",
                               "the block ends while a store that was never committed and waited "
                               "for may still read its shared memory",
                               0,
                               {},
                               {}});
  for (PendingCopy &copy : pending)
    copy.block->report(
        copy.block->threads[0],
        {"exit-in-flight", "the block ends before a copy was waited for", 0, {}, {}});
  while (performOne())
    ;
}

void Team::reportStandstill() {
  std::map<std::pair<int, uint32_t>, std::vector<Thread *>> groups;
  std::vector<Thread *> running;
  for (auto &block : blocks)
    for (Thread &thread : block->threads)
      if (thread.state == Thread::blocked)
        groups[{thread.waiting.kind, thread.waiting.site}].push_back(&thread);
      else if (thread.state != Thread::done)
        running.push_back(&thread);
  for (auto &[key, threads] : groups) {
    Thread &first = *threads.front();
    Block &block = *first.block;
    std::string who =
        std::to_string(threads.size()) + " of " + std::to_string(block.threads.size()) + " threads";
    std::string text;
    const char *id = "never-completes";
    if (first.waiting.kind == Waiting::barrierObject) {
      BarrierObject &object = block.objects[first.waiting.number];
      std::string name = block.describeShared(first.waiting.number);
      if (object.pendingBytes != 0) {
        id = "bytes-mismatch";
        text = who + " wait for " + name + " forever: it expects " +
               std::to_string(object.expectedBytes) + " bytes, " +
               std::to_string(object.arrivedBytes) + " bytes came";
      } else {
        text = who + " wait for " + name + " forever: " + std::to_string(object.pendingArrivals) +
               " of " + std::to_string(object.expectedArrivals) + " arrivals are missing";
      }
    } else if (first.waiting.kind == Waiting::barrier) {
      text = who + " wait at barrier " + std::to_string(first.waiting.number) +
             " forever: the others do not come";
    } else if (first.waiting.kind == Waiting::warp) {
      text =
          who + " wait for other lanes of their warp forever: some lanes of the mask do not come";
    } else {
      text = who + " wait for the other blocks of the cluster forever";
    }
    block.report(first, {id, text, first.waiting.site, {}, {}});
  }
  if (!running.empty() && groups.empty())
    running.front()->block->report(
        *running.front(),
        {"never-completes", "all threads look for something that nobody brings", 0, {}, {}});
  grid.stop(Outcome::neverEnds);
}

// Names.

Whereabouts whereaboutsOf(const Thread &thread) {
  Whereabouts where;
  where.kernel = thread.block->kernel->name;
  std::copy_n(thread.block->index, 3, where.block);
  std::copy_n(thread.tid, 3, where.thread);
  where.hasThread = true;
  return where;
}

void Block::report(const Thread &thread, Finding finding) {
  if (!finding.where.hasThread)
    finding.where = whereaboutsOf(thread);
  uint32_t first = team->grid.module ? team->grid.module->firstSite : 0;
  auto global = [&](uint32_t &site) { site = site ? site + first : 0; };
  global(finding.site);
  for (Finding::Note &note : finding.notes)
    global(note.site);
  // A note without a place says nothing.
  finding.notes.erase(std::remove_if(finding.notes.begin(), finding.notes.end(),
                                     [](auto &note) { return note.site == 0; }),
                      finding.notes.end());
  team->grid.machine.findings.report(finding);
}

std::string Block::describeShared(uint32_t offset) const {
  const Module *module = team->grid.module;
  for (uint32_t i = 0; module && i < module->sharedCount; ++i) {
    uint32_t start = kernel->sharedOffsets[i];
    uint32_t bytes = module->shared[i].bytes;
    if (start != notUsed && offset >= start && (bytes == 0 || offset < start + bytes))
      return "'" + plainName(module->shared[i].name) + "'" +
             (offset == start ? "" : " + " + std::to_string(offset - start) + " bytes");
  }
  return "shared memory at byte " + std::to_string(offset);
}

std::string Block::describeThread(uint32_t number) const {
  const Thread &thread = threads[number];
  return "(" + std::to_string(thread.tid[0]) + ", " + std::to_string(thread.tid[1]) + ", " +
         std::to_string(thread.tid[2]) + ")";
}

} // namespace tilelift::emulator
