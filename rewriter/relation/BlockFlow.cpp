//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "relation/BlockFlow.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

BlockFlow::BlockFlow(const FunctionDecl *function, ASTContext &context,
                     const std::vector<LiftedStatement> &copies)
    : isKernel(function->hasAttr<CUDAGlobalAttr>()),
      facts(CallPath(function)),
      copies(copies),
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

std::optional<size_t> BlockFlow::copyAround(const Stmt *statement) const {
  if (auto split = original.find(statement); split != original.end())
    statement = split->second;
  for (size_t i = 0; i < copies.size(); ++i)
    if (facts.isWithin(statement, copies[i].statement))
      return i;
  return std::nullopt;
}

uint64_t BlockFlow::copiesOf(const VarDecl *tile) const {
  uint64_t bits = 0;
  for (size_t i = 0; i < copies.size(); ++i)
    if (copies[i].tile->getCanonicalDecl() == tile->getCanonicalDecl())
      bits |= uint64_t(1) << i;
  return bits;
}

/// A tile is used by its name as long as it is subscripted down to an element.
void BlockFlow::findAliased(const Stmt *statement, bool inLambda) {
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
      aliased |= copiesOf(variable);
  }
  for (const Stmt *child : statement->children())
    findAliased(child, inLambda);
}

/// Not where it comes from an argument of the kernel, or is a tile by its name.
bool BlockFlow::mayPointToShared(const Expr *pointer) const {
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

TileUses BlockFlow::usesIn(const Stmt *statement) const {
  TileUses uses;
  addUses(statement, Use::Read, uses);
  return uses;
}

void BlockFlow::addUses(const Stmt *statement, Use use, TileUses &uses) const {
  auto add = [&](uint64_t tiles, bool isStore) {
    uses.any = true;
    uses.store |= isStore;
    (isStore ? uses.written : uses.read) |= tiles;
  };
  const auto *reference = dyn_cast<DeclRefExpr>(statement);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (variable && variable->hasAttr<CUDASharedAttr>())
    add(copiesOf(variable), use != Use::Read);
  const Expr *pointer = pointerOf(statement);
  if (pointer && mayPointToShared(pointer))
    add(aliased, use != Use::Read);
  uses.any |= pointer != nullptr;
  const auto *call = dyn_cast<CallExpr>(statement);
  if (isProxyFence(statement))
    return;
  if (isa<AsmStmt>(statement) || (call && !isHarmlessCall(call) && !isBlockBarrier(call)))
    add(aliased, mayStoreToShared(statement, isKernel));
  for (const Stmt *child : statement->children())
    if (child)
      addUses(child, std::max(use, useThrough(statement, child, facts)), uses);
}

} // namespace tilelift
