//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block while it runs: its threads and warps, its shared memory and its
// barriers. What the threads do to each other is in Synchronization.cpp and
// Copies.cpp, whose turn it is in Team.h.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_BLOCK_H
#define TILELIFT_EMULATOR_MACHINE_BLOCK_H

#include "machine/Abi.h"
#include "machine/BarrierObject.h"
#include "machine/Fiber.h"
#include "machine/Findings.h"
#include "machine/Flags.h"
#include "machine/Machine.h"
#include "machine/Order.h"
#include "machine/SharedMemory.h"
#include "machine/Traces.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilelift::emulator {

class Team;
struct Block;
struct Warp;

/// Why a thread does not run on, for the message when it never will.
struct Waiting {
  enum Kind { nothing, barrier, warp, barrierObject, cluster } kind = nothing;
  uint32_t site = 0;
  uint32_t number = 0; ///< of a barrier; the mask of a warp; a shared address
};

/// A write that is about to be made. If it changes nothing, it makes no difference.
struct SuspectedWrite {
  Suspicion suspicion;
  uint64_t address = 0;
  std::vector<char> before;
};

/// What a thread has under way; most threads never have any.
struct Outstanding {
  // Groups of stores: numbers of copies, the oldest group first.
  std::vector<uint32_t> openBulk;
  std::deque<std::vector<uint32_t>> bulkGroups;
  // The writes of these groups to global memory, which end later than their reads.
  std::vector<uint32_t> openWrites;
  std::deque<std::vector<uint32_t>> writeGroups;
  // The same for cp.async.
  std::vector<uint32_t> openAsync;
  std::deque<std::vector<uint32_t>> asyncGroups;
  uint32_t asyncCopy = 0, asyncActor = 0; ///< who reads global memory (Traces.h)
};

struct Thread : ThreadRegisters {
  Block *block = nullptr;
  Warp *warp = nullptr;
  uint32_t index = 0; ///< in its block
  enum State : uint8_t { fresh, ready, blocked, done } state = fresh;
  Context context = nullptr;
  std::optional<Stack> stack;
  Waiting waiting;
  uint32_t votes = 0, voters = 0;      ///< of the barrier that was passed last
  uint64_t clusterPhase = 0;           ///< of the cluster's barrier, when the thread arrived
  uint32_t interruptionsSinceLook = 0; ///< since it last looked for somebody's write
  uint32_t span = 0;                   ///< the number of its open span of writes (Memory.h), or 0
  uint32_t actor = 0, actorClock = 0;  ///< as global memory knows it (Traces.h)
  std::unique_ptr<SuspectedWrite> suspected; ///< what `suspects` is about
  std::unique_ptr<Outstanding> outstanding;

  Outstanding &own() {
    if (!outstanding)
      outstanding = std::make_unique<Outstanding>();
    return *outstanding;
  }
};

/// Something that lanes of a warp do together: each brings a slot, and when all
/// are there the answers are computed and all go on.
struct Collective {
  const char *what;
  uint32_t mask;
  uint32_t place; ///< in the code, if only lanes at one place take part; else 0
  uint32_t arrived = 0;
  void *slots[32] = {};
  /// Of the lane that came first; lives on its stack.
  void (*compute)(void *closure, Collective &group) = nullptr;
  void *closure = nullptr;
};

struct Warp {
  Thread *lanes[32] = {};
  uint32_t present = 0; ///< lanes that have not exited
  std::vector<std::unique_ptr<Collective>> open;
};

/// One of the sixteen barriers of bar.sync.
struct NamedBarrier {
  uint32_t expected = 0; ///< threads; 0 for all of the block
  uint32_t arrived = 0;
  std::vector<Thread *> waiting;
  std::vector<uint32_t> contributors; ///< threads, waiting or not
  uint32_t votes = 0;
};

struct Block {
  Team *team = nullptr;
  const Kernel *kernel = nullptr;
  uint32_t index[3] = {};
  uint32_t number = 0;    ///< in its grid
  uint32_t rank = 0;      ///< in its cluster
  uint32_t teamIndex = 0; ///< in its team
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  uint32_t alive = 0;
  SharedMemory shared;
  Order order;
  NamedBarrier barriers[16];
  uint32_t openBarriers = 0;                 ///< those at which somebody waits
  std::map<uint32_t, BarrierObject> objects; ///< mbarriers, by shared offset
  Flags flags;                               ///< in shared memory

  /// Reports a finding. If the finding names no thread, it is reported as made by this one.
  void report(const Thread &thread, Finding finding);
  /// "'tile'[12]", by offset in bytes into the variable.
  std::string describeShared(uint32_t offset) const;
  std::string describeThread(uint32_t index) const;
};

Whereabouts whereaboutsOf(const Thread &thread);

} // namespace tilelift::emulator

#endif
