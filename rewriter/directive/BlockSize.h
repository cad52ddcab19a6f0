//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which block sizes a launch may have, and what the names in a pragma's clauses stand for.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_DIRECTIVE_BLOCKSIZE_H
#define TILELIFT_DIRECTIVE_BLOCKSIZE_H

#include "llvm/ADT/StringRef.h"

#include <array>
#include <optional>
#include <string>

namespace clang {
class FunctionDecl;
} // namespace clang

namespace tilelift {

/// What is wrong with a block of that size, if anything is.
std::optional<std::string> wrongBlock(const std::array<unsigned, 3> &shape);

/// The value of a constant, found by name from inside a kernel: a template parameter of
/// this instantiation, or a constant in or around the kernel. A constant that does not fit into a
/// signed 64-bit number counts as INT64_MAX.
std::optional<int64_t> constantNamed(llvm::StringRef name, const clang::FunctionDecl *kernel);

} // namespace tilelift

#endif
