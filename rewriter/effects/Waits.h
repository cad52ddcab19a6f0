//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a thread of a kernel waits until another thread has done something: in a loop that polls
// memory until it holds another value, as locks and flags do, at barriers of some threads, and
// where lanes of a warp meet. A thread that only arrives at a barrier does not wait.
//
// If all threads of the block come to a polling loop and poll the same value, they leave it
// together, so that none of them waits for another one of the block. Polls of an mbarrier are the
// same if all threads arrive at it. A loop that tries an exchange again, with the value that it
// found, does not wait: it fails only because another thread has succeeded.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_WAITS_H
#define TILELIFT_EFFECTS_WAITS_H

#include "effects/CodeUniformity.h"
#include "effects/Effect.h"

#include "llvm/IR/CycleInfo.h"

namespace tilelift {

class Waits {
public:
  /// `sources` differ between threads by themselves.
  Waits(const llvm::Function &function, const Instructions &sources);

  /// Sets Effect::awaitsThreads and Effect::awaitsBlocks of the steps. `steps` has all instructions
  /// that may wait.
  using Step = std::pair<const llvm::Instruction *, Effect *>;
  void note(llvm::ArrayRef<Step> steps);

private:
  bool mayFindAnother(const llvm::Instruction &instruction, const Effect &effect,
                      const llvm::Cycle &cycle) const;
  bool mayEndLoop(const llvm::Instruction &instruction, const Effect &effect) const;
  void findAskedByAll(llvm::ArrayRef<Step> polls);
  bool isAlike(const llvm::Instruction &poll) const;
  bool comeTogether(const llvm::Instruction &poll) const;
  const llvm::Cycle *loopOf(const llvm::Instruction &poll) const;
  llvm::SmallVector<const llvm::Instruction *, 4> exitsBy(const llvm::Instruction &poll) const;

  const llvm::Function &function;
  const Instructions &sources;
  llvm::CycleInfo cycles;
  llvm::DenseSet<const llvm::Cycle *> withFence;
  /// The polls to which all threads come, and which poll the same value in all of them.
  Instructions askedByAll;
  /// `divergent`: what may differ between threads if the results of those polls do not. `parted`:
  /// the blocks of the code that only some threads may execute then.
  Instructions divergent;
  llvm::DenseSet<const llvm::BasicBlock *> parted;
  bool allArrive = true;
};

} // namespace tilelift

#endif
