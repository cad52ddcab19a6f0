//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the copies of a kernel need together: one layout for each tile, whoever
// fills it, and no more shared memory and parameters than a kernel may have.
//
// What a copy needs by itself is decided in Fit.h.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_TOGETHER_H
#define TILELIFT_PLAN_TOGETHER_H

#include "plan/Plan.h"
#include "support/Diagnostics.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace tilelift {

struct TilePlan {
  const void *tile; ///< the same for copies that fill the same tile
  Plan *plan;
};

/// What the kernel has before it is lifted.
struct KernelSizes {
  std::string name;
  Bytes sharedBytes;
  Bytes parameterBytes;
  /// Nobody else has a name for the block's dynamic memory, so rings may lie there.
  bool mayMoveRings = true;
};

/// Why copies that fit each by itself do not fit together, and which is to blame.
struct Misfit {
  size_t copy;
  Diagnostic reason;
};

/// Gives copies to one tile the same layout.
std::optional<Misfit> fitTogether(llvm::ArrayRef<TilePlan> copies, const KernelSizes &kernel);

/// What a block has of shared memory once the copies are lifted.
Bytes sharedBytesOf(llvm::ArrayRef<TilePlan> copies, const KernelSizes &kernel);

/// Whether rings of tiles are more than a block may have of static shared memory.
bool needsDynamicRings(llvm::ArrayRef<TilePlan> copies, const KernelSizes &kernel);
/// Puts all rings into dynamic memory, one behind the other.
void moveRings(llvm::ArrayRef<TilePlan> copies);

} // namespace tilelift

#endif
