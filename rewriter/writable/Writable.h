//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the text of a kernel, and of the functions on the way to its copies, can be duplicated in
// the program and mean the same there. It cannot if the duplicate would have a static variable of
// its own, would expand to something else (__COUNTER__), or would lose access (a class's friend).
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_WRITABLE_WRITABLE_H
#define TILELIFT_WRITABLE_WRITABLE_H

#include "directive/MacroText.h"
#include "directive/Variants.h"
#include "text/SourceText.h"
#include "writable/FunctionText.h"

namespace tilelift {

/// What is in the way, if anything is, and where.
std::optional<Diagnostic> whyNotWritable(const KernelPlan &kernel, const SourceText &source,
                                         const Variants &variants, const MacroUses &macros);

/// Whether a function leads to shared memory that there is once for each of its local types: a
/// lifted copy of the function has other types, and so another array.
bool sharesByLocalType(const clang::FunctionDecl *function);

} // namespace tilelift

#endif
