//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "writable/Writable.h"

#include "directive/Program.h"

#include "rounds/Rounds.h"
#include "support/LocalTypes.h"
#include "support/SharedVariables.h"
#include "support/Words.h"
#include "text/Names.h"
#include "writable/ChangedText.h"
#include "writable/Heads.h"
#include "writable/Lambdas.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// In a body: what there is once for each function.
class OncePerFunction : public DynamicRecursiveASTVisitor {
public:
  explicit OncePerFunction(const SourceManager &sources) : sources(sources) {
    ShouldVisitImplicitCode = true; // default arguments
  }

  std::optional<Obstacle> found;

  bool VisitVarDecl(VarDecl *variable) override {
    bool isKept = variable->isStaticLocal() && !isDeclaredShared(*variable) &&
                  !variable->getType().isConstQualified();
    if (isKept)
      found = {"a static variable in a lifted function ('" + variable->getNameAsString() +
                   "': the lifted copy would have its own)",
               variable->getLocation()};
    return !isKept;
  }

  /// `__builtin_FUNCTION()`, as std::source_location::current() asks for it.
  bool VisitSourceLocExpr(SourceLocExpr *asked) override {
    bool isOfName = asked->getIdentKind() == SourceLocIdentKind::Function ||
                    asked->getIdentKind() == SourceLocIdentKind::FuncSig ||
                    asked->getIdentKind() == SourceLocIdentKind::SourceLocStruct;
    bool isOfColumn = asked->getIdentKind() == SourceLocIdentKind::Column;
    if (isOfName)
      found = {"a lifted function that asks for its own name", asked->getBeginLoc()};
    else if (isOfColumn)
      found = {"a lifted function that asks for a column of its text", asked->getBeginLoc()};
    return !isOfName && !isOfColumn;
  }

  /// An assertion says where it failed, and that may be in the lifted kernel.
  bool VisitPredefinedExpr(PredefinedExpr *name) override {
    bool isOfUser = placeOf(sources, sources.getSpellingLoc(name->getLocation())).isKnown();
    if (isOfUser)
      found = {("a lifted function that uses " + name->getIdentKindName()).str(),
               name->getLocation()};
    return !isOfUser;
  }

private:
  const SourceManager &sources;
};

/// In what a body calls: what there is once for each local type of that body. A lambda of the
/// lifted text is another one.
class OncePerLocalType : public DynamicRecursiveASTVisitor {
public:
  /// Of shared memory, or of all other.
  explicit OncePerLocalType(bool isShared) : isShared(isShared) { ShouldVisitImplicitCode = true; }

  std::optional<Obstacle> found;

  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    return !callee || visitFunction(*callee);
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
    return visitFunction(*made->getConstructor());
  }
  bool VisitDeclRefExpr(DeclRefExpr *reference) override {
    const auto *variable = dyn_cast<VarDecl>(reference->getDecl());
    return !variable || visitVariable(*variable);
  }
  bool VisitMemberExpr(MemberExpr *member) override {
    const auto *variable = dyn_cast<VarDecl>(member->getMemberDecl());
    return !variable || visitVariable(*variable);
  }

private:
  bool visitFunction(const FunctionDecl &function) {
    const FunctionDecl *body = nullptr;
    if (!isOfLocalType(function) || !function.hasBody(body) || !seen.insert(body).second)
      return true;
    return TraverseStmt(body->getBody());
  }
  bool visitVariable(const VarDecl &variable) {
    if (!variable.hasGlobalStorage() || variable.hasAttr<CUDASharedAttr>() != isShared ||
        variable.getType().isConstQualified() || !isOfLocalType(variable))
      return true;
    found = {"a static variable that there is once for each local type of a kernel ('" +
                 variable.getNameAsString() + "': the lifted copy would have its own)",
             variable.getLocation()};
    return false;
  }

  const bool isShared;
  SmallPtrSet<const FunctionDecl *, 8> seen;
};

/// Whether lifting may change a statement's text: that of barriers, of calls on the way to a copy,
/// and of what is in shared memory.
bool mayChange(const Stmt *statement) {
  if (!statement || isa<PseudoObjectExpr>(statement)) // threadIdx.x is a call
    return false;
  const auto *declaration = dyn_cast<DeclStmt>(statement);
  const bool isShared = declaration && llvm::any_of(declaration->decls(), [](const Decl *each) {
                          const auto *variable = dyn_cast<VarDecl>(each);
                          return variable && isDeclaredShared(*variable);
                        });
  return isShared || isa<CallExpr, LambdaExpr>(statement) ||
         llvm::any_of(statement->children(), mayChange);
}

/// A statement of a block that may have to be changed and that stands in another file than the
/// block's function, with whose text it is not changed.
const Stmt *includedWithin(const Stmt *within, FileID file, const SourceManager &sources) {
  if (!within || isa<PseudoObjectExpr>(within))
    return nullptr;
  if (const auto *lambda = dyn_cast<LambdaExpr>(within))
    return includedWithin(lambda->getBody(), file, sources);
  auto isElsewhere = [&](const Stmt *child) {
    const SourceLocation begin = child->getBeginLoc();
    return isa<CompoundStmt>(within) && begin.isValid() && mayChange(child) &&
           sources.getFileID(sources.getExpansionLoc(begin)) != file;
  };
  for (const Stmt *child : within->children())
    if (child && isElsewhere(child))
      return child;
    else if (const Stmt *found = includedWithin(child, file, sources))
      return found;
  return nullptr;
}

std::optional<Obstacle> inText(const FunctionDecl *function, const SourceManager &sources,
                               const Variants &variants) {
  for (const FunctionDecl *declared : function->redecls())
    if (declared->getFriendObjectKind() != Decl::FOK_None)
      return Obstacle{"a copy in a function that is declared as a friend ('" +
                          function->getNameAsString() + "')",
                      function->getLocation()};
  const FunctionTemplateDecl *described = function->getDescribedFunctionTemplate();
  if (described && described->isAbbreviated())
    return Obstacle{"a copy in a function with 'auto' for the type of a parameter",
                    function->getLocation()};
  if (function->isOutOfLine() && !isa<CXXMethodDecl>(function))
    return Obstacle{"a copy in a function defined outside of its namespace ('" +
                        function->getNameAsString() + "')",
                    function->getLocation()};
  const Place begin = placeOf(sources, function->getBeginLoc()),
              end = placeOf(sources, function->getBody()->getEndLoc());
  for (Place counter : variants.counters)
    if (begin.offset <= counter.offset && counter.offset < end.offset)
      return Obstacle{"a lifted function that uses __COUNTER__", locationOf(sources, counter)};
  if (variants.areTornIn(begin, end))
    return Obstacle{"an #if block that starts or ends inside of the function, but not both,",
                    function->getLocation()};
  if (std::optional<std::string> why = variants.whyNotTwice(begin, end))
    return Obstacle{"a lifted function " + *why, function->getLocation()};
  OncePerFunction finder(sources);
  finder.TraverseStmt(function->getBody());
  return finder.found;
}

std::optional<Obstacle> inArguments(const FunctionDecl *instance) {
  SourceLocation at = patternOf(instance)->getLocation();
  const TemplateArgumentList *arguments = instance->getTemplateSpecializationArgs();
  if (arguments && llvm::any_of(arguments->asArray(),
                                [](const TemplateArgument &each) { return isLocal(each); }))
    return Obstacle{"a kernel template with an argument that is a local type or a lambda", at};
  if (const NamedDecl *later = laterTypesOf(instance).undeclarable)
    return Obstacle{"a kernel template in front of '" + later->getNameAsString() +
                        "', which its argument names",
                    at};
  return std::nullopt;
}

/// What a name of generated code means in a function and around it.
class OtherMeaning : public DynamicRecursiveASTVisitor {
public:
  explicit OtherMeaning(const IdentifierInfo &name) : name(&name) {}

  bool isAround(const FunctionDecl *function) {
    for (const DeclContext *scope = function->getDeclContext(); scope; scope = scope->getParent())
      if (isIn(*scope) || isInBases(*scope))
        return true;
    return false;
  }
  /// In front of `::`, types and namespaces are looked up, and nothing else.
  bool isInside(FunctionDecl *function) {
    TraverseDecl(function);
    if (FunctionTemplateDecl *described = function->getDescribedFunctionTemplate())
      for (NamedDecl *parameter : *described->getTemplateParameters())
        VisitDecl(parameter);
    return found;
  }

  bool VisitDecl(Decl *declaration) override {
    if (const auto *directive = dyn_cast<UsingDirectiveDecl>(declaration))
      found |= isIn(*directive->getNominatedNamespace());
    else if (const auto *named = dyn_cast<NamedDecl>(declaration))
      found |= named->getDeclName() == name &&
               isa<TypeDecl, TemplateDecl, NamespaceAliasDecl, UsingDecl>(named);
    return !found;
  }

private:
  /// A namespace and those that using-directives add to it.
  bool isIn(const DeclContext &scope) {
    if (!seen.insert(scope.getPrimaryContext()).second)
      return false;
    for (const NamedDecl *other : scope.lookup(name)) {
      bool isOuter = other->getDeclContext()->getRedeclContext()->isTranslationUnit();
      if (!isOuter || (name.getAsIdentifierInfo()->isStr("tilelift") && !isa<NamespaceDecl>(other)))
        return true;
    }
    return llvm::any_of(scope.using_directives(), [&](const UsingDirectiveDecl *directive) {
      return isIn(*directive->getNominatedNamespace());
    });
  }
  /// A base that depends on a template's parameters is not looked into, by the language's rules.
  bool isInBases(const DeclContext &scope) {
    const auto *record = dyn_cast<CXXRecordDecl>(&scope);
    return record && record->hasDefinition() &&
           llvm::any_of(record->bases(), [&](const CXXBaseSpecifier &base) {
             const CXXRecordDecl *own = base.getType()->getAsCXXRecordDecl();
             return own && !base.getType()->isDependentType() &&
                    (!own->lookup(name).empty() || isInBases(*own));
           });
  }

  const DeclarationName name;
  SmallPtrSet<const DeclContext *, 8> seen;
  bool found = false;
};

/// A global name that the runtime's headers declare and that the program declares as something
/// else; none if there is no such name.
std::optional<std::string> nameOfHeadersTaken(const ASTContext &context) {
  const SourceManager &sources = context.getSourceManager();
  auto isOfHeaders = [&](const NamedDecl &own) {
    const auto *alias = dyn_cast<TypedefNameDecl>(&own);
    const RecordDecl *record = alias ? alias->getUnderlyingType()->getAsRecordDecl() : nullptr;
    const bool isReserved = record && record->getName().starts_with("__"); // the toolkit's own
    return isReserved || sources.isInSystemHeader(own.getLocation());
  };
  for (StringRef name :
       {"cuda", "half", "half2", "nv_half", "nv_half2", "nv_bfloat16", "nv_bfloat162"})
    for (const NamedDecl *own : context.getTranslationUnitDecl()->lookup(&context.Idents.get(name)))
      if (!(name == "cuda" && isa<NamespaceDecl>(own)) && !isOfHeaders(*own))
        return name.str();
  return std::nullopt;
}

/// A name that generated code uses, and that means something else where a function stands or in it.
std::optional<std::string> nameTaken(FunctionDecl *function) {
  IdentifierTable &names = function->getASTContext().Idents;
  for (StringRef name : {"tilelift", "dim3", "cudaError_t", "CUtensorMap"})
    if (OtherMeaning(names.get(name)).isAround(function))
      return name.str();
  if (OtherMeaning(names.get("tilelift")).isInside(function))
    return "tilelift";
  return nameOfHeadersTaken(function->getASTContext());
}

constexpr const char *partedPragma =
    "an #if block that starts or goes on between a pragma and its statement";

/// Another compilation may have another statement there.
bool isParted(const Directive &directive, const SourceText &source) {
  return source.between(directive) == SourceText::Between::PartOfIf;
}

/// Whether a preprocessor's condition begins in a stretch of the file.
bool hasIf(SourceRange range, const SourceManager &sources, const Variants &variants) {
  return variants.beginIn(placeOf(sources, range.getBegin()), placeOf(sources, range.getEnd()));
}

/// An obstacle in a kernel template's parameters, which the launcher and the plan's type have to
/// repeat.
std::optional<Obstacle> inTemplateOf(const FunctionDecl *kernel) {
  const FunctionTemplateDecl *described = kernel->getDescribedFunctionTemplate();
  if (!described)
    return std::nullopt;
  if (described->isAbbreviated())
    return Obstacle{"a kernel with 'auto' for the type of a parameter", kernel->getLocation()};
  for (const NamedDecl *parameter : *described->getTemplateParameters())
    if (parameter->getName().empty())
      return Obstacle{"a kernel with a template parameter that has no name",
                      parameter->getLocation()};
    else if (parameter->getName() == "lifted") // a member of each plan's type
      return Obstacle{"a template parameter named 'lifted', which clashes with a name in the "
                      "generated code,",
                      parameter->getLocation()};
  return std::nullopt;
}

/// In the kernel's declarations, which its instances have in common.
std::optional<Obstacle> inDeclarationsOf(const FunctionDecl *kernel, const SourceText &source,
                                         const Variants &variants) {
  const SourceManager &sources = kernel->getASTContext().getSourceManager();
  if (!source.isPlainText({kernel->getLocation(), kernel->getBody()->getEndLoc()}))
    return Obstacle{"a kernel inside a macro", kernel->getLocation()};
  if (std::optional<Obstacle> obstacle = inHeadOfKernel(kernel, source))
    return obstacle;
  if (std::optional<Obstacle> obstacle = inTemplateOf(kernel))
    return obstacle;
  for (const ParmVarDecl *parameter : kernel->parameters())
    if (parameter->getName() == "gridDim") // which the launcher has
      return Obstacle{"a kernel with a parameter named 'gridDim'", parameter->getLocation()};
  for (const FunctionDecl *declared : kernel->redecls())
    if (declared->isLocalExternDecl()) // where no launcher can be declared
      return Obstacle{"a kernel that is declared inside of a function", declared->getLocation()};
  if (hasIf({kernel->getBeginLoc(), kernel->getBody()->getBeginLoc()}, sources, variants))
    return Obstacle{"an #if block in the declaration of a kernel", kernel->getLocation()};
  return std::nullopt;
}

std::optional<Obstacle> inPipeline(const PlannedPipeline &pipeline, const SourceText &source,
                                   const SourceManager &sources, const Variants &variants) {
  const Stmt *loop = pipeline.rounds.loop;
  if (pipeline.directive && isParted(*pipeline.directive, source))
    return Obstacle{partedPragma, locationOf(sources, pipeline.directive->begin)};
  if (hasIf({loop->getBeginLoc(), bodyOf(loop)->getBeginLoc()}, sources, variants))
    return Obstacle{"an #if block in the head of a pipelined loop", loop->getBeginLoc()};
  return std::nullopt;
}

std::optional<Obstacle> inCopy(const PlannedCopy &copy, const SourceText &source,
                               const SourceManager &sources, const Variants &variants) {
  if (hasIf(copy.tile->getSourceRange(), sources, variants))
    return Obstacle{"an #if block in the declaration of a tile", copy.tile->getLocation()};
  for (const BranchCondition &branch : copy.branches)
    if (hasIf(branch.condition->getSourceRange(), sources, variants))
      return Obstacle{"an #if block in the condition of a copy of a pipeline",
                      branch.condition->getBeginLoc()};
  if (std::optional<Obstacle> obstacle = inLambdas(copy.path, source))
    return obstacle;
  const Stmt *body = patternOf(copy.path.textFunction())->getBody();
  if (source.fileOf(copy.directive->begin.offset).begin !=
      source.fileOf(source.offsetOf(body->getBeginLoc())).begin)
    return Obstacle{"a copy in a file that is included inside of a function",
                    locationOf(sources, copy.directive->begin)};
  if (isParted(*copy.directive, source))
    return Obstacle{partedPragma, locationOf(sources, copy.directive->begin)};
  // A pragma of its loop may stand in an #if block of its own.
  const auto *attributed = dyn_cast<AttributedStmt>(copy.statement);
  const SourceRange range =
      (attributed ? attributed->getSubStmt() : copy.statement)->getSourceRange();
  if (variants.areTornIn(placeOf(sources, range.getBegin()), placeOf(sources, range.getEnd())))
    return Obstacle{"an #if block that starts or ends inside of the copy, but not both,",
                    range.getBegin()};
  return std::nullopt;
}

/// In the kernel, or in a function on the way to a copy.
std::optional<Obstacle> inFunction(const FunctionText &text, const SourceText &source,
                                   const SourceManager &sources, const Variants &variants) {
  if (std::optional<std::string> name = nameTaken(const_cast<FunctionDecl *>(text.pattern)))
    return Obstacle{"a program that calls something else '" + *name + "'",
                    text.pattern->getLocation()};
  if (std::optional<Obstacle> obstacle = inText(text.pattern, sources, variants))
    return obstacle;
  if (!text.path.inKernel())
    if (std::optional<Obstacle> obstacle = inHeadsOf(text.pattern, source))
      return obstacle;
  const Stmt *body = text.function()->getBody();
  const FileID file = sources.getFileID(sources.getExpansionLoc(body->getBeginLoc()));
  if (const Stmt *included = includedWithin(body, file, sources))
    return Obstacle{
        "a function with a call or shared memory in a file that is included inside of it",
        included->getBeginLoc()};
  OncePerLocalType finder(/*isShared=*/false);
  finder.TraverseStmt(const_cast<Stmt *>(body));
  return finder.found;
}

std::optional<Obstacle> inInstance(const InstancePlan &instance, const SourceText &source,
                                   const SourceManager &sources, const Variants &variants) {
  for (const PlannedPipeline &pipeline : instance.pipelines)
    if (std::optional<Obstacle> obstacle = inPipeline(pipeline, source, sources, variants))
      return obstacle;
  if (std::optional<Obstacle> obstacle = inArguments(instance.function))
    return obstacle;
  for (const PlannedCopy &copy : instance.copies)
    if (std::optional<Obstacle> obstacle = inCopy(copy, source, sources, variants))
      return obstacle;
  std::vector<size_t> textOf;
  for (const FunctionText &text : textsOf(instance, textOf)) {
    if (source.isRepeated(source.fileOf(source.offsetOf(text.pattern->getLocation()))))
      return Obstacle{"a header that is included more than once",
                      locationOf(sources, instance.copies.front().directive->begin)};
    if (std::optional<Obstacle> obstacle = inFunction(text, source, sources, variants))
      return obstacle;
  }
  return std::nullopt;
}

std::optional<Obstacle> obstacleTo(const KernelPlan &kernel, const SourceText &source,
                                   const Variants &variants) {
  if (std::optional<Obstacle> obstacle = inDeclarationsOf(kernel.pattern, source, variants))
    return obstacle;
  const SourceManager &sources = kernel.pattern->getASTContext().getSourceManager();
  for (const InstancePlan &instance : kernel.instances)
    if (std::optional<Obstacle> obstacle = inInstance(instance, source, sources, variants))
      return obstacle;
  return std::nullopt;
}

} // namespace

bool sharesByLocalType(const FunctionDecl *function) {
  OncePerLocalType finder(/*isShared=*/true);
  finder.TraverseStmt(function->getBody());
  return finder.found.has_value();
}

std::optional<Diagnostic> whyNotWritable(const KernelPlan &kernel, const SourceText &source,
                                         const Variants &variants, const MacroUses &macros) {
  std::optional<Obstacle> obstacle = obstacleTo(kernel, source, variants);
  if (!obstacle)
    return whyNotChangeable(kernel, source, macros);
  return diagnose(diag::not_available_yet, {source.offsetOf(obstacle->at)}, obstacle->what);
}

} // namespace tilelift
