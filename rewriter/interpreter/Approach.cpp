//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's way from the kernel's entry to just before the copy: what is in between
// runs only as far as the copy's names depend on it.
//===----------------------------------------------------------------------===//

#include "interpreter/Interpreter.h"

#include "clang/AST/RecordLayout.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

Interpreter::Interpreter(const KernelUnderTest &kernel, Block &block, unsigned thread)
    : kernel(kernel),
      block(block),
      thread{thread % kernel.shape[0], thread / kernel.shape[0] % kernel.shape[1],
             thread / (kernel.shape[0] * kernel.shape[1])},
      threadNumber(thread) {
  frames.emplace_back();
  for (const ParmVarDecl *parameter : kernel.path.kernel()->parameters())
    objectOf(parameter);
}

void Interpreter::reach(const Stmt *to, const DenseSet<const VarDecl *> &variables) {
  target = to;
  relevant = &variables;
  approach(kernel.path.kernel()->getBody());
  loops.clear();
  loops.emplace_back();
  if (gone())
    return;
  mode = Mode::Arrived;
  nameLookups();
}

void Interpreter::runCopy(const Stmt *statement) {
  mode = Mode::Copying;
  ownObjects = unsigned(memory.size());
  steps = 0;
  mask = Condition::always(); // the statement is reached, that is checked by now
  run(statement);
}

std::vector<SharedAccess> Interpreter::watch(ArrayRef<const Stmt *> without) {
  mode = Mode::Watching;
  notWatched = without;
  loops.emplace_back();
  run(kernel.path.kernel()->getBody());
  return std::move(accesses);
}

bool Interpreter::matters(const Stmt *statement) const {
  if (isWatching() || leaves(statement))
    return true;
  return llvm::any_of(kernel.facts.changedWithin(statement),
                      [&](const VarDecl *variable) { return relevant->contains(variable); });
}

/// Descends to the target. Whatever stands before it on the way is run, as far
/// as it matters.
void Interpreter::approach(const Stmt *statement) {
  if (statement == target || gone())
    return;
  onTheWay = statement;
  if (const auto *compound = dyn_cast<CompoundStmt>(statement)) {
    approachIn(compound);
  } else if (const auto *branch = dyn_cast<IfStmt>(statement)) {
    approachBranch(branch);
  } else if (const auto *loop = dyn_cast<ForStmt>(statement)) {
    if (isTowards(loop->getInit()))
      return approach(loop->getInit());
    if (loop->getInit())
      run(loop->getInit());
    refuseIfThreadsEnd(loop->getInit());
    approachBody(loop, loop->getCond(), loop->getBody());
  } else if (const auto *loop = dyn_cast<WhileStmt>(statement)) {
    approachBody(loop, loop->getCond(), loop->getBody());
  } else if (const auto *loop = dyn_cast<DoStmt>(statement)) {
    approachBody(loop, nullptr, loop->getBody());
  } else if (const auto *call = dyn_cast<CallExpr>(statement);
             call && llvm::is_contained(kernel.path.getCalls(), call)) {
    approachCallee(call);
  } else if (const auto *choice = dyn_cast<SwitchStmt>(statement)) {
    approachCase(choice);
  } else {
    approachThrough(statement);
  }
}

Diagnostic Interpreter::describeWay(const Condition &first, Place copy) const {
  auto comes = [&](const Condition &where) {
    return where.isAlways()  ? std::string("does")
           : where.isNever() ? std::string("does not")
                             : "does where '" + where.print(block.symbols) + "'";
  };
  const std::string name = "thread " + std::to_string(threadNumber);
  Diagnostic refusal = diagnose(diag::divergent_copy, copy,
                                name + " " + comes(reached) + ", and thread 0 " + comes(first));
  if (onTheWay && reached.isNever())
    refusal.notes.push_back({placeOf(onTheWay), name + " does not go on from here"});
  return refusal;
}

/// Refuses the copy if a thread may end in a part of the way that lies behind it. Where the
/// interpreter follows that part, running it has refused the copy already. Calls that are not
/// followed and destructors at the end of a scope are not run; only their effects say so.
void Interpreter::refuseIfThreadsEnd(const Stmt *passed) {
  if (!passed || gone() || !kernel.uniformity.mayEndThread(passed))
    return;
  const auto [part, how] = kernel.uniformity.howThreadsEnd(passed);
  Diagnostic refusal =
      diagnose(diag::divergent_copy, placeOf(part), "this statement may send some of them away");
  if (kernel.uniformity.effectOf(part).isUnknown)
    std::move(refusal).note(placeOf(part), how);
  fail(std::move(refusal));
}

/// Whether the way to the target leads through a part of a statement.
bool Interpreter::isTowards(const Stmt *part) const {
  return part && kernel.facts.isWithin(target, part);
}

void Interpreter::approachIn(const CompoundStmt *compound) {
  for (const Stmt *child : compound->body()) {
    if (isTowards(child))
      return approach(child);
    if (kernel.exits && kernel.exits->contains(child))
      askToStay(cast<Expr>(child));
    if (matters(child)) {
      onTheWay = child;
      run(child);
      refuseIfThreadsEnd(child);
      nameChoices(child);
    }
    assume(mask); // what left on the way is not here any more
  }
}

/// Requires that the thread does not leave at an early exit, which the launcher will check.
void Interpreter::askToStay(const Expr *exit) {
  const Condition stays = !conditionOf(exit);
  const Conjunction *bounds = stays.asConjunction();
  if (gone() || stays.isAlways())
    return;
  if (stays.isUnknown())
    return failDivergent(exit, placeOf(exit));
  if (stays.isNever() || !bounds)
    return fail(diagnose(diag::divergent_copy, placeOf(exit),
                         stays.isNever()
                             ? "thread " + std::to_string(threadNumber) + " leaves in every launch"
                             : "thread " + std::to_string(threadNumber) + " leaves unless '" +
                                   stays.print(block.symbols) +
                                   "', and the launcher asks for no alternatives"));
  for (const Bound &bound : *bounds)
    block.staying.push_back({bound.value, bound.range, placeOf(exit)});
  for (LocalObject &object : memory)
    object.assume(stays);
}

void Interpreter::approachBranch(const IfStmt *branch) {
  // All threads of the block evaluate what stands ahead of the branches.
  for (const Stmt *first :
       {branch->getInit(), static_cast<const Stmt *>(branch->getConditionVariableDeclStmt()),
        static_cast<const Stmt *>(branch->getCond())}) {
    if (isTowards(first))
      return approach(first);
    if (first && first != branch->getCond())
      run(first);
    refuseIfThreadsEnd(first);
  }
  Condition condition = conditionOf(branch->getCond());
  bool inThen = isTowards(branch->getThen());
  mayMiss |= condition.isUnknown();
  if (!condition.isUnknown())
    assume(inThen ? condition : !condition);
  approach(inThen ? branch->getThen() : branch->getElse());
}

void Interpreter::approachBody(const Stmt *loop, const Expr *condition, const Stmt *body) {
  if (!isTowards(body))
    return fail(
        diagnose(diag::unsupported_statement, placeOf(loop), "a copy in the head of a loop"));
  enterLoop(loop, condition);
  approach(body);
}

/// Which case is taken nobody follows; all threads have to take the same one.
void Interpreter::approachCase(const SwitchStmt *choice) {
  for (const Stmt *first :
       {choice->getInit(), static_cast<const Stmt *>(choice->getConditionVariableDeclStmt()),
        static_cast<const Stmt *>(choice->getCond())}) {
    if (isTowards(first))
      return approach(first);
    if (first && first != choice->getCond())
      run(first);
    refuseIfThreadsEnd(first);
  }
  if (kernel.uniformity.mayDiffer(choice->getCond()))
    return failDivergent(choice->getCond(), placeOf(choice));
  mayMiss = true;
  const Stmt *body = choice->getBody();
  for (const Stmt *part : {static_cast<const Stmt *>(choice->getCond()), body})
    for (const VarDecl *variable : kernel.facts.changedWithin(part))
      memory[objectOf(variable)].forget("is changed in a 'switch'", placeOf(choice));
  if (isa<CompoundStmt>(body))
    for (const Stmt *child : body->children()) {
      if (isTowards(child))
        return approach(child);
      refuseIfSomeLeave(child); // a case before falls into that of the copy
    }
  approach(body);
}

/// What a statement or operator around a copy is called, where it is not followed.
static std::string wordsFor(const Stmt *around) {
  if (isa<CXXForRangeStmt>(around))
    return "a range-based 'for' around the copy";
  if (isa<StmtExpr>(around))
    return "a statement expression around the copy";
  if (isa<AbstractConditionalOperator>(around))
    return "'?:' around the copy";
  if (const auto *binary = dyn_cast<BinaryOperator>(around))
    return "'" + binary->getOpcodeStr().str() + "' around the copy";
  return "what stands around the copy";
}

/// What has no condition of its own leads on to its parts.
void Interpreter::approachThrough(const Stmt *statement) {
  const auto *binary = dyn_cast<BinaryOperator>(statement);
  bool isPlain =
      isa<AttributedStmt, SwitchCase, LabelStmt, DeclStmt, ReturnStmt, ParenExpr, CastExpr,
          FullExpr, CallExpr, UnaryOperator, ArraySubscriptExpr, MemberExpr, InitListExpr,
          CXXConstructExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr>(statement) ||
      (binary && !binary->isLogicalOp());
  if (!isPlain)
    return fail(diagnose(diag::unsupported_statement, placeOf(statement), wordsFor(statement)));
  for (const Stmt *child : statement->children())
    if (!isTowards(child))
      refuseIfThreadsEnd(child);
  for (const Stmt *child : statement->children())
    if (isTowards(child))
      return approach(child);
}

void Interpreter::approachCallee(const CallExpr *call) {
  // What the function does itself is met on the way through it.
  const CallParts parts = partsOf(call);
  refuseIfThreadsEnd(parts.object);
  for (const Expr *argument : parts.arguments)
    refuseIfThreadsEnd(argument);
  Callee callee = calleeOf(call);
  enter(callee.definition, callee.arguments, std::move(callee.self));
  ++framesOnPath;
  if (kernel.servesSeveralCalls && isLambda(callee.definition))
    forgetNumbers(callee.definition);
  approach(callee.definition->getBody());
}

/// Whether text at the copy can say its name and mean it.
bool Interpreter::canName(const VarDecl *variable) const {
  return kernel.path.canName(variable) && (!kernel.names || kernel.names->means(variable));
}

/// What all threads pass alike becomes a symbol.
void Interpreter::forgetNumbers(const FunctionDecl *lambda) {
  for (const ParmVarDecl *parameter : lambda->parameters()) {
    QualType type = parameter->getType();
    if (!numberType(type) || kernel.uniformity.mayDiffer(parameter))
      continue;
    Symbol symbol = symbolOf(parameter, lambda->getBody());
    if (auto known = kernel.argumentNumbers.find(parameter);
        known != kernel.argumentNumbers.end() && symbol.range.contains(known->second.range)) {
      symbol.range = known->second.range;
      symbol.divisor = known->second.divisor;
    }
    setToSymbol(parameter, symbol);
  }
}

/// What follows only matters where the condition holds.
void Interpreter::assume(const Condition &condition) {
  if (condition.isAlways())
    return;
  for (LocalObject &object : memory)
    object.assume(condition);
  reached = reached && condition;
  mask = reached.isNever() ? Condition::never() : Condition::always();
}

} // namespace tilelift
