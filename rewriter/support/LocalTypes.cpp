//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/LocalTypes.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Looks for a class or an enumeration of one kind in all that a type is made of.
class TagSearch {
public:
  explicit TagSearch(function_ref<bool(const TagDecl &)> isWanted) : isWanted(isWanted) {}

  bool isIn(QualType type) const {
    struct Visitor : DynamicRecursiveASTVisitor {
      explicit Visitor(const TagSearch &search) : search(search) {}
      bool VisitTagType(TagType *tag) override {
        return !(found |= search.isAround(*tag->getDecl()));
      }
      const TagSearch &search;
      bool found = false;
    } visitor(*this);
    visitor.TraverseType(type.getCanonicalType());
    return visitor.found;
  }

  bool isIn(const TemplateArgument &argument) const {
    switch (argument.getKind()) {
    case TemplateArgument::Type: return isIn(argument.getAsType());
    case TemplateArgument::Pack: return isInAny(argument.getPackAsArray());
    case TemplateArgument::Declaration:
      return isIn(argument.getParamTypeForDecl()) || isIn(argument.getAsDecl()->getType()) ||
             isAround(*argument.getAsDecl());
    case TemplateArgument::Integral: return isIn(argument.getIntegralType());
    case TemplateArgument::NullPtr: return isIn(argument.getNullPtrType());
    case TemplateArgument::StructuralValue: return isIn(argument.getStructuralValueType());
    case TemplateArgument::Null:
    case TemplateArgument::Template:
    case TemplateArgument::TemplateExpansion:
    case TemplateArgument::Expression: return false; // no types, or not known before it is used
    }
    return true;
  }

  /// A declaration, what it stands in, and the arguments that these are made for.
  bool isAround(const Decl &declaration) const {
    for (const Decl *at = &declaration; at;) {
      const auto *tag = dyn_cast<TagDecl>(at);
      if ((tag && isWanted(*tag)) || isInAny(argumentsOf(*at)))
        return true;
      const DeclContext *around = at->getDeclContext();
      at = around && !around->isFileContext() ? Decl::castFromDeclContext(around) : nullptr;
    }
    return false;
  }

private:
  static ArrayRef<TemplateArgument> argumentsOf(const Decl &declaration) {
    if (const auto *function = dyn_cast<FunctionDecl>(&declaration)) {
      const TemplateArgumentList *list = function->getTemplateSpecializationArgs();
      return list ? list->asArray() : ArrayRef<TemplateArgument>();
    }
    if (const auto *record = dyn_cast<ClassTemplateSpecializationDecl>(&declaration))
      return record->getTemplateArgs().asArray();
    if (const auto *variable = dyn_cast<VarTemplateSpecializationDecl>(&declaration))
      return variable->getTemplateArgs().asArray();
    return {};
  }

  bool isInAny(ArrayRef<TemplateArgument> arguments) const {
    return llvm::any_of(arguments, [&](const TemplateArgument &each) { return isIn(each); });
  }

  function_ref<bool(const TagDecl &)> isWanted;
};

bool isOfFunction(const TagDecl &tag) { return tag.getParentFunctionOrMethod() != nullptr; }

} // namespace

bool isLocal(const TemplateArgument &argument) { return TagSearch(isOfFunction).isIn(argument); }

bool isOfLocalType(const Decl &declaration) {
  return TagSearch(isOfFunction).isAround(declaration);
}

bool isNamelessOutside(QualType type) {
  return TagSearch([](const TagDecl &tag) {
           const bool isUnnamed = !tag.getIdentifier() && !tag.getTypedefNameForAnonDecl();
           return isUnnamed || isOfFunction(tag) || isHidden(&tag);
         })
      .isIn(type);
}

bool isHidden(const Decl *declaration) {
  for (const Decl *at = declaration; at && !isa<TranslationUnitDecl, FunctionDecl>(at);
       at = cast<Decl>(at->getDeclContext()))
    if (at->getAccess() == AS_private || at->getAccess() == AS_protected)
      return true;
  return false;
}

} // namespace tilelift
