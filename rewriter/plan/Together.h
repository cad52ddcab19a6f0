//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the copies of a kernel need together: one layout for each tile, whichever
// copies fill it, and no more shared memory and parameters than a kernel may have.
//
// What each copy needs by itself is decided in Fit.h.
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

/// The static shared memory that the kernel uses, and its parameters, before it is
/// lifted.
struct KernelSizes {
  std::string name;
  Bytes sharedBytes;
  Bytes parameterBytes;
  /// Only the kernel itself names the block's dynamic shared memory, and without qualifiers, so
  /// rings may lie there, in front of the program's own data.
  bool mayMoveRings = true;
};

/// The reason why copies do not fit together although each fits by itself, and the index of the
/// copy that is to blame.
struct Misfit {
  size_t copy;
  Diagnostic reason;
};

/// Gives all copies of one tile the same layout. Returns why copies do not fit together, or
/// nothing.
std::optional<Misfit> fitTogether(llvm::ArrayRef<TilePlan> copies, const KernelSizes &kernel);

/// Returns the shared memory that a block needs once the copies are lifted: the static arrays that
/// the kernel itself declares, with the tiles and rings as they are laid out, and the barriers. The
/// program's own dynamic shared memory is not included.
Bytes sharedBytesOf(llvm::ArrayRef<TilePlan> copies, const KernelSizes &kernel);

/// Whether there are rings, and the block with them needs more than it may have of static shared
/// memory.
bool needsDynamicRings(llvm::ArrayRef<TilePlan> copies, const KernelSizes &kernel);
/// Puts all rings into dynamic shared memory, one after the other.
void moveRings(llvm::ArrayRef<TilePlan> copies);

} // namespace tilelift

#endif
