//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the macros in the user's files are expanded to, token by token, so that a use of
// one can be written out where something in its middle has to change.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_DIRECTIVE_MACROTEXT_H
#define TILELIFT_DIRECTIVE_MACROTEXT_H

#include "clang/Basic/SourceLocation.h"

#include <map>
#include <string>
#include <vector>

namespace clang {
class Preprocessor;
class Token;
} // namespace clang

namespace tilelift {

struct MacroToken {
  clang::SourceLocation location;
  std::string text;
};

/// One use of a macro, with those that it uses itself.
struct MacroUse {
  /// One past its last character.
  unsigned end = 0;
  std::vector<MacroToken> tokens;
  /// It brings a pragma, which tokens do not tell.
  bool hasPragma = false;
};

/// By the places of the uses.
using MacroUses = std::map<unsigned, MacroUse>;

/// Takes the tokens that the parser gets, and keeps those that macros bring.
class MacroReader {
public:
  MacroReader(clang::Preprocessor &preprocessor, MacroUses &uses)
      : preprocessor(preprocessor), uses(uses) {}

  void take(const clang::Token &token);

private:
  clang::Preprocessor &preprocessor;
  MacroUses &uses;
};

} // namespace tilelift

#endif
