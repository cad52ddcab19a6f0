//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/SharedVariables.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace tilelift {

bool isDeclaredShared(const VarDecl &variable) {
  const ASTContext &context = variable.getASTContext();
  const SourceManager &sources = context.getSourceManager();
  const SourceLocation begin = sources.getSpellingLoc(variable.getBeginLoc());
  const StringRef written = Lexer::getSourceText(
      CharSourceRange::getCharRange(begin, sources.getSpellingLoc(variable.getLocation())), sources,
      context.getLangOpts());
  return variable.hasAttr<CUDASharedAttr>() || written.contains("__shared__");
}

} // namespace tilelift
