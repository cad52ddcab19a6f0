//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of code that exists as text alone, for those who ask which names it uses.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_WORDS_H
#define TILELIFT_SUPPORT_WORDS_H

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace clang {
class LangOptions;
}

namespace tilelift {

/// Whether a character may be part of a name: a `$`, and each byte of a letter outside of ASCII,
/// may be, too.
bool isOfName(char c);
/// All words of a text that may be names, in order; they are parts of it.
std::vector<llvm::StringRef> wordsIn(llvm::StringRef text);
/// The same, without those in comments and in literals.
std::vector<llvm::StringRef> namesIn(llvm::StringRef text, const clang::LangOptions &language);
/// Whether `.`, `->` or `::` stands in front of a word of the text.
bool isMember(llvm::StringRef word, llvm::StringRef text);

} // namespace tilelift

#endif
