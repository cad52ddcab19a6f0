//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a copy in a loop may be made rounds ahead of the one that uses it, into a
// tile of its own, and what it can be told in names there.
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

/// A copy in a loop, and what it fills and reads.
struct CopyInLoop {
  const clang::Stmt *statement = nullptr;
  const clang::VarDecl *tile = nullptr;
  const GlobalBase *source = nullptr;
};

/// A question that a round asks on its way to a copy, and the answer that leads there.
struct Turn {
  const clang::Expr *condition = nullptr;
  bool isElse = false;
};

/// Where in a round a copy stands: in which block, and which way there.
struct PlaceInRound {
  const clang::CompoundStmt *block = nullptr;
  /// The copy, or the block by itself that it stands in.
  const clang::Stmt *statement = nullptr;
  llvm::SmallVector<Turn, 2> turns;
  /// The `if (...) continue;` among what the turns are made of.
  llvm::SmallVector<const clang::Stmt *, 2> skips;
};
/// Nothing where more than conditions lead there.
std::optional<PlaceInRound> placeInRound(const clang::Stmt *copy, const Rounds &rounds,
                                         const VariableFacts &facts);

/// Why it has to be made in its own round, if it has to.
std::optional<Diagnostic> whyNotAhead(const CopyInLoop &copy, const Rounds &rounds,
                                      const KernelUnderTest &kernel);

/// The statement of a round that writes to a tile, where all that the round does with it is
/// to write it there and then to store it; else null.
const clang::Stmt *onlyWriter(const CopyInLoop &store, const Rounds &rounds,
                              const KernelUnderTest &kernel);

/// The names that a copy ahead of its round can use: those of what the loop leaves alone,
/// and those of its cursors, each of which it has another variable for.
class NamesAhead {
public:
  NamesAhead(const clang::Stmt *copy, const Rounds &rounds, const KernelUnderTest &kernel);

  bool has(llvm::StringRef name) const;
  /// The cursor of that name, or null.
  const Cursor *cursorOf(llvm::StringRef name) const;
  /// Whether some text that was read at the copy says the same ahead of it.
  bool isSame(llvm::StringRef text) const;

private:
  llvm::StringSet<> changed;
  llvm::SmallVector<const Cursor *, 2> cursors;
};

} // namespace tilelift

#endif
