//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "effects/SourceSpots.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
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

Spot spotAt(const DILocation &location) {
  return {location.getLine(), location.getColumn(),
          sys::path::filename(location.getFilename()).str()};
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
  const SourceLocation place = sources.getExpansionLoc(location);
  if (first.try_emplace(spot, place).first->second != place)
    shared.insert(spot);
  auto &here = statements[std::move(spot)];
  if (here.empty() || here.back() != statement)
    here.push_back(statement);
}

void SpotTable::addSpots(const Stmt *of, const Stmt *statement) {
  addAt(of->getBeginLoc(), statement);
  addAt(of->getEndLoc(), statement);
  if (const auto *expression = dyn_cast<Expr>(of))
    addAt(expression->getExprLoc(), statement);
  if (const auto *declaration = dyn_cast<DeclStmt>(of))
    for (const Decl *each : declaration->decls())
      addAt(each->getLocation(), statement);
  if (const auto *construct = dyn_cast<CXXConstructExpr>(of))
    addAt(construct->getLocation(), statement);
  if (const auto *element = dyn_cast<ArraySubscriptExpr>(of))
    addAt(element->getRBracketLoc(), statement);
  if (const auto *counted = dyn_cast<CXXForRangeStmt>(of)) {
    addAt(counted->getColonLoc(), statement);
    addAt(counted->getRParenLoc(), statement);
  }
}

/// What a default argument or a member's default initialiser does is written elsewhere, once for
/// all places that use it.
static const Stmt *writtenElsewhere(const Stmt *statement) {
  if (const auto *argument = dyn_cast<CXXDefaultArgExpr>(statement))
    return argument->getExpr();
  if (const auto *member = dyn_cast<CXXDefaultInitExpr>(statement))
    return member->getExpr();
  return nullptr;
}

void SpotTable::addSpotsOf(const Stmt *of, const Stmt *statement,
                           SmallPtrSetImpl<const Stmt *> &seen) {
  if (!of || !seen.insert(of).second)
    return;
  addSpots(of, statement);
  addSpotsOf(writtenElsewhere(of), statement, seen);
  if (!isa<LambdaExpr>(of))
    for (const Stmt *child : of->children())
      addSpotsOf(child, statement, seen);
}

void SpotTable::add(const Stmt *statement, const Stmt *parent) {
  // Of what is written once and stands in the tree twice, the first place counts.
  const unsigned number = unsigned(places.size());
  if (!statement || !places.try_emplace(statement, Place{parent, number, number}).second)
    return;
  addSpots(statement, statement);
  SmallPtrSet<const Stmt *, 8> seen;
  addSpotsOf(writtenElsewhere(statement), statement, seen);
  if (isa<LambdaExpr>(statement)) { // its body is another function's
    for (const Expr *init : cast<LambdaExpr>(statement)->capture_inits())
      add(init, statement);
  } else {
    for (const Stmt *child : statement->children())
      add(child, statement);
  }
  places[statement].last = unsigned(places.size() - 1);
}

ArrayRef<const Stmt *> SpotTable::at(const Spot &spot) const {
  auto found = statements.find(spot);
  return found == statements.end() ? ArrayRef<const Stmt *>() : ArrayRef(found->second);
}

bool SpotTable::isWithin(const Stmt *inner, const Stmt *outer) const {
  auto in = places.find(inner), out = places.find(outer);
  return in != places.end() && out != places.end() && out->second.number <= in->second.number &&
         in->second.number <= out->second.last;
}

bool SpotTable::isAnyWithin(ArrayRef<const Stmt *> here, const Stmt *outer) const {
  auto out = places.find(outer);
  if (out == places.end())
    return false;
  const auto *first = llvm::partition_point(
      here, [&](const Stmt *each) { return numberOf(each) < out->second.number; });
  return first != here.end() && numberOf(*first) <= out->second.last;
}

bool SpotTable::isAnyApart(ArrayRef<const Stmt *> here, const Stmt *other) const {
  const Place own = places.lookup(other);
  if (!here.empty() && numberOf(here.back()) > own.last)
    return true;
  for (const Stmt *each : here)
    if (numberOf(each) >= own.number)
      return false;
    else if (!isWithin(other, each))
      return true;
  return false;
}

} // namespace tilelift
