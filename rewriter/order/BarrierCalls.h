//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a call that waits at a barrier may do anything to variables of its caller. These
// are no memory to the effects, which see registers there; so the call is read as it is written:
// only numbers may be passed, and only objects that lead nowhere may be called.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ORDER_BARRIERCALLS_H
#define TILELIFT_ORDER_BARRIERCALLS_H

#include "clang/AST/Expr.h"

namespace tilelift {

bool mayChangeVariables(const clang::CallExpr *call);

} // namespace tilelift

#endif
