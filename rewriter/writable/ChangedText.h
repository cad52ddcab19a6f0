//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the parts of a kernel that lifting changes can be changed: they have to be text of the
// file, and not of a macro. These are the copies, the declarations of their tiles and of dynamic
// shared memory, and the calls that lead from the kernel to copies.
//
// It is asked before anything is written. Whether the rest of the text can be written once more is
// decided in Writable.h.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_WRITABLE_CHANGEDTEXT_H
#define TILELIFT_WRITABLE_CHANGEDTEXT_H

#include "directive/MacroText.h"
#include "text/SourceText.h"
#include "writable/FunctionText.h"

namespace tilelift {

/// The first part that cannot be changed; none if all can.
std::optional<Diagnostic> whyNotChangeable(const KernelPlan &kernel, const SourceText &source,
                                           const MacroUses &macros);

} // namespace tilelift

#endif
