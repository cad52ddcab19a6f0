//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a piece of code may do that others than its own thread can notice.
//
// An instruction that is not known does anything. What only computes, or stays
// in the thread's own memory, does nothing.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_EFFECT_H
#define TILELIFT_EFFECTS_EFFECT_H

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
  /// All threads of the block meet; some of them, or those of several blocks, do.
  bool meetsBlock = false, meetsOthers = false;
  /// One bit for each barrier at which some threads may meet, and one for the cluster's barrier.
  uint32_t barriers = 0;
  /// One bit for each lane of a warp that may meet other lanes here.
  uint32_t lanes = 0;
  /// A thread waits here until the others have arrived. False where it only arrives at a barrier.
  bool awaitsArrivals = false;
  /// Other blocks may be told that something was written, or tell it: by atomics, fences,
  /// volatile accesses, barriers of more than the block.
  bool signals = false;
  /// Behind it, the thread sees what other blocks wrote before they signalled: it is a fence, or
  /// an atomic access with acquire semantics.
  bool acquires = false;
  /// It waits for kernels that were launched before and may still run: until then, even memory
  /// that nobody writes while the kernel runs may be written.
  bool awaitsGrids = false;
  /// It asks memory again and again by itself, as a loop within assembly does.
  bool polls = false;
  /// A thread may wait here for another one, of its block or of another block, which writes there
  /// or comes to a barrier.
  bool awaitsThreads = false, awaitsBlocks = false;
  /// A fence between the generic proxy and the asynchronous ones.
  bool fencesProxy = false;
  /// Some threads may end here.
  bool mayLeave = false;
  /// Its results may differ between threads, even where all that it is given is the same.
  bool differs = false;
  /// They may be other ones when it is asked again.
  bool varies = false;
  /// The size of the block is asked for, in axes by their bits, or that of its shared memory.
  unsigned countsThreads = 0;
  bool asksSharedSize = false;
  /// Nobody knows what it does.
  bool isUnknown = false;
  /// What addresses have to be multiples of for the widest access, in bytes.
  unsigned alignment = 1;

  void add(const Effect &other);
  bool touchesMemory() const { return !reads.empty() || !writes.empty(); }
  /// Whether it does no more than to compute values, of memory or not.
  bool onlyReads() const {
    return writes.empty() && !meetsBlock && !meetsOthers && !signals && !fencesProxy && !mayLeave &&
           !isUnknown;
  }
  /// Whether anybody could tell that it was there.
  bool isNothing() const { return onlyReads() && reads.empty(); }
};

/// Of one instruction of the kernel that the memory is of.
Effect effectOf(const llvm::Instruction &instruction, Memory &memory, const DeviceCode &code);

} // namespace tilelift

#endif
