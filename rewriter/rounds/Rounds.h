//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rounds of a loop, as far as syntax tells them: what each of them runs, what
// moves by the same from one to the next, and whether a thread that runs ahead of the
// loop could evaluate its condition.
//
// Values are not followed here; that some variable has one is for the interpreter.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ROUNDS_ROUNDS_H
#define TILELIFT_ROUNDS_ROUNDS_H

#include "effects/Uniformity.h"
#include "support/Diagnostics.h"

#include <string>
#include <variant>

namespace tilelift {

/// Whether a jump in the body may end a round early or leave the loop.
bool leavesRound(const clang::Stmt *body);
/// Whether each round of the loop, but the one that leaves it, runs the statement once.
bool runsEachRound(const clang::Stmt *statement, const clang::Stmt *loop,
                   const VariableFacts &facts);
/// Whether a statement is a part of the loop's condition that runs whenever that is asked.
bool runsWithCondition(const clang::Stmt *statement, const clang::Stmt *loop,
                       const VariableFacts &facts);
/// Why an expression may be something else, or do something, when it is asked once more; as
/// in "changes a variable".
std::optional<std::string> whyImpure(const clang::Stmt *expression, const Uniformity &uniformity);
bool mentionsAny(const clang::Stmt *expression, llvm::ArrayRef<const clang::VarDecl *> variables);

/// A variable that each round changes by the same amount, which nothing in the loop changes; so its
/// value in one round gives its value in the next.
struct Cursor {
  const clang::VarDecl *variable = nullptr;
  /// What a `for` sets it to; null if it keeps what it was.
  const clang::Expr *start = nullptr;
  llvm::SmallVector<Change, 2> steps;
};

struct Rounds {
  const clang::Stmt *loop = nullptr;
  const clang::Expr *condition = nullptr;
  llvm::SmallVector<Cursor, 2> cursors;

  const Cursor *find(const clang::VarDecl *variable) const;
};

/// Returns the rounds of a loop, or the reason why its condition cannot be evaluated in an earlier
/// round.
std::variant<Rounds, Diagnostic> findRounds(const clang::Stmt *loop, const Uniformity &uniformity,
                                            const clang::SourceManager &sources);

} // namespace tilelift

#endif
