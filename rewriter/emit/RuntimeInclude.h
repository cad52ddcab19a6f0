//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a lifted file includes the runtime's headers, and how. Macros of the user's that have the
// name of an identifier in these headers (`#define M 512`) are undefined in front of the #include
// and restored behind it.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_RUNTIMEINCLUDE_H
#define TILELIFT_EMIT_RUNTIMEINCLUDE_H

#include "directive/Variants.h"
#include "text/SourceText.h"

namespace tilelift {

/// The edit that adds the #include; `firstChange` is the offset of the first other edit in the
/// file.
Edit runtimeInclude(const UserFile &file, unsigned firstChange, const Variants &variants,
                    const clang::LangOptions &language);

} // namespace tilelift

#endif
