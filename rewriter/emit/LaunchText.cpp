//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/LaunchText.h"

#include "directive/Variants.h"
#include "support/Locations.h"
#include "support/VariableFacts.h"
#include "text/Formatted.h"
#include "text/Names.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <set>

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

class Redirection {
public:
  Redirection(ArrayRef<RedirectedLaunch> launches, ASTContext &context, const SourceText &source,
              const MacroUses &macros, const Variants &variants)
      : launches(launches), context(context), source(source), macros(macros), variants(variants) {}

  LaunchEdits run();

private:
  void writeOut(unsigned begin);
  bool isRedirectable(const Launch &launch) const;
  bool isIncludedInFunction(const Launch &launch) const;
  void redirect(const RedirectedLaunch &redirected);
  /// Where `<<<` stands and where the arguments' parenthesis, and what is between `<<<` and `>>>`.
  struct Configuration {
    unsigned open, paren;
    std::string arguments;
  };
  std::optional<Configuration> configurationOf(const CallExpr &config) const;
  /// Text behind which other text may stand.
  std::string whole(StringRef text) const {
    return text.trim().str() + (endsInComment(text, context.getLangOpts()) ? "\n" : "");
  }

  ArrayRef<RedirectedLaunch> launches;
  ASTContext &context;
  const SourceText &source;
  const MacroUses &macros;
  const Variants &variants;
  LaunchEdits result;
};

/// Whether the kernel's name is found through a using-declaration. The launcher's name is not
/// declared by it, and has to be qualified.
static bool isByUsing(const DeclRefExpr &callee) {
  return isa<UsingShadowDecl>(callee.getFoundDecl());
}

/// The launcher's name as it can be written at the launch.
static std::string launcherFor(const RedirectedLaunch &redirected) {
  const DeclRefExpr &callee = *redirected.launch->callee;
  if (!isByUsing(callee))
    return redirected.launcher;
  const std::string kernel = qualifiedName(callee.getDecl());
  return kernel.substr(0, kernel.rfind("::") + 2) + redirected.launcher;
}

/// Whether evaluating an expression may do more than to give its value. Calls are looked into.
static bool mayDoSomething(const Stmt *part, llvm::SmallPtrSetImpl<const FunctionDecl *> &seen) {
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

static bool mayDoSomething(const Stmt *part) {
  llvm::SmallPtrSet<const FunctionDecl *, 8> seen;
  return mayDoSomething(part, seen);
}

static bool hasComma(const Stmt *part) {
  const auto *binary = dyn_cast_or_null<clang::BinaryOperator>(part);
  return part && ((binary && binary->isCommaOp()) || llvm::any_of(part->children(), hasComma));
}

/// The configuration in `<<<...>>>` as the launcher's first argument. A braced list with a comma
/// operator in it needs its type in front: nvcc writes `{(a, b), c}` without these parentheses for
/// the host's compiler.
static std::string configuration(const CallExpr *parts, const std::string &text) {
  return (hasComma(parts) ? "tilelift::launch_config{" : "{") + text + "}";
}

/// Whether an expression is made of constants and of variables that the function alone can change,
/// which it does not do in `others`.
static bool isIndependent(const Stmt *part, ArrayRef<const Expr *> others,
                          const FunctionDecl &function, const VariableFacts &facts) {
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
static bool dependsOnOrder(const Launch &launch) {
  const auto *chevrons = dyn_cast<CUDAKernelCallExpr>(launch.call);
  if (!chevrons)
    return false;
  const SmallVector<const Expr *, 8> first(chevrons->getConfig()->arguments()),
      second(chevrons->arguments());
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

/// A launch from the middle of a macro takes the use of the macro with it: all launches
/// that come from there are changed in what it is expanded to.
LaunchEdits Redirection::run() {
  const SourceManager &sources = context.getSourceManager();
  auto useOf = [&](const RedirectedLaunch &each) {
    return placeOf(sources, each.launch->call->getBeginLoc()).offset;
  };
  std::set<unsigned> writtenOut;
  for (const RedirectedLaunch &each : launches)
    if (each.launch->call->getBeginLoc().isMacroID() && !isRedirectable(*each.launch))
      writtenOut.insert(useOf(each));
  // The argument of a macro may be expanded several times, and a template instantiated.
  std::map<unsigned, SmallVector<const RedirectedLaunch *, 2>> inText;
  for (const RedirectedLaunch &each : launches)
    if (!each.launch->call->getBeginLoc().isMacroID() || !writtenOut.count(useOf(each)))
      inText[source.offsetOf(source.written(each.launch->callee->getLocation()))].push_back(&each);
  for (const auto &[offset, here] : inText) {
    const RedirectedLaunch &first = *here.front();
    if (llvm::all_of(here, [&](const RedirectedLaunch *each) {
          return !each->launch->isOneOfSeveral && launcherFor(*each) == launcherFor(first);
        }))
      redirect(first);
    else
      result.diagnostics.push_back(diagnose(diag::launch_not_lifted, {offset}, first.kernel,
                                            "its text launches other kernels as well"));
  }
  for (unsigned begin : writtenOut)
    writeOut(begin);
  return std::move(result);
}

/// The tokens of a macro's use, with launchers for launches.
void Redirection::writeOut(unsigned begin) {
  std::map<SourceLocation, std::string> replaced, before;
  std::string kernel;
  bool isKnown = macros.count(begin) && !macros.at(begin).hasPragma;
  for (Place counter : variants.counters) // written out, __COUNTER__ would count no more
    isKnown = isKnown && (counter.offset < begin || counter.offset >= macros.at(begin).end);
  for (const RedirectedLaunch &each : launches) {
    const Launch &launch = *each.launch;
    if (placeOf(context.getSourceManager(), launch.call->getBeginLoc()).offset != begin)
      continue;
    kernel = each.kernel;
    isKnown &= launch.form == Launch::Form::Chevrons;
    if (!isKnown)
      break;
    const CallExpr *config = cast<CUDAKernelCallExpr>(launch.call)->getConfig();
    isKnown &= !isByUsing(*launch.callee) || !launch.callee->hasQualifier();
    isKnown &= !dependsOnOrder(launch);
    const SourceLocation last = launch.call->getRParenLoc(); // or the macro is only a part of it
    isKnown &= last.isMacroID() && placeOf(context.getSourceManager(), last).offset == begin;
    if (!isKnown)
      break;
    replaced[launch.callee->getLocation()] = launcherFor(each);
    if (launch.isUsedAsValue)
      before[launch.call->getBeginLoc()] = "(void)";
    replaced[config->getBeginLoc()] = "({";
    replaced[config->getRParenLoc()] = "}";
  }
  if (!isKnown)
    return result.diagnostics.push_back(
        diagnose(diag::launch_not_lifted, {begin}, kernel, "it comes from a macro"));
  std::string text;
  const std::vector<MacroToken> &tokens = macros.at(begin).tokens;
  for (size_t i = 0; i < tokens.size(); ++i) {
    auto other = replaced.find(tokens[i].location);
    bool isScoped = tokens[i].text == "::" || StringRef(text).ends_with("::");
    text += (isScoped ? "" : " ") + before[tokens[i].location] +
            (other == replaced.end() ? tokens[i].text : other->second);
    if (other == replaced.end() || other->second != "}")
      continue;
    // The arguments follow in the launcher's parentheses.
    ++i;
    if (i + 1 < tokens.size() && tokens[i + 1].text != ")")
      text += ",";
  }
  std::string inStyle = formatted(text, source.nameOf(begin));
  SmallVector<StringRef, 8> lines;
  StringRef(inStyle).trim().split(lines, '\n');
  result.edits.replace(begin, macros.at(begin).end,
                       llvm::join(lines, "\n" + source.indentationAt(begin)));
  result.diagnostics.push_back(diagnose(diag::macro_written_out, {begin}, kernel));
}

/// Whether the launch stands in a file that is included inside of a function. That file would have
/// to include the runtime's header, which cannot be included there.
bool Redirection::isIncludedInFunction(const Launch &launch) const {
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
bool Redirection::isRedirectable(const Launch &launch) const {
  const auto *chevrons = dyn_cast<CUDAKernelCallExpr>(launch.call);
  const CallExpr *config = chevrons ? chevrons->getConfig() : nullptr;
  return source.isPlainText(launch.call->getSourceRange()) &&
         source.isPlainText(launch.callee->getSourceRange()) &&
         (!config || source.isPlainText({config->getBeginLoc(), config->getRParenLoc()}));
}

/// `<<<...>>>` may be all that a macro stands for, as for editors that do not know it.
std::optional<Redirection::Configuration>
Redirection::configurationOf(const CallExpr &config) const {
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
    return Configuration{open, parenBehind(source.written(config.getRParenLoc()), close),
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
  return Configuration{use->first, parenBehind({}, use->second.end), arguments};
}

/// A parameter of the kernel that no launcher can have as it is found at an address.
static const ParmVarDecl *notCopiedByBytes(const DeclRefExpr &kernel) {
  const auto *function = dyn_cast<FunctionDecl>(kernel.getDecl());
  if (!function)
    return nullptr;
  for (const ParmVarDecl *parameter : function->parameters())
    if (!parameter->getType().isTriviallyCopyableType(function->getASTContext()))
      return parameter;
  return nullptr;
}

void Redirection::redirect(const RedirectedLaunch &redirected) {
  const Launch &launch = *redirected.launch;
  const auto *call = launch.call;
  auto begin = [&](SourceLocation at) { return source.offsetOf(source.written(at)); };
  auto end = [&](SourceLocation at) { return source.endOfToken(source.written(at)); };
  auto textOf = [&](const Expr *part) {
    return source.between(begin(part->getBeginLoc()), end(part->getEndLoc())).str();
  };
  const DeclRefExpr *callee = launch.callee;
  unsigned nameBegin = begin(callee->getLocation()), nameEnd = end(callee->getLocation());
  const SourceManager &sources = context.getSourceManager();
  if (variants.beginIn(placeOf(sources, call->getBeginLoc()),
                       placeOf(sources, call->getEndLoc()))) {
    result.diagnostics.push_back(diagnose(diag::launch_not_lifted, {nameBegin}, redirected.kernel,
                                          "an #if block is part of it"));
    return;
  }
  if (isIncludedInFunction(launch)) {
    result.diagnostics.push_back(
        diagnose(diag::launch_not_lifted, {nameBegin}, redirected.kernel,
                 "it stands in a file that is included inside of a function"));
    return;
  }
  if (source.between(nameBegin, nameEnd) != callee->getDecl()->getName()) {
    result.diagnostics.push_back(diagnose(diag::launch_not_lifted, {nameBegin}, redirected.kernel,
                                          "it has another name there"));
    return;
  }
  const bool isByAddresses =
      !isa<CUDAKernelCallExpr>(call) && launch.form != Launch::Form::LaunchEx;
  if (const ParmVarDecl *argument = isByAddresses ? notCopiedByBytes(*callee) : nullptr) {
    result.diagnostics.push_back(
        diagnose(diag::launch_not_lifted, {nameBegin}, redirected.kernel,
                 "it passes addresses of arguments, and a launcher would copy '" +
                     argument->getNameAsString() + "' by a constructor"));
    return;
  }
  std::string name = launcherFor(redirected);
  if (isByUsing(*callee))
    nameBegin = begin(callee->getBeginLoc());
  // With the qualifier and the template arguments of the kernel.
  std::string launcher = source.between(begin(callee->getBeginLoc()), nameBegin).str() + name +
                         source.between(nameEnd, end(callee->getEndLoc())).str();
  auto replaceCall = [&](const std::string &text) {
    result.edits.replace(begin(call->getBeginLoc()), end(call->getEndLoc()), text);
  };
  switch (launch.form) {
  case Launch::Form::Chevrons: break;
  case Launch::Form::LaunchEx: {
    // Commas of template arguments are not for a macro around the launch.
    bool isExposed = call->getBeginLoc().isMacroID() && StringRef(launcher).contains(',');
    result.edits.replace(begin(call->getBeginLoc()), end(call->getArg(1)->getEndLoc()),
                         (isExposed ? "(" : "") + launcher + "({" + textOf(call->getArg(0)) + "}");
    if (isExposed)
      result.edits.add(insertion(end(call->getEndLoc()), ")"));
    return;
  }
  case Launch::Form::SymbolEx:
    return replaceCall("tilelift::launch_with(" + launcher + ", {" + textOf(call->getArg(0)) +
                       "}, " + textOf(call->getArg(2)) + ")");
  case Launch::Form::Symbol:
  case Launch::Form::Cooperative: {
    std::string config = textOf(call->getArg(1)) + ", " + textOf(call->getArg(2));
    for (unsigned i = 4; i < call->getNumArgs() && !isa<CXXDefaultArgExpr>(call->getArg(i)); ++i)
      config += ", " + textOf(call->getArg(i));
    bool isCooperative = launch.form == Launch::Form::Cooperative;
    return replaceCall(
        "tilelift::launch_with(" + launcher + ", " +
        (isCooperative ? "tilelift::cooperative(" + config + ")" : configuration(call, config)) +
        ", " + textOf(call->getArg(3)) + ")");
  }
  }
  const CallExpr *config = cast<CUDAKernelCallExpr>(call)->getConfig();
  std::optional<Configuration> written = configurationOf(*config);
  if (!written) {
    result.diagnostics.push_back(diagnose(diag::launch_not_lifted, {nameBegin}, redirected.kernel,
                                          "its <<<...>>> comes from a macro"));
    return;
  }
  auto [open, paren, arguments] = *written;
  if (context.getSourceManager().isMacroBodyExpansion(call->getRParenLoc())) {
    result.diagnostics.push_back(diagnose(diag::launch_not_lifted, {nameBegin}, redirected.kernel,
                                          "its arguments come from a macro"));
    return;
  }
  if (dependsOnOrder(launch)) {
    if (!launch.in) {
      result.diagnostics.push_back(
          diagnose(diag::launch_not_lifted, {nameBegin}, redirected.kernel,
                   "what stands in its <<<...>>> has to be evaluated before its arguments"));
      return;
    }
    const std::string given = source.unused("tma_config");
    return replaceCall(std::string(launch.isUsedAsValue ? "(void)" : "") +
                       "[&](const tilelift::launch_config &" + given + ") { return " + launcher +
                       "(" + given + ", " +
                       source.between(paren + 1, begin(call->getRParenLoc())).trim().str() +
                       "); }(" + configuration(config, arguments) + ")");
  }
  bool hasArguments = !source.between(paren + 1, begin(call->getRParenLoc())).trim().empty();
  if (launch.isUsedAsValue)
    result.edits.add(insertion(begin(call->getBeginLoc()), "(void)"));
  result.edits.replace(nameBegin, nameEnd, name);
  if (StringRef before = source.between(nameEnd, open).rtrim();
      !endsInComment(before, context.getLangOpts()))
    open = nameEnd + unsigned(before.size());
  result.edits.replace(open, paren + 1,
                       "(" + configuration(config, arguments) + (hasArguments ? ", " : ""));
}

} // namespace

LaunchEdits redirect(ArrayRef<RedirectedLaunch> launches, ASTContext &context,
                     const SourceText &source, const MacroUses &macros, const Variants &variants) {
  return Redirection(launches, context, source, macros, variants).run();
}

} // namespace tilelift
