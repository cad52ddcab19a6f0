//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "rounds/PeerBlocks.h"

#include "rounds/Rounds.h"
#include "support/Builtins.h"
#include "support/Locations.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
std::string indicesOf(Axes axes) {
  std::string text;
  for (unsigned axis = 0; axis < 3; ++axis)
    if (axes >> axis & 1)
      text += (text.empty() ? "blockIdx." : " or blockIdx.") + std::string(1, char('x' + axis));
  return text;
}

/// blockIdx, also as assembly or a call reads it, and what one block may find in memory and another
/// one may not.
OwnDifference PeerBlocks::differencesAlong(const KernelEffects &effects) const {
  CallPath path(kernel);
  return [&effects, path, axes = axes](const Stmt *part) -> std::optional<bool> {
    const auto *expression = dyn_cast<Expr>(part);
    if (auto member = expression ? builtinMember(expression) : std::nullopt)
      return member->first == "threadIdx" ||
             (member->first == "blockIdx" && (axes >> (member->second[0] - 'x') & 1) != 0);
    const auto *load = dyn_cast<ImplicitCastExpr>(part);
    const bool isCode = isa<CallExpr, AsmStmt>(part);
    bool mayRead = (load && load->getCastKind() == CK_LValueToRValue) || isCode;
    if (!mayRead)
      return std::nullopt;
    Effect effect = effects.of(part, path);
    if (isCode && (effect.tellsBlocks & (axes | Effect::otherBlocks)) != 0)
      return true;
    bool readsShared = effects.mayMeet(effect.reads, effects.allShared());
    return readsShared || effects.mayMeet(effect.reads, effects.ofAll().writes)
               ? std::optional(true)
               : std::nullopt;
  };
}

PeerBlocks::PeerBlocks(const FunctionDecl *kernel, Axes axes, const KernelEffects &effects)
    : kernel(kernel),
      axes(axes),
      facts(CallPath(kernel)),
      uniformity(facts, effects, CallPath(kernel), differencesAlong(effects)) {}

/// What only some of them may leave the copy's surroundings by, before it or in a loop
/// around it.
const Stmt *PeerBlocks::endBefore(const Stmt *statement, const Stmt *copy) const {
  const SourceManager &sources = kernel->getASTContext().getSourceManager();
  if (!statement || statement == copy || isa<LambdaExpr>(statement))
    return nullptr;
  const Stmt *loop = facts.outermostLoopAround(copy);
  if (isa<ReturnStmt, GotoStmt, BreakStmt, ContinueStmt>(statement) &&
      (sources.isBeforeInTranslationUnit(statement->getBeginLoc(), copy->getBeginLoc()) ||
       (loop && facts.isWithin(statement, loop))) &&
      uniformity.divergentControlOf(statement))
    return statement;
  for (const Stmt *child : statement->children())
    if (const Stmt *end = endBefore(child, copy))
      return end;
  return nullptr;
}

std::optional<Diagnostic> PeerBlocks::whyNotAlike(const Stmt *copy, StringRef tile) const {
  const SourceManager &sources = kernel->getASTContext().getSourceManager();
  auto refuse = [&](const Stmt *where, const std::string &note) {
    return diagnose(diag::no_multicast, placeOf(sources, copy->getBeginLoc()), tile,
                    "blocks that differ in " + indicesOf(axes) + " may not come to it alike")
        .note(placeOf(sources, where->getBeginLoc()), note);
  };
  if (const Expr *condition = uniformity.divergentControlOf(copy))
    return refuse(condition, "this may be another answer in each of them");
  if (const Stmt *end = endBefore(kernel->getBody(), copy))
    return refuse(end, "some of them may leave it here");
  if (uniformity.mayEndThread(kernel->getBody()))
    return refuse(kernel->getBody(), "assembly may end some of them");
  return std::nullopt;
}

/// Where a variable has the value that it begins the rounds of a loop with, or has after a
/// statement.
static const Stmt *withinMoment(const Stmt *moment) {
  return isLoop(moment) ? bodyOf(moment) : moment;
}

bool PeerBlocks::mayDiffer(const Symbol &symbol, const Symbols &symbols, const Stmt *copy) const {
  auto differs = [&](const Polynomial &value) {
    return differingPart(value, symbols, copy).has_value();
  };
  switch (symbol.kind) {
  case Symbol::Kind::Parameter:
  case Symbol::Kind::GridSize: return false;
  case Symbol::Kind::BlockIndex: return (axes >> symbol.axis & 1) != 0;
  case Symbol::Kind::Variable:
    return uniformity.mayDifferAt(static_cast<const VarDecl *>(symbol.identity),
                                  withinMoment(static_cast<const Stmt *>(symbol.moment)));
  case Symbol::Kind::Opaque:
    if (symbol.operation)
      return differs(symbol.operation->left) || differs(symbol.operation->right);
    return !symbol.isFixed || !symbol.name || llvm::any_of(symbol.name->indices, differs);
  }
  llvm_unreachable("all kinds are there");
}

std::optional<std::string>
PeerBlocks::differingPart(const Polynomial &value, const Symbols &symbols, const Stmt *copy) const {
  for (const Term &term : value.getTerms())
    for (SymbolId id : term.factors)
      if (mayDiffer(symbols[id], symbols, copy))
        return symbols[id].spelling;
  return std::nullopt;
}

} // namespace tilelift
