//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/DeclaredNames.h"

#include "support/LocalTypes.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "clang/AST/QualTypeNames.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
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

std::string nameOf(const VarDecl &variable) {
  const auto *binding = dyn_cast<DecompositionDecl>(&variable);
  if (!binding)
    return variable.getNameAsString();
  std::vector<std::string> names;
  for (const BindingDecl *each : binding->bindings())
    names.push_back(each->getNameAsString());
  return "[" + join(names, ", ") + "]";
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
  const bool isOfProgram = declared && !isNamelessOutside(type) &&
                           !context.getSourceManager().isInSystemHeader(declared->getLocation());
  PrintingPolicy policy = context.getPrintingPolicy();
  policy.SuppressUnwrittenScope = true; // nobody can write a namespace that has no name
  return isOfProgram
             ? TypeName::getFullyQualifiedName(named, context, policy, /*WithGlobalNsPrefix=*/true)
             : named.getAsString(policy);
}

} // namespace tilelift
