//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "writable/Lambdas.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// In a body: whether it asks for the size or another trait of a lambda's type.
class TraitsOfClosure : public DynamicRecursiveASTVisitor {
public:
  explicit TraitsOfClosure(const CXXRecordDecl &closure) : closure(closure) {}

  bool found = false;

  bool VisitUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *trait) override {
    return visit(trait->getTypeOfArgument());
  }
  bool VisitTypeTraitExpr(TypeTraitExpr *trait) override {
    return llvm::all_of(trait->getArgs(),
                        [&](const TypeSourceInfo *each) { return visit(each->getType()); });
  }

private:
  bool visit(QualType type) {
    const CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
    found |= record && record->getCanonicalDecl() == closure.getCanonicalDecl();
    return !found;
  }

  const CXXRecordDecl &closure;
};

/// Whether the program relies on a lambda having no captures, for example by converting it to a
/// function pointer. The lifted text adds captures for the barrier's phase, the tensor map and the
/// barrier that the copy uses.
bool needsNoCaptures(const CXXRecordDecl &closure, const FunctionDecl &around) {
  const bool hasNone = closure.getLambdaCaptureDefault() == LCD_None && closure.capture_size() == 0;
  if (!hasNone)
    return false;
  auto isAsked = [](const CXXMethodDecl *method) {
    const auto *constructor = dyn_cast<CXXConstructorDecl>(method);
    const bool isOfNone = (constructor && constructor->isDefaultConstructor()) ||
                          isa<CXXConversionDecl>(method) || method->isCopyAssignmentOperator() ||
                          method->isMoveAssignmentOperator();
    return isOfNone && (method->isUsed() || method->isReferenced());
  };
  TraitsOfClosure traits(closure);
  traits.TraverseStmt(around.getBody());
  return traits.found || llvm::any_of(closure.methods(), isAsked);
}

bool isConstantOrStatic(const Decl *declaration) {
  const auto *variable = dyn_cast<VarDecl>(declaration);
  return variable && (variable->isConstexpr() || variable->isStaticLocal());
}

std::optional<Obstacle> inLambda(const CXXRecordDecl &closure, const FunctionDecl &around,
                                 const SourceText &source) {
  auto refuse = [&](const char *what) { return Obstacle{what, closure.getLocation()}; };
  const LambdaExpr *lambda = lambdaMadeIn(around.getBody(), closure.getLocation());
  if (!lambda)
    return refuse("a copy in a lambda that a constant or a static variable is made of");
  if (needsNoCaptures(closure, around))
    return refuse("a copy in a lambda without captures that is made anew, assigned, converted to a "
                  "pointer or asked for its size");
  const SourceRange introducer = lambda->getIntroducerRange();
  const bool isWritten = introducer.getBegin().isFileID() && introducer.getEnd().isFileID();
  if (closure.getLambdaCaptureDefault() != LCD_ByRef && !isWritten)
    return refuse("a copy in a lambda whose captures a macro writes");
  return std::nullopt;
}

} // namespace

const LambdaExpr *lambdaMadeIn(const Stmt *statement, SourceLocation location) {
  if (!statement || isa<ConstantExpr>(statement))
    return nullptr;
  const auto *lambda = dyn_cast<LambdaExpr>(statement);
  if (lambda && lambda->getLambdaClass()->getLocation() == location)
    return lambda;
  if (const auto *declaration = dyn_cast<DeclStmt>(statement);
      declaration && llvm::any_of(declaration->decls(), isConstantOrStatic))
    return nullptr;
  for (const Stmt *child : statement->children())
    if (const LambdaExpr *found = lambdaMadeIn(child, location))
      return found;
  return nullptr;
}

std::optional<Obstacle> inLambdas(const CallPath &path, const SourceText &source) {
  for (const FunctionDecl *function : path.getFunctions()) {
    const DeclContext *text = textAround(function);
    for (const CXXRecordDecl *closure : closuresAround(function))
      if (std::optional<Obstacle> found = inLambda(*closure, *cast<FunctionDecl>(text), source))
        return found;
  }
  return std::nullopt;
}

} // namespace tilelift
