//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the macros of the main file are expanded to, token by token, so that a use of
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
}

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

/// By the offsets of the uses in the main file.
using MacroUses = std::map<unsigned, MacroUse>;

/// `uses` must outlive the preprocessor's use; it is filled as the file is read.
void installMacroReader(clang::Preprocessor &preprocessor, MacroUses &uses);

} // namespace tilelift

#endif
