//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "effects/SourceSpots.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/Path.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

/// As Clang's debug information has it.
Spot spotAt(const SourceManager &sources, SourceLocation location) {
  if (location.isInvalid())
    return {};
  PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(location));
  if (place.isInvalid())
    return {};
  return {place.getLine(), place.getColumn(), sys::path::filename(place.getFilename()).str()};
}

SpotTable::SpotTable(const FunctionDecl *function)
    : sources(function->getASTContext().getSourceManager()) {
  const FunctionDecl *definition = nullptr;
  if (!function->hasBody(definition))
    return;
  if (const auto *constructor = dyn_cast<CXXConstructorDecl>(definition))
    for (const CXXCtorInitializer *each : constructor->inits())
      add(each->getInit(), nullptr);
  add(definition->getBody(), nullptr);
}

void SpotTable::addAt(SourceLocation location, const Stmt *statement) {
  Spot spot = spotAt(sources, location);
  if (!spot.isKnown())
    return;
  auto &here = statements[std::move(spot)];
  if (here.empty() || here.back() != statement)
    here.push_back(statement);
}

void SpotTable::add(const Stmt *statement, const Stmt *parent) {
  if (!statement)
    return;
  parents[statement] = parent;
  addAt(statement->getBeginLoc(), statement);
  addAt(statement->getEndLoc(), statement);
  if (const auto *expression = dyn_cast<Expr>(statement))
    addAt(expression->getExprLoc(), statement);
  if (const auto *declaration = dyn_cast<DeclStmt>(statement))
    for (const Decl *each : declaration->decls())
      addAt(each->getLocation(), statement);
  if (const auto *construct = dyn_cast<CXXConstructExpr>(statement))
    addAt(construct->getLocation(), statement);
  if (const auto *element = dyn_cast<ArraySubscriptExpr>(statement))
    addAt(element->getRBracketLoc(), statement);
  if (const auto *counted = dyn_cast<CXXForRangeStmt>(statement)) {
    addAt(counted->getColonLoc(), statement);
    addAt(counted->getRParenLoc(), statement);
  }
  if (isa<LambdaExpr>(statement)) { // its body is another function's
    for (const Expr *init : cast<LambdaExpr>(statement)->capture_inits())
      add(init, statement);
    return;
  }
  for (const Stmt *child : statement->children())
    add(child, statement);
}

ArrayRef<const Stmt *> SpotTable::at(const Spot &spot) const {
  auto found = statements.find(spot);
  return found == statements.end() ? ArrayRef<const Stmt *>() : ArrayRef(found->second);
}

bool SpotTable::isWithin(const Stmt *inner, const Stmt *outer) const {
  for (; inner; inner = parents.lookup(inner))
    if (inner == outer)
      return true;
  return false;
}

bool SpotTable::isAt(const Stmt *statement, const Spot &spot) const {
  return llvm::any_of(at(spot), [&](const Stmt *here) { return isWithin(here, statement); });
}

} // namespace tilelift
