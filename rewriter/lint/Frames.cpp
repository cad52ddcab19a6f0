//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lint/Frames.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

constexpr unsigned deepest = 5;
constexpr size_t mostWays = 64;

class Collector : public DynamicRecursiveASTVisitor {
public:
  explicit Collector(std::vector<const FunctionDecl *> &functions) : functions(functions) {
    ShouldVisitTemplateInstantiations = true;
    ShouldVisitImplicitCode = true; // the body of a lambda
  }

  bool VisitFunctionDecl(FunctionDecl *function) override {
    if (function->doesThisDeclarationHaveABody() && !function->isDependentContext())
      functions.push_back(function);
    return true;
  }

private:
  std::vector<const FunctionDecl *> &functions;
};

} // namespace

void forEachStatement(const Stmt *body, function_ref<void(const Stmt *)> visit) {
  if (!body)
    return;
  visit(body);
  if (isa<LambdaExpr>(body))
    return;
  for (const Stmt *child : body->children())
    forEachStatement(child, visit);
}

const Expr *Frame::argumentFor(const ParmVarDecl *parameter) const {
  if (!call || parameter->getDeclContext() != function)
    return nullptr;
  // The object comes before the arguments of an operator.
  unsigned number = parameter->getFunctionScopeIndex() +
                    (isa<CXXOperatorCallExpr>(call) && isa<CXXMethodDecl>(function) ? 1 : 0);
  return number < call->getNumArgs() ? call->getArg(number) : nullptr;
}

Functions::Functions(ASTContext &context) : context(context) {
  Collector(defined).TraverseAST(context);
  for (const FunctionDecl *caller : defined)
    forEachStatement(caller->getBody(), [&](const Stmt *statement) {
      const auto *call = dyn_cast<CallExpr>(statement);
      const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
      if (callee && callee->hasBody(callee) && !isVirtual(call))
        calls[callee].push_back({call, caller});
    });
}

std::vector<std::shared_ptr<const Frame>> Functions::waysInto(const FunctionDecl *function) const {
  return waysInto(function, deepest);
}

std::vector<std::shared_ptr<const Frame>> Functions::waysInto(const FunctionDecl *function,
                                                              unsigned depth) const {
  std::vector<std::shared_ptr<const Frame>> ways;
  auto known = calls.find(function);
  if (known != calls.end() && depth > 0)
    for (const Call &call : known->second) {
      if (call.caller == function)
        continue;
      if (ways.size() == mostWays)
        break;
      for (std::shared_ptr<const Frame> &way : waysInto(call.caller, depth - 1))
        if (ways.size() < mostWays)
          ways.push_back(std::make_shared<const Frame>(Frame{function, call.call, std::move(way)}));
    }
  if (ways.empty())
    ways.push_back(std::make_shared<const Frame>(Frame{function, nullptr, nullptr}));
  return ways;
}

const VariableFacts &Functions::factsOf(const FunctionDecl *function) const {
  std::unique_ptr<VariableFacts> &known = facts[function];
  if (!known)
    known =
        std::make_unique<VariableFacts>(CallPath(function), VariableFacts::ConstPointers::OnlyRead);
  return *known;
}

} // namespace tilelift
