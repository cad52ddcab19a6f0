//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "rounds/ProducerPath.h"

#include "support/Locations.h"
#include "support/NamesInText.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

bool declares(const Stmt *statement, const VarDecl *variable) {
  const auto *declaration = dyn_cast_or_null<DeclStmt>(statement);
  return declaration && llvm::is_contained(declaration->decls(), variable);
}

/// Types, using-declarations and the like, of which no code comes.
bool declaresNoVariable(const DeclStmt *declaration) {
  return llvm::none_of(declaration->decls(), [](const Decl *each) { return isa<VarDecl>(each); });
}

bool isNumberOrPointer(QualType type) {
  return type->isArithmeticType() || type->isEnumeralType() || type->isPointerType();
}

/// Whether a variable, or a part of it in a structured binding, has a name.
bool isCalled(const VarDecl *variable, StringRef name) {
  const auto *parts = dyn_cast<DecompositionDecl>(variable);
  return parts ? llvm::any_of(parts->bindings(),
                              [&](const BindingDecl *part) { return part->getName() == name; })
               : variable->getName() == name;
}

std::string describe(const VarDecl *variable) {
  return isa<DecompositionDecl>(variable) ? "a structured binding"
                                          : "'" + variable->getNameAsString() + "'";
}

class PathFinder {
public:
  PathFinder(const FunctionDecl *kernel, ArrayRef<ProducerLoop> loops,
             ArrayRef<const GlobalBase *> sources, const KernelEffects &effects)
      : kernel(kernel),
        loops(loops),
        copySources(sources),
        facts(CallPath(kernel)),
        effects(effects),
        uniformity(facts, effects, CallPath(kernel)),
        sources(kernel->getASTContext().getSourceManager()) {}

  std::variant<ProducerPath, Diagnostic> run();

private:
  void need(const Stmt *statement);
  void need(const NameInText &name);
  bool isNeededOrChanges(const VarDecl &variable) const;
  void needDeclared(const DeclStmt *declaration);
  bool isNamed(const Decl *declaration) const;
  void needNames(const ProducerLoop &loop);
  const VarDecl *visible(StringRef name, const Stmt *at) const;
  const VarDecl *declaredAround(StringRef name, const Stmt *around, const Stmt *at) const;
  bool leadsOn(const Stmt *statement) const;
  bool matters(const Stmt *statement) const;
  bool comesFirst(const Stmt *statement) const;
  bool isAwaitedToo(const Stmt *statement) const;
  void keep(const Stmt *part, bool isWhole = false);
  std::vector<PathStep> stepsOf(const Stmt *statement);
  PathStep stepAround(const Stmt *statement);
  void checkStatement(const Stmt *statement);
  void checkExpression(const Stmt *expression);
  void checkChanges();
  void checkOthers(const Stmt *statement);
  bool isFollowed(const Change &change) const;
  void refuse(const Stmt *where, const std::string &why) {
    if (!failure)
      failure = diagnose(diag::no_producer, {}, why)
                    .note(placeOf(sources, where->getBeginLoc()), "that is here");
  }

  const FunctionDecl *kernel;
  ArrayRef<ProducerLoop> loops;
  ArrayRef<const GlobalBase *> copySources;
  VariableFacts facts;
  const KernelEffects &effects;
  Uniformity uniformity;
  const SourceManager &sources;
  DenseSet<const VarDecl *> needed;
  /// All names in the text that is kept.
  StringSet<> names;
  /// Statements that run as they stand, and those parts of others that do.
  SmallVector<const Stmt *, 16> kept;
  std::optional<Diagnostic> failure;
};

std::variant<ProducerPath, Diagnostic> PathFinder::run() {
  for (const ProducerLoop &loop : loops)
    needNames(loop);
  ProducerPath path;
  size_t before;
  do { // what a statement names may be set by one that comes before it
    before = needed.size() + names.size();
    kept.clear();
    path.steps = stepsOf(kernel->getBody());
  } while (needed.size() + names.size() > before && !failure);
  for (const Stmt *statement : kept)
    checkStatement(statement);
  checkChanges();
  if (failure)
    return std::move(*failure);
  path.needed = std::move(needed);
  return path;
}

void PathFinder::need(const NameInText &name) {
  if (name.declaration->getIdentifier())
    names.insert(name.declaration->getName());
  for (const VarDecl *variable : facts.allVariables())
    if (variable->hasLocalStorage() && means(name, variable))
      needed.insert(variable);
}

void PathFinder::need(const Stmt *statement) {
  for (const NameInText &name : namesInTextOf(statement))
    need(name);
}

/// Whether its value is needed, or computing that value changes a variable whose value is.
bool PathFinder::isNeededOrChanges(const VarDecl &variable) const {
  return needed.contains(&variable) ||
         (variable.getInit() && llvm::any_of(needed, [&](const VarDecl *other) {
            return !facts.changesWithin(other, variable.getInit()).empty();
          }));
}

/// Of several variables that are declared together, those that are needed; their types are one.
void PathFinder::needDeclared(const DeclStmt *declaration) {
  bool isNeeded = false;
  for (const Decl *each : llvm::reverse(declaration->decls()))
    if (const auto *variable = dyn_cast<VarDecl>(each); variable && isNeededOrChanges(*variable)) {
      isNeeded = true;
      needed.insert(variable);
      need(variable->getInit());
    }
  if (isNeeded || declaresNoVariable(declaration))
    for (const NameInText &name : namesInTextOf(declaration))
      if (name.where != NameInText::Where::Code)
        need(name);
}

/// Whether a declaration has a name that is used, or gives names to others.
bool PathFinder::isNamed(const Decl *declaration) const {
  if (const auto *list = dyn_cast<EnumDecl>(declaration);
      list && llvm::any_of(list->enumerators(), [&](const EnumConstantDecl *each) {
        return names.contains(each->getName());
      }))
    return true;
  const auto *named = dyn_cast<NamedDecl>(declaration);
  return isa<UsingDirectiveDecl>(declaration) ||
         (named && named->getIdentifier() && names.contains(named->getName()));
}

void PathFinder::needNames(const ProducerLoop &loop) {
  const Rounds &rounds = *loop.rounds;
  need(rounds.condition); // whose text may be a macro
  for (const Cursor &cursor : rounds.cursors) {
    needed.insert(cursor.variable);
    names.insert(cursor.variable->getName());
    for (const Change &step : cursor.steps)
      need(step.value);
  }
  for (const Expr *branch : loop.branches)
    need(branch);
  for (const auto &name : loop.names)
    names.insert(name.getKey());
  for (const auto &name : loop.names)
    if (const VarDecl *variable = visible(name.getKey(), loop.rounds->loop))
      needed.insert(variable);
}

/// The local variable or argument that has a name in a loop's head.
const VarDecl *PathFinder::visible(StringRef name, const Stmt *at) const {
  for (const Stmt *around = at; around; at = around, around = facts.parentOf(around))
    if (const VarDecl *variable = declaredAround(name, around, at))
      return variable;
  for (const ParmVarDecl *parameter : kernel->parameters())
    if (parameter->getName() == name)
      return parameter;
  return nullptr;
}

const VarDecl *PathFinder::declaredAround(StringRef name, const Stmt *around,
                                          const Stmt *at) const {
  const VarDecl *found = nullptr;
  auto look = [&](const Stmt *statement) {
    if (const auto *declaration = dyn_cast_or_null<DeclStmt>(statement))
      for (const Decl *each : declaration->decls())
        if (const auto *variable = dyn_cast<VarDecl>(each);
            variable && variable->hasLocalStorage() && isCalled(variable, name))
          found = variable;
  };
  if (const auto *counted = dyn_cast<ForStmt>(around))
    look(counted->getInit());
  if (const auto *block = dyn_cast<CompoundStmt>(around))
    for (const Stmt *statement : block->body()) {
      if (statement == at)
        break;
      look(statement);
    }
  return found;
}

bool PathFinder::leadsOn(const Stmt *statement) const {
  return llvm::any_of(loops, [&](const ProducerLoop &loop) {
    return facts.isWithin(loop.rounds->loop, statement);
  });
}

/// Whether some loop may run after a statement that does not lead to it.
bool PathFinder::comesFirst(const Stmt *statement) const {
  return llvm::any_of(loops, [&](const ProducerLoop &loop) {
    const Stmt *around = facts.outermostLoopAround(loop.rounds->loop);
    return sources.isBeforeInTranslationUnit(statement->getBeginLoc(),
                                             loop.rounds->loop->getBeginLoc()) ||
           (around && facts.isWithin(statement, around));
  });
}

/// Whether the way to the loops depends on a statement.
bool PathFinder::matters(const Stmt *statement) const {
  if (const auto *declaration = dyn_cast<DeclStmt>(statement);
      declaration && declaresNoVariable(declaration))
    return comesFirst(statement) &&
           llvm::any_of(declaration->decls(), [&](const Decl *each) { return isNamed(each); });
  return comesFirst(statement) &&
         (leavesRound(statement) || llvm::any_of(needed, [&](const VarDecl *variable) {
            return declares(statement, variable) ||
                   !facts.changesWithin(variable, statement).empty();
          }));
}

/// Whether it does no more than to wait for other kernels, as each thread has to for itself.
bool PathFinder::isAwaitedToo(const Stmt *statement) const {
  if (!isa<Expr, AsmStmt>(statement) || !comesFirst(statement))
    return false;
  Effect effect = uniformity.effectOf(statement);
  return effect.awaitsGrids && !effect.touchesMemory() && !effect.meetsBlock &&
         !effect.meetsOthers && !effect.mayLeave && !effect.isUnknown;
}

/// A statement that is run, and what its parts name.
void PathFinder::keep(const Stmt *part, bool isWhole) {
  if (!part)
    return;
  kept.push_back(part);
  if (const auto *declaration = dyn_cast<DeclStmt>(part); declaration && isWhole)
    needDeclared(declaration);
  else
    need(part);
}

/// What of a statement is run.
std::vector<PathStep> PathFinder::stepsOf(const Stmt *statement) {
  if (!statement)
    return {};
  if (!leadsOn(statement)) {
    if (!isAwaitedToo(statement)) {
      if (!matters(statement)) {
        checkOthers(statement);
        return {};
      }
      keep(statement, /*isWhole=*/true);
    }
    return {{statement, std::nullopt, {}, {}}};
  }
  for (size_t i = 0; i < loops.size(); ++i)
    if (loops[i].rounds->loop == statement) {
      checkOthers(bodyOf(statement));
      keep(isa<ForStmt>(statement) ? cast<ForStmt>(statement)->getInit() : nullptr);
      return {{statement, i, {}, {}}};
    }
  if (const auto *attributed = dyn_cast<AttributedStmt>(statement))
    return stepsOf(attributed->getSubStmt());
  return {stepAround(statement)};
}

/// A statement with the parts of it that lead to the loops.
PathStep PathFinder::stepAround(const Stmt *statement) {
  PathStep step{statement, std::nullopt, {}, {}};
  if (const auto *block = dyn_cast<CompoundStmt>(statement)) {
    for (const Stmt *each : block->body())
      llvm::append_range(step.inner, stepsOf(each));
  } else if (const auto *counted = dyn_cast<ForStmt>(statement);
             counted && !counted->getConditionVariable()) {
    for (const Stmt *part : {counted->getInit(), static_cast<const Stmt *>(counted->getCond()),
                             static_cast<const Stmt *>(counted->getInc())})
      keep(part);
    step.inner = stepsOf(counted->getBody());
  } else if (const auto *tested = dyn_cast<WhileStmt>(statement);
             tested && !tested->getConditionVariable()) {
    keep(tested->getCond());
    step.inner = stepsOf(tested->getBody());
  } else if (const auto *branch = dyn_cast<IfStmt>(statement);
             branch && !branch->getInit() && !branch->getConditionVariable()) {
    keep(branch->getCond());
    step.inner = stepsOf(branch->getThen());
    step.otherwise = stepsOf(branch->getElse());
  } else {
    refuse(statement, "the way there leads through a statement that it does not follow");
  }
  return step;
}

/// It runs beside the same statement of all other threads, and before.
void PathFinder::checkStatement(const Stmt *statement) {
  if (!statement)
    return;
  if (const auto *declaration = dyn_cast<DeclStmt>(statement)) {
    for (const Decl *each : declaration->decls()) {
      const auto *variable = dyn_cast<VarDecl>(each);
      if (!variable || !needed.contains(variable))
        continue;
      if (!variable->hasLocalStorage() || !isNumberOrPointer(variable->getType()))
        return refuse(statement, "on the way there is " + describe(variable) +
                                     ", which is no number or pointer of the thread's own");
      checkExpression(variable->getInit());
    }
    return;
  }
  if (isa<CompoundStmt, ForStmt, WhileStmt, DoStmt, IfStmt, BreakStmt, ContinueStmt, ReturnStmt,
          NullStmt, AttributedStmt>(statement)) {
    for (const Stmt *child : statement->children())
      checkStatement(child);
    return;
  }
  if (!isa<Expr>(statement))
    return refuse(statement, "the way there leads through a statement that it does not follow");
  checkExpression(statement);
}

/// Assignments to its own variables are what the statements are kept for.
void PathFinder::checkExpression(const Stmt *expression) {
  if (!expression)
    return;
  const auto *plain = cast<Expr>(expression)->IgnoreParens();
  const auto *binary = dyn_cast<BinaryOperator>(plain);
  const auto *unary = dyn_cast<UnaryOperator>(plain);
  const Expr *target = binary && binary->isAssignmentOp()         ? binary->getLHS()
                       : unary && unary->isIncrementDecrementOp() ? unary->getSubExpr()
                                                                  : nullptr;
  if (target) {
    const auto *reference = dyn_cast<DeclRefExpr>(target->IgnoreParens());
    const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (!variable || !variable->hasLocalStorage() || !isNumberOrPointer(variable->getType()))
      return refuse(expression, "what comes before it changes more than numbers and pointers");
    return checkExpression(binary ? binary->getRHS() : nullptr);
  }
  if (binary && binary->isCommaOp()) {
    checkExpression(binary->getLHS());
    return checkExpression(binary->getRHS());
  }
  if (auto why = whyImpure(expression, uniformity))
    return refuse(expression, "what comes before it " + *why);
  if (uniformity.mayDiffer(expression))
    refuse(expression, "what comes before it " + uniformity.describeDifference(expression));
}

/// Of a variable that matters, it has to see all changes.
bool PathFinder::isFollowed(const Change &change) const {
  auto isKept = [&](const Stmt *part) { return facts.isWithin(change.statement, part); };
  return llvm::any_of(kept, isKept) || llvm::any_of(loops, [&](const ProducerLoop &loop) {
           return llvm::any_of(loop.rounds->cursors, [&](const Cursor &cursor) {
             return llvm::any_of(cursor.steps, [&](const Change &step) {
               return step.statement == change.statement;
             });
           });
         });
}

void PathFinder::checkChanges() {
  for (const VarDecl *variable : needed) {
    std::string name = variable->getNameAsString();
    if (facts.escapes(variable))
      return refuse(kernel->getBody(),
                    "others than the thread itself may change '" + name + "', which it needs");
    for (const Change &change : facts.changesOf(variable))
      if (!isFollowed(change) && comesFirst(change.statement))
        return refuse(change.statement, "it does not get to where '" + name + "' is changed");
  }
}

/// What it does not run may not have to come before its copies.
void PathFinder::checkOthers(const Stmt *statement) {
  if (!comesFirst(statement))
    return;
  Effect effect = uniformity.effectOf(statement);
  for (const GlobalBase *source : copySources) {
    if (!mayBeWritten(*source, effects))
      continue;
    if (!effects.mayMeet(effect.writes, objectsOf(*source, effects)) &&
        mayWrite(effect, *source, effects))
      return refuse(statement, "others may have written to '" + source->spelling +
                                   "', which they read, by the time that the block gets there");
    if (mayWrite(effect, *source, effects))
      return refuse(statement, "'" + source->spelling +
                                   "', which they read, may be written before: declare what is "
                                   "written '__restrict__'");
  }
}

} // namespace

std::variant<ProducerPath, Diagnostic> findProducerPath(const FunctionDecl *kernel,
                                                        ArrayRef<ProducerLoop> loops,
                                                        ArrayRef<const GlobalBase *> sources,
                                                        const KernelEffects &effects) {
  return PathFinder(kernel, loops, sources, effects).run();
}

} // namespace tilelift
