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

KernelSizes sizesOf(const clang::FunctionDecl *kernel, const Effects &effects);

/// The reason why no barrier and no ring may be added to the kernel's shared memory, or nothing if
/// they may be: the kernel reads the size of its shared memory. Code that is not visible, such as a
/// function of another file, is assumed not to read it: compilers generate that only from inline
/// assembly.
std::optional<Diagnostic> whyNoMoreMemory(const KernelEffects &kernel,
                                          const clang::SourceManager &sources);

} // namespace tilelift

#endif
