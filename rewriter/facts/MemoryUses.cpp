//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "facts/MemoryUses.h"

#include "facts/IndexRange.h"

#include "support/Locations.h"

#include "clang/AST/Attr.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

namespace {

const Stmt *parentOf(const Stmt *statement, const VariableFacts &facts) {
  const Stmt *parent = facts.parentOf(statement);
  while (parent && isa<ParenExpr>(parent))
    parent = facts.parentOf(parent);
  return parent;
}

using Subscripts = SmallVector<const ArraySubscriptExpr *, 3>;

Subscripts subscriptsOf(const DeclRefExpr *reference, size_t dims, const VariableFacts &facts) {
  Subscripts subscripts;
  const Expr *use = reference;
  while (subscripts.size() < dims) {
    const Stmt *parent = parentOf(use, facts);
    if (parent && isa<ImplicitCastExpr>(parent)) // decay to a pointer
      parent = parentOf(parent, facts);
    const auto *access = dyn_cast_or_null<ArraySubscriptExpr>(parent);
    // In `1[tile]`, the index comes first: that compiles for arrays, not for the class that
    // replaces a tile with another layout.
    if (!access || access->getLHS()->IgnoreParenImpCasts() != use->IgnoreParenImpCasts())
      break;
    subscripts.push_back(access);
    use = access;
  }
  return subscripts;
}

/// Calls `read` for each use of a variable in a kernel, and whether it is in `copy`.
void forEachUse(const VarDecl *variable, const KernelUnderTest &kernel, const Stmt *copy,
                function_ref<void(const DeclRefExpr *, bool)> read) {
  SmallVector<std::pair<const Stmt *, bool>, 64> work;
  for (const Stmt *body : kernel.path.bodies())
    work.push_back({body, false});
  while (!work.empty()) {
    auto [next, isInside] = work.pop_back_val();
    if (!next)
      continue;
    isInside |= next == copy;
    if (const auto *reference = dyn_cast<DeclRefExpr>(next))
      if (reference->getDecl()->getCanonicalDecl() == variable->getCanonicalDecl())
        read(reference, isInside);
    if (const auto *trait = dyn_cast<UnaryExprOrTypeTraitExpr>(next);
        trait && !trait->isArgumentType())
      work.push_back({trait->getArgumentExpr(), isInside});
    for (const Stmt *child : next->children())
      work.push_back({child, isInside});
  }
}

/// Climbs from a use of the tile and says what is done with it.
class UseReader {
public:
  UseReader(SharedTile &tile, const KernelUnderTest &kernel) : tile(tile), kernel(kernel) {}

  /// Wide accesses that start on multiples of their width, as their types promise.
  KernelEffects::Alignments aligned;

  void read(const DeclRefExpr *reference) {
    Subscripts subscripts = subscriptsOf(reference, tile.extents.size(), kernel.facts);
    if (subscripts.size() == tile.extents.size())
      return readElement(reference, subscripts);
    bool isPicked =
        !subscripts.empty() && !subscripts.back()->getIdx()->isIntegerConstantExpr(kernel.context);
    if (subscripts.size() + 1 != tile.extents.size() || !isPicked)
      tile.onlyRowsEscape = false; // it may be taken for the start of all rows
    escape(reference,
           subscripts.empty() ? static_cast<const Stmt *>(reference) : subscripts.back());
  }

private:
  const Stmt *parentOf(const Stmt *statement) const {
    return tilelift::parentOf(statement, kernel.facts);
  }

  /// Whether an element is read as an operand of an operator, as in `sum += a * tile[r][c]`, where
  /// what stands for it may be of a class that converts to the element's type.
  bool isOperand(const Stmt *parent) const {
    const auto *read = dyn_cast_or_null<ImplicitCastExpr>(parent);
    if (!read || read->getCastKind() != CK_LValueToRValue || !read->getType()->isArithmeticType())
      return false;
    do
      parent = parentOf(parent);
    while (isa_and_nonnull<ImplicitCastExpr>(parent));
    const auto *operation = dyn_cast_or_null<BinaryOperator>(parent);
    return operation && operation->getOpcode() != BO_Comma;
  }
  /// Such an element may be read beside vectors.
  void noteOperand() { tile.widestAccess = std::max(tile.widestAccess, tile.elementSize); }

  void noteAccess(unsigned bytes, bool startsOnMultiple = true) {
    tile.widestAccess = std::max({tile.widestAccess, tile.elementSize, bytes});
    tile.narrowestAccess =
        std::min(tile.narrowestAccess, startsOnMultiple ? bytes : tile.elementSize);
  }

  /// Whether the expression accesses what a pointer points to, as `*p`, `p[0]` and `p->x` do.
  bool isDereference(const Stmt *use) const {
    if (const auto *member = dyn_cast_or_null<MemberExpr>(use))
      return member->isArrow();
    if (const auto *subscript = dyn_cast_or_null<ArraySubscriptExpr>(use)) {
      const auto index = subscript->getIdx()->getIntegerConstantExpr(kernel.context);
      return index && *index == 0;
    }
    const auto *dereference = dyn_cast_or_null<UnaryOperator>(use);
    return dereference && dereference->getOpcode() == UO_Deref;
  }

  /// Whether an object that a pointer points to, or a member of it, is read by value right there,
  /// so that no reference to it can outlive the expression.
  bool isReadAtOnce(const Stmt *object) const {
    const Stmt *parent = parentOf(object);
    const auto *member = dyn_cast_or_null<MemberExpr>(parent);
    if (member && !member->isArrow())
      parent = parentOf(member);
    while (const auto *cast = dyn_cast_or_null<ImplicitCastExpr>(parent)) {
      if (cast->getCastKind() == CK_LValueToRValue)
        return true;
      if (cast->getCastKind() != CK_NoOp) // const is added
        return false;
      parent = parentOf(cast);
    }
    if (const auto *copy = dyn_cast_or_null<CXXConstructExpr>(parent))
      return copy->getConstructor()->isCopyOrMoveConstructor() &&
             copy->getConstructor()->isTrivial();
    const auto *call = dyn_cast_or_null<CXXOperatorCallExpr>(parent);
    const auto *assignment =
        dyn_cast_or_null<CXXMethodDecl>(call ? call->getCalleeDecl() : nullptr);
    return assignment && assignment->isTrivial() && call->getOperator() == OO_Equal &&
           kernel.facts.isWithin(object, call->getArg(1));
  }

  /// Whether an element is assigned a number, and nothing else is done with it.
  bool isAssigned(const ArraySubscriptExpr *element) const {
    const auto *assignment = dyn_cast_or_null<BinaryOperator>(parentOf(element));
    return assignment && assignment->getOpcode() == BO_Assign &&
           assignment->getLHS()->IgnoreParens() == element &&
           element->getType()->isArithmeticType() && !isa_and_nonnull<Expr>(parentOf(assignment));
  }

  void widen(Interval &known, const ArraySubscriptExpr *by) const {
    const Interval indices = rangeOf(by->getIdx(), kernel);
    known = {std::min(known.low, indices.low), std::max(known.high, indices.high)};
  }

  void readElement(const DeclRefExpr *reference, ArrayRef<const ArraySubscriptExpr *> subscripts) {
    const ArraySubscriptExpr *element = subscripts.back();
    widen(tile.columns, element);
    tile.isOnlyAssigned &= isAssigned(element);
    if (subscripts.size() > 1)
      widen(tile.rows, subscripts.drop_back().back());
    const Stmt *parent = parentOf(element);
    const auto *address = dyn_cast_or_null<UnaryOperator>(parent);
    if (isOperand(parent))
      return noteOperand();
    if (!address || address->getOpcode() != UO_AddrOf)
      return noteAccess(tile.elementSize); // a value, an assignment, a member, an argument
    // *(float4 *)&tile[r][c] is one wide access; atomics touch one element.
    const Stmt *use = parentOf(address);
    QualType pointee;
    while (use && isa<CastExpr>(use)) {
      pointee = cast<CastExpr>(use)->getType()->getPointeeType();
      use = parentOf(use);
    }
    if (isDereference(use) && !pointee.isNull()) {
      const unsigned bytes = unsigned(kernel.context.getTypeSizeInChars(pointee).getQuantity());
      const bool isAligned = kernel.context.getTypeAlignInChars(pointee).getQuantity() >= bytes;
      if (isAligned) // what is not is seen in the code
        aligned[element] = aligned[use] = bytes;
      return noteAccess(bytes, isAligned && isReadAtOnce(use));
    }
    noteAccess(tile.elementSize);
    if (const auto *call = dyn_cast_or_null<CallExpr>(use))
      if (const FunctionDecl *callee = call->getDirectCallee())
        if (callee->getDeclName().isIdentifier() && callee->getName().starts_with("atomic"))
          return;
    tile.onlyRowsEscape = false;
    escape(reference, address);
  }

  void escape(const DeclRefExpr *reference, const Stmt *use) {
    if (!tile.layoutEscape.empty())
      return;
    tile.escapePlace = placeOf(kernel.context.getSourceManager(), reference->getBeginLoc());
    tile.layoutEscape = whyUsed(use);
  }

  /// What is done with an address in the tile.
  std::string whyUsed(const Stmt *use) const {
    const Stmt *around = use; // in `sizeof *tile` the pointer is never made
    while (around && !isa<UnaryExprOrTypeTraitExpr>(around))
      around = parentOf(around);
    if (around)
      return "its size is asked for";
    const Stmt *parent = parentOf(use);
    while (parent && isa<CastExpr>(parent))
      parent = parentOf(parent);
    if (const auto *call = dyn_cast_or_null<CallExpr>(parent))
      if (const FunctionDecl *callee = call->getDirectCallee())
        return "it is passed to '" + callee->getNameAsString() + "'";
    if (const auto *subscript = dyn_cast_or_null<ArraySubscriptExpr>(parent))
      // as in `column[tile[row]]`, or in `(&tile[row][0])[column]`
      return kernel.facts.isWithin(use, subscript->getRHS())
                 ? "it stands between the brackets of a subscript"
                 : "the address of an element is subscripted";
    if (const auto *declaration = dyn_cast_or_null<DeclStmt>(parent))
      if (const VarDecl *reference = referenceTo(use, declaration))
        return reference->isImplicit() ? "a 'for' goes over its elements"
               : isa<DecompositionDecl>(reference)
                   ? "a structured binding refers to it"
                   : "'" + reference->getNameAsString() + "' refers to it";
    return "its address is taken";
  }

  const VarDecl *referenceTo(const Stmt *use, const DeclStmt *declaration) const {
    const VarDecl *last = nullptr;
    for (const Decl *each : declaration->decls())
      if (const auto *variable = dyn_cast<VarDecl>(each);
          variable && variable->getType()->isReferenceType() && variable->hasInit() &&
          kernel.facts.isWithin(use, variable->getInit()))
        last = variable;
    return last;
  }

  SharedTile &tile;
  const KernelUnderTest &kernel;
};

/// What the kernel's code does to the tile, whichever way it is written.
void describeCode(SharedTile &tile, const VarDecl *variable, const KernelUnderTest &kernel,
                  const Stmt *copy, const KernelEffects::Alignments &aligned) {
  const SourceManager &sources = kernel.context.getSourceManager();
  auto writer = kernel.effects.otherWriterOf(variable, copy, kernel.path);
  if (writer && tile.otherWriter.empty()) {
    tile.otherWriter = "may be written here, too";
    tile.otherWriterPlace =
        writer->statement ? placeOf(sources, writer->statement->getBeginLoc()) : tile.place;
  }
  auto accesses = kernel.effects.accessesTo(variable, unsigned(tile.extents.size()), copy,
                                            kernel.path, aligned);
  tile.widestAccess = unsigned(std::max<uint64_t>(tile.widestAccess, accesses.widest));
  if (accesses.areOfElements || !tile.layoutEscape.empty())
    return;
  tile.layoutEscape = "an address in it is used for more than one element";
  tile.onlyRowsEscape = false;
  if (accesses.other)
    tile.escapePlace = placeOf(sources, accesses.other->getBeginLoc());
}

} // namespace

using Where = NameInText::Where;

static bool isTypeOrSize(const NameInText &name) {
  return name.where == Where::Type || name.where == Where::Size;
}

std::vector<NameInText> textUsesOf(const VarDecl *variable, const KernelUnderTest &kernel) {
  std::vector<NameInText> uses;
  for (const Stmt *body : kernel.path.bodies())
    for (const NameInText &name : namesInTextOf(body))
      if (means(name, variable))
        uses.push_back(name);
  return uses;
}

void describeUses(SharedTile &tile, const VarDecl *variable, const KernelUnderTest &kernel,
                  const Stmt *copy) {
  for (const NameInText &name : textUsesOf(variable, kernel)) {
    tile.hasElementInType |= isTypeOrSize(name);
    if (name.where == Where::Code || !tile.layoutEscape.empty() ||
        (isTypeOrSize(name) && name.subscripts == tile.extents.size()))
      continue;
    tile.layoutEscape = name.where == Where::LocalClass ? "a local class uses it"
                        : isTypeOrSize(name)            ? "its type or its size is asked for"
                                                        : "it is part of a constant";
    tile.escapePlace = placeOf(kernel.context.getSourceManager(), name.location);
  }
  SharedTile own = tile;
  UseReader outside(tile, kernel), inside(own, kernel);
  forEachUse(variable, kernel, copy, [&](const DeclRefExpr *reference, bool isInside) {
    (isInside ? inside : outside).read(reference);
  });
  tile.onlyRowsEscape &= own.onlyRowsEscape;
  tile.ownEscape = own.layoutEscape;
  if (tile.ownEscape.empty() && (own.columnsLeaveRows() || own.rowsLeavePlanes()))
    tile.ownEscape = "its rows may be used beyond their ends";
  tile.ownWidestAccess = own.widestAccess;
  tile.isOnlyAssigned = own.isOnlyAssigned;
  describeCode(tile, variable, kernel, copy, outside.aligned);
  tile.isFresh = tile.otherWriter.empty() && !kernel.facts.outermostLoopAround(copy);
}

std::vector<const DeclRefExpr *> usesOf(const VarDecl *variable, const KernelUnderTest &kernel) {
  std::vector<const DeclRefExpr *> uses;
  forEachUse(variable, kernel, nullptr,
             [&](const DeclRefExpr *reference, bool) { uses.push_back(reference); });
  return uses;
}

std::vector<Subscripts> subscriptsOf(const VarDecl *array, size_t dims,
                                     const KernelUnderTest &kernel) {
  std::vector<Subscripts> uses;
  for (const DeclRefExpr *reference : usesOf(array, kernel))
    uses.push_back(subscriptsOf(reference, dims, kernel.facts));
  return uses;
}

namespace {

/// The array in dynamic shared memory that an expression names, if it does.
const VarDecl *dynamicMemoryNamed(const Stmt *statement) {
  const auto *reference = dyn_cast<DeclRefExpr>(statement);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  bool isDynamic = variable && variable->hasAttr<CUDASharedAttr>() &&
                   variable->getType()->isIncompleteArrayType();
  return isDynamic ? variable : nullptr;
}

} // namespace

SmallVector<const VarDecl *, 2> outerDynamicMemory(const FunctionDecl *kernel) {
  SmallVector<const VarDecl *, 2> arrays;
  SmallVector<const Stmt *, 64> work{kernel->getBody()};
  while (!work.empty()) {
    const Stmt *next = work.pop_back_val();
    if (!next)
      continue;
    const VarDecl *named = dynamicMemoryNamed(next);
    const VarDecl *array = named ? named->getCanonicalDecl() : nullptr;
    if (array && !array->isLocalVarDecl() && !llvm::is_contained(arrays, array))
      arrays.push_back(array);
    work.append(next->child_begin(), next->child_end());
  }
  return arrays;
}

const VarDecl *foreignDynamicMemory(const FunctionDecl *kernel) {
  DenseSet<const FunctionDecl *> seen{kernel};
  SmallVector<std::pair<const Stmt *, bool>, 64> work{{kernel->getBody(), true}};
  while (!work.empty()) {
    auto [next, isOwn] = work.pop_back_val();
    if (!next)
      continue;
    if (const VarDecl *array = dynamicMemoryNamed(next))
      if (!isOwn || cast<DeclRefExpr>(next)->hasQualifier())
        return array;
    const FunctionDecl *callee = nullptr, *definition = nullptr;
    if (const auto *call = dyn_cast<CallExpr>(next))
      callee = call->getDirectCallee();
    else if (const auto *construct = dyn_cast<CXXConstructExpr>(next))
      callee = construct->getConstructor();
    if (callee && callee->hasBody(definition) && seen.insert(definition).second)
      work.push_back({definition->getBody(), false});
    for (const Stmt *child : next->children())
      work.push_back({child, isOwn});
  }
  return nullptr;
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

} // namespace tilelift
