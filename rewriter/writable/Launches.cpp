//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "writable/Launches.h"

#include "directive/OtherFiles.h"
#include "directive/Variants.h"
#include "support/Locations.h"
#include "support/VariableFacts.h"
#include "text/Names.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <set>

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// The launcher's name as it can be written at the launch.
std::string launcherFor(const RedirectedLaunch &redirected) {
  if (!redirected.callee || !isByUsing(*redirected.callee))
    return redirected.launcher;
  const DeclRefExpr &callee = *redirected.callee;
  const std::string kernel = qualifiedName(callee.getDecl());
  return kernel.substr(0, kernel.rfind("::") + 2) + redirected.launcher;
}

/// Whether evaluating an expression may do more than to give its value. Calls are looked into.
bool mayDoSomething(const Stmt *part, llvm::SmallPtrSetImpl<const FunctionDecl *> &seen) {
  if (!part || isa<LambdaExpr, UnaryExprOrTypeTraitExpr>(part))
    return false;
  const auto *binary = dyn_cast<clang::BinaryOperator>(part);
  const auto *unary = dyn_cast<clang::UnaryOperator>(part);
  const auto *call = dyn_cast<CallExpr>(part);
  const auto *made = dyn_cast<CXXConstructExpr>(part);
  if ((binary && binary->isAssignmentOp()) || (unary && unary->isIncrementDecrementOp()) ||
      isa<CXXNewExpr, CXXDeleteExpr, CXXThrowExpr, StmtExpr, AsmStmt>(part))
    return true;
  const CXXConstructorDecl *constructor = made ? made->getConstructor() : nullptr;
  if (call || (constructor && !constructor->isTrivial())) { // a constexpr one may do something, too
    const FunctionDecl *body = nullptr;
    if (call)
      body = calledBody(call);
    else
      constructor->hasBody(body);
    if (!body || (seen.insert(body).second && mayDoSomething(body->getBody(), seen)))
      return true;
    if (const auto *own = dyn_cast<CXXConstructorDecl>(body))
      for (const CXXCtorInitializer *each : own->inits())
        if (mayDoSomething(each->getInit(), seen))
          return true;
  }
  return llvm::any_of(part->children(),
                      [&](const Stmt *child) { return mayDoSomething(child, seen); });
}

bool mayDoSomething(const Stmt *part) {
  llvm::SmallPtrSet<const FunctionDecl *, 8> seen;
  return mayDoSomething(part, seen);
}

/// Whether an expression is made of constants and of variables that the function alone can change,
/// which it does not do in `others`.
bool isIndependent(const Stmt *part, ArrayRef<const Expr *> others, const FunctionDecl &function,
                   const VariableFacts &facts) {
  const auto *unary = dyn_cast<clang::UnaryOperator>(part);
  const auto *member = dyn_cast<MemberExpr>(part);
  const auto *call = dyn_cast<CallExpr>(part);
  if (isa<CXXThisExpr, ArraySubscriptExpr>(part) || (member && member->isArrow()) ||
      (unary && unary->getOpcode() == UO_Deref) ||
      (call && !(call->getDirectCallee() && call->getDirectCallee()->isConstexpr() &&
                 !isa<CXXMethodDecl>(call->getDirectCallee())))) // of an object that others know
    return false;
  if (const auto *named = dyn_cast<DeclRefExpr>(part);
      named && !isa<EnumConstantDecl, FunctionDecl>(named->getDecl())) {
    const auto *variable = dyn_cast<VarDecl>(named->getDecl());
    return variable && (variable->isConstexpr() ||
                        (variable->hasLocalStorage() && variable->getDeclContext() == &function &&
                         !variable->getType()->isReferenceType() && !facts.escapes(variable) &&
                         llvm::all_of(others, [&](const Expr *other) {
                           return facts.changesWithin(variable, other).empty();
                         })));
  }
  return llvm::all_of(part->children(), [&](const Stmt *child) {
    return !child || isIndependent(child, others, function, facts);
  });
}

/// CUDA evaluates what stands in <<<...>>> before the kernel's arguments; of a function's
/// arguments, nobody knows the order. Whether that may make a difference.
bool dependsOnOrder(const LaunchSite &launch) {
  const auto *chevrons = dyn_cast<CUDAKernelCallExpr>(launch.call);
  if (!chevrons)
    return false;
  const SmallVector<const Expr *, 8> first(chevrons->getConfig()->arguments());
  SmallVector<const Expr *, 8> second(chevrons->arguments());
  if (!functionReference(launch.kernelExpression()))
    second.push_back(launch.kernelExpression());
  auto doSomething = [](ArrayRef<const Expr *> parts) {
    return llvm::any_of(parts, [](const Expr *part) { return mayDoSomething(part); });
  };
  const bool firstActs = doSomething(first), secondActs = doSomething(second);
  if (!firstActs && !secondActs)
    return false;
  if (!launch.in || (firstActs && secondActs))
    return !second.empty();
  const VariableFacts facts{CallPath(launch.in)};
  return llvm::any_of(firstActs ? second : first, [&](const Expr *part) {
    return !isIndependent(part, firstActs ? first : second, *launch.in, facts);
  });
}

class LaunchReader {
public:
  LaunchReader(ArrayRef<RedirectedLaunch> launches, ASTContext &context, const SourceText &source,
               const MacroUses &macros, const Variants &variants)
      : launches(launches), context(context), source(source), macros(macros), variants(variants) {}

  LaunchChanges run();

private:
  bool isRedirectable(const RedirectedLaunch &launch) const;
  bool isIncludedInFunction(const LaunchSite &launch) const;
  std::optional<std::string> whyNotInText(const RedirectedLaunch &launch) const;
  void takeInText(const RedirectedLaunch &redirected);
  bool canBeWrittenOut(const RedirectedLaunch &launch, unsigned begin) const;
  void takeMacro(unsigned begin);
  std::optional<WrittenConfiguration> configurationOf(const CallExpr &config) const;
  unsigned useOf(const RedirectedLaunch &each) const {
    return placeOf(context.getSourceManager(), each.site->call->getBeginLoc()).offset;
  }
  /// Text behind which other text may stand.
  std::string whole(StringRef text) const {
    return text.trim().str() + (endsInComment(text, context.getLangOpts()) ? "\n" : "");
  }
  unsigned beginOf(SourceLocation at) const { return source.offsetOf(source.written(at)); }
  void refuse(unsigned at, const std::string &kernel, const std::string &why) {
    result.diagnostics.push_back(diagnose(diag::launch_not_lifted, {at}, kernel, why));
  }

  ArrayRef<RedirectedLaunch> launches;
  ASTContext &context;
  const SourceText &source;
  const MacroUses &macros;
  const Variants &variants;
  LaunchChanges result;
};

/// A launch inside of a macro cannot be changed where it stands. The use of that macro is replaced
/// by its tokens, and all launches among these are changed.
LaunchChanges LaunchReader::run() {
  std::set<unsigned> writtenOut;
  for (const RedirectedLaunch &each : launches)
    if (each.site->call->getBeginLoc().isMacroID() && !isRedirectable(each))
      writtenOut.insert(useOf(each));
  // The argument of a macro may be expanded several times, and a template instantiated.
  std::map<unsigned, SmallVector<const RedirectedLaunch *, 2>> inText;
  for (const RedirectedLaunch &each : launches)
    if (!each.site->call->getBeginLoc().isMacroID() || !writtenOut.count(useOf(each)))
      inText[beginOf(each.nameLocation())].push_back(&each);
  for (const auto &[offset, here] : inText) {
    const RedirectedLaunch &first = *here.front();
    if (llvm::all_of(here, [&](const RedirectedLaunch *each) {
          return !each->isOneOfSeveral && launcherFor(*each) == launcherFor(first);
        }))
      takeInText(first);
    else
      refuse(offset, first.kernel, "its text launches other kernels as well");
  }
  for (unsigned begin : writtenOut)
    takeMacro(begin);
  return std::move(result);
}

/// Whether a launch in the tokens of a macro's use can be changed there.
bool LaunchReader::canBeWrittenOut(const RedirectedLaunch &launch, unsigned begin) const {
  const LaunchSite &site = *launch.site;
  const SourceLocation last = site.call->getRParenLoc(); // or the macro is only a part of it
  const bool isOneToken =
      launch.callee
          ? !isByUsing(*launch.callee) || !launch.callee->hasQualifier()
          : isa<DeclRefExpr>(site.kernelExpression()->IgnoreImpCasts()) &&
                site.kernelExpression()->getBeginLoc() == site.kernelExpression()->getEndLoc();
  return site.form == LaunchSite::Form::Chevrons && isOneToken && !dependsOnOrder(site) &&
         last.isMacroID() && placeOf(context.getSourceManager(), last).offset == begin;
}

void LaunchReader::takeMacro(unsigned begin) {
  MacroChange change{begin, {}};
  std::string kernel;
  bool isKnown = macros.count(begin) && !macros.at(begin).hasPragma &&
                 !source.isRepeated(source.fileOf(begin));
  for (Place counter : variants.counters) // written out, __COUNTER__ would count no more
    isKnown = isKnown && (counter.offset < begin || counter.offset >= macros.at(begin).end);
  for (const RedirectedLaunch &each : launches) {
    if (useOf(each) != begin)
      continue;
    kernel = each.kernel;
    isKnown = isKnown && canBeWrittenOut(each, begin);
    if (!isKnown)
      return refuse(begin, kernel, "it comes from a macro");
    change.launches.push_back({each, launcherFor(each), std::nullopt, false});
  }
  result.inMacros.push_back(std::move(change));
  result.diagnostics.push_back(diagnose(diag::macro_written_out, {begin}, kernel));
}

/// Whether the launch stands in a file that is included inside of a function. That file would have
/// to include the runtime's header, which cannot be included there.
bool LaunchReader::isIncludedInFunction(const LaunchSite &launch) const {
  const FunctionDecl *outermost = launch.in;
  for (const DeclContext *at = launch.in; at; at = at->getParent())
    if (const auto *function = dyn_cast<FunctionDecl>(at))
      outermost = function;
  if (!outermost || !outermost->hasBody())
    return false;
  auto fileOf = [&](SourceLocation at) { return source.fileOf(source.offsetOf(at)).begin; };
  return fileOf(launch.call->getBeginLoc()) != fileOf(outermost->getBody()->getBeginLoc());
}

/// Whether the text of a launch is in the file as it is.
bool LaunchReader::isRedirectable(const RedirectedLaunch &launch) const {
  const auto *chevrons = dyn_cast<CUDAKernelCallExpr>(launch.site->call);
  const CallExpr *config = chevrons ? chevrons->getConfig() : nullptr;
  const SourceRange name = launch.callee ? launch.callee->getSourceRange()
                                         : launch.site->kernelExpression()->getSourceRange();
  return source.isPlainText(launch.site->call->getSourceRange()) && source.isPlainText(name) &&
         (!config || source.isPlainText({config->getBeginLoc(), config->getRParenLoc()}));
}

/// `<<<...>>>` may be all that a macro stands for, as for editors that do not know it.
std::optional<WrittenConfiguration> LaunchReader::configurationOf(const CallExpr &config) const {
  const SourceManager &sources = context.getSourceManager();
  auto parenBehind = [&](SourceLocation last, unsigned end) {
    const std::optional<unsigned> next =
        last.isValid() ? source.nextToken(last, tok::l_paren) : std::nullopt;
    return next ? *next : end + unsigned(source.from(end).find('('));
  };
  if (!sources.isMacroBodyExpansion(config.getBeginLoc()) &&
      source.isPlainText({config.getBeginLoc(), config.getRParenLoc()})) {
    unsigned open = source.offsetOf(source.written(config.getBeginLoc()));
    unsigned close = source.offsetOf(source.written(config.getRParenLoc()));
    return WrittenConfiguration{open, parenBehind(source.written(config.getRParenLoc()), close),
                                whole(source.between(open + 3, close))};
  }
  auto use = macros.find(placeOf(sources, config.getBeginLoc()).offset);
  if (use == macros.end() || use->second.hasPragma)
    return std::nullopt;
  const std::vector<MacroToken> &tokens = use->second.tokens;
  if (tokens.size() < 3 || tokens.front().location != config.getBeginLoc() ||
      tokens.back().location != config.getRParenLoc())
    return std::nullopt;
  std::string arguments;
  for (const MacroToken &token : ArrayRef(tokens).drop_front().drop_back())
    arguments += (arguments.empty() || token.text == "," ? "" : " ") + token.text;
  return WrittenConfiguration{use->first, parenBehind({}, use->second.end), arguments};
}

/// Why the text of a launch cannot be changed where it stands.
std::optional<std::string> LaunchReader::whyNotInText(const RedirectedLaunch &launch) const {
  const CallExpr *call = launch.site->call;
  const DeclRefExpr *callee = launch.callee;
  const SourceManager &sources = context.getSourceManager();
  if (variants.beginIn(placeOf(sources, call->getBeginLoc()), placeOf(sources, call->getEndLoc())))
    return "an #if block is part of it";
  if (isIncludedInFunction(*launch.site))
    return "it stands in a file that is included inside of a function";
  if (source.isRepeated(source.fileOf(source.offsetOf(call->getBeginLoc()))))
    return "it stands in a header that is included more than once";
  if (!callee)
    return std::nullopt;
  const unsigned end = source.endOfToken(source.written(callee->getLocation()));
  if (source.between(beginOf(callee->getLocation()), end) != callee->getDecl()->getName())
    return "it has another name there";
  if (const ParmVarDecl *argument = launch.site->isByAddresses()
                                        ? notCopiedByBytes(cast<FunctionDecl>(callee->getDecl()))
                                        : nullptr)
    return "it passes addresses of arguments, and a launcher would copy '" +
           argument->getNameAsString() + "' by a constructor";
  return std::nullopt;
}

void LaunchReader::takeInText(const RedirectedLaunch &redirected) {
  const LaunchSite &site = *redirected.site;
  auto refuseIt = [&](const std::string &why) {
    refuse(beginOf(redirected.nameLocation()), redirected.kernel, why);
  };
  if (std::optional<std::string> why = whyNotInText(redirected))
    return refuseIt(*why);
  LaunchChange change{redirected, launcherFor(redirected), std::nullopt, false};
  if (site.form == LaunchSite::Form::Chevrons) {
    change.configuration = configurationOf(*cast<CUDAKernelCallExpr>(site.call)->getConfig());
    if (!change.configuration)
      return refuseIt("its <<<...>>> comes from a macro");
    if (context.getSourceManager().isMacroBodyExpansion(site.call->getRParenLoc()))
      return refuseIt("its arguments come from a macro");
    change.isOrdered = dependsOnOrder(site);
    if (change.isOrdered && !site.in)
      return refuseIt("what stands in its <<<...>>> has to be evaluated before its arguments");
  }
  result.inText.push_back(std::move(change));
}

} // namespace

/// Whether the kernel's name is found through a using-declaration. The launcher's name is not
/// declared by it, and has to be qualified.
bool isByUsing(const DeclRefExpr &callee) { return isa<UsingShadowDecl>(callee.getFoundDecl()); }

SourceLocation RedirectedLaunch::nameLocation() const {
  return callee ? callee->getLocation() : site->kernelExpression()->getBeginLoc();
}

RedirectedLaunch byName(const Launch &launch, const std::string &kernel,
                        const std::string &launcher) {
  return {&launch, launch.callee, kernel, launcher, launch.isOneOfSeveral};
}

std::vector<RedirectedLaunch> throughPointers(const Program &program,
                                              ArrayRef<const FunctionDecl *> kernels,
                                              const SourceText &source) {
  auto placeOfName = [&](const PointerLaunch &launch) {
    return source.offsetOf(source.written(launch.kernelExpression()->getBeginLoc()));
  };
  DenseSet<unsigned> wanted;
  for (const PointerLaunch &launch : program.pointerLaunches)
    if (llvm::any_of(kernels, [&](const FunctionDecl *kernel) { return launch.mayLaunch(kernel); }))
      wanted.insert(placeOfName(launch));
  std::vector<RedirectedLaunch> result;
  for (const PointerLaunch &launch : program.pointerLaunches) {
    if (!wanted.contains(placeOfName(launch)))
      continue;
    const SourceRange pointer = launch.kernelExpression()->getSourceRange();
    const StringRef text = source.between(source.offsetOf(source.written(pointer.getBegin())),
                                          source.endOfToken(source.written(pointer.getEnd())));
    result.push_back(
        {&launch, nullptr, text.str(),
         launch.isByAddresses() ? "::tilelift::launch_pointer_with" : "::tilelift::launch_pointer",
         false});
  }
  return result;
}

const ParmVarDecl *notCopiedByBytes(const FunctionDecl *kernel) {
  for (const ParmVarDecl *parameter : kernel->parameters())
    if (!parameter->getType().isTriviallyCopyableType(kernel->getASTContext()))
      return parameter;
  return nullptr;
}

std::vector<Diagnostic> warningsOnUses(const Program &program,
                                       ArrayRef<const FunctionDecl *> lifted,
                                       ArrayRef<const FunctionDecl *> kernels,
                                       const LaunchChanges &changes, const SourceText &source) {
  DenseSet<const LaunchSite *> changed;
  for (const LaunchChange &each : changes.inText)
    changed.insert(each.launch.site);
  for (const MacroChange &each : changes.inMacros)
    for (const LaunchChange &launch : each.launches)
      changed.insert(launch.launch.site);
  auto isSeen = [&](const FunctionDecl *kernel) {
    return llvm::any_of(program.pointerLaunches, [&](const PointerLaunch &launch) {
      return changed.contains(&launch) && launch.mayLaunch(kernel);
    });
  };
  std::vector<Diagnostic> warnings;
  for (const AddressUse &each : program.addressUses) {
    const auto *kernel = cast<FunctionDecl>(each.use->getDecl());
    if (!llvm::is_contained(lifted, kernel->getCanonicalDecl()) ||
        (each.staysTyped && llvm::is_contained(kernels, kernel->getCanonicalDecl()) &&
         isSeen(kernel)))
      continue;
    const ParmVarDecl *argument = notCopiedByBytes(kernel);
    const Place place{source.offsetOf(each.use->getLocation())};
    warnings.push_back(
        argument ? diagnose(diag::launch_not_lifted, place, kernel->getNameAsString(),
                            "its address is used, and a launcher would copy '" +
                                argument->getNameAsString() + "' by a constructor")
                 : diagnose(diag::address_not_followed, place, kernel->getNameAsString()));
  }
  return warnings;
}

LaunchChanges changesOfLaunches(ArrayRef<RedirectedLaunch> launches, ASTContext &context,
                                const SourceText &source, const MacroUses &macros,
                                const Variants &variants) {
  return LaunchReader(launches, context, source, macros, variants).run();
}

std::variant<unsigned, Diagnostic> placeOfDeclaration(const FunctionDecl *first,
                                                      const SourceText &source) {
  const ASTContext &context = first->getASTContext();
  const SourceManager &sources = context.getSourceManager();
  const Place place = placeOf(sources, first->getLocation());
  if (!place.isKnown())
    return diagnose(diag::not_available_yet, {},
                    "a kernel that a header of the system declares ('" + first->getNameAsString() +
                        "')");
  if (first->isLocalExternDecl())
    return diagnose(diag::not_available_yet, place,
                    "a kernel that is declared inside of a function");
  std::optional<Token> semi =
      Lexer::findNextToken(first->getEndLoc(), sources, context.getLangOpts());
  if (!semi || semi->isNot(tok::semi))
    return diagnose(diag::not_available_yet, place,
                    "a kernel whose first declaration is one of several, or ends in a macro,");
  if (source.isRepeated(source.fileOf(place.offset)))
    return diagnose(diag::not_available_yet, place, "a header that is included more than once");
  return source.offsetOf(semi->getEndLoc());
}

ForeignLaunches foreignLaunches(const Program &program,
                                const std::map<std::string, std::string> &launchers,
                                const SourceText &source) {
  ForeignLaunches result;
  DenseSet<const FunctionDecl *> seen;
  for (const Launch &launch : program.foreignLaunches) {
    const auto launcher = launchers.find(sharedNameOf(launch.instance));
    if (launcher == launchers.end())
      continue;
    result.launches.push_back(byName(launch, launch.instance->getNameAsString(), launcher->second));
    const FunctionDecl *first = launch.instance->getCanonicalDecl();
    if (!seen.insert(first).second)
      continue;
    auto place = placeOfDeclaration(first, source);
    if (auto *problem = std::get_if<Diagnostic>(&place))
      result.diagnostics.push_back(std::move(*problem));
    else
      result.kernels.push_back({first, launcher->second, std::get<unsigned>(place)});
  }
  return result;
}

} // namespace tilelift
