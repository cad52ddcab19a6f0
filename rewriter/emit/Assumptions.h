//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel's plans rely on that the lifted file alone does not fix: constants and sizes of
// types from headers or from between #if and #endif, and macros that a command line may define. A
// compiler that sees other values than the tool did would copy the wrong bytes, so the lifted text
// asserts them: `TX == 16`, `sizeof(real) == 4`.
//
// Constants are looked for in the copies, their tiles, the heads of their pipelines' loops, and in
// what all of those are made of. Values that an #if inside of the kernel chooses are not checked:
// the plan, which stands outside, cannot name them. Template arguments need no check: other
// arguments select another plan, or none.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_ASSUMPTIONS_H
#define TILELIFT_EMIT_ASSUMPTIONS_H

#include "directive/Variants.h"
#include "emit/Emitter.h"

namespace tilelift {

/// Conditions for a static_assert behind the kernel, each once, in the order of their use.
std::vector<std::string> assumptionsOf(const KernelToEmit &kernel, const Variants &variants);

} // namespace tilelift

#endif
