//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function with lifted copies, as the analyses of what orders them see it: its
// control flow, in which a copy is one step, and what each other statement does to
// the tiles. Paths that are inside a copy are kept apart from those that are not.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_RELATION_BLOCKFLOW_H
#define TILELIFT_RELATION_BLOCKFLOW_H

#include "relation/BarrierFacts.h"
#include "support/VariableFacts.h"

#include "clang/Analysis/CFG.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>

namespace tilelift {

/// What statements do to memory that threads share.
struct MemoryTraffic {
  /// Bit k speaks of the tile of copy k.
  uint64_t read = 0, written = 0;
  /// Any other.
  bool readsShared = false, storesShared = false;
  bool readsGlobal = false, storesGlobal = false;

  bool any() const { return (read | written) != 0 || readsShared || readsGlobal || stores(); }
  bool stores() const { return storesShared || storesGlobal; }
  void add(const MemoryTraffic &other);
  bool operator==(const MemoryTraffic &other) const;
  /// Whether it matters which of two comes first.
  bool clashesWith(const MemoryTraffic &other) const;
  /// All that code may do of which nothing is known.
  static MemoryTraffic everything();
};

class BlockFlow {
public:
  BlockFlow(const clang::FunctionDecl *function, clang::ASTContext &context,
            const std::vector<LiftedStatement> &copies);

  /// A bit for each copy to or from the variable.
  uint64_t copiesOf(const clang::VarDecl *tile) const;
  MemoryTraffic trafficOf(const clang::Stmt *statement) const;
  std::optional<size_t> copyAround(const clang::Stmt *statement) const;
  const clang::Stmt *getBody() const { return body; }

  /// Takes a state from the entry through all paths until nothing changes any more.
  /// `step` is told of each statement and, if it is part of one, of the copy.
  template <typename State>
  void run(State entry,
           llvm::function_ref<void(State &, const clang::Stmt *, std::optional<size_t>)> step) {
    if (!graph)
      return;
    std::map<std::pair<unsigned, size_t>, State> atEntry;
    using Point = std::pair<const clang::CFGBlock *, std::optional<size_t>>;
    auto keyOf = [](const Point &point) {
      return std::pair(point.first->getBlockID(), point.second ? *point.second + 1 : 0);
    };
    llvm::SmallVector<Point, 16> work{{&graph->getEntry(), std::nullopt}};
    atEntry.emplace(keyOf(work.front()), std::move(entry));
    while (!work.empty()) {
      auto [block, inside] = work.pop_back_val();
      State state = atEntry.find(keyOf({block, inside}))->second;
      for (const clang::CFGElement &element : *block)
        if (std::optional<clang::CFGStmt> statement = element.getAs<clang::CFGStmt>()) {
          inside = copyAround(statement->getStmt());
          step(state, statement->getStmt(), inside);
        }
      for (const clang::CFGBlock::AdjacentBlock &next : block->succs()) {
        if (!next)
          continue;
        auto [known, isNew] = atEntry.try_emplace(keyOf({next, inside}), state);
        if (isNew || known->second.join(state))
          work.push_back({next, inside});
      }
    }
  }

  bool isKernel;
  VariableFacts facts;

private:
  void findAliased(const clang::Stmt *statement, bool inLambda = false);
  void findQuiet();
  bool mayPointToShared(const clang::Expr *pointer) const;
  void addTraffic(const clang::Stmt *statement, Use use, MemoryTraffic &traffic) const;
  void addNamed(const clang::Stmt *statement, Use use, MemoryTraffic &traffic) const;
  void addPointed(const clang::Expr *pointer, Use use, MemoryTraffic &traffic) const;
  void addCalled(const clang::Stmt *statement, MemoryTraffic &traffic) const;

  const std::vector<LiftedStatement> &copies;
  const clang::Stmt *body;
  std::unique_ptr<clang::CFG> graph;
  llvm::DenseMap<const clang::Stmt *, const clang::Stmt *> original;
  /// Copies of tiles whose address is kept somewhere: any pointer may lead there.
  uint64_t aliased = 0;
  /// Those that TMA fills once the threads have given them back, and nobody else writes to:
  /// who reads them is in no thread's way.
  uint64_t quiet = 0;
  /// What was asked of statements before: paths lead there again and again.
  mutable llvm::DenseMap<const clang::Stmt *, MemoryTraffic> seen;
};

} // namespace tilelift

#endif
