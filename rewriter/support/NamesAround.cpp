//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/NamesAround.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

NamesAround::NamesAround(const Stmt *place, const FunctionDecl *function) : function(function) {
  descend(function->getBody(), place);
  for (const ParmVarDecl *parameter : function->parameters())
    add(parameter);
}

bool NamesAround::means(const NamedDecl *declaration) const {
  if (!declaration->getIdentifier())
    return false;
  auto found = nearest.find(declaration->getName());
  // A type in an instantiation may name the template's own variable.
  return found == nearest.end() ||
         found->second->getCanonicalDecl() == declaration->getCanonicalDecl() ||
         found->second->getLocation() == declaration->getLocation();
}

/// Of a class or a namespace around the function; the outermost one is where CUDA's names are.
bool NamesAround::isOuter(StringRef name) const {
  IdentifierInfo &identifier = function->getASTContext().Idents.get(name);
  for (const DeclContext *at = function->getDeclContext()->getRedeclContext();
       !at->isTranslationUnit(); at = at->getParent()->getRedeclContext())
    if (!at->lookup(&identifier).empty())
      return true;
  return false;
}

/// Notes scopes on the way back, so that the innermost comes first.
bool NamesAround::descend(const Stmt *at, const Stmt *place) {
  if (at == place)
    return true;
  for (const Stmt *child : at->children())
    if (child && descend(child, place)) {
      addScope(at, child);
      return true;
    }
  return false;
}

/// The statement that follows its labels and attributes.
static const Stmt *withoutLabels(const Stmt *statement) {
  while (isa<SwitchCase, LabelStmt, AttributedStmt>(statement))
    statement = isa<SwitchCase>(statement)  ? cast<SwitchCase>(statement)->getSubStmt()
                : isa<LabelStmt>(statement) ? cast<LabelStmt>(statement)->getSubStmt()
                                            : cast<AttributedStmt>(statement)->getSubStmt();
  return statement;
}

/// Adds the declarations of a statement that are in scope in one of its child statements.
void NamesAround::addScope(const Stmt *around, const Stmt *inner) {
  if (const auto *block = dyn_cast<CompoundStmt>(around)) {
    for (const Stmt *before : block->body()) {
      if (before == inner)
        return;
      addDeclarationsOf(withoutLabels(before));
    }
  } else if (const auto *lambda = dyn_cast<LambdaExpr>(around)) {
    for (const ParmVarDecl *parameter : lambda->getCallOperator()->parameters())
      add(parameter);
    for (const LambdaCapture &capture : lambda->captures())
      if (lambda->isInitCapture(&capture))
        add(capture.getCapturedVar());
  } else if (!isa<Expr>(around)) { // what loops and branches declare in their heads
    for (const Stmt *head : around->children())
      if (head == inner)
        return;
      else
        addDeclarationsOf(head);
  }
}

void NamesAround::addDeclarationsOf(const Stmt *statement) {
  if (const auto *declarations = dyn_cast_or_null<DeclStmt>(statement))
    for (const Decl *each : declarations->decls())
      add(each);
}

void NamesAround::add(const Decl *declaration) {
  if (const auto *parts = dyn_cast<DecompositionDecl>(declaration))
    for (const BindingDecl *part : parts->bindings())
      add(part);
  if (const auto *list = dyn_cast<EnumDecl>(declaration); list && !list->isScoped())
    for (const EnumConstantDecl *each : list->enumerators())
      add(each);
  if (const auto *brought = dyn_cast<UsingEnumDecl>(declaration))
    for (const EnumConstantDecl *each : brought->getEnumDecl()->enumerators())
      add(each);
  if (isa<UsingDirectiveDecl>(declaration))
    hasDirective = true;
  if (const auto *record = dyn_cast<RecordDecl>(declaration);
      record && record->isAnonymousStructOrUnion())
    for (const FieldDecl *field : record->fields())
      add(field);
  if (const auto *named = dyn_cast<NamedDecl>(declaration); named && named->getIdentifier())
    nearest.try_emplace(named->getName(), named);
}

/// How often a name is found in a class, and as what: in the class itself, or in its bases.
static unsigned countFound(const CXXRecordDecl *record, DeclarationName name,
                           const NamedDecl *&found) {
  record = record->getDefinition();
  if (!record)
    return 0;
  if (auto own = record->lookup(name); !own.empty()) {
    found = own.front();
    return unsigned(std::distance(own.begin(), own.end()));
  }
  unsigned count = 0;
  for (const CXXBaseSpecifier &base : record->bases())
    if (const auto *other = base.getType()->getAsCXXRecordDecl())
      count += countFound(other, name, found);
  return count;
}

bool meansField(const CXXRecordDecl *record, const FieldDecl *field) {
  const NamedDecl *found = nullptr;
  return countFound(record, field->getDeclName(), found) == 1 && found == field;
}

} // namespace tilelift
