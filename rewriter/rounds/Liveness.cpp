//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "rounds/Liveness.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/CFG.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// What a statement gives another value as a whole, or null.
const Expr *assignedBy(const Stmt *statement) {
  if (const auto *assignment = dyn_cast_or_null<BinaryOperator>(statement))
    return assignment->getOpcode() == BO_Assign ? assignment->getLHS() : nullptr;
  const auto *call = dyn_cast_or_null<CXXOperatorCallExpr>(statement);
  const auto *method = call ? dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee()) : nullptr;
  return method && method->isTrivial() && call->getOperator() == OO_Equal ? call->getArg(0)
                                                                          : nullptr;
}

/// Follows the paths that leave the statement, through it again where a loop leads back.
class Search {
public:
  Search(const VarDecl *variable, const Stmt *statement, const FunctionDecl *function,
         const VariableFacts &facts)
      : variable(variable), statement(statement), body(function->getBody()), facts(facts) {}

  bool run(const FunctionDecl *function, ASTContext &context) {
    if (isHeldByLambda(body) || facts.isReferredTo(variable))
      return true;
    CFG::BuildOptions options;
    options.setAllAlwaysAdd();
    auto graph = CFG::buildCFG(function, function->getBody(), &context, options);
    return !graph ||
           llvm::any_of(*graph, [&](const CFGBlock *block) { return isReadBehind(*block); });
  }

private:
  /// Whether a lambda has the variable itself, and reads it wherever it is called.
  bool isHeldByLambda(const Stmt *part) const {
    if (!part || part == statement)
      return false;
    const auto *lambda = dyn_cast<LambdaExpr>(part);
    bool isHeld = lambda && !facts.isWithin(statement, lambda) &&
                  llvm::any_of(lambda->captures(), [&](const LambdaCapture &capture) {
                    return capture.capturesVariable() && capture.getCapturedVar() == variable &&
                           capture.getCaptureKind() == LCK_ByRef;
                  });
    return isHeld ||
           llvm::any_of(part->children(), [&](const Stmt *child) { return isHeldByLambda(child); });
  }

  enum class Step { Nothing, Read, Set };
  using Parts = SmallVector<const Stmt *, 32>;

  /// What a block runs, but for what Clang makes of it: the calls behind threadIdx.x.
  Parts partsOf(const CFGBlock &block) const {
    Parts parts;
    for (const CFGElement &element : block)
      if (std::optional<CFGStmt> at = element.getAs<CFGStmt>())
        if (facts.isWithin(at->getStmt(), body))
          parts.push_back(at->getStmt());
    return parts;
  }

  bool isInside(const Stmt *part) const { return facts.isWithin(part, statement); }

  /// An empty block, as a loop has one behind its body, belongs to whom it leads to.
  bool isInside(const CFGBlock &empty) const {
    const Stmt *owner = empty.getLoopTarget() ? empty.getLoopTarget() : empty.getTerminatorStmt();
    return owner && isInside(owner);
  }
  bool beginsInside(const CFGBlock &block) const {
    Parts parts = partsOf(block);
    return parts.empty() ? isInside(block) : isInside(parts.front());
  }

  bool isVariable(const Expr *expression) const {
    const auto *reference = dyn_cast<DeclRefExpr>(expression->IgnoreParens());
    return reference && reference->getDecl() == variable;
  }

  /// The member or element of the variable that an expression is part of the name of.
  const Stmt *placeNamedBy(const Stmt *reference) const {
    const Stmt *place = reference;
    while (const Stmt *parent = facts.parentOf(place)) {
      const auto *cast = dyn_cast<ImplicitCastExpr>(parent);
      const auto *member = dyn_cast<MemberExpr>(parent);
      const auto *subscript = dyn_cast<ArraySubscriptExpr>(parent);
      bool goesOn = isa<ParenExpr>(parent) || (member && !member->isArrow()) ||
                    (cast && cast->getCastKind() == CK_ArrayToPointerDecay) ||
                    (subscript && subscript->getBase() == place);
      if (!goesOn)
        break;
      place = parent;
    }
    return place;
  }

  Step stepAt(const Stmt *part) const {
    if (const auto *declaration = dyn_cast<DeclStmt>(part))
      return llvm::is_contained(declaration->decls(), variable) ? Step::Set : Step::Nothing;
    if (const Expr *target = assignedBy(part))
      return isVariable(target) ? Step::Set : Step::Nothing;
    const auto *reference = dyn_cast<DeclRefExpr>(part);
    if (!reference || variableNamed(reference) != variable)
      return Step::Nothing;
    const Stmt *place = placeNamedBy(reference);
    return assignedBy(facts.parentOf(place)) == place ? Step::Nothing : Step::Read;
  }

  /// Whether the variable is read on a path that leaves the statement in this block, or at
  /// its end.
  bool isReadBehind(const CFGBlock &block) const {
    Parts parts = partsOf(block);
    for (size_t i = 1; i < parts.size(); ++i)
      if (isInside(parts[i - 1]) && !isInside(parts[i]) && isReadFrom(block, i))
        return true;
    bool endsInside = parts.empty() ? isInside(block) : isInside(parts.back());
    return endsInside && llvm::any_of(block.succs(), [&](const CFGBlock *next) {
             return next && !beginsInside(*next) && isReadFrom(*next, 0);
           });
  }

  bool isReadFrom(const CFGBlock &first, size_t from) const {
    if (std::optional<bool> known = firstUse(first, from))
      return *known;
    SmallVector<const CFGBlock *, 16> work{&first};
    DenseSet<const CFGBlock *> seen;
    while (!work.empty())
      for (const CFGBlock *next : work.pop_back_val()->succs()) {
        if (!next || !seen.insert(next).second)
          continue;
        std::optional<bool> known = firstUse(*next, 0);
        if (known.value_or(false))
          return true;
        if (!known)
          work.push_back(next);
      }
    return false;
  }

  /// Whether a block reads the variable before it sets it, if it does either.
  std::optional<bool> firstUse(const CFGBlock &block, size_t from) const {
    Parts parts = partsOf(block);
    for (const Stmt *part : ArrayRef(parts).drop_front(from)) {
      // What is neither a number nor a pointer has no known value in the next round.
      if (isInside(part) && !variable->getType()->isScalarType())
        return false;
      if (Step step = stepAt(part); step != Step::Nothing)
        return step == Step::Read;
    }
    return std::nullopt;
  }

  const VarDecl *variable;
  const Stmt *statement, *body;
  const VariableFacts &facts;
};

} // namespace

bool isLiveAfter(const VarDecl *variable, const Stmt *statement, const FunctionDecl *function,
                 ASTContext &context, const VariableFacts &facts) {
  return Search(variable, statement, function, facts).run(function, context);
}

} // namespace tilelift
