//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "effects/Uniformity.h"
#include "support/Builtins.h"

#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/TargetBuiltins.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Conditions that decide whether `child` of `statement` is executed.
const Expr *controlOf(const Stmt *statement, const Stmt *child) {
  if (const auto *branch = dyn_cast<IfStmt>(statement))
    return child == branch->getCond() ? nullptr : branch->getCond();
  if (const auto *loop = dyn_cast<ForStmt>(statement))
    return child == loop->getInit() ? nullptr : loop->getCond();
  if (const auto *loop = dyn_cast<CXXForRangeStmt>(statement))
    return child == loop->getBody() ? loop->getCond() : nullptr;
  if (const auto *loop = dyn_cast<WhileStmt>(statement))
    return loop->getCond();
  if (const auto *loop = dyn_cast<DoStmt>(statement))
    return loop->getCond();
  if (const auto *choice = dyn_cast<SwitchStmt>(statement))
    return choice->getCond();
  if (const auto *choice = dyn_cast<AbstractConditionalOperator>(statement))
    return child == choice->getCond() ? nullptr : choice->getCond();
  const auto *logical = dyn_cast<BinaryOperator>(statement);
  return logical && logical->isLogicalOp() && child == logical->getRHS() ? logical->getLHS()
                                                                         : nullptr;
}

/// Whether a call is a vote of the whole block, as __syncthreads_or makes one: its value is the
/// same for all threads, whatever they vote. A function that only returns such a call is one, too.
bool isVote(const Stmt *expression, unsigned deepest = 4) {
  const auto *call = dyn_cast<CallExpr>(expression);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || deepest == 0)
    return false;
  if (const unsigned builtin = deviceBuiltin(callee))
    return builtin == NVPTX::BI__nvvm_bar0_and || builtin == NVPTX::BI__nvvm_bar0_or ||
           builtin == NVPTX::BI__nvvm_bar0_popc;
  const auto *body = dyn_cast_or_null<CompoundStmt>(callee->getBody());
  const auto *result =
      body && body->size() == 1 ? dyn_cast<ReturnStmt>(body->body_front()) : nullptr;
  const Expr *value = result ? result->getRetValue() : nullptr;
  return value && isVote(value->IgnoreParenImpCasts(), deepest - 1);
}

void addVotes(const Stmt *expression, SmallVectorImpl<const Stmt *> &votes) {
  if (!expression)
    return;
  if (isVote(expression))
    return votes.push_back(expression);
  for (const Stmt *child : expression->children())
    addVotes(child, votes);
}

/// All jumps in a function's text but `return`, and not those of lambdas in it.
void addJumps(const Stmt *statement, SmallVectorImpl<const Stmt *> &jumps) {
  if (!statement || isa<LambdaExpr>(statement))
    return;
  if (isa<BreakStmt, ContinueStmt, GotoStmt, IndirectGotoStmt>(statement))
    jumps.push_back(statement);
  for (const Stmt *child : statement->children())
    addJumps(child, jumps);
}

/// Whether an assignment runs wherever a head of a loop does, as `k = 0` in `j = 1, i = k = 0`.
bool isAlwaysRun(const Stmt *assignment, const Stmt *head, const VariableFacts &facts) {
  for (const Stmt *at = assignment; at != head; at = facts.parentOf(at)) {
    const auto *binary = dyn_cast_or_null<BinaryOperator>(facts.parentOf(at));
    const bool passesOn = isa_and_nonnull<ParenExpr, CastExpr, FullExpr>(facts.parentOf(at)) ||
                          (binary && !binary->isLogicalOp());
    if (!passesOn)
      return false;
  }
  return true;
}

} // namespace

Uniformity::Uniformity(const VariableFacts &facts, const KernelEffects &effects,
                       const CallPath &path, OwnDifference own)
    : facts(facts), effects(effects), path(path), own(std::move(own)) {
  for (const FunctionDecl *function : path.getFunctions())
    addJumps(function->getBody(), jumps);
  findDivergent();
}

/// As far as the function that a statement stands in.
CallPath Uniformity::pathTo(const Stmt *statement) const {
  size_t depth = path.getFunctions().size();
  while (depth > 1 && !facts.isWithin(statement, path.getFunctions()[depth - 1]->getBody()))
    --depth;
  return path.first(depth);
}

std::pair<const Stmt *, std::string> Uniformity::howThreadsEnd(const Stmt *statement) const {
  const Stmt *part = statement;
  for (const Stmt *inner = part; inner;) {
    part = inner;
    auto next = llvm::find_if(part->children(),
                              [&](const Stmt *child) { return child && mayEndThread(child); });
    inner = next == part->child_end() ? nullptr : *next;
  }
  return {part, effectOf(part).isUnknown ? "they may end here, as what is called is not followed"
                                         : "they may end here"};
}

const Effect &Uniformity::effectOf(const Stmt *statement) const {
  auto [effect, isNew] = known.try_emplace(statement);
  if (isNew)
    effect->second = effects.of(statement, pathTo(statement));
  return effect->second;
}

/// By what it is or does, not by what it is made of.
bool Uniformity::differsByItself(const Stmt *expression) const {
  if (const auto *reference = dyn_cast<DeclRefExpr>(expression)) {
    const VarDecl *variable = variableNamed(reference);
    if (!variable)
      return false;
    if (variable->hasLocalStorage() && !facts.knows(variable))
      return true;
    return isThreadIndex(variable) || divergent.contains(roleAt(variable, reference)) ||
           (variable->hasLocalStorage() && facts.escapes(variable));
  }
  if (const auto *value = dyn_cast<Expr>(expression);
      value && value->isGLValue() && value->getType().isVolatileQualified())
    return true;
  if (!isa<CallExpr, CXXConstructExpr, AsmStmt>(expression))
    return false;
  Effect effect = effectOf(expression);
  return effect.differs || effect.varies;
}

/// The text tells of variables, whatever is done with them; the code of all values that are
/// computed there.
bool Uniformity::mayDiffer(const Stmt *expression) const {
  if (!expression)
    return false;
  if (own)
    if (std::optional<bool> known = own(expression))
      return *known;
  return namesDiffering(expression) || computesDiffering(expression);
}

/// The arguments of a vote may differ between threads; its result does not.
bool Uniformity::computesDiffering(const Stmt *expression) const {
  SmallVector<const Stmt *, 2> votes;
  addVotes(expression, votes);
  return expression && !isVote(expression) &&
         effects.mayDiffer(expression, pathTo(expression), votes);
}

bool Uniformity::namesDiffering(const Stmt *expression) const {
  if (!expression)
    return false;
  if (own)
    if (std::optional<bool> known = own(expression))
      return *known;
  if (const auto *opaque = dyn_cast<OpaqueValueExpr>(expression)) // as in threadIdx.x
    return namesDiffering(opaque->getSourceExpr());
  if (const auto *pseudo = dyn_cast<PseudoObjectExpr>(expression))
    return namesDiffering(pseudo->getSyntacticForm());
  if (isVote(expression))
    return false;
  return differsByItself(expression) ||
         llvm::any_of(expression->children(),
                      [&](const Stmt *child) { return namesDiffering(child); });
}

/// The innermost parts that may differ by themselves.
void Uniformity::addDiffering(const Stmt *expression, SmallVectorImpl<const Stmt *> &parts) const {
  if (!namesDiffering(expression))
    return;
  const size_t before = parts.size();
  for (const Stmt *child : expression->children())
    addDiffering(child, parts);
  if (parts.size() == before)
    parts.push_back(expression);
}

std::string Uniformity::describeDifference(const Stmt *expression) const {
  const std::string differs = "may differ between threads";
  SmallVector<const Stmt *, 4> parts;
  addDiffering(expression, parts);
  const VarDecl *escaped = nullptr;
  for (const Stmt *part : parts) {
    const auto *reference = dyn_cast<DeclRefExpr>(part);
    const VarDecl *variable = reference ? variableNamed(reference) : nullptr;
    if (!variable || isThreadIndex(variable))
      return differs;
    if (variable->hasLocalStorage() && facts.escapes(variable))
      escaped = variable;
  }
  return escaped
             ? differs + ": '" + escaped->getNameAsString() + "' " + facts.describeEscape(escaped)
             : differs;
}

const Expr *Uniformity::divergentControlOf(const Stmt *statement, const Stmt *outermost) const {
  for (const Stmt *child = statement; const Stmt *parent = facts.parentOf(child); child = parent) {
    if (const Expr *condition = controlOf(parent, child))
      if (mayDiffer(condition))
        return condition;
    if (parent == outermost)
      return nullptr;
  }
  return nullptr;
}

bool Uniformity::mayPart(const Stmt *statement) const {
  SmallVector<const Stmt *, 16> work{statement};
  while (!work.empty()) {
    const Stmt *next = work.pop_back_val();
    if (!next || isa<LambdaExpr>(next))
      continue;
    const bool isJump = isa<ReturnStmt, BreakStmt, ContinueStmt, GotoStmt, IndirectGotoStmt>(next);
    const Stmt *target = facts.targetOf(next);
    const bool staysInside = target && facts.isWithin(target, statement);
    if (isJump && !staysInside &&
        (isa<IndirectGotoStmt>(next) || divergentControlOf(next, statement)))
      return true;
    work.append(next->child_begin(), next->child_end());
  }
  return false;
}

/// `for (k = 0; ...)`: what 'k' was before is gone in all of the loop.
bool Uniformity::isSetAnewBy(const Stmt *loop, const VarDecl *variable) const {
  const auto *counted = dyn_cast<ForStmt>(loop);
  const Stmt *init = counted ? counted->getInit() : nullptr;
  return init && !facts.isReferredTo(variable) &&
         llvm::any_of(facts.changesOf(variable), [&](const Change &change) {
           return change.kind == Change::Kind::Assigned && facts.isWithin(change.statement, init) &&
                  isAlwaysRun(change.statement, init, facts);
         });
}

Uniformity::Role Uniformity::roleAt(const VarDecl *variable, const Stmt *place) const {
  const Stmt *child = place;
  for (const Stmt *at = facts.parentOf(place); at; child = at, at = facts.parentOf(at))
    if (const auto *loop = dyn_cast<ForStmt>(at))
      if (child != loop->getInit() && isSetAnewBy(loop, variable))
        return {variable, loop};
  return {variable, nullptr};
}

bool Uniformity::mayDifferInLoop(const VarDecl *variable, const Stmt *loop) const {
  Role role = isSetAnewBy(loop, variable) ? Role(variable, loop) : roleAt(variable, loop);
  return divergent.contains(role);
}

/// The statement that a variable is declared in; null for an argument. What decides whether a
/// thread gets there is not asked: a thread that does not has no such variable.
const Stmt *Uniformity::scopeOf(const VarDecl *variable) const {
  for (const Change &change : facts.changesOf(variable))
    if (change.kind == Change::Kind::Initialised)
      return facts.parentOf(change.statement);
  return nullptr;
}

/// Whether some threads may jump over a statement, or leave a loop around it in another round than
/// others, by what differs between them.
bool Uniformity::mayBePassedBy(const Stmt *statement, const Stmt *scope) const {
  auto matters = [&](const Stmt *jump, const Stmt *around) {
    const Stmt *target = facts.targetOf(jump);
    if (!target || !facts.isWithin(around, target) || !facts.isWithin(jump, around))
      return false;
    if (isa<ContinueStmt>(jump)) // what the head does, the next round begins with
      return facts.isWithin(statement, bodyOf(target));
    return !scope || !facts.isWithin(scope, target); // threads that left do not come back to it
  };
  for (const Stmt *jump : jumps)
    if (isa<GotoStmt, IndirectGotoStmt>(jump) && divergentControlOf(jump))
      return true;
  for (const Stmt *around = facts.parentOf(statement); around; around = facts.parentOf(around)) {
    if (isLoop(around) || isa<SwitchStmt>(around))
      for (const Stmt *jump : jumps)
        if (matters(jump, around) && divergentControlOf(jump, around))
          return true;
    if (around == scope)
      return false;
  }
  return false;
}

std::vector<Uniformity::Role> Uniformity::roles() const {
  std::vector<Role> all;
  for (const VarDecl *variable : facts.allVariables()) {
    all.push_back({variable, nullptr});
    for (const Change &change : facts.changesOf(variable))
      for (const Stmt *at = facts.parentOf(change.statement); at; at = facts.parentOf(at))
        if (isa<ForStmt>(at) && isSetAnewBy(at, variable) && !is_contained(all, Role(variable, at)))
          all.push_back({variable, at});
  }
  return all;
}

void Uniformity::findDivergent() {
  std::vector<Role> all = roles();
  bool changed = true;
  while (changed) {
    changed = false;
    for (const auto &[variable, loop] : all) {
      if (divergent.contains({variable, loop}))
        continue;
      SmallVector<Change, 2> changes = loop ? facts.changesWithin(variable, loop)
                                            : SmallVector<Change, 2>(facts.changesOf(variable));
      const Stmt *scope = loop ? loop : scopeOf(variable);
      bool differs = llvm::any_of(changes, [&](const Change &change) {
        bool isUnknown = change.kind == Change::Kind::Unclear && !change.value;
        return isUnknown || mayDiffer(change.value) ||
               divergentControlOf(change.statement, scope) != nullptr ||
               mayBePassedBy(change.statement, scope);
      });
      if (differs) {
        divergent.insert({variable, loop});
        changed = true;
      }
    }
  }
}

} // namespace tilelift
