//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies of translated code. What an instruction moves and when it
// is faulty is the model's knowledge (model/Copy.h); here a copy is announced
// to the memories when it is issued, done later, and then counted by a barrier
// object or a group.
//===----------------------------------------------------------------------===//

#include "machine/Access.h"
#include "machine/Atomics.h"
#include "machine/Team.h"
#include "model/Copy.h"

#include <cstring>

namespace tilelift::emulator {

namespace {

// Operands.

Form formOf(TensorMode mode) {
  switch (mode) {
  case TensorMode::tile: return Form::Tile;
  case TensorMode::im2col: return Form::Im2col;
  case TensorMode::im2colW: return Form::Im2colW;
  case TensorMode::im2colW128: return Form::Im2colW128;
  case TensorMode::gather4: return Form::Gather4;
  case TensorMode::scatter4: return Form::Scatter4;
  case TensorMode::im2colNoOffsets: return Form::Im2colNoOffsets;
  }
  return Form::Tile;
}

TensorCopy copyOf(const TensorOperands &operands, int reduction, bool isStore) {
  TensorCopy copy;
  copy.transfer = !isStore ? Transfer::Load : reduction >= 0 ? Transfer::Reduce : Transfer::Store;
  copy.form = formOf(TensorMode(operands.mode));
  copy.rank = int(operands.rank);
  std::copy(std::begin(operands.coordinates), std::end(operands.coordinates), copy.coordinates);
  std::copy(std::begin(operands.offsets), std::end(operands.offsets), copy.offsets);
  copy.shared = offsetOf(operands.shared);
  if (reduction >= 0)
    copy.reduction = operationOf(AtomicOp(reduction));
  return copy;
}

// Faults.

Outcome outcomeOf(Fault::Kind kind) {
  switch (kind) {
  case Fault::Kind::MisalignedAddress: return Outcome::misalignedAddress;
  case Fault::Kind::NotModelled: return Outcome::unsupported;
  default: return Outcome::illegalInstruction;
  }
}

void stopAtFaults(Thread *thread, const std::vector<Fault> &faults, const std::string &what,
                  uint32_t site) {
  if (faults.empty())
    return;
  for (const Fault &fault : faults)
    thread->block->report(*thread, {fault.id, what + ": " + fault.text, site, {}, {}});
  teamOf(thread).fault(*thread, outcomeOf(faults.front().kind));
}

void stopAtFaults(Thread *thread, const std::vector<Fault> &faults, uint32_t sharedOffset,
                  bool isStore, uint32_t site) {
  stopAtFaults(thread, faults,
               (isStore ? "store from " : "copy to ") + thread->block->describeShared(sharedOffset),
               site);
}

/// The map at a generic address, which hardware reads behind the thread's back.
TensorMap mapAt(Thread *thread, uint64_t address, uint32_t site) {
  if (thread->stack->contains(reinterpret_cast<const void *>(address))) {
    thread->block->report(
        *thread,
        {"tensor-map",
         "the tensor map is in local memory: its parameter must be const __grid_constant__",
         site,
         {},
         {}});
    teamOf(thread).fault(*thread, Outcome::illegalInstruction);
  }
  if (address % 64 != 0)
    misaligned(thread, "the tensor map", 64, site);
  const char *bytes = readGeneric(thread, address, 64, site);
  readGeneric(thread, address + 64, 64, site);
  if (!isTensorMap(bytes)) {
    thread->block->report(
        *thread, {"tensor-map",
                  "what is passed as tensor map was not made by a cuTensorMapEncode function",
                  site,
                  {},
                  {}});
    teamOf(thread).fault(*thread, Outcome::illegalInstruction);
  }
  TensorMap map;
  std::memcpy(&map, bytes, sizeof map);
  return map;
}

void requireShared(Thread *thread, const Block &block, uint64_t begin, uint64_t bytes,
                   const char *what, uint32_t site) {
  if (begin + bytes > block.shared.bytes())
    outOfRange(thread,
               std::string(what) + " reaches byte " + std::to_string(begin + bytes) +
                   " of shared memory, which has " + std::to_string(block.shared.bytes()),
               site);
}

// Loads.

/// The blocks that a load delivers to.
std::vector<Block *> targetsOf(Thread *thread, uint64_t sharedAddress, uint16_t mask,
                               uint32_t site) {
  if (mask == 0)
    return {blockOf(thread, sharedAddress, site)};
  std::vector<Block *> all;
  for (uint32_t rank = 0; rank < 16; ++rank)
    if (mask >> rank & 1)
      all.push_back(blockOf(thread, uint64_t(rank + 1) << rankShift, site));
  return all;
}

/// The barrier object that counts the bytes of a load in one of its targets.
BarrierObject &announce(Thread *thread, Block &target, uint64_t barrierAddress, uint32_t bytes,
                        uint32_t site) {
  uint64_t address = offsetOf(barrierAddress);
  if (&target != thread->block)
    address |= uint64_t(target.rank + 1) << rankShift;
  BarrierObject &object = barrierAt(thread, address, site, nullptr);
  object.issuedBytes += bytes;
  object.issueSite = site;
  return object;
}

void deliver(Thread *thread, Block &target, uint32_t barrierOffset, uint32_t copy, uint32_t bytes) {
  auto found = target.objects.find(barrierOffset);
  if (found == target.objects.end())
    return;
  BarrierObject &object = found->second;
  object.arrivedBytes += bytes;
  object.pendingBytes -= bytes;
  gatheredBy(target, object).copies.push_back(copy);
  completeIfDue(thread, target, barrierOffset, object);
}

/// The asynchronous proxy may not see what threads of this launch have written. That
/// matters where it is used: rows of a box may reach into somebody else's.
void noteUnfenced(Thread *thread, Block &target, uint64_t from, uint32_t offset, uint32_t bytes) {
  Memory &memory = memoryOf(thread);
  uint32_t first = teamOf(thread).grid.module->firstSite;
  for (uint64_t word = from & ~uint64_t(3); word < from + bytes; word += 4) {
    bool isSeen = !memory.isUnfenced(word) ||
                  (memory.isWatched(word) && tracesOf(thread).isFencedAbroad(*thread, word));
    if (isSeen)
      continue;
    uint64_t begin = std::max(word, from), end = std::min(word + 4, from + bytes);
    uint32_t writer = memory.lastWriter(word);
    target.shared.markStale(offset + uint32_t(begin - from), uint32_t(end - begin),
                            writer > first ? writer - first : 0);
  }
}

/// Notes that a load reads global memory, until somebody knows that it has, and what it
/// brings to where.
void announceRead(Thread *thread, Block &target, uint32_t number, uint64_t from, uint32_t offset,
                  uint32_t bytes, uint32_t site, uint32_t &actor) {
  if (!memoryOf(thread).isWatched(from))
    return;
  tracesOf(thread).readByCopy(*thread, target, number, {from, bytes, false, site}, actor);
  target.shared.noteSource(offset, bytes, from, actor);
}

/// Announces what a load writes in a block: cells of a peer have no order that
/// this thread would know.
void announceWrite(Thread *thread, Block &target, uint32_t number, uint32_t offset, uint32_t bytes,
                   uint32_t site) {
  requireShared(thread, target, offset, bytes, "a copy", site);
  if (&target == thread->block)
    target.shared.copyIn(*thread, number, offset, bytes, site);
  else
    target.shared.writeFromOutside(offset, bytes);
}

void loadTo(Thread *thread, Block *target, const TensorMap &map, const TensorCopy &copy,
            uint64_t barrierAddress, uint32_t site) {
  uint32_t bytes = expectedBytes(map, copy);
  announce(thread, *target, barrierAddress, bytes, site);
  uint32_t number = target->order.newCopy(), actor = 0;
  bool isInside = false;
  walk(map, copy, [&](const Run &run) {
    isInside |= run.inside;
    if (run.inside)
      requireGlobal(thread, run.global, run.bytes, "a copy", site);
    announceWrite(thread, *target, number, run.shared, run.bytes, site);
    if (!run.inside)
      return;
    noteUnfenced(thread, *target, run.global, run.shared, run.bytes);
    announceRead(thread, *target, number, run.global, run.shared, run.bytes, site, actor);
  });
  if (!isInside) // hardware looks at the tensor's address all the same
    requireGlobal(thread, map.address, 1, "a copy", site);
  teamOf(thread).issue({number, target, [=] {
                          char *window = target->shared.base();
                          walk(map, copy, [&](const Run &run) {
                            moveRun(map, copy, run,
                                    reinterpret_cast<uint8_t *>(window + run.shared),
                                    reinterpret_cast<uint8_t *>(run.global));
                          });
                          deliver(thread, *target, offsetOf(barrierAddress), number, bytes);
                        }});
}

// Stores.

/// What a store has under way: its source is read when it counts as read, its target
/// written when all of it is waited for.
struct StoreNumbers {
  uint32_t source, target;
};

StoreNumbers newStore(Thread *thread) {
  Order &order = thread->block->order;
  StoreNumbers numbers = {order.newCopy(), order.newCopy()};
  thread->own().openBulk.push_back(numbers.source);
  thread->own().openWrites.push_back(numbers.target);
  return numbers;
}

/// Writes of a store, for which others may be too early, or it for them.
class StoreTrace {
public:
  StoreTrace(Thread *thread, uint32_t number, bool isReduction, uint32_t site)
      : thread(thread), number(number), isReduction(isReduction), site(site) {}

  /// When the store is issued.
  void announce(uint64_t to, uint32_t bytes) {
    if (!memoryOf(thread).isWatched(to))
      return;
    Suspicion found =
        tracesOf(thread).writeByCopy(*thread, number, {to, bytes, isReduction, site}, actor);
    if (!found)
      return;
    if (!suspicion)
      suspicion = std::make_shared<Suspicion>();
    if (!suspicion->finding)
      suspicion->finding = std::move(found.finding);
    std::move(found.doubts.begin(), found.doubts.end(), std::back_inserter(suspicion->doubts));
  }
  /// When it is done, around each piece; what changes nothing makes no difference.
  template <typename Write> void write(uint64_t to, uint32_t bytes, Write write) {
    const char *place = reinterpret_cast<const char *>(to);
    std::vector<char> before;
    if (suspicion)
      before.assign(place, place + bytes);
    write();
    memoryOf(thread).noteWrite(to, bytes, teamOf(thread).grid.module->firstSite + site, true, 0);
    if (!suspicion || std::memcmp(before.data(), place, bytes) == 0)
      return;
    tracesOf(thread).confirm(*thread, std::move(*suspicion));
    suspicion = nullptr;
  }

private:
  Thread *thread;
  uint32_t number, actor = 0;
  bool isReduction;
  uint32_t site;
  std::shared_ptr<Suspicion> suspicion;
};

} // namespace

extern "C" {

void tilelift_tensor_load(Thread *thread, const TensorOperands *operands, uint32_t site) {
  TensorMap map = mapAt(thread, operands->map, site);
  TensorCopy copy = copyOf(*operands, -1, false);
  stopAtFaults(thread, faultsOf(map, copy), copy.shared, false, site);
  for (Block *target : targetsOf(thread, operands->shared, operands->ctaMask, site))
    loadTo(thread, target, map, copy, operands->barrier, site);
}

/// Nobody sees what L2 has; that the copy could be made is all there is to it.
void tilelift_tensor_prefetch(Thread *thread, const TensorOperands *operands, uint32_t site) {
  TensorMap map = mapAt(thread, operands->map, site);
  TensorCopy copy = copyOf(*operands, -1, false);
  copy.transfer = Transfer::Prefetch;
  stopAtFaults(thread, faultsOf(map, copy), "prefetch", site);
}

void tilelift_bulk_prefetch(Thread *thread, uint64_t from, uint32_t bytes, uint32_t site) {
  BulkCopy copy;
  copy.transfer = Transfer::Prefetch;
  copy.sourceAddress = from;
  copy.bytes = bytes;
  stopAtFaults(thread, faultsOf(copy), "prefetch", site);
}

void tilelift_tensor_store(Thread *thread, const TensorOperands *operands, uint32_t reduction,
                           uint32_t site) {
  TensorMap map = mapAt(thread, operands->map, site);
  TensorCopy copy = copyOf(*operands, int(reduction), true);
  stopAtFaults(thread, faultsOf(map, copy), copy.shared, true, site);
  Block *block = thread->block;
  StoreNumbers numbers = newStore(thread);
  StoreTrace trace(thread, numbers.target, int(reduction) >= 0, site);
  walk(map, copy, [&](const Run &run) {
    requireGlobal(thread, run.global, run.bytes, "a store", site);
    requireShared(thread, *block, run.shared, run.bytes, "a store", site);
    block->shared.copyOut(*thread, numbers.source, run.shared, run.bytes, site);
    trace.announce(run.global, run.bytes);
  });
  teamOf(thread).issue({numbers.source, block, [=]() mutable {
                          std::vector<char> source;
                          walk(map, copy, [&](const Run &run) {
                            source.resize(run.bytes);
                            block->shared.readAsync(run.shared, run.bytes, source.data());
                            trace.write(run.global, run.bytes, [&] {
                              moveRun(map, copy, run, reinterpret_cast<uint8_t *>(source.data()),
                                      reinterpret_cast<uint8_t *>(run.global));
                            });
                          });
                        }});
}

void tilelift_bulk_load(Thread *thread, uint64_t to, uint64_t from, uint32_t bytes,
                        uint64_t barrierAddress, uint32_t mask, uint32_t site) {
  BulkCopy copy;
  copy.sourceAddress = from;
  copy.targetAddress = offsetOf(to);
  copy.bytes = bytes;
  stopAtFaults(thread, faultsOf(copy), offsetOf(to), false, site);
  if (bytes)
    requireGlobal(thread, from, bytes, "a copy", site);
  for (Block *target : targetsOf(thread, to, uint16_t(mask), site)) {
    announce(thread, *target, barrierAddress, bytes, site);
    uint32_t number = target->order.newCopy(), actor = 0;
    if (bytes) {
      announceWrite(thread, *target, number, offsetOf(to), bytes, site);
      noteUnfenced(thread, *target, from, offsetOf(to), bytes);
      announceRead(thread, *target, number, from, offsetOf(to), bytes, site, actor);
    }
    teamOf(thread).issue({number, target, [=] {
                            std::memcpy(target->shared.base() + offsetOf(to),
                                        reinterpret_cast<const void *>(from), bytes);
                            deliver(thread, *target, offsetOf(barrierAddress), number, bytes);
                          }});
  }
}

void tilelift_bulk_store(Thread *thread, uint64_t to, uint64_t from, uint32_t bytes,
                         uint32_t reduction, uint32_t type, uint32_t site) {
  BulkCopy copy;
  copy.transfer = int(reduction) >= 0 ? Transfer::Reduce : Transfer::Store;
  copy.source = Space::Shared;
  copy.target = Space::Global;
  copy.sourceAddress = offsetOf(from);
  copy.targetAddress = to;
  copy.bytes = bytes;
  copy.type = elementOf(AtomicType(type));
  if (int(reduction) >= 0)
    copy.reduction = operationOf(AtomicOp(reduction));
  stopAtFaults(thread, faultsOf(copy), offsetOf(from), true, site);
  Block *block = thread->block;
  StoreNumbers numbers = newStore(thread);
  if (bytes == 0)
    return;
  requireGlobal(thread, to, bytes, "a store", site);
  requireShared(thread, *block, offsetOf(from), bytes, "a store", site);
  block->shared.copyOut(*thread, numbers.source, offsetOf(from), bytes, site);
  StoreTrace trace(thread, numbers.target, int(reduction) >= 0, site);
  trace.announce(to, bytes);
  teamOf(thread).issue({numbers.source, block, [=]() mutable {
                          std::vector<char> source(bytes);
                          block->shared.readAsync(offsetOf(from), bytes, source.data());
                          trace.write(to, bytes, [&] {
                            moveBulk(copy, reinterpret_cast<uint8_t *>(to),
                                     reinterpret_cast<const uint8_t *>(source.data()));
                          });
                        }});
}

/// From this block's shared memory to that of another one of the cluster.
void tilelift_bulk_peer(Thread *thread, uint64_t to, uint64_t from, uint32_t bytes,
                        uint64_t barrierAddress, uint32_t reduction, uint32_t type, uint32_t site) {
  BulkCopy copy;
  copy.transfer = int(reduction) >= 0 ? Transfer::Reduce : Transfer::Store;
  copy.source = Space::Shared;
  copy.target = Space::Shared;
  copy.sourceAddress = offsetOf(from);
  copy.targetAddress = offsetOf(to);
  copy.bytes = bytes;
  copy.type = elementOf(AtomicType(type));
  if (int(reduction) >= 0)
    copy.reduction = operationOf(AtomicOp(reduction));
  stopAtFaults(thread, faultsOf(copy), offsetOf(from), true, site);
  Block *block = thread->block, *target = blockOf(thread, to, site);
  requireShared(thread, *block, offsetOf(from), bytes, "a copy", site);
  announce(thread, *target, barrierAddress, bytes, site);
  uint32_t number = target->order.newCopy();
  uint32_t reading = target == block ? number : block->order.newCopy();
  block->shared.copyOut(*thread, reading, offsetOf(from), bytes, site);
  announceWrite(thread, *target, number, offsetOf(to), bytes, site);
  teamOf(thread).issue(
      {number, target, [=] {
         std::vector<char> source(bytes);
         block->shared.readAsync(offsetOf(from), bytes, source.data());
         moveBulk(copy, reinterpret_cast<uint8_t *>(target->shared.base() + offsetOf(to)),
                  reinterpret_cast<const uint8_t *>(source.data()));
         deliver(thread, *target, offsetOf(barrierAddress), number, bytes);
         if (target != block)
           block->order.noteEndAbroad(reading);
       }});
}

// Groups of stores.

void tilelift_bulk_commit(Thread *thread, uint32_t) {
  Outstanding &own = thread->own();
  own.bulkGroups.push_back(std::move(own.openBulk));
  own.openBulk.clear();
  own.writeGroups.push_back(std::move(own.openWrites));
  own.openWrites.clear();
}

void tilelift_bulk_wait(Thread *thread, uint32_t remaining, uint32_t isReadOnly, uint32_t) {
  while (thread->own().bulkGroups.size() > remaining) {
    teamOf(thread).finishCopies(*thread->block, thread->own().bulkGroups.front());
    for (uint32_t number : thread->own().bulkGroups.front())
      thread->block->order.learn(thread->index, number);
    thread->own().bulkGroups.pop_front();
  }
  while (!isReadOnly && thread->own().writeGroups.size() > remaining) {
    for (uint32_t number : thread->own().writeGroups.front())
      thread->block->order.learn(thread->index, number);
    thread->own().writeGroups.pop_front();
  }
}

// cp.async: copies of the thread itself, only later.

void tilelift_cp_async(Thread *thread, uint64_t to, uint64_t from, uint32_t bytes,
                       uint32_t sourceBytes, uint32_t site) {
  uint32_t offset = offsetOf(to);
  Block *block = thread->block;
  sourceBytes = std::min(sourceBytes, bytes);
  if (offset % bytes != 0 || (sourceBytes && from % bytes != 0))
    misaligned(thread, "an asynchronous copy of " + std::to_string(bytes) + " bytes", bytes, site);
  if (sourceBytes)
    requireGlobal(thread, from, sourceBytes, "an asynchronous copy", site);
  requireShared(thread, *block, offset, bytes, "an asynchronous copy", site);
  if (thread->own().openAsync.empty())
    thread->own().openAsync.push_back(block->order.newCopy());
  uint32_t number = thread->own().openAsync.back();
  block->shared.copyInGeneric(*thread, number, offset, bytes, site);
  Outstanding &own = thread->own();
  own.asyncActor = own.asyncCopy == number ? own.asyncActor : 0;
  own.asyncCopy = number;
  if (sourceBytes)
    announceRead(thread, *block, number, from, offset, sourceBytes, site, own.asyncActor);
  teamOf(thread).issue({number, block, [=] {
                          char *place = block->shared.base() + offset;
                          std::memcpy(place, reinterpret_cast<const void *>(from), sourceBytes);
                          std::memset(place + sourceBytes, 0, bytes - sourceBytes);
                        }});
}

void tilelift_cp_async_commit(Thread *thread, uint32_t) {
  thread->own().asyncGroups.push_back(std::move(thread->own().openAsync));
  thread->own().openAsync.clear();
}

void tilelift_cp_async_wait(Thread *thread, uint32_t remaining, uint32_t isAll, uint32_t site) {
  if (isAll)
    tilelift_cp_async_commit(thread, site);
  while (thread->own().asyncGroups.size() > remaining) {
    teamOf(thread).finishCopies(*thread->block, thread->own().asyncGroups.front());
    for (uint32_t number : thread->own().asyncGroups.front())
      thread->block->order.learn(thread->index, number);
    thread->own().asyncGroups.pop_front();
  }
}

/// The barrier object counts an arrival when all copies of this thread are done.
void tilelift_cp_async_arrive(Thread *thread, uint64_t address, uint32_t isWithoutIncrement,
                              uint32_t site) {
  Block *block;
  BarrierObject &object = barrierAt(thread, address, site, &block);
  std::vector<uint32_t> numbers = thread->own().openAsync;
  for (const std::vector<uint32_t> &group : thread->own().asyncGroups)
    numbers.insert(numbers.end(), group.begin(), group.end());
  teamOf(thread).finishCopies(*block, numbers);
  thread->own().openAsync.clear(); // the next copy is not covered by this arrival
  if (!numbers.empty())
    thread->own().asyncGroups.push_back(numbers);
  Knowledge &known = gatheredBy(*block, object);
  known.copies.insert(known.copies.end(), numbers.begin(), numbers.end());
  block->order.release(thread->index, known);
  if (isWithoutIncrement)
    object.pendingArrivals -= 1;
  completeIfDue(thread, *block, offsetOf(address), object);
}

} // extern "C"

} // namespace tilelift::emulator
