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
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <string>
#include <tuple>

namespace clang {
class FunctionDecl;
class SourceManager;
class Stmt;
} // namespace clang

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

/// The statements of a function's body by their spots.
class SpotTable {
public:
  explicit SpotTable(const clang::FunctionDecl *function);

  llvm::ArrayRef<const clang::Stmt *> at(const Spot &spot) const;
  const clang::Stmt *parentOf(const clang::Stmt *statement) const {
    return parents.lookup(statement);
  }
  bool isWithin(const clang::Stmt *inner, const clang::Stmt *outer) const;
  /// A call, in its place in the function, may be found at several spots.
  bool isAt(const clang::Stmt *statement, const Spot &spot) const;

private:
  void add(const clang::Stmt *statement, const clang::Stmt *parent);
  void addAt(clang::SourceLocation location, const clang::Stmt *statement);

  const clang::SourceManager &sources;
  std::map<Spot, llvm::SmallVector<const clang::Stmt *, 2>> statements;
  llvm::DenseMap<const clang::Stmt *, const clang::Stmt *> parents;
};

} // namespace tilelift

#endif
