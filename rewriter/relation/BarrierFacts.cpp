//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "relation/BarrierFacts.h"

#include "support/VariableFacts.h"

#include "clang/AST/StmtCXX.h"
#include "clang/Analysis/CFG.h"

#include <map>

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Since the last barrier of the block, on some path; the `ever` fields since
/// the kernel's entry. Bit k speaks of the tile of copy k.
struct State {
  uint64_t touched = 0;
  bool waited = false;
  bool otherMemory = false;
  bool copied = false;
  uint64_t everRead = 0;
  uint64_t everWritten = 0;

  bool join(const State &other) {
    State before = *this;
    touched |= other.touched;
    waited |= other.waited;
    otherMemory |= other.otherMemory;
    copied |= other.copied;
    everRead |= other.everRead;
    everWritten |= other.everWritten;
    return touched != before.touched || waited != before.waited ||
           otherMemory != before.otherMemory || copied != before.copied ||
           everRead != before.everRead || everWritten != before.everWritten;
  }
  void barrier() {
    touched = 0;
    waited = otherMemory = copied = false;
  }
};

StringRef calleeName(const CallExpr *call) {
  const FunctionDecl *callee = call->getDirectCallee();
  return callee && callee->getDeclName().isIdentifier() ? callee->getName() : StringRef();
}

bool isBlockBarrier(const Stmt *statement) {
  const auto *call = dyn_cast<CallExpr>(statement);
  return call && calleeName(call).starts_with("__syncthreads");
}

/// Calls that touch no memory which threads share.
bool isHarmlessCall(const CallExpr *call) {
  StringRef name = calleeName(call);
  return name == "min" || name == "max" || name == "abs" || name.starts_with("__fetch_builtin");
}

class Flow {
public:
  Flow(const FunctionDecl *kernel, ASTContext &context, const std::vector<LiftedStatement> &copies)
      : copies(copies),
        facts(kernel),
        body(kernel->getBody()),
        graph(CFG::buildCFG(kernel, kernel->getBody(), &context, CFG::BuildOptions())) {
    // The graph splits `int a, b;` in two.
    if (graph)
      for (const auto &[part, whole] : graph->synthetic_stmts())
        original[part] = whole;
  }

  BarrierFacts run() {
    result.copies.resize(copies.size());
    groupCopies();
    solve();
    // Without the redundant barriers, the copies may look different.
    // Dropping one that a macro writes would drop the rest of the macro, too.
    llvm::erase_if(candidates, [&](const CallExpr *call) {
      return call->getBeginLoc().isMacroID() || llvm::is_contained(kept, call);
    });
    result.redundant.assign(candidates.begin(), candidates.end());
    for (size_t i = 0; i < copies.size(); ++i) {
      bool runsOnce = facts.parentOf(copies[i].statement) == body;
      result.copies[i] = {runsOnce, result.copies[i].joinsPrevious};
    }
    solve();
    return std::move(result);
  }

private:
  void groupCopies();
  bool isQuiet(const Stmt *statement) const;
  void solve();
  void step(State &state, std::optional<size_t> &inside, const Stmt *statement);
  bool storesThrough(const Stmt *statement, const Stmt *child) const;
  void reachCopy(State &state, size_t copy);
  void access(State &state, const Stmt *statement, bool isStore);
  uint64_t copiesTo(const VarDecl *tile) const;
  std::optional<size_t> copyAround(const Stmt *statement) const {
    if (auto split = original.find(statement); split != original.end())
      statement = split->second;
    for (size_t i = 0; i < copies.size(); ++i)
      if (facts.isWithin(statement, copies[i].statement))
        return i;
    return std::nullopt;
  }

  const std::vector<LiftedStatement> &copies;
  VariableFacts facts;
  const Stmt *body;
  std::unique_ptr<CFG> graph;
  DenseMap<const Stmt *, const Stmt *> original;
  BarrierFacts result;
  SmallVector<const CallExpr *, 8> candidates;
  SmallVector<const CallExpr *, 8> kept;
};

/// Whether a statement between two copies leaves shared memory alone.
bool Flow::isQuiet(const Stmt *statement) const {
  if (!statement)
    return true;
  if (isa<ForStmt, WhileStmt, DoStmt, IfStmt, SwitchStmt, ReturnStmt, BreakStmt, ContinueStmt,
          AsmStmt>(statement))
    return false;
  if (const auto *call = dyn_cast<CallExpr>(statement))
    if (!isHarmlessCall(call))
      return false;
  if (const auto *reference = dyn_cast<DeclRefExpr>(statement))
    if (const auto *variable = dyn_cast<VarDecl>(reference->getDecl()))
      if (variable->hasAttr<CUDASharedAttr>())
        return false;
  return llvm::all_of(statement->children(), [&](const Stmt *child) { return isQuiet(child); });
}

void Flow::groupCopies() {
  for (size_t i = 1; i < copies.size(); ++i) {
    const auto *body = dyn_cast_or_null<CompoundStmt>(facts.parentOf(copies[i].statement));
    bool together = body && body == facts.parentOf(copies[i - 1].statement) &&
                    !copies[i].mayRunPlain && !copies[i - 1].mayRunPlain &&
                    copies[i].tile != copies[i - 1].tile;
    if (!together)
      continue;
    bool between = false;
    for (const Stmt *statement : body->body()) {
      if (statement == copies[i].statement)
        break;
      together &= !between || isQuiet(statement);
      between |= statement == copies[i - 1].statement;
    }
    result.copies[i].joinsPrevious = together;
  }
}

/// A bit for each copy that fills the variable.
uint64_t Flow::copiesTo(const VarDecl *tile) const {
  uint64_t bits = 0;
  for (size_t i = 0; i < copies.size(); ++i)
    if (copies[i].tile->getCanonicalDecl() == tile->getCanonicalDecl())
      bits |= uint64_t(1) << i;
  return bits;
}

void Flow::access(State &state, const Stmt *statement, bool isStore) {
  const auto *reference = dyn_cast<DeclRefExpr>(statement);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (variable && variable->hasAttr<CUDASharedAttr>()) {
    state.otherMemory = true;
    state.touched |= copiesTo(variable);
    (isStore ? state.everWritten : state.everRead) |= copiesTo(variable);
  }
  if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(statement))
    state.otherMemory |= !rootVariable(subscript);
  if (const auto *unary = dyn_cast<UnaryOperator>(statement))
    state.otherMemory |= unary->getOpcode() == UO_Deref;
  if (const auto *member = dyn_cast<MemberExpr>(statement))
    state.otherMemory |= member->isArrow();
  if (const auto *call = dyn_cast<CallExpr>(statement))
    state.otherMemory |= !isHarmlessCall(call) && !isBlockBarrier(call);
  state.otherMemory |= isa<AsmStmt>(statement);

  for (const Stmt *child : statement->children())
    if (child)
      access(state, child, isStore || storesThrough(statement, child));
}

/// Whether a statement may write to what its child names.
bool Flow::storesThrough(const Stmt *statement, const Stmt *child) const {
  if (const auto *assignment = dyn_cast<BinaryOperator>(statement))
    return assignment->isAssignmentOp() && child == assignment->getLHS();
  if (const auto *call = dyn_cast<CXXOperatorCallExpr>(statement))
    return call->isAssignmentOp() && child == call->getArg(0);
  if (const auto *unary = dyn_cast<UnaryOperator>(statement))
    return unary->isIncrementDecrementOp() || unary->getOpcode() == UO_AddrOf;
  if (const auto *cast = dyn_cast<ImplicitCastExpr>(statement)) // an array that goes elsewhere
    return cast->getCastKind() == CK_ArrayToPointerDecay &&
           !isa_and_nonnull<ArraySubscriptExpr>(facts.parentOf(cast));
  return false;
}

void Flow::reachCopy(State &state, size_t copy) {
  CopyOrder &order = result.copies[copy];
  uint64_t bit = uint64_t(1) << copy;
  bool startsPhase = !order.joinsPrevious;
  order.needsBarrier |= (state.touched & bit) || (startsPhase && state.waited);
  order.sourceWritten |= copies[copy].sourceIsWritten;
  order.readBefore |= state.everRead & bit;
  order.writtenBefore |= state.everWritten & bit;
}

/// `inside` is the copy that the path is in, or none; leaving a copy is its wait.
void Flow::step(State &state, std::optional<size_t> &inside, const Stmt *statement) {
  std::optional<size_t> copy = copyAround(statement);
  if (inside && inside != copy)
    state.waited |= !copy || !result.copies[*copy].joinsPrevious;
  if (copy && inside != copy) {
    reachCopy(state, *copy);
    state.copied = true;
    if (copies[*copy].mayRunPlain) {
      state.otherMemory = true;
      state.everWritten |= copiesTo(copies[*copy].tile);
      state.touched |= copiesTo(copies[*copy].tile);
    }
  }
  inside = copy;
  if (copy)
    return;
  if (!isBlockBarrier(statement))
    return access(state, statement, false);

  const auto *call = cast<CallExpr>(statement);
  if (llvm::is_contained(result.redundant, call))
    return;
  bool isPlain = calleeName(call) == "__syncthreads";
  bool orders = !isPlain || !state.copied || state.otherMemory || state.touched != 0;
  SmallVector<const CallExpr *, 8> &list = orders ? kept : candidates;
  if (!llvm::is_contained(list, call))
    list.push_back(call);
  state.barrier();
}

void Flow::solve() {
  if (!graph)
    return;
  // Paths that are inside a copy are kept apart from those that are not.
  using Point = std::pair<const CFGBlock *, std::optional<size_t>>;
  std::map<std::pair<unsigned, size_t>, State> atEntry;
  auto stateAt = [&](const Point &point) -> std::pair<State &, bool> {
    auto [place, isNew] =
        atEntry.try_emplace({point.first->getBlockID(), point.second ? *point.second + 1 : 0});
    return {place->second, isNew};
  };
  SmallVector<Point, 16> work{{&graph->getEntry(), std::nullopt}};
  stateAt(work.front());
  while (!work.empty()) {
    auto [block, inside] = work.pop_back_val();
    State state = stateAt({block, inside}).first;
    for (const CFGElement &element : *block)
      if (std::optional<CFGStmt> statement = element.getAs<CFGStmt>())
        step(state, inside, statement->getStmt());
    for (const CFGBlock::AdjacentBlock &next : block->succs()) {
      if (!next)
        continue;
      auto [known, isNew] = stateAt({next, inside});
      if (known.join(state) || isNew)
        work.push_back({next, inside});
    }
  }
}

} // namespace

BarrierFacts findBarrierFacts(const FunctionDecl *kernel, ASTContext &context,
                              const std::vector<LiftedStatement> &copies) {
  return Flow(kernel, context, copies).run();
}

} // namespace tilelift
