//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of KernelEffects that leads from a step back to the text: to the statements and calls
// that it was made for, and whether text may be added in front of these.
//===----------------------------------------------------------------------===//

#include "effects/KernelEffects.h"

#include "support/Builtins.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

/// The statements of the path's last function at whose place in the text a step was written. Empty
/// if that function did not lead to the step, or if `#line` gives the place to several statements.
ArrayRef<const Stmt *> KernelEffects::statementsAt(const CodeStep &step,
                                                   const CallPath &path) const {
  const CodePlace &place = places[places.within(path, step.place)];
  const bool isTold = place.function && !places.tableOf(path.end()).isShared(place.spot);
  return isTold ? place.statements : ArrayRef<const Stmt *>();
}

/// The innermost call of several statements, the inner ones behind the outer ones.
static const CallExpr *innermostCall(ArrayRef<const Stmt *> statements) {
  const CallExpr *innermost = nullptr;
  for (const Stmt *each : statements)
    if (const auto *call = dyn_cast<CallExpr>(each))
      innermost = call;
  return innermost;
}

/// Default arguments are at their call's place, and are not in the text there.
const Stmt *KernelEffects::statementAt(const CodeStep &step, const CallPath &path) const {
  for (const Stmt *each : llvm::reverse(statementsAt(step, path)))
    if (each->getBeginLoc().isValid())
      return each;
  return nullptr;
}

const CallExpr *KernelEffects::callAt(const CodeStep &step, const CallPath &path) const {
  return innermostCall(statementsAt(step, path));
}

/// The statement around an expression, or the statement itself.
static const Stmt *blockAround(const SpotTable &table, const Stmt *statement) {
  const Stmt *parent = table.parentOf(statement);
  while (isa_and_nonnull<FullExpr>(parent))
    parent = table.parentOf(parent);
  return parent;
}

static bool isStatementOf(const SpotTable &table, const Stmt *statement) {
  return isa_and_nonnull<CompoundStmt>(blockAround(table, statement));
}

/// The loop or branch of which a statement is the whole body, without braces; null if it is not.
static const Stmt *controlOver(const SpotTable &table, const Stmt *statement) {
  const Stmt *around = table.parentOf(statement), *body = statement;
  while (isa_and_nonnull<FullExpr>(around))
    body = std::exchange(around, table.parentOf(around));
  const auto bodyOf = [&]() -> const Stmt * {
    if (const auto *loop = dyn_cast_or_null<ForStmt>(around))
      return loop->getBody();
    if (const auto *loop = dyn_cast_or_null<WhileStmt>(around))
      return loop->getBody();
    if (const auto *branch = dyn_cast_or_null<IfStmt>(around))
      return branch->getElse() == body ? body : branch->getThen();
    return nullptr;
  };
  return bodyOf() == body ? around : nullptr;
}

/// The only statement at a place, if it is assembly, or nothing but the call that leads on from
/// there. What a macro writes with the block around it does not stand by itself.
const Stmt *KernelEffects::soleStatementAt(const CodePlace &place) const {
  if (!place.function)
    return nullptr;
  const SpotTable &table = places.tableOf(place.function);
  const SourceManager &sources = kernel->getASTContext().getSourceManager();
  const CallExpr *call = innermostCall(place.statements);
  if (table.isShared(place.spot))
    return nullptr;
  for (const Stmt *each : place.statements) {
    const auto *expression = dyn_cast<Expr>(each);
    if (const auto *full = dyn_cast_or_null<FullExpr>(expression))
      expression = full->getSubExpr();
    const bool isAlone =
        isa<GCCAsmStmt>(each) || (expression && call && expression->IgnoreParenImpCasts() == call);
    const Stmt *around = controlOver(table, each);
    if (isStatementOf(table, each))
      around = blockAround(table, each);
    if (isAlone && around)
      return sources.getExpansionLoc(around->getBeginLoc()) ==
                     sources.getExpansionLoc(each->getBeginLoc())
                 ? nullptr
                 : each;
  }
  return nullptr;
}

static bool mayLeaveFunction(const Stmt *statement) {
  return statement && (isa<ReturnStmt, GotoStmt, IndirectGotoStmt, LabelStmt>(statement) ||
                       llvm::any_of(statement->children(), mayLeaveFunction));
}

/// Whether each call of a function executes one of its statements, once.
bool KernelEffects::isAlwaysExecuted(const Stmt *statement, const FunctionDecl *function) const {
  const SpotTable &table = places.tableOf(function);
  const auto *body = dyn_cast_or_null<CompoundStmt>(function->getBody());
  if (!body || blockAround(table, statement) != body)
    return false;
  for (const Stmt *each : body->body()) {
    if (each == statement || table.isWithin(statement, each))
      return true;
    if (mayLeaveFunction(each))
      return false;
  }
  return false;
}

const Stmt *KernelEffects::statementDoing(const CodeStep &step, const CallPath &path) const {
  const unsigned end = places.within(path, step.place);
  for (unsigned at = step.place; at != 0; at = places[at].call) {
    const Stmt *own = soleStatementAt(places[at]);
    if (at == end)
      return own;
    if (!own || !isAlwaysExecuted(own, places[at].function))
      return nullptr;
  }
  return nullptr;
}

const Stmt *KernelEffects::statementAround(const CodeStep &step, const CallPath &path) const {
  const SpotTable &table = places.tableOf(path.end());
  for (const Stmt *each : statementsAt(step, path))
    if (isa<Expr, AsmStmt, DeclStmt>(each) &&
        (isStatementOf(table, each) || controlOver(table, each)))
      return each;
  return nullptr;
}

bool KernelEffects::isBody(const Stmt *statement, const CallPath &path) const {
  return controlOver(places.tableOf(path.end()), statement);
}

bool KernelEffects::isStatement(const Expr *expression, const CallPath &path) const {
  return isStatementOf(places.tableOf(path.end()), expression);
}

ArrayRef<const Stmt *> KernelEffects::statementsInText(unsigned place) const {
  const CodePlace &own = places[places.inText(kernel, place)];
  const bool isTold = own.function && !places.tableOf(own.function).isShared(own.spot);
  return isTold ? own.statements : ArrayRef<const Stmt *>();
}

const Stmt *KernelEffects::statementInText(const CodeStep &step) const {
  ArrayRef<const Stmt *> here = statementsInText(step.place);
  return here.empty() ? nullptr : here.back();
}

const CallExpr *KernelEffects::callInText(const CodeStep &step) const {
  return innermostCall(statementsInText(step.place));
}

bool KernelEffects::namesBlockSize(const CodeStep &step) const {
  return llvm::any_of(statementsInText(step.place), tilelift::namesBlockSize);
}

Effect KernelEffects::ofCallInText(const CallExpr *call) const {
  Effect effect;
  for (const CodeBlock &block : blocks)
    for (const CodeStep &step : block.steps)
      if (callInText(step) == call)
        effect.add(step.effect);
  return effect;
}

bool KernelEffects::isStatementInText(const CallExpr *call) const {
  return llvm::any_of(places.getTables(),
                      [&](const auto &known) { return isStatementOf(known.second, call); });
}

} // namespace tilelift
