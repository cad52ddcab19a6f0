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

#include "effects/CopyGroups.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

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
  /// The operands from which the address is computed. `fromAny`: the address may be computed from
  /// any operand, because it names a register that the assembly declares itself.
  llvm::SmallVector<unsigned, 2> operands;
  bool fromAny = false;
};

/// Values of the masks `barriers` and `lanes`. `anyMeeting`: it is not known which barriers or
/// lanes they are, so it may be any. `clusterBarrier`: the bit of the cluster's barrier in
/// `barriers`.
constexpr uint32_t anyMeeting = ~0u, clusterBarrier = 1u << 16;

struct AssemblyEffect {
  llvm::SmallVector<AssemblyAccess, 2> accesses;
  /// It may do all that code can do.
  bool isUnknown = false;
  /// It waits for asynchronous operations other than cp.async, so that memory may hold something
  /// else after it.
  bool waits = false;
  /// What it has to do with cp.async. `leftGroups` is the operand that says how many groups a wait
  /// leaves, if that is no number in the text.
  CopyGroups groups;
  std::optional<unsigned> leftGroups;
  /// `meetsBlock`: all threads of the block meet at barrier 0, as in __syncthreads().
  /// `meetsOthers`: threads may arrive at another barrier, of the block or of several blocks.
  bool meetsBlock = false, meetsOthers = false;
  /// One bit for each barrier at which some threads may meet, and one for the cluster's barrier.
  uint32_t barriers = 0;
  /// One bit for each lane of a warp that may meet other lanes here.
  uint32_t lanes = 0;
  /// A thread waits here until the others have arrived. False where it only arrives at a barrier.
  bool awaitsArrivals = false;
  /// It may signal to other blocks that something was written, or receive such a signal.
  bool signals = false;
  /// After it, the thread sees what other blocks wrote before they signalled (acquire semantics).
  bool acquires = false;
  /// It waits until the kernels that were launched before have ended.
  bool awaitsGrids = false;
  /// Accesses by the generic proxy are ordered before those by asynchronous ones.
  bool fencesProxy = false;
  /// It has jumps, and may do what it does again and again.
  bool jumps = false;
  /// Some threads may end.
  bool mayLeave = false;
  /// The results may differ between threads, even for equal operands.
  bool differs = false;
  /// The results may be different when the instruction is executed again.
  bool varies = false;
  /// `countsThreads`: the axes in which the size of the block is read, one bit for each.
  /// `asksSharedSize`: the size of the block's shared memory is read.
  unsigned countsThreads = 0;
  bool asksSharedSize = false;
  /// What it does, or its result, depends on which blocks form a cluster.
  bool asksCluster = false;
  /// The axes of blockIdx that are read, one bit for each.
  unsigned tellsBlocks = 0;
  /// The operands whose values are stored to memory. `storesAny`: any operand may be, because
  /// registers that the assembly declares itself are stored.
  llvm::SmallVector<unsigned, 2> stored;
  bool storesAny = false;
  /// The results may be computed from the operands; they are not only loaded from memory.
  bool computes = false;
};

/// Returns the effect of assembly. In its text, operands are named $0, $1, ..., as in LLVM IR.
AssemblyEffect effectOfAssembly(llvm::StringRef text);

/// The value that is passed as an operand; null if the operand is a result.
const llvm::Value *operandOf(const llvm::CallBase &assembly, unsigned operand);

} // namespace tilelift

#endif
