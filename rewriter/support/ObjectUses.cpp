//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What methods and constructors do to their objects, and functions to what they get by reference:
// the facts of each body on its own, with the object in the place of a variable.
//===----------------------------------------------------------------------===//

#include "support/VariableFacts.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

VariableFacts::VariableFacts(const CXXRecordDecl *record, ConstPointers pointers, ObjectUses &uses)
    : constPointers(pointers), uses(std::shared_ptr<ObjectUses>(), &uses), isInMethod(true) {
  ASTContext &context = record->getASTContext();
  self = ImplicitParamDecl::Create(context, const_cast<CXXRecordDecl *>(record), SourceLocation(),
                                   nullptr, context.VoidPtrTy, ImplicitParamKind::CXXThis);
  alone = self;
}

VariableFacts::VariableFacts(const ParmVarDecl *parameter, ObjectUses &uses)
    : constPointers(ConstPointers::MayWrite),
      uses(std::shared_ptr<ObjectUses>(), &uses),
      alone(parameter) {}

/// Calls of the same method within are taken to do anything.
ObjectUse ObjectUses::of(const CXXMethodDecl *method) {
  auto [place, isNew] = known.try_emplace(method->getCanonicalDecl());
  if (!isNew)
    return place->second;
  ObjectUse use = inBody(method);
  known[method->getCanonicalDecl()] = use;
  return use;
}

ObjectUse ObjectUses::inBody(const CXXMethodDecl *method) {
  const FunctionDecl *definition = nullptr;
  const bool isGenerated = method->isDefaulted() && !isa<CXXConstructorDecl>(method);
  if (!method->hasBody(definition) || method->isExplicitObjectMemberFunction() || isGenerated ||
      isLambda(method)) {
    bool mayChange = !method->isConst();
    return {mayChange, mayChange && !method->isDefaulted() && !isLambda(method), mayChange};
  }
  VariableFacts facts(method->getParent(),
                      method->isConst() ? VariableFacts::ConstPointers::OnlyRead
                                        : VariableFacts::ConstPointers::MayWrite,
                      *this);
  if (const auto *constructor = dyn_cast<CXXConstructorDecl>(definition))
    for (const CXXCtorInitializer *each : constructor->inits()) {
      const Expr *value = each->getInit();
      if (each->isAnyMemberInitializer())
        facts.noteReference(each->getAnyMember()->getType(), value);
      facts.collect(value);
      if (isKeptBy(value))
        facts.escaped.insert(facts.self);
    }
  facts.collect(definition->getBody());
  facts.escapeFromLambdas();
  const QualType result = method->getReturnType();
  const bool isConstant =
      result->isReferenceType() && result.getNonReferenceType().isConstQualified();
  const bool isReturned = facts.returnsObject && mayReferTo(result);
  return {!facts.changesOf(facts.self).empty(),
          facts.escapes(facts.self) || (isReturned && !result->isReferenceType()),
          isReturned && !isConstant};
}

/// Calls of the same function within are taken to do anything.
ObjectUse ObjectUses::ofParameter(const FunctionDecl *function, unsigned parameter) {
  const std::pair<const FunctionDecl *, unsigned> key(function->getCanonicalDecl(), parameter);
  auto [place, isNew] = knownParameters.try_emplace(key);
  if (!isNew)
    return place->second;
  ObjectUse use = inBody(function, parameter);
  knownParameters[key] = use;
  return use;
}

ObjectUse ObjectUses::inBody(const FunctionDecl *function, unsigned parameter) {
  const FunctionDecl *definition = nullptr;
  if (!function->hasBody(definition) || isa<CXXConstructorDecl>(definition))
    return {};
  const ParmVarDecl *own = definition->getParamDecl(parameter);
  VariableFacts facts(own, *this);
  facts.collect(definition->getBody());
  facts.escapeFromLambdas();
  const bool isReturned = facts.returnsObject && mayReferTo(definition->getReturnType());
  return {!facts.changesOf(own).empty(),
          facts.escapes(own) || (isReturned && !definition->getReturnType()->isReferenceType()),
          isReturned};
}

bool ObjectUses::isKeptByDefault(const CXXDefaultInitExpr *member) {
  VariableFacts facts(cast<CXXRecordDecl>(member->getField()->getParent()),
                      VariableFacts::ConstPointers::MayWrite, *this);
  facts.noteReference(member->getField()->getType(), member->getExpr());
  facts.collect(member->getExpr());
  return facts.escapes(facts.self);
}

bool ObjectUses::isKeptBy(const Stmt *initialiser) {
  DenseSet<const Stmt *> seen;
  return isKeptBy(initialiser, seen);
}

/// An object that a function returns is made where the caller wants it.
bool ObjectUses::isKeptBy(const Stmt *part, DenseSet<const Stmt *> &seen) {
  if (!part || isa<LambdaExpr>(part) || !seen.insert(part).second)
    return false;
  if (const auto *construct = dyn_cast<CXXConstructExpr>(part);
      construct && construct->getConstructor()->hasBody() && of(construct->getConstructor()).isKept)
    return true;
  if (const auto *member = dyn_cast<CXXDefaultInitExpr>(part))
    return isKeptByDefault(member) || isKeptBy(member->getExpr(), seen);
  if (const auto *call = dyn_cast<CallExpr>(part); call && call->getType()->isRecordType())
    if (const FunctionDecl *callee = calledBody(call); callee && isKeptBy(callee->getBody(), seen))
      return true;
  return llvm::any_of(part->children(), [&](const Stmt *child) { return isKeptBy(child, seen); });
}

/// Of a virtual method nobody knows which one is called. Where nothing has to be proved, methods
/// change their objects if they are not constant, and keep nothing.
ObjectUse VariableFacts::useOfObject(const CallExpr *call) {
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(partsOf(call).callee);
  if (constPointers == ConstPointers::OnlyRead && !alone)
    return {!method || !method->isConst(), false, false};
  return method && !isVirtual(call) ? uses->of(method) : ObjectUse();
}

/// What a function does to a variable that it gets by reference and could change; false where its
/// body does not say.
bool VariableFacts::noteReferenceArgument(const CallExpr *call, unsigned argument) {
  const FunctionDecl *body = calledBody(call);
  const Expr *passed = partsOf(call).arguments[argument];
  const bool isProved = constPointers == ConstPointers::MayWrite || alone;
  if (!isProved || !body || isVirtual(call) || passed->getType()->isArrayType())
    return false;
  const QualType type = body->getParamDecl(argument)->getType();
  if (!type->isLValueReferenceType() || !mayWriteTo(type.getNonReferenceType()))
    return false;
  const ObjectUse use = uses->ofParameter(body, argument);
  if (use.isChanged)
    note(passed, {call, Change::Kind::Unclear, call});
  if (use.isKept)
    escapeThrough(passed);
  if (use.isReturned)
    noteResult(call, passed);
  return true;
}

} // namespace tilelift
