//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/VariableFacts.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/QualTypeNames.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/TargetBuiltins.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

bool isLocal(const VarDecl *variable) {
  return variable->hasLocalStorage() || isa<ParmVarDecl>(variable);
}

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

const VarDecl *variableNamed(const DeclRefExpr *reference) {
  if (const auto *part = dyn_cast<BindingDecl>(reference->getDecl()))
    return cast_or_null<VarDecl>(part->getDecomposedDecl());
  return dyn_cast<VarDecl>(reference->getDecl());
}

bool isThis(const Expr *expression) { return isa<CXXThisExpr>(expression->IgnoreParenCasts()); }

/// To another part of an object, or another view of it.
static bool staysWithin(CastKind kind) {
  return kind == CK_NoOp || kind == CK_LValueBitCast || kind == CK_DerivedToBase ||
         kind == CK_UncheckedDerivedToBase || kind == CK_BaseToDerived;
}

/// Whether a member is a reference, which is bound when the object is made.
static bool isOfReference(const MemberExpr *member) {
  const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
  return field && field->getType()->isReferenceType();
}

const VarDecl *rootVariable(const Expr *lvalue, const VarDecl *self) {
  while (true) {
    lvalue = lvalue->IgnoreParens();
    const auto *unary = dyn_cast<UnaryOperator>(lvalue);
    if (isThis(lvalue) || (unary && unary->getOpcode() == UO_Deref && isThis(unary->getSubExpr())))
      return self;
    if (const auto *member = dyn_cast<MemberExpr>(lvalue)) {
      if (isOfReference(member))
        return nullptr; // it is elsewhere
      if (member->isArrow())
        return isThis(member->getBase()) ? self : nullptr;
      lvalue = member->getBase();
    } else if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(lvalue)) {
      const Expr *base = subscript->getBase()->IgnoreParens();
      const auto *decay = dyn_cast<ImplicitCastExpr>(base);
      if (!decay || decay->getCastKind() != CK_ArrayToPointerDecay)
        return nullptr;
      lvalue = decay->getSubExpr();
    } else if (const auto *cast = dyn_cast<CastExpr>(lvalue);
               cast && staysWithin(cast->getCastKind())) {
      lvalue = cast->getSubExpr();
    } else if (const auto *reference = dyn_cast<DeclRefExpr>(lvalue)) {
      const VarDecl *variable = variableNamed(reference);
      return variable && isLocal(variable) ? variable : nullptr;
    } else {
      return nullptr;
    }
  }
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

/// A mutable member is none of what `const` keeps.
static bool hasMutable(QualType type) {
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record && record->hasDefinition() && record->hasMutableFields();
}

bool mayWriteTo(QualType referred) { return !referred.isConstQualified() || hasMutable(referred); }

/// A kernel's own parameters lead to none of its variables.
void VariableFacts::findConstDrops(const CallPath &path) {
  dropsConst = constDrops.in(path.kernel()).ofAnything;
  for (const CallExpr *call : path.getCalls())
    dropsConst |= constDrops.in(calledBody(call)).any();
}

const BrokenPromises &VariableFacts::promisesOf(const FunctionDecl *callee) {
  static const BrokenPromises none;
  return callee && constPointers == ConstPointers::MayWrite ? constDrops.in(callee) : none;
}

bool mayReferTo(QualType type) {
  if (type->isPointerType() || type->isReferenceType())
    return true;
  const RecordDecl *record = type->getAsRecordDecl();
  const auto *derived = dyn_cast_or_null<CXXRecordDecl>(record);
  return record && (!record->getDefinition() || record->isUnion() ||
                    llvm::any_of(record->fields(),
                                 [](const FieldDecl *field) {
                                   const ASTContext &context = field->getASTContext();
                                   return mayReferTo(context.getBaseElementType(field->getType()));
                                 }) ||
                    (derived && llvm::any_of(derived->bases(), [](const CXXBaseSpecifier &base) {
                       return mayReferTo(base.getType());
                     })));
}

/// What a call got as a constant may be a part of its result, which is more than a value.
bool VariableFacts::mayComeBack(const CallExpr *call) const {
  const QualType type = call->getCallReturnType(call->getDirectCallee()->getASTContext());
  const auto *use = dyn_cast_or_null<ImplicitCastExpr>(parentOf(call));
  const bool isRead = use && use->getCastKind() == CK_LValueToRValue;
  return dropsConst && !isRead &&
         (type->isReferenceType() || type->isPointerType() || type->isRecordType());
}

/// An object is changed by its methods; what is passed by reference, by anybody.
void VariableFacts::noteCall(const CallExpr *call) {
  const auto [callee, object, arguments] = partsOf(call);
  const BrokenPromises &broken = promisesOf(callee);
  if (object) {
    ObjectUse use = useOfObject(call);
    if (use.isChanged || broken.ofObject || broken.ofAnything)
      note(object, {call, Change::Kind::Unclear, call});
    if (use.isKept)
      escapeThrough(object);
    if (use.isReturned)
      noteResult(call, object);
  }
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const bool isConstant = callee && i < callee->getNumParams() && alone &&
                            !mayWriteTo(callee->getParamDecl(i)->getType().getNonReferenceType());
    if (arguments[i]->getType()->isArrayType() && !isConstant)
      escapeThrough(arguments[i]);
    // A function that gets a reference to a part of the object may return that reference.
    if (alone && !arguments[i]->isPRValue() && rootOf(arguments[i]) == alone)
      returnsObject |= call->isGLValue() || mayReferTo(call->getType());
    if (!callee || i >= callee->getNumParams() || isBoundInBody(call, i))
      continue;
    const bool writesConst = broken.of(i) || mayComeBack(call);
    if (writesConst || !noteReferenceArgument(call, i))
      noteArgument(callee->getParamDecl(i)->getType(), arguments[i], writesConst);
  }
}

/// Whether all that a function does with a reference is seen in its body: what it is bound to is a
/// variable of these functions.
bool VariableFacts::isBoundInBody(const CallExpr *call, unsigned argument) const {
  const FunctionDecl *body = followedCalls.contains(call) ? calledBody(call) : nullptr;
  const Expr *passed = partsOf(call).arguments[argument];
  return body && !isLambda(body) &&
         body->getParamDecl(argument)->getType()->isLValueReferenceType() && rootOf(passed) &&
         !passed->getType()->isArrayType();
}

/// What `const` keeps from being written, unless the callee writes it all the same.
void VariableFacts::noteArgument(QualType type, const Expr *argument, bool writesConst) {
  noteReference(type, argument);
  if (!writesConst)
    return;
  const Expr *passed = argument->IgnoreParenImpCasts();
  if (type->isReferenceType() || passed->getType()->isArrayType())
    escapeThrough(passed);
}

/// The body stands in the place of the call, and begins with its arguments.
void VariableFacts::collectCallee(const CallExpr *call) {
  const FunctionDecl *callee = calledBody(call);
  ArrayRef<const Expr *> arguments = partsOf(call).arguments;
  for (size_t i = 0; i < callee->getNumParams(); ++i) {
    const ParmVarDecl *parameter = callee->getParamDecl(unsigned(i));
    order.insert(parameter);
    const Expr *argument = i < arguments.size() ? arguments[i] : nullptr;
    changes[parameter].push_back(
        {call, argument ? Change::Kind::Initialised : Change::Kind::Unclear, argument});
    if (uses->isKeptBy(argument))
      escaped.insert(parameter);
  }
  bool isKnown = parents.contains(callee->getBody()); // of a lambda
  parents[callee->getBody()] = call;
  if (isKnown)
    return;
  for (size_t i = 0; i < callee->getNumParams() && i < arguments.size(); ++i)
    bind(callee->getParamDecl(unsigned(i)), arguments[i]);
  const auto *method = dyn_cast<CXXMethodDecl>(callee);
  isInMethod = method && method->isInstance() && !isLambda(method);
  const Expr *object = isInMethod ? partsOf(call).object : nullptr;
  self = object ? rootOf(object) : nullptr;
  if (self)
    selves.push_back(self);
  collect(callee->getBody());
}

/// Whether a variable that a lambda captures by copy still has the captured value in every call of
/// the lambda. That is so if the lambda is called at once; or if it initialises a variable that is
/// only called, and nothing in the rest of that variable's block changes the captured variable.
bool VariableFacts::isCopyTrue(const LambdaExpr *lambda, const VarDecl *captured) const {
  auto changes = [&](const Stmt *part) {
    return llvm::any_of(changesWithin(captured, part), [](const Change &change) {
      return change.kind != Change::Kind::Initialised;
    });
  };
  const Stmt *at = parentOf(lambda);
  while (isa_and_nonnull<CXXConstructExpr, FullExpr, MaterializeTemporaryExpr, ImplicitCastExpr,
                         ParenExpr, CXXBindTemporaryExpr>(at))
    at = parentOf(at);
  if (const auto *call = dyn_cast_or_null<CXXOperatorCallExpr>(at); call && isCalled(lambda))
    return !changes(call);
  const auto *declaration = dyn_cast_or_null<DeclStmt>(at);
  const auto *closure = declaration && declaration->isSingleDecl()
                            ? dyn_cast<VarDecl>(declaration->getSingleDecl())
                            : nullptr;
  const auto *block = declaration ? dyn_cast_or_null<CompoundStmt>(parentOf(declaration)) : nullptr;
  if (!block || !closure || !isLocal(closure) || keptClosures.contains(closure) ||
      closure->getType()->getAsCXXRecordDecl() != lambda->getLambdaClass())
    return false;
  return llvm::none_of(ArrayRef(llvm::find(block->body(), declaration), block->body_end()),
                       changes);
}

/// A variable that a lambda changes is changed whenever that is called, and one that
/// it has a copy of is not what it sees. By a reference it has a copy of what that leads to.
void VariableFacts::escapeFromLambdas() {
  for (const LambdaExpr *lambda : lambdas)
    for (const LambdaCapture &capture : lambda->captures()) {
      auto isInside = [&](const Change &change) { return isInLambda(change.statement, lambda); };
      if (capture.capturesThis() && alone && alone == self &&
          llvm::any_of(changesOf(self), isInside))
        escaped.insert(self);
      const auto *variable =
          capture.capturesVariable() ? dyn_cast<VarDecl>(capture.getCapturedVar()) : nullptr;
      if (!variable)
        continue;
      bool isCopied = capture.getCaptureKind() == LCK_ByCopy;
      if (variable->getType()->isReferenceType()) {
        const VarDecl *referent = referents.lookup(variable);
        if (isCopied && !referent)
          copiedReferences.insert(variable);
        variable = referent ? referent : variable;
      }
      if (isCopied && isCopyTrue(lambda, variable))
        continue;
      if (llvm::any_of(changesOf(variable), [&](const Change &change) {
            return isCopied ? change.kind != Change::Kind::Initialised : isInside(change);
          }))
        escaped.insert(variable);
    }
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

/// Whether an lvalue is memory of which only somebody can know who has its address, or no local
/// variable: whoever takes the address of one of those lets it escape.
static bool isElsewhere(const Expr *lvalue) {
  while (true) {
    lvalue = lvalue->IgnoreParens();
    if (const auto *unary = dyn_cast<UnaryOperator>(lvalue))
      return unary->getOpcode() == UO_Deref && !isThis(unary->getSubExpr());
    if (const auto *reference = dyn_cast<DeclRefExpr>(lvalue)) {
      const VarDecl *variable = variableNamed(reference);
      return variable && !isLocal(variable);
    }
    if (const auto *choice = dyn_cast<AbstractConditionalOperator>(lvalue))
      return isElsewhere(choice->getTrueExpr()) && isElsewhere(choice->getFalseExpr());
    // What a function returns that gets nothing by which it could lead to a local variable.
    if (const auto *call = dyn_cast<CallExpr>(lvalue)) {
      const CallParts parts = partsOf(call);
      return parts.callee && !parts.object &&
             llvm::none_of(parts.arguments, [](const Expr *argument) {
               return argument->isGLValue() || mayReferTo(argument->getType());
             });
    }
    if (const auto *member = dyn_cast<MemberExpr>(lvalue)) {
      if (isOfReference(member))
        return true;
      if (member->isArrow())
        return !isThis(member->getBase());
      lvalue = member->getBase();
    } else if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(lvalue)) {
      const auto *decay = dyn_cast<ImplicitCastExpr>(subscript->getBase()->IgnoreParens());
      if (!decay || decay->getCastKind() != CK_ArrayToPointerDecay)
        return true;
      lvalue = decay->getSubExpr();
    } else if (const auto *cast = dyn_cast<CastExpr>(lvalue);
               cast && staysWithin(cast->getCastKind())) {
      lvalue = cast->getSubExpr();
    } else {
      return false;
    }
  }
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

/// What a lambda does when it is called: a generic one as it is instantiated.
static SmallVector<const Stmt *, 2> bodiesOf(const LambdaExpr *lambda) {
  const FunctionTemplateDecl *pattern = lambda->getLambdaClass()->getDependentLambdaCallOperator();
  if (!pattern)
    return {lambda->getBody()};
  SmallVector<const Stmt *, 2> bodies;
  for (const FunctionDecl *instance : pattern->specializations())
    if (instance->hasBody())
      bodies.push_back(instance->getBody());
  return bodies;
}

/// What is executed as a part of a statement, or, of a lambda, may be.
static SmallVector<const Stmt *, 8> executedIn(const Stmt *statement) {
  const auto *lambda = dyn_cast<LambdaExpr>(statement);
  if (!lambda)
    return {statement->child_begin(), statement->child_end()};
  SmallVector<const Stmt *, 8> parts(lambda->capture_init_begin(), lambda->capture_init_end());
  parts.append(bodiesOf(lambda));
  return parts;
}

bool VariableFacts::isInLambda(const Stmt *statement, const LambdaExpr *lambda) const {
  return llvm::any_of(bodiesOf(lambda),
                      [&](const Stmt *body) { return isWithin(statement, body); });
}

void VariableFacts::collect(const Stmt *statement) {
  if (!statement)
    return;
  if (isa<DeclRefExpr, CXXThisExpr>(statement))
    lookAtUse(cast<Expr>(statement));
  if (const auto *declaration = dyn_cast<DeclStmt>(statement)) {
    collectDeclaration(declaration);
  } else if (const auto *binary = dyn_cast<BinaryOperator>(statement)) {
    if (binary->isCompoundAssignmentOp()) {
      bool sum = binary->getOpcode() == BO_AddAssign || binary->getOpcode() == BO_SubAssign;
      note(binary->getLHS(), {statement, sum ? Change::Kind::Added : Change::Kind::Unclear,
                              binary->getRHS(), binary->getOpcode() == BO_SubAssign ? -1 : 1});
    } else if (binary->isAssignmentOp()) {
      note(binary->getLHS(), asSum(binary));
    }
  } else if (const auto *unary = dyn_cast<UnaryOperator>(statement)) {
    if (unary->isIncrementDecrementOp())
      note(unary->getSubExpr(),
           {statement, Change::Kind::Added, nullptr, unary->isIncrementOp() ? 1 : -1});
    else if (const std::optional<unsigned> argument = memcpyArgument(unary)) {
      if (*argument == 0)
        note(unary->getSubExpr(), {statement, Change::Kind::Unclear});
    } else if (unary->getOpcode() == UO_AddrOf &&
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
    for (unsigned i = 0; i < construct->getNumArgs() && i < constructor->getNumParams(); ++i)
      noteArgument(constructor->getParamDecl(i)->getType(), construct->getArg(i), broken.of(i));
  } else if (const auto *list = dyn_cast<InitListExpr>(statement)) {
    unsigned i = 0;
    if (const auto *record = list->getType()->getAsRecordDecl())
      for (const FieldDecl *field : record->fields())
        if (i < list->getNumInits())
          noteReference(field->getType(), list->getInit(i++));
  } else if (const auto *assembly = dyn_cast<GCCAsmStmt>(statement)) {
    for (unsigned i = 0; i < assembly->getNumOutputs(); ++i)
      note(assembly->getOutputExpr(i), {statement, Change::Kind::Unclear});
  } else if (const auto *lambda = dyn_cast<LambdaExpr>(statement)) {
    lambdas.push_back(lambda);
    for (const LambdaCapture &capture : lambda->captures())
      if (lambda->isInitCapture(&capture))
        noteInitialised(cast<VarDecl>(capture.getCapturedVar()), lambda);
  }
  for (const Stmt *child : executedIn(statement)) {
    if (child)
      parents[child] = statement;
    collect(child);
  }
}

namespace {

/// What a use of an lvalue is for, by the expression around it.
enum class Use {
  Seen,     ///< a value is read, or a change is noted as such
  Part,     ///< the lvalue of a part, which is to be looked at in turn
  Assigned, ///< a change is noted, and the result may be an lvalue again
  Other
};

Use useIn(const Expr *parent, const Stmt *child) {
  if (isa<ParenExpr, FullExpr, ArraySubscriptExpr>(parent))
    return Use::Part;
  // A method's call is noted as such, and a reference leads elsewhere.
  if (const auto *member = dyn_cast<MemberExpr>(parent))
    return isa<FieldDecl>(member->getMemberDecl()) && !isOfReference(member) ? Use::Part
                                                                             : Use::Seen;
  if (const auto *cast = dyn_cast<CastExpr>(parent)) {
    CastKind kind = cast->getCastKind();
    if (kind == CK_LValueToRValue || kind == CK_ToVoid)
      return Use::Seen;
    return staysWithin(kind) || kind == CK_ArrayToPointerDecay ? Use::Part : Use::Other;
  }
  if (const auto *binary = dyn_cast<BinaryOperator>(parent)) {
    bool isLeft = binary->getLHS() == child;
    if (binary->isAssignmentOp())
      return isLeft ? Use::Assigned : Use::Seen;
    return binary->isCommaOp()    ? (isLeft ? Use::Seen : Use::Assigned)
           : binary->isPtrMemOp() ? Use::Other
                                  : Use::Seen;
  }
  if (const auto *unary = dyn_cast<UnaryOperator>(parent))
    return unary->isPrefix() && unary->isIncrementDecrementOp()                 ? Use::Assigned
           : unary->isIncrementDecrementOp() || unary->getOpcode() == UO_AddrOf ? Use::Seen
           : unary->getOpcode() == UO_Deref                                     ? Use::Part // *this
                                                                                : Use::Other;
  if (const auto *chosen = dyn_cast<AbstractConditionalOperator>(parent))
    return chosen->getCond() == child ? Use::Seen : Use::Assigned;
  if (const auto *lambda = dyn_cast<LambdaExpr>(parent))
    return llvm::any_of(lambda->captures(),
                        [&](const LambdaCapture &capture) {
                          bool isOther = lambda->isInitCapture(&capture) &&
                                         capture.getCaptureKind() == LCK_ByRef;
                          return isOther || capture.getCaptureKind() == LCK_StarThis;
                        })
               ? Use::Other
               : Use::Seen;
  if (isa<CallExpr, CXXConstructExpr>(parent))
    return partsOf(parent).callee ? Use::Seen : Use::Other;
  return isa<UnaryExprOrTypeTraitExpr, PseudoObjectExpr, OpaqueValueExpr>(parent) ? Use::Seen
                                                                                  : Use::Other;
}

/// Whether an expression refers to the same object as its part does: as a comma operator refers to
/// its right side, and `?:` to either of its arms.
bool handsOn(const Expr *expression, const Stmt *part) {
  const auto *binary = dyn_cast<BinaryOperator>(expression);
  const auto *choice = dyn_cast<AbstractConditionalOperator>(expression);
  return (binary && binary->isCommaOp() && binary->getRHS() == part) ||
         (choice && choice->getCond() != part);
}

} // namespace

/// Whether the expression initialises a reference to const, and the program never casts const away:
/// nothing is changed through that reference.
bool VariableFacts::isHeldAsConst(const Expr *init, const DeclStmt *declared) const {
  return !dropsConst && llvm::any_of(declared->decls(), [&](const Decl *each) {
    const auto *variable = dyn_cast<VarDecl>(each);
    return variable && variable->getInit() == init && variable->getType()->isReferenceType() &&
           !mayWriteTo(variable->getType().getNonReferenceType());
  });
}

/// Whether whatever is done with an lvalue is noted as a change, where it is one: by the forms in
/// which that is so. All other forms count as what nobody follows.
bool VariableFacts::isFollowed(const Expr *use) const {
  bool isResult = false; // of an assignment, a comma or a choice, of which only values are followed
  const Stmt *child = use;
  for (const Stmt *parent = parentOf(use); parent; child = parent, parent = parentOf(parent)) {
    const auto *expression = dyn_cast<Expr>(parent);
    const bool isPointer = isThis(cast<Expr>(child));
    if (!expression) {
      const auto *declared = dyn_cast<DeclStmt>(parent);
      const bool isHeld = declared && isResult && !isHeldAsConst(cast<Expr>(child), declared);
      return !isPointer && !(cast<Expr>(child)->isGLValue() && (isa<ReturnStmt>(parent) || isHeld));
    }
    if (!isPointer && !cast<Expr>(child)->isGLValue()) // a value
      return true;
    if (isPointer && !isa<MemberExpr, CastExpr, ParenExpr, UnaryOperator, LambdaExpr>(expression))
      return false;
    Use how = useIn(expression, child);
    const auto *cast = dyn_cast<CastExpr>(expression);
    bool isBare = isa<ParenExpr, FullExpr>(expression) || (cast && cast->getCastKind() == CK_NoOp);
    bool isRead =
        cast && (cast->getCastKind() == CK_LValueToRValue || cast->getCastKind() == CK_ToVoid);
    if (isResult && handsOn(expression, child))
      continue;
    const auto *made = dyn_cast<CXXConstructExpr>(expression);
    const bool isCopied = made && made->getConstructor()->isCopyOrMoveConstructor() &&
                          made->getConstructor()->isTrivial();
    if (isResult && !isBare && !isRead)
      return isCopied || (how == Use::Seen && isa<BinaryOperator>(expression));
    if (how == Use::Seen || how == Use::Other)
      return how == Use::Seen;
    isResult |= how == Use::Assigned;
  }
  return true;
}

/// Whether a use is of a part that the function returns by reference.
bool VariableFacts::isReturned(const Expr *use) const {
  const Stmt *child = use;
  for (const Stmt *parent = parentOf(use); parent; child = parent, parent = parentOf(parent)) {
    if (isa<ReturnStmt>(parent))
      return cast<Expr>(child)->isGLValue();
    const auto *expression = dyn_cast<Expr>(parent);
    if (!expression || (useIn(expression, child) != Use::Part && !handsOn(expression, child)))
      return false;
  }
  return false;
}

/// The result of a method may be a reference to a part of its object: it is read, or changed in
/// place, or anything may be done with it.
void VariableFacts::noteResult(const CallExpr *call, const Expr *object) {
  const Stmt *child = call;
  bool isAssigned = false;
  for (const Stmt *parent = parentOf(call); parent; child = parent, parent = parentOf(parent)) {
    const auto *expression = dyn_cast<Expr>(parent);
    if (!expression && !isa<ReturnStmt, DeclStmt>(parent))
      return;
    const auto *cast = dyn_cast<CastExpr>(parent);
    if (cast && (cast->getCastKind() == CK_LValueToRValue || cast->getCastKind() == CK_ToVoid))
      return;
    const Use use = expression ? useIn(expression, child) : Use::Other;
    const auto *unary = dyn_cast<UnaryOperator>(parent);
    const bool isCounted = unary && unary->isIncrementDecrementOp();
    if ((use == Use::Assigned && isa<BinaryOperator>(parent)) || isCounted) {
      note(object, {call, Change::Kind::Unclear, call});
      isAssigned = true;
    } else if (use != Use::Part || isAssigned || isa<CXXMemberCallExpr>(parent)) {
      return escapeThrough(object);
    }
    if (isCounted && unary->isPostfix())
      return;
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
    for (const Change &change : changesOf(variable)) {
      if (change.value)
        work.push_back(change.value);
      // What decides whether the change happens matters as well.
      for (const Stmt *child = change.statement; const Stmt *parent = parentOf(child);
           child = parent)
        if (const Expr *condition = controlOf(parent, child))
          work.push_back(condition);
    }
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

SmallVector<const NamedDecl *, 4> namesIn(const Expr *expression) {
  SmallVector<const NamedDecl *, 4> found;
  SmallVector<const Stmt *, 8> work{expression};
  while (!work.empty()) {
    const Stmt *next = work.pop_back_val();
    if (!next)
      continue;
    if (const auto *reference = dyn_cast<DeclRefExpr>(next))
      found.push_back(reference->getDecl());
    work.append(next->child_begin(), next->child_end());
  }
  return found;
}

SmallVector<const VarDecl *, 4> variablesIn(const Expr *expression) {
  SmallVector<const VarDecl *, 4> found;
  for (const NamedDecl *named : namesIn(expression))
    if (const auto *variable = dyn_cast<VarDecl>(named))
      found.push_back(variable);
  return found;
}

/// Replaces an alias that a function, class or namespace declares by the type that it stands for.
static QualType nameableOutside(QualType type, const ASTContext &context) {
  while (const auto *alias = type->getAs<TypedefType>()) {
    if (alias->getDecl()->getDeclContext()->getRedeclContext()->isTranslationUnit())
      return QualType(alias, type.getLocalFastQualifiers());
    type = alias->desugar();
  }
  return type.getCanonicalType();
}

std::string nameOutside(QualType type, const ASTContext &context) {
  const QualType named = nameableOutside(type, context);
  QualType innermost = context.getBaseElementType(named);
  while (!innermost->getPointeeType().isNull())
    innermost = innermost->getPointeeType();
  const auto *alias = innermost->getAs<TypedefType>();
  const NamedDecl *declared = alias ? cast<NamedDecl>(alias->getDecl()) : innermost->getAsTagDecl();
  const bool isOfProgram = declared && !isLocalType(type) &&
                           !context.getSourceManager().isInSystemHeader(declared->getLocation());
  PrintingPolicy policy = context.getPrintingPolicy();
  policy.SuppressUnwrittenScope = true; // nobody can write a namespace that has no name
  return isOfProgram
             ? TypeName::getFullyQualifiedName(named, context, policy, /*WithGlobalNsPrefix=*/true)
             : named.getAsString(policy);
}

bool isHidden(const Decl *declaration) {
  for (const Decl *at = declaration; at && !isa<TranslationUnitDecl, FunctionDecl>(at);
       at = cast<Decl>(at->getDeclContext()))
    if (at->getAccess() == AS_private || at->getAccess() == AS_protected)
      return true;
  return false;
}

bool isLocalType(QualType type) {
  type = type.getCanonicalType();
  if (const auto *array = dyn_cast<clang::ArrayType>(type.getTypePtr()))
    return isLocalType(array->getElementType());
  if (!type->getPointeeType().isNull())
    return isLocalType(type->getPointeeType());
  const TagDecl *tag = type->getAsTagDecl();
  if (!tag)
    return false;
  bool isUnnamed = !tag->getIdentifier() && !tag->getTypedefNameForAnonDecl();
  if (isUnnamed || tag->getParentFunctionOrMethod() || isHidden(tag))
    return true;
  const auto *made = dyn_cast<ClassTemplateSpecializationDecl>(tag);
  return made && llvm::any_of(made->getTemplateArgs().asArray(), [](const TemplateArgument &each) {
           return each.getKind() == TemplateArgument::Type && isLocalType(each.getAsType());
         });
}

bool namesBlockSize(const Stmt *statement) {
  if (isa<CallExpr>(statement)) // a builtin reads it by another name
    return false;
  const auto *expression = dyn_cast<Expr>(statement);
  if (auto member = expression ? builtinMember(expression) : std::nullopt)
    return member->first == "blockDim";
  const auto *reference = dyn_cast<DeclRefExpr>(statement);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return variable && variable->getIdentifier() && !variable->isLocalVarDeclOrParm() &&
         variable->getName() == "blockDim";
}

bool isThreadIndex(const VarDecl *variable) {
  return variable->getIdentifier() && !variable->isLocalVarDeclOrParm() &&
         variable->getName() == "threadIdx" &&
         variable->getASTContext().getSourceManager().isInSystemHeader(variable->getLocation());
}

unsigned deviceBuiltin(const FunctionDecl *function) {
  const Builtin::Context &builtins = function->getASTContext().BuiltinInfo;
  const unsigned number = function->getBuiltinID();
  return builtins.isAuxBuiltinID(number) ? builtins.getAuxBuiltinID(number) : number;
}

/// What a builtin reads that CUDA's headers get `threadIdx.x` and its like from.
static std::optional<std::pair<StringRef, StringRef>> readBuiltin(const CallExpr *call) {
  const FunctionDecl *callee = call->getDirectCallee();
  switch (callee ? deviceBuiltin(callee) : 0) {
  case NVPTX::BI__nvvm_read_ptx_sreg_tid_x: return std::make_pair("threadIdx", "x");
  case NVPTX::BI__nvvm_read_ptx_sreg_tid_y: return std::make_pair("threadIdx", "y");
  case NVPTX::BI__nvvm_read_ptx_sreg_tid_z: return std::make_pair("threadIdx", "z");
  case NVPTX::BI__nvvm_read_ptx_sreg_ctaid_x: return std::make_pair("blockIdx", "x");
  case NVPTX::BI__nvvm_read_ptx_sreg_ctaid_y: return std::make_pair("blockIdx", "y");
  case NVPTX::BI__nvvm_read_ptx_sreg_ctaid_z: return std::make_pair("blockIdx", "z");
  case NVPTX::BI__nvvm_read_ptx_sreg_ntid_x: return std::make_pair("blockDim", "x");
  case NVPTX::BI__nvvm_read_ptx_sreg_ntid_y: return std::make_pair("blockDim", "y");
  case NVPTX::BI__nvvm_read_ptx_sreg_ntid_z: return std::make_pair("blockDim", "z");
  case NVPTX::BI__nvvm_read_ptx_sreg_nctaid_x: return std::make_pair("gridDim", "x");
  case NVPTX::BI__nvvm_read_ptx_sreg_nctaid_y: return std::make_pair("gridDim", "y");
  case NVPTX::BI__nvvm_read_ptx_sreg_nctaid_z: return std::make_pair("gridDim", "z");
  default: return std::nullopt;
  }
}

std::optional<std::pair<StringRef, StringRef>> builtinMember(const Expr *expression) {
  if (const auto *call = dyn_cast<CallExpr>(expression))
    return readBuiltin(call);
  const Expr *base = nullptr;
  StringRef member;
  if (const auto *pseudo = dyn_cast<PseudoObjectExpr>(expression))
    expression = pseudo->getSyntacticForm()->IgnoreParens();
  if (const auto *property = dyn_cast<MSPropertyRefExpr>(expression)) {
    base = property->getBaseExpr();
    member = property->getPropertyDecl()->getName();
  } else if (const auto *access = dyn_cast<MemberExpr>(expression)) {
    if (!access->getMemberDecl()->getDeclName().isIdentifier())
      return std::nullopt;
    base = access->getBase();
    member = access->getMemberDecl()->getName();
  }
  if (!base)
    return std::nullopt;
  if (const auto *opaque = dyn_cast<OpaqueValueExpr>(base))
    base = opaque->getSourceExpr();
  const auto *reference = base ? dyn_cast<DeclRefExpr>(base->IgnoreParenImpCasts()) : nullptr;
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!variable || !variable->getIdentifier() || variable->isLocalVarDeclOrParm())
    return std::nullopt;
  StringRef name = variable->getName();
  if (name == "threadIdx" || name == "blockIdx" || name == "blockDim" || name == "gridDim" ||
      name == "warpSize")
    return std::make_pair(name, member);
  return std::nullopt;
}

} // namespace tilelift
