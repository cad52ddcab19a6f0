//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the block's barriers order around lifted copies.
//
// Follows the control flow of a function and keeps what happened to memory since the last
// barrier of the block on any path, and whether a copy was waited for. From that it tells
// before which copies a barrier is missing (the plain copy may not have needed one, when
// each thread reads only what it wrote), and where a proxy fence is needed.
//
// A __syncthreads() behind a copy can go if it orders nothing but the copies themselves: if
// nothing that happens from the barrier before it on clashes with anything up to the next.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_RELATION_BARRIERFACTS_H
#define TILELIFT_RELATION_BARRIERFACTS_H

#include "relation/MemoryAccess.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

#include <vector>

namespace tilelift {

struct LiftedStatement {
  const clang::Stmt *statement = nullptr;
  const clang::VarDecl *tile = nullptr;
  /// The plain statement may run instead.
  bool mayRunPlain = false;
  /// Threads may write to the tile somewhere.
  bool tileIsWritten = false;
  /// It is made ahead of its round, or even by a warp of its own, to which each thread
  /// gives the tile back.
  bool isAhead = false;
  bool isSupplied = false;
  /// The tile goes to `source`, in each round of a loop to another place.
  bool isStore = false;
  bool movesOn = false;
  CopySource source;
  /// The leader finds out where to copy in what other threads left in shared memory.
  bool looksUpShared = false;
};

struct CopyOrder {
  /// Stands in a kernel's outermost block, so that it runs exactly once.
  bool runsOnce = false;
  /// Waits together with the copy before it in the list.
  bool joinsPrevious = false;
  /// Some thread may still be at the tile, or at the previous wait.
  bool needsBarrier = false;
  /// Threads may have written to the tensor: every thread fences, then a barrier.
  bool sourceWritten = false;
  /// Threads read the tile before: the leader fences.
  bool readBefore = false;
  /// Threads wrote the tile before: every thread fences, then a barrier.
  bool writtenBefore = false;
};

/// The same for stores, which others than the leader need not wait for.
struct StoreOrder {
  /// Every thread fences, then a barrier: here, or at the barriers that come before.
  bool needsBarrier = false;
  /// Not only the tile: threads may have accessed the tensor.
  bool fencesAll = false;
  /// Somebody may be at the tile or the tensor before the next barrier: all wait here.
  bool waitsHere = false;
  /// It has to be done, not only read: somebody may look for it.
  bool needsResult = false;
};

/// A barrier of the program that has a part in ordering stores.
struct BarrierDuty {
  const clang::CallExpr *barrier = nullptr;
  bool fences = false, fencesAll = false;
  bool waits = false, waitsForResult = false;
};

struct StoreFacts {
  /// By copy; of loads, nothing.
  std::vector<StoreOrder> stores;
  std::vector<BarrierDuty> duties;
};

struct BarrierFacts {
  std::vector<CopyOrder> copies;
  /// __syncthreads() that may be dropped.
  std::vector<const clang::CallExpr *> redundant;
};

/// The copies that a function's own body makes, in the order of the text; `lifting` are
/// its calls that make others. A barrier of the block stands at a kernel's entry; what
/// happened before the entry of another function is not known.
BarrierFacts findBarrierFacts(const clang::FunctionDecl *function, clang::ASTContext &context,
                              const std::vector<LiftedStatement> &copies,
                              llvm::ArrayRef<const clang::CallExpr *> lifting);

/// What orders the stores among them, once the redundant barriers are gone. What happens
/// behind the end of a function other than a kernel is not known either.
StoreFacts findStoreFacts(const clang::FunctionDecl *function, clang::ASTContext &context,
                          const std::vector<LiftedStatement> &copies,
                          llvm::ArrayRef<const clang::CallExpr *> redundant);

} // namespace tilelift

#endif
