//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread runs of a kernel that makes the copies of some loops and nothing else:
// the loops, what leads to them, and the statements that give values to the variables
// which these name.
//
// Such a thread is ahead of the others, so what it runs may not depend on what they do.
// Read off the syntax, without following values, and on the safe side.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ROUNDS_PRODUCERPATH_H
#define TILELIFT_ROUNDS_PRODUCERPATH_H

#include "relation/BaseObjects.h"
#include "rounds/Rounds.h"

#include "llvm/ADT/StringSet.h"

namespace tilelift {

/// A loop whose copies the thread makes, with the names that the copies use.
struct ProducerLoop {
  const Rounds *rounds = nullptr;
  llvm::StringSet<> names;
  /// What its rounds ask on the way to the copies.
  llvm::SmallVector<const clang::Expr *, 2> branches;
};

/// A statement that the producer runs as it stands; or a pipeline's loop (`loop`); or a block, a
/// loop or an `if` that leads to such loops (`inner`, and `otherwise` for the else branch).
struct PathStep {
  const clang::Stmt *statement = nullptr;
  std::optional<size_t> loop;
  std::vector<PathStep> inner, otherwise;
};

struct ProducerPath {
  /// Of the kernel's body.
  std::vector<PathStep> steps;
  /// All variables whose values the thread has to know.
  llvm::DenseSet<const clang::VarDecl *> needed;
};

/// Returns what a producer runs of a kernel to make the copies of `loops`, or the reason why it
/// cannot. `sources` are the tensors that these copies read.
std::variant<ProducerPath, Diagnostic> findProducerPath(const clang::FunctionDecl *kernel,
                                                        llvm::ArrayRef<ProducerLoop> loops,
                                                        llvm::ArrayRef<const GlobalBase *> sources,
                                                        const KernelEffects &effects);

} // namespace tilelift

#endif
