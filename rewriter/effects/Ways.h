//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may happen on the ways between two places of a kernel.
//
// A copy may take what was loaded ahead of it: its elements, staged in registers, or
// where it starts. TMA loads where the annotated statement stores, so what was loaded
// must still be there by then.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_WAYS_H
#define TILELIFT_EFFECTS_WAYS_H

#include "effects/KernelEffects.h"

namespace tilelift {

/// A statement that loads, in a function on the way to the copy; without one, the load is
/// made before the kernel starts.
struct LoadAhead {
  const clang::Stmt *statement = nullptr;
  /// The copy stores what it loaded in the round before, of a loop around both.
  bool isOfRoundBefore = false;
};

/// The statement that may write to the objects, or tells that others have, on some way from
/// one of the loads to the copy at the path's end; or null.
const clang::Stmt *writeAfterLoad(llvm::ArrayRef<LoadAhead> loads, const ObjectSet &objects,
                                  const clang::Stmt *copy, const CallPath &path,
                                  const KernelEffects &effects);

/// Whether some path leads from the copy at the path's end, without a barrier of the block, to a
/// statement that may write to the objects or may signal that other threads can.
bool mayWriteBehind(const clang::Stmt *copy, const CallPath &path, const ObjectSet &objects,
                    const KernelEffects &effects);

/// Where a thread may wait ahead of a copy for another one, and what that one does behind the copy,
/// with no barrier of the block between either of them and the copy.
struct WaitAround {
  const clang::Stmt *wait = nullptr, *end = nullptr;
};

/// The copy that stands at the path's end, where all threads meet once it is made by TMA: a thread
/// that waits ahead of it would wait for ever. `areBlocks` asks of threads of other blocks, too,
/// whom no barrier of the block orders.
std::optional<WaitAround> waitAround(const clang::Stmt *copy, const CallPath &path,
                                     const KernelEffects &effects, bool areBlocks = false);

} // namespace tilelift

#endif
