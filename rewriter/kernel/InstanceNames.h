//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an instance of a kernel is called, in messages and by those who launch it.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_INSTANCENAMES_H
#define TILELIFT_KERNEL_INSTANCENAMES_H

#include <string>
#include <vector>

namespace clang {
class FunctionDecl;
} // namespace clang

namespace tilelift {

/// With its scopes and template arguments.
std::string fullNameOf(const clang::FunctionDecl *instance);

/// How it may be called, the most exact name first: the driver's, then as a whole, with its
/// scopes, and alone.
std::vector<std::string> namesOf(const clang::FunctionDecl *instance);

} // namespace tilelift

#endif
