//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between which numbers an index stays, in all threads, blocks and rounds, and what it is a
// multiple of.
//
// Read off the syntax: what variables are set to, what loops and branches around the
// index ask for. On the safe side; what is not followed may be any number of its type.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_FACTS_INDEXRANGE_H
#define TILELIFT_FACTS_INDEXRANGE_H

#include "interpreter/Interpreter.h"

namespace tilelift {

Interval rangeOf(const clang::Expr *index, const KernelUnderTest &kernel);
Multiples multiplesOf(const clang::Expr *index, const KernelUnderTest &kernel);

} // namespace tilelift

#endif
