//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "directive/Program.h"

#include "directive/BlockSize.h"
#include "directive/Follower.h"
#include "directive/OtherFiles.h"
#include "directive/PragmaReader.h"
#include "support/Locations.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <map>
#include <set>

using namespace clang;
using namespace llvm;

namespace tilelift {

const FunctionDecl *patternOf(const FunctionDecl *function) {
  if (const FunctionDecl *pattern = function->getTemplateInstantiationPattern())
    return pattern->getDefinition() ? pattern->getDefinition() : pattern;
  const FunctionDecl *definition = function->getDefinition();
  return definition ? definition : function;
}

namespace {

bool isDevice(const FunctionDecl *function);
/// Whether a function is a kernel, or code for the device.
bool runsOnDevice(const FunctionDecl *function) {
  return function && (function->hasAttr<CUDAGlobalAttr>() || isDevice(function));
}

class Finder : public DynamicRecursiveASTVisitor {
public:
  Finder(ASTContext &context, const std::vector<Directive> &directives)
      : context(context), sources(context.getSourceManager()), directives(directives) {
    ShouldVisitTemplateInstantiations = true;
    for (const Directive &directive : directives) {
      const Directive *known = annotated.insert(directive);
      if (!known)
        continue;
      placed.insert(&directive);
      program.diagnostics.push_back(diagnose(diag::misplaced_pragma, directive.begin,
                                             spelling(directive.kind),
                                             "speaks of a statement that has one already")
                                        .note(known->begin, "the first one is here"));
    }
  }

  /// Only the user's files are rewritten; skipping the system's declarations keeps the
  /// walk short.
  bool TraverseDecl(Decl *declaration) override {
    bool isTop = declaration && isa_and_nonnull<TranslationUnitDecl>(declaration->getDeclContext());
    if ((isTop || isa_and_nonnull<NamespaceDecl>(declaration)) &&
        !placeOf(declaration->getLocation()).isKnown() &&
        !isa<ClassTemplateDecl, FunctionTemplateDecl, LinkageSpecDecl>(declaration))
      return true;
    const auto *function = dyn_cast_or_null<FunctionDecl>(declaration);
    return inFunction(function ? function : current,
                      [&] { return DynamicRecursiveASTVisitor::TraverseDecl(declaration); });
  }

  /// What stands in a function's lambda can name the function's variables.
  bool TraverseLambdaExpr(LambdaExpr *lambda) override {
    return inFunction(current ? current : lambda->getCallOperator(), [&] {
      if (!DynamicRecursiveASTVisitor::TraverseLambdaExpr(lambda))
        return false;
      // A generic one launches what its instantiations do.
      const FunctionTemplateDecl *generic = lambda->getDependentCallOperator();
      if (!generic || !current || isDevice(current) || current->hasAttr<CUDAGlobalAttr>())
        return true;
      for (const FunctionDecl *each : generic->specializations())
        if (Stmt *body = each->getBody(); body && !TraverseStmt(body))
          return false;
      return true;
    });
  }

  bool VisitFunctionDecl(FunctionDecl *function) override {
    if (function->hasAttr<CUDAGlobalAttr>() && function->isThisDeclarationADefinition() &&
        !function->isDependentContext() && function->getBody())
      kernels.push_back(function);
    return true;
  }

  bool VisitStmt(Stmt *statement) override {
    noteAnnotation(statement);
    noteValues(statement);
    return true;
  }

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *call) override {
    addLaunch(LaunchSite::Form::Chevrons, call);
    return true;
  }

  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    bool isOfUser = callee && placeOf(callee->getLocation()).isKnown();
    if (isOfUser && !runsOnDevice(current))
      calls.add(call, current);
    if (!callee || isOfUser || !callee->getDeclName().isIdentifier())
      return true;
    if (callee->getName().starts_with("cudaFunc") || callee->getName().starts_with("cudaOccupancy"))
      for (const Expr *argument : call->arguments())
        if (const DeclRefExpr *named = functionReference(argument))
          questions.insert(named->getLocation());
    if (llvm::is_contained({"cudaGraphKernelNodeSetParams", "cudaGraphExecKernelNodeSetParams",
                            "cudaGraphNodeSetParams", "cudaGraphExecNodeSetParams"},
                           callee->getName()))
      program.nodeUpdates.push_back(call);
    if (callee->getName() == "cudaLaunchKernelEx" && call->getNumArgs() >= 2)
      addLaunch(LaunchSite::Form::LaunchEx, call);
    else if (callee->getName() == "cudaLaunchKernelExC" && call->getNumArgs() == 3)
      addLaunch(LaunchSite::Form::SymbolEx, call);
    else if (callee->getName() == "cudaLaunchKernel" && call->getNumArgs() >= 4)
      addLaunch(LaunchSite::Form::Symbol, call);
    else if (callee->getName() == "cudaLaunchCooperativeKernel" && call->getNumArgs() >= 4)
      addLaunch(LaunchSite::Form::Cooperative, call);
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *reference) override {
    const auto *function = dyn_cast<FunctionDecl>(reference->getDecl());
    if (function && function->hasAttr<CUDAGlobalAttr>())
      uses.push_back(reference);
    return true;
  }

  /// A cast or a library's call around the name of a kernel, through which nobody follows it.
  bool VisitExpr(Expr *expression) override {
    const auto *cast = dyn_cast<CastExpr>(expression);
    const auto *call = dyn_cast<CallExpr>(expression);
    if (cast && !cast->getType()->isFunctionPointerType() && !cast->getType()->isFunctionType())
      noteUntyped(cast->getSubExpr());
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (callee && !placeOf(callee->getLocation()).isKnown())
      for (const Expr *argument : call->arguments())
        noteUntyped(argument);
    return true;
  }

  Program take();

private:
  template <typename Traverse> bool inFunction(const FunctionDecl *function, Traverse traverse) {
    const FunctionDecl *outer = current;
    current = function;
    bool result = traverse();
    current = outer;
    return result;
  }

  Place placeOf(SourceLocation location) const { return tilelift::placeOf(sources, location); }

  void noteAnnotation(const Stmt *statement);
  void noteValues(const Stmt *statement);
  void findStatements();
  bool isInInstance(const Directive *directive) const;
  void refuseNested(const std::vector<AnnotatedStatement> &statements);
  void addLaunch(LaunchSite::Form form, const CallExpr *call);
  void noteUntyped(const Expr *expression) {
    if (const DeclRefExpr *named = functionReference(expression))
      untyped.insert(named->getLocation());
  }
  void sortUses(llvm::function_ref<bool(const FunctionDecl *)> isAnnotated);
  void refuse(Diagnostic reason, const Directive &directive);
  void refuseCalls(ArrayRef<RefusedCall> calls, ArrayRef<AnnotatedStatement> statements);
  AnnotatedKernel &kernelFor(const FunctionDecl *pattern);

  ASTContext &context;
  const SourceManager &sources;
  const std::vector<Directive> &directives;
  DirectiveMap annotated;
  DenseSet<const Directive *> placed;
  /// Directives in kernels, in functions that these call, and in code of the host, which a kernel
  /// may call where it is constexpr.
  MapVector<const Directive *, const FunctionDecl *> inKernels;
  MapVector<const Directive *, const FunctionDecl *> inHelpers;
  SetVector<const Directive *> inHostCode;
  std::vector<const FunctionDecl *> kernels;
  const FunctionDecl *current = nullptr;
  std::vector<const DeclRefExpr *> uses;
  /// Calls that are an operand or a returned value.
  DenseSet<const Stmt *> values;
  /// Where a kernel is named to ask or say something about it, not to run it.
  DenseSet<SourceLocation> questions;
  /// Where a kernel's name is cast to no pointer to a function, or passed to a library.
  DenseSet<SourceLocation> untyped;
  /// In host code.
  HostCalls calls;
  Program program;
};

/// A lambda of the host's runs on the device only if somebody says so.
bool isDevice(const FunctionDecl *function) {
  const auto *attribute = function->getAttr<CUDADeviceAttr>();
  return attribute && !(isLambda(function) && attribute->isImplicit());
}

void Finder::noteAnnotation(const Stmt *statement) {
  if (const auto *attributed = dyn_cast<AttributedStmt>(statement))
    statement = attributed->getSubStmt(); // `#pragma unroll` stands between
  const Directive *directive = annotated.find(placeOf(statement->getBeginLoc()));
  if (!directive || !current)
    return;
  bool isNew = placed.insert(directive).second;
  if (directive->kind == DirectiveKind::Pipeline && !isa<ForStmt, WhileStmt>(statement)) {
    if (isNew)
      refuse(diagnose(diag::misplaced_pragma, directive->begin, spelling(directive->kind),
                      "speaks of a 'for' or 'while' loop"),
             *directive);
  } else if (isa<CXXFoldExpr>(statement)) {
    if (isNew)
      refuse(diagnose(diag::not_available_yet, directive->begin, "a copy in a fold expression"),
             *directive);
  } else if (current->hasAttr<CUDAGlobalAttr>())
    inKernels.insert({directive, patternOf(current)});
  else if (isa<CXXDestructorDecl>(current)) {
    if (isNew)
      refuse(diagnose(diag::not_available_yet, directive->begin, "a copy in a destructor"),
             *directive);
  } else if (isDevice(current))
    inHelpers.insert({directive, current});
  else
    inHostCode.insert(directive);
}

void Finder::noteValues(const Stmt *statement) {
  if (isa<FullExpr>(statement) || !isa<Expr, ReturnStmt>(statement))
    return;
  for (const Stmt *child : statement->children()) {
    while (const auto *full = dyn_cast_or_null<FullExpr>(child))
      child = full->getSubExpr();
    if (isa_and_nonnull<CallExpr>(child))
      values.insert(child);
  }
}

bool contains(const Stmt *outer, const Stmt *inner) {
  return outer == inner || llvm::any_of(outer->children(), [&](const Stmt *child) {
           return child && contains(child, inner);
         });
}

/// A statement that is replaced cannot have another one inside.
void Finder::refuseNested(const std::vector<AnnotatedStatement> &statements) {
  for (const AnnotatedStatement &outer : statements)
    for (const AnnotatedStatement &inner : statements)
      if (outer.directive != inner.directive && contains(outer.statement, inner.statement) &&
          (outer.directive->kind != DirectiveKind::Pipeline ||
           inner.directive->kind == DirectiveKind::Pipeline))
        program.diagnostics.push_back(diagnose(diag::misplaced_pragma, inner.directive->begin,
                                               spelling(inner.directive->kind),
                                               "stands within a statement that has one already")
                                          .note(outer.directive->begin, "the outer one is here"));
}

bool Finder::isInInstance(const Directive *directive) const {
  return llvm::any_of(program.kernels, [&](const AnnotatedKernel &kernel) {
    return llvm::any_of(kernel.instances, [&](const KernelInstance &instance) {
      auto isIt = [&](const AnnotatedStatement &each) { return each.directive == directive; };
      return llvm::any_of(instance.statements, isIt) || llvm::any_of(instance.pipelines, isIt);
    });
  });
}

KernelInstance instanceOf(const FunctionDecl *kernel, ArrayRef<AnnotatedStatement> statements) {
  KernelInstance instance{kernel, {}, {}};
  for (const AnnotatedStatement &each : statements)
    (each.directive->kind == DirectiveKind::Pipeline ? instance.pipelines : instance.statements)
        .push_back(each);
  return instance;
}

/// What each kernel gets to, directly and through the functions it calls.
void Finder::findStatements() {
  Follower follower(sources, annotated);
  DenseSet<const FunctionDecl *> known, refused;
  for (const FunctionDecl *kernel : kernels) {
    std::vector<AnnotatedStatement> statements = follower.statementsOf(kernel);
    for (const AnnotatedStatement &statement : statements) {
      inHelpers.erase(statement.directive);
      inHostCode.remove(statement.directive);
    }
    refuseNested(statements);
    known.insert(patternOf(kernel));
    refuseCalls(follower.refusedCalls(), statements);
    if (!follower.refusedCalls().empty())
      refused.insert(patternOf(kernel));
    else if (!statements.empty())
      kernelFor(patternOf(kernel)).instances.push_back(instanceOf(kernel, statements));
  }
  for (const auto &[directive, kernel] : inKernels) {
    if (!known.contains(kernel))
      refuse(diagnose(diag::never_instantiated, directive->begin, kernel->getNameAsString()),
             *directive);
    else if (!refused.contains(kernel) && !isInInstance(directive))
      refuse(diagnose(diag::misplaced_pragma, directive->begin, spelling(directive->kind),
                      "stands where no instantiation of '" + kernel->getNameAsString() +
                          "' is seen to get to"),
             *directive);
  }
  for (const Directive *directive : inHostCode)
    if (!inKernels.contains(directive) && !inHelpers.contains(directive))
      program.diagnostics.push_back(
          diagnose(diag::misplaced_pragma, directive->begin, spelling(directive->kind),
                   "stands in host code: it speaks of a statement of a kernel"));
  for (const auto &[directive, function] : inHelpers)
    if (!follower.hasRefused(function))
      refuse(diagnose(diag::never_called, directive->begin, function->getNameAsString()),
             *directive);
}

/// A kernel stays what it is if some call of it is refused: with a warning where the pragmas of
/// all its copies allow that.
void Finder::refuseCalls(ArrayRef<RefusedCall> calls, ArrayRef<AnnotatedStatement> statements) {
  auto isAllowed = [](const Directive *each) { return each->clauses.fallback == Fallback::Loop; };
  bool mayStay =
      llvm::all_of(statements,
                   [&](const AnnotatedStatement &each) { return isAllowed(each.directive); }) &&
      llvm::all_of(
          calls, [&](const RefusedCall &call) { return llvm::all_of(call.directives, isAllowed); });
  for (const RefusedCall &call : calls) {
    program.diagnostics.push_back(mayStay ? staysPlain(call.reason, *call.directives.front())
                                          : call.reason);
    if (!mayStay)
      continue;
    for (const AnnotatedStatement &each : statements)
      if (!call.directives.contains(each.directive)) {
        Diagnostic reason = call.reason;
        reason.place = each.directive->begin;
        program.diagnostics.push_back(staysPlain(std::move(reason), *each.directive)
                                          .note(call.reason.place, "the kernel gets there here"));
      }
  }
}

void Finder::refuse(Diagnostic reason, const Directive &directive) {
  bool mayStay = directive.clauses.fallback == Fallback::Loop;
  program.diagnostics.push_back(mayStay ? staysPlain(std::move(reason), directive)
                                        : std::move(reason));
}

AnnotatedKernel &Finder::kernelFor(const FunctionDecl *pattern) {
  for (AnnotatedKernel &kernel : program.kernels)
    if (kernel.pattern == pattern)
      return kernel;
  program.kernels.push_back({pattern, {}});
  return program.kernels.back();
}

/// The reference to a kernel that stands for itself, and not for a template's parameter.
const DeclRefExpr *kernelNamedIn(const Expr *expression) {
  const DeclRefExpr *named = functionReference(expression);
  while (true) {
    if (isa<SubstNonTypeTemplateParmExpr>(expression))
      return nullptr;
    const auto *unary = dyn_cast<UnaryOperator>(expression);
    const auto *cast = dyn_cast<CastExpr>(expression);
    const auto *paren = dyn_cast<ParenExpr>(expression);
    if (!unary && !cast && !paren)
      return named;
    expression = unary ? unary->getSubExpr() : cast ? cast->getSubExpr() : paren->getSubExpr();
  }
}

void Finder::addLaunch(LaunchSite::Form form, const CallExpr *call) {
  if (runsOnDevice(current))
    return; // the launcher is host code
  const LaunchSite site{form, call, placeOf(sources.getFileLoc(call->getBeginLoc())), current,
                        values.contains(call)};
  const DeclRefExpr *callee = kernelNamedIn(site.kernelExpression());
  if (!callee) {
    // Of a template, each instantiation is a launch; those in headers of the system stay.
    if (!call->isInstantiationDependent() && site.place.isKnown())
      program.pointerLaunches.push_back({site, {}, false, std::nullopt});
    return;
  }
  Launch launch{site, nullptr, cast<FunctionDecl>(callee->getDecl()), callee, false};
  launch.pattern = patternOf(launch.instance);
  program.launches.push_back(launch);
}

/// Tells launches from other uses of annotated kernels.
void Finder::sortUses(llvm::function_ref<bool(const FunctionDecl *)> isAnnotated) {
  DenseSet<SourceLocation> launched;
  for (const Launch &launch : program.launches)
    launched.insert(launch.callee->getLocation());
  for (const DeclRefExpr *use : uses)
    if (!questions.contains(use->getLocation()) && !launched.contains(use->getLocation()) &&
        isAnnotated(cast<FunctionDecl>(use->getDecl())))
      program.addressUses.push_back({use, !untyped.contains(use->getLocation())});
}

Program Finder::take() {
  findStatements();
  for (const Directive &directive : directives)
    if (!placed.contains(&directive))
      program.diagnostics.push_back(diagnose(diag::misplaced_pragma, directive.begin,
                                             spelling(directive.kind),
                                             "is not followed by a statement of a kernel"));
  auto isAnnotated = [&](const FunctionDecl *function) {
    return llvm::any_of(program.kernels, [&](const AnnotatedKernel &kernel) {
      return kernel.pattern == patternOf(function);
    });
  };
  llvm::copy_if(program.launches, std::back_inserter(program.foreignLaunches),
                [](const Launch &launch) {
                  return !launch.instance->isDefined() && !sharedNameOf(launch.instance).empty();
                });
  std::map<SourceLocation, std::set<const FunctionDecl *>> inText;
  for (const Launch &launch : program.launches)
    inText[sources.getSpellingLoc(launch.callee->getLocation())].insert(launch.pattern);
  for (Launch &launch : program.launches)
    launch.isOneOfSeveral = inText[sources.getSpellingLoc(launch.callee->getLocation())].size() > 1;
  llvm::erase_if(program.launches,
                 [&](const Launch &launch) { return !isAnnotated(launch.pattern); });
  sortUses(isAnnotated);
  std::vector<Launch> byName = program.launches;
  llvm::append_range(byName, program.foreignLaunches);
  program.launchedWith = followLaunches(byName, program.pointerLaunches, calls, context);
  return std::move(program);
}

} // namespace

Diagnostic staysPlain(Diagnostic reason, const Directive &directive) {
  bool isPipeline = directive.kind == DirectiveKind::Pipeline;
  Diagnostic plain = isPipeline ? diagnose(diag::stays_synchronous, reason.place, reason.text)
                                : diagnose(diag::stays_plain, reason.place, reason.text);
  plain.remedy = std::move(reason.remedy);
  plain.notes = std::move(reason.notes);
  return plain;
}

Program findProgram(ASTContext &context, const std::vector<Directive> &directives) {
  Finder finder(context, directives);
  finder.TraverseDecl(context.getTranslationUnitDecl());
  return finder.take();
}

std::variant<unsigned, Diagnostic> countOf(const CountArgument &count, StringRef clause,
                                           unsigned most, const FunctionDecl *kernel) {
  if (count.name.empty())
    return count.number;
  std::optional<int64_t> number = constantNamed(count.name, kernel);
  if (!number)
    return diagnose(diag::unknown_constant, count.place, count.name, clause);
  if (*number >= 1 && *number <= most)
    return unsigned(*number);
  return diagnose(diag::bad_clause_value, count.place,
                  count.name + "', which is '" + std::to_string(*number), clause,
                  formatv("expected a number from 1 to {0}", most).str());
}

std::variant<std::optional<std::array<unsigned, 3>>, Diagnostic>
threadsOf(const Directive &directive, const FunctionDecl *kernel) {
  ArrayRef<CountArgument> threads = directive.clauses.threads;
  if (threads.empty())
    return std::nullopt;
  std::array<unsigned, 3> shape{1, 1, 1};
  for (size_t axis = 0; axis < threads.size() && axis < 3; ++axis) {
    auto number = countOf(threads[axis], "threads", 1024, kernel);
    if (auto *wrong = std::get_if<Diagnostic>(&number))
      return std::move(*wrong);
    shape[axis] = std::get<unsigned>(number);
  }
  std::optional<std::string> wrong = wrongBlock(shape);
  if (!wrong)
    return shape;
  std::string text;
  for (size_t axis = 0; axis < threads.size(); ++axis)
    text += (axis == 0 ? "" : ", ") + std::to_string(shape[axis]);
  return diagnose(diag::bad_clause_value, threads.front().place, text, "threads", *wrong);
}

} // namespace tilelift
