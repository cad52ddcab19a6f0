//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "relation/CopyAnalysis.h"

#include "support/Locations.h"

#include "clang/AST/Attr.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// The conditions that decide whether a statement is reached, and the statement.
SmallVector<const Stmt *, 4> rootsOf(const Stmt *statement, const FunctionDecl *kernel,
                                     const VariableFacts &facts) {
  SmallVector<const Stmt *, 4> roots{statement};
  for (const Stmt *parent = facts.parentOf(statement); parent; parent = facts.parentOf(parent)) {
    if (const auto *branch = dyn_cast<IfStmt>(parent))
      roots.push_back(branch->getCond());
    else if (const auto *loop = dyn_cast<ForStmt>(parent))
      roots.append({loop->getCond(), loop->getInit()});
    else if (const auto *loop = dyn_cast<WhileStmt>(parent))
      roots.push_back(loop->getCond());
  }
  // An early return decides it as well.
  SmallVector<const Stmt *, 32> work{kernel->getBody()};
  while (!work.empty()) {
    const Stmt *next = work.pop_back_val();
    if (!next || isa<LambdaExpr>(next))
      continue;
    if (isa<ReturnStmt, BreakStmt, ContinueStmt>(next) && !facts.isWithin(next, statement))
      for (const Stmt *parent = facts.parentOf(next); parent; parent = facts.parentOf(parent))
        if (const auto *branch = dyn_cast<IfStmt>(parent))
          roots.push_back(branch->getCond());
    work.append(next->child_begin(), next->child_end());
  }
  return roots;
}

/// Uniform variables and their values, as long as all threads agree.
void keepCommon(NamesInScope &names, const NamesInScope &others) {
  llvm::erase_if(names.numbers, [&](const NamedValue &name) {
    return llvm::none_of(others.numbers, [&](const NamedValue &other) {
      return other.name == name.name && other.value == name.value;
    });
  });
  llvm::erase_if(names.pointers, [&](const NamedPointer &name) {
    return llvm::none_of(others.pointers, [&](const NamedPointer &other) {
      return other.name == name.name && other.base == name.base && other.offset == name.offset;
    });
  });
}

class Analysis {
public:
  Analysis(const KernelUnderTest &kernel, const Stmt *statement)
      : kernel(kernel), statement(statement) {}

  std::variant<AnalysedCopy, Diagnostic> run();

private:
  bool runThreads();
  bool runThread(unsigned thread, const DenseSet<const VarDecl *> &relevant);
  bool takeTile();
  bool checkEscapes();
  Place place() const;
  bool fail(Diagnostic diagnostic) {
    block.fail(std::move(diagnostic));
    return false;
  }

  const KernelUnderTest &kernel;
  const Stmt *statement;
  Block block;
  Condition reached;
  AnalysedCopy result;
};

Place Analysis::place() const {
  return placeOf(kernel.context.getSourceManager(), statement->getBeginLoc());
}

std::variant<AnalysedCopy, Diagnostic> Analysis::run() {
  if (!runThreads() || !checkEscapes() || !takeTile())
    return std::move(*block.failure);
  CopyRelation &relation = result.relation;
  relation.kernel = kernel.kernel->getNameAsString();
  relation.block = kernel.shape;
  relation.symbols = std::move(block.symbols);
  relation.bases = std::move(block.bases);
  relation.requirements = withoutImplied(std::move(block.requirements));
  relation.needs = std::move(block.needs);
  relation.place = place();
  return std::move(result);
}

bool Analysis::runThreads() {
  DenseSet<const VarDecl *> relevant =
      kernel.facts.relevantTo(rootsOf(statement, kernel.kernel, kernel.facts));
  unsigned threads = kernel.shape[0] * kernel.shape[1] * kernel.shape[2];
  for (unsigned thread = 0; thread < threads; ++thread)
    if (!runThread(thread, relevant))
      return false;
  return true;
}

bool Analysis::runThread(unsigned thread, const DenseSet<const VarDecl *> &relevant) {
  Interpreter interpreter(kernel, block, thread);
  interpreter.reach(statement, relevant);
  if (block.failed())
    return false;
  if (thread == 0) {
    reached = interpreter.getReached();
    result.relation.names = interpreter.namesInScope();
  } else {
    if (interpreter.getReached() != reached)
      return fail(diagnose("divergent-copy", place(),
                           "the condition on the way is '" +
                               interpreter.getReached().print(block.symbols) + "'",
                           thread, "'" + reached.print(block.symbols) + "'"));
    keepCommon(result.relation.names, interpreter.namesInScope());
  }
  interpreter.runCopy(statement);
  return !block.failed();
}

/// Variables that the statement leaves changed must not be read afterwards: the
/// loop that changes them is gone.
bool Analysis::checkEscapes() {
  for (const VarDecl *variable : kernel.facts.changedWithin(statement)) {
    bool isOwn = false, usedElsewhere = false;
    for (const Change &change : kernel.facts.changesOf(variable))
      isOwn |= change.kind == Change::Kind::Initialised &&
               kernel.facts.isWithin(change.statement, statement);
    if (isOwn)
      continue;
    SmallVector<const Stmt *, 32> work{kernel.kernel->getBody()};
    while (!work.empty() && !usedElsewhere) {
      const Stmt *next = work.pop_back_val();
      if (!next || next == statement)
        continue;
      if (const auto *reference = dyn_cast<DeclRefExpr>(next))
        usedElsewhere = reference->getDecl() == variable &&
                        kernel.context.getSourceManager().isBeforeInTranslationUnit(
                            statement->getBeginLoc(), reference->getBeginLoc());
      work.append(next->child_begin(), next->child_end());
    }
    if (usedElsewhere)
      return fail(diagnose("variable-escapes", place(), variable->getNameAsString()));
  }
  return true;
}

bool Analysis::takeTile() {
  SharedObject *filled = nullptr;
  for (SharedObject &object : block.shared) {
    if (object.cells.empty())
      continue;
    if (filled)
      return fail(diagnose("several-tiles", place(), filled->name, object.name));
    filled = &object;
  }
  if (!filled)
    return fail(diagnose("not-a-copy", place()));

  const auto *variable = static_cast<const VarDecl *>(filled->declaration);
  result.tile = variable;
  SharedTile &tile = result.relation.tile;
  tile.name = filled->name;
  tile.place = placeOf(kernel.context.getSourceManager(), variable->getLocation());
  QualType type = variable->getType();
  while (const auto *array = kernel.context.getAsConstantArrayType(type)) {
    tile.extents.push_back(int64_t(array->getZExtSize()));
    type = array->getElementType();
  }
  if (tile.extents.empty()) {
    if (type->isIncompleteArrayType())
      return fail(diagnose("not-available-yet", place(),
                           "a tile in dynamic shared memory ('" + tile.name + "')"));
    return fail(
        diagnose("not-available-yet", place(), "a tile that is no array ('" + tile.name + "')"));
  }
  PrintingPolicy policy = kernel.context.getPrintingPolicy();
  tile.elementType = type.getUnqualifiedType().getAsString(policy);
  tile.elementSize = unsigned(kernel.context.getTypeSizeInChars(type).getQuantity());
  for (auto &[offset, record] : filled->cells) {
    Cell cell;
    cell.offset = offset;
    cell.size = record.size;
    cell.place = record.place;
    cell.thread = record.thread;
    for (const ValueCase &each : record.value.getCases())
      cell.cases.push_back({each.guard, each.scalar.data, each.scalar.needs});
    result.relation.cells.push_back(std::move(cell));
  }
  return true;
}

} // namespace

std::variant<AnalysedCopy, Diagnostic> analyseCopy(const KernelUnderTest &kernel,
                                                   const Stmt *statement) {
  return Analysis(kernel, statement).run();
}

int64_t staticSharedBytes(const FunctionDecl *kernel) {
  const ASTContext &context = kernel->getASTContext();
  int64_t total = 0;
  SmallVector<const Stmt *, 64> work{kernel->getBody()};
  while (!work.empty()) {
    const Stmt *next = work.pop_back_val();
    if (!next)
      continue;
    if (const auto *declaration = dyn_cast<DeclStmt>(next))
      for (const Decl *each : declaration->decls())
        if (const auto *variable = dyn_cast<VarDecl>(each))
          if (variable->hasAttr<CUDASharedAttr>() && !variable->getType()->isIncompleteType()) {
            int64_t align = context.getDeclAlign(variable).getQuantity();
            total = (total + align - 1) / align * align +
                    context.getTypeSizeInChars(variable->getType()).getQuantity();
          }
    work.append(next->child_begin(), next->child_end());
  }
  return total;
}

namespace {

/// Climbs from a use of the tile and says what is done with it.
class UseReader {
public:
  UseReader(SharedTile &tile, const KernelUnderTest &kernel) : tile(tile), kernel(kernel) {}

  void read(const DeclRefExpr *reference) {
    const Stmt *use = reference;
    for (size_t depth = 0; depth < tile.extents.size(); ++depth) {
      const Stmt *subscript = parentOf(use);
      if (subscript && isa<ImplicitCastExpr>(subscript)) // decay to a pointer
        subscript = parentOf(subscript);
      const auto *access = dyn_cast_or_null<ArraySubscriptExpr>(subscript);
      bool isBase = access && access->getBase()->IgnoreParenImpCasts() ==
                                  cast<Expr>(use)->IgnoreParenImpCasts();
      if (!isBase)
        return escape(reference, use);
      use = access;
    }
    readElement(reference, use);
  }

private:
  const Stmt *parentOf(const Stmt *statement) const {
    const Stmt *parent = kernel.facts.parentOf(statement);
    while (parent && isa<ParenExpr>(parent))
      parent = kernel.facts.parentOf(parent);
    return parent;
  }

  void readElement(const DeclRefExpr *reference, const Stmt *element) {
    const Stmt *parent = parentOf(element);
    tile.widestAccess = std::max(tile.widestAccess, tile.elementSize);
    const auto *address = dyn_cast_or_null<UnaryOperator>(parent);
    if (!address || address->getOpcode() != UO_AddrOf)
      return; // a value, an assignment, a member, an argument
    // *(float4 *)&tile[r][c] is one wide access; atomics touch one element.
    const Stmt *use = parentOf(address);
    QualType pointee;
    while (use && isa<CastExpr>(use)) {
      pointee = cast<CastExpr>(use)->getType()->getPointeeType();
      use = parentOf(use);
    }
    if (const auto *dereference = dyn_cast_or_null<UnaryOperator>(use);
        dereference && dereference->getOpcode() == UO_Deref && !pointee.isNull()) {
      tile.widestAccess = std::max(
          tile.widestAccess, unsigned(kernel.context.getTypeSizeInChars(pointee).getQuantity()));
      return;
    }
    if (const auto *call = dyn_cast_or_null<CallExpr>(use))
      if (const FunctionDecl *callee = call->getDirectCallee())
        if (callee->getDeclName().isIdentifier() && callee->getName().starts_with("atomic"))
          return;
    escape(reference, address);
  }

  void escape(const DeclRefExpr *reference, const Stmt *use) {
    if (!tile.layoutEscape.empty())
      return;
    tile.escapePlace = placeOf(kernel.context.getSourceManager(), reference->getBeginLoc());
    const Stmt *parent = parentOf(use);
    while (parent && isa<CastExpr>(parent))
      parent = parentOf(parent);
    std::string what = "its address is taken";
    if (const auto *call = dyn_cast_or_null<CallExpr>(parent)) {
      if (const FunctionDecl *callee = call->getDirectCallee())
        what = "it is passed to '" + callee->getNameAsString() + "'";
    } else if (isa_and_nonnull<UnaryExprOrTypeTraitExpr>(parent)) {
      what = "its size is asked for";
    }
    tile.layoutEscape = what;
  }

  SharedTile &tile;
  const KernelUnderTest &kernel;
};

} // namespace

void describeUses(SharedTile &tile, const VarDecl *variable, const KernelUnderTest &kernel,
                  const Stmt *copy) {
  SharedTile own = tile;
  UseReader outside(tile, kernel), inside(own, kernel);
  SmallVector<std::pair<const Stmt *, bool>, 64> work{{kernel.kernel->getBody(), false}};
  while (!work.empty()) {
    auto [next, isInside] = work.pop_back_val();
    if (!next)
      continue;
    isInside |= next == copy;
    if (const auto *reference = dyn_cast<DeclRefExpr>(next))
      if (reference->getDecl()->getCanonicalDecl() == variable->getCanonicalDecl())
        (isInside ? inside : outside).read(reference);
    if (const auto *trait = dyn_cast<UnaryExprOrTypeTraitExpr>(next);
        trait && !trait->isArgumentType())
      work.push_back({trait->getArgumentExpr(), isInside});
    for (const Stmt *child : next->children())
      work.push_back({child, isInside});
  }
  tile.ownEscape = own.layoutEscape;
}

bool mayWriteThrough(const FunctionDecl *kernel, StringRef parameter) {
  SmallVector<const Stmt *, 64> work{kernel->getBody()};
  while (!work.empty()) {
    const Stmt *next = work.pop_back_val();
    if (!next)
      continue;
    const Expr *target = nullptr;
    if (const auto *binary = dyn_cast<BinaryOperator>(next); binary && binary->isAssignmentOp())
      target = binary->getLHS();
    else if (const auto *call = dyn_cast<CXXOperatorCallExpr>(next); call && call->isAssignmentOp())
      target = call->getArg(0);
    else if (const auto *unary = dyn_cast<UnaryOperator>(next);
             unary && unary->isIncrementDecrementOp())
      target = unary->getSubExpr();
    else if (const auto *call = dyn_cast<CallExpr>(next)) {
      // A pointer that is handed on may be written through.
      for (const Expr *argument : call->arguments())
        if (const auto *reference = dyn_cast<DeclRefExpr>(argument->IgnoreParenImpCasts()))
          if (const auto *named = dyn_cast<ParmVarDecl>(reference->getDecl()))
            if (named->getName() == parameter)
              return true;
    }
    if (target && !rootVariable(target)) {
      SmallVector<const Stmt *, 16> inside{target};
      while (!inside.empty()) {
        const Stmt *part = inside.pop_back_val();
        if (!part)
          continue;
        if (const auto *reference = dyn_cast<DeclRefExpr>(part))
          if (const auto *variable = dyn_cast<VarDecl>(reference->getDecl()))
            if (variable->getType()->isPointerType() &&
                (!isa<ParmVarDecl>(variable) || variable->getName() == parameter))
              return true;
        inside.append(part->child_begin(), part->child_end());
      }
    }
    work.append(next->child_begin(), next->child_end());
  }
  return false;
}

} // namespace tilelift
