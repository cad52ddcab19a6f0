//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "directive/MacroText.h"

#include "support/Locations.h"

#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;

namespace tilelift {

void MacroReader::take(const Token &token) {
  if (!token.getLocation().isMacroID())
    return;
  const SourceManager &sources = preprocessor.getSourceManager();
  CharSourceRange range = sources.getExpansionRange(token.getLocation());
  Place begin = placeOf(sources, range.getBegin());
  if (!begin.isKnown())
    return;
  MacroUse &use = uses[begin.offset];
  use.end = placeOf(sources, Lexer::getLocForEndOfToken(range.getEnd(), 0, sources,
                                                        preprocessor.getLangOpts()))
                .offset;
  if (token.isAnnotation())
    use.hasPragma = true;
  else
    use.tokens.push_back({token.getLocation(), preprocessor.getSpelling(token)});
}

} // namespace tilelift
