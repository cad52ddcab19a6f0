//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the lambdas on the way to a copy can capture what the copy's text names: the barrier, its
// phase, and the tensor map.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_WRITABLE_LAMBDAS_H
#define TILELIFT_WRITABLE_LAMBDAS_H

#include "support/CallPath.h"
#include "text/SourceText.h"
#include "writable/Obstacle.h"

#include <optional>

namespace tilelift {

std::optional<Obstacle> inLambdas(const CallPath &path, const SourceText &source);

/// The lambda at some place that is made when a statement runs: none that is a part of a constant,
/// or of a variable that the program has from its start. Null if there is none.
const clang::LambdaExpr *lambdaMadeIn(const clang::Stmt *statement, clang::SourceLocation location);

} // namespace tilelift

#endif
