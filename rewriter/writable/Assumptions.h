//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel's plans rely on that the lifted file alone does not fix: constants and sizes of
// types from headers or from between #if and #endif, and macros that a command line may define. A
// compiler that sees other values than the tool did would copy the wrong bytes, so the lifted text
// asserts them: `TX == 16`, `sizeof(real) == 4`.
//
// Constants are looked for in the copies, their tiles, the heads of their pipelines' loops, and in
// what all of those are made of: initial values, assignments, the bodies of functions that are
// called. What cannot be named outside of the kernel, as what an #if inside of it chooses, shows in
// the tile's size at best, which is asserted at the copy. Template arguments need no check: other
// arguments select another plan, or none.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_WRITABLE_ASSUMPTIONS_H
#define TILELIFT_WRITABLE_ASSUMPTIONS_H

#include "directive/Variants.h"
#include "kernel/KernelPlan.h"

namespace tilelift {

struct Assumptions {
  /// For a static_assert behind the kernel, each once, in the order of their use.
  std::vector<std::string> conditions;
  /// A place where what the copies depend on uses __LINE__, whose value differs in the lifted text;
  /// invalid if there is none.
  clang::SourceLocation line;
};
Assumptions assumptionsOf(const KernelPlan &kernel, const Variants &variants);

/// The condition for a static_assert within the kernel, as `sizeof(float[rows()][32]) == 1024`, if
/// the tile's size depends on something that no condition outside can name; else nothing.
std::optional<std::string> sizeToAssume(const clang::FunctionDecl *kernel,
                                        const clang::VarDecl *tile, const Variants &variants);

} // namespace tilelift

#endif
