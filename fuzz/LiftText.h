//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lifts a text that is in memory only, with the few declarations of CUDA that it needs,
// and looks at what comes out. For the fuzzers, which do it thousands of times a minute.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_FUZZ_LIFTTEXT_H
#define TILELIFT_FUZZ_LIFTTEXT_H

#include "llvm/ADT/StringRef.h"

namespace tilelift {

/// Aborts when a pragma of a text that parses goes without an answer. A text that does not
/// parse is nobody's.
void liftAndCheck(llvm::StringRef text);

} // namespace tilelift

#endif
