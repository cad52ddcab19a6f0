//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomic operations of translated code.
//===----------------------------------------------------------------------===//

#include "machine/Access.h"

#include "machine/Atomics.h"
#include "machine/Team.h"

#include <cstring>

namespace tilelift::emulator {

namespace {

uint32_t bytesOf(uint32_t access) { return access & (strongAccess - 1); }
bool isStrong(uint32_t access) { return access & strongAccess; }

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

char *global(Thread *thread, uint64_t address, uint32_t access, const char *what, uint32_t site) {
  uint32_t bytes = bytesOf(access);
  if (!memoryOf(thread).isAllocated(address, bytes))
    outOfRange(thread,
               std::string(what) + " of " + std::to_string(bytes) + " bytes at " +
                   describeGlobal(thread, address),
               site);
  if (address % bytes != 0) // an access is aligned to its size
    misaligned(thread,
               std::string(what) + " of " + std::to_string(bytes) + " bytes at " +
                   describeGlobal(thread, address),
               bytes, site);
  return reinterpret_cast<char *>(address);
}

void noteGlobalRead(Thread *thread, uint64_t address, uint32_t access, uint32_t site) {
  if (memoryOf(thread).isWatched(address))
    tracesOf(thread).read(*thread, {address, bytesOf(access), isStrong(access), site});
}

void noteGlobalWrite(Thread *thread, uint64_t address, uint32_t access, uint32_t site) {
  uint32_t bytes = bytesOf(access);
  if (memoryOf(thread).isWatched(address))
    tracesOf(thread).write(*thread, {address, bytes, isStrong(access), site});
  const Grid &grid = teamOf(thread).grid;
  bool hasSpans = thread->block->kernel->traits & usesAsyncProxy;
  if (hasSpans && !thread->span)
    thread->span = memoryOf(thread).startSpan();
  memoryOf(thread).noteWrite(address, bytes, grid.module->firstSite + site, hasSpans, thread->span);
}

/// Whoever reads the word will know what the thread may tell.
void tell(Thread *thread, Flags &flags, uint64_t address, uint32_t access) {
  Order &order = thread->block->order;
  if (access & releaseAccess)
    order.publish(thread->index, access & blockAccess);
  flags.write(order, thread->index, address, access & updateAccess, access & blockAccess);
}

void hear(Thread *thread, Flags &flags, uint64_t address, uint32_t access) {
  Order &order = thread->block->order;
  flags.read(order, thread->index, address, access & blockAccess);
  if (access & acquireAccess)
    order.relyOnHeard(thread->index);
}

/// A strong read may be one of many that wait for somebody else's write.
void observe(Thread *thread, uint32_t access) {
  if (isStrong(access))
    teamOf(thread).yield(*thread, true);
  else
    teamOf(thread).maybePreempt(*thread);
}

void writeGlobal(Thread *thread, uint64_t address, uint32_t access, uint32_t site) {
  noteGlobalWrite(thread, address, access, site);
  if (isStrong(access))
    tell(thread, teamOf(thread).grid.flags, address, access);
}

char *shared(Thread *thread, uint64_t address, uint32_t access, bool isWrite, uint32_t site) {
  uint32_t offset = offsetOf(address), bytes = bytesOf(access);
  bool isOwnBlock = address < SharedMemory::windowBytes;
  Block *block = isOwnBlock ? thread->block : blockOf(thread, address, site);
  const char *what = isWrite ? "write" : "read";
  if (uint64_t(offset) + bytes > block->shared.bytes())
    outOfRange(thread,
               std::string(what) + " of " + std::to_string(bytes) + " bytes at byte " +
                   std::to_string(offset) + " of shared memory, which has " +
                   std::to_string(block->shared.bytes()),
               site);
  if (offset % bytes != 0)
    misaligned(thread,
               std::string(what) + " of " + std::to_string(bytes) + " bytes at " +
                   block->describeShared(offset),
               bytes, site);
  if (block != thread->block) {
    if (isWrite)
      block->shared.writeFromOutside(offset, bytes);
    else
      block->shared.readFromOutside(*thread, offset, bytes);
  } else if (isWrite) {
    block->shared.write(*thread, offset, bytes, isStrong(access), site);
    if (isStrong(access))
      tell(thread, block->flags, offset, access);
  } else {
    block->shared.read(*thread, offset, bytes, isStrong(access), site);
  }
  return block->shared.base() + offset;
}

/// The shared address of a generic one, in this block or a peer; false where it
/// is in no shared memory.
bool toShared(Thread *thread, uint64_t address, uint64_t &sharedAddress) {
  Block *own = thread->block;
  if (own->shared.contains(address)) {
    sharedAddress = address - uint64_t(own->shared.base());
    return true;
  }
  for (uint32_t rank = 0; rank < thread->clusterNctarank; ++rank)
    if (Block *peer = teamOf(thread).peer(*own, rank); peer && peer->shared.contains(address)) {
      sharedAddress = (address - uint64_t(peer->shared.base())) | uint64_t(rank + 1) << rankShift;
      return true;
    }
  return false;
}

bool isOwn(Thread *thread, uint64_t address) {
  const void *place = reinterpret_cast<const void *>(address);
  const Grid &grid = teamOf(thread).grid;
  return thread->stack->contains(place) ||
         address - uint64_t(grid.parameters) < grid.request.parameters.size();
}

char *generic(Thread *thread, uint64_t address, uint32_t access, bool isWrite, uint32_t site) {
  uint64_t sharedAddress;
  if (memoryOf(thread).contains(address)) {
    char *place = global(thread, address, access, isWrite ? "write" : "read", site);
    if (isWrite)
      writeGlobal(thread, address, access, site);
    else
      noteGlobalRead(thread, address, access, site);
    return place;
  }
  if (toShared(thread, address, sharedAddress))
    return shared(thread, sharedAddress, access, isWrite, site);
  if (!isOwn(thread, address))
    outOfRange(thread,
               std::string(isWrite ? "write" : "read") + " of " + std::to_string(bytesOf(access)) +
                   " bytes at " + describeGlobal(thread, address),
               site);
  return reinterpret_cast<char *>(address);
}

} // namespace

std::string describeGlobal(Thread *thread, uint64_t address) {
  const Memory &memory = memoryOf(thread);
  const void *place = reinterpret_cast<const void *>(address);
  if (const Allocation *released = memory.findReleased(place))
    return hex(address) + ", in memory of " + std::to_string(released->bytes) +
           " bytes that was released";
  if (const Allocation *holder = memory.find(place))
    return nameOf(teamOf(thread).grid.request, *holder) +
           (place == holder->base
                ? ""
                : " + " + std::to_string(address - uint64_t(holder->base)) + " bytes");
  const Allocation *closest = nullptr;
  auto after = memory.allocations().upper_bound(reinterpret_cast<char *>(address));
  if (after != memory.allocations().begin() && memory.contains(address))
    closest = &std::prev(after)->second;
  if (closest && address - uint64_t(closest->base) < closest->bytes + 65536)
    return nameOf(teamOf(thread).grid.request, *closest) + " + " +
           std::to_string(address - uint64_t(closest->base)) + " bytes, which has " +
           std::to_string(closest->bytes);
  if (after != memory.allocations().end() && memory.contains(address) &&
      uint64_t(after->first) - address < 65536)
    return nameOf(teamOf(thread).grid.request, after->second) + " - " +
           std::to_string(uint64_t(after->first) - address) + " bytes";
  if (address < 4096)
    return "the null pointer" +
           (address ? " + " + std::to_string(address) + " bytes" : std::string());
  return hex(address) + ", which is no memory of the device";
}

void settleWrite(Thread *thread) {
  thread->suspects = 0;
  std::unique_ptr<SuspectedWrite> write = std::move(thread->suspected);
  const void *place = reinterpret_cast<const void *>(write->address);
  if (std::memcmp(place, write->before.data(), write->before.size()) != 0)
    tracesOf(thread).confirm(*thread, std::move(write->suspicion));
}

void misaligned(Thread *thread, const std::string &what, uint32_t needed, uint32_t site) {
  thread->block->report(*thread, {"misaligned",
                                  what + " is not aligned to " + std::to_string(needed) + " bytes",
                                  site,
                                  {},
                                  {}});
  teamOf(thread).fault(*thread, Outcome::misalignedAddress);
}

void outOfRange(Thread *thread, const std::string &what, uint32_t site) {
  thread->block->report(*thread, {"out-of-range", what, site, {}, {}});
  teamOf(thread).fault(*thread, Outcome::illegalAddress);
}

void notEmulated(Thread *thread, const std::string &what, uint32_t site) {
  thread->block->report(*thread,
                        {"not-emulated", "the emulator cannot run '" + what + "'", site, {}, {}});
  teamOf(thread).fault(*thread, Outcome::unsupported);
}

void requireGlobal(Thread *thread, uint64_t address, uint64_t bytes, const char *what,
                   uint32_t site) {
  if (!memoryOf(thread).isAllocated(address, bytes))
    outOfRange(thread,
               std::string(what) + " of " + std::to_string(bytes) + " bytes at " +
                   describeGlobal(thread, address),
               site);
}

Block *blockOf(Thread *thread, uint64_t sharedAddress, uint32_t site) {
  uint32_t rank = uint32_t(sharedAddress) >> rankShift;
  if (sharedAddress >> 32 != 0)
    outOfRange(thread, "shared address " + hex(sharedAddress) + " is outside of shared memory",
               site);
  if (rank == 0)
    return thread->block;
  Block *peer = teamOf(thread).peer(*thread->block, rank - 1);
  if (!peer)
    outOfRange(thread,
               "shared memory of block " + std::to_string(rank - 1) + " of a cluster of " +
                   std::to_string(thread->clusterNctarank),
               site);
  return peer;
}

char *readShared(Thread *thread, uint64_t address, uint32_t access, uint32_t site) {
  return shared(thread, address, access, false, site);
}
char *writeShared(Thread *thread, uint64_t address, uint32_t access, uint32_t site) {
  return shared(thread, address, access, true, site);
}
char *readGeneric(Thread *thread, uint64_t address, uint32_t access, uint32_t site) {
  return generic(thread, address, access, false, site);
}
char *writeGeneric(Thread *thread, uint64_t address, uint32_t access, uint32_t site) {
  return generic(thread, address, access, true, site);
}

extern "C" {

char *tilelift_read_global(Thread *thread, uint64_t address, uint32_t access, uint32_t site) {
  if (isStrong(access))
    observe(thread, access);
  char *place = global(thread, address, access, "read", site);
  noteGlobalRead(thread, address, access, site);
  return place;
}

char *tilelift_write_global(Thread *thread, uint64_t address, uint32_t access, uint32_t site) {
  char *place = global(thread, address, access, "write", site);
  writeGlobal(thread, address, access, site);
  return place;
}

/// Instead of an access that leaves a local variable.
void tilelift_local_access(Thread *thread, const char *variable, uint64_t bytes,
                           uint32_t accessBytes, uint32_t isWrite, int64_t offset, uint32_t site) {
  std::string name = *variable ? "'" + std::string(variable) + "'" : "a local variable";
  std::string place = name + (offset < 0 ? " - " : " + ") +
                      std::to_string(offset < 0 ? -offset : offset) + " bytes";
  outOfRange(thread,
             std::string(isWrite ? "write" : "read") + " of " + std::to_string(accessBytes) +
                 " bytes at " + place + ", which has " + std::to_string(bytes),
             site);
}

void tilelift_written(Thread *thread, uint32_t) { settleWrite(thread); }

/// Behind a strong read: what was told with the value may be relied on later.
void tilelift_heard(Thread *thread, uint32_t space, uint64_t address, uint32_t access, uint32_t) {
  bool isShared = AddressSpace(space) == AddressSpace::shared;
  if (AddressSpace(space) == AddressSpace::generic && !memoryOf(thread).contains(address)) {
    isShared = thread->block->shared.contains(address);
    address -= isShared ? uint64_t(thread->block->shared.base()) : 0;
  } else if (!isShared) {
    return hear(thread, teamOf(thread).grid.flags, address, access);
  }
  if (isShared)
    hear(thread, thread->block->flags, address, access);
}

char *tilelift_read_shared(Thread *thread, uint64_t address, uint32_t access, uint32_t site) {
  observe(thread, access);
  return shared(thread, address, access, false, site);
}

char *tilelift_write_shared(Thread *thread, uint64_t address, uint32_t access, uint32_t site) {
  teamOf(thread).maybePreempt(*thread);
  return shared(thread, address, access, true, site);
}

char *tilelift_read_cluster(Thread *thread, uint64_t address, uint32_t access, uint32_t site) {
  return tilelift_read_shared(thread, address, access, site);
}
char *tilelift_write_cluster(Thread *thread, uint64_t address, uint32_t access, uint32_t site) {
  return tilelift_write_shared(thread, address, access, site);
}

char *tilelift_read_generic(Thread *thread, uint64_t address, uint32_t access, uint32_t site) {
  observe(thread, access);
  return generic(thread, address, access, false, site);
}

char *tilelift_write_generic(Thread *thread, uint64_t address, uint32_t access, uint32_t site) {
  teamOf(thread).maybePreempt(*thread);
  return generic(thread, address, access, true, site);
}

/// `space` has the order that the operation asks for besides, as accesses have it.
uint64_t tilelift_atomic(Thread *thread, uint32_t spaceAndOrder, uint32_t op, uint32_t type,
                         uint64_t address, uint64_t a, uint64_t b, uint32_t site) {
  uint32_t space = bytesOf(spaceAndOrder), order = spaceAndOrder - space;
  // Whoever loops around a compare-and-swap lets others have a turn.
  const bool mayBeRead =
      a == 0 && (AtomicOp(op) == AtomicOp::add || AtomicOp(op) == AtomicOp::bitOr);
  const bool mayWait =
      mayBeRead || AtomicOp(op) == AtomicOp::cas || AtomicOp(op) == AtomicOp::exchange;
  if (mayWait)
    teamOf(thread).yield(*thread, true);
  else
    teamOf(thread).maybePreempt(*thread);
  uint32_t access = bytesOf(AtomicType(type)) | strongAccess | updateAccess | order;
  char *place = nullptr;
  switch (AddressSpace(space)) {
  case AddressSpace::global: place = tilelift_write_global(thread, address, access, site); break;
  case AddressSpace::generic: place = generic(thread, address, access, true, site); break;
  default: place = shared(thread, address, access, true, site); break;
  }
  // Sums in global memory flush subnormal numbers, those in shared memory do not.
  bool isGlobal = AddressSpace(space) == AddressSpace::global || memoryOf(thread).contains(address);
  if (AtomicType(type) == AtomicType::f32 && isGlobal)
    type = uint32_t(AtomicType::f32_ftz);
  uint64_t old = atomically(AtomicOp(op), AtomicType(type), place, a, b);
  if (thread->suspects)
    settleWrite(thread);
  tilelift_heard(thread, space, address, access, site);
  // Who only looks, whichever operation that is, waits for somebody else.
  if (std::memcmp(place, &old, bytesOf(AtomicType(type))) != 0)
    teamOf(thread).noteProgress();
  else if (!mayWait)
    teamOf(thread).yield(*thread, true);
  return old;
}

uint32_t tilelift_is_space(Thread *thread, uint32_t which, uint64_t address, uint32_t) {
  uint64_t sharedAddress;
  switch (which) {
  case 0: return memoryOf(thread).contains(address);
  case 1: return thread->block->shared.contains(address);
  case 2: return toShared(thread, address, sharedAddress);
  case 3: return thread->stack->contains(reinterpret_cast<const void *>(address));
  default: return 0;
  }
}

uint64_t tilelift_to_cluster(Thread *thread, uint64_t address, uint32_t site) {
  uint64_t sharedAddress;
  if (!toShared(thread, address, sharedAddress))
    outOfRange(thread, hex(address) + " is no address of shared memory", site);
  return sharedAddress;
}

uint64_t tilelift_from_cluster(Thread *thread, uint64_t address, uint32_t site) {
  return uint64_t(blockOf(thread, address, site)->shared.base()) + offsetOf(address);
}

uint64_t tilelift_mapa_shared(Thread *, uint64_t address, uint32_t rank, uint32_t) {
  return offsetOf(address) | uint64_t(rank + 1) << rankShift;
}

uint64_t tilelift_mapa_generic(Thread *thread, uint64_t address, uint32_t rank, uint32_t site) {
  uint64_t here = tilelift_to_cluster(thread, address, site);
  return tilelift_from_cluster(thread, tilelift_mapa_shared(thread, here, rank, site), site);
}

uint64_t tilelift_getctarank_shared(Thread *thread, uint64_t address, uint32_t, uint32_t) {
  uint32_t rank = uint32_t(address) >> rankShift;
  return rank ? rank - 1 : thread->clusterCtarank;
}

uint64_t tilelift_getctarank_generic(Thread *thread, uint64_t address, uint32_t, uint32_t site) {
  return tilelift_getctarank_shared(thread, tilelift_to_cluster(thread, address, site), 0, site);
}

} // extern "C"

} // namespace tilelift::emulator
