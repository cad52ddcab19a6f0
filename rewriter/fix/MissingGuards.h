//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards that a refused store may lack: those that keep its subscripts within the extents
// that its array is declared with.
//
// Nothing says what a program does that goes past them, so none that is defined changes.
// Whether the copy lifts then is for the caller to try.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_FIX_MISSINGGUARDS_H
#define TILELIFT_FIX_MISSINGGUARDS_H

#include "interpreter/Interpreter.h"

namespace tilelift {

struct GuardRemedy {
  MissingGuard guard;
  Remedy remedy;
};

/// The last one holds where all of them do.
std::vector<GuardRemedy> guardsFor(const Diagnostic &refusal, const clang::Stmt *copy,
                                   const KernelUnderTest &kernel);

} // namespace tilelift

#endif
