//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "facts/CopyAhead.h"

#include "facts/MemoryUses.h"
#include "support/Locations.h"
#include "support/NamesAround.h"
#include "support/Words.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

bool isBefore(const Stmt *a, const Stmt *b, const SourceManager &sources) {
  return sources.isBeforeInTranslationUnit(a->getBeginLoc(), b->getBeginLoc());
}

/// In one that would copy the name's reference, or not know it.
bool isInLambda(const Stmt *use, const VariableFacts &facts) {
  for (; use; use = facts.parentOf(use))
    if (const auto *lambda = dyn_cast<LambdaExpr>(use);
        lambda && lambda->getCaptureDefault() != LCD_ByRef)
      return true;
  return false;
}

/// The condition of an `if (...) continue;`, or null.
const Expr *skipsRound(const Stmt *statement) {
  const auto *branch = dyn_cast<IfStmt>(statement);
  if (!branch || branch->getElse() || branch->getInit() || branch->getConditionVariable() ||
      branch->isConstexpr())
    return nullptr;
  const Stmt *then = branch->getThen();
  if (const auto *block = dyn_cast<CompoundStmt>(then))
    then = block->size() == 1 ? block->body_front() : nullptr;
  return isa_and_nonnull<ContinueStmt>(then) ? branch->getCond() : nullptr;
}

/// What may end a round and stands before a copy in its text, but for the statements that the
/// copy's branches are made of.
const Stmt *endBefore(const Stmt *statement, const Stmt *copy, ArrayRef<const Stmt *> branches,
                      const SourceManager &sources) {
  if (!statement || !isBefore(statement, copy, sources) || isa<LambdaExpr>(statement) ||
      llvm::is_contained(branches, statement))
    return nullptr;
  if (isa<ReturnStmt, GotoStmt, BreakStmt, ContinueStmt>(statement))
    return statement;
  if (isLoop(statement)) // its own
    return nullptr;
  for (const Stmt *child : statement->children())
    if (const Stmt *end = endBefore(child, copy, branches, sources))
      return end;
  return nullptr;
}

/// Whether an array's element gets a value, and nothing else.
bool isAssigned(const Stmt *use, const VariableFacts &facts) {
  const Stmt *parent = facts.parentOf(use);
  while (isa_and_nonnull<ArraySubscriptExpr, ParenExpr, ImplicitCastExpr>(parent))
    use = parent, parent = facts.parentOf(use);
  const auto *assignment = dyn_cast_or_null<BinaryOperator>(parent);
  return assignment && assignment->getOpcode() == BO_Assign && assignment->getLHS() == use &&
         !cast<Expr>(use)->getType()->isArrayType();
}

} // namespace

std::optional<PlaceInRound> placeInRound(const Stmt *copy, const Rounds &rounds,
                                         const VariableFacts &facts) {
  PlaceInRound place;
  for (const Stmt *at = copy;;) {
    const auto *block = dyn_cast_or_null<CompoundStmt>(facts.parentOf(at));
    if (!block)
      return std::nullopt;
    // What stands in a block by itself is executed with what stands around it.
    if (!place.block || place.block == at)
      place.block = block, place.statement = at;
    for (const Stmt *before :
         llvm::reverse(ArrayRef(block->body_begin(), llvm::find(block->body(), at))))
      if (const Expr *condition = skipsRound(before)) {
        place.branches.push_back({condition, true});
        place.skips.push_back(before);
      }
    if (block == bodyOf(rounds.loop))
      return place;
    if (isa_and_nonnull<CompoundStmt>(facts.parentOf(block))) {
      at = block;
      continue;
    }
    const auto *branch = dyn_cast_or_null<IfStmt>(facts.parentOf(block));
    if (!branch || branch->getInit() || branch->getConditionVariable())
      return std::nullopt;
    if (!branch->isConstexpr())
      place.branches.push_back({branch->getCond(), branch->getElse() == block});
    else if (place.block == block) // which the instance always executes
      place.block = nullptr;
    at = branch;
  }
}

/// What the loop asks and does in each round is written once more at the copy, and has to mean the
/// same there.
static std::optional<Diagnostic> whyOtherNames(const Stmt *copy, const Rounds &rounds,
                                               const PlaceInRound &where,
                                               const KernelUnderTest &kernel) {
  const SourceManager &sources = kernel.context.getSourceManager();
  const NamesAround atCopy(copy, kernel.path.textFunction());
  const NamesAround atLoop(rounds.loop, kernel.path.textFunction());
  SmallVector<const Expr *, 8> again{rounds.condition};
  for (const BranchCondition &branch : where.branches)
    again.push_back(branch.condition);
  for (const Cursor &cursor : rounds.cursors)
    for (const Change &step : cursor.steps)
      again.push_back(step.value);
  auto isOfLoop = [&](const NameInText &name) { // a cursor, or refused as what a round changes
    return llvm::any_of(kernel.facts.changedWithin(rounds.loop),
                        [&](const VarDecl *variable) { return means(name, variable); });
  };
  for (const Expr *expression : again)
    for (const NameInText &name : namesInTextOf(expression)) {
      const NamedDecl *named = name.declaration;
      const bool isInLoop = sources.isPointWithin(named->getLocation(), rounds.loop->getBeginLoc(),
                                                  rounds.loop->getEndLoc());
      // Names from outside of the function may be others under a `using namespace` of the round.
      const bool isFoundAlike = atCopy.isUnderDirective() == atLoop.isUnderDirective() ||
                                named->getParentFunctionOrMethod() || name.isQualified;
      const bool isPack = named->isParameterPack(); // which the text alone would not expand
      const bool isSame =
          atCopy.means(named) && (isOfLoop(name) || (!isInLoop && atLoop.means(named)));
      if (isFoundAlike && !isPack && (!named->getIdentifier() || name.isQualified || isSame))
        continue;
      return diagnose(diag::not_ahead, placeOf(sources, copy->getBeginLoc()),
                      "'" + named->getNameAsString() +
                          (isInLoop ? "' is declared by the round itself"
                                    : "' is the name of something else here"))
          .note(placeOf(sources, expression->getBeginLoc()),
                "what it means here is asked for in each round");
    }
  return std::nullopt;
}

/// The round has a reference to the tile's stage in the place of the array.
static bool meansTheSameByReference(const NameInText &name) {
  using Where = NameInText::Where;
  return name.where == Where::Code || name.where == Where::Size ||
         (name.where == Where::Type && name.subscripts > 0);
}

static bool isWrittenThrough(const GlobalBase &source, const Effect &effect,
                             const KernelEffects &kernel) {
  const ObjectSet own = objectsOf(source, kernel);
  return !own.isAll() &&
         llvm::any_of(own.numbers(), [&](unsigned object) { return effect.writes.has(object); });
}

/// What has to be declared `__restrict__` so that nothing else is the same memory: the kernel's
/// argument, where the source is one. A variable with the address of something else would not do.
static std::string restrictable(const GlobalBase &source) {
  const auto *parameter =
      dyn_cast_or_null<ParmVarDecl>(static_cast<const VarDecl *>(source.origin));
  return parameter && parameter->getType()->isPointerType()
             ? "'" + parameter->getNameAsString() + "'"
             : "what is written";
}

/// Uses of the tile in a place or a way that a stage of a ring cannot stand for.
static std::optional<Diagnostic> whyTileLeaves(const CopyInLoop &copy, const Rounds &rounds,
                                               const PlaceInRound &where,
                                               const KernelUnderTest &kernel) {
  const SourceManager &sources = kernel.context.getSourceManager();
  const Place place = placeOf(sources, copy.statement->getBeginLoc());
  const Stmt *body = bodyOf(rounds.loop);
  for (const NameInText &name : textUsesOf(copy.tile, kernel)) {
    if (isInLambda(name.statement, kernel.facts))
      return diagnose(diag::not_available_yet, placeOf(sources, name.location),
                      "a tile of a ring in a lambda that does not capture all by reference");
    bool isInRound =
        kernel.facts.isWithin(name.statement, where.block) &&
        (kernel.facts.isWithin(name.statement, copy.statement) ||
         sources.isBeforeInTranslationUnit(copy.statement->getBeginLoc(), name.location));
    if (isInRound && !meansTheSameByReference(name))
      return diagnose(
          diag::not_available_yet, placeOf(sources, name.location),
          "a tile of a ring that a type, a constant or a local class of the round names");
    if (!isInRound && where.block != body && kernel.facts.isWithin(name.statement, body))
      return diagnose(diag::not_available_yet, place,
                      "a pipeline of a copy in an 'if' whose tile is used outside of that 'if'")
          .note(placeOf(sources, name.location), "it is used here");
    if (!isInRound)
      return diagnose(diag::tile_leaves_round, place, copy.tile->getNameAsString())
          .note(placeOf(sources, name.location), "it is used here");
  }
  return std::nullopt;
}

/// What of a round may write to the copy's source, which is read rounds ahead.
static std::optional<Diagnostic> whyRewritten(const CopyInLoop &copy, const Rounds &rounds,
                                              const KernelUnderTest &kernel) {
  const SourceManager &sources = kernel.context.getSourceManager();
  const Place place = placeOf(sources, copy.statement->getBeginLoc());
  const Stmt *body = bodyOf(rounds.loop);
  SmallVector<const Stmt *, 16> round(cast<CompoundStmt>(body)->body());
  if (const auto *counted = dyn_cast<ForStmt>(rounds.loop); counted && counted->getInc())
    round.push_back(counted->getInc());
  round.push_back(body); // at its end, objects may do something
  for (const Stmt *statement : round) {
    Effect effect = kernel.effects.of(statement, kernel.path);
    bool isWritten = kernel.effects.mayMeet(effect.writes, objectsOf(*copy.tensor, kernel.effects));
    if (!isWritten && !mayWrite(effect, *copy.tensor, kernel.effects))
      continue;
    // What is written through the source itself, or by another kernel that this one waits for, is
    // written whatever the qualifiers say.
    const bool isPromise = !isWrittenThrough(*copy.tensor, effect, kernel.effects) &&
                           (isWritten || !kernel.effects.ofAll().awaitsGrids);
    return diagnose(diag::written_in_loop, place, copy.tensor->spelling,
                    isPromise ? "declare " + restrictable(*copy.tensor) + " '__restrict__', or "
                              : "")
        .note(placeOf(sources, statement->getBeginLoc()),
              isWritten ? "it may be written here" : "others may have written to it by then");
  }
  return std::nullopt;
}

std::optional<Diagnostic> whyNotAhead(const CopyInLoop &copy, const Rounds &rounds,
                                      const KernelUnderTest &kernel) {
  const SourceManager &sources = kernel.context.getSourceManager();
  Place place = placeOf(sources, copy.statement->getBeginLoc());
  const Stmt *body = bodyOf(rounds.loop);
  std::optional<PlaceInRound> where = placeInRound(copy.statement, rounds, kernel.facts);
  if (!where)
    return diagnose(diag::not_available_yet, place,
                    "a pipeline of a copy in another loop, in a statement without braces, or in an "
                    "'if' that declares a variable");
  for (const Stmt *statement : cast<CompoundStmt>(body)->body())
    if (const Stmt *end = endBefore(statement, copy.statement, where->skips, sources))
      return diagnose(diag::not_ahead, place, "some rounds may end before they get to the copy")
          .note(placeOf(sources, end->getBeginLoc()), "they may end here");
  if (sources.isPointWithin(copy.tile->getLocation(), rounds.loop->getBeginLoc(),
                            rounds.loop->getEndLoc()))
    return diagnose(diag::not_available_yet, placeOf(sources, copy.tile->getLocation()),
                    "a pipeline of a tile that its loop declares")
        .note(placeOf(sources, copy.tile->getLocation()), "declare it before the loop");
  for (const BranchCondition &branch : where->branches)
    if (std::optional<std::string> why = whyImpure(branch.condition, kernel.uniformity))
      return diagnose(diag::not_ahead, place, "the condition of the copy " + *why)
          .note(placeOf(sources, branch.condition->getBeginLoc()), "it stands here");
  if (auto why = whyOtherNames(copy.statement, rounds, *where, kernel))
    return why;
  if (auto why = whyTileLeaves(copy, rounds, *where, kernel))
    return why;
  if (kernel.effects.mayOutliveRound(copy.tile, copy.statement, kernel.path))
    return diagnose(diag::tile_kept, place, copy.tile->getNameAsString());
  if (!mayBeWritten(*copy.tensor, kernel.effects))
    return std::nullopt;
  return whyRewritten(copy, rounds, kernel);
}

const Stmt *onlyWriter(const CopyInLoop &store, const Rounds &rounds,
                       const KernelUnderTest &kernel) {
  const SourceManager &sources = kernel.context.getSourceManager();
  const auto *body = dyn_cast<CompoundStmt>(bodyOf(rounds.loop));
  if (!body || kernel.facts.parentOf(store.statement) != body)
    return nullptr;
  const Stmt *writer = nullptr;
  for (const Stmt *statement : body->body())
    if (isBefore(statement, store.statement, sources) && leavesRound(statement))
      return nullptr;
  for (const NameInText &name : textUsesOf(store.tile, kernel)) {
    const Stmt *use = name.statement;
    if (!meansTheSameByReference(name))
      return nullptr;
    if (kernel.facts.isWithin(use, store.statement))
      continue;
    auto around = llvm::find_if(
        body->body(), [&](const Stmt *statement) { return kernel.facts.isWithin(use, statement); });
    bool isBeforeStore = around != body->body_end() && isBefore(*around, store.statement, sources);
    if (!isBeforeStore || (writer && writer != *around) || !isAssigned(use, kernel.facts) ||
        isInLambda(use, kernel.facts))
      return nullptr;
    writer = *around;
  }
  return writer;
}

NamesAhead::NamesAhead(const Stmt *copy, const Rounds &rounds, const KernelUnderTest &kernel) {
  const SourceManager &sources = kernel.context.getSourceManager();
  const NamesAround there(copy, kernel.path.kernel());
  for (const VarDecl *variable : kernel.facts.changedWithin(rounds.loop)) {
    if (!there.means(variable))
      continue;
    StringRef name = variable->getName();
    // What two variables are called is neither's name.
    bool isOnly = changed.insert(name).second;
    const Cursor *cursor = rounds.find(variable);
    bool movesLater = cursor && llvm::all_of(cursor->steps, [&](const Change &step) {
                        return !isBefore(step.statement, copy, sources) ||
                               !kernel.facts.isWithin(step.statement, bodyOf(rounds.loop));
                      });
    llvm::erase_if(cursors,
                   [&](const Cursor *other) { return other->variable->getName() == name; });
    if (isOnly && movesLater)
      cursors.push_back(cursor);
  }
}

const Cursor *NamesAhead::cursorOf(StringRef name) const {
  auto found = llvm::find_if(
      cursors, [&](const Cursor *cursor) { return cursor->variable->getName() == name; });
  return found == cursors.end() ? nullptr : *found;
}

bool NamesAhead::has(StringRef name) const { return cursorOf(name) || isSame(name); }

bool NamesAhead::isSame(StringRef text) const {
  return llvm::none_of(wordsIn(text), [&](StringRef word) {
    return changed.contains(word) && !isMember(word, text);
  });
}

} // namespace tilelift
