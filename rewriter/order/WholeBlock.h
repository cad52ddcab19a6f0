//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What in a kernel speaks of all threads of its block: their number, and barriers where
// all of them meet. Where a launch adds threads that make the copies, it has to be told
// whom it means; where that cannot be, there is no room for such threads.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ORDER_WHOLEBLOCK_H
#define TILELIFT_ORDER_WHOLEBLOCK_H

#include "effects/Uniformity.h"
#include "relation/CopyRelation.h"
#include "support/Diagnostics.h"

#include <variant>

namespace tilelift {

/// The block with one more warp behind its own, as whole rows of its last dimension. What
/// it has in other dimensions stays, and with it the number of each of its threads.
BlockShape withAddedWarp(const BlockShape &block);

struct BlockUses {
  /// Of the kernel's own text, each a statement.
  std::vector<const clang::Expr *> barriers;
  /// It names `blockDim`.
  bool countsThreads = false;
};

/// Or why nobody can be added to the block.
std::variant<BlockUses, Diagnostic> findBlockUses(const clang::FunctionDecl *kernel,
                                                  const BlockShape &block,
                                                  const KernelEffects &effects);

} // namespace tilelift

#endif
