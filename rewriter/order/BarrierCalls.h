//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a call that waits at a barrier may change variables of its caller.
//
// The effects do not tell: to them such variables are registers, and not memory. So the text of the
// call is judged. The call changes no variable if it passes only numbers, by value, and objects of
// harmless classes, if it calls methods only of such objects, and if its text contains no
// assignment, no address of a variable, no lambda and no assembly. A class is harmless if it has no
// members or is of a system header, as thread blocks are, and if its destructor is trivial.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ORDER_BARRIERCALLS_H
#define TILELIFT_ORDER_BARRIERCALLS_H

#include "clang/AST/Expr.h"

namespace tilelift {

bool mayChangeVariables(const clang::CallExpr *call);

} // namespace tilelift

#endif
