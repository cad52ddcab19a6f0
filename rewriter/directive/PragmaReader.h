//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads `#pragma tma ...` lines into Directives while Clang preprocesses.
//
// Install one reader in a preprocessor before parsing. It reports every mistake
// in a line, with the place of the token at fault; a line with a mistake yields
// no directive. Lines outside the main file are reported and not read.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_DIRECTIVE_PRAGMAREADER_H
#define TILELIFT_DIRECTIVE_PRAGMAREADER_H

#include "directive/Directive.h"
#include "directive/MacroText.h"

#include "llvm/Support/VirtualFileSystem.h"

namespace clang {
class Preprocessor;
}

namespace tilelift {

/// What a file says before it is parsed.
struct DirectiveList {
  std::vector<Directive> directives;
  std::vector<Diagnostic> diagnostics;
  MacroUses macros;
};

/// `list` must outlive the preprocessor's use; it is filled as the file is read.
void installPragmaReader(clang::Preprocessor &preprocessor, DirectiveList &list);

/// Whether a file, or one that it includes by a name in quotes, may hold a `#pragma
/// tma`: a cheap look at the text, so that files without one cost nothing.
bool mayHaveDirectives(llvm::StringRef path, llvm::StringRef text, llvm::vfs::FileSystem &files);

llvm::StringRef spelling(DirectiveKind kind);

} // namespace tilelift

#endif
