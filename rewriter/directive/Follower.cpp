//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "directive/Follower.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

/// Of a statement and of all that it calls.
void Follower::addDirectives(const Stmt *in, SetVector<const Directive *> &directives,
                             DenseSet<const FunctionDecl *> &seen) const {
  if (!in)
    return;
  if (const Directive *directive = directiveOf(in))
    directives.insert(directive);
  if (const auto *call = dyn_cast<CallExpr>(in))
    if (const FunctionDecl *callee = calledBody(call); callee && seen.insert(callee).second)
      addDirectives(callee->getBody(), directives, seen);
  for (const Stmt *child : in->children())
    addDirectives(child, directives, seen);
}

const Directive *Follower::directiveOf(const Stmt *statement) const {
  if (const auto *attributed = dyn_cast<AttributedStmt>(statement))
    statement = attributed->getSubStmt(); // `#pragma unroll` stands between
  return annotated.find(placeOf(sources, statement->getBeginLoc()));
}

/// What stands in sizeof or noexcept never runs.
static bool isUnevaluated(const Stmt *statement) {
  return isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr>(statement);
}

bool Follower::reaches(const Stmt *statement) {
  if (!statement || isUnevaluated(statement))
    return false;
  if (directiveOf(statement))
    return true;
  if (const auto *call = dyn_cast<CallExpr>(statement))
    if (const FunctionDecl *callee = calledBody(call); callee && reaches(callee))
      return true;
  if (const auto *construct = dyn_cast<CXXConstructExpr>(statement)) {
    const FunctionDecl *callee = construct->getConstructor()->getDefinition();
    if (callee && callee->hasBody() && reaches(callee))
      return true;
  }
  return llvm::any_of(statement->children(), [&](const Stmt *child) { return reaches(child); });
}

bool Follower::reaches(const FunctionDecl *definition) {
  auto [place, isNew] = known.try_emplace(definition, false);
  if (!isNew)
    return place->second; // of a recursive call, what the outer one finds
  bool result = reaches(definition->getBody());
  known[definition] = result;
  return result;
}

void Follower::follow(const Stmt *statement, const CallPath &path,
                      DenseSet<const Directive *> &bound) {
  if (!statement || isUnevaluated(statement) ||
      isa<LambdaExpr>(statement)) // runs where it is called
    return;
  if (const Directive *directive = directiveOf(statement);
      directive && bound.insert(directive).second)
    found.push_back({directive, statement, path});
  if (const auto *call = dyn_cast<CallExpr>(statement))
    followCall(call, path);
  if (const auto *construct = dyn_cast<CXXConstructExpr>(statement)) {
    const FunctionDecl *callee = construct->getConstructor()->getDefinition();
    if (callee && callee->hasBody() && reaches(callee))
      refuse(construct, callee, "a copy in a constructor");
  }
  for (const Stmt *child : statement->children())
    follow(child, path, bound);
}

void Follower::followCall(const CallExpr *call, const CallPath &path) {
  const FunctionDecl *callee = calledBody(call);
  if (!callee || !reaches(callee))
    return;
  if (isa<CXXConversionDecl>(callee))
    refuse(call, callee, "a copy in a conversion");
  else if (llvm::is_contained(path.getFunctions(), callee))
    refuse(call, callee, "a copy in a function that calls itself");
  else
    followBody(path.with(call));
}

} // namespace tilelift
