//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel has of memory and parameters before it is lifted, and whether its shared memory may
// grow.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_SIZES_H
#define TILELIFT_KERNEL_SIZES_H

#include "effects/KernelEffects.h"
#include "plan/Together.h"

namespace tilelift {

KernelSizes sizesOf(const clang::FunctionDecl *kernel);

/// Why no barrier or ring may be added to the kernel's shared memory, if none may: the program asks
/// how large that is. Code of another file is taken not to, as no compiler makes that of anything
/// but assembly.
std::optional<Diagnostic> whyNoMoreMemory(const KernelEffects &kernel,
                                          const clang::SourceManager &sources);

} // namespace tilelift

#endif
