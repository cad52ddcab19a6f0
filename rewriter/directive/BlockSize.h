//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block size, and the arguments, that host code launches with, where they are
// constants: a number, a dim3 of numbers, or a variable that is set once and never changed.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_DIRECTIVE_BLOCKSIZE_H
#define TILELIFT_DIRECTIVE_BLOCKSIZE_H

#include "llvm/ADT/StringRef.h"

#include <array>
#include <optional>
#include <string>

namespace clang {
class ASTContext;
class Expr;
class FunctionDecl;
} // namespace clang

namespace tilelift {

/// `block` is the second argument of <<<...>>>, in the host function `in`; null: in none.
std::optional<std::array<unsigned, 3>> constantBlock(const clang::Expr *block,
                                                     const clang::FunctionDecl *in,
                                                     const clang::ASTContext &context);

/// `config` is the first argument of cudaLaunchKernelEx.
std::optional<std::array<unsigned, 3>> constantBlockOfConfig(const clang::Expr *config,
                                                             const clang::FunctionDecl *in,
                                                             const clang::ASTContext &context);

/// An argument of a launch in the host function `in`.
std::optional<int64_t> constantArgument(const clang::Expr *argument, const clang::FunctionDecl *in,
                                        const clang::ASTContext &context);

/// What is wrong with a block of that size, if anything is.
std::optional<std::string> wrongBlock(const std::array<unsigned, 3> &shape);

/// The value of a constant, found by name from inside a kernel: a template parameter of
/// this instantiation, or a constant in or around the kernel. A constant that does not fit into a
/// signed 64-bit number counts as INT64_MAX.
std::optional<int64_t> constantNamed(llvm::StringRef name, const clang::FunctionDecl *kernel);

} // namespace tilelift

#endif
