//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "machine/Traces.h"

#include "machine/Access.h"
#include "machine/Team.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace tilelift::emulator {

namespace {

constexpr uint32_t mark = 1u << 31;       ///< in a site, beside its number:
constexpr uint32_t isStrongWrite = mark;  ///< of a strong access
constexpr uint32_t isUsed = mark;         ///< of a copy's read: somebody has used what it brings
constexpr uint32_t mostActors = 1u << 30; ///< of one launch
constexpr uint32_t lastNumber = 3u << 30; ///< from here on numbers start again
constexpr size_t keptActors = size_t(1) << 20;

template <typename Entry> Entry *reserved(size_t count) {
  void *got = mmap(nullptr, count * sizeof(Entry), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) {
    std::perror("tilelift: no room to watch global memory; -Wno-global-race does without");
    std::exit(125);
  }
  return static_cast<Entry *>(got);
}

/// Gives whole pages back; what is read there next is zero.
void drop(void *begin, size_t bytes) {
  constexpr uintptr_t page = 4096;
  uintptr_t first = (reinterpret_cast<uintptr_t>(begin) + page - 1) / page * page;
  uintptr_t end = (reinterpret_cast<uintptr_t>(begin) + bytes) / page * page;
  if (first < end)
    madvise(reinterpret_cast<void *>(first), end - first, MADV_DONTNEED);
}

} // namespace

// Launches.

void Traces::reserve() {
  if (actors)
    return;
  for (Trace **each : {&writes, &reads, &otherReads, &strongs})
    *each = reserved<Trace>(memory.totalBytes());
  actors = reserved<Actor>(mostActors);
}

Traces::~Traces() {
  if (!actors)
    return;
  for (Trace *each : {writes, reads, otherReads, strongs})
    munmap(each, memory.totalBytes() * sizeof(Trace));
  munmap(actors, mostActors * sizeof(Actor));
}

void Traces::forgetAll() {
  for (Trace *each : {writes, reads, otherReads, strongs})
    drop(each, memory.totalBytes() * sizeof(Trace));
  lastActor = 0;
}

/// What the launch may write: where parameters lead that it writes through, of structs and
/// tensor maps any address in them.
std::vector<Traces::Watched> Traces::watchedBy(const LaunchRequest &request) const {
  uint32_t traits = request.kernel->traits;
  unsigned own = traits & hasByteGlobal ? 0 : traits & hasNarrowGlobal ? 1 : 2;
  std::vector<Watched> all;
  auto add = [&](const Allocation &allocation) {
    Watched one = {allocation.base, allocation.bytes, own};
    if (std::find(all.begin(), all.end(), one) == all.end())
      all.push_back(one);
  };
  if (traits & (writesAnywhere | writesVariables))
    for (const auto &[base, allocation] : memory.allocations())
      if (traits & writesAnywhere || allocation.kind == MemoryKind::variable)
        all.push_back({allocation.base, allocation.bytes, own});
  for (uint32_t i = 0; i < request.kernel->parameterCount; ++i) {
    const Parameter &parameter = request.kernel->parameters[i];
    for (uint32_t at = 0; parameter.isWritten && at + 8 <= parameter.bytes; at += 8) {
      char *value = nullptr;
      std::memcpy(&value, request.parameters.data() + parameter.offset + at, sizeof value);
      if (const Allocation *found = memory.find(value))
        add(*found);
    }
  }
  return all;
}

void Traces::dropShadow(const Watched &gone) {
  size_t first = size_t(uint64_t(gone.base) - memory.start()) >> gone.shift;
  for (Trace *each : {writes, reads, otherReads, strongs})
    drop(each + first, (gone.bytes >> gone.shift) * sizeof(Trace));
}

void Traces::startLaunch(const LaunchRequest &request, bool isOnSeveral) {
  reserve();
  isParallel = isOnSeveral;
  uint32_t used = lastActor.load() + 1 - firstActor;
  if (used > keptActors)
    drop(actors, size_t(used) * sizeof(Actor));
  if (lastActor.load() > lastNumber)
    forgetAll();
  firstActor = lastActor.load() + 1;
  doubts.clear();
  hasDoubts = false;
  std::vector<Watched> now = watchedBy(request);
  auto isIn = [](const std::vector<Watched> &all, const Watched &one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  for (const Watched &each : watched)
    if (!isIn(now, each)) {
      memory.watch(each.base, each.bytes, false);
      dropShadow(each);
    }
  for (const Watched &each : now)
    memory.watch(each.base, each.bytes, true);
  watched = std::move(now);
  uint32_t traits = request.kernel->traits;
  shift = traits & hasByteGlobal ? 0 : traits & hasNarrowGlobal ? 1 : 2;
}

// Who.

uint32_t Traces::newActor(const Actor &actor) {
  uint32_t number = ++lastActor;
  if (number - firstActor >= mostActors)
    return 0;
  actors[number - firstActor] = actor;
  return number;
}

uint32_t Traces::actorOf(Thread &thread) {
  uint32_t clock = thread.block->order.clock(thread.index);
  if (thread.actor == 0 || thread.actorClock != clock) {
    thread.actor = newActor({thread.block->number, clock, 0, uint16_t(thread.index), false});
    thread.actorClock = clock;
  }
  return thread.actor;
}

uint32_t Traces::actorOf(Thread &issuer, Block &target, uint32_t copy, uint32_t actor) {
  if (actor)
    return actor;
  uint32_t made = newActor({target.number, copy, 0, uint16_t(issuer.index), true});
  if (made)
    target.order.noteEnd(copy, &actors[made - firstActor].ended);
  return made;
}

bool Traces::knows(const Thread &thread, const Actor &actor) const {
  const Order &order = thread.block->order;
  bool isHere = actor.block == thread.block->number;
  if (actor.isCopy)
    return isHere ? order.knowsCopy(thread.index, actor.clock)
                  : order.knowsCopyAbroad(thread.index, actor.block, actor.ended);
  return isHere ? order.knows(thread.index, actor.thread, actor.clock)
                : order.knowsAbroad(thread.index, actor.block, actor.thread, actor.clock);
}

bool Traces::isFencedAbroad(const Thread &thread, uint64_t address) const {
  const size_t at = cell(address);
  const bool isStrong = strongs[at].actor >= firstActor && (strongs[at].site & isStrongWrite);
  const Trace &last =
      isStrong ? strongs[at] : writes[at]; // noteWrite: a weak write clears `strongs`
  if (last.actor < firstActor)
    return false;
  const Actor &writer = actors[last.actor - firstActor];
  return !writer.isCopy && writer.block != thread.block->number &&
         thread.block->order.isFencedAbroad(writer.block, writer.thread, writer.clock);
}

/// Whether it is of this launch, of somebody else, and not known to the thread.
inline bool Traces::isOpen(const Thread &thread, uint32_t self, const Trace &trace) const {
  return trace.actor >= firstActor && trace.actor != self &&
         !knows(thread, actors[trace.actor - firstActor]);
}

// Cells.

/// Those of one granule are used by one thread of the host at a time.
class Traces::Guard {
public:
  Guard(Traces &traces, uint64_t address)
      : lock(traces.isParallel ? &traces.locks[address / 256 % traces.locks.size()] : nullptr) {
    while (lock && lock->exchange(true, std::memory_order_acquire))
      ;
  }
  ~Guard() {
    if (lock)
      lock->store(false, std::memory_order_release);
  }

private:
  std::atomic<bool> *lock;
};

inline std::optional<Traces::Conflict> Traces::beforeRead(const Thread &thread, uint32_t self,
                                                          size_t i, bool isStrong) const {
  if (isOpen(thread, self, writes[i]))
    return Conflict{writes[i], "write", addressOf(i)};
  if (!isStrong && strongs[i].site & isStrongWrite && isOpen(thread, self, strongs[i]))
    return Conflict{strongs[i], "atomic or volatile write", addressOf(i)};
  return std::nullopt;
}

inline std::optional<Traces::Conflict> Traces::beforeWrite(const Thread &thread, uint32_t self,
                                                           size_t i, bool isStrong) const {
  if (isOpen(thread, self, writes[i]))
    return Conflict{writes[i], "write", addressOf(i)};
  if (isOpen(thread, self, reads[i]))
    return Conflict{reads[i], "read", addressOf(i)};
  if (isOpen(thread, self, otherReads[i]))
    return Conflict{otherReads[i], "read", addressOf(i)};
  if (!isStrong && isOpen(thread, self, strongs[i]))
    return Conflict{strongs[i],
                    strongs[i].site & isStrongWrite ? "atomic or volatile write" : "volatile read",
                    addressOf(i)};
  return std::nullopt;
}

/// Whether it is with a copy that reads, and nobody has used so far what that brings.
bool Traces::isDoubt(const Conflict &conflict) const {
  return actors[conflict.with.actor - firstActor].isCopy &&
         std::strcmp(conflict.what, "read") == 0 && !(conflict.with.site & isUsed);
}

/// What is wrong with a write by `self`; `copy` is the actor that writes, if it is no thread.
inline void Traces::suspect(Thread &thread, const char *what, uint32_t self, uint32_t copy,
                            const Use &use, Suspicion &suspicion) const {
  for (size_t i = cell(use.address), last = cell(use.address + use.bytes - 1); i <= last; ++i) {
    std::optional<Conflict> conflict = beforeWrite(thread, self, i, use.isStrong);
    if (!conflict || conflict->with.actor == copy) // rows of a scatter may be the same
      continue;
    if (isDoubt(*conflict))
      suspicion.doubts.push_back(
          {conflict->address, conflict->with.actor, describe(thread, what, use, *conflict)});
    else if (!suspicion.finding)
      suspicion.finding = describe(thread, what, use, *conflict);
  }
}

inline void Traces::noteRead(const Thread &thread, uint32_t self, const Use &use) {
  for (size_t i = cell(use.address), last = cell(use.address + use.bytes - 1); i <= last; ++i) {
    if (use.isStrong) {
      if (!(strongs[i].site & isStrongWrite) || strongs[i].actor < firstActor)
        strongs[i] = {self, use.site};
    } else if (reads[i].actor != self) {
      Trace &place = isOpen(thread, self, reads[i]) ? otherReads[i] : reads[i];
      place = {self, use.site};
    }
  }
}

/// Whoever knows of a write knows of all that the writer knew.
inline void Traces::noteWrite(uint32_t self, const Use &use) {
  for (size_t i = cell(use.address), last = cell(use.address + use.bytes - 1); i <= last; ++i) {
    if (use.isStrong) {
      strongs[i] = {self, use.site | isStrongWrite};
      continue;
    }
    writes[i] = {self, use.site};
    for (Trace *each : {&reads[i], &otherReads[i], &strongs[i]})
      if (each->actor)
        *each = {};
  }
}

void Traces::read(Thread &thread, const Use &use) {
  uint32_t self = actorOf(thread);
  std::optional<Conflict> conflict;
  {
    Guard guard(*this, use.address);
    size_t last = cell(use.address + use.bytes - 1);
    for (size_t i = cell(use.address); i <= last && !conflict; ++i)
      conflict = beforeRead(thread, self, i, use.isStrong);
    noteRead(thread, self, use);
  }
  if (conflict)
    thread.block->report(thread, describe(thread, "read", use, *conflict));
}

void Traces::write(Thread &thread, const Use &use) {
  uint32_t self = actorOf(thread);
  Suspicion suspicion;
  {
    Guard guard(*this, use.address);
    suspect(thread, "write", self, 0, use, suspicion);
    noteWrite(self, use);
  }
  if (!suspicion)
    return;
  const char *place = reinterpret_cast<const char *>(use.address);
  thread.suspected = std::make_unique<SuspectedWrite>(
      SuspectedWrite{std::move(suspicion), use.address, {place, place + use.bytes}});
  thread.suspects = 1;
}

void Traces::confirm(const Thread &thread, Suspicion suspicion) {
  if (suspicion.finding)
    thread.block->report(thread, std::move(*suspicion.finding));
  if (suspicion.doubts.empty())
    return;
  std::lock_guard<std::mutex> lock(doubtsMutex);
  for (Doubt &doubt : suspicion.doubts)
    doubts.emplace(std::pair(doubt.copy, cell(doubt.address)), std::move(doubt.finding));
  hasDoubts = true;
}

// Copies.

namespace {

/// Calls with each part of the use that one guard covers.
template <typename Visit> void forGranules(const Use &use, Visit visit) {
  for (uint64_t at = use.address, end = use.address + use.bytes; at < end;) {
    uint64_t next = std::min(end, at / 256 * 256 + 256);
    visit(Use{at, uint32_t(next - at), use.isStrong, use.site});
    at = next;
  }
}

} // namespace

void Traces::readByCopy(Thread &issuer, Block &target, uint32_t copy, const Use &use,
                        uint32_t &actor) {
  actor = actorOf(issuer, target, copy, actor);
  uint32_t self = actorOf(issuer);
  Suspicion suspicion;
  forGranules(use, [&](const Use &part) {
    Guard guard(*this, part.address);
    for (size_t i = cell(part.address), last = cell(part.address + part.bytes - 1); i <= last; ++i)
      if (std::optional<Conflict> conflict = beforeRead(issuer, self, i, part.isStrong))
        suspicion.doubts.push_back(
            {conflict->address, actor, describe(issuer, "copy", use, *conflict)});
    noteRead(issuer, actor, part);
  });
  confirm(issuer, std::move(suspicion));
}

Suspicion Traces::writeByCopy(Thread &issuer, uint32_t copy, const Use &use, uint32_t &actor) {
  actor = actorOf(issuer, *issuer.block, copy, actor);
  uint32_t self = actorOf(issuer);
  Suspicion suspicion;
  forGranules(use, [&](const Use &part) {
    Guard guard(*this, part.address);
    suspect(issuer, "store", self, actor, part, suspicion);
    noteWrite(actor, part);
  });
  return suspicion;
}

void Traces::useCopied(const Thread &thread, uint32_t actor, uint64_t address, uint32_t bytes) {
  for (size_t i = cell(address), last = cell(address + bytes - 1); i <= last; ++i) {
    Guard guard(*this, addressOf(i));
    for (Trace *each : {&reads[i], &otherReads[i]})
      if (each->actor == actor)
        each->site |= isUsed;
    if (!hasDoubts)
      continue;
    std::lock_guard<std::mutex> lock(doubtsMutex);
    if (auto found = doubts.extract({actor, i}))
      thread.block->report(thread, std::move(found.mapped()));
  }
}

// Messages.

namespace {

std::string triple(const uint32_t (&index)[3]) {
  return "(" + std::to_string(index[0]) + ", " + std::to_string(index[1]) + ", " +
         std::to_string(index[2]) + ")";
}

std::string usedText(const std::string &what) { return what + (what == "store" ? " to " : " of "); }

std::string describeBlock(const LaunchRequest &request, uint32_t number) {
  const Dim &grid = request.grid;
  return "block " + triple({number % grid.x, number / grid.x % grid.y, number / grid.x / grid.y});
}

std::string describeThread(const LaunchRequest &request, uint32_t number) {
  const Dim &block = request.block;
  return "thread " +
         triple({number % block.x, number / block.x % block.y, number / block.x / block.y});
}

} // namespace

Finding Traces::describe(Thread &thread, const char *what, const Use &use,
                         const Conflict &conflict) const {
  const Actor &actor = actors[conflict.with.actor - firstActor];
  if (actor.isCopy)
    return describeCopy(thread, what, use, conflict);
  const LaunchRequest &request = teamOf(&thread).grid.request;
  bool isHere = actor.block == thread.block->number;
  std::string who = describeThread(request, actor.thread);
  Finding finding;
  finding.id = "global-race";
  finding.text = usedText(what) + describeGlobal(&thread, conflict.address) + " races with " +
                 (*conflict.what == 'a' ? "an " : "a ") + conflict.what + " by " + who +
                 (isHere ? "" : " of " + describeBlock(request, actor.block)) +
                 (isHere ? ": no barrier orders the two" : ": nothing orders the two blocks");
  finding.site = use.site;
  finding.where = whereaboutsOf(thread);
  finding.notes.push_back(
      {std::string("the ") + conflict.what + " is here", conflict.with.site & ~mark});
  return finding;
}

/// A copy of the same block is under way, one of another block is in a race.
Finding Traces::describeCopy(Thread &thread, const char *what, const Use &use,
                             const Conflict &conflict) const {
  const Actor &actor = actors[conflict.with.actor - firstActor];
  bool isStore = std::strcmp(conflict.what, "read") != 0;
  bool isRead = std::strcmp(what, "read") == 0 || std::strcmp(what, "copy") == 0;
  std::string other = isStore ? "store" : "copy";
  Finding finding;
  finding.text = usedText(what) + describeGlobal(&thread, conflict.address);
  if (actor.block != thread.block->number) {
    finding.id = "global-race";
    finding.text += " races with a " + other + " by " +
                    describeBlock(teamOf(&thread).grid.request, actor.block) +
                    ": nothing orders the two blocks";
  } else if (!isStore) {
    finding.id = "source-changed";
    finding.text += " while a copy may still read it: the copy was not waited for";
  } else {
    finding.id = isRead ? "read-in-flight" : "write-in-flight";
    finding.text +=
        isRead ? " before the store to it was waited for" : " while a store to it is under way";
  }
  finding.site = use.site;
  finding.where = whereaboutsOf(thread);
  finding.notes.push_back({"the " + other + " is issued here", conflict.with.site & ~mark});
  return finding;
}

} // namespace tilelift::emulator
