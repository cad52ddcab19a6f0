//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "directive/Program.h"

#include "directive/BlockSize.h"
#include "directive/PragmaReader.h"
#include "support/Locations.h"

#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

const FunctionDecl *patternOf(const FunctionDecl *function) {
  if (const FunctionDecl *pattern = function->getTemplateInstantiationPattern())
    return pattern->getDefinition() ? pattern->getDefinition() : pattern;
  const FunctionDecl *definition = function->getDefinition();
  return definition ? definition : function;
}

const DeclRefExpr *functionReference(const Expr *expression) {
  expression = expression->IgnoreParenCasts();
  if (const auto *unary = dyn_cast<UnaryOperator>(expression);
      unary && unary->getOpcode() == UO_AddrOf)
    expression = unary->getSubExpr()->IgnoreParenCasts();
  const auto *reference = dyn_cast<DeclRefExpr>(expression);
  return reference && isa<FunctionDecl>(reference->getDecl()) ? reference : nullptr;
}

class Finder : public RecursiveASTVisitor<Finder> {
public:
  Finder(ASTContext &context, const std::vector<Directive> &directives)
      : context(context), sources(context.getSourceManager()), directives(directives) {
    for (const Directive &directive : directives)
      atOffset[directive.statement.offset] = &directive;
  }

  bool shouldVisitTemplateInstantiations() const { return true; }

  /// Only the main file is rewritten; skipping the headers' declarations keeps
  /// the walk short.
  bool TraverseDecl(Decl *declaration) {
    bool isTop = declaration && isa_and_nonnull<TranslationUnitDecl>(declaration->getDeclContext());
    if (isTop && !sources.isInMainFile(sources.getExpansionLoc(declaration->getLocation())) &&
        !isa<ClassTemplateDecl, FunctionTemplateDecl, LinkageSpecDecl, NamespaceDecl>(declaration))
      return true;
    if (declaration && isa<NamespaceDecl>(declaration) &&
        !sources.isInMainFile(sources.getExpansionLoc(declaration->getLocation())))
      return true;
    return RecursiveASTVisitor::TraverseDecl(declaration);
  }

  bool TraverseFunctionDecl(FunctionDecl *function) {
    return inFunction(function,
                      [&] { return RecursiveASTVisitor::TraverseFunctionDecl(function); });
  }
  bool TraverseCXXMethodDecl(CXXMethodDecl *function) {
    return inFunction(function,
                      [&] { return RecursiveASTVisitor::TraverseCXXMethodDecl(function); });
  }
  bool TraverseCXXConstructorDecl(CXXConstructorDecl *function) {
    return inFunction(function,
                      [&] { return RecursiveASTVisitor::TraverseCXXConstructorDecl(function); });
  }

  bool VisitStmt(Stmt *statement) {
    noteAnnotation(statement);
    return true;
  }

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *call) {
    if (const DeclRefExpr *callee = functionReference(call->getCallee()))
      addLaunch(Launch::Form::Chevrons, call, callee,
                call->getConfig()->getNumArgs() > 1 ? call->getConfig()->getArg(1) : nullptr);
    return true;
  }

  bool VisitCallExpr(CallExpr *call) {
    const FunctionDecl *callee = call->getDirectCallee();
    if (!callee || !callee->getDeclName().isIdentifier() ||
        callee->getName() != "cudaLaunchKernelEx" || call->getNumArgs() < 2)
      return true;
    if (const DeclRefExpr *kernel = functionReference(call->getArg(1)))
      addLaunch(Launch::Form::LaunchEx, call, kernel, call->getArg(0));
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *reference) {
    const auto *function = dyn_cast<FunctionDecl>(reference->getDecl());
    if (function && function->hasAttr<CUDAGlobalAttr>())
      uses.push_back(reference);
    return true;
  }

  Program take();

private:
  template <typename Traverse> bool inFunction(FunctionDecl *function, Traverse traverse) {
    const FunctionDecl *outer = current;
    current = function;
    bool result = traverse();
    current = outer;
    return result;
  }

  Place placeOf(SourceLocation location) const { return tilelift::placeOf(sources, location); }

  void noteAnnotation(Stmt *statement);
  void addLaunch(Launch::Form form, const CallExpr *call, const DeclRefExpr *callee,
                 const Expr *configuration);
  AnnotatedKernel &kernelFor(const FunctionDecl *pattern);

  ASTContext &context;
  const SourceManager &sources;
  const std::vector<Directive> &directives;
  DenseMap<unsigned, const Directive *> atOffset;
  DenseSet<std::pair<const Directive *, const FunctionDecl *>> bound;
  DenseSet<const Directive *> placed;
  const FunctionDecl *current = nullptr;
  std::vector<const DeclRefExpr *> uses;
  Program program;
};

void Finder::noteAnnotation(Stmt *statement) {
  SourceLocation begin = statement->getBeginLoc();
  if (atOffset.empty() || begin.isInvalid() || !current ||
      !sources.isInMainFile(sources.getExpansionLoc(begin)))
    return;
  if (const auto *attributed = dyn_cast<AttributedStmt>(statement))
    begin = attributed->getSubStmt()->getBeginLoc(); // `#pragma unroll` stands between
  auto found = atOffset.find(placeOf(begin).offset);
  if (found == atOffset.end() || !bound.insert({found->second, current}).second)
    return;
  const Directive *directive = found->second;
  if (!current->hasAttr<CUDAGlobalAttr>()) {
    if (placed.insert(directive).second)
      program.diagnostics.push_back(
          diagnose(current->hasAttr<CUDADeviceAttr>() ? "not-available-yet" : "misplaced-pragma",
                   directive->begin,
                   current->hasAttr<CUDADeviceAttr>() ? "a copy in a '__device__' function"
                                                      : spelling(directive->kind).str(),
                   "stands in host code: it speaks of a statement of a kernel"));
    return;
  }
  placed.insert(directive);
  if (current->isDependentContext()) {
    kernelFor(current);
    return;
  }
  AnnotatedKernel &kernel = kernelFor(patternOf(current));
  if (kernel.instances.empty() || kernel.instances.back().function != current)
    kernel.instances.push_back({current, {}});
  kernel.instances.back().statements.push_back({directive, statement});
}

AnnotatedKernel &Finder::kernelFor(const FunctionDecl *pattern) {
  for (AnnotatedKernel &kernel : program.kernels)
    if (kernel.pattern == pattern)
      return kernel;
  program.kernels.push_back({pattern, {}});
  return program.kernels.back();
}

void Finder::addLaunch(Launch::Form form, const CallExpr *call, const DeclRefExpr *callee,
                       const Expr *configuration) {
  bool onDevice =
      current && (current->hasAttr<CUDAGlobalAttr>() || current->hasAttr<CUDADeviceAttr>());
  if (onDevice) // the launcher is host code
    return;
  Launch launch;
  launch.form = form;
  launch.call = call;
  launch.callee = callee;
  launch.instance = cast<FunctionDecl>(callee->getDecl());
  launch.pattern = patternOf(launch.instance);
  launch.place = placeOf(call->getBeginLoc());
  if (configuration && current)
    launch.block = form == Launch::Form::Chevrons
                       ? constantBlock(configuration, current, context)
                       : constantBlockOfConfig(configuration, current, context);
  program.launches.push_back(launch);
}

Program Finder::take() {
  for (const Directive &directive : directives)
    if (!placed.contains(&directive))
      program.diagnostics.push_back(diagnose("misplaced-pragma", directive.begin,
                                             spelling(directive.kind),
                                             "is not followed by a statement of a kernel"));
  auto isAnnotated = [&](const FunctionDecl *function) {
    return llvm::any_of(program.kernels, [&](const AnnotatedKernel &kernel) {
      return kernel.pattern == patternOf(function);
    });
  };
  llvm::erase_if(program.launches,
                 [&](const Launch &launch) { return !isAnnotated(launch.pattern); });
  for (const DeclRefExpr *use : uses) {
    bool isLaunch = llvm::any_of(program.launches, [&](const Launch &launch) {
      return launch.callee->getLocation() == use->getLocation();
    });
    if (!isLaunch && isAnnotated(cast<FunctionDecl>(use->getDecl())))
      program.otherUses.push_back(use);
  }
  return std::move(program);
}

} // namespace

Program findProgram(ASTContext &context, const std::vector<Directive> &directives) {
  Finder finder(context, directives);
  finder.TraverseDecl(context.getTranslationUnitDecl());
  return finder.take();
}

std::optional<std::array<unsigned, 3>> threadsOf(const Directive &directive,
                                                 const FunctionDecl *kernel,
                                                 std::vector<Diagnostic> &diagnostics) {
  if (directive.clauses.threads.empty())
    return std::nullopt;
  std::array<unsigned, 3> shape{1, 1, 1};
  for (size_t axis = 0; axis < directive.clauses.threads.size() && axis < 3; ++axis) {
    const CountArgument &count = directive.clauses.threads[axis];
    shape[axis] = count.number;
    if (count.name.empty())
      continue;
    std::optional<unsigned> number = constantNamed(count.name, kernel);
    if (!number) {
      diagnostics.push_back(diagnose("unknown-constant", count.place, count.name));
      return std::nullopt;
    }
    shape[axis] = *number;
  }
  return shape;
}

} // namespace tilelift
