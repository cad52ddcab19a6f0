//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "machine/SharedMemory.h"

#include "machine/Team.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace tilelift::emulator {

SharedMemory::SharedMemory() {
  // Swizzles look at the low bits of addresses: the window starts like the
  // hardware's, on a large power of two.
  size_t room = 2 * size_t(windowBytes);
  void *got = mmap(nullptr, room, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) {
    std::perror("tilelift: no memory for a block's shared memory");
    std::exit(125);
  }
  uintptr_t start =
      (reinterpret_cast<uintptr_t>(got) + windowBytes - 1) / windowBytes * windowBytes;
  size_t before = start - reinterpret_cast<uintptr_t>(got);
  if (before)
    munmap(got, before);
  munmap(reinterpret_cast<void *>(start + windowBytes), room - windowBytes - before);
  memory = reinterpret_cast<char *>(start);
}

SharedMemory::~SharedMemory() { munmap(memory, windowBytes); }

void SharedMemory::reset(Block &owner, uint32_t bytes, bool hasNarrow, bool keepsView) {
  block = &owner;
  used = bytes;
  shift = hasNarrow ? 0 : 2;
  keepsAsyncView = keepsView;
  cells.assign((bytes + (1u << shift) - 1) >> shift, Cell{});
  sources.clear();
  // What a block finds in its shared memory is not defined; it is not zero.
  std::memset(memory, 0xa5, bytes);
  if (keepsAsyncView)
    asyncView.assign(bytes + 4, char(0xa5));
}

template <typename Visit>
void SharedMemory::forCells(uint32_t offset, uint32_t bytes, Visit visit) {
  uint32_t last = (offset + bytes - 1) >> shift;
  for (uint32_t i = offset >> shift; i <= last; ++i)
    visit(cells[i], i << shift);
}

bool SharedMemory::isVisibleToAsync(const Cell &cell) const {
  return !(cell.flags & written) || block->order.isFenced(cell.writer, cell.writeClock);
}

void SharedMemory::race(const Thread &thread, const char *what, const char *other,
                        uint16_t otherThread, uint32_t offset, uint32_t site,
                        uint32_t otherSite) const {
  Finding finding;
  finding.id = "race";
  finding.text = std::string(what) + " of " + block->describeShared(offset) + " races with a " +
                 other + " by thread " + block->describeThread(otherThread) +
                 ": no barrier orders the two";
  finding.site = site;
  finding.notes.push_back({std::string("the ") + other + " is here", otherSite});
  block->report(thread, std::move(finding));
}

inline void SharedMemory::noteReader(Cell &cell, const Thread &thread, bool isStrong,
                                     uint32_t site) {
  uint32_t clock = block->order.clock(thread.index);
  bool isFirst =
      !(cell.flags & readOnce) || block->order.knows(thread.index, cell.reader, cell.readClock);
  if (isFirst) {
    cell.reader = uint16_t(thread.index);
    cell.readClock = clock;
    cell.readSite = site;
    cell.flags |= readOnce;
    if (!isStrong)
      cell.flags &= uint16_t(~strongRead);
    else
      cell.flags |= strongRead;
    return;
  }
  // Of several others, one whose read is not strong is kept: it races with more.
  const bool isOtherKept = (cell.flags & readTwice) && isStrong &&
                           !(cell.flags & strongOtherRead) &&
                           !block->order.knows(thread.index, cell.otherReader, cell.otherReadClock);
  if (isOtherKept)
    return;
  cell.otherReader = uint16_t(thread.index);
  cell.otherReadClock = clock;
  cell.otherReadSite = site;
  cell.flags |= readTwice;
  cell.flags &= uint16_t(~strongOtherRead);
  if (isStrong)
    cell.flags |= strongOtherRead;
}

void SharedMemory::read(const Thread &thread, uint32_t offset, uint32_t bytes, bool isStrong,
                        uint32_t site) {
  const Order &order = block->order;
  forCells(offset, bytes, [&](Cell &cell, uint32_t at) {
    if (cell.copyIn && !order.knowsCopy(thread.index, cell.copyIn))
      block->report(thread,
                    {"read-in-flight",
                     "read of " + block->describeShared(at) + " before its copy was waited for",
                     site,
                     {},
                     {{"the copy is issued here", cell.copySite}}});
    else if (!(cell.flags & initialised))
      block->report(thread, {"uninitialised-read",
                             "read of " + block->describeShared(at) + ", which nobody has written",
                             site,
                             {},
                             {}});
    else if ((cell.flags & written) && !order.knows(thread.index, cell.writer, cell.writeClock) &&
             !(isStrong && cell.flags & strongWrite))
      race(thread, "read", "write", cell.writer, at, site, cell.writeSite);
    else if (cell.flags & stale)
      reportStale(cell, thread, site);
    noteUse(cell, thread, at);
    noteReader(cell, thread, isStrong, site);
  });
}

/// What is about to be overwritten must be known to be done with.
void SharedMemory::checkOverwrite(const Cell &cell, const Thread &thread, bool isStrong,
                                  bool isCopy, uint32_t offset, uint32_t site) const {
  const Order &order = block->order;
  const char *what = isCopy ? "overwriting by a copy" : "write";
  if ((cell.flags & written) && !order.knows(thread.index, cell.writer, cell.writeClock) &&
      !(isStrong && cell.flags & strongWrite))
    return race(thread, what, "write", cell.writer, offset, site, cell.writeSite);
  if ((cell.flags & readOnce) && !order.knows(thread.index, cell.reader, cell.readClock) &&
      !(isStrong && cell.flags & strongRead))
    return race(thread, what, "read", cell.reader, offset, site, cell.readSite);
  if ((cell.flags & readTwice) &&
      !order.knows(thread.index, cell.otherReader, cell.otherReadClock) &&
      !(isStrong && cell.flags & strongOtherRead))
    return race(thread, what, "read", cell.otherReader, offset, site, cell.otherReadSite);
  if (cell.copyOut && !order.knowsCopy(thread.index, cell.copyOut))
    block->report(thread, {"source-changed",
                           std::string(what) + " of " + block->describeShared(offset) +
                               " while a store may still read it: its group was not waited for",
                           site,
                           {},
                           {{"the store is issued here", cell.copySite}}});
  else if (cell.copyIn && !order.knowsCopy(thread.index, cell.copyIn))
    block->report(thread, {"write-in-flight",
                           std::string(what) + " of " + block->describeShared(offset) +
                               " while a copy to it is under way",
                           site,
                           {},
                           {{"the copy is issued here", cell.copySite}}});
}

void SharedMemory::keepForAsync(const Cell &cell, uint32_t offset) {
  if (keepsAsyncView && isVisibleToAsync(cell))
    std::memcpy(&asyncView[offset], memory + offset, size_t(1) << shift);
}

void SharedMemory::write(const Thread &thread, uint32_t offset, uint32_t bytes, bool isStrong,
                         uint32_t site) {
  uint32_t clock = block->order.clock(thread.index);
  forCells(offset, bytes, [&](Cell &cell, uint32_t at) {
    checkOverwrite(cell, thread, isStrong, false, at, site);
    keepForAsync(cell, at);
    cell.writer = uint16_t(thread.index);
    cell.writeClock = clock;
    cell.writeSite = site;
    cell.flags = uint16_t(initialised | written | (isStrong ? strongWrite : 0));
    cell.copyIn = 0;
  });
}

void SharedMemory::readFromOutside(const Thread &thread, uint32_t offset, uint32_t bytes) {
  forCells(offset, bytes, [&](Cell &cell, uint32_t at) { noteUse(cell, thread, at); });
}

void SharedMemory::writeFromOutside(uint32_t offset, uint32_t bytes) {
  forCells(offset, bytes, [&](Cell &cell, uint32_t) { cell.flags = initialised; });
}

void SharedMemory::checkCopyTarget(const Cell &cell, const Thread &issuer, uint32_t offset,
                                   uint32_t site) const {
  if (!isVisibleToAsync(cell))
    block->report(issuer, {"missing-proxy-fence",
                           "copy to " + block->describeShared(offset) +
                               " without a proxy fence after the write by thread " +
                               block->describeThread(cell.writer),
                           site,
                           {},
                           {{"the write is here; fence.proxy.async must follow it in that thread",
                             cell.writeSite}}});
}

void SharedMemory::copyIn(const Thread &issuer, uint32_t copy, uint32_t offset, uint32_t bytes,
                          uint32_t site) {
  forCells(offset, bytes, [&](Cell &cell, uint32_t at) {
    if (cell.copyIn == copy)
      return; // its other half, where a box ends in the middle of a word
    checkOverwrite(cell, issuer, false, true, at, site);
    checkCopyTarget(cell, issuer, at, site);
    cell.copyIn = copy;
    cell.copyOut = 0;
    cell.copySite = site;
    cell.flags = initialised;
  });
}

void SharedMemory::markStale(uint32_t offset, uint32_t bytes, uint32_t writeSite) {
  forCells(offset, bytes, [&](Cell &cell, uint32_t) {
    cell.flags |= stale;
    cell.writeSite = writeSite;
  });
}

void SharedMemory::noteSource(uint32_t offset, uint32_t bytes, uint64_t from, uint32_t actor) {
  if (sources.empty())
    sources.resize(cells.size());
  forCells(offset, bytes, [&](Cell &cell, uint32_t at) {
    cell.flags |= fromWatched;
    sources[at >> shift] = {from + (at > offset ? at - offset : 0), actor};
  });
}

/// The first read of what a copy brought; later ones are no news.
void SharedMemory::noteUse(Cell &cell, const Thread &thread, uint32_t offset) const {
  if (!(cell.flags & fromWatched))
    return;
  cell.flags &= uint16_t(~fromWatched);
  const Source &source = sources[offset >> shift];
  tracesOf(&thread).useCopied(thread, source.actor, source.address, 1u << shift);
}

void SharedMemory::reportStale(const Cell &cell, const Thread &thread, uint32_t site) const {
  block->report(
      thread,
      {"missing-proxy-fence",
       "copy of global memory that this kernel has written, without a proxy fence after "
       "the write",
       cell.copySite,
       {},
       {{"the write is here; fence.proxy.async must follow it in that thread", cell.writeSite},
        {"what the copy may have missed is read here", site}}});
}

void SharedMemory::copyInGeneric(const Thread &issuer, uint32_t copy, uint32_t offset,
                                 uint32_t bytes, uint32_t site) {
  forCells(offset, bytes, [&](Cell &cell, uint32_t at) {
    checkOverwrite(cell, issuer, false, true, at, site);
    keepForAsync(cell, at);
    cell.copyIn = copy;
    cell.copySite = site;
    cell.writer = uint16_t(issuer.index);
    cell.writeClock = block->order.clock(issuer.index);
    cell.writeSite = site;
    cell.flags = initialised | written;
  });
}

void SharedMemory::copyOut(const Thread &issuer, uint32_t copy, uint32_t offset, uint32_t bytes,
                           uint32_t site) {
  const Order &order = block->order;
  forCells(offset, bytes, [&](Cell &cell, uint32_t at) {
    if (cell.copyIn && !order.knowsCopy(issuer.index, cell.copyIn))
      block->report(issuer,
                    {"read-in-flight",
                     "store from " + block->describeShared(at) + " before its copy was waited for",
                     site,
                     {},
                     {{"the copy is issued here", cell.copySite}}});
    else if (!(cell.flags & initialised))
      block->report(issuer,
                    {"uninitialised-read",
                     "store from " + block->describeShared(at) + ", which nobody has written",
                     site,
                     {},
                     {}});
    else if ((cell.flags & written) && !order.knows(issuer.index, cell.writer, cell.writeClock))
      race(issuer, "store", "write", cell.writer, at, site, cell.writeSite);
    else if (cell.flags & stale)
      reportStale(cell, issuer, site);
    else if (!isVisibleToAsync(cell))
      block->report(issuer, {"missing-proxy-fence",
                             "store from " + block->describeShared(at) +
                                 " without a proxy fence after the write by thread " +
                                 block->describeThread(cell.writer),
                             site,
                             {},
                             {{"the write is here; fence.proxy.async must follow it in that thread",
                               cell.writeSite}}});
    noteUse(cell, issuer, at);
    cell.copyOut = copy;
    cell.copySite = site;
  });
}

void SharedMemory::readAsync(uint32_t offset, uint32_t bytes, char *into) const {
  for (uint32_t i = 0; i < bytes; ++i) {
    const Cell &cell = cells[(offset + i) >> shift];
    into[i] =
        isVisibleToAsync(cell) || !keepsAsyncView ? memory[offset + i] : asyncView[offset + i];
  }
}

} // namespace tilelift::emulator
