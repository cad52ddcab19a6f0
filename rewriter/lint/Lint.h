//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads TMA code that is written by hand: what a program asks the driver for, and what its
// kernels pass to the instructions. What certainly breaks a rule of TMA's is reported. What depends
// on numbers that only a run has is no finding; a remark says what remains to be checked there.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_LINT_LINT_H
#define TILELIFT_LINT_LINT_H

#include "support/Diagnostics.h"

namespace clang {
class ASTContext;
}

namespace tilelift {

/// `capability` is that of the device, times ten.
std::vector<Diagnostic> lint(clang::ASTContext &context, int capability);

} // namespace tilelift

#endif
