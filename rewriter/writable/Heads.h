//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the head of a function, from its first word to the end of its parameters, can be written
// once more for its sibling. The name is replaced and parameters are added, which is only possible
// where these places of the text are not inside of a macro. And C++ has to allow the sibling there:
// it is a template, which a virtual function or a specialization cannot be.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_WRITABLE_HEADS_H
#define TILELIFT_WRITABLE_HEADS_H

#include "text/SourceText.h"
#include "writable/Obstacle.h"

#include <optional>

namespace tilelift {

/// In a function on the way to a copy, its definition and its first declaration: its sibling gets
/// another name, one more template parameter and further parameters.
std::optional<Obstacle> inHeadsOf(const clang::FunctionDecl *pattern, const SourceText &source);

/// In a kernel: the lifted one gets another name and further parameters, and its plan and its
/// launcher have its template parameters.
std::optional<Obstacle> inHeadOfKernel(const clang::FunctionDecl *pattern,
                                       const SourceText &source);

} // namespace tilelift

#endif
