//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements by which threads leave a kernel ahead of all of its copies:
//
//   if (row >= m || column >= n)
//     return;
//
// Threads that are gone do not meet at barriers, so such a copy cannot be lifted. But where m and n
// are multiples of the block's size no thread leaves, and the launcher can ask for that. Here these
// statements are found, and taken out of the syntax tree, so that the kernel is analysed as one
// that no thread leaves. In the text they stay. Exits of whole blocks stay in the tree, too.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_DIRECTIVE_EARLYEXITS_H
#define TILELIFT_DIRECTIVE_EARLYEXITS_H

#include "directive/Program.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilelift {

/// The conditions under which threads leave, in all instances. Each stands as a statement in its
/// kernel's outermost block while the exits are taken out.
using ExitConditions = llvm::DenseSet<const clang::Stmt *>;

/// As long as it lives, the early exits of some kernels are not in the syntax tree: in the place of
/// each stands its condition.
class WithoutExits {
public:
  /// `isWanted` chooses among the instances of kernels.
  WithoutExits(clang::ASTContext &context, const Program &program,
               llvm::function_ref<bool(const KernelInstance &)> isWanted);
  ~WithoutExits();
  WithoutExits(const WithoutExits &) = delete;
  WithoutExits &operator=(const WithoutExits &) = delete;

  const ExitConditions &getConditions() const { return conditions; }

private:
  void takeOut(const KernelInstance &kernel);

  clang::ASTContext &context;
  ExitConditions conditions;
  std::vector<std::pair<clang::Stmt **, clang::Stmt *>> replaced;
};

} // namespace tilelift

#endif
