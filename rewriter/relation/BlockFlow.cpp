//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "relation/BlockFlow.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

void MemoryTraffic::add(const MemoryTraffic &other) {
  read |= other.read;
  written |= other.written;
  readsShared |= other.readsShared;
  storesShared |= other.storesShared;
  readsGlobal |= other.readsGlobal;
  storesGlobal |= other.storesGlobal;
}

bool MemoryTraffic::operator==(const MemoryTraffic &other) const {
  auto all = [](const MemoryTraffic &of) {
    return std::tie(of.read, of.written, of.readsShared, of.storesShared, of.readsGlobal,
                    of.storesGlobal);
  };
  return all(*this) == all(other);
}

bool MemoryTraffic::clashesWith(const MemoryTraffic &other) const {
  bool inTiles = (written & (other.read | other.written)) != 0 || (read & other.written) != 0;
  auto clash = [](bool reads, bool stores, bool othersRead, bool othersStore) {
    return (stores && (othersRead || othersStore)) || (reads && othersStore);
  };
  return inTiles || clash(readsShared, storesShared, other.readsShared, other.storesShared) ||
         clash(readsGlobal, storesGlobal, other.readsGlobal, other.storesGlobal);
}

MemoryTraffic MemoryTraffic::everything() {
  return {~uint64_t(0), ~uint64_t(0), true, true, true, true};
}

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
  findQuiet();
}

void BlockFlow::findQuiet() {
  uint64_t busy = 0;
  for (const LiftedStatement &copy : copies)
    if (!copy.isSupplied || copy.tileIsWritten || copy.mayRunPlain)
      busy |= copiesOf(copy.tile);
  for (size_t i = 0; i < copies.size(); ++i)
    quiet |= uint64_t(1) << i & ~busy;
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

/// Not where it comes from an argument of the kernel, or is a tile by its name. An object may
/// hold any address.
bool BlockFlow::mayPointToShared(const Expr *pointer) const {
  bool hasOther = false, hasKnown = false;
  for (const VarDecl *variable : variablesIn(pointer)) {
    bool isArgument = isKernel && isa<ParmVarDecl>(variable);
    bool isBuiltin = variable->hasGlobalStorage() && variable->getType().isConstQualified();
    if (variable->hasAttr<CUDASharedAttr>() || isArgument)
      hasKnown = true;
    else if (!variable->getType()->isArithmeticType() && !isBuiltin) // threadIdx
      hasOther = true;
  }
  return hasOther || !hasKnown;
}

MemoryTraffic BlockFlow::trafficOf(const Stmt *statement) const {
  auto [known, isNew] = seen.try_emplace(statement);
  MemoryTraffic &traffic = known->second;
  if (!isNew)
    return traffic;
  addTraffic(statement, Use::Read, traffic);
  traffic.read &= ~quiet;
  traffic.written &= ~quiet;
  return traffic;
}

void BlockFlow::addTraffic(const Stmt *statement, Use use, MemoryTraffic &traffic) const {
  if (isa<PseudoObjectExpr>(statement) || isProxyFence(statement)) // threadIdx.x is a call
    return;
  addNamed(statement, use, traffic);
  if (const Expr *pointer = pointerOf(statement))
    addPointed(pointer, use, traffic);
  addCalled(statement, traffic);
  for (const Stmt *child : statement->children())
    if (child)
      addTraffic(child, std::max(use, useThrough(statement, child, facts)), traffic);
}

/// A variable that all threads have.
void BlockFlow::addNamed(const Stmt *statement, Use use, MemoryTraffic &traffic) const {
  const auto *reference = dyn_cast<DeclRefExpr>(statement);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!variable || !variable->hasGlobalStorage() || variable->getType().isConstQualified())
    return;
  bool isStored = use != Use::Read, isShared = variable->hasAttr<CUDASharedAttr>();
  if (uint64_t tile = copiesOf(variable))
    (isStored ? traffic.written : traffic.read) |= tile;
  else if (isShared)
    (isStored ? traffic.storesShared : traffic.readsShared) = true;
  else
    (isStored ? traffic.storesGlobal : traffic.readsGlobal) = true;
}

void BlockFlow::addPointed(const Expr *pointer, Use use, MemoryTraffic &traffic) const {
  bool isStored = use != Use::Read;
  if (!isStored && isNeverWritten(pointer))
    return;
  if (mayPointToShared(pointer)) {
    (isStored ? traffic.written : traffic.read) |= aliased;
    (isStored ? traffic.storesShared : traffic.readsShared) = true;
  }
  SmallVector<const VarDecl *, 4> variables = variablesIn(pointer);
  bool isTile = !variables.empty() && llvm::all_of(variables, [](const VarDecl *variable) {
    return variable->hasAttr<CUDASharedAttr>() || variable->getType()->isArithmeticType();
  });
  if (!isTile)
    (isStored ? traffic.storesGlobal : traffic.readsGlobal) = true;
}

/// What a call or assembly does with memory that it is not told of by name.
void BlockFlow::addCalled(const Stmt *statement, MemoryTraffic &traffic) const {
  const auto *call = dyn_cast<CallExpr>(statement);
  bool isMaking = isa<CXXConstructExpr>(statement); // of what, its arguments tell
  bool isCode = isMaking || isa<AsmStmt, AtomicExpr>(statement) || (call && !isBlockBarrier(call));
  MemoryOfCode memory = isCode ? memoryOf(statement) : MemoryOfCode();
  if (memory.isHidden || isa<AtomicExpr>(statement))
    traffic.readsGlobal = traffic.storesGlobal = traffic.storesShared = true;
  if (!memory.touches || (isMaking && !memory.isHidden))
    return;
  traffic.readsGlobal |= mayReadGlobal(statement);
  traffic.storesGlobal |= mayStoreToGlobal(statement);
  bool isToldAll =
      call && !memory.isHidden && !memory.byInstructions && !leadsElsewhere(call, isKernel);
  if (isToldAll) // by names, which have been read
    return;
  traffic.readsShared = true;
  traffic.read |= aliased;
  if (mayStoreToShared(statement, isKernel)) {
    traffic.storesShared = true;
    traffic.written |= aliased;
  }
}

} // namespace tilelift
