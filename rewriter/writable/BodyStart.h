//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where in a kernel's body the barriers of its copies are declared: behind the tiles, if the body
// declares them before it does anything. The producer leaves the other threads at that place.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_WRITABLE_BODYSTART_H
#define TILELIFT_WRITABLE_BODYSTART_H

#include "effects/KernelEffects.h"
#include "kernel/KernelPlan.h"
#include "text/SourceText.h"

namespace tilelift {

/// An offset in the file, not before the first one behind the body's brace.
unsigned startOfBarriers(const KernelPlan &kernel, const SourceText &source,
                         const Effects &effects);

} // namespace tilelift

#endif
