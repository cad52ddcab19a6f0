//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a pipeline may issue a copy some rounds ahead of the round that uses it, into another
// tile of a ring, and which names of the loop are valid there.
//
// Read off the syntax, without following values, and on the safe side.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_FACTS_COPYAHEAD_H
#define TILELIFT_FACTS_COPYAHEAD_H

#include "interpreter/Interpreter.h"
#include "relation/BaseObjects.h"
#include "rounds/Rounds.h"

#include "llvm/ADT/StringSet.h"

namespace tilelift {

/// A copy in a loop, with its tile and its tensor.
struct CopyInLoop {
  const clang::Stmt *statement = nullptr;
  const clang::VarDecl *tile = nullptr;
  const GlobalBase *tensor = nullptr;
};

/// A condition that a round evaluates on its way to a copy. `isElse`: the copy is reached if the
/// condition is false, not if it is true.
struct BranchCondition {
  const clang::Expr *condition = nullptr;
  bool isElse = false;
};

/// The place of a copy in a round. `block` is the loop's body or, if the copy stands under an `if`
/// other than `if constexpr`, the branch of the innermost such `if`. `branches` are the conditions
/// on the way to the copy, the innermost first.
struct PlaceInRound {
  const clang::CompoundStmt *block = nullptr;
  /// The copy with the nested `{ ... }` and `if constexpr` statements around it that stand in
  /// `block`; the copy itself if there are none.
  const clang::Stmt *statement = nullptr;
  llvm::SmallVector<BranchCondition, 2> branches;
  /// The statements `if (...) continue;` whose conditions are among `branches`.
  llvm::SmallVector<const clang::Stmt *, 2> skips;
};
/// Finds the place of a copy in a round. Nothing if the copy stands in an inner loop, in a
/// `switch`, in a statement without braces, or in an `if` that declares a variable.
std::optional<PlaceInRound> placeInRound(const clang::Stmt *copy, const Rounds &rounds,
                                         const VariableFacts &facts);

/// The reason why the copy has to be made in its own round, or nothing.
std::optional<Diagnostic> whyNotAhead(const CopyInLoop &copy, const Rounds &rounds,
                                      const KernelUnderTest &kernel);

/// The statement of a round that writes the tile which `store` stores. Null unless it stands before
/// the store, uses the tile only to assign to its elements, and no other statement of the kernel
/// names the tile.
const clang::Stmt *onlyWriter(const CopyInLoop &store, const Rounds &rounds,
                              const KernelUnderTest &kernel);

/// The names that a copy can use ahead of its round: names of variables that the loop does not
/// change, and names of cursors that a round does not change before the copy. For each cursor, the
/// pipeline has a variable of its own.
class NamesAhead {
public:
  NamesAhead(const clang::Stmt *copy, const Rounds &rounds, const KernelUnderTest &kernel);

  bool has(llvm::StringRef name) const;
  /// The cursor of that name, or null.
  const Cursor *cursorOf(llvm::StringRef name) const;
  /// Whether text that was read at the copy has the same value ahead of the round, as none of the
  /// variables that it names is changed by the loop.
  bool isSame(llvm::StringRef text) const;

private:
  llvm::StringSet<> changed;
  llvm::SmallVector<const Cursor *, 2> cursors;
};

} // namespace tilelift

#endif
