//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "writable/Assumptions.h"

#include "support/Locations.h"
#include "text/Names.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
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

/// Whether a template argument can be written outside of the kernel: a number or a built-in type.
bool isPlain(const TemplateArgument &argument) {
  return argument.getKind() == TemplateArgument::Integral ||
         (argument.getKind() == TemplateArgument::Type &&
          argument.getAsType().getCanonicalType()->isBuiltinType());
}

/// Whether code behind a kernel can name what is declared.
bool isVisibleToAll(const NamedDecl *declaration) {
  if (declaration->getAccess() == AS_private || declaration->getAccess() == AS_protected ||
      isa<VarTemplateSpecializationDecl>(declaration)) // its name has arguments
    return false;
  const DeclContext *scope = declaration->getDeclContext();
  if (const auto *instance = dyn_cast<ClassTemplateSpecializationDecl>(scope))
    if (!llvm::all_of(instance->getTemplateArgs().asArray(), isPlain))
      return false;
  if (const auto *around = dyn_cast<TagDecl>(scope)) // an enumeration, too
    return (around->getIdentifier() || isa<EnumDecl>(around)) && isVisibleToAll(around);
  return scope->isFileContext();
}

class AssumptionFinder : public DynamicRecursiveASTVisitor {
public:
  AssumptionFinder(const FunctionDecl *kernel, const Variants &variants)
      : kernel(kernel),
        variants(variants),
        context(kernel->getASTContext()),
        sources(context.getSourceManager()) {
    ShouldVisitImplicitCode = true;
  }

  std::vector<std::string> found;
  /// Something may differ in another compilation that no condition outside of the kernel can name.
  bool isIncomplete = false;
  /// A place that uses __LINE__, whose value differs in the lifted text; invalid if there is none.
  SourceLocation line;
  /// For a reduction it matters whether elements are integers or floating-point numbers, and not
  /// their size alone.
  bool asksForKinds = false;

  bool isSettled(SourceLocation location) const;
  /// With all that lies in it.
  bool isSettled(const RecordDecl *record) const;
  /// What the kernel and the functions on the way to its copies assign to their variables.
  void readAssignments(const Stmt *body);
  /// Null is nothing.
  void visit(const Stmt *statement) { TraverseStmt(const_cast<Stmt *>(statement)); }
  void visit(const DeclaratorDecl *declaration);

  bool VisitDeclRefExpr(DeclRefExpr *reference) override;
  bool VisitCallExpr(CallExpr *call) override;
  bool VisitCXXConstructExpr(CXXConstructExpr *call) override;
  bool VisitMemberExpr(MemberExpr *member) override;
  bool VisitTypeLoc(TypeLoc type) override;
  bool VisitExpr(Expr *expression) override;
  bool VisitTypedefTypeLoc(TypedefTypeLoc type) override;
  bool VisitTagTypeLoc(TagTypeLoc type) override;
  bool VisitTemplateSpecializationTypeLoc(TemplateSpecializationTypeLoc type) override;
  /// An argument of a template: with another one, another plan.
  bool TraverseSubstNonTypeTemplateParmExpr(SubstNonTypeTemplateParmExpr *) override {
    return true;
  }

private:
  bool isOfSystem(SourceLocation location) const;
  std::string nameOf(const NamedDecl *declaration) const;
  void assume(std::string condition) {
    if (!is_contained(found, condition))
      found.push_back(std::move(condition));
  }
  void assumeSize(const std::string &name, QualType of);
  void visitBody(const FunctionDecl *callee);
  template <typename Assume>
  void forMacros(SourceLocation begin, SourceLocation end, Assume assume);
  bool isOneMacro(StringRef name, SourceLocation use) const;
  bool isNameAlone(StringRef text) const;
  bool isSaidBehind(const NamedDecl *named) const;
  bool isSaidBehind(const Stmt *expression) const;
  bool isSaidBehind(TypeLoc type) const;
  bool endsExpansion(SourceLocation token) const;
  bool meet(SourceLocation &begin, SourceLocation &end) const;
  void assumeMacro(const Expr *expression);

  const FunctionDecl *kernel;
  const Variants &variants;
  ASTContext &context;
  const SourceManager &sources;
  DenseSet<const Decl *> seen;
  DenseMap<const VarDecl *, SmallVector<const Expr *, 2>> assigned;
};

void AssumptionFinder::readAssignments(const Stmt *body) {
  if (const auto *operation = dyn_cast<BinaryOperator>(body);
      operation && operation->isAssignmentOp())
    if (const auto *to = dyn_cast<DeclRefExpr>(operation->getLHS()->IgnoreParenImpCasts()))
      if (const auto *variable = dyn_cast<VarDecl>(to->getDecl()))
        assigned[variable].push_back(operation->getRHS());
  for (const Stmt *child : body->children())
    if (child)
      readAssignments(child);
}

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

bool AssumptionFinder::isSettled(const RecordDecl *record) const {
  const RecordDecl *definition = record->getDefinition();
  return isSettled(record->getLocation()) &&
         (!definition || llvm::all_of(definition->fields(), [&](const FieldDecl *field) {
           return isSettled(field->getLocation());
         }));
}

/// Whether an unqualified name means the same behind the kernel: it is one of a scope that both
/// stand in.
bool AssumptionFinder::isSaidBehind(const NamedDecl *named) const {
  const DeclContext *scope = named->getDeclContext()->getEnclosingNamespaceContext();
  return named->getDeclContext()->isFileContext() &&
         scope->Encloses(kernel->getDeclContext()->getEnclosingNamespaceContext());
}

/// Whether an expression has the same value behind the kernel, where it is written once more.
bool AssumptionFinder::isSaidBehind(const Stmt *expression) const {
  if (!expression)
    return true;
  if (isa<CXXThisExpr, UnaryExprOrTypeTraitExpr, SubstNonTypeTemplateParmExpr, LambdaExpr, CallExpr,
          CXXConstructExpr>(expression))
    return false;
  if (const auto *cast = dyn_cast<ExplicitCastExpr>(expression))
    if (!isSaidBehind(cast->getTypeInfoAsWritten()->getTypeLoc()))
      return false;
  if (const auto *reference = dyn_cast<DeclRefExpr>(expression))
    if (!(reference->hasQualifier() ? isVisibleToAll(reference->getDecl())
                                    : isSaidBehind(reference->getDecl())))
      return false;
  return llvm::all_of(expression->children(),
                      [&](const Stmt *child) { return isSaidBehind(child); });
}

bool AssumptionFinder::isSaidBehind(TypeLoc type) const {
  const TypeLoc own = type.getUnqualifiedLoc();
  if (own.getAs<BuiltinTypeLoc>())
    return true;
  if (const auto alias = own.getAs<TypedefTypeLoc>())
    return isSaidBehind(alias.getDecl());
  const auto tag = own.getAs<TagTypeLoc>();
  return tag && !isa<ClassTemplateSpecializationDecl>(tag.getDecl()) && isSaidBehind(tag.getDecl());
}

/// Whether no part of a name is a macro of the user's, which would take its place.
bool AssumptionFinder::isNameAlone(StringRef text) const {
  while (!text.empty()) {
    const StringRef word =
        text.take_while([](char each) { return isAsciiIdentifierContinue(each); });
    if (variants.macros.contains(word))
      return false;
    text = text.drop_front(std::max<size_t>(word.size(), 1));
  }
  return true;
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
  if (!variable)
    return;
  if (!isa<ParmVarDecl>(variable) && variable->getAnyInitializer())
    visit(variable->getAnyInitializer());
  for (const Expr *value : assigned.lookup(variable))
    visit(value);
}

/// What a function computes with is part of what its caller does.
void AssumptionFinder::visitBody(const FunctionDecl *callee) {
  const FunctionDecl *definition = nullptr;
  if (!callee || callee->isImplicit() || !callee->hasBody(definition) ||
      isOfSystem(definition->getLocation()) || !seen.insert(definition->getCanonicalDecl()).second)
    return;
  isIncomplete |= !isSettled(definition->getLocation());
  readAssignments(definition->getBody());
  if (const auto *constructor = dyn_cast<CXXConstructorDecl>(definition))
    for (const CXXCtorInitializer *member : constructor->inits())
      visit(member->getInit());
  visit(definition->getBody());
}

bool AssumptionFinder::VisitCallExpr(CallExpr *call) {
  visitBody(call->getDirectCallee());
  return true;
}

bool AssumptionFinder::VisitCXXConstructExpr(CXXConstructExpr *call) {
  visitBody(call->getConstructor());
  return true;
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
    const std::string name = nameOf(named);
    isIncomplete |= !isNameAlone(name);
    if (!isOfSystem(named->getLocation()) && isNameAlone(name)) {
      bool isScoped = named->getType()->isScopedEnumeralType();
      assume((isScoped ? "static_cast<long long>(" + name + ")" : name) +
             " == " + textOf(value.Val.getInt(), named->getType()));
    }
  } else if (variable) {
    isIncomplete |= !isSettled(variable->getLocation()) && !isOfSystem(variable->getLocation());
    visit(variable);
  } else if (seen.insert(enumerator).second && enumerator->getInitExpr()) {
    visit(enumerator->getInitExpr());
  }
  return true;
}

/// What is converted is looked at by itself.
bool AssumptionFinder::VisitExpr(Expr *expression) {
  if (expression->getBeginLoc().isMacroID() && !isa<ImplicitCastExpr, FullExpr>(expression))
    assumeMacro(expression);
  return true;
}

/// Where a member lies, in a type that another compilation may lay out otherwise.
bool AssumptionFinder::VisitMemberExpr(MemberExpr *member) {
  const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
  const auto *record = field ? dyn_cast<CXXRecordDecl>(field->getParent()) : nullptr;
  if (!record || field->isBitField() || !field->getIdentifier() || !record->getIdentifier() ||
      isa<ClassTemplateSpecializationDecl>(record) || !record->isStandardLayout() ||
      field->getAccess() == AS_private || field->getAccess() == AS_protected ||
      !isVisibleToAll(record) || isOfSystem(field->getLocation()) ||
      isSettled(field->getLocation()) ||
      !isNameAlone(nameOf(record) + " " + field->getNameAsString()))
    return true;
  const int64_t bytes = int64_t(context.getFieldOffset(field) / context.getCharWidth());
  assume("__builtin_offsetof(" + nameOf(record) + ", " + field->getNameAsString() +
         ") == " + std::to_string(bytes));
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

/// Whether a macro has the same definition at its use and behind the kernel, where the assertions
/// are written.
bool AssumptionFinder::isOneMacro(StringRef name, SourceLocation use) const {
  const SourceLocation here = sources.getExpansionLoc(use),
                       behind = sources.getExpansionLoc(kernel->getEndLoc());
  if (!variants.redefined.contains(name))
    return true;
  const Place begin = placeOf(sources, here), end = placeOf(sources, behind);
  return sources.getFileID(here) == sources.getFileID(behind) && begin.isKnown() && end.isKnown() &&
         !variants.changesIn(name, begin, end);
}

/// Finds the macros whose whole expansion is the text from `begin` to `end`, and which another
/// compilation may define otherwise. Calls `assume` with each as the program uses it: its name, and
/// its arguments if it takes any.
template <typename Assume>
void AssumptionFinder::forMacros(SourceLocation begin, SourceLocation end, Assume assume) {
  while (meet(begin, end)) {
    if (!sources.isAtStartOfImmediateMacroExpansion(begin) || !endsExpansion(end))
      return;
    const CharSourceRange use = sources.getImmediateExpansionRange(begin);
    const StringRef name = Lexer::getImmediateMacroName(begin, sources, context.getLangOpts());
    if (name == "__LINE__") { // that of an assertion is in a macro of the system's
      line = isOfSystem(use.getBegin()) ? line : begin;
      return;
    }
    const bool isArgument = sources.isMacroArgExpansion(begin);
    const bool hasParameters = use.getBegin() != use.getEnd();
    if (!isArgument && (!hasParameters || use.getBegin().isFileID()) && !isSettled(begin) &&
        !isOfSystem(begin) && isOneMacro(name, begin))
      assume(hasParameters ? Lexer::getSourceText(use, sources, context.getLangOpts()) : name);
    begin = use.getBegin();
    end = use.getEnd();
  }
}

void AssumptionFinder::assumeMacro(const Expr *expression) {
  Expr::EvalResult value;
  if (!expression->getType()->isIntegralOrEnumerationType() || expression->isValueDependent() ||
      !expression->EvaluateAsInt(value, context))
    return;
  const bool isAlone =
      isa<ParenExpr, IntegerLiteral, CharacterLiteral, CXXBoolLiteralExpr, DeclRefExpr>(expression);
  bool isSaid = false;
  forMacros(expression->getBeginLoc(), expression->getEndLoc(), [&](StringRef use) {
    if (!isSaidBehind(expression) || !isNameAlone(use.substr(use.find('('))))
      return;
    isSaid = true;
    assume(((isAlone || use.contains('(') ? use.str() : "(" + use.str() + ")") +
            " == " + textOf(value.Val.getInt(), expression->getType())));
  });
  if (isa<IntegerLiteral>(expression)) // a part of what a macro stands for
    isIncomplete |=
        !isSaid && !isSettled(expression->getBeginLoc()) && !isOfSystem(expression->getBeginLoc());
}

/// Types that a macro stands for.
bool AssumptionFinder::VisitTypeLoc(TypeLoc type) {
  if (type.getBeginLoc().isMacroID())
    forMacros(type.getBeginLoc(), type.getEndLoc(), [&](StringRef use) {
      if (isSaidBehind(type) && !use.contains('('))
        assumeSize(use.str(), type.getType());
      else
        isIncomplete = true;
    });
  return true;
}

void AssumptionFinder::assumeSize(const std::string &name, QualType of) {
  if (of->isDependentType() || of->isIncompleteType() || of->isFunctionType())
    return;
  if (asksForKinds && of->isArithmeticType())
    assume("::cuda::std::is_same_v<" + name + ", " +
           of.getCanonicalType().getUnqualifiedType().getAsString(context.getPrintingPolicy()) +
           ">");
  assume("sizeof(" + name + ") == " + std::to_string(context.getTypeSizeInChars(of).getQuantity()));
}

bool AssumptionFinder::VisitTypedefTypeLoc(TypedefTypeLoc type) {
  const TypedefNameDecl *alias = type.getDecl();
  if (isOfSystem(alias->getLocation()))
    return true;
  if (isVisibleToAll(alias) && !isSettled(alias->getLocation()) && isNameAlone(nameOf(alias)))
    assumeSize(nameOf(alias), alias->getUnderlyingType());
  else if (seen.insert(alias).second)
    TraverseTypeLoc(alias->getTypeSourceInfo()->getTypeLoc());
  return true;
}

bool AssumptionFinder::VisitTagTypeLoc(TagTypeLoc type) {
  const auto *record = dyn_cast<RecordDecl>(type.getDecl());
  if (!record || isOfSystem(record->getLocation()))
    return true;
  if (isa<ClassTemplateSpecializationDecl>(record) || !record->getIdentifier()) {
    isIncomplete |= !isSettled(record->getLocation());
    return true;
  }
  if (isVisibleToAll(record) && !isSettled(record) && isNameAlone(nameOf(record))) {
    if (record->getDefinition())
      assumeSize(nameOf(record), context.getCanonicalTagType(record));
  } else if (seen.insert(record).second && record->getDefinition()) {
    for (const FieldDecl *field : record->getDefinition()->fields())
      visit(field);
    if (const auto *derived = dyn_cast<CXXRecordDecl>(record->getDefinition()))
      for (const CXXBaseSpecifier &base : derived->bases())
        TraverseTypeLoc(base.getTypeSourceInfo()->getTypeLoc());
  }
  return true;
}

bool AssumptionFinder::VisitTemplateSpecializationTypeLoc(TemplateSpecializationTypeLoc type) {
  const TemplateDecl *named = type.getTypePtr()->getTemplateName().getAsTemplateDecl();
  isIncomplete |= named && !isSettled(named->getLocation()) && !isOfSystem(named->getLocation());
  return true;
}

} // namespace

Assumptions assumptionsOf(const KernelPlan &kernel, const Variants &variants) {
  AssumptionFinder finder(kernel.pattern, variants);
  for (const InstancePlan &instance : kernel.instances) {
    for (const PlannedCopy &copy : instance.copies) {
      for (const Stmt *body : copy.path.bodies())
        finder.readAssignments(body);
      finder.asksForKinds = copy.plan.kind == CopyKind::Reduce;
      finder.visit(copy.tile);
      finder.visit(copy.statement);
      for (const CallExpr *call : copy.path.getCalls())
        for (const Expr *argument : partsOf(call).arguments)
          finder.visit(argument);
    }
    for (const PlannedPipeline &pipeline : instance.pipelines) {
      finder.visit(pipeline.rounds.condition);
      for (const Cursor &cursor : pipeline.rounds.cursors) {
        finder.visit(cursor.start);
        for (const Change &step : cursor.steps)
          finder.visit(step.value);
      }
    }
  }
  return {std::move(finder.found), finder.line};
}

std::optional<std::string> sizeToAssume(const FunctionDecl *kernel, const VarDecl *tile,
                                        const Variants &variants) {
  AssumptionFinder finder(kernel, variants);
  finder.visit(tile);
  const ASTContext &context = tile->getASTContext();
  const TypeSourceInfo *written = tile->getTypeSourceInfo();
  const auto array =
      written ? written->getTypeLoc().getUnqualifiedLoc().getAs<ArrayTypeLoc>() : ArrayTypeLoc();
  if (!(finder.isIncomplete || !finder.isSettled(tile->getLocation())) || !array ||
      !tile->getType()->isConstantArrayType())
    return std::nullopt;
  ArrayTypeLoc innermost = array;
  while (auto next = innermost.getElementLoc().getUnqualifiedLoc().getAs<ArrayTypeLoc>())
    innermost = next;
  auto textOf = [&](SourceLocation begin, SourceLocation end) {
    return Lexer::getSourceText(Lexer::makeFileCharRange(CharSourceRange::getTokenRange(begin, end),
                                                         context.getSourceManager(),
                                                         context.getLangOpts()),
                                context.getSourceManager(), context.getLangOpts());
  };
  const TypeLoc element = innermost.getElementLoc().getUnqualifiedLoc();
  const StringRef type = textOf(element.getBeginLoc(), element.getEndLoc()),
                  extents = textOf(array.getLBracketLoc(), innermost.getRBracketLoc());
  if (type.empty() || extents.empty())
    return std::nullopt;
  return ("sizeof(" + type + extents +
          ") == " + Twine(context.getTypeSizeInChars(tile->getType()).getQuantity()))
      .str();
}

} // namespace tilelift
