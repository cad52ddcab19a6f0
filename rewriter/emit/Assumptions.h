//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of the program a kernel's plans took for given, and the lifted file's own text does not
// settle: constants and sizes of types from headers or from between #if and #endif, and macros
// that a command line may define. A compiler that sees other values than the tool did would
// copy the wrong bytes, so the lifted text asserts them: `TX == 16`, `sizeof(real) == 4`.
//
// Constants are looked for in the copies, their tiles, the heads of their pipelines' loops, and in
// what all of those are made of. Not asserted is what has no name where the plan is written:
// values that only an #if inside of the kernel chooses. Template arguments need no assertion: with
// other ones there is no plan.
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
