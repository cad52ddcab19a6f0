//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of lifted kernels, turned into calls of their launchers: by chevrons, by functions of
// the runtime, in arguments of macros, and in the middle of a macro, whose use is written out
// then. Which launches those are is not decided here.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_LAUNCHTEXT_H
#define TILELIFT_EMIT_LAUNCHTEXT_H

#include "directive/MacroText.h"
#include "directive/Program.h"
#include "emit/SourceText.h"

namespace tilelift {

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
                     const SourceText &source, const MacroUses &macros);

} // namespace tilelift

#endif
