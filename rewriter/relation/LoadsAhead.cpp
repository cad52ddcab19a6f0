//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "relation/LoadsAhead.h"

#include "support/VariableFacts.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Analysis/CFG.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Of a load, on some path: whether it was made, and what has written to its source since.
struct Fate {
  bool isMade = false;
  const Stmt *write = nullptr;
};
using Fates = SmallVector<Fate, 4>;

bool join(Fates &into, const Fates &from) {
  bool changed = false;
  for (size_t i = 0; i < into.size(); ++i) {
    changed |= (from[i].isMade && !into[i].isMade) || (from[i].write && !into[i].write);
    into[i].isMade |= from[i].isMade;
    into[i].write = into[i].write ? into[i].write : from[i].write;
  }
  return changed;
}

bool hasBranch(const Stmt *statement) {
  return statement && (isa<IfStmt, ForStmt, WhileStmt, DoStmt, SwitchStmt,
                           AbstractConditionalOperator, LambdaExpr>(statement) ||
                       llvm::any_of(statement->children(), hasBranch));
}

/// One function on the way to the copy.
class Way {
public:
  Way(ArrayRef<LoadAhead> loads, const CopySource &source, const Stmt *goal, bool isInKernel,
      const VariableFacts &facts)
      : loads(loads), source(source), goal(goal), isInKernel(isInKernel), facts(facts) {}

  const Stmt *run(const FunctionDecl *function, ASTContext &context);

private:
  void step(Fates &fates, const Stmt *statement);

  ArrayRef<LoadAhead> loads;
  const CopySource &source;
  const Stmt *goal;
  bool isInKernel;
  const VariableFacts &facts;
  const Stmt *found = nullptr;
};

void Way::step(Fates &fates, const Stmt *statement) {
  if (facts.isWithin(statement, goal)) {
    for (const Fate &fate : fates)
      found = found ? found : fate.write;
    return;
  }
  bool writes = mayWrite(statement, source, isInKernel, facts);
  for (size_t i = 0; i < loads.size(); ++i) {
    if (facts.isWithin(statement, loads[i].statement)) {
      fates[i].isMade = true;
      // What loads for certain starts anew.
      if (!loads[i].isOfRoundBefore && !hasBranch(loads[i].statement))
        fates[i].write = nullptr;
    }
    if (writes && fates[i].isMade)
      fates[i].write = statement;
  }
}

const Stmt *Way::run(const FunctionDecl *function, ASTContext &context) {
  std::unique_ptr<CFG> graph =
      CFG::buildCFG(function, function->getBody(), &context, CFG::BuildOptions());
  if (!graph)
    return goal;
  // The graph splits `int a, b;` in two.
  DenseMap<const Stmt *, const Stmt *> original;
  for (const auto &[part, whole] : graph->synthetic_stmts())
    original[part] = whole;
  DenseMap<const CFGBlock *, Fates> atEntry;
  SmallVector<const CFGBlock *, 16> work{&graph->getEntry()};
  // What was loaded further out is there from the start.
  for (const LoadAhead &load : loads)
    atEntry[work.front()].push_back({!load.statement, nullptr});
  while (!work.empty() && !found) {
    const CFGBlock *block = work.pop_back_val();
    Fates fates = atEntry[block];
    for (const CFGElement &element : *block)
      if (std::optional<CFGStmt> statement = element.getAs<CFGStmt>()) {
        const Stmt *whole = original.lookup(statement->getStmt());
        step(fates, whole ? whole : statement->getStmt());
      }
    for (const CFGBlock::AdjacentBlock &next : block->succs()) {
      if (!next)
        continue;
      auto [known, isNew] = atEntry.try_emplace(next, fates);
      if (isNew || join(known->second, fates))
        work.push_back(next);
    }
  }
  return found;
}

} // namespace

const Stmt *writeAfterLoad(ArrayRef<LoadAhead> loads, const CopySource &source, const Stmt *copy,
                           const CallPath &path, ASTContext &context, const VariableFacts &facts) {
  bool isLoaded = llvm::any_of(loads, [](const LoadAhead &load) { return !load.statement; });
  for (size_t n = 0; n < path.getFunctions().size(); ++n) {
    const FunctionDecl *function = path.getFunctions()[n];
    const Stmt *goal = n < path.getCalls().size() ? path.getCalls()[n] : copy;
    SmallVector<LoadAhead, 4> here;
    for (const LoadAhead &load : loads)
      if (facts.isWithin(load.statement, function->getBody()))
        here.push_back(load);
    if (isLoaded)
      here.push_back({});
    isLoaded = !here.empty();
    if (!isLoaded)
      continue;
    if (const Stmt *write =
            Way(here, source, goal, function == path.kernel(), facts).run(function, context))
      return write;
  }
  return nullptr;
}

} // namespace tilelift
