//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "order/BarrierCalls.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

bool isOfSystem(const Decl *declaration) {
  const SourceManager &sources = declaration->getASTContext().getSourceManager();
  return sources.isInSystemHeader(declaration->getLocation());
}

/// Objects of the system's classes, as thread blocks are; and of others, those without members.
bool leadsNowhere(QualType type) {
  const CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record && record->hasDefinition() && record->hasTrivialDestructor() &&
         (record->isEmpty() || isOfSystem(record));
}

bool isNumber(QualType type) { return type->isArithmeticType() || type->isEnumeralType(); }

/// What is evaluated for the call, with the objects that are made for it.
bool mayChange(const Stmt *part) {
  if (!part || isa<PseudoObjectExpr>(part)) // as threadIdx.x
    return false;
  if (isa<LambdaExpr, CXXOperatorCallExpr, StmtExpr, AsmStmt>(part))
    return true;
  if (const auto *binary = dyn_cast<BinaryOperator>(part); binary && binary->isAssignmentOp())
    return true;
  if (const auto *unary = dyn_cast<UnaryOperator>(part);
      unary && (unary->isIncrementDecrementOp() || unary->getOpcode() == UO_AddrOf))
    return true;
  if (isa<CXXConstructExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr>(part) &&
      !leadsNowhere(cast<Expr>(part)->getType()))
    return true;
  if (const auto *call = dyn_cast<CallExpr>(part)) {
    const FunctionDecl *callee = call->getDirectCallee();
    if (!callee)
      return true;
    const auto *member = dyn_cast<CXXMemberCallExpr>(call);
    if (member && !leadsNowhere(member->getObjectType()))
      return true;
    for (const ParmVarDecl *parameter : callee->parameters())
      if (!isNumber(parameter->getType()) && !leadsNowhere(parameter->getType()))
        return true;
  }
  return llvm::any_of(part->children(), mayChange);
}

} // namespace

bool mayChangeVariables(const CallExpr *call) { return mayChange(call); }

} // namespace tilelift
