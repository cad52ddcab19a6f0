//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads `#pragma tma ...` lines into Directives while Clang preprocesses.
//
// Install one reader in a preprocessor before parsing. It reports every mistake
// in a line, with the place of the token at fault; a line with a mistake yields
// no directive. Lines in headers of the system are reported and not read.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_DIRECTIVE_PRAGMAREADER_H
#define TILELIFT_DIRECTIVE_PRAGMAREADER_H

#include "directive/Directive.h"
#include "directive/MacroText.h"
#include "directive/Variants.h"

namespace clang {
class Preprocessor;
}

namespace tilelift {

/// A line that includes a file, whether or not the file has been read before.
struct IncludeLine {
  /// From the quote or bracket; unknown where a macro brings the name.
  Place begin;
  unsigned length = 0;
  /// Where the line is, if its name is unknown.
  Place hash;
  std::string path;
};

/// What a file says before it is parsed.
struct DirectiveList {
  std::vector<Directive> directives;
  std::vector<Diagnostic> diagnostics;
  MacroUses macros;
  Variants variants;
  /// Of the user's files.
  std::vector<IncludeLine> includes;
};

/// `list` must outlive the preprocessor's use; it is filled as the file is read.
void installPragmaReader(clang::Preprocessor &preprocessor, DirectiveList &list);

llvm::StringRef spelling(DirectiveKind kind);

} // namespace tilelift

#endif
