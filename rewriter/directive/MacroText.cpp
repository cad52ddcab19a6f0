//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "directive/MacroText.h"

#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;

namespace tilelift {

void MacroReader::take(const Token &token) {
  if (!token.getLocation().isMacroID())
    return;
  const SourceManager &sources = preprocessor.getSourceManager();
  CharSourceRange range = sources.getExpansionRange(token.getLocation());
  if (!sources.isInMainFile(range.getBegin()))
    return;
  MacroUse &use = uses[sources.getFileOffset(range.getBegin())];
  use.end = sources.getFileOffset(
      Lexer::getLocForEndOfToken(range.getEnd(), 0, sources, preprocessor.getLangOpts()));
  if (token.isAnnotation())
    use.hasPragma = true;
  else
    use.tokens.push_back({token.getLocation(), preprocessor.getSpelling(token)});
}

} // namespace tilelift
