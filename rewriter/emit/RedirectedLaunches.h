//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes launches of lifted kernels as calls of their launchers. Which launches those are, and that
// they can be written, is decided before (writable/Launches).
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_REDIRECTEDLAUNCHES_H
#define TILELIFT_EMIT_REDIRECTEDLAUNCHES_H

#include "writable/Launches.h"

namespace tilelift {

EditSet editsOf(const LaunchChanges &changes, const clang::LangOptions &language,
                const SourceText &source, const MacroUses &macros);

} // namespace tilelift

#endif
