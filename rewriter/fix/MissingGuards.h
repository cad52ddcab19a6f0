//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards that a refused store may lack: those that keep its subscripts within the extents
// that its array is declared with.
//
// A program that goes past these extents has undefined behaviour, so the guards change no program
// that is defined. Whether the copy lifts with a guard is for the caller to try.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_FIX_MISSINGGUARDS_H
#define TILELIFT_FIX_MISSINGGUARDS_H

#include "interpreter/Interpreter.h"

namespace tilelift {

struct GuardRemedy {
  MissingGuard guard;
  Remedy remedy;
};

/// Returns the guards that the refused store may lack, one for each of its subscripts. If there are
/// several, another guard behind them is the conjunction of all.
std::vector<GuardRemedy> guardsFor(const Diagnostic &refusal, const clang::Stmt *copy,
                                   const KernelUnderTest &kernel);

} // namespace tilelift

#endif
