//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns launches of lifted kernels into calls of their launchers: `kernel<<<...>>>(...)`, functions
// of the CUDA runtime, launches in arguments of macros, and launches inside of a macro, whose use
// is then replaced by what it expands to. Which launches those are is not decided here.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_LAUNCHTEXT_H
#define TILELIFT_EMIT_LAUNCHTEXT_H

#include "directive/MacroText.h"
#include "directive/Program.h"
#include "text/SourceText.h"

namespace tilelift {

struct Variants;

struct RedirectedLaunch {
  const Launch *launch = nullptr;
  std::string kernel;
  std::string launcher;
};

struct LaunchEdits {
  EditSet edits;
  std::vector<Diagnostic> diagnostics;
};

LaunchEdits redirect(llvm::ArrayRef<RedirectedLaunch> launches, clang::ASTContext &context,
                     const SourceText &source, const MacroUses &macros, const Variants &variants);

} // namespace tilelift

#endif
