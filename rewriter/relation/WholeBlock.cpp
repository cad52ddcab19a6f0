//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "relation/WholeBlock.h"

#include "relation/MemoryAccess.h"
#include "support/CallPath.h"
#include "support/Locations.h"
#include "support/VariableFacts.h"

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

bool isBarrierName(StringRef name) {
  return name.starts_with("__syncthreads") || name.contains("barrier_sync") ||
         name.contains("barrier_arrive") || name.starts_with("__nvvm_bar0") ||
         name.starts_with("__nvvm_bar_sync") || name.starts_with("__nvvm_barrier");
}

bool hasBarrier(const GCCAsmStmt *assembly) {
  return hasInstruction(assembly, [](StringRef word) {
    return (word.starts_with("bar.") && !word.starts_with("bar.warp")) ||
           word.starts_with("barrier.");
  });
}

class Finder {
public:
  Finder(const FunctionDecl *kernel, const BlockShape &block)
      : kernel(kernel),
        sources(kernel->getASTContext().getSourceManager()),
        facts(CallPath(kernel)),
        axis(StringRef("xyz").substr(lastAxis(block), 1)) {}

  std::variant<BlockUses, Diagnostic> run() {
    read(kernel->getBody());
    checkReturns();
    if (failure)
      return std::move(*failure);
    return std::move(uses);
  }

private:
  void read(const Stmt *statement);
  void readCall(const CallExpr *call);
  void checkReturns();
  bool isOfSomeThreads(const Stmt *statement) const;
  bool meetsAll(const Stmt *statement);
  bool countsAll(const Stmt *statement) const;
  void refuse(const Stmt *where, const std::string &why) {
    if (!failure)
      failure = diagnose("no-producer", {}, why)
                    .note(placeOf(sources, where->getBeginLoc()), "that is here");
  }

  const FunctionDecl *kernel;
  const SourceManager &sources;
  VariableFacts facts;
  StringRef axis;
  BlockUses uses;
  std::vector<const Stmt *> returns;
  std::optional<Diagnostic> failure;
  DenseSet<const FunctionDecl *> seen;
};

/// Whether something is the block's size where that changes.
bool Finder::countsAll(const Stmt *statement) const {
  const auto *expression = dyn_cast<Expr>(statement);
  if (auto member = expression ? builtinMember(expression) : std::nullopt)
    return member->first == "blockDim" && member->second == axis;
  const auto *reference = dyn_cast<DeclRefExpr>(statement);
  return reference && reference->getDecl()->getDeclName().isIdentifier() &&
         reference->getDecl()->getName() == "blockDim";
}

/// Whether code that is not the kernel's own counts the threads of the block or meets them.
bool Finder::meetsAll(const Stmt *statement) {
  if (!statement)
    return false;
  if (countsAll(statement))
    return true;
  if (isa<PseudoObjectExpr>(statement)) // threadIdx.x is a call
    return false;
  const auto *call = dyn_cast<CallExpr>(statement);
  const auto *assembly = dyn_cast<GCCAsmStmt>(statement);
  if ((call && isBarrierName(calleeName(call))) || (assembly && hasBarrier(assembly)))
    return true;
  if (const FunctionDecl *callee = functionRunBy(statement);
      callee && seen.insert(callee).second && meetsAll(callee->getBody()))
    return true;
  return llvm::any_of(statement->children(), [&](const Stmt *child) { return meetsAll(child); });
}

void Finder::readCall(const CallExpr *call) {
  StringRef name = calleeName(call);
  if (name == "__syncthreads" && call->getBeginLoc().isMacroID())
    refuse(call, "a macro's barrier would wait for it");
  else if (name == "__syncthreads")
    uses.barriers.push_back(call);
  else if (isBarrierName(name))
    refuse(call, ("'" + name + "' would wait for it").str());
}

void Finder::read(const Stmt *statement) {
  if (!statement)
    return;
  uses.countsThreads |= countsAll(statement);
  if (isa<PseudoObjectExpr>(statement))
    return;
  if (isa<ReturnStmt>(statement))
    returns.push_back(statement);
  if (const auto *call = dyn_cast<CallExpr>(statement))
    readCall(call);
  if (const auto *assembly = dyn_cast<GCCAsmStmt>(statement); assembly && hasBarrier(assembly))
    refuse(assembly, "assembly has barriers of the block's threads");
  if (const FunctionDecl *callee = functionRunBy(statement); callee && !isLambda(callee)) {
    seen.clear();
    if (meetsAll(callee->getBody()))
      refuse(statement, "'" + callee->getNameAsString() +
                            "' counts or meets all threads of the block, of which it is none");
  }
  for (const Stmt *child : statement->children())
    read(child);
}

bool Finder::isOfSomeThreads(const Stmt *statement) const {
  for (const Stmt *around = facts.parentOf(statement); around; around = facts.parentOf(around)) {
    if (isa<LambdaExpr>(around)) // it ends the lambda's call
      return false;
    const Expr *condition = nullptr;
    if (const auto *branch = dyn_cast<IfStmt>(around))
      condition = branch->getCond();
    else if (const auto *choice = dyn_cast<SwitchStmt>(around))
      condition = choice->getCond();
    else if (const auto *counted = dyn_cast<ForStmt>(around))
      condition = counted->getCond();
    else if (const auto *tested = dyn_cast<WhileStmt>(around))
      condition = tested->getCond();
    if (condition && facts.mayDifferBetweenThreads(condition))
      return true;
  }
  return false;
}

/// A barrier of so many threads waits for those that have left the kernel, too; that of the
/// whole block does not.
void Finder::checkReturns() {
  if (!uses.barriers.empty() && facts.mayEndThread(kernel->getBody()))
    refuse(kernel->getBody(), "assembly may end some threads ahead of a barrier");
  for (const Stmt *end : returns) {
    const Stmt *loop = facts.outermostLoopAround(end);
    for (const CallExpr *barrier : uses.barriers)
      if (isOfSomeThreads(end) &&
          (sources.isBeforeInTranslationUnit(end->getBeginLoc(), barrier->getBeginLoc()) ||
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

std::variant<BlockUses, Diagnostic> findBlockUses(const FunctionDecl *kernel,
                                                  const BlockShape &block) {
  unsigned threads = threadsOf(block), withWarp = threadsOf(withAddedWarp(block));
  if (threads % warp != 0)
    return diagnose(
        "no-producer", {},
        formatv("a block of {0} threads does not end with a whole warp", threads).str());
  if (withWarp > mostThreads)
    return diagnose(
        "no-producer", {},
        formatv("with it the block has {0} threads, and may have {1}", withWarp, mostThreads)
            .str());
  return Finder(kernel, block).run();
}

} // namespace tilelift
