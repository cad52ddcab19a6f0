//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "directive/BlockSize.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

std::optional<std::string> wrongBlock(const std::array<unsigned, 3> &shape) {
  uint64_t threads = uint64_t(shape[0]) * shape[1] * shape[2];
  if (threads > 1024)
    return "a block has at most 1024 threads, these are " + std::to_string(threads);
  if (shape[2] > 64)
    return "a block has at most 64 threads in z, these are " + std::to_string(shape[2]);
  return std::nullopt;
}

namespace {

int64_t valueOf(const APSInt &number) {
  return number.isRepresentableByInt64() ? number.getExtValue() : INT64_MAX;
}

std::optional<int64_t> constantIn(const Decl *declaration, const ASTContext &context) {
  if (const auto *enumerator = dyn_cast<EnumConstantDecl>(declaration))
    return valueOf(enumerator->getInitVal());
  const auto *variable = dyn_cast<VarDecl>(declaration);
  Expr::EvalResult result;
  if (variable && variable->getInit() && variable->mightBeUsableInConstantExpressions(context) &&
      variable->getInit()->EvaluateAsInt(result, context))
    return valueOf(result.Val.getInt());
  return std::nullopt;
}

} // namespace

std::optional<int64_t> constantNamed(StringRef name, const FunctionDecl *kernel) {
  if (const FunctionTemplateDecl *primary = kernel->getPrimaryTemplate()) {
    const TemplateArgumentList *arguments = kernel->getTemplateSpecializationArgs();
    for (unsigned i = 0; arguments && i < arguments->size(); ++i)
      if (primary->getTemplateParameters()->getParam(i)->getName() == name &&
          arguments->get(i).getKind() == TemplateArgument::Integral)
        return valueOf(arguments->get(i).getAsIntegral());
  }
  const ASTContext &context = kernel->getASTContext();
  // Of several in the kernel, nobody knows which one is meant.
  std::optional<int64_t> own;
  SmallVector<const Decl *, 16> declared;
  for (const Decl *each : kernel->decls()) {
    declared.push_back(each);
    if (const auto *enumeration = dyn_cast<EnumDecl>(each); enumeration && !enumeration->isScoped())
      declared.append(enumeration->enumerator_begin(), enumeration->enumerator_end());
  }
  for (const Decl *each : declared)
    if (const auto *named = dyn_cast<NamedDecl>(each);
        named && named->getIdentifier() && named->getName() == name) {
      std::optional<int64_t> value = constantIn(each, context);
      if (!value || (own && *own != *value))
        return std::nullopt;
      own = value;
    }
  if (own)
    return own;
  for (const DeclContext *scope = kernel->getDeclContext(); scope; scope = scope->getParent())
    for (const Decl *each : scope->lookup(&context.Idents.get(name)))
      return constantIn(each, context);
  return std::nullopt;
}

} // namespace tilelift
