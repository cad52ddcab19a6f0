//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may happen on the ways between two places of a kernel.
//
// A copy may use values that were loaded before it: its elements, which were kept in registers, or
// its start. TMA loads where the annotated statement stores, so what was loaded must still be there
// by then.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_WAYS_H
#define TILELIFT_EFFECTS_WAYS_H

#include "effects/KernelEffects.h"

namespace tilelift {

/// A statement that loads, in a function on the way to the copy; without one, the load is
/// made before the kernel starts.
struct LoadAhead {
  const clang::Stmt *statement = nullptr;
  /// The statement loads in one round of a loop what the copy stores in the next round. The loop is
  /// around both.
  bool isOfRoundBefore = false;
};

/// Returns a statement that may write to the objects, or may make writes of other threads to them
/// visible, on some way from one of the loads to the copy at the end of `path`; null if there is
/// none.
const clang::Stmt *writeAfterLoad(llvm::ArrayRef<LoadAhead> loads, const ObjectSet &objects,
                                  const clang::Stmt *copy, const CallPath &path,
                                  const KernelEffects &effects);

/// Whether some path leads from the copy at the path's end, without a barrier of the block, to a
/// statement that may write to the objects or may signal that other threads can.
bool mayWriteBehind(const clang::Stmt *copy, const CallPath &path, const ObjectSet &objects,
                    const KernelEffects &effects);

/// A statement at which a thread may wait before a copy, and the statement behind the copy by which
/// another thread ends this wait, with no barrier of the block between either of them and the copy.
struct WaitAround {
  const clang::Stmt *wait = nullptr, *end = nullptr;
};

/// Returns a wait before the copy at the end of `path` that another thread may end behind the copy,
/// and the statement by which it does so; or nothing. If TMA makes the copy, all threads meet at
/// it, so that the waiting thread would wait for ever. `areBlocks`: looks for polls that threads of
/// other blocks may end, instead; no barrier of the block orders these.
std::optional<WaitAround> waitAround(const clang::Stmt *copy, const CallPath &path,
                                     const KernelEffects &effects, bool areBlocks = false);

} // namespace tilelift

#endif
