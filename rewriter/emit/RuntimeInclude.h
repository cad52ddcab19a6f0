//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a file includes the runtime, and how: macros of the user's that are called as something in
// the runtime's headers (`#define M 512`) are put aside for as long as those are read.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_RUNTIMEINCLUDE_H
#define TILELIFT_EMIT_RUNTIMEINCLUDE_H

#include "directive/Variants.h"
#include "emit/SourceText.h"

namespace tilelift {

/// For a file whose first other change is at `firstChange`, an offset in the file.
Edit runtimeInclude(const UserFile &file, unsigned firstChange, const Variants &variants,
                    const clang::LangOptions &language);

} // namespace tilelift

#endif
