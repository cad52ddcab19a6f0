//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the warps of a block do to shared memory, beside its annotated statements.
//
// A few warps run all of the kernel, of each loop a few rounds. That is a sample,
// to choose a layout by; nothing that has to be true follows from it.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_FACTS_WARPACCESSES_H
#define TILELIFT_FACTS_WARPACCESSES_H

#include "interpreter/Interpreter.h"

namespace tilelift {

using AccessesByTile = std::map<const void *, std::vector<WarpAccess>>;

/// By the declaration of each shared array.
AccessesByTile accessesOfWarps(const KernelUnderTest &kernel,
                               llvm::ArrayRef<const clang::Stmt *> annotated);

} // namespace tilelift

#endif
