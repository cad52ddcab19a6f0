//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What in a kernel speaks of all threads of its block: their number, and barriers where
// all of them meet. Where a launch adds threads that make the copies, it has to be told
// whom it means; where that cannot be, there is no room for such threads.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ORDER_ADDEDWARP_H
#define TILELIFT_ORDER_ADDEDWARP_H

#include "effects/Uniformity.h"
#include "relation/CopyRelation.h"
#include "support/Diagnostics.h"

#include <variant>

namespace tilelift {

/// Returns the block's shape with at least one warp added, as whole rows of its last dimension. The
/// other extents stay, and with them the number of each thread.
BlockShape withAddedWarp(const BlockShape &block);

struct BlockUses {
  /// Of the kernel's own text, each a statement.
  std::vector<const clang::Expr *> barriers;
  /// It names `blockDim`.
  bool countsThreads = false;
};

/// Returns the kernel's barriers of the block and whether it uses the block's size, or the reason
/// why no producer warp can be added to its block.
std::variant<BlockUses, Diagnostic> findBlockUses(const clang::FunctionDecl *kernel,
                                                  const BlockShape &block,
                                                  const KernelEffects &effects);

} // namespace tilelift

#endif
