//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared memory of one block, and who did what to it.
//
// Each cell of it, a word or a byte, remembers its last writer, two readers
// that do not know of each other, and the copies under way. From these follow
// races, reads of what nobody wrote, reads before a copy was waited for, and
// writes that the asynchronous proxy cannot see yet. For such writes the
// previous bytes are kept, since those are what the proxy would read.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_SHAREDMEMORY_H
#define TILELIFT_EMULATOR_MACHINE_SHAREDMEMORY_H

#include "machine/Order.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilelift::emulator {

struct Block;
struct Thread;

class SharedMemory {
public:
  static constexpr uint32_t windowBytes = 256 * 1024;

  SharedMemory();
  ~SharedMemory();
  SharedMemory(const SharedMemory &) = delete;

  void reset(Block &block, uint32_t bytes, bool hasNarrow, bool keepsAsyncView);

  char *base() const { return memory; }
  uint32_t bytes() const { return used; }
  bool contains(uint64_t address) const { return address - uint64_t(memory) < windowBytes; }

  // The generic proxy. The caller has checked that the bytes exist.
  void read(const Thread &thread, uint32_t offset, uint32_t bytes, bool isStrong, uint32_t site);
  void write(const Thread &thread, uint32_t offset, uint32_t bytes, bool isStrong, uint32_t site);
  // By a peer block of the cluster: nothing is known of its order.
  void readFromOutside(const Thread &thread, uint32_t offset, uint32_t bytes);
  void writeFromOutside(uint32_t offset, uint32_t bytes);

  // The asynchronous proxy. A copy is announced when it is issued, by whom.
  void copyIn(const Thread &issuer, uint32_t copy, uint32_t offset, uint32_t bytes, uint32_t site);
  void copyOut(const Thread &issuer, uint32_t copy, uint32_t offset, uint32_t bytes, uint32_t site);
  /// What a copy brings there may be old: it does not see what was written at this site.
  void markStale(uint32_t offset, uint32_t bytes, uint32_t writeSite);
  /// What a copy brings there comes from watched global memory, and `actor` reads it (Traces.h).
  void noteSource(uint32_t offset, uint32_t bytes, uint64_t from, uint32_t actor);
  /// cp.async writes like the thread itself, only later.
  void copyInGeneric(const Thread &issuer, uint32_t copy, uint32_t offset, uint32_t bytes,
                     uint32_t site);
  /// What the asynchronous proxy reads there now.
  void readAsync(uint32_t offset, uint32_t bytes, char *into) const;

private:
  struct Cell {
    uint32_t writeClock, writeSite;
    uint32_t readClock, readSite;
    uint32_t otherReadClock, otherReadSite;
    uint16_t writer, reader, otherReader;
    uint16_t flags;
    uint32_t copyIn, copyOut; ///< numbers of copies, 0 for none
    uint32_t copySite;
  };
  enum : uint16_t {
    initialised = 1,
    written = 2, ///< by a thread; else by nobody or by a copy
    strongWrite = 4,
    readOnce = 8,
    readTwice = 16,
    strongRead = 32,
    stale = 64,        ///< by a copy; `writeSite` is what it may not have seen
    fromWatched = 128, ///< by a copy, and nobody has read it so far
    strongOtherRead = 256,
  };
  struct Source {
    uint64_t address;
    uint32_t actor;
  };

  template <typename Visit> void forCells(uint32_t offset, uint32_t bytes, Visit visit);
  bool isVisibleToAsync(const Cell &cell) const;
  void noteUse(Cell &cell, const Thread &thread, uint32_t offset) const;
  void reportStale(const Cell &cell, const Thread &thread, uint32_t site) const;
  void noteReader(Cell &cell, const Thread &thread, bool isStrong, uint32_t site);
  void keepForAsync(const Cell &cell, uint32_t offset);
  void checkOverwrite(const Cell &cell, const Thread &thread, bool isStrong, bool isCopy,
                      uint32_t offset, uint32_t site) const;
  void checkCopyTarget(const Cell &cell, const Thread &issuer, uint32_t offset,
                       uint32_t site) const;
  void race(const Thread &thread, const char *what, const char *other, uint16_t otherThread,
            uint32_t offset, uint32_t site, uint32_t otherSite) const;

  Block *block = nullptr;
  char *memory = nullptr;
  uint32_t used = 0;
  uint32_t shift = 2;
  bool keepsAsyncView = false;
  std::vector<Cell> cells;
  std::vector<Source> sources; ///< of cells, empty while no copy comes from watched memory
  std::vector<char> asyncView;
};

} // namespace tilelift::emulator

#endif
