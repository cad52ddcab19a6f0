//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a compilation is the plugin's business at all. Where the answer is no
// the compiler must not notice that the plugin is loaded. Jobs that make no syntax
// tree, such as those of `-E`, do not get here.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLUGIN_GATES_H
#define TILELIFT_PLUGIN_GATES_H

#include "llvm/ADT/StringRef.h"

namespace clang {
class CompilerInstance;
}

namespace tilelift {

enum class Gate {
  Open,
  Closed,
  /// There is a pragma, but this input cannot be rewritten.
  PreprocessedInput,
  StandardInput,
  PrecompiledHeader,
};

/// What the input is that cannot be rewritten, for a message.
const char *inputOf(Gate gate);

Gate gateFor(clang::CompilerInstance &compiler);

/// The main file's text; empty when it has none.
llvm::StringRef mainFileText(clang::CompilerInstance &compiler);

} // namespace tilelift

#endif
