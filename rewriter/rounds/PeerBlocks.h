//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares blocks that differ only in some of their block indices: whether all of these blocks
// come to a copy equally often and in the same order, and whether a value is the same in all.
//
// A tile that is brought to several blocks at once needs both. Read off the syntax and the
// relation's symbols, on the safe side: what memory says is the same only if nobody writes
// there, and shared memory is each block's own.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ROUNDS_PEERBLOCKS_H
#define TILELIFT_ROUNDS_PEERBLOCKS_H

#include "algebra/Symbols.h"
#include "effects/Uniformity.h"
#include "support/Diagnostics.h"

namespace tilelift {

/// Axes of the grid, bit 0 for x.
using Axes = unsigned;
/// "blockIdx.x or blockIdx.y".
std::string indicesOf(Axes axes);

class PeerBlocks {
public:
  PeerBlocks(const clang::FunctionDecl *kernel, Axes axes, const KernelEffects &effects);

  /// Why they may not all come to the copy that fills a tile, as often and in the same order.
  std::optional<Diagnostic> whyNotAlike(const clang::Stmt *copy, llvm::StringRef tile) const;
  /// The part of a value at the copy that may be another one in each of them.
  std::optional<std::string> differingPart(const Polynomial &value, const Symbols &symbols,
                                           const clang::Stmt *copy) const;

private:
  bool mayDiffer(const Symbol &symbol, const Symbols &symbols, const clang::Stmt *copy) const;
  const clang::Stmt *endBefore(const clang::Stmt *statement, const clang::Stmt *copy) const;

  OwnDifference differencesAlong(const KernelEffects &effects) const;

  const clang::FunctionDecl *kernel;
  Axes axes;
  VariableFacts facts;
  Uniformity uniformity;
};

} // namespace tilelift

#endif
