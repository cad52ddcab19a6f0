//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a variable is declared in shared memory. Objects with constructors, which nvcc allows
// there and Clang does not, are parsed as static ones: of those, the text tells.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_SHAREDVARIABLES_H
#define TILELIFT_SUPPORT_SHAREDVARIABLES_H

#include "clang/AST/Decl.h"

namespace tilelift {

bool isDeclaredShared(const clang::VarDecl &variable);

} // namespace tilelift

#endif
