//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device calls global memory: one range of addresses, the same in every
// run, so that pointers compare equal between runs. Pinned host memory, managed
// memory and the program's device variables live in it as well.
//
// Memory knows which bytes are allocated, which instruction wrote a word last, and
// which allocations are watched for races (Traces.h). It does not know threads; who may see what
// when is the blocks' business. Allocating is for one thread at a time, asking is for all.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_MEMORY_H
#define TILELIFT_EMULATOR_MACHINE_MEMORY_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilelift::emulator {

enum class MemoryKind { device, pinned, managed, variable };

struct Allocation {
  char *base = nullptr;
  size_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  std::string name;    ///< of a variable; empty for others
  uint64_t number = 0; ///< the how manieth allocation of the program
  unsigned flags = 0;  ///< what cudaHostAlloc was told
};

class Memory {
public:
  Memory();
  ~Memory();
  Memory(const Memory &) = delete;

  /// Null when there is no room. Zero bytes have an address, too.
  char *allocate(size_t bytes, MemoryKind kind, std::string name = "", size_t alignment = 256);
  /// False where `base` is not the start of an allocation.
  bool release(const void *base);
  /// The allocation that holds the address, or null.
  const Allocation *find(const void *address) const;
  /// All that is allocated, by address.
  const std::map<char *, Allocation> &allocations() const { return live; }
  /// An allocation that was released, for messages; null where there was none.
  const Allocation *findReleased(const void *address) const;

  size_t totalBytes() const { return arenaBytes; }
  size_t freeBytes() const { return arenaBytes - usedBytes; }

  bool contains(uint64_t address) const { return address - uint64_t(arena) < arenaBytes; }
  /// Whether all these bytes are allocated.
  bool isAllocated(uint64_t address, size_t bytes) const {
    uint64_t offset = address - uint64_t(arena);
    if (offset >= arenaBytes || bytes > arenaBytes - offset)
      return false;
    size_t granule = offset / granuleBytes;
    size_t end = offset % granuleBytes + bytes;
    if (end <= granuleBytes)
      return end <= (validBytes[granule] & validMask);
    return isAllocatedSlow(granule, end);
  }

  /// Whether the allocation with this byte of the arena is watched.
  bool isWatched(uint64_t address) const {
    return validBytes[(address - uint64_t(arena)) / granuleBytes] & watchedBit;
  }
  void watch(const char *base, size_t bytes, bool isOn);
  uint64_t start() const { return uint64_t(arena); }

  /// The site that wrote a word last, 0 for none. Words have four bytes.
  uint32_t lastWriter(uint64_t address) const { return load(writers, address); }

  // What the asynchronous proxy may not see yet. A thread writes in one span
  // after the other; a proxy fence ends a span, the end of a launch ends all.
  void startLaunch() { firstSpan = lastSpan + 1; }
  uint32_t startSpan() { return ++lastSpan; }
  void endSpan(uint32_t span) {
    __atomic_fetch_or(&endedSpans[span / 8], uint8_t(1u << span % 8), __ATOMIC_RELAXED);
  }
  bool isUnfenced(uint64_t address) const {
    uint32_t span = load(spans, address);
    return span >= firstSpan && !(endedSpans[span / 8] >> span % 8 & 1);
  }
  /// Notes who wrote; span 0 is a write that the asynchronous proxy sees.
  void noteWrite(uint64_t address, size_t bytes, uint32_t site, bool hasSpans, uint32_t span = 0) {
    for (uint64_t word = address & ~uint64_t(3); word < address + bytes; word += 4) {
      store(writers, word, site);
      if (hasSpans)
        store(spans, word, span);
    }
  }

private:
  static constexpr size_t granuleBytes = 256;
  static constexpr uint16_t validMask = 0x1ff, watchedBit = 0x8000;

  uint32_t load(const uint32_t *words, uint64_t address) const {
    return __atomic_load_n(&words[(address - uint64_t(arena)) / 4], __ATOMIC_RELAXED);
  }
  void store(uint32_t *words, uint64_t address, uint32_t value) {
    __atomic_store_n(&words[(address - uint64_t(arena)) / 4], value, __ATOMIC_RELAXED);
  }
  bool isAllocatedSlow(size_t granule, size_t end) const;
  void mark(const Allocation &allocation, bool isLive);

  char *arena = nullptr;
  size_t arenaBytes = 0;
  size_t usedBytes = 0;
  char *next = nullptr;
  char *nextVariable = nullptr;
  uint64_t count = 0;
  std::map<char *, Allocation> live;
  std::map<char *, Allocation> released;
  /// Of each granule, how many of its first bytes are allocated, and a bit.
  uint16_t *validBytes = nullptr;
  // For each word.
  uint32_t *writers = nullptr;
  uint32_t *spans = nullptr;
  uint8_t *endedSpans = nullptr; ///< a bit for each
  std::atomic<uint32_t> lastSpan = 0;
  uint32_t firstSpan = 1; ///< of the running launch
};

} // namespace tilelift::emulator

#endif
