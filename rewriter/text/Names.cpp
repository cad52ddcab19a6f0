//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "text/Names.h"

#include "directive/Program.h"
#include "support/Words.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SetVector.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

PrintingPolicy writtenPolicy(const ASTContext &context) {
  PrintingPolicy policy = context.getPrintingPolicy();
  policy.SuppressUnwrittenScope = true;
  return policy;
}

/// All that the printed form of template arguments names.
class NamedInArguments : public DynamicRecursiveASTVisitor {
public:
  SetVector<const NamedDecl *> names;

  bool VisitTagType(TagType *type) override { return add(type->getDecl()); }
  bool VisitTemplateSpecializationType(TemplateSpecializationType *type) override {
    return add(type->getTemplateName().getAsTemplateDecl());
  }
  bool TraverseTemplateArgument(const TemplateArgument &argument) override {
    switch (argument.getKind()) {
    case TemplateArgument::Template: add(argument.getAsTemplate().getAsTemplateDecl()); break;
    case TemplateArgument::Declaration: add(argument.getAsDecl()); break;
    case TemplateArgument::Integral: TraverseType(argument.getIntegralType()); break;
    case TemplateArgument::StructuralValue: TraverseType(argument.getStructuralValueType()); break;
    default: break;
    }
    return DynamicRecursiveASTVisitor::TraverseTemplateArgument(argument);
  }

private:
  bool add(const NamedDecl *declaration) {
    if (const auto *special = dyn_cast_or_null<ClassTemplateSpecializationDecl>(declaration)) {
      for (const TemplateArgument &argument : special->getTemplateArgs().asArray())
        TraverseTemplateArgument(argument);
      declaration = special->getSpecializedTemplate();
    }
    if (declaration)
      names.insert(cast<NamedDecl>(declaration->getCanonicalDecl()));
    return true;
  }
};

/// Closed again: "namespace ns { struct Shape; }"; empty if only a definition declares it.
std::string declarationOf(const NamedDecl *declaration) {
  const auto *record = dyn_cast<CXXRecordDecl>(declaration);
  if (!record || !record->getIdentifier() || record->getDescribedClassTemplate())
    return "";
  std::string text = (record->getKindName() + " " + record->getName() + ";").str();
  for (const DeclContext *scope = record->getDeclContext(); !scope->isTranslationUnit();
       scope = scope->getParent()) {
    const auto *space = dyn_cast<NamespaceDecl>(scope);
    if (!space)
      return "";
    text = (Twine(space->isInline() ? "inline " : "") + "namespace " +
            (space->getIdentifier() ? space->getName() + " " : StringRef()) + "{ " + text + " }")
               .str();
  }
  return text;
}

} // namespace

std::string qualifiedName(const NamedDecl *declaration) {
  std::string name = "::";
  raw_string_ostream stream(name);
  declaration->printQualifiedName(stream, writtenPolicy(declaration->getASTContext()));
  return name;
}

std::string templateArgumentsOf(const FunctionDecl *instance) {
  const TemplateArgumentList *arguments = instance->getTemplateSpecializationArgs();
  std::string text;
  raw_string_ostream stream(text);
  if (arguments)
    printTemplateArgumentList(stream, arguments->asArray(),
                              writtenPolicy(instance->getASTContext()));
  return text;
}

std::string pointerTypeOf(const FunctionDecl *kernel) {
  const ASTContext &context = kernel->getASTContext();
  PrintingPolicy policy = context.getPrintingPolicy();
  const QualType type = context.getPointerType(kernel->getType());
  const std::string text = type.getAsString(policy);
  const std::vector<StringRef> words = wordsIn(text);
  const bool isHidden = llvm::any_of(kernel->parameters(), [&](const ParmVarDecl *parameter) {
    return llvm::is_contained(words, parameter->getName());
  });
  if (!isHidden || type->isDependentType())
    return text;
  policy.SuppressTagKeyword = false; // `struct view` is the type, whatever `view` is
  return type.getCanonicalType().getAsString(policy);
}

LaterTypes laterTypesOf(const FunctionDecl *instance) {
  LaterTypes later;
  NamedInArguments finder;
  if (const TemplateArgumentList *arguments = instance->getTemplateSpecializationArgs())
    for (const TemplateArgument &argument : arguments->asArray())
      finder.TraverseTemplateArgument(argument);
  const SourceManager &sources = instance->getASTContext().getSourceManager();
  SourceLocation kernel = patternOf(instance)->getLocation();
  for (const NamedDecl *name : finder.names) {
    if (name->getLocation().isInvalid() ||
        sources.isBeforeInTranslationUnit(name->getLocation(), kernel))
      continue;
    std::string declaration = declarationOf(name);
    if (declaration.empty() && !later.undeclarable)
      later.undeclarable = name;
    later.declarations += declaration + "\n";
  }
  return later;
}

} // namespace tilelift
