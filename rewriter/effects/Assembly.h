//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What inline assembly does besides computing.
//
// PTX is read instruction by instruction. One that is not in the table, or a
// call, may do anything. Which memory an address leads to is decided where the
// operands are known.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_ASSEMBLY_H
#define TILELIFT_EFFECTS_ASSEMBLY_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallBase;
class Value;
} // namespace llvm

namespace tilelift {

/// One access of memory by an instruction.
struct AssemblyAccess {
  enum class Space { Generic, Shared, Global, Private };
  Space space = Space::Generic;
  bool reads = false, writes = false;
  /// The operands that the address is made of; `fromAny` where names stand between.
  llvm::SmallVector<unsigned, 2> operands;
  bool fromAny = false;
};

/// Values of the masks `barriers` and `lanes`: any of them may meet, as it is not known which; and
/// the bit of the cluster's barrier.
constexpr uint32_t anyMeeting = ~0u, clusterBarrier = 1u << 16;

struct AssemblyEffect {
  llvm::SmallVector<AssemblyAccess, 2> accesses;
  /// It may do all that code can do.
  bool isUnknown = false;
  /// Memory may be another one behind it, by asynchronous operations that have ended.
  bool waits = false;
  /// All threads of the block meet; some of them, or those of several blocks, do.
  bool meetsBlock = false, meetsOthers = false;
  /// One bit for each barrier at which some threads may meet, and one for the cluster's barrier.
  uint32_t barriers = 0;
  /// One bit for each lane of a warp that may meet other lanes here.
  uint32_t lanes = 0;
  /// A thread waits here until the others have arrived. False where it only arrives at a barrier.
  bool awaitsArrivals = false;
  /// Other blocks may be told something, or tell it.
  bool signals = false;
  /// What they told of is there for this thread.
  bool acquires = false;
  /// Kernels that were launched before have ended behind it.
  bool awaitsGrids = false;
  /// Accesses by the generic proxy are ordered before those by asynchronous ones.
  bool fencesProxy = false;
  /// It has jumps, and may do what it does again and again.
  bool jumps = false;
  /// Some threads may end.
  bool mayLeave = false;
  /// The results may differ between threads, even for equal operands.
  bool differs = false;
  /// They may be other ones when it is run again.
  bool varies = false;
  /// The size of the block is asked for, in axes by their bits, or that of its shared memory.
  unsigned countsThreads = 0;
  bool asksSharedSize = false;
  /// Operands that are put into memory, as values; all of them where names stand between.
  llvm::SmallVector<unsigned, 2> stored;
  bool storesAny = false;
  /// Results may be computed of what it is given, not only loaded.
  bool computes = false;
};

/// Of a text in LLVM's form, in which operands are called $0, $1, ...
AssemblyEffect effectOfAssembly(llvm::StringRef text);

/// What an operand is given; null of one that is a result.
const llvm::Value *operandOf(const llvm::CallBase &assembly, unsigned operand);

} // namespace tilelift

#endif
