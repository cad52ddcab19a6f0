//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "relation/MemoryAccess.h"

#include "support/CallPath.h"
#include "support/VariableFacts.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Objects of different types are different, but for bytes, and for what structs and
/// vectors consist of.
bool mayBeOneType(QualType a, QualType b) {
  auto isPlain = [](QualType type) {
    return !type.isNull() && type->isScalarType() && !type->isCharType();
  };
  if (!isPlain(a) || !isPlain(b))
    return true;
  return identityOf(a) == identityOf(b) || (a->isIntegerType() && b->isIntegerType());
}

/// Whether an address is only used to get at an element, as in *(float4 *)&a[i].
bool isReadThrough(const Stmt *address, const VariableFacts &facts) {
  const Stmt *parent = facts.parentOf(address);
  while (isa_and_nonnull<CastExpr, ParenExpr>(parent))
    address = parent, parent = facts.parentOf(parent);
  const auto *subscript = dyn_cast_or_null<ArraySubscriptExpr>(parent);
  const auto *unary = dyn_cast_or_null<UnaryOperator>(parent);
  return (subscript && subscript->getBase() == address) ||
         (unary && unary->getOpcode() == UO_Deref);
}

/// Whether an address is handed on as one that nothing is written through.
bool endsAsConstant(const Expr *address, const VariableFacts &facts) {
  const Expr *last = address;
  for (const Stmt *parent = facts.parentOf(address); isa_and_nonnull<CastExpr, ParenExpr>(parent);
       parent = facts.parentOf(parent))
    last = cast<Expr>(parent);
  return last->getType()->isPointerType() && last->getType()->getPointeeType().isConstQualified();
}

bool holdsNoAddress(QualType type) {
  if (const auto *array = type->getAsArrayTypeUnsafe())
    return holdsNoAddress(array->getElementType());
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record)
    return type->isArithmeticType() || type->isEnumeralType();
  return record->hasDefinition() && record->getNumBases() == 0 &&
         llvm::all_of(record->fields(),
                      [](const FieldDecl *field) { return holdsNoAddress(field->getType()); });
}

/// A thread's own numbers, or the block's: no way to the memory of others.
bool isNoWayOut(const VarDecl *variable) {
  return variable->hasAttr<CUDASharedAttr>() ||
         (variable->hasLocalStorage() && holdsNoAddress(variable->getType()));
}

/// Whether an argument leads to memory that is neither the thread's nor the block's.
bool isWayOut(const Expr *argument) {
  bool isAddress = argument->isGLValue() || !holdsNoAddress(argument->getType());
  return isAddress && !llvm::all_of(variablesIn(argument), isNoWayOut);
}

bool isGlobalArray(const VarDecl *variable) {
  QualType type = variable->getType();
  return !variable->hasLocalStorage() && !variable->hasAttr<CUDASharedAttr>() &&
         (type->isArrayType() || type->isRecordType()) && !type.isConstQualified();
}

bool startsWithAny(StringRef word, std::initializer_list<StringRef> starts) {
  return llvm::any_of(starts, [&](StringRef each) { return word.starts_with(each); });
}

bool isStoring(StringRef instruction) {
  return startsWithAny(instruction,
                       {"st.", "stmatrix", "atom", "red.", "cp.", "multimem", "call"}) &&
         !startsWithAny(instruction, {"cp.async.commit", "cp.async.wait", "cp.async.bulk.commit",
                                      "cp.async.bulk.wait"});
}

/// Whether one of what a call hands over, its object among them, is meant.
bool anyArgument(const CallExpr *call, function_ref<bool(const Expr *)> isMeant) {
  const auto *member = dyn_cast<CXXMemberCallExpr>(call);
  return (member && isMeant(member->getImplicitObjectArgument())) ||
         llvm::any_of(call->arguments(), isMeant);
}

/// Instructions that write to memory, but for those that name shared memory as where to.
bool mayStore(const GCCAsmStmt *assembly) {
  return hasInstruction(assembly, [](StringRef word) {
    return isStoring(word) && !word.starts_with("stmatrix") &&
           word.find(".shared") >= word.find(".global");
  });
}

/// The same, but for those that name global memory.
bool mayStoreToShared(const GCCAsmStmt *assembly) {
  return hasInstruction(assembly, [](StringRef word) {
    return isStoring(word) && (word.find(".global") >= word.find(".shared"));
  });
}

/// Through its arguments, or what they hold.
bool mayStore(const CallExpr *call) {
  if (isHarmlessCall(call) || isBlockBarrier(call))
    return false;
  return anyArgument(call, [](const Expr *argument) {
    QualType type = argument->getType();
    bool isReadOnly =
        type->isRecordType()
            ? holdsNoAddress(type) && (type.isConstQualified() || argument->isPRValue())
            : !type->isPointerType() || type->getPointeeType().isConstQualified();
    if (isReadOnly)
      return false;
    SmallVector<const VarDecl *, 4> variables = variablesIn(argument);
    return variables.empty() || !llvm::all_of(variables, isNoWayOut);
  });
}

/// Builtins that have no body are known by their names, and get at memory by addresses.
bool isBuiltin(const CallExpr *call) {
  StringRef name = calleeName(call);
  bool isCast = call->getBuiltinCallee() != 0 &&
                llvm::is_contained({"move", "forward", "as_const", "addressof"}, name);
  if (isCast || name.starts_with("__nvvm_ldg") || name.starts_with("__nvvm_bar_warp"))
    return true;
  bool isOrder =
      llvm::any_of(ArrayRef<StringRef>{"atom", "fence", "membar", "bar", "cp_async", "_ld", "_st"},
                   [&](StringRef part) { return name.contains(part); });
  return !isOrder && (name.starts_with("__nv") || name.starts_with("__builtin"));
}

bool isOfMemory(StringRef instruction) {
  return isStoring(instruction) || startsWithAny(instruction, {"ld", "wgmma", "prefetch", "discard",
                                                               "tensormap", "tex", "suld", "sust"});
}

/// Behind which memory may be another one, by whoever else writes to it.
bool isWaiting(StringRef instruction) {
  return startsWithAny(instruction, {"cp.async.wait", "cp.async.bulk.wait", "mbarrier", "bar",
                                     "fence", "membar", "tcgen", "griddepcontrol"});
}

/// What code has to do with memory that threads share, be it in functions that it calls.
class CodeReader {
public:
  MemoryOfCode read(const Stmt *statement) {
    add(statement, false);
    return found;
  }

private:
  void add(const Stmt *statement, bool isCalled) {
    if (!statement || isa<PseudoObjectExpr>(statement)) // threadIdx.x is a call
      return;
    const auto *reference = dyn_cast<DeclRefExpr>(statement);
    const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    bool isCommon =
        variable && variable->hasGlobalStorage() && !variable->getType().isConstQualified();
    const auto *cast = dyn_cast<CastExpr>(statement);
    bool isMade = cast && cast->getCastKind() == CK_IntegralToPointer;
    const auto *assembly = dyn_cast<GCCAsmStmt>(statement);
    bool waits = assembly && hasInstruction(assembly, isWaiting);
    bool isInstruction = waits || (assembly && hasInstruction(assembly, isOfMemory));
    found.isHidden |= waits;
    found.byInstructions |= isInstruction;
    found.touches |=
        isCommon || isMade || pointerOf(statement) || isa<AtomicExpr>(statement) || isInstruction;
    bool isShared = variable && variable->hasAttr<CUDASharedAttr>();
    found.storesShared |=
        (isCalled && (isShared || isMade)) || (assembly && mayStoreToShared(assembly));
    found.isHidden |= isCalled && (isCommon || isMade || (assembly && mayStore(assembly)));
    const auto *call = dyn_cast<CallExpr>(statement);
    const FunctionDecl *callee = call && isHarmlessCall(call) ? nullptr : functionRunBy(statement);
    if (callee && seen.insert(callee).second)
      add(callee->getBody(), true);
    else if (call && !callee)
      addUnknown(call);
    for (const Stmt *child : statement->children())
      add(child, isCalled);
  }

  void addUnknown(const CallExpr *call) {
    if (isHarmlessCall(call))
      return;
    bool isKnown = isBuiltin(call);
    found.isHidden |= !isKnown;
    found.touches |= !isKnown || llvm::any_of(call->arguments(), [](const Expr *argument) {
      return argument->isGLValue() || !holdsNoAddress(argument->getType());
    });
  }

  MemoryOfCode found;
  DenseSet<const FunctionDecl *> seen;
};

/// Whether an argument leads to memory that the callee may write to, and that may be shared.
bool carriesShared(const Expr *argument, bool isKernel) {
  QualType type = argument->getType();
  bool isReadOnly = argument->isGLValue()      ? type.isConstQualified() && holdsNoAddress(type)
                    : type->isAnyPointerType() ? type->getPointeeType().isConstQualified()
                                               : holdsNoAddress(type);
  return !isReadOnly && llvm::any_of(variablesIn(argument), [&](const VarDecl *variable) {
    bool isNumber = variable->hasLocalStorage() && !isa<ParmVarDecl>(variable) &&
                    holdsNoAddress(variable->getType());
    return !isNumber && !(isKernel && isa<ParmVarDecl>(variable));
  });
}

/// Whether a store through a pointer may change what a copy reads; one of unknown type
/// and origin may change anything.
bool mayWriteThrough(const Expr *pointer, QualType stored, const CopySource &source,
                     bool isInKernel) {
  StringRef root =
      StringRef(source.spelling).take_while([](char c) { return isAlnum(c) || c == '_'; });
  bool hasShared = false, hasOther = false, isOwn = false, isRestrict = source.isRestrict;
  for (const VarDecl *variable : variablesIn(pointer)) {
    bool isShared = variable->hasAttr<CUDASharedAttr>();
    hasShared |= isShared;
    if (isShared || variable->getType()->isArithmeticType())
      continue;
    hasOther = true;
    bool isLocal = !isa<ParmVarDecl>(variable); // it may have been made from any
    isOwn |= isLocal || variable->getName() == root || !isInKernel;
    isRestrict |= variable->getType().isRestrictQualified();
  }
  if (hasShared && !hasOther)
    return false;
  if ((isOwn || !hasOther) && !source.isConstant)
    return true;
  return !isRestrict && mayBeOneType(stored, source.element);
}

/// Instructions that read memory, but for those that name shared memory or arguments.
bool mayLoad(const GCCAsmStmt *assembly) {
  return hasInstruction(assembly, [](StringRef word) {
    return word.starts_with("ld") && !word.starts_with("ldmatrix") && !word.contains(".shared") &&
           !word.contains(".param");
  });
}

/// Through its arguments, of what types these may be.
bool mayLoad(const CallExpr *call, const CopySource &source, bool isInKernel) {
  if (isHarmlessCall(call) || isBlockBarrier(call))
    return false;
  return anyArgument(call, [&](const Expr *argument) {
    return isWayOut(argument) && mayWriteThrough(argument, QualType(), source, isInKernel);
  });
}

/// Whether a statement may do as much as `least` with what a copy reads or stores.
bool mayAccess(const Stmt *statement, const CopySource &source, bool isInKernel,
               const VariableFacts &facts, Use least, Use use) {
  const auto *call = dyn_cast<CallExpr>(statement);
  const auto *assembly = dyn_cast<GCCAsmStmt>(statement);
  bool storesSomewhere = (call && mayStore(call)) || (assembly && mayStore(assembly));
  if (storesSomewhere && source.mayBeWritten())
    return true;
  if (least == Use::Read && ((call && mayLoad(call, source, isInKernel)) ||
                             (assembly && mayLoad(assembly) && source.mayBeWritten())))
    return true;
  const auto *expression = dyn_cast<Expr>(statement);
  const Expr *pointer = pointerOf(statement);
  const auto *reference = dyn_cast<DeclRefExpr>(statement);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  bool isArray = variable && isGlobalArray(variable);
  if (isArray)
    pointer = reference;
  if (pointer && use >= least &&
      mayWriteThrough(pointer, isArray ? QualType() : expression->getType(), source, isInKernel))
    return true;
  return llvm::any_of(statement->children(), [&](const Stmt *child) {
    return child && mayAccess(child, source, isInKernel, facts, least,
                              std::max(use, useThrough(statement, child, facts)));
  });
}

/// Finds what tells a thread that others have written something meanwhile: atomics,
/// fences, volatile accesses, barriers of more than the block.
class SignalFinder {
public:
  bool isIn(const Stmt *statement);

private:
  bool isSignal(const CallExpr *call);
  static bool isSignal(const GCCAsmStmt *assembly);

  DenseSet<const FunctionDecl *> seen;
};

bool SignalFinder::isIn(const Stmt *statement) {
  if (!statement || isa<PseudoObjectExpr>(statement)) // threadIdx.x is a call
    return false;
  const auto *expression = dyn_cast<Expr>(statement);
  const auto *call = dyn_cast<CallExpr>(statement);
  const auto *assembly = dyn_cast<GCCAsmStmt>(statement);
  if (isa<AtomicExpr>(statement) || (expression && expression->getType().isVolatileQualified()) ||
      (call && isSignal(call)) || (assembly && isSignal(assembly)))
    return true;
  return llvm::any_of(statement->children(), [&](const Stmt *child) { return isIn(child); });
}

bool SignalFinder::isSignal(const CallExpr *call) {
  if (const FunctionDecl *callee = calledBody(call))
    return seen.insert(callee).second && isIn(callee->getBody());
  StringRef name = calleeName(call);
  if (name.empty())
    return true;
  return llvm::any_of(
      ArrayRef<StringRef>{"atom", "fence", "membar", "barrier_cluster", "DependencySync"},
      [&](StringRef part) { return name.contains(part); });
}

bool SignalFinder::isSignal(const GCCAsmStmt *assembly) {
  std::string text = assembly->getAsmString();
  return llvm::any_of(ArrayRef<StringRef>{"atom", "fence", "membar", "acquire", "volatile",
                                          "relaxed", "barrier.cluster", "griddepcontrol"},
                      [&](StringRef part) { return StringRef(text).contains(part); });
}

} // namespace

bool hasInstruction(const GCCAsmStmt *assembly, function_ref<bool(StringRef)> isMeant) {
  std::string text = assembly->getAsmString();
  SmallVector<StringRef, 8> words;
  SplitString(text, words, " \t\n\r;{}@");
  return llvm::any_of(words, isMeant);
}

const void *identityOf(QualType type) {
  return type.getCanonicalType().getUnqualifiedType().getAsOpaquePtr();
}

CopySource sourceOf(const GlobalBase &base) {
  return {base.spelling, QualType::getFromOpaquePtr(base.elementIdentity), base.isConstant,
          base.isRestrict};
}

bool mayMeet(const GlobalBase &a, const GlobalBase &b) {
  CopySource first = sourceOf(a), second = sourceOf(b);
  bool isOne = a.name() == b.name() && a.identity == b.identity;
  return isOne ||
         (!first.isRestrict && !second.isRestrict && mayBeOneType(first.element, second.element));
}

StringRef calleeName(const CallExpr *call) {
  const FunctionDecl *callee = call->getDirectCallee();
  return callee && callee->getDeclName().isIdentifier() ? callee->getName() : StringRef();
}

bool isBlockBarrier(const Stmt *statement) {
  const auto *call = dyn_cast<CallExpr>(statement);
  return call && calleeName(call).starts_with("__syncthreads");
}

bool isHarmlessCall(const CallExpr *call) {
  StringRef name = calleeName(call);
  return name == "min" || name == "max" || name == "abs" || name.starts_with("__fetch_builtin");
}

SmallVector<const VarDecl *, 4> variablesIn(const Expr *expression) {
  SmallVector<const VarDecl *, 4> found;
  SmallVector<const Stmt *, 8> work{expression};
  while (!work.empty()) {
    const Stmt *next = work.pop_back_val();
    if (!next)
      continue;
    const auto *reference = dyn_cast<DeclRefExpr>(next);
    if (const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr)
      found.push_back(variable);
    work.append(next->child_begin(), next->child_end());
  }
  return found;
}

Use useThrough(const Stmt *statement, const Stmt *child, const VariableFacts &facts) {
  auto storesIf = [](bool stores) { return stores ? Use::Store : Use::Read; };
  if (const auto *assignment = dyn_cast<BinaryOperator>(statement))
    return storesIf(assignment->isAssignmentOp() && child == assignment->getLHS());
  if (const auto *call = dyn_cast<CXXOperatorCallExpr>(statement))
    return storesIf(call->isAssignmentOp() && child == call->getArg(0));
  if (const auto *unary = dyn_cast<UnaryOperator>(statement)) {
    bool isKept = unary->getOpcode() == UO_AddrOf && !isReadThrough(unary, facts) &&
                  !endsAsConstant(unary, facts);
    return isKept ? Use::Address : storesIf(unary->isIncrementDecrementOp());
  }
  if (const auto *cast = dyn_cast<ImplicitCastExpr>(statement)) // an array that goes elsewhere
    return cast->getCastKind() == CK_ArrayToPointerDecay &&
                   !isa_and_nonnull<ArraySubscriptExpr>(facts.parentOf(cast)) &&
                   !endsAsConstant(cast, facts)
               ? Use::Address
               : Use::Read;
  return Use::Read;
}

const Expr *pointerOf(const Stmt *statement) {
  if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(statement))
    return rootVariable(subscript) ? nullptr : subscript->getBase();
  if (const auto *reference = dyn_cast<DeclRefExpr>(statement))
    return isa<VarDecl>(reference->getDecl()) && reference->getDecl()->getType()->isReferenceType()
               ? reference
               : nullptr;
  if (const auto *unary = dyn_cast<UnaryOperator>(statement))
    return unary->getOpcode() == UO_Deref ? unary->getSubExpr() : nullptr;
  const auto *member = dyn_cast<MemberExpr>(statement);
  return member && member->isArrow() ? member->getBase() : nullptr;
}

bool isNeverWritten(const Expr *pointer) {
  bool isPromised = false;
  for (const VarDecl *variable : variablesIn(pointer)) {
    QualType type = variable->getType();
    if (type->isArithmeticType())
      continue;
    const auto *parameter = dyn_cast<ParmVarDecl>(variable);
    isPromised = parameter && type.isRestrictQualified() && type->isPointerType() &&
                 type->getPointeeType().isConstQualified() &&
                 cast<Decl>(parameter->getDeclContext())->hasAttr<CUDAGlobalAttr>();
    if (!isPromised)
      return false;
  }
  return isPromised;
}

bool mayWrite(const Stmt *statement, const CopySource &source, bool isInKernel,
              const VariableFacts &facts) {
  return mayAccess(statement, source, isInKernel, facts, Use::Store, Use::Read);
}

bool mayTouch(const Stmt *statement, const CopySource &source, bool isInKernel,
              const VariableFacts &facts) {
  return mayAccess(statement, source, isInKernel, facts, Use::Read, Use::Read);
}

bool mayStoreToShared(const Stmt *statement, bool isInKernel) {
  const auto *call = dyn_cast<CallExpr>(statement);
  if (call && (isHarmlessCall(call) || isBlockBarrier(call)))
    return false;
  bool isHandedOn = call && anyArgument(call, [&](const Expr *argument) {
                      return carriesShared(argument, isInKernel);
                    });
  return isHandedOn || memoryOf(statement).storesShared;
}

MemoryOfCode memoryOf(const Stmt *code) { return CodeReader().read(code); }

bool leadsElsewhere(const CallExpr *call, bool isInKernel) {
  return anyArgument(call, [&](const Expr *argument) {
    return llvm::any_of(variablesIn(argument), [&](const VarDecl *variable) {
      bool isOfHost = isInKernel && isa<ParmVarDecl>(variable);
      return !isOfHost && !isNoWayOut(variable);
    });
  });
}

bool mayReadGlobal(const Stmt *statement) {
  if (const auto *assembly = dyn_cast<GCCAsmStmt>(statement))
    return mayLoad(assembly);
  const auto *call = dyn_cast<CallExpr>(statement);
  return !call || anyArgument(call, isWayOut);
}

bool mayStoreToGlobal(const Stmt *statement) {
  if (const auto *assembly = dyn_cast<GCCAsmStmt>(statement))
    return mayStore(assembly);
  const auto *call = dyn_cast<CallExpr>(statement);
  return !call || mayStore(call);
}

bool isProxyFence(const Stmt *statement) {
  auto isFence = [](StringRef word) { return word.starts_with("fence.proxy"); };
  if (const auto *assembly = dyn_cast<GCCAsmStmt>(statement))
    return hasInstruction(assembly, isFence) && !hasInstruction(assembly, std::not_fn(isFence));
  const auto *call = dyn_cast<CallExpr>(statement);
  const FunctionDecl *callee = call && call->getNumArgs() == 0 ? calledBody(call) : nullptr;
  const auto *body = callee ? dyn_cast<CompoundStmt>(callee->getBody()) : nullptr;
  return body && body->size() == 1 && isProxyFence(body->body_front());
}

bool maySignal(const Stmt *statement) { return SignalFinder().isIn(statement); }

} // namespace tilelift
