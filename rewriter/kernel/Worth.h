//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which copies of a planned kernel are expected to be slower by TMA than as loops. plan/Profit.h is
// the model; here it is found out what it asks: which copies wait together, and where.
//
// Not asked about are copies in a loop with a `pipeline` pragma, tiles that blocks share, and
// copies that are to be lifted in any case.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_WORTH_H
#define TILELIFT_KERNEL_WORTH_H

#include "kernel/FileFacts.h"
#include "kernel/KernelPlan.h"

#include <map>

namespace tilelift {

/// The pragmas of copies that should stay loops, and the warning for each.
std::map<const Directive *, Diagnostic> expectedLosses(const KernelPlan &kernel,
                                                       const FileFacts &file);

} // namespace tilelift

#endif
