//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "relation/Liveness.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/CFG.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

class Search {
public:
  Search(const VarDecl *variable, const Stmt *statement, const VariableFacts &facts)
      : variable(variable), statement(statement), facts(facts) {}

  bool run(const FunctionDecl *function, ASTContext &context) {
    CFG::BuildOptions options;
    options.setAllAlwaysAdd();
    auto graph = CFG::buildCFG(function, function->getBody(), &context, options);
    if (!graph)
      return true;
    for (const CFGBlock *block : *graph)
      if (isReadFrom(*block))
        return true;
    return false;
  }

private:
  enum class Step { Outside, Inside, Read, Set };

  Step stepAt(const CFGElement &element) const {
    std::optional<CFGStmt> at = element.getAs<CFGStmt>();
    if (!at)
      return Step::Outside;
    const Stmt *part = at->getStmt();
    if (facts.isWithin(part, statement))
      return Step::Inside;
    if (const auto *declaration = dyn_cast<DeclStmt>(part))
      return llvm::is_contained(declaration->decls(), variable) ? Step::Set : Step::Outside;
    if (const auto *assignment = dyn_cast<BinaryOperator>(part);
        assignment && assignment->getOpcode() == BO_Assign && isVariable(assignment->getLHS()))
      return Step::Set;
    const auto *reference = dyn_cast<DeclRefExpr>(part);
    bool isTarget = reference && isAssigned(reference);
    return reference && reference->getDecl() == variable && !isTarget ? Step::Read : Step::Outside;
  }

  bool isVariable(const Expr *expression) const {
    const auto *reference = dyn_cast<DeclRefExpr>(expression->IgnoreParens());
    return reference && reference->getDecl() == variable;
  }

  bool isAssigned(const Stmt *reference) const {
    const auto *parent = dyn_cast_or_null<BinaryOperator>(facts.parentOf(reference));
    return parent && parent->getOpcode() == BO_Assign && parent->getLHS() == reference;
  }

  /// What happens first behind the statement's last part in a block, if it has one and
  /// anything does.
  std::optional<Step> firstBehind(const CFGBlock &block, bool &hasPart) const {
    std::optional<Step> first;
    hasPart = false;
    for (const CFGElement &element : block) {
      Step step = stepAt(element);
      hasPart |= step == Step::Inside;
      if (step == Step::Inside)
        first.reset();
      else if (step != Step::Outside && !first)
        first = step;
    }
    return first;
  }

  std::optional<Step> firstIn(const CFGBlock &block) const {
    for (const CFGElement &element : block)
      if (Step step = stepAt(element); step != Step::Outside)
        return step;
    return std::nullopt;
  }

  bool isReadFrom(const CFGBlock &block) const {
    bool hasPart = false;
    std::optional<Step> first = firstBehind(block, hasPart);
    if (!hasPart || first)
      return hasPart && first == Step::Read;
    // Paths through other parts of the statement begin there.
    SmallVector<const CFGBlock *, 16> work{&block};
    DenseSet<const CFGBlock *> seen;
    while (!work.empty()) {
      for (const CFGBlock::AdjacentBlock &next : work.pop_back_val()->succs()) {
        const CFGBlock *target = next;
        if (!target || !seen.insert(target).second)
          continue;
        std::optional<Step> step = firstIn(*target);
        if (step == Step::Read)
          return true;
        if (!step)
          work.push_back(target);
      }
    }
    return false;
  }

  const VarDecl *variable;
  const Stmt *statement;
  const VariableFacts &facts;
};

} // namespace

bool isLiveAfter(const VarDecl *variable, const Stmt *statement, const FunctionDecl *function,
                 ASTContext &context, const VariableFacts &facts) {
  return Search(variable, statement, facts).run(function, context);
}

} // namespace tilelift
