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

/// For each load, what has written to its source since, on some path.
using Writes = SmallVector<const Stmt *, 4>;

bool join(Writes &into, const Writes &from) {
  bool changed = false;
  for (size_t i = 0; i < into.size(); ++i)
    if (!into[i] && from[i]) {
      into[i] = from[i];
      changed = true;
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
  Way(ArrayRef<const Stmt *> loads, const CopySource &source, const Stmt *goal, bool isInKernel,
      const VariableFacts &facts)
      : loads(loads), source(source), goal(goal), isInKernel(isInKernel), facts(facts) {}

  const Stmt *run(const FunctionDecl *function, ASTContext &context);

private:
  void step(Writes &writes, const Stmt *statement);

  ArrayRef<const Stmt *> loads;
  const CopySource &source;
  const Stmt *goal;
  bool isInKernel;
  const VariableFacts &facts;
  const Stmt *found = nullptr;
};

void Way::step(Writes &writes, const Stmt *statement) {
  if (facts.isWithin(statement, goal)) {
    for (const Stmt *write : writes)
      found = found ? found : write;
    return;
  }
  // What loads for certain starts anew.
  for (size_t i = 0; i < loads.size(); ++i)
    if (facts.isWithin(statement, loads[i]) && !hasBranch(loads[i]))
      writes[i] = nullptr;
  if (mayWrite(statement, source, isInKernel, facts))
    std::fill(writes.begin(), writes.end(), statement);
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
  DenseMap<const CFGBlock *, Writes> atEntry;
  SmallVector<const CFGBlock *, 16> work{&graph->getEntry()};
  atEntry[work.front()] = Writes(loads.size(), nullptr);
  while (!work.empty() && !found) {
    const CFGBlock *block = work.pop_back_val();
    Writes writes = atEntry[block];
    for (const CFGElement &element : *block)
      if (std::optional<CFGStmt> statement = element.getAs<CFGStmt>()) {
        const Stmt *whole = original.lookup(statement->getStmt());
        step(writes, whole ? whole : statement->getStmt());
      }
    for (const CFGBlock::AdjacentBlock &next : block->succs()) {
      if (!next)
        continue;
      auto [known, isNew] = atEntry.try_emplace(next, writes);
      if (isNew || join(known->second, writes))
        work.push_back(next);
    }
  }
  return found;
}

} // namespace

const Stmt *writeAfterLoad(ArrayRef<const Stmt *> loads, const CopySource &source, const Stmt *copy,
                           const CallPath &path, ASTContext &context, const VariableFacts &facts) {
  bool isLoaded = false;
  for (size_t n = 0; n < path.getFunctions().size(); ++n) {
    const FunctionDecl *function = path.getFunctions()[n];
    const Stmt *goal = n < path.getCalls().size() ? path.getCalls()[n] : copy;
    SmallVector<const Stmt *, 4> here;
    for (const Stmt *load : loads)
      if (facts.isWithin(load, function->getBody()))
        here.push_back(load);
    // What functions further out have loaded is there from the start.
    if (isLoaded)
      here.push_back(nullptr);
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
