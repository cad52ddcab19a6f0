//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/Words.h"

#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

bool isOfName(char c) {
  return isAlnum(c) || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

std::vector<StringRef> wordsIn(StringRef text) {
  std::vector<StringRef> words;
  while (!text.empty()) {
    const StringRef word = text.take_while(isOfName);
    if (!word.empty())
      words.push_back(word);
    text = text.drop_front(std::max<size_t>(1, word.size()));
  }
  return words;
}

std::vector<StringRef> namesIn(StringRef text, const LangOptions &language) {
  std::vector<StringRef> names;
  Lexer lexer(SourceLocation(), language, text.begin(), text.begin(), text.end());
  bool more = true;
  for (Token token; more;) {
    more = !lexer.LexFromRawLexer(token);
    if (token.is(tok::raw_identifier))
      names.push_back(token.getRawIdentifier());
  }
  return names;
}

bool isMember(StringRef word, StringRef text) {
  const StringRef before = text.take_front(size_t(word.data() - text.data()));
  return before.ends_with(".") || before.ends_with("->") || before.ends_with("::");
}

} // namespace tilelift
