//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/NamesInText.h"

#include "support/CallPath.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/DenseSet.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

using Where = NameInText::Where;

class Reader : public DynamicRecursiveASTVisitor {
public:
  explicit Reader(const Stmt *all) {
    ShouldVisitTemplateInstantiations = true;
    ShouldVisitImplicitCode = true;
    addCode(all);
  }

  std::vector<NameInText> names;

  bool TraverseStmt(Stmt *statement) override {
    if (!statement)
      return true;
    around.push_back(statement);
    bool result = inside(whereIn(statement),
                         [&] { return DynamicRecursiveASTVisitor::TraverseStmt(statement); });
    around.pop_back();
    return result;
  }
  bool TraverseTypeLoc(TypeLoc type, bool traverseQualifier = true) override {
    return inside(Where::Type, [&] {
      return DynamicRecursiveASTVisitor::TraverseTypeLoc(type, traverseQualifier);
    });
  }
  bool TraverseTemplateArgumentLoc(const TemplateArgumentLoc &argument) override {
    return inside(Where::Constant, [&] {
      return DynamicRecursiveASTVisitor::TraverseTemplateArgumentLoc(argument);
    });
  }
  bool TraverseStaticAssertDecl(StaticAssertDecl *assertion) override {
    return inside(Where::Type,
                  [&] { return DynamicRecursiveASTVisitor::TraverseStaticAssertDecl(assertion); });
  }
  bool TraverseCXXRecordDecl(CXXRecordDecl *record) override {
    return inside(record->isLambda() ? where : Where::LocalClass,
                  [&] { return DynamicRecursiveASTVisitor::TraverseCXXRecordDecl(record); });
  }
  bool TraverseVarDecl(VarDecl *variable) override {
    return inside(variable->isConstexpr() ? Where::Constant : where,
                  [&] { return DynamicRecursiveASTVisitor::TraverseVarDecl(variable); });
  }

  bool VisitDeclRefExpr(DeclRefExpr *reference) override {
    add(reference->getDecl(), reference->getLocation(), subscripts(reference));
    names.back().isQualified = reference->hasQualifier();
    if (const auto *found = dyn_cast<UsingShadowDecl>(reference->getFoundDecl()))
      add(found->getIntroducer(), reference->getLocation());
    return true;
  }
  /// Of `#pragma unroll n`.
  bool VisitAttributedStmt(AttributedStmt *statement) override {
    for (const Attr *each : statement->getAttrs())
      if (const auto *hint = dyn_cast<LoopHintAttr>(each))
        inside(Where::Constant, [&] { return TraverseStmt(hint->getValue()); });
    return true;
  }
  bool VisitTypedefTypeLoc(TypedefTypeLoc type) override {
    return add(type.getDecl(), type.getNameLoc());
  }
  bool VisitTagTypeLoc(TagTypeLoc type) override { return add(type.getDecl(), type.getNameLoc()); }
  bool VisitUsingTypeLoc(UsingTypeLoc type) override {
    return add(type.getDecl()->getIntroducer(), type.getNameLoc());
  }
  bool VisitTemplateSpecializationTypeLoc(TemplateSpecializationTypeLoc type) override {
    const TemplateName name = type.getTypePtr()->getTemplateName();
    if (const TemplateDecl *made = name.getAsTemplateDecl()) {
      add(made, type.getTemplateNameLoc());
      names.back().isQualified = type.getQualifierLoc().hasQualifier();
    }
    if (const UsingShadowDecl *found = name.getAsUsingShadowDecl())
      add(found->getIntroducer(), type.getTemplateNameLoc());
    return true;
  }
  bool TraverseNestedNameSpecifierLoc(NestedNameSpecifierLoc qualifier) override {
    if (qualifier) {
      const NestedNameSpecifier specifier = qualifier.getNestedNameSpecifier();
      if (specifier.getKind() == NestedNameSpecifier::Kind::Namespace)
        add(specifier.getAsNamespaceAndPrefix().Namespace, qualifier.getLocalBeginLoc());
    }
    return DynamicRecursiveASTVisitor::TraverseNestedNameSpecifierLoc(qualifier);
  }

private:
  bool add(const NamedDecl *declaration, SourceLocation location, unsigned subscripts = 0) {
    names.push_back({declaration, location, statementAround(), where, subscripts, false});
    return true;
  }

  /// What a walk over the statements comes to.
  void addCode(const Stmt *statement) {
    if (!statement)
      return;
    code.insert(statement);
    for (const Stmt *child : executedIn(statement))
      addCode(child);
  }

  template <typename Traverse> bool inside(Where place, Traverse traverse) {
    const Where outer = where;
    where = within(outer, place);
    bool result = traverse();
    where = outer;
    return result;
  }

  /// A class has types and constants of its own, and what a type is made of are its parts.
  static Where within(Where outer, Where place) {
    if (outer == Where::Code)
      return place;
    return outer != Where::LocalClass && place == Where::Size ? place : outer;
  }

  Where whereIn(const Stmt *statement) const {
    if (isa<UnaryExprOrTypeTraitExpr>(statement) && where != Where::Code)
      return Where::Size;
    return isa<ConstantExpr>(statement) ? Where::Constant : where;
  }

  const Stmt *statementAround() const {
    for (const Stmt *each : reverse(around))
      if (code.contains(each))
        return each;
    return around.front();
  }

  unsigned subscripts(const Expr *named) const {
    unsigned count = 0;
    for (const Stmt *each : reverse(around)) {
      const auto *cast = dyn_cast<ImplicitCastExpr>(each);
      const bool isDecay = cast && cast->getCastKind() == CK_ArrayToPointerDecay;
      if (isa<ArraySubscriptExpr>(each))
        ++count;
      else if (each != named && !isDecay && !isa<ParenExpr>(each))
        break;
    }
    return count;
  }

  DenseSet<const Stmt *> code;
  SmallVector<const Stmt *, 16> around;
  Where where = Where::Code;
};

} // namespace

std::vector<NameInText> namesInTextOf(const Stmt *statement) {
  if (!statement)
    return {};
  Reader reader(statement);
  reader.TraverseStmt(const_cast<Stmt *>(statement));
  return std::move(reader.names);
}

bool means(const NameInText &name, const VarDecl *variable) {
  const NamedDecl *named = name.declaration;
  if (const auto *part = dyn_cast<BindingDecl>(named); part && part->getDecomposedDecl())
    named = part->getDecomposedDecl();
  return named->getCanonicalDecl() == variable->getCanonicalDecl() ||
         (named->getLocation() == variable->getLocation() && isa<VarDecl>(named));
}

} // namespace tilelift
