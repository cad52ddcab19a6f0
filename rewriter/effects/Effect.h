//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a piece of code may do that other threads than its own can notice.
//
// An instruction that is not known does anything. What only computes, or stays
// in the thread's own memory, does nothing.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_EFFECT_H
#define TILELIFT_EFFECTS_EFFECT_H

#include "effects/CopyGroups.h"
#include "effects/MemoryObjects.h"

namespace llvm {
class Instruction;
}

namespace tilelift {

struct Effect {
  ObjectSet reads, writes;
  /// Of the writes, those that begin here: an asynchronous one is a write where it begins, and
  /// again where a thread waits for it.
  ObjectSet beginsWrites;
  /// `meetsBlock`: all threads of the block meet at barrier 0, as in __syncthreads().
  /// `meetsOthers`: threads may arrive at another barrier, of the block or of several blocks.
  bool meetsBlock = false, meetsOthers = false;
  /// One bit for each barrier at which some threads may meet, and one for the cluster's barrier.
  uint32_t barriers = 0;
  /// One bit for each lane of a warp that may meet other lanes here.
  uint32_t lanes = 0;
  /// A thread waits here until the others have arrived. False where it only arrives at a barrier.
  bool awaitsArrivals = false;
  /// It may signal to other blocks that something was written, or receive such a signal: by
  /// atomics, fences, volatile accesses, barriers of more than the block.
  bool signals = false;
  /// Behind it, the thread sees what other blocks wrote before they signalled: it is, or may be, a
  /// fence, a barrier of the cluster, a wait for other kernels, or an atomic access with acquire
  /// semantics.
  bool acquires = false;
  /// It waits for kernels that were launched before and may still run: until then, even memory that
  /// is not written while the kernel runs may be written.
  bool awaitsGrids = false;
  /// It is a polling loop by itself: assembly with a jump that reads memory.
  bool polls = false;
  /// `awaitsThreads`: a thread may wait here for another one of its block, which writes to memory
  /// or arrives at a barrier. `awaitsBlocks`: it may poll memory here until a thread of another
  /// block writes there.
  bool awaitsThreads = false, awaitsBlocks = false;
  /// What it has to do with the copies that a thread begins by cp.async.
  CopyGroups groups;
  /// A fence between the generic proxy and the asynchronous ones.
  bool fencesProxy = false;
  /// Some threads may end here.
  bool mayLeave = false;
  /// Its results may differ between threads, even where all that it is given is the same.
  bool differs = false;
  /// Its results may be different when it is executed again.
  bool varies = false;
  /// `countsThreads`: the axes in which the size of the block is read, one bit for each.
  /// `asksSharedSize`: the size of the block's shared memory is read.
  unsigned countsThreads = 0;
  bool asksSharedSize = false;
  /// What it does, or its result, depends on which blocks form a cluster.
  bool asksCluster = false;
  /// Its result may differ between blocks: one bit for each axis of blockIdx that it may be, and
  /// `otherBlocks` for anything else, as the rank in a cluster.
  unsigned tellsBlocks = 0;
  static constexpr unsigned otherBlocks = 8;
  /// It is not known what it does.
  bool isUnknown = false;
  /// What addresses have to be multiples of for the widest access, in bytes.
  unsigned alignment = 1;

  void add(const Effect &other);
  bool touchesMemory() const { return !reads.empty() || !writes.empty(); }
  /// Whether it writes no memory, orders nothing between threads, and ends no thread. Meetings of
  /// lanes of a warp do not count.
  bool onlyReads() const {
    return writes.empty() && !meetsBlock && !meetsOthers && !signals && !fencesProxy && !mayLeave &&
           !isUnknown;
  }
  /// Whether, in addition, it reads no memory that threads have in common. Meetings of lanes do not
  /// count here, either.
  bool touchesNoCommonMemory() const { return onlyReads() && reads.empty(); }
};

/// The effect of one instruction. `memory` and `code` are those of its kernel.
Effect effectOf(const llvm::Instruction &instruction, Memory &memory, const DeviceCode &code);

} // namespace tilelift

#endif
