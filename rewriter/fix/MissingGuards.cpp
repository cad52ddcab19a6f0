//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "fix/MissingGuards.h"

#include "fix/ExpressionText.h"
#include "support/Locations.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// The expression that is a statement of its own, within another one, and starts there.
const Expr *expressionAt(Place place, const Stmt *statement, const SourceManager &sources) {
  auto among = [&](std::initializer_list<const Stmt *> parts) -> const Expr * {
    for (const Stmt *part : parts)
      if (const Expr *found = part ? expressionAt(place, part, sources) : nullptr)
        return found;
    return nullptr;
  };
  if (const auto *expression = dyn_cast<Expr>(statement))
    return placeOf(sources, expression->getBeginLoc()) == place ? expression : nullptr;
  if (const auto *branch = dyn_cast<IfStmt>(statement))
    return among({branch->getThen(), branch->getElse()});
  if (const auto *loop = dyn_cast<ForStmt>(statement))
    return among({loop->getBody()});
  if (const auto *loop = dyn_cast<WhileStmt>(statement))
    return among({loop->getBody()});
  if (const auto *loop = dyn_cast<DoStmt>(statement))
    return among({loop->getBody()});
  if (const auto *attributed = dyn_cast<AttributedStmt>(statement))
    return among({attributed->getSubStmt()});
  if (const auto *compound = dyn_cast<CompoundStmt>(statement))
    for (const Stmt *child : compound->body())
      if (const Expr *found = among({child}))
        return found;
  return nullptr;
}

/// Whether an `if` in front of a statement would take the `else` of another one.
bool takesElse(const Stmt *statement, const VariableFacts &facts) {
  while (statement && !isa<CompoundStmt>(statement)) {
    const Stmt *child = statement;
    statement = facts.parentOf(child);
    const auto *branch = dyn_cast_or_null<IfStmt>(statement);
    if (branch && branch->getElse() && branch->getThen() == child)
      return true;
  }
  return false;
}

/// What an assignment stores to.
const Expr *storedBy(const Expr *expression) {
  expression = expression->IgnoreImplicit();
  if (const auto *assignment = dyn_cast<BinaryOperator>(expression))
    return assignment->getOpcode() == BO_Assign ? assignment->getLHS() : nullptr;
  const auto *ofClass = dyn_cast<CXXOperatorCallExpr>(expression);
  return ofClass && ofClass->getOperator() == OO_Equal ? ofClass->getArg(0) : nullptr;
}

/// An element of an array: its subscripts, the first dimension's last.
struct Element {
  const VarDecl *array = nullptr;
  SmallVector<const Expr *, 3> indices;
};

Element elementOf(const Expr *expression) {
  Element element;
  expression = expression->IgnoreParenImpCasts();
  while (const auto *subscript = dyn_cast<ArraySubscriptExpr>(expression)) {
    element.indices.push_back(subscript->getIdx());
    expression = subscript->getBase()->IgnoreParenImpCasts();
  }
  const auto *name = dyn_cast<DeclRefExpr>(expression);
  element.array = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  return element;
}

/// As an operand of `<`.
std::string operandText(const Expr *expression, CharSourceRange text, const ASTContext &context) {
  std::string written =
      Lexer::getSourceText(text, context.getSourceManager(), context.getLangOpts()).str();
  return bindsLikeSum(expression) ? written : "(" + written + ")";
}

BinaryOperator *joined(BinaryOperatorKind op, const Expr *left, const Expr *right,
                       const ASTContext &context) {
  return BinaryOperator::Create(context, const_cast<Expr *>(left), const_cast<Expr *>(right), op,
                                context.BoolTy, VK_PRValue, OK_Ordinary, left->getBeginLoc(),
                                FPOptionsOverride());
}

/// That subscripts stay below what they are declared for.
struct Bounded {
  const Expr *condition;
  std::string text;
};

std::vector<Bounded> boundsOf(const Element &element, const KernelUnderTest &kernel) {
  ASTContext &context = kernel.context;
  // All of `tile[0][i]` may be meant.
  bool isFlat = element.indices.size() > 1 && llvm::any_of(element.indices, [&](const Expr *index) {
                  return index->isIntegerConstantExpr(context);
                });
  if (!element.array || isFlat)
    return {};
  std::vector<Bounded> bounds;
  QualType type = element.array->getType();
  auto extents = extentTexts(element.array, element.indices.size(), context);
  for (auto [index, extent] : zip(reverse(element.indices), extents)) {
    const auto *array = context.getAsConstantArrayType(type);
    std::optional<CharSourceRange> text = textOf(index, context);
    if (!array || !text || !kernel.facts.changedWithin(index).empty())
      return {};
    unsigned bits = context.getIntWidth(index->getType());
    auto *bound = IntegerLiteral::Create(context, array->getSize().zextOrTrunc(bits),
                                         index->getType(), index->getBeginLoc());
    bounds.push_back({joined(BO_LT, index, bound, context),
                      operandText(index, *text, context) + " < " +
                          operandText(extent, *textOf(extent, context), context)});
    type = array->getElementType();
  }
  return bounds;
}

} // namespace

std::vector<GuardRemedy> guardsFor(const Diagnostic &refusal, const Stmt *copy,
                                   const KernelUnderTest &kernel) {
  ASTContext &context = kernel.context;
  const Expr *store = expressionAt(refusal.place, copy, context.getSourceManager());
  const Expr *target = store ? storedBy(store) : nullptr;
  if (!target || !store->getBeginLoc().isFileID() || takesElse(store, kernel.facts))
    return {};
  std::vector<Bounded> parts = boundsOf(elementOf(target), kernel);
  if (parts.size() > 1) {
    Bounded all = parts.front();
    for (const Bounded &part : drop_begin(parts))
      all = {joined(BO_LAnd, all.condition, part.condition, context),
             all.text + " && " + part.text};
    parts.push_back(all);
  }
  std::vector<GuardRemedy> guards;
  for (const Bounded &part : parts) {
    Remedy remedy{"store only where '" + part.text + "'", {}};
    remedy.edits = {{refusal.place, 0, "if (" + part.text + ") "}};
    guards.push_back({{store, part.condition}, remedy});
  }
  return guards;
}

} // namespace tilelift
