//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/VariableFacts.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Conditions that decide whether `child` of `statement` is executed.
const Expr *controlOf(const Stmt *statement, const Stmt *child) {
  if (const auto *branch = dyn_cast<IfStmt>(statement))
    return child == branch->getCond() ? nullptr : branch->getCond();
  if (const auto *loop = dyn_cast<ForStmt>(statement))
    return child == loop->getInit() ? nullptr : loop->getCond();
  if (const auto *loop = dyn_cast<WhileStmt>(statement))
    return loop->getCond();
  if (const auto *loop = dyn_cast<DoStmt>(statement))
    return loop->getCond();
  if (const auto *choice = dyn_cast<SwitchStmt>(statement))
    return choice->getCond();
  if (const auto *choice = dyn_cast<ConditionalOperator>(statement))
    return child == choice->getCond() ? nullptr : choice->getCond();
  return nullptr;
}

/// An lvalue, and what happens to the variable that it is a part of.
struct ChangedLvalue {
  const Expr *lvalue;
  Change change;
};

/// A field, by its type, and what it is initialised with.
struct InitialisedField {
  QualType type;
  const Expr *value;
};

} // namespace

const Stmt *bodyOf(const Stmt *loop) {
  if (const auto *counted = dyn_cast<ForStmt>(loop))
    return counted->getBody();
  if (const auto *tested = dyn_cast<WhileStmt>(loop))
    return tested->getBody();
  if (const auto *ranged = dyn_cast<CXXForRangeStmt>(loop))
    return ranged->getBody();
  return cast<DoStmt>(loop)->getBody();
}

/// What is assigned to a variable: `i = i + 2` and `i = 2 + i` add to it, as `i += 2` does.
static Change asSum(const BinaryOperator *assignment) {
  const Change plain{assignment, Change::Kind::Assigned, assignment->getRHS()};
  const auto *to = dyn_cast<DeclRefExpr>(assignment->getLHS()->IgnoreParens());
  const auto *sum = dyn_cast<BinaryOperator>(assignment->getRHS()->IgnoreParenImpCasts());
  if (!to || !sum || !sum->isAdditiveOp())
    return plain;
  auto isSame = [&](const Expr *part) {
    const auto *named = dyn_cast<DeclRefExpr>(part->IgnoreParenImpCasts());
    return named && named->getDecl() == to->getDecl();
  };
  const bool isFirst = isSame(sum->getLHS());
  if (isFirst == isSame(sum->getRHS()) || (!isFirst && sum->getOpcode() == BO_Sub))
    return plain;
  return {assignment, Change::Kind::Added, isFirst ? sum->getRHS() : sum->getLHS(),
          sum->getOpcode() == BO_Sub ? -1 : 1};
}

VariableFacts::VariableFacts(const CallPath &path, ConstPointers pointers)
    : constPointers(pointers) {
  for (const ParmVarDecl *parameter : path.kernel()->parameters())
    order.insert(parameter);
  followedCalls.insert(path.getCalls().begin(), path.getCalls().end());
  if (constPointers == ConstPointers::MayWrite)
    findConstDrops(path);
  collect(path.kernel()->getBody());
  for (const CallExpr *call : path.getCalls())
    collectCallee(call);
  escapeFromLambdas();
}

/// The object of a method on the path stands for that method's own.
const VarDecl *VariableFacts::rootOf(const Expr *lvalue) const {
  const VarDecl *root = rootVariable(lvalue, self);
  auto referent = referents.find(root);
  return referent == referents.end() ? root : referent->second;
}

/// Whether an lvalue is a part of the object that a method is called for.
static bool isOfThis(const Expr *lvalue) {
  while (const auto *member = dyn_cast<MemberExpr>(lvalue->IgnoreParenImpCasts())) {
    if (isOfReference(member))
      return false;
    if (member->isArrow())
      return isThis(member->getBase());
    lvalue = member->getBase();
  }
  return isThis(lvalue);
}

/// Whether a call returns something that is elsewhere: its function gets nothing by which it could
/// lead to a local variable.
static bool returnsElsewhere(const CallExpr *call) {
  const CallParts parts = partsOf(call);
  return parts.callee && !parts.object && llvm::none_of(parts.arguments, [](const Expr *argument) {
           return argument->isGLValue() || mayReferTo(argument->getType());
         });
}

/// The array that a subscript is about; null where it is about a pointer.
static const Expr *arrayOf(const ArraySubscriptExpr *subscript) {
  const auto *decay = dyn_cast<ImplicitCastExpr>(subscript->getBase()->IgnoreParens());
  return decay && decay->getCastKind() == CK_ArrayToPointerDecay ? decay->getSubExpr() : nullptr;
}

/// Whether a member or an element is found through a reference, or through a pointer that is not
/// `this`.
static bool isBehindPointer(const Expr *lvalue) {
  if (const auto *member = dyn_cast<MemberExpr>(lvalue))
    return isOfReference(member) || (member->isArrow() && !isThis(member->getBase()));
  const auto *subscript = dyn_cast<ArraySubscriptExpr>(lvalue);
  return subscript && !arrayOf(subscript);
}

/// The lvalue that a member, an element or a cast is taken of; null for all others, and where a
/// pointer leads to it.
static const Expr *wholeOf(const Expr *lvalue) {
  if (const auto *member = dyn_cast<MemberExpr>(lvalue))
    return member->isArrow() ? nullptr : member->getBase();
  if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(lvalue))
    return arrayOf(subscript);
  const auto *cast = dyn_cast<CastExpr>(lvalue);
  return cast && staysWithin(cast->getCastKind()) ? cast->getSubExpr() : nullptr;
}

/// Whether an lvalue is memory of which only somebody can know who has its address, or no local
/// variable: whoever takes the address of one of those lets it escape.
static bool isElsewhere(const Expr *lvalue) {
  for (; lvalue; lvalue = wholeOf(lvalue)) {
    lvalue = lvalue->IgnoreParens();
    if (const auto *unary = dyn_cast<UnaryOperator>(lvalue))
      return unary->getOpcode() == UO_Deref && !isThis(unary->getSubExpr());
    if (const auto *reference = dyn_cast<DeclRefExpr>(lvalue)) {
      const VarDecl *variable = variableNamed(reference);
      return variable && !isLocal(variable);
    }
    if (const auto *choice = dyn_cast<AbstractConditionalOperator>(lvalue))
      return isElsewhere(choice->getTrueExpr()) && isElsewhere(choice->getFalseExpr());
    if (const auto *call = dyn_cast<CallExpr>(lvalue))
      return returnsElsewhere(call);
    if (isBehindPointer(lvalue))
      return true;
  }
  return false;
}

void VariableFacts::bind(const VarDecl *reference, const Expr *referred) {
  if (!reference->getType()->isReferenceType())
    return;
  const VarDecl *named = rootVariable(referred, self), *root = rootOf(referred);
  if (root || named || isElsewhere(referred))
    referents[reference] = root;
}

bool VariableFacts::isReferredTo(const VarDecl *variable) const {
  return pointedTo.contains(variable) ||
         llvm::any_of(referents, [&](const auto &each) { return each.second == variable; });
}

void VariableFacts::note(const Expr *target, Change change) {
  const VarDecl *variable = rootOf(target);
  unseenObject |= isInMethod && !variable && isOfThis(target);
  if (!variable)
    return;
  auto &list = changes[variable];
  order.insert(variable);
  list.push_back(change);
}

void VariableFacts::escapeThrough(const Expr *expression) {
  if (const VarDecl *variable = rootOf(expression))
    escaped.insert(variable);
}

/// Which argument of memcpy an expression is, if it is one: all that is done with the address of a
/// variable there is to write to it, or to read it.
std::optional<unsigned> VariableFacts::memcpyArgument(const Expr *address) const {
  const Stmt *child = address, *parent = parentOf(address);
  while (isa_and_nonnull<CastExpr, ParenExpr>(parent))
    child = std::exchange(parent, parentOf(parent));
  const auto *call = dyn_cast_or_null<CallExpr>(parent);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  // What it returns is the first address again.
  const bool isMemcpy = callee && callee->getMemoryFunctionKind() == Builtin::BImemcpy &&
                        call->getNumArgs() == 3 && isa_and_nonnull<CompoundStmt>(parentOf(call));
  if (!isMemcpy)
    return std::nullopt;
  return child == call->getArg(0)   ? std::optional(0u)
         : child == call->getArg(1) ? std::optional(1u)
                                    : std::nullopt;
}

/// Whether an object is named to call it, as a lambda.
bool VariableFacts::isCalled(const Expr *object) const {
  const Stmt *child = object, *parent = parentOf(object);
  while (isa_and_nonnull<ImplicitCastExpr, ParenExpr, MaterializeTemporaryExpr>(parent))
    child = std::exchange(parent, parentOf(parent));
  const auto *call = dyn_cast_or_null<CXXOperatorCallExpr>(parent);
  return call && call->getOperator() == OO_Call && call->getArg(0) == child;
}

/// Where a variable is named in a way in which nobody would notice a change, there may be one.
void VariableFacts::lookAtUse(const Expr *use) {
  const auto *reference = dyn_cast<DeclRefExpr>(use);
  const VarDecl *variable = reference ? variableNamed(reference) : self;
  if (!variable || !isLocal(variable))
    return;
  if (const CXXRecordDecl *record = variable->getType()->getAsCXXRecordDecl();
      record && record->isLambda() && !isCalled(use))
    keptClosures.insert(variable);
  auto isAround = [&](const LambdaExpr *lambda) { return isInLambda(use, lambda); };
  if (alone && variable == alone && isReturned(use) && llvm::none_of(lambdas, isAround))
    returnsObject = true;
  else if (!isFollowed(use))
    escapeThrough(use);
}

/// Who holds a reference may change what it refers to.
void VariableFacts::noteReference(QualType holder, const Expr *referred) {
  if (holder->isReferenceType() && mayWriteTo(holder.getNonReferenceType()))
    escapeThrough(referred);
}

/// As it is, or some elements further.
bool VariableFacts::becomesConst(const Expr *pointer) const {
  auto isSum = [](const Stmt *statement) {
    const auto *sum = dyn_cast_or_null<BinaryOperator>(statement);
    return sum && sum->isAdditiveOp() && sum->getType()->isPointerType();
  };
  const Stmt *use = parentOf(pointer);
  while (isa_and_nonnull<ParenExpr>(use) || isSum(use))
    use = parentOf(use);
  const auto *cast = dyn_cast_or_null<ImplicitCastExpr>(use);
  const QualType type =
      cast && cast->getCastKind() == CK_NoOp ? cast->getType() : pointer->getType();
  return !type->getPointeeType().isNull() && type->getPointeeType().isConstQualified();
}

/// Who gets a pointer into an array may write there; a subscript is a change of its own.
void VariableFacts::noteDecay(const ImplicitCastExpr *decay) {
  const VarDecl *array = rootOf(decay->getSubExpr());
  if (array && array->getType().isConstQualified() && !hasMutable(array->getType()))
    return; // nobody may change it
  const Stmt *use = parentOf(decay);
  while (isa_and_nonnull<ParenExpr>(use))
    use = parentOf(use);
  const auto *subscript = dyn_cast_or_null<ArraySubscriptExpr>(use);
  const auto *cast = dyn_cast_or_null<ImplicitCastExpr>(use);
  bool onlyReads = constPointers == ConstPointers::OnlyRead
                       ? becomesConst(decay)
                       : cast && cast->getCastKind() == CK_NoOp &&
                             (!dropsConst || isa_and_nonnull<CallExpr>(parentOf(cast))) &&
                             !hasMutable(decay->getType()->getPointeeType()) &&
                             cast->getType()->getPointeeType().isConstQualified();
  const bool isSubscripted = subscript && subscript->getBase()->IgnoreParens() == decay;
  if (!onlyReads && !isSubscripted)
    escapeThrough(decay->getSubExpr());
  else if (array && !isSubscripted && !isa_and_nonnull<CallExpr>(parentOf(cast ? cast : decay)))
    pointedTo.insert(array);
}

void VariableFacts::collectDeclaration(const DeclStmt *declaration) {
  for (const Decl *each : declaration->decls()) {
    if (const auto *variable = dyn_cast<VarDecl>(each))
      noteInitialised(variable, declaration);
  }
}

void VariableFacts::noteInitialised(const VarDecl *variable, const Stmt *where) {
  order.insert(variable);
  changes[variable].push_back({where, Change::Kind::Initialised, variable->getInit()});
  if (uses->isKeptBy(variable->getInit()))
    escaped.insert(variable);
  if (!variable->getType()->isReferenceType() || !variable->getInit())
    return;
  bind(variable, variable->getInit());
  if (dropsConst || mayWriteTo(variable->getType().getNonReferenceType()))
    escapeThrough(variable->getInit());
}

bool VariableFacts::isInLambda(const Stmt *statement, const LambdaExpr *lambda) const {
  return llvm::any_of(bodiesOf(lambda),
                      [&](const Stmt *body) { return isWithin(statement, body); });
}

static std::optional<Change> changeBy(const BinaryOperator *binary) {
  const BinaryOperatorKind opcode = binary->getOpcode();
  if (binary->isCompoundAssignmentOp()) {
    const bool isSum = opcode == BO_AddAssign || opcode == BO_SubAssign;
    return Change{binary, isSum ? Change::Kind::Added : Change::Kind::Unclear, binary->getRHS(),
                  opcode == BO_SubAssign ? -1 : 1};
  }
  return binary->isAssignmentOp() ? std::optional(asSum(binary)) : std::nullopt;
}

/// What a statement changes by its own operator, or as an output of assembly; not what calls and
/// initialisers do, nor what its parts change.
static SmallVector<ChangedLvalue, 1> changesBy(const Stmt *statement) {
  SmallVector<ChangedLvalue, 1> result;
  if (const auto *binary = dyn_cast<BinaryOperator>(statement)) {
    if (const std::optional<Change> change = changeBy(binary))
      result.push_back({binary->getLHS(), *change});
  } else if (const auto *unary = dyn_cast<UnaryOperator>(statement)) {
    if (unary->isIncrementDecrementOp())
      result.push_back(
          {unary->getSubExpr(),
           {statement, Change::Kind::Added, nullptr, unary->isIncrementOp() ? 1 : -1}});
  } else if (const auto *assembly = dyn_cast<GCCAsmStmt>(statement)) {
    for (unsigned i = 0; i < assembly->getNumOutputs(); ++i)
      result.push_back({assembly->getOutputExpr(i), {statement, Change::Kind::Unclear}});
  }
  return result;
}

/// The fields that a list in braces initialises, if the statement is one.
static SmallVector<InitialisedField, 4> fieldsInitialisedBy(const Stmt *statement) {
  SmallVector<InitialisedField, 4> result;
  const auto *list = dyn_cast<InitListExpr>(statement);
  const RecordDecl *record = list ? list->getType()->getAsRecordDecl() : nullptr;
  if (!record)
    return result;
  unsigned i = 0;
  for (const FieldDecl *field : record->fields())
    if (i < list->getNumInits())
      result.push_back({field->getType(), list->getInit(i++)});
  return result;
}

/// The variables that a lambda declares in its captures, if the statement is one.
static SmallVector<const VarDecl *, 2> initCapturesOf(const Stmt *statement) {
  SmallVector<const VarDecl *, 2> result;
  if (const auto *lambda = dyn_cast<LambdaExpr>(statement))
    for (const LambdaCapture &capture : lambda->captures())
      if (lambda->isInitCapture(&capture))
        result.push_back(cast<VarDecl>(capture.getCapturedVar()));
  return result;
}

void VariableFacts::collect(const Stmt *statement) {
  if (!statement)
    return;
  if (isa<DeclRefExpr, CXXThisExpr>(statement))
    lookAtUse(cast<Expr>(statement));
  for (const auto &[lvalue, change] : changesBy(statement))
    note(lvalue, change);
  for (const auto &[type, value] : fieldsInitialisedBy(statement))
    noteReference(type, value);
  if (const auto *declaration = dyn_cast<DeclStmt>(statement)) {
    collectDeclaration(declaration);
  } else if (const auto *unary = dyn_cast<UnaryOperator>(statement);
             unary && !unary->isIncrementDecrementOp()) {
    const std::optional<unsigned> argument = memcpyArgument(unary);
    if (argument == 0u)
      note(unary->getSubExpr(), {statement, Change::Kind::Unclear});
    else if (!argument && unary->getOpcode() == UO_AddrOf &&
             !(constPointers == ConstPointers::OnlyRead && becomesConst(unary)))
      escapeThrough(unary->getSubExpr());
  } else if (const auto *decay = dyn_cast<ImplicitCastExpr>(statement)) {
    if (decay->getCastKind() == CK_ArrayToPointerDecay)
      noteDecay(decay);
  } else if (const auto *call = dyn_cast<CallExpr>(statement)) {
    noteCall(call);
  } else if (const auto *construct = dyn_cast<CXXConstructExpr>(statement)) {
    const CXXConstructorDecl *constructor = construct->getConstructor();
    const BrokenPromises &broken = promisesOf(constructor);
    const unsigned count = std::min(construct->getNumArgs(), constructor->getNumParams());
    for (unsigned i = 0; i < count; ++i)
      noteArgument(constructor->getParamDecl(i)->getType(), construct->getArg(i), broken.of(i));
  } else if (const auto *lambda = dyn_cast<LambdaExpr>(statement)) {
    lambdas.push_back(lambda);
  }
  for (const VarDecl *variable : initCapturesOf(statement))
    noteInitialised(variable, statement);
  for (const Stmt *child : executedIn(statement)) {
    if (child)
      parents[child] = statement;
    collect(child);
  }
}

bool VariableFacts::knows(const VarDecl *variable) const {
  const auto *function = dyn_cast<FunctionDecl>(variable->getDeclContext());
  bool isKernels = isa<ParmVarDecl>(variable) && function && function->hasAttr<CUDAGlobalAttr>();
  return isKernels || changes.contains(variable);
}

ArrayRef<Change> VariableFacts::changesOf(const VarDecl *variable) const {
  auto found = changes.find(variable);
  return found == changes.end() ? ArrayRef<Change>() : ArrayRef<Change>(found->second);
}

bool VariableFacts::isWithin(const Stmt *inner, const Stmt *outer) const {
  for (; inner; inner = parentOf(inner))
    if (inner == outer)
      return true;
  return false;
}

const Stmt *VariableFacts::targetOf(const Stmt *jump) const {
  if (!isa<BreakStmt, ContinueStmt>(jump))
    return nullptr;
  for (const Stmt *around = parentOf(jump); around; around = parentOf(around))
    if (isa<ForStmt, CXXForRangeStmt, WhileStmt, DoStmt>(around) ||
        (isa<BreakStmt>(jump) && isa<SwitchStmt>(around)))
      return around;
  return nullptr;
}

const Stmt *VariableFacts::outermostLoopAround(const Stmt *statement) const {
  const Stmt *outermost = nullptr;
  for (const Stmt *at = parentOf(statement); at; at = parentOf(at))
    if (isLoop(at))
      outermost = at;
  return outermost;
}

SmallVector<Change, 2> VariableFacts::changesWithin(const VarDecl *variable,
                                                    const Stmt *statement) const {
  SmallVector<Change, 2> result;
  for (const Change &change : changesOf(variable))
    if (isWithin(change.statement, statement))
      result.push_back(change);
  return result;
}

ArrayRef<const VarDecl *> VariableFacts::changedWithin(const Stmt *statement) const {
  auto [known, isNew] = changedIn.try_emplace(statement);
  if (!isNew)
    return known->second;
  for (const VarDecl *variable : order)
    if (!changesWithin(variable, statement).empty())
      known->second.push_back(variable);
  return known->second;
}

/// The values that a variable gets, and the conditions that decide whether it gets them: those
/// matter as well.
static SmallVector<const Stmt *, 8> decidersOf(const VarDecl *variable,
                                               const VariableFacts &facts) {
  SmallVector<const Stmt *, 8> result;
  for (const Change &change : facts.changesOf(variable)) {
    if (change.value)
      result.push_back(change.value);
    for (const Stmt *child = change.statement; const Stmt *parent = facts.parentOf(child);
         child = parent)
      if (const Expr *condition = controlOf(parent, child))
        result.push_back(condition);
  }
  return result;
}

DenseSet<const VarDecl *> VariableFacts::relevantTo(ArrayRef<const Stmt *> roots) const {
  DenseSet<const VarDecl *> relevant;
  SmallVector<const Stmt *, 32> work(roots.begin(), roots.end());
  SmallVector<const VarDecl *, 4> references; // to what is relevant: changes are made by them
  auto add = [&](const VarDecl *variable) {
    if (!variable || !isLocal(variable) || !relevant.insert(variable).second)
      return;
    for (const auto &[reference, referent] : referents)
      if (referent == variable)
        references.push_back(reference);
    work.append(decidersOf(variable, *this));
  };
  while (!work.empty() || !references.empty()) {
    if (!references.empty()) {
      add(references.pop_back_val());
      continue;
    }
    const Stmt *statement = work.pop_back_val();
    if (!statement)
      continue;
    if (isa<CXXThisExpr>(statement))
      llvm::for_each(selves, add);
    if (const auto *reference = dyn_cast<DeclRefExpr>(statement))
      add(variableNamed(reference));
    for (const Stmt *child : statement->children())
      work.push_back(child);
  }
  return relevant;
}

} // namespace tilelift
