//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "directive/LaunchSites.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// A chain of callers is followed so far, and so many of them for one launch.
constexpr size_t mostCallers = 4, mostPaths = 64;

HostValue<std::array<unsigned, 3>> blockOf(const LaunchSite &site, const HostValues &values) {
  const Expr *written = site.blockExpression();
  if (!written)
    return {};
  return site.hasConfiguration() ? values.blockOfConfig(written) : values.block(written);
}

/// Follows one launch through the callers that hold what it is launched with.
class LaunchFollower {
public:
  LaunchFollower(const HostCalls &calls, HostFacts &facts) : calls(calls), facts(facts) {}

  void follow(const LaunchSite &site, const FunctionDecl *kernel) {
    walk(site, [&](const HostValues &values, const HostPath &path) {
      return note(site, kernel, values, path);
    });
  }

  void follow(PointerLaunch &launch) {
    walk(launch, [&](const HostValues &values, const HostPath &path) {
      const auto found = values.functions(launch.kernelExpression());
      if (!found.value && (!found.askCallersOf || calls.of(found.askCallersOf).empty())) {
        launch.isOpen = true;
        const HostValue<std::array<unsigned, 3>> block = blockOf(launch, values);
        launch.openBlock = block.value ? block.value : launch.openBlock;
        return block.value ? nullptr : block.askCallersOf;
      }
      if (!found.value || found.askCallersOf)
        return found.askCallersOf;
      return noteAll(launch, *found.value, values, path);
    });
  }

  std::vector<LaunchedWith> result;

private:
  /// Calls `look` for the launch on each path. It returns whose callers may know more, or null;
  /// what it noted of a path is dropped where those callers are asked.
  template <typename Look> void walk(const LaunchSite &site, Look look) {
    std::vector<HostPath> paths{{}};
    for (size_t next = 0; next < paths.size(); ++next) {
      const HostPath path = paths[next];
      const size_t before = result.size();
      const FunctionDecl *ask = look(HostValues(site.in, path, facts), path);
      const ArrayRef<HostCall> callers = ask ? calls.of(ask) : ArrayRef<HostCall>();
      if (callers.empty() || path.size() == mostCallers ||
          paths.size() + callers.size() > mostPaths)
        continue;
      result.resize(before);
      for (const HostCall &caller : callers) {
        paths.push_back(path);
        paths.back().push_back(caller);
      }
    }
  }

  const FunctionDecl *noteAll(PointerLaunch &launch, ArrayRef<const FunctionDecl *> functions,
                              const HostValues &values, const HostPath &path) {
    const FunctionDecl *ask = nullptr;
    for (const FunctionDecl *each : functions) {
      if (!each->hasAttr<CUDAGlobalAttr>())
        continue;
      if (!llvm::is_contained(launch.leadsTo, each))
        launch.leadsTo.push_back(each);
      if (const FunctionDecl *wanted = note(launch, each, values, path))
        ask = wanted;
    }
    return ask;
  }
  const FunctionDecl *note(const LaunchSite &site, const FunctionDecl *kernel,
                           const HostValues &values, const HostPath &path);

  const HostCalls &calls;
  HostFacts &facts;
};

/// Notes what the launch gives the kernel, and returns whose callers may know what is not known.
const FunctionDecl *LaunchFollower::note(const LaunchSite &site, const FunctionDecl *kernel,
                                         const HostValues &values, const HostPath &path) {
  LaunchedWith launched;
  launched.instance = kernel;
  launched.place = site.place;
  const HostValue<std::array<unsigned, 3>> block = blockOf(site, values);
  launched.block = block.value;
  const FunctionDecl *ask = block.askCallersOf;
  const unsigned first = site.form == LaunchSite::Form::LaunchEx ? 2 : 0;
  for (const ParmVarDecl *parameter : kernel->parameters()) {
    const unsigned index = first + parameter->getFunctionScopeIndex();
    if (site.isByAddresses() || index >= site.call->getNumArgs() ||
        !parameter->getType()->isIntegralOrEnumerationType())
      continue;
    const auto given = values.constant(site.call->getArg(index));
    if (given.value)
      launched.arguments[parameter->getName()] = *given.value;
    if (given.askCallersOf && !ask)
      ask = given.askCallersOf;
  }
  result.push_back(std::move(launched));
  return ask;
}

} // namespace

const DeclRefExpr *functionReference(const Expr *expression) {
  expression = expression->IgnoreParenCasts();
  if (const auto *unary = dyn_cast<UnaryOperator>(expression);
      unary && unary->getOpcode() == UO_AddrOf)
    expression = unary->getSubExpr()->IgnoreParenCasts();
  const auto *reference = dyn_cast<DeclRefExpr>(expression);
  return reference && isa<FunctionDecl>(reference->getDecl()) ? reference : nullptr;
}

const Expr *LaunchSite::kernelExpression() const {
  switch (form) {
  case Form::Chevrons: return call->getCallee();
  case Form::LaunchEx:
  case Form::SymbolEx: return call->getArg(1);
  case Form::Symbol:
  case Form::Cooperative: return call->getArg(0);
  }
  llvm_unreachable("all forms are named");
}

const Expr *LaunchSite::blockExpression() const {
  if (hasConfiguration())
    return call->getArg(0);
  if (form != Form::Chevrons)
    return call->getArg(2);
  const CallExpr *config = cast<CUDAKernelCallExpr>(call)->getConfig();
  return config->getNumArgs() > 1 ? config->getArg(1) : nullptr;
}

bool PointerLaunch::mayLaunch(const FunctionDecl *kernel) const {
  auto isIt = [&](const FunctionDecl *each) {
    return each->getCanonicalDecl() == kernel->getCanonicalDecl();
  };
  if (llvm::any_of(leadsTo, isIt))
    return true;
  QualType type = kernelExpression()->IgnoreParenImpCasts()->getType().getNonReferenceType();
  if (type->isPointerType())
    type = type->getPointeeType();
  const ASTContext &context = kernel->getASTContext();
  return isOpen && (!type->isFunctionType() ||
                    context.hasSameFunctionTypeIgnoringExceptionSpec(type, kernel->getType()));
}

bool LaunchedWith::isOf(const FunctionDecl *kernel) const {
  return instance->getCanonicalDecl() == kernel->getCanonicalDecl();
}

std::optional<int64_t> LaunchedWith::constantArgument(StringRef name) const {
  const auto given = arguments.find(name);
  return given == arguments.end() ? std::nullopt : std::optional(given->second);
}

void HostCalls::add(const CallExpr *call, const FunctionDecl *in) {
  if (const FunctionDecl *callee = call->getDirectCallee())
    calls[callee->getCanonicalDecl()].push_back({call, in});
}

ArrayRef<HostCall> HostCalls::of(const FunctionDecl *function) const {
  const auto known = calls.find(function->getCanonicalDecl());
  return known == calls.end() ? ArrayRef<HostCall>() : ArrayRef(known->second);
}

std::vector<LaunchedWith> followLaunches(ArrayRef<Launch> launches,
                                         MutableArrayRef<PointerLaunch> pointers,
                                         const HostCalls &calls, const ASTContext &context) {
  HostFacts facts(context);
  LaunchFollower follower(calls, facts);
  for (const Launch &launch : launches)
    follower.follow(launch, launch.instance);
  for (PointerLaunch &launch : pointers)
    follower.follow(launch);
  return std::move(follower.result);
}

} // namespace tilelift
