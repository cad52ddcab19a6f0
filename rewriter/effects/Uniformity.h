//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is the same for all threads of a block: values of variables, whatever
// branches are taken, and whether all threads come to a statement.
//
// Flow-insensitive and on the safe side. Where a difference may start is asked of
// the effects: in what a call does, in assembly, in volatile memory.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_UNIFORMITY_H
#define TILELIFT_EFFECTS_UNIFORMITY_H

#include "effects/KernelEffects.h"
#include "support/VariableFacts.h"

#include <map>

namespace tilelift {

/// Whether something differs by itself, where that is known without looking at its parts.
using OwnDifference = std::function<std::optional<bool>(const clang::Stmt *part)>;

class Uniformity {
public:
  /// `own` decides for some expressions, and for assembly, whether they differ; with it,
  /// rounds/PeerBlocks asks about the threads of several blocks.
  Uniformity(const VariableFacts &facts, const KernelEffects &effects, const CallPath &path,
             OwnDifference own = nullptr);

  const VariableFacts &getFacts() const { return facts; }
  const KernelEffects &getEffects() const { return effects; }

  bool mayDiffer(const clang::VarDecl *variable) const {
    return divergent.contains({variable, nullptr});
  }
  bool mayDiffer(const clang::Stmt *expression) const;
  /// The text of a message about an expression that may differ between threads. Where the cause is
  /// a variable that may be changed through a pointer, a reference or a lambda, the text names it.
  std::string describeDifference(const clang::Stmt *expression) const;
  /// Whether the variable may differ between threads in the body of a loop. What it was before does
  /// not count if the loop sets it at its start.
  bool mayDifferInLoop(const clang::VarDecl *variable, const clang::Stmt *loop) const;
  /// Whether the variable may differ between threads at a statement or expression.
  bool mayDifferAt(const clang::VarDecl *variable, const clang::Stmt *place) const {
    return divergent.contains(roleAt(variable, place)) || facts.escapes(variable);
  }
  /// The innermost condition that may let only some threads get to a statement, up to one
  /// around it; or null.
  const clang::Expr *divergentControlOf(const clang::Stmt *statement,
                                        const clang::Stmt *outermost = nullptr) const;
  /// Whether some threads may jump out of a statement where others do not, by `return`, `break`,
  /// `continue` or `goto`.
  bool mayPart(const clang::Stmt *statement) const;
  /// Whether some threads may end in a statement, other than by `return`.
  bool mayEndThread(const clang::Stmt *statement) const { return effectOf(statement).mayLeave; }
  /// Finds the smallest part of a statement in which some threads may end. The text says so for a
  /// message: "they may end here".
  std::pair<const clang::Stmt *, std::string> howThreadsEnd(const clang::Stmt *statement) const;
  /// What a statement of a function on the path does.
  const Effect &effectOf(const clang::Stmt *statement) const;

private:
  /// A variable in all of the function, or only in a `for` that sets it anew.
  using Role = std::pair<const clang::VarDecl *, const clang::Stmt *>;

  void findDivergent();
  const clang::Stmt *scopeOf(const clang::VarDecl *variable) const;
  CallPath pathTo(const clang::Stmt *statement) const;
  bool namesDiffering(const clang::Stmt *expression) const;
  bool computesDiffering(const clang::Stmt *expression) const;
  bool differsByItself(const clang::Stmt *expression) const;
  void addDiffering(const clang::Stmt *expression,
                    llvm::SmallVectorImpl<const clang::Stmt *> &parts) const;
  Role roleAt(const clang::VarDecl *variable, const clang::Stmt *place) const;
  bool isSetAnewBy(const clang::Stmt *loop, const clang::VarDecl *variable) const;
  bool mayBePassedBy(const clang::Stmt *statement, const clang::Stmt *scope) const;
  std::vector<Role> roles() const;

  const VariableFacts &facts;
  const KernelEffects &effects;
  CallPath path;
  OwnDifference own;
  /// Those of the functions on the path, but `return`.
  llvm::SmallVector<const clang::Stmt *, 8> jumps;
  llvm::DenseSet<Role> divergent;
  /// A cache of effectOf(): the interpreter asks for the effect of each statement once for every
  /// thread.
  mutable std::map<const clang::Stmt *, Effect> known;
};

} // namespace tilelift

#endif
