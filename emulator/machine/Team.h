//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whose turn it is. A team is the blocks that run at the same time and may talk
// to each other: one block, a cluster, or the whole grid of a cooperative
// launch. Its threads take turns on one thread of the host: in their order, each
// until it has to wait, or at random with a seed.
//
// Copies are done as late as can be, when all threads wait, or at random: what
// a program may not rely on, it should not get.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_TEAM_H
#define TILELIFT_EMULATOR_MACHINE_TEAM_H

#include "machine/Block.h"

#include <atomic>
#include <functional>
#include <random>

namespace tilelift::emulator {

/// A launch, as all teams see it.
struct Grid {
  Machine &machine;
  const LaunchRequest &request;
  const Module *module;
  char *workspace;              ///< of a cooperative launch
  char *parameters;             ///< a copy of the request's, aligned as tensor maps need it
  std::atomic<int> outcome = 0; ///< Outcome; set once, then everybody stops
  std::atomic<uint64_t> nextTeam = 0;
  Flags flags = {}; ///< in global memory
  /// How many crews have teams in which somebody moves.
  std::atomic<int> busyCrews = 0;

  bool isStopped() const { return outcome.load(std::memory_order_relaxed) != 0; }
  void stop(Outcome why) {
    int none = 0;
    outcome.compare_exchange_strong(none, int(why));
  }
};

/// A copy that was issued and not yet done.
struct PendingCopy {
  uint32_t number; ///< in its block's order
  Block *block;    ///< whose shared memory it is about
  std::function<void()> perform;
};

class Team {
public:
  Team(Grid &grid, uint32_t blocks, uint64_t seed);

  /// Sets up the blocks of the team with this number: one block, a cluster, or the whole grid of a
  /// cooperative launch. Nothing runs yet.
  void start(uint64_t number);
  /// Runs them until they are over, or all look for a while in vain for what others do. Returns
  /// whether somebody has moved.
  bool runWhileMoving();
  bool isOver() const;
  /// Nobody can move any more: says who waits for what, and ends the launch.
  void reportStandstill();

  // For the threads.
  /// Gives the turn away until somebody wakes the thread.
  void wait(Thread &thread, Waiting why);
  void wake(Thread &thread);
  /// Gives the turn away like `wait`, for a thread whose state the caller has already set to
  /// `blocked`.
  void rest(Thread &thread, Waiting why);
  /// Gives the turn away, to come back soon. `isSpinning`: it waits for somebody.
  void yield(Thread &thread, bool isSpinning);
  /// Ends the launch; never comes back.
  [[noreturn]] void fault(Thread &thread, Outcome why);
  [[noreturn]] void exit(Thread &thread);
  void issue(PendingCopy copy) { pending.push_back(std::move(copy)); }
  /// Performs those pending copies of one block whose numbers are in `numbers`.
  void finishCopies(Block &block, const std::vector<uint32_t> &numbers);
  void noteProgress() {
    idleTurns = 0;
    hasMoved = true;
  }
  /// At random with a seed, never without.
  void maybePreempt(Thread &thread) {
    if (random)
      preemptAtRandom(thread);
  }

  /// The block of this rank in the same cluster, or null.
  Block *peer(const Block &block, uint32_t rank);
  Grid &grid;

  // Barrier of the cluster.
  void completeCluster();
  uint64_t clusterPhase = 0;
  uint32_t clusterArrived = 0;
  std::vector<Thread *> clusterWaiting;

private:
  void preemptAtRandom(Thread &thread);
  void startBlock(Block &block, uint32_t rank);
  ThreadRegisters registersOf(const Block &block) const;
  void startWarps(Block &block);
  void turn(Thread &thread);
  Thread *nextThread();
  bool performOne();
  bool releaseActiveMasks();
  void reportLeftovers();
  static void entry(void *thread);

  std::vector<std::unique_ptr<Block>> blocks;
  std::deque<Thread *> ready;
  std::vector<PendingCopy> pending;
  std::vector<Stack> spareStacks;
  Context scheduler = nullptr;
  StackBounds schedulerStack;
  uint64_t idleTurns = 0;
  bool hasMoved = false;
  std::optional<std::mt19937_64> random;
};

inline Team &teamOf(const Thread *thread) { return *thread->block->team; }
inline Memory &memoryOf(const Thread *thread) { return teamOf(thread).grid.machine.memory; }
inline Traces &tracesOf(const Thread *thread) { return teamOf(thread).grid.machine.traces; }

} // namespace tilelift::emulator

#endif
