//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which statements stand where debug information says that an instruction was
// written: the same line, column and file name, counted in the same way, after
// macros and `#line`. Several statements may share a spot.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_SOURCESPOTS_H
#define TILELIFT_EFFECTS_SOURCESPOTS_H

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <set>
#include <string>
#include <tuple>

namespace clang {
class FunctionDecl;
class SourceManager;
class Stmt;
} // namespace clang

namespace llvm {
class DILocation;
}

namespace tilelift {

struct Spot {
  unsigned line = 0, column = 0;
  std::string file;

  bool isKnown() const { return line != 0; }
  bool operator<(const Spot &other) const {
    return std::tie(line, column, file) < std::tie(other.line, other.column, other.file);
  }
};

/// Unknown where the location is none.
Spot spotAt(const clang::SourceManager &sources, clang::SourceLocation location);
/// The same of an instruction's location in LLVM IR.
Spot spotAt(const llvm::DILocation &location);

/// The statements of a function's body by their spots.
class SpotTable {
public:
  explicit SpotTable(const clang::FunctionDecl *function);

  llvm::ArrayRef<const clang::Stmt *> at(const Spot &spot) const;
  const clang::Stmt *parentOf(const clang::Stmt *statement) const {
    return places.lookup(statement).parent;
  }
  /// Whether a statement is one of the function's.
  bool has(const clang::Stmt *statement) const { return places.contains(statement); }
  bool isWithin(const clang::Stmt *inner, const clang::Stmt *outer) const;
  /// Whether some statement of `here`, the statements at one spot as at() returns them, is `outer`
  /// or a part of it.
  bool isAnyWithin(llvm::ArrayRef<const clang::Stmt *> here, const clang::Stmt *outer) const;
  /// Whether some statement of those at a spot is neither within another one nor around it.
  bool isAnyApart(llvm::ArrayRef<const clang::Stmt *> here, const clang::Stmt *other) const;
  /// Whether statements at different places of the program have a spot in common, as `#line` makes
  /// them.
  bool isShared(const Spot &spot) const { return shared.count(spot) != 0; }

private:
  /// In the order of a walk that comes to a statement before its parts: those of a statement
  /// have the numbers from its own one to the last.
  struct Place {
    const clang::Stmt *parent = nullptr;
    unsigned number = 0, last = 0;
  };

  void add(const clang::Stmt *statement, const clang::Stmt *parent);
  unsigned numberOf(const clang::Stmt *statement) const { return places.lookup(statement).number; }
  void addAt(clang::SourceLocation location, const clang::Stmt *statement);
  /// Adds `statement` at all spots that debug information may give to an instruction of `of`.
  void addSpots(const clang::Stmt *of, const clang::Stmt *statement);
  /// The same for `of` with all of its parts.
  void addSpotsOf(const clang::Stmt *of, const clang::Stmt *statement,
                  llvm::SmallPtrSetImpl<const clang::Stmt *> &seen);

  const clang::SourceManager &sources;
  /// Those of a spot by their numbers.
  std::map<Spot, llvm::SmallVector<const clang::Stmt *, 2>> statements;
  /// The first place that was found to have a spot, and the spots that have another one, too.
  std::map<Spot, clang::SourceLocation> first;
  std::set<Spot> shared;
  llvm::DenseMap<const clang::Stmt *, Place> places;
};

} // namespace tilelift

#endif
