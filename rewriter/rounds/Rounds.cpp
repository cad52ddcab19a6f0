//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "rounds/Rounds.h"

#include "support/CallPath.h"
#include "support/DeclaredNames.h"
#include "support/Locations.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

bool leavesRound(const Stmt *statement, bool isInner) {
  if (!statement || isa<LambdaExpr>(statement))
    return false;
  if (isa<ReturnStmt, GotoStmt>(statement) || (!isInner && isa<BreakStmt, ContinueStmt>(statement)))
    return true;
  isInner |= isLoop(statement);
  return llvm::any_of(statement->children(),
                      [&](const Stmt *child) { return leavesRound(child, isInner); });
}

/// A statement of the body that ends the loop, and not only the round.
const Stmt *endOfLoop(const Stmt *statement, bool isInner = false) {
  if (!statement || isa<LambdaExpr>(statement))
    return nullptr;
  if (isa<ReturnStmt, GotoStmt>(statement) || (!isInner && isa<BreakStmt>(statement)))
    return statement;
  isInner |= isLoop(statement) || isa<SwitchStmt>(statement);
  for (const Stmt *child : statement->children())
    if (const Stmt *found = endOfLoop(child, isInner))
      return found;
  return nullptr;
}

bool hasContinue(const Stmt *statement) {
  if (!statement || isLoop(statement) || isa<LambdaExpr>(statement))
    return false;
  return isa<ContinueStmt, GotoStmt>(statement) || llvm::any_of(statement->children(), hasContinue);
}

/// What a `for` sets a variable to before the first round, or null.
const Expr *startOf(const VarDecl *variable, const Stmt *init) {
  if (const auto *declaration = dyn_cast_or_null<DeclStmt>(init))
    return llvm::is_contained(declaration->decls(), variable) ? variable->getInit() : nullptr;
  const auto *expression = dyn_cast_or_null<Expr>(init);
  const auto *binary =
      expression ? dyn_cast<BinaryOperator>(expression->IgnoreParenImpCasts()) : nullptr;
  if (!binary)
    return nullptr;
  if (binary->isCommaOp()) {
    const Expr *last = startOf(variable, binary->getRHS());
    return last ? last : startOf(variable, binary->getLHS());
  }
  const auto *target = dyn_cast<DeclRefExpr>(binary->getLHS()->IgnoreParens());
  bool sets = binary->getOpcode() == BO_Assign && target && target->getDecl() == variable;
  return sets ? binary->getRHS() : nullptr;
}

/// Whether an expression of an instantiation names an element of a parameter pack. Its text is the
/// pattern that all elements share, and means none of them outside of the pack expansion.
bool isOfPackExpansion(const Stmt *expression) {
  if (!expression)
    return false;
  const auto *parameter = dyn_cast<SubstNonTypeTemplateParmExpr>(expression);
  const auto *reference = dyn_cast<DeclRefExpr>(expression);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return (parameter && parameter->getPackIndex()) || (variable && isOfPack(variable)) ||
         llvm::any_of(expression->children(), isOfPackExpansion);
}

class RoundsFinder {
public:
  RoundsFinder(const Stmt *loop, const Uniformity &uniformity, const SourceManager &sources)
      : loop(loop),
        init(isa<ForStmt>(loop) ? cast<ForStmt>(loop)->getInit() : nullptr),
        uniformity(uniformity),
        facts(uniformity.getFacts()),
        sources(sources),
        changed(facts.changedWithin(loop)) {}

  std::variant<Rounds, Diagnostic> run();

private:
  std::string whyNoCursor(const VarDecl *variable) const;
  std::optional<Cursor> cursorOf(const VarDecl *variable) const;
  bool isSetByHead(const VarDecl *variable) const {
    return init && llvm::all_of(facts.changesWithin(variable, loop), [&](const Change &change) {
             return facts.isWithin(change.statement, init);
           });
  }
  Diagnostic refuse(const Stmt *where, const std::string &why) const {
    return diagnose(diag::not_ahead, placeOf(sources, where->getBeginLoc()), why);
  }

  const Stmt *loop, *init;
  const Uniformity &uniformity;
  const VariableFacts &facts;
  const SourceManager &sources;
  ArrayRef<const VarDecl *> changed;
};

std::optional<Cursor> RoundsFinder::cursorOf(const VarDecl *variable) const {
  bool isSimple = variable->getType()->isIntegerType() || variable->getType()->isPointerType();
  if (!isSimple || facts.escapes(variable))
    return std::nullopt;
  Cursor cursor;
  cursor.variable = variable;
  cursor.start = startOf(variable, init);
  bool isStarted = false;
  for (const Change &change : facts.changesWithin(variable, loop)) {
    if (init && facts.isWithin(change.statement, init)) {
      // The head may set it once, and only to that.
      if (!cursor.start || change.value != cursor.start || std::exchange(isStarted, true))
        return std::nullopt;
      continue;
    }
    bool isSteady = change.kind == Change::Kind::Added && !mentionsAny(change.value, changed) &&
                    !whyImpure(change.value, uniformity) && !isOfPackExpansion(change.value) &&
                    runsEachRound(change.statement, loop, facts);
    if (!isSteady)
      return std::nullopt;
    cursor.steps.push_back(change);
  }
  // The double is set before the loop, where that has changed nothing yet.
  bool isPure = !whyImpure(cursor.start, uniformity) && !mentionsAny(cursor.start, changed);
  return cursor.steps.empty() || !isPure ? std::nullopt : std::optional(cursor);
}

std::variant<Rounds, Diagnostic> RoundsFinder::run() {
  Rounds rounds;
  rounds.loop = loop;
  const VarDecl *declared = nullptr;
  if (const auto *counted = dyn_cast<ForStmt>(loop)) {
    declared = counted->getConditionVariable();
    rounds.condition = counted->getCond();
  } else if (const auto *tested = dyn_cast<WhileStmt>(loop)) {
    declared = tested->getConditionVariable();
    rounds.condition = tested->getCond();
  }
  if (declared)
    return refuse(loop, "the loop's condition declares '" + declared->getNameAsString() + "'");
  if (!rounds.condition)
    return refuse(loop, "the loop has no condition that says whether another round follows");
  if (auto why = whyImpure(rounds.condition, uniformity))
    return refuse(rounds.condition, "the loop's condition " + *why);
  if (isOfPackExpansion(rounds.condition))
    return refuse(rounds.condition, "the loop's condition is a part of a pack expansion");
  if (const Stmt *end = endOfLoop(bodyOf(loop)))
    return refuse(end, "the loop may be left here, with tiles on their way");
  for (const VarDecl *variable : changed)
    if (std::optional<Cursor> cursor = cursorOf(variable))
      rounds.cursors.push_back(std::move(*cursor));
  for (const VarDecl *variable : variablesIn(rounds.condition))
    if (llvm::is_contained(changed, variable) && !rounds.find(variable))
      return refuse(rounds.condition, "the loop's condition depends on '" +
                                          variable->getNameAsString() + "', " +
                                          whyNoCursor(variable));
  return rounds;
}

/// Why it is not known what a variable that rounds change is in the next one.
std::string RoundsFinder::whyNoCursor(const VarDecl *variable) const {
  if (isSetByHead(variable))
    return "which the loop's head declares: declare it before the loop";
  if (auto start = whyImpure(startOf(variable, init), uniformity))
    return "whose start " + *start;
  return variable->getType()->isRealFloatingType()
             ? "which is no integer"
             : "which is not known to move by the same in each round";
}

} // namespace

bool leavesRound(const Stmt *body) { return leavesRound(body, false); }

bool runsEachRound(const Stmt *statement, const Stmt *loop, const VariableFacts &facts) {
  const Stmt *body = bodyOf(loop);
  const Stmt *increment = isa<ForStmt>(loop) ? cast<ForStmt>(loop)->getInc() : nullptr;
  for (const Stmt *at = statement; at != loop; at = facts.parentOf(at)) {
    if (at == body)
      return !hasContinue(body);
    if (at == increment)
      return true;
    const Stmt *parent = facts.parentOf(at);
    const auto *comma = dyn_cast_or_null<BinaryOperator>(parent);
    bool passesOn = isa_and_nonnull<CompoundStmt, ParenExpr, FullExpr>(parent) || parent == loop ||
                    (comma && comma->isCommaOp());
    if (!passesOn)
      return false;
  }
  return false;
}

bool runsWithCondition(const Stmt *statement, const Stmt *loop, const VariableFacts &facts) {
  const Expr *condition = isa<ForStmt>(loop)     ? cast<ForStmt>(loop)->getCond()
                          : isa<WhileStmt>(loop) ? cast<WhileStmt>(loop)->getCond()
                                                 : nullptr;
  for (const Stmt *at = statement; condition && at != condition; at = facts.parentOf(at)) {
    const Stmt *parent = facts.parentOf(at);
    const auto *binary = dyn_cast_or_null<BinaryOperator>(parent);
    bool passesOn = isa_and_nonnull<ParenExpr, FullExpr, CastExpr>(parent) ||
                    (binary && (!binary->isLogicalOp() || binary->getLHS() == at));
    if (!passesOn)
      return false;
  }
  return condition;
}

namespace {

/// Whether a call gets nothing but values, so that it changes no variable of its caller.
bool getsValues(const CallExpr *call) {
  const auto [callee, object, arguments] = partsOf(call);
  if (!callee || isLambda(callee) || object || callee->isVariadic())
    return false;
  return llvm::none_of(callee->parameters(), [](const ParmVarDecl *parameter) {
    QualType type = parameter->getType();
    return type->isReferenceType() && !(type.getNonReferenceType().isConstQualified() &&
                                        type.getNonReferenceType()->isScalarType());
  });
}

/// Why it may be something else by what the thread itself does.
std::optional<std::string> whyNotOwn(const Stmt *expression, const VariableFacts &facts) {
  if (!expression || isa<PseudoObjectExpr>(expression)) // threadIdx.x is a call
    return std::nullopt;
  const auto *binary = dyn_cast<BinaryOperator>(expression);
  const auto *unary = dyn_cast<UnaryOperator>(expression);
  if ((binary && binary->isAssignmentOp()) || (unary && unary->isIncrementDecrementOp()))
    return "changes a variable";
  if (const auto *call = dyn_cast<CallExpr>(expression); call && !getsValues(call)) {
    const FunctionDecl *callee = call->getDirectCallee();
    return "calls " + (callee ? "'" + callee->getNameAsString() + "'" : "a function");
  }
  if (isa<CXXConstructExpr, LambdaExpr, CXXNewExpr, StmtExpr>(expression))
    return "makes an object";
  const auto *reference = dyn_cast<DeclRefExpr>(expression);
  const auto *pointer = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  const bool isOfHost = pointer && isa<ParmVarDecl>(pointer) &&
                        cast<Decl>(pointer->getDeclContext())->hasAttr<CUDAGlobalAttr>();
  if (pointer && !isOfHost && pointer->hasLocalStorage() && pointer->getType()->isPointerType() &&
      !facts.variablesPointedTo().empty())
    return "names '" + pointer->getNameAsString() +
           "', which may lead to a variable of the thread's own";
  if (reference && isa<BindingDecl>(reference->getDecl()))
    return "names '" + reference->getDecl()->getNameAsString() +
           "', which is a part of a structured binding";
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  bool isOthers =
      variable && variable->hasLocalStorage() &&
      (!facts.knows(variable) || facts.escapes(variable) || variable->getType()->isReferenceType());
  if (isOthers && !variable->getType().isConstQualified())
    return "names '" + variable->getNameAsString() + "', which others may change";
  for (const Stmt *child : expression->children())
    if (auto why = whyNotOwn(child, facts))
      return why;
  return std::nullopt;
}

} // namespace

std::optional<std::string> whyImpure(const Stmt *expression, const Uniformity &uniformity) {
  if (!expression)
    return std::nullopt;
  if (auto why = whyNotOwn(expression, uniformity.getFacts()))
    return why;
  const KernelEffects &kernel = uniformity.getEffects();
  Effect effect = uniformity.effectOf(expression);
  if (!effect.onlyReads())
    return "may do more than compute a value";
  if (effect.varies)
    return "may be another one each time";
  if (!effect.reads.empty() && kernel.mayWrite(kernel.ofAll(), effect.reads))
    return "reads memory that the kernel may write to";
  return std::nullopt;
}

bool mentionsAny(const Stmt *expression, ArrayRef<const VarDecl *> variables) {
  if (!expression)
    return false;
  if (const auto *reference = dyn_cast<DeclRefExpr>(expression))
    if (llvm::is_contained(variables, reference->getDecl()))
      return true;
  return llvm::any_of(expression->children(),
                      [&](const Stmt *part) { return mentionsAny(part, variables); });
}

const Cursor *Rounds::find(const VarDecl *variable) const {
  auto found =
      llvm::find_if(cursors, [&](const Cursor &cursor) { return cursor.variable == variable; });
  return found == cursors.end() ? nullptr : &*found;
}

std::variant<Rounds, Diagnostic> findRounds(const Stmt *loop, const Uniformity &uniformity,
                                            const SourceManager &sources) {
  return RoundsFinder(loop, uniformity, sources).run();
}

} // namespace tilelift
