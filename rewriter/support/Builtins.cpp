//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/Builtins.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/TargetBuiltins.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
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

bool isInNamespace(const FunctionDecl *function, StringRef name) {
  for (const DeclContext *at = function->getDeclContext(); at; at = at->getParent())
    if (const auto *own = dyn_cast<NamespaceDecl>(at))
      if (own->getName() == name && own->getParent()->getRedeclContext()->isTranslationUnit())
        return true;
  return false;
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
