//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CUDA itself declares for a kernel: threadIdx, blockIdx, blockDim, gridDim and warpSize, in
// the forms that Clang gives them, and the builtins that they are read by. And which namespace a
// function of CUDA's libraries is in.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_BUILTINS_H
#define TILELIFT_SUPPORT_BUILTINS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <utility>

namespace clang {
class Expr;
class FunctionDecl;
class Stmt;
class VarDecl;
} // namespace clang

namespace tilelift {

/// Clang's number of a builtin of the device, wherever the function is parsed; 0 for none.
unsigned deviceBuiltin(const clang::FunctionDecl *function);

/// Of threadIdx.x and its like, in the form of Clang's CUDA headers (a property or a builtin) or a
/// plain member: the variable's and the member's name.
std::optional<std::pair<llvm::StringRef, llvm::StringRef>>
builtinMember(const clang::Expr *expression);

/// Whether an expression names `blockDim`, CUDA's variable for the size of the block, or a member
/// of it.
bool namesBlockSize(const clang::Stmt *statement);

/// Whether a function is declared in a namespace of the outermost scope, or in a part of it.
bool isInNamespace(const clang::FunctionDecl *function, llvm::StringRef name);

/// Whether a variable is `threadIdx` as CUDA's headers declare it.
bool isThreadIndex(const clang::VarDecl *variable);

} // namespace tilelift

#endif
