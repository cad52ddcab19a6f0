//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a thread of a kernel waits until another thread has done something: in a loop that asks
// memory again until it gives another answer, as locks and flags do, at barriers of some threads,
// and where lanes of a warp meet. A thread that only arrives at a barrier does not wait.
//
// Threads that all come there and ask the same leave it together, so they do not wait for each
// other. At an mbarrier they ask the same where all of them arrive at it. A loop that tries an
// exchange again, with what it found, waits for nobody: it fails only because another thread has
// succeeded.
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

  /// Gives the effects of instructions what they wait for. The list has all that may wait.
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
  /// Polls that all threads come to, with the same question.
  Instructions askedByAll;
  /// What differs between threads where those polls do not, and where threads may be alone.
  Instructions divergent;
  llvm::DenseSet<const llvm::BasicBlock *> parted;
  bool allArrive = true;
};

} // namespace tilelift

#endif
