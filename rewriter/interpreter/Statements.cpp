//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's statements: control flow under a mask.
//===----------------------------------------------------------------------===//

#include "interpreter/Interpreter.h"
#include "support/DeclaredNames.h"

#include "clang/AST/RecordLayout.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// One thread of a copy takes a few thousand steps; a loop past this will not
/// end by itself.
constexpr unsigned maxSteps = 1u << 17;
/// All threads of a copy together, with each part of an expression: some dozens for each
/// byte of shared memory. That takes seconds, and a fuzzer has no such time.
#ifdef TILELIFT_FUZZING
constexpr unsigned maxStepsOfBlock = 1u << 20;
#else
constexpr unsigned maxStepsOfBlock = 1u << 23;
#endif
/// Rounds of a loop of which it is not known whether they happen.
constexpr unsigned maxOpenRounds = 1u << 11, maxOpenRoundsBefore = 1u << 3;
/// After so many of them, such a loop is why the work of the block runs out.
constexpr unsigned manyOpenRounds = 1u << 6;
/// Ahead of the copy, loops are only run when they are short.
constexpr unsigned maxStepsBefore = 1u << 12;
/// How often a loop is run, and all of a thread, to see how it accesses memory.
constexpr unsigned sampledRounds = 2, maxSampledSteps = 1u << 12;

bool jumps(const Stmt *statement) {
  if (!statement || isa<LambdaExpr>(statement))
    return false;
  return isa<ReturnStmt, BreakStmt, ContinueStmt, GotoStmt>(statement) ||
         llvm::any_of(statement->children(), jumps);
}

bool returns(const Stmt *statement) {
  if (!statement || isa<LambdaExpr>(statement))
    return false;
  return isa<ReturnStmt, GotoStmt>(statement) || llvm::any_of(statement->children(), returns);
}

} // namespace

/// A condition on the way to the copy that is not followed must at least be the same
/// for all threads. Out of a function that is only called, all of them come back.
Condition Interpreter::conditionOf(const Expr *expression, Value *evaluated) {
  const Value value = evaluate(expression);
  if (evaluated)
    *evaluated = value;
  Condition condition = asCondition(value, expression->getType(), placeOf(expression));
  if (condition.isUnknown() && !isCopying() && !isWatching() && !isOnTheSide() &&
      kernel.uniformity.mayDiffer(expression))
    failDivergent(expression, placeOf(expression));
  return condition;
}

/// Some threads of the block may not come to the copy, since they differ in the condition.
void Interpreter::failDivergent(const Expr *condition, const Place &place) {
  fail(diagnose(diag::divergent_copy, place,
                "'" + spell(condition) + "' " + kernel.uniformity.describeDifference(condition)));
}

/// What follows is done where the condition holds, too.
void Interpreter::maskBy(const Condition &condition, const Expr *asked, const Value &value) {
  if (condition.isUnknown() && !mask.isUnknown())
    whyMasked = whyUnknown(asked, value);
  mask = mask && condition;
}

/// Whether a statement is a loop, with attributes such as `#pragma unroll` gives it or without.
static bool isLoopWithHints(const Stmt *statement) {
  while (const auto *attributed = dyn_cast_or_null<AttributedStmt>(statement))
    statement = attributed->getSubStmt();
  return statement && isLoop(statement);
}

/// Whether what follows a statement may not happen.
bool Interpreter::leaves(const Stmt *statement) const {
  return (isLoopWithHints(statement) ? returns(statement) : jumps(statement)) ||
         kernel.uniformity.mayEndThread(statement);
}

/// Whether a statement that is not followed may keep some threads from the copy.
bool Interpreter::maySendAway(const Stmt *statement) const {
  return isOnTheSide() ? kernel.uniformity.mayEndThread(statement) : leaves(statement);
}

/// What ends a thread may stand under a condition of a callee, which nobody looked at here.
void Interpreter::refuseIfSomeLeave(const Stmt *statement) {
  if (!maySendAway(statement) ||
      !(kernel.uniformity.mayEndThread(statement) || kernel.uniformity.mayPart(statement)))
    return;
  Diagnostic refusal = diagnose(diag::divergent_copy, placeOf(statement),
                                "this statement may send some of them away");
  const auto [part, how] = kernel.uniformity.howThreadsEnd(statement);
  if (kernel.uniformity.mayEndThread(part) && part != statement)
    std::move(refusal).note(placeOf(part), how);
  fail(std::move(refusal));
}

void Interpreter::forgetChanges(const Stmt *statement, StringRef why) {
  refuseIfSomeLeave(statement);
  bool mayLeave = leaves(statement);
  mayMiss |= mayLeave;
  for (const VarDecl *variable : kernel.facts.changedWithin(statement))
    if (objects.count(variable))
      memory[objectOf(variable)].forget(why.str(), placeOf(statement));
  // On the path to the copy, who left does not get there; elsewhere what follows may
  // not happen.
  if (!mayLeave || (openLoops == 0 && !isOnTheSide()))
    return;
  if (!isLoopWithHints(statement))
    loops.back().broken = loops.back().broken || Condition::unknown();
  if (returns(statement) || kernel.uniformity.mayEndThread(statement))
    frames.back().returned = frames.back().returned || Condition::unknown();
  mask = mask && Condition::unknown();
}

/// Counts the statement. Behind the limit, what it changes is not known, or the copy is refused.
bool Interpreter::hasStepsFor(const Stmt *statement) {
  ++steps;
  if (++block.steps > maxStepsOfBlock) {
    fail(diagnose(diag::too_much_work, placeOf(target), maxStepsOfBlock));
    return false;
  }
  if (isWatching())
    return steps <= maxSampledSteps;
  if (steps <= (isCopying() ? maxSteps : maxStepsBefore))
    return true;
  if (openLoops > 0) // which have a better answer
    return false;
  if (isCopying())
    fail(diagnose(diag::too_much_work, placeOf(target), maxSteps));
  else
    forgetChanges(statement, "is changed after many steps");
  return false;
}

void Interpreter::run(const Stmt *statement) {
  if (!statement || gone() || !hasStepsFor(statement))
    return;
  if (isWatching() && llvm::is_contained(notWatched, statement))
    return forgetSampled(statement);
  size_t outerScope = scope.size();
  if (const auto *expression = dyn_cast<Expr>(statement)) {
    runGuarded(expression);
  } else if (const auto *compound = dyn_cast<CompoundStmt>(statement)) {
    for (const Stmt *child : compound->body())
      if (isCopying() || matters(child) || isOnTheSide())
        run(child);
    scope.truncate(outerScope);
  } else if (const auto *declaration = dyn_cast<DeclStmt>(statement)) {
    runDeclaration(declaration);
  } else if (const auto *branch = dyn_cast<IfStmt>(statement)) {
    runIf(branch);
    scope.truncate(outerScope);
  } else if (const auto *loop = dyn_cast<ForStmt>(statement)) {
    if (loop->getInit())
      run(loop->getInit());
    runLoop({loop, loop->getCond(), loop->getInc(), loop->getBody(), /*testsFirst=*/true});
    scope.truncate(outerScope);
  } else if (const auto *loop = dyn_cast<WhileStmt>(statement)) {
    runLoop({loop, loop->getCond(), nullptr, loop->getBody(), /*testsFirst=*/true});
  } else if (const auto *loop = dyn_cast<DoStmt>(statement)) {
    runLoop({loop, loop->getCond(), nullptr, loop->getBody(), /*testsFirst=*/false});
  } else if (isa<BreakStmt, ContinueStmt>(statement)) {
    leave(statement);
  } else if (const auto *leave = dyn_cast<ReturnStmt>(statement)) {
    runReturn(leave);
  } else if (const auto *attributed = dyn_cast<AttributedStmt>(statement)) {
    run(attributed->getSubStmt());
  } else if (const auto *assembly = dyn_cast<GCCAsmStmt>(statement); assembly && isCopying()) {
    runAssembly(assembly);
  } else if (!isa<NullStmt>(statement)) {
    runUnknown(statement);
  }
}

void Interpreter::runUnknown(const Stmt *statement) {
  if (isCopying())
    fail(diagnose(diag::unsupported_statement, placeOf(statement),
                  isa<SwitchStmt>(statement) ? "'switch'" : "this statement"));
  else
    forgetChanges(statement, "is changed by a statement that is not followed");
}

/// A loop that the statement is part of goes on or ends only where the statement stays.
void Interpreter::leave(const Stmt *statement) {
  bool isBreak = isa<BreakStmt>(statement);
  if (isCopying() && !isOnTheSide() && loops.size() <= 1)
    return fail(diagnose(diag::unsupported_statement, placeOf(statement),
                         isBreak ? "'break' out of the copy" : "'continue' out of the copy"));
  Condition &gone = isBreak ? loops.back().broken : loops.back().continued;
  gone = gone || mask;
  mask = Condition::never();
}

void Interpreter::runReturn(const ReturnStmt *leave) {
  if (isCopying() && !isOnTheSide())
    return fail(diagnose(diag::unsupported_statement, placeOf(leave), "'return' out of the copy"));
  // Calls in the expression have frames of their own.
  std::optional<Value> value;
  if (const Expr *result = leave->getRetValue())
    value = frames.back().returnsReference ? addressOf(result) : evaluate(result);
  // The object may be the function's own, which the next call has anew.
  if (value && !frames.back().returnsReference && leave->getRetValue()->getType()->isRecordType())
    value = copied(*value, leave->getRetValue()->getType(), placeOf(leave));
  Frame &frame = frames.back();
  if (value && mask.isUnknown())
    value = Scalar::unknown("is returned under a condition that is not followed", placeOf(leave));
  if (value)
    frame.result = frame.hasResult ? frame.result.overwritten(mask, *value) : *value;
  frame.hasResult |= value.has_value();
  frame.returned = frame.returned || mask;
  mask = Condition::never();
}

/// What a destructor does at the end of the copy is nothing that TMA does.
void Interpreter::noteDestructor(QualType type, Place place) {
  const CXXRecordDecl *record = kernel.context.getBaseElementType(type)->getAsCXXRecordDecl();
  if (isCopying() && record && record->hasDefinition() && !record->hasTrivialDestructor())
    fail(diagnose(diag::unsupported_statement, place,
                  "the destructor of '" + record->getNameAsString() + "'"));
}

void Interpreter::runDeclaration(const DeclStmt *declaration) {
  for (const Decl *each : declaration->decls()) {
    const auto *variable = dyn_cast<VarDecl>(each);
    if (!variable || !variable->hasLocalStorage())
      continue;
    if (!isWanted(variable)) { // but its value may be that of `i++`
      if (const Expr *init = variable->getInit(); init && matters(init))
        evaluate(init);
      continue;
    }
    declare(variable);
  }
}

/// Gives a variable its first value.
void Interpreter::declare(const VarDecl *variable) {
  noteDestructor(variable->getType(), placeOf(variable->getLocation()));
  unsigned object = objectOf(variable);
  memory[object] = LocalObject();
  scope.push_back(variable);
  if (isCopying() || isOnTheSide())
    followed.insert(variable);
  const Expr *init = variable->getInit();
  if (!init)
    return;
  Value address = Scalar::ofAddress(Scalar::Space::Local, object, 0);
  QualType type = variable->getType();
  if (type->isReferenceType()) {
    memory[object].write(0, 8, Condition::always(), addressOf(init));
    return;
  }
  const auto *construct = dyn_cast<CXXConstructExpr>(init->IgnoreUnlessSpelledInSource());
  bool isLeftOpen = construct && construct->getConstructor()->isTrivial() &&
                    construct->getNumArgs() == 0 && !construct->requiresZeroInitialization();
  if (!isLeftOpen) // as in `float4 v;`
    initialise(address, evaluate(init), type, placeOf(variable->getLocation()));
}

/// Evaluates what a lambda captures at the place where the lambda is made: the initialisers of its
/// init-captures, and the object that 'this' points to.
void Interpreter::runCaptures(const LambdaExpr *lambda) {
  noteCopies(lambda);
  for (const LambdaCapture &capture : lambda->captures()) {
    if (capture.getCaptureKind() != LCK_This)
      continue;
    auto [known, isFirst] =
        objectsOfLambdas.try_emplace(lambda->getLambdaClass(), frames.back().self);
    if (!isFirst && !isSameAddress(known->second, frames.back().self))
      known->second = Scalar::unknown("is the object of one of several lambdas",
                                      placeOf(lambda->getBeginLoc()));
  }
}

/// By a reference that is captured by copy, a lambda has a copy of what that leads to: the
/// reference leads to an object of the lambda's own.
LocalObject Interpreter::copyOfReferent(const VarDecl *reference, Place place) {
  const QualType type = reference->getType().getNonReferenceType();
  const Value address = memory[objectOf(reference)].read(0, 8, place);
  const bool isObject = type->isRecordType() || type->isArrayType();
  LocalObject captured;
  captured.write(0, 8, Condition::always(),
                 copied(isObject ? address : load(address, type, place), type, place));
  return captured;
}

/// Notes the values that a lambda captures by copy. Where a function may return several closures of
/// one lambda, it is not known which of them is called later, so their values are unknown.
void Interpreter::noteCopies(const LambdaExpr *lambda) {
  const Stmt *around = kernel.facts.parentOf(lambda);
  while (isa_and_nonnull<CXXConstructExpr, FullExpr, CastExpr, MaterializeTemporaryExpr,
                         CXXBindTemporaryExpr, ParenExpr>(around))
    around = kernel.facts.parentOf(around);
  const bool isPassedOn = !isa_and_nonnull<DeclStmt, CallExpr>(around);
  auto [made, isFirst] = capturedBy.try_emplace(lambda->getLambdaClass());
  for (const LambdaCapture &capture : lambda->captures()) {
    const auto *variable =
        capture.capturesVariable() ? dyn_cast<VarDecl>(capture.getCapturedVar()) : nullptr;
    if (variable && lambda->isInitCapture(&capture) && isWanted(variable))
      declare(variable);
    if (!variable || capture.getCaptureKind() != LCK_ByCopy)
      continue;
    LocalObject &value = made->second[variable];
    value = variable->getType()->isReferenceType() && (isCopying() || isOnTheSide())
                ? copyOfReferent(variable, placeOf(lambda))
                : memory[objectOf(variable)];
    if (!isFirst && isPassedOn)
      value.forget("is captured by several closures of one lambda", placeOf(lambda->getBeginLoc()));
  }
}

/// Whether a variable's value is followed where it is declared.
bool Interpreter::isWanted(const VarDecl *variable) const {
  return isCopying() || isWatching() || isOnTheSide() || relevant->contains(variable);
}

/// Under the guard that the source is tried with, if the expression is to get one.
void Interpreter::runGuarded(const Expr *expression) {
  if (expression != kernel.guard.statement) {
    evaluate(expression);
    return;
  }
  Condition before = mask;
  mask = mask && conditionOf(kernel.guard.condition);
  if (!mask.isNever())
    evaluate(expression);
  mask = before;
}

/// Why the value of a condition is unknown: names the first variable in it whose value is unknown,
/// or says what its value says of itself.
std::string Interpreter::whyUnknown(const Expr *condition, const Value &value) const {
  for (const VarDecl *variable : variablesIn(condition)) {
    auto object = objects.find(variable);
    if (object == objects.end() || !variable->getType()->isArithmeticType())
      continue;
    const Value now = memory[object->second].read(0, sizeOf(variable->getType()), {});
    for (const ValueCase &one : now.getCases())
      if (one.scalar.is(Scalar::Kind::Unknown) && !one.scalar.why.empty())
        return "it depends on '" + nameOf(*variable) + "', which " + one.scalar.why;
  }
  const Scalar *open = value.unknownPart();
  return open ? "it " + open->why : "it depends on more than indices and arguments";
}

void Interpreter::runIf(const IfStmt *branch) {
  if (branch->getInit())
    run(branch->getInit());
  if (const DeclStmt *variable = branch->getConditionVariableDeclStmt())
    run(variable);
  Value value;
  Condition condition = conditionOf(branch->getCond(), &value);
  if (stopped())
    return;
  if (condition.isUnknown() && isWatching())
    return sampleBranches(branch);
  if (condition.isUnknown()) {
    if (isCopying())
      return fail(diagnose(diag::unknown_index, placeOf(branch->getCond()),
                           "the condition '" + spell(branch->getCond()) + "'",
                           whyUnknown(branch->getCond(), value)));
    if (maySendAway(branch) && kernel.uniformity.mayDiffer(branch->getCond()))
      return failDivergent(branch->getCond(), placeOf(branch));
    return forgetChanges(branch, "is set under a condition that is not followed");
  }
  Condition before = mask, inThen = before && condition, inElse = before && !condition;
  mask = inThen;
  run(branch->getThen());
  Condition afterThen = mask;
  mask = inElse;
  run(branch->getElse());
  // Who comes out of both sides is who went in; only where some left on the way
  // does it take algebra.
  bool nobodyLeft = afterThen == inThen && mask == inElse;
  mask = nobodyLeft ? before : mask || afterThen;
}

/// Declares what the head of a loop declares in each round, and evaluates its condition.
Condition Interpreter::headOf(const Stmt *loop, const Expr *condition) {
  const DeclStmt *variable = nullptr;
  if (const auto *counted = dyn_cast<ForStmt>(loop))
    variable = counted->getConditionVariableDeclStmt();
  else if (const auto *tested = dyn_cast<WhileStmt>(loop))
    variable = tested->getConditionVariableDeclStmt();
  if (variable)
    run(variable);
  return conditionOf(condition);
}

void Interpreter::runLoop(const LoopParts &loop) {
  if (isWatching())
    return sampleLoop(loop);
  const Condition entered = mask, returnedBefore = frames.back().returned;
  LoopProgress progress;
  progress.stepsBefore = steps;
  loops.emplace_back();
  ++openLoops;
  for (bool isFirst = true; !gone(); isFirst = false) {
    const bool isTested = loop.condition && (loop.testsFirst || !isFirst);
    if (isTested && !testRound(loop, progress))
      break;
    if (!runRound(loop))
      break;
  }
  if (!progress.isForgotten && !isCopying() && steps > maxStepsBefore) {
    steps = progress.stepsBefore;
    forgetChanges(loop.statement, "is changed by a long loop");
  }
  // Everybody leaves a loop in the end, but for those who left the function.
  const bool someReturned = frames.back().returned != returnedBefore;
  mask = someReturned ? entered && !frames.back().returned : entered;
  loops.pop_back();
  --openLoops;
}

/// Evaluates the condition ahead of a round. Gives whether the round is to be run: not where the
/// loop is over, nor where nobody knows when it is, so that what it changes is forgotten.
bool Interpreter::testRound(const LoopParts &loop, LoopProgress &progress) {
  const Condition again = headOf(loop.statement, loop.condition);
  if (progress.openRounds == 0)
    progress.firstOpen = again;
  progress.openRounds += !again.isAlways();
  if (isCopying())
    refuseOpenRound(loop, progress, again);
  const bool isTooLong = !isCopying() && (steps - progress.stepsBefore > maxStepsBefore / 2 ||
                                          progress.openRounds > maxOpenRoundsBefore);
  if (again.isUnknown() || gone() || isTooLong) {
    forgetChanges(loop.statement, "is changed by a loop whose end is not known");
    progress.isForgotten = true;
    return false;
  }
  mask = mask && again;
  return !gone();
}

/// Refuses a copy's own loop if too many of its rounds may or may not happen.
void Interpreter::refuseOpenRound(const LoopParts &loop, const LoopProgress &progress,
                                  const Condition &again) {
  // Where the work runs out, there is less of it if the loop's end is known.
  const bool runsOut = block.steps > maxStepsOfBlock - maxSteps;
  const bool isOpen = progress.openRounds > (runsOut ? 0 : maxOpenRounds);
  if (!again.isUnknown() && !isOpen)
    return;
  block.leaveOpen(progress.firstOpen);
  if (!again.isUnknown() && progress.openRounds <= manyOpenRounds)
    fail(diagnose(diag::too_much_work, placeOf(target), maxStepsOfBlock));
  fail(diagnose(diag::unbounded_loop, isOpen ? placeOf(loop.statement) : placeOf(loop.condition),
                "'" + spell(loop.condition) + "'"));
}

/// Runs the body and the step. Gives whether there may be another round.
bool Interpreter::runRound(const LoopParts &loop) {
  const Condition begun = mask, broken = loops.back().broken, returned = frames.back().returned;
  run(loop.body);
  const bool allGoOn = broken == loops.back().broken && returned == frames.back().returned;
  mask = allGoOn ? begun : mask || loops.back().continued;
  loops.back().continued = Condition::never();
  if (gone())
    return false;
  if (loop.step)
    evaluate(loop.step);
  if (++steps <= (isCopying() ? maxSteps : maxStepsBefore))
    return true;
  if (isCopying())
    fail(diagnose(diag::unbounded_loop, placeOf(loop.statement),
                  loop.condition ? "'" + spell(loop.condition) + "'" : "nothing"));
  return false;
}

/// Some rounds, or one if nobody knows whether there are others.
void Interpreter::sampleLoop(const LoopParts &loop) {
  Condition entered = mask;
  bool isDone = false;
  loops.emplace_back();
  ++openLoops;
  for (unsigned round = 0; round < sampledRounds && !gone() && !isDone; ++round) {
    bool isAsked = loop.condition && (loop.testsFirst || round > 0);
    Condition again = isAsked ? headOf(loop.statement, loop.condition) : Condition::always();
    isDone = again.isNever();
    if (isDone)
      break;
    run(loop.body);
    mask = entered;
    if (!again.isAlways())
      break;
    if (loop.step)
      evaluate(loop.step);
  }
  mask = entered;
  loops.pop_back();
  --openLoops;
  if (!isDone)
    forgetSampled(loop.statement);
}

void Interpreter::forgetSampled(const Stmt *statement) {
  for (const VarDecl *variable : kernel.facts.changedWithin(statement))
    if (objects.count(variable))
      memory[objectOf(variable)].forget("is changed meanwhile", placeOf(statement));
}

/// Both sides, whichever is taken.
void Interpreter::sampleBranches(const IfStmt *branch) {
  Condition before = mask;
  run(branch->getThen());
  mask = before;
  run(branch->getElse());
  mask = before;
  forgetSampled(branch);
}

} // namespace tilelift
