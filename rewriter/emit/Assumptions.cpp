//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/Assumptions.h"

#include "emit/Names.h"
#include "support/Locations.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/DenseSet.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// As an expression that compares equal to the constant.
std::string textOf(const APSInt &value, QualType type) {
  if (type->isBooleanType())
    return value.isZero() ? "false" : "true";
  return toString(value, 10) + (value.isUnsigned() && value.getActiveBits() > 31 ? "u" : "");
}

/// Whether code behind a kernel can name what is declared.
bool isVisibleToAll(const NamedDecl *declaration) {
  if (declaration->getAccess() == AS_private || declaration->getAccess() == AS_protected ||
      isa<VarTemplateSpecializationDecl>(declaration)) // its name has arguments
    return false;
  const DeclContext *scope = declaration->getDeclContext();
  if (const auto *around = dyn_cast<TagDecl>(scope)) // an enumeration, too
    return (around->getIdentifier() || isa<EnumDecl>(around)) && isVisibleToAll(around);
  return scope->isFileContext();
}

class AssumptionFinder : public RecursiveASTVisitor<AssumptionFinder> {
public:
  AssumptionFinder(const FunctionDecl *kernel, const Variants &variants)
      : kernel(kernel),
        variants(variants),
        context(kernel->getASTContext()),
        sources(context.getSourceManager()) {}

  std::vector<std::string> found;

  bool shouldVisitImplicitCode() const { return true; }
  /// Null is nothing.
  void visit(const Stmt *statement) { TraverseStmt(const_cast<Stmt *>(statement)); }
  void visit(const DeclaratorDecl *declaration);

  bool VisitDeclRefExpr(DeclRefExpr *reference);
  bool VisitExpr(Expr *expression);
  bool VisitTypedefTypeLoc(TypedefTypeLoc type);
  bool VisitTagTypeLoc(TagTypeLoc type);
  /// An argument of a template: with another one, another plan.
  bool TraverseSubstNonTypeTemplateParmExpr(SubstNonTypeTemplateParmExpr *) { return true; }

private:
  bool isSettled(SourceLocation location) const;
  bool isOfSystem(SourceLocation location) const;
  std::string nameOf(const NamedDecl *declaration) const;
  void assume(std::string condition) {
    if (!is_contained(found, condition))
      found.push_back(std::move(condition));
  }
  void assumeSize(const NamedDecl *type, QualType of);
  bool endsExpansion(SourceLocation token) const;
  bool meet(SourceLocation &begin, SourceLocation &end) const;
  void assumeMacro(const Expr *expression);

  const FunctionDecl *kernel;
  const Variants &variants;
  ASTContext &context;
  const SourceManager &sources;
  DenseSet<const Decl *> seen;
};

/// Whether all who compile the file that the kernel is in read the same there.
bool AssumptionFinder::isSettled(SourceLocation location) const {
  SourceLocation at = sources.getSpellingLoc(location);
  FileID file = sources.getFileID(sources.getExpansionLoc(kernel->getLocation()));
  Place place = sources.getFileID(at) == file ? placeOf(sources, at) : Place();
  return place.isKnown() && !variants.isConditional(place);
}

/// The toolkit's and the compiler's own names mean the same to everybody.
bool AssumptionFinder::isOfSystem(SourceLocation location) const {
  SourceLocation at = sources.getSpellingLoc(location);
  return at.isInvalid() || sources.isInSystemHeader(at) || sources.isWrittenInBuiltinFile(at);
}

std::string AssumptionFinder::nameOf(const NamedDecl *declaration) const {
  bool areBothGlobal = declaration->getDeclContext()->isTranslationUnit() &&
                       kernel->getDeclContext()->isTranslationUnit();
  return areBothGlobal ? declaration->getNameAsString() : qualifiedName(declaration);
}

void AssumptionFinder::visit(const DeclaratorDecl *declaration) {
  if (!declaration || !seen.insert(declaration->getCanonicalDecl()).second)
    return;
  if (const TypeSourceInfo *type = declaration->getTypeSourceInfo())
    TraverseTypeLoc(type->getTypeLoc());
  const auto *variable = dyn_cast<VarDecl>(declaration);
  if (variable && !isa<ParmVarDecl>(variable) && variable->getAnyInitializer())
    visit(variable->getAnyInitializer());
}

bool AssumptionFinder::VisitDeclRefExpr(DeclRefExpr *reference) {
  const ValueDecl *named = reference->getDecl();
  const auto *variable = dyn_cast<VarDecl>(named);
  const auto *enumerator = dyn_cast<EnumConstantDecl>(named);
  if (!variable && !enumerator)
    return true;
  Expr::EvalResult value;
  bool isConstant =
      named->getType()->isIntegralOrEnumerationType() && reference->EvaluateAsInt(value, context);
  if (isConstant && isVisibleToAll(named) && !isSettled(named->getLocation())) {
    if (!isOfSystem(named->getLocation())) {
      std::string name = nameOf(named);
      bool isScoped = named->getType()->isScopedEnumeralType();
      assume((isScoped ? "static_cast<long long>(" + name + ")" : name) +
             " == " + textOf(value.Val.getInt(), named->getType()));
    }
  } else if (variable) {
    visit(variable);
  } else if (seen.insert(enumerator).second && enumerator->getInitExpr()) {
    visit(enumerator->getInitExpr());
  }
  return true;
}

bool AssumptionFinder::VisitExpr(Expr *expression) {
  if (expression->getBeginLoc().isMacroID())
    assumeMacro(expression);
  return true;
}

/// Whether a token is the last one of the macro expansion that it comes from.
bool AssumptionFinder::endsExpansion(SourceLocation token) const {
  unsigned length =
      Lexer::MeasureTokenLength(sources.getSpellingLoc(token), sources, context.getLangOpts());
  return sources.isAtEndOfImmediateMacroExpansion(token.getLocWithOffset(int(length)));
}

/// Moves the two ends of an expression outwards to the innermost macro expansion that contains
/// both, as long as the expression reaches to the ends of the expansions that it leaves. False if
/// no expansion contains both, as for `TW + R` where TW and R are macros.
bool AssumptionFinder::meet(SourceLocation &begin, SourceLocation &end) const {
  SmallVector<FileID, 4> aroundEnd;
  for (SourceLocation at = end; at.isMacroID();
       at = sources.getImmediateExpansionRange(at).getEnd())
    aroundEnd.push_back(sources.getFileID(at));
  while (begin.isMacroID() && !is_contained(aroundEnd, sources.getFileID(begin))) {
    if (!sources.isAtStartOfImmediateMacroExpansion(begin))
      return false;
    begin = sources.getImmediateExpansionRange(begin).getBegin();
  }
  while (end.isMacroID() && sources.getFileID(end) != sources.getFileID(begin)) {
    if (!endsExpansion(end))
      return false;
    end = sources.getImmediateExpansionRange(end).getEnd();
  }
  return begin.isMacroID() && end.isMacroID();
}

/// Of an expression that is all that a macro without parameters stands for.
void AssumptionFinder::assumeMacro(const Expr *expression) {
  SourceLocation begin = expression->getBeginLoc(), end = expression->getEndLoc();
  Expr::EvalResult value;
  if (!expression->getType()->isIntegralOrEnumerationType() || expression->isValueDependent() ||
      !expression->EvaluateAsInt(value, context))
    return;
  while (meet(begin, end)) {
    if (!sources.isAtStartOfImmediateMacroExpansion(begin) || !endsExpansion(end))
      return;
    CharSourceRange use = sources.getImmediateExpansionRange(begin);
    StringRef name = Lexer::getImmediateMacroName(begin, sources, context.getLangOpts());
    bool hasParameters = use.getBegin() != use.getEnd() || sources.isMacroArgExpansion(begin);
    if (!hasParameters && !isSettled(begin) && !isOfSystem(begin) &&
        !variants.redefined.contains(name))
      assume((name + " == " + textOf(value.Val.getInt(), expression->getType())).str());
    begin = use.getBegin();
    end = use.getEnd();
  }
}

void AssumptionFinder::assumeSize(const NamedDecl *type, QualType of) {
  if (!of->isDependentType() && !of->isIncompleteType() && !of->isFunctionType() &&
      !isOfSystem(type->getLocation()))
    assume("sizeof(" + nameOf(type) +
           ") == " + std::to_string(context.getTypeSizeInChars(of).getQuantity()));
}

bool AssumptionFinder::VisitTypedefTypeLoc(TypedefTypeLoc type) {
  const TypedefNameDecl *alias = type.getDecl();
  if (isVisibleToAll(alias) && !isSettled(alias->getLocation()))
    assumeSize(alias, alias->getUnderlyingType());
  else if (seen.insert(alias).second)
    TraverseTypeLoc(alias->getTypeSourceInfo()->getTypeLoc());
  return true;
}

bool AssumptionFinder::VisitTagTypeLoc(TagTypeLoc type) {
  const auto *record = dyn_cast<RecordDecl>(type.getDecl());
  if (!record || isa<ClassTemplateSpecializationDecl>(record) || !record->getIdentifier())
    return true;
  if (isVisibleToAll(record) && !isSettled(record->getLocation())) {
    if (record->getDefinition())
      assumeSize(record, context.getCanonicalTagType(record));
  } else if (seen.insert(record).second && record->getDefinition()) {
    for (const FieldDecl *field : record->getDefinition()->fields())
      visit(field);
  }
  return true;
}

} // namespace

std::vector<std::string> assumptionsOf(const KernelToEmit &kernel, const Variants &variants) {
  AssumptionFinder finder(kernel.pattern, variants);
  for (const InstanceToEmit &instance : kernel.instances) {
    for (const CopyToEmit &copy : instance.copies) {
      finder.visit(copy.tile);
      finder.visit(copy.statement);
      for (const CallExpr *call : copy.path.getCalls())
        for (const Expr *argument : partsOf(call).arguments)
          finder.visit(argument);
    }
    for (const PipelineToEmit &pipeline : instance.pipelines) {
      finder.visit(pipeline.rounds.condition);
      for (const Cursor &cursor : pipeline.rounds.cursors) {
        finder.visit(cursor.start);
        for (const Change &step : cursor.steps)
          finder.visit(step.value);
      }
    }
  }
  return std::move(finder.found);
}

} // namespace tilelift
