//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "fix/ExpressionText.h"

#include "support/Locations.h"

#include "clang/AST/TypeLoc.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

std::optional<CharSourceRange> textOf(const Expr *expression, const ASTContext &context) {
  const SourceManager &sources = context.getSourceManager();
  CharSourceRange range = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(expression->getSourceRange()), sources, context.getLangOpts());
  if (range.isInvalid() || !placeOf(sources, range.getBegin()).isKnown())
    return std::nullopt;
  return range;
}

SmallVector<const Expr *, 4> extentTexts(const VarDecl *array, size_t dims,
                                         const ASTContext &context) {
  SmallVector<const Expr *, 4> texts;
  const TypeSourceInfo *written = array->getTypeSourceInfo();
  TypeLoc type = written ? written->getTypeLoc() : TypeLoc();
  while (!type.isNull()) {
    auto array = type.getAs<ArrayTypeLoc>();
    if (!array || !array.getSizeExpr() || !textOf(array.getSizeExpr(), context))
      break;
    texts.push_back(array.getSizeExpr());
    type = array.getElementLoc();
  }
  if (texts.size() != dims)
    texts.clear();
  return texts;
}

bool bindsLikeSum(const Expr *expression) {
  expression = expression->IgnoreImplicit();
  const auto *binary = dyn_cast<BinaryOperator>(expression);
  return !isa<AbstractConditionalOperator>(expression) &&
         (!binary || binary->isAdditiveOp() || binary->isMultiplicativeOp());
}

} // namespace tilelift
