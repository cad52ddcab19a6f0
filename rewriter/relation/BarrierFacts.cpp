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
  /// Copies whose source a store may have changed, through a pointer of its own.
  uint64_t sourceWritten = 0;

  bool join(const State &other) {
    State before = *this;
    touched |= other.touched;
    waited |= other.waited;
    otherMemory |= other.otherMemory;
    copied |= other.copied;
    everRead |= other.everRead;
    everWritten |= other.everWritten;
    sourceWritten |= other.sourceWritten;
    return touched != before.touched || waited != before.waited ||
           otherMemory != before.otherMemory || copied != before.copied ||
           everRead != before.everRead || everWritten != before.everWritten ||
           sourceWritten != before.sourceWritten;
  }
  void barrier() {
    touched = 0;
    waited = otherMemory = copied = false;
  }
};

class Flow {
public:
  Flow(const FunctionDecl *function, ASTContext &context,
       const std::vector<LiftedStatement> &copies, ArrayRef<const CallExpr *> lifting)
      : function(function),
        copies(copies),
        lifting(lifting),
        isKernel(function->hasAttr<CUDAGlobalAttr>()),
        facts(CallPath(function)),
        body(function->getBody()),
        graph(CFG::buildCFG(function, function->getBody(), &context, CFG::BuildOptions())) {
    // The graph splits `int a, b;` in two.
    if (graph)
      for (const auto &[part, whole] : graph->synthetic_stmts())
        original[part] = whole;
    findAliased(body);
    // Others have these tiles, too, and may have handed them in.
    for (size_t i = 0; i < copies.size(); ++i)
      if (copies[i].tile->getLexicalDeclContext() != function)
        aliased |= uint64_t(1) << i;
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
      bool runsOnce = isKernel && facts.parentOf(copies[i].statement) == body;
      result.copies[i] = {runsOnce, result.copies[i].joinsPrevious};
    }
    solve();
    return std::move(result);
  }

private:
  void groupCopies();
  bool sharesTile(size_t copy) const;
  bool isQuiet(const Stmt *statement) const;
  void solve();
  void step(State &state, std::optional<size_t> &inside, const Stmt *statement);
  void reachCopy(State &state, size_t copy);
  void access(State &state, const Stmt *statement, Use use);
  uint64_t copiesTo(const VarDecl *tile) const;
  void findAliased(const Stmt *statement, bool inLambda = false);
  bool mayPointToShared(const Expr *pointer) const;
  void accessAliased(State &state, bool isStore);
  std::optional<size_t> copyAround(const Stmt *statement) const {
    if (auto split = original.find(statement); split != original.end())
      statement = split->second;
    for (size_t i = 0; i < copies.size(); ++i)
      if (facts.isWithin(statement, copies[i].statement))
        return i;
    return std::nullopt;
  }

  const FunctionDecl *function;
  const std::vector<LiftedStatement> &copies;
  ArrayRef<const CallExpr *> lifting;
  bool isKernel;
  VariableFacts facts;
  const Stmt *body;
  std::unique_ptr<CFG> graph;
  DenseMap<const Stmt *, const Stmt *> original;
  BarrierFacts result;
  /// Copies to tiles whose address is kept somewhere: any pointer may lead there.
  uint64_t aliased = 0;
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
    if (copies[i].statement == copies[i - 1].statement) {
      result.copies[i].joinsPrevious = true;
      continue;
    }
    const auto *body = dyn_cast_or_null<CompoundStmt>(facts.parentOf(copies[i].statement));
    bool together = body && body == facts.parentOf(copies[i - 1].statement) &&
                    !copies[i].mayRunPlain && !copies[i - 1].mayRunPlain && !sharesTile(i) &&
                    copies[i].isAhead == copies[i - 1].isAhead;
    if (!together)
      continue;
    bool between = false;
    for (const Stmt *statement : body->body()) {
      if (statement == copies[i].statement)
        break;
      together &= !between || (isQuiet(statement) && !copies[i].isAhead);
      between |= statement == copies[i - 1].statement;
    }
    result.copies[i].joinsPrevious = together;
  }
}

/// Whether a copy fills what one of those before it in its group fills.
bool Flow::sharesTile(size_t copy) const {
  for (size_t i = copy; i-- > 0;) {
    if (copies[i].tile == copies[copy].tile)
      return true;
    if (!result.copies[i].joinsPrevious)
      break;
  }
  return false;
}

/// A bit for each copy that fills the variable.
uint64_t Flow::copiesTo(const VarDecl *tile) const {
  uint64_t bits = 0;
  for (size_t i = 0; i < copies.size(); ++i)
    if (copies[i].tile->getCanonicalDecl() == tile->getCanonicalDecl())
      bits |= uint64_t(1) << i;
  return bits;
}

/// A tile is used by its name as long as it is subscripted down to an element.
void Flow::findAliased(const Stmt *statement, bool inLambda) {
  if (!statement)
    return;
  inLambda |= isa<LambdaExpr>(statement);
  const auto *reference = dyn_cast<DeclRefExpr>(statement);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (variable && variable->hasAttr<CUDASharedAttr>()) {
    const Stmt *use = reference, *parent = facts.parentOf(use);
    while (isa_and_nonnull<ArraySubscriptExpr, MemberExpr, ParenExpr>(parent) ||
           (isa_and_nonnull<ImplicitCastExpr>(parent) &&
            isa_and_nonnull<ArraySubscriptExpr>(facts.parentOf(parent))))
      use = parent, parent = facts.parentOf(use);
    QualType type = cast<Expr>(use)->getType();
    const auto *address = dyn_cast_or_null<UnaryOperator>(parent);
    if (inLambda || type->isArrayType() || type->isRecordType() ||
        (address && address->getOpcode() == UO_AddrOf))
      aliased |= copiesTo(variable);
  }
  for (const Stmt *child : statement->children())
    findAliased(child, inLambda);
}

/// Not where it comes from an argument of the kernel, or is a tile by its name.
bool Flow::mayPointToShared(const Expr *pointer) const {
  bool hasOther = false, hasKnown = false;
  for (const VarDecl *variable : variablesIn(pointer)) {
    bool isArgument = isKernel && isa<ParmVarDecl>(variable);
    if (variable->hasAttr<CUDASharedAttr>() || isArgument)
      hasKnown = true;
    else if (variable->getType()->isPointerType() || variable->getType()->isReferenceType())
      hasOther = true;
  }
  return hasOther || !hasKnown;
}

void Flow::accessAliased(State &state, bool isStore) {
  state.otherMemory = true;
  state.touched |= aliased;
  (isStore ? state.everWritten : state.everRead) |= aliased;
}

void Flow::access(State &state, const Stmt *statement, Use use) {
  bool isStore = use != Use::Read;
  const auto *reference = dyn_cast<DeclRefExpr>(statement);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (variable && variable->hasAttr<CUDASharedAttr>()) {
    state.otherMemory = true;
    state.touched |= copiesTo(variable);
    (isStore ? state.everWritten : state.everRead) |= copiesTo(variable);
  }
  const Expr *pointer = pointerOf(statement);
  if (pointer && mayPointToShared(pointer))
    accessAliased(state, isStore);
  state.otherMemory |= pointer != nullptr;
  const auto *call = dyn_cast<CallExpr>(statement);
  if (call && llvm::is_contained(lifting, call))
    state.waited = state.copied = true;
  if (isa<AsmStmt>(statement) || (call && !isHarmlessCall(call) && !isBlockBarrier(call)))
    accessAliased(state, true);

  for (const Stmt *child : statement->children())
    if (child)
      access(state, child, std::max(use, useThrough(statement, child, facts)));
}

void Flow::reachCopy(State &state, size_t copy) {
  CopyOrder &order = result.copies[copy];
  uint64_t bit = uint64_t(1) << copy;
  bool startsPhase = !order.joinsPrevious;
  order.needsBarrier |= (state.touched & bit) || (startsPhase && state.waited);
  order.sourceWritten |= (state.sourceWritten & bit) != 0;
  order.readBefore |= state.everRead & bit;
  order.writtenBefore |= state.everWritten & bit;
}

/// `inside` is the copy that the path is in, or none; leaving a copy is its wait.
void Flow::step(State &state, std::optional<size_t> &inside, const Stmt *statement) {
  std::optional<size_t> copy = copyAround(statement);
  if (inside && inside != copy)
    state.waited |= !copy || !result.copies[*copy].joinsPrevious;
  if (copy && inside != copy) {
    state.copied = true;
    auto isSame = [&](size_t i) {
      return i < copies.size() && copies[i].statement == copies[*copy].statement;
    };
    for (size_t i = *copy; isSame(i); ++i)
      reachCopy(state, i);
    for (size_t i = *copy; isSame(i); ++i)
      if (copies[i].mayRunPlain) {
        state.otherMemory = true;
        state.everWritten |= copiesTo(copies[i].tile);
        state.touched |= copiesTo(copies[i].tile);
      }
  }
  inside = copy;
  if (copy)
    return;
  if (!isBlockBarrier(statement)) {
    for (size_t i = 0; i < copies.size(); ++i)
      if (mayWrite(statement, copies[i].source, isKernel, facts))
        state.sourceWritten |= uint64_t(1) << i;
    return access(state, statement, Use::Read);
  }

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
  State &entry = stateAt(work.front()).first;
  if (!isKernel) {
    entry.touched = entry.everRead = ~uint64_t(0);
    for (const LiftedStatement &copy : copies)
      if (copy.tileIsWritten || copy.mayRunPlain)
        entry.everWritten |= copiesTo(copy.tile);
    entry.waited = entry.otherMemory = true;
    for (size_t i = 0; i < copies.size(); ++i)
      if (copies[i].source.mayBeWritten())
        entry.sourceWritten |= uint64_t(1) << i;
  }
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

BarrierFacts findBarrierFacts(const FunctionDecl *function, ASTContext &context,
                              const std::vector<LiftedStatement> &copies,
                              ArrayRef<const CallExpr *> lifting) {
  return Flow(function, context, copies, lifting).run();
}

} // namespace tilelift
