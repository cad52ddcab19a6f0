//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who used which bytes of global memory in the launch that runs: races there, and
// what is used too early of copies that are under way.
//
// Only allocations that the launch may write are watched, as the translator says of
// its parameters. Of each cell, as wide as the kernel's narrowest access, four are
// remembered: who wrote it last, two who read it since and do not know of each other,
// and who last used it by an atomic, volatile or stronger access, which are no races
// among themselves. Who orders what before what is in Order.h.
//
// A copy may read more than anybody needs, since its box is a whole number of 16 bytes.
// A conflict of its reading with a write is therefore kept as a doubt, and is reported only
// when a thread reads, in shared memory, the bytes that the copy brought from there.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_TRACES_H
#define TILELIFT_EMULATOR_MACHINE_TRACES_H

#include "machine/Findings.h"
#include "machine/Memory.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace tilelift::emulator {

struct Block;
struct LaunchRequest;
struct Thread;

/// What is accessed, and how messages call it.
struct Use {
  uint64_t address;
  uint32_t bytes;
  bool isStrong;
  uint32_t site;
};

/// What is wrong if somebody uses what a copy brings from `address`.
struct Doubt {
  uint64_t address;
  uint32_t copy; ///< its actor
  Finding finding;
};

/// What is wrong with a write if it changes anything.
struct Suspicion {
  std::optional<Finding> finding;
  std::vector<Doubt> doubts; ///< and if the copies are used

  explicit operator bool() const { return finding || !doubts.empty(); }
};

class Traces {
public:
  explicit Traces(Memory &memory) : memory(memory) {}
  ~Traces();
  Traces(const Traces &) = delete;

  /// `isParallel`: its blocks run on several threads of the host.
  void startLaunch(const LaunchRequest &request, bool isParallel);

  // By threads, of memory that is watched. A write that takes part in a race is the
  // thread's suspicion until it is seen whether it changes anything.
  void read(Thread &thread, const Use &use);
  void write(Thread &thread, const Use &use);

  // By copies, when they are issued; `actor` is 0 at first and stands for the copy then.
  void readByCopy(Thread &issuer, Block &target, uint32_t copy, const Use &use, uint32_t &actor);
  Suspicion writeByCopy(Thread &issuer, uint32_t copy, const Use &use, uint32_t &actor);

  /// A thread uses what the copy of this actor brought from there.
  void useCopied(const Thread &thread, uint32_t actor, uint64_t address, uint32_t bytes);
  /// The suspected write has changed something.
  void confirm(const Thread &thread, Suspicion suspicion);

  /// Whether another block wrote there, and a thread of this one knew that when it fenced.
  bool isFencedAbroad(const Thread &thread, uint64_t address) const;

private:
  /// A thread between two of its synchronizations, or a copy.
  struct Actor {
    uint32_t block;
    uint32_t clock; ///< of a copy its number
    uint32_t ended; ///< of a copy that a thread knows to have ended, its number; else 0 (Order.h)
    uint16_t thread;
    uint16_t isCopy;
  };
  struct Trace {
    uint32_t actor, site;
  };
  struct Conflict {
    Trace with;
    const char *what;
    uint64_t address;
  };
  struct Watched {
    char *base;
    size_t bytes;
    unsigned shift;
    bool operator==(const Watched &other) const {
      return base == other.base && bytes == other.bytes && shift == other.shift;
    }
  };
  class Guard;

  void reserve();
  void forgetAll();
  std::vector<Watched> watchedBy(const LaunchRequest &request) const;
  void dropShadow(const Watched &watched);
  uint32_t newActor(const Actor &actor);
  uint32_t actorOf(Thread &thread);
  uint32_t actorOf(Thread &issuer, Block &target, uint32_t copy, uint32_t actor);
  size_t cell(uint64_t address) const { return (address - memory.start()) >> shift; }
  uint64_t addressOf(size_t cell) const { return memory.start() + (uint64_t(cell) << shift); }

  bool isOpen(const Thread &thread, uint32_t self, const Trace &trace) const;
  bool knows(const Thread &thread, const Actor &actor) const;
  std::optional<Conflict> beforeRead(const Thread &thread, uint32_t self, size_t cell,
                                     bool isStrong) const;
  std::optional<Conflict> beforeWrite(const Thread &thread, uint32_t self, size_t cell,
                                      bool isStrong) const;
  bool isDoubt(const Conflict &conflict) const;
  void suspect(Thread &thread, const char *what, uint32_t self, uint32_t copy, const Use &use,
               Suspicion &suspicion) const;
  void noteRead(const Thread &thread, uint32_t self, const Use &use);
  void noteWrite(uint32_t self, const Use &use);
  Finding describe(Thread &thread, const char *what, const Use &use,
                   const Conflict &conflict) const;
  Finding describeCopy(Thread &thread, const char *what, const Use &use,
                       const Conflict &conflict) const;

  Memory &memory;
  bool isParallel = false;
  unsigned shift = 2;
  std::vector<Watched> watched;
  // For each cell.
  Trace *writes = nullptr, *reads = nullptr, *otherReads = nullptr, *strongs = nullptr;
  Actor *actors = nullptr; ///< of this launch
  uint32_t firstActor = 1;
  std::atomic<uint32_t> lastActor = 0;
  std::mutex doubtsMutex;
  std::map<std::pair<uint32_t, size_t>, Finding> doubts; ///< by copy and cell
  std::atomic<bool> hasDoubts = false;
  std::array<std::atomic<bool>, 4096> locks = {};
};

} // namespace tilelift::emulator

#endif
