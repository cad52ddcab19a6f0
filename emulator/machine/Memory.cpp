//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "machine/Memory.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace tilelift::emulator {

namespace {

/// Far from where the system puts programs, libraries and stacks.
constexpr uint64_t arenaAddress = 0x200000000000;
constexpr size_t wholeArena = size_t(64) << 30;
/// Variables lie apart: a program that has more of them allocates at the same
/// addresses all the same.
constexpr size_t forVariables = size_t(1) << 30;

constexpr size_t spanBytes = size_t(1) << 29; // a bit for every number

void *reserve(void *where, size_t bytes) {
  int fixed = where ? MAP_FIXED_NOREPLACE : 0;
  void *got = mmap(where, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  if (got == MAP_FAILED || (where && got != where)) {
    std::perror("tilelift: cannot reserve the emulated device's memory");
    std::exit(125);
  }
  return got;
}

} // namespace

Memory::Memory() : arenaBytes(wholeArena) {
  arena = static_cast<char *>(reserve(reinterpret_cast<void *>(arenaAddress), arenaBytes));
  validBytes = static_cast<uint16_t *>(reserve(nullptr, arenaBytes / granuleBytes * 2));
  writers = static_cast<uint32_t *>(reserve(nullptr, arenaBytes));
  spans = static_cast<uint32_t *>(reserve(nullptr, arenaBytes));
  endedSpans = static_cast<uint8_t *>(reserve(nullptr, spanBytes));
  next = arena;
  nextVariable = arena + arenaBytes - forVariables;
}

Memory::~Memory() {
  munmap(arena, arenaBytes);
  munmap(validBytes, arenaBytes / granuleBytes * 2);
  munmap(writers, arenaBytes);
  munmap(spans, arenaBytes);
  munmap(endedSpans, spanBytes);
}

/// Released memory is not used again, so that late accesses are seen.
char *Memory::allocate(size_t bytes, MemoryKind kind, std::string name, size_t alignment) {
  alignment = alignment < granuleBytes ? granuleBytes : alignment;
  bool isVariable = kind == MemoryKind::variable;
  char *&place = isVariable ? nextVariable : next;
  uintptr_t start = (reinterpret_cast<uintptr_t>(place) + alignment - 1) / alignment * alignment;
  char *base = reinterpret_cast<char *>(start);
  size_t room = size_t(arena + arenaBytes - (isVariable ? 0 : forVariables) - base);
  // One granule after each allocation stays free: whoever runs over is seen.
  size_t whole = (bytes + granuleBytes - 1) / granuleBytes * granuleBytes + granuleBytes;
  if (bytes > room || whole > room)
    return nullptr;
  place = base + whole;
  usedBytes += bytes;
  Allocation &entry = live[base];
  entry = {base, bytes, kind, std::move(name), ++count, 0};
  mark(entry, true);
  return base;
}

bool Memory::release(const void *base) {
  auto found = live.find(static_cast<char *>(const_cast<void *>(base)));
  if (found == live.end())
    return false;
  mark(found->second, false);
  usedBytes -= found->second.bytes;
  size_t pages = found->second.bytes / 4096 * 4096;
  if (pages && uintptr_t(base) % 4096 == 0)
    madvise(found->first, pages, MADV_DONTNEED);
  released[found->first] = std::move(found->second);
  live.erase(found);
  return true;
}

void Memory::mark(const Allocation &allocation, bool isLive) {
  size_t granule = size_t(allocation.base - arena) / granuleBytes;
  for (size_t left = allocation.bytes; left > 0; ++granule) {
    size_t here = left < granuleBytes ? left : granuleBytes;
    validBytes[granule] = isLive ? uint16_t(here) : 0;
    left -= here;
  }
}

bool Memory::isAllocatedSlow(size_t granule, size_t end) const {
  for (; end > granuleBytes; end -= granuleBytes, ++granule)
    if ((validBytes[granule] & validMask) != granuleBytes)
      return false;
  return end <= (validBytes[granule] & validMask);
}

void Memory::watch(const char *base, size_t bytes, bool isOn) {
  size_t first = size_t(base - arena) / granuleBytes;
  for (size_t i = first; i < first + (bytes + granuleBytes - 1) / granuleBytes; ++i)
    validBytes[i] = isOn ? validBytes[i] | watchedBit : validBytes[i] & uint16_t(~watchedBit);
}

namespace {

const Allocation *holding(const std::map<char *, Allocation> &all, const void *address) {
  auto after = all.upper_bound(static_cast<char *>(const_cast<void *>(address)));
  if (after == all.begin())
    return nullptr;
  const Allocation &candidate = std::prev(after)->second;
  size_t offset = size_t(static_cast<const char *>(address) - candidate.base);
  return offset < candidate.bytes || (offset == 0 && candidate.bytes == 0) ? &candidate : nullptr;
}

} // namespace

const Allocation *Memory::find(const void *address) const { return holding(live, address); }

const Allocation *Memory::findReleased(const void *address) const {
  return holding(released, address);
}

} // namespace tilelift::emulator
