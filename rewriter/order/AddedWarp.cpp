//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "order/AddedWarp.h"

#include "order/BarrierCalls.h"
#include "support/Builtins.h"
#include "support/Locations.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

constexpr unsigned warp = 32, mostThreads = 1024;

unsigned threadsOf(const BlockShape &block) { return block[0] * block[1] * block[2]; }

size_t lastAxis(const BlockShape &block) { return block[2] > 1 ? 2 : block[1] > 1 ? 1 : 0; }

class Finder {
public:
  Finder(const FunctionDecl *kernel, const BlockShape &block, const KernelEffects &effects)
      : kernel(kernel),
        effects(effects),
        sources(kernel->getASTContext().getSourceManager()),
        facts(CallPath(kernel)),
        uniformity(facts, effects, CallPath(kernel)),
        axis(unsigned(lastAxis(block))) {}

  std::variant<BlockUses, Diagnostic> run() {
    if (!effects.isKnown())
      refuse(kernel->getBody(), "nobody knows what the kernel does");
    for (const CodeBlock &block : effects.getBlocks())
      for (const CodeStep &step : block.steps)
        read(step);
    findReturns(kernel->getBody());
    checkReturns();
    if (failure)
      return std::move(*failure);
    return std::move(uses);
  }

private:
  void read(const CodeStep &step);
  void readBarrier(const CodeStep &step);
  void findReturns(const Stmt *statement);
  void checkReturns();
  bool isOfSomeThreads(const Stmt *statement) const;
  /// The innermost statement that has a place: default arguments and initialisers have none.
  const Stmt *shown(const CodeStep &step) const {
    for (const Stmt *here : llvm::reverse(effects.statementsInText(step.place)))
      if (here->getBeginLoc().isValid())
        return here;
    return kernel->getBody();
  }
  std::string nameOf(const CodeStep &step) const;
  void refuse(const Stmt *where, const std::string &why) {
    if (!failure)
      failure = diagnose(diag::no_producer, {}, why)
                    .note(placeOf(sources, where->getBeginLoc()), "that is here");
  }

  const FunctionDecl *kernel;
  const KernelEffects &effects;
  const SourceManager &sources;
  VariableFacts facts;
  Uniformity uniformity;
  unsigned axis;
  BlockUses uses;
  std::vector<const Stmt *> returns;
  std::optional<Diagnostic> failure;
};

/// Who is called there, or what else it is.
std::string Finder::nameOf(const CodeStep &step) const {
  const CallExpr *call = effects.callInText(step);
  if (const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr)
    return "'" + callee->getNameAsString() + "'";
  for (const Stmt *here : llvm::reverse(effects.statementsInText(step.place))) {
    if (const auto *made = dyn_cast<CXXConstructExpr>(here))
      return "the constructor of '" + made->getConstructor()->getNameAsString() + "'";
    if (isa<AsmStmt>(here))
      return "assembly";
  }
  return "a statement";
}

/// A statement by itself, which another barrier can stand for.
void Finder::readBarrier(const CodeStep &step) {
  const CallExpr *call = effects.callInText(step);
  if (call && static_cast<const Expr *>(call)->getBeginLoc().isMacroID())
    return refuse(call, "a macro's barrier would wait for it");
  Effect effect = call ? effects.ofCallInText(call) : step.effect;
  bool isOnly = call && effects.isStatementInText(call) && !effect.touchesMemory() &&
                !effect.meetsOthers && !effect.signals && !effect.fencesProxy && !effect.mayLeave &&
                effect.countsThreads == 0 && !effect.isUnknown && !mayChangeVariables(call);
  if (!isOnly)
    return refuse(shown(step), nameOf(step) + " would wait for it");
  if (!llvm::is_contained(uses.barriers, call))
    uses.barriers.push_back(call);
}

void Finder::read(const CodeStep &step) {
  if (step.effect.meetsBlock)
    readBarrier(step);
  if (step.effect.meetsOthers)
    refuse(shown(step), nameOf(step) + " may wait for it, or be waited for");
  if ((step.effect.countsThreads >> axis & 1) == 0)
    return;
  if (effects.namesBlockSize(step))
    uses.countsThreads = true;
  else
    refuse(shown(step),
           nameOf(step) + " uses the size of the block, and this warp is not counted in it");
}

void Finder::findReturns(const Stmt *statement) {
  if (!statement || isa<PseudoObjectExpr>(statement))
    return;
  uses.countsThreads |= namesBlockSize(statement);
  if (isa<ReturnStmt>(statement))
    returns.push_back(statement);
  for (const Stmt *child : statement->children())
    findReturns(child);
}

bool Finder::isOfSomeThreads(const Stmt *statement) const {
  for (const Stmt *around = facts.parentOf(statement); around; around = facts.parentOf(around))
    if (isa<LambdaExpr>(around)) // it ends the lambda's call
      return false;
  return uniformity.divergentControlOf(statement) != nullptr;
}

static bool containsLabel(const Stmt *statement) {
  return statement &&
         (isa<LabelStmt>(statement) || llvm::any_of(statement->children(), containsLabel));
}

/// A barrier of so many threads waits for those that have left the kernel, too; that of the
/// whole block does not.
void Finder::checkReturns() {
  if (!uses.barriers.empty() && effects.ofAll().mayLeave)
    refuse(kernel->getBody(), "some threads may end ahead of a barrier");
  const bool hasJumps = containsLabel(kernel->getBody()); // by which a loop may be made, too
  for (const Stmt *end : returns) {
    const Stmt *loop = facts.outermostLoopAround(end);
    for (const Expr *barrier : uses.barriers)
      if (isOfSomeThreads(end) &&
          (hasJumps ||
           sources.isBeforeInTranslationUnit(end->getBeginLoc(), barrier->getBeginLoc()) ||
           (loop && facts.isWithin(barrier, loop))))
        refuse(end, "some threads may leave the kernel ahead of a barrier");
  }
}

} // namespace

BlockShape withAddedWarp(const BlockShape &block) {
  BlockShape larger = block;
  size_t axis = lastAxis(block);
  unsigned row = threadsOf(block) / block[axis];
  larger[axis] += (warp + row - 1) / row;
  return larger;
}

std::variant<BlockUses, Diagnostic>
findBlockUses(const FunctionDecl *kernel, const BlockShape &block, const KernelEffects &effects) {
  unsigned threads = threadsOf(block), withWarp = threadsOf(withAddedWarp(block));
  if (threads % warp != 0)
    return diagnose(
        diag::no_producer, {},
        formatv("a block of {0} threads does not end with a whole warp", threads).str());
  if (withWarp > mostThreads)
    return diagnose(
        diag::no_producer, {},
        formatv("with it the block has {0} threads, and may have {1}", withWarp, mostThreads)
            .str());
  return Finder(kernel, block, effects).run();
}

} // namespace tilelift
