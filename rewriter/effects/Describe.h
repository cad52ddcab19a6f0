//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a kernel's effects, in words: for --dump-effects.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_DESCRIBE_H
#define TILELIFT_EFFECTS_DESCRIBE_H

#include "effects/KernelEffects.h"

#include <string>

namespace tilelift {

/// "reads 'in', writes 'tile', meets the block"; empty where nothing can be noticed.
std::string describe(const Effect &effect, const KernelEffects &kernel);

/// A line for each place in the kernel's own text where something happens.
std::string describe(const KernelEffects &kernel, llvm::StringRef name);

} // namespace tilelift

#endif
