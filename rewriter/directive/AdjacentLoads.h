//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Annotated loads that stand one right behind another, with the same pragma. Authors write a copy
// of four rows as four statements, of which each leaves gaps in the tile that the others fill:
//
//   #pragma tma load
//     tile[4 * y][x] = a[4 * y * pitch + x];
//   #pragma tma load
//     tile[4 * y + 1][x] = a[(4 * y + 1) * pitch + x];
//
// Here it is found out which these are, and the syntax tree is changed to what it would be if they
// stood in braces behind the first pragma. Whether that makes a better copy is asked elsewhere
// (writable/SplitCopies.h).
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_DIRECTIVE_ADJACENTLOADS_H
#define TILELIFT_DIRECTIVE_ADJACENTLOADS_H

#include "directive/PragmaReader.h"

#include "clang/AST/ASTContext.h"

namespace tilelift {

/// Two and more directives, in the order of the text.
using AdjacentLoads = std::vector<const Directive *>;

/// The longest runs of adjacent loads. Each directive is in one of them at most.
std::vector<AdjacentLoads> adjacentLoads(clang::ASTContext &context, const DirectiveList &list);

/// The list, with each of the runs as a single directive.
DirectiveList withJoined(const DirectiveList &list, llvm::ArrayRef<AdjacentLoads> runs);

/// As long as it lives, the statements of each run are one block of the syntax tree, in all
/// instances of their functions.
class JoinedStatements {
public:
  JoinedStatements(clang::ASTContext &context, llvm::ArrayRef<AdjacentLoads> runs);
  ~JoinedStatements();
  JoinedStatements(const JoinedStatements &) = delete;
  JoinedStatements &operator=(const JoinedStatements &) = delete;

private:
  clang::ASTContext &context;
  std::vector<std::pair<clang::Stmt **, clang::Stmt *>> statements;
  std::vector<std::pair<clang::FunctionDecl *, clang::Stmt *>> bodies;
};

} // namespace tilelift

#endif
