//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of an instance of a kernel: for messages, and for programs that look the instance up to
// launch it.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_INSTANCENAMES_H
#define TILELIFT_KERNEL_INSTANCENAMES_H

#include <string>
#include <vector>

namespace clang {
class FunctionDecl;
} // namespace clang

namespace tilelift {

/// The qualified name with template arguments.
std::string fullNameOf(const clang::FunctionDecl *instance);

/// The names by which a user may refer to the instance, the most exact one first: the mangled name,
/// the qualified name with template arguments (fullNameOf), the qualified name without them, and
/// the bare name.
std::vector<std::string> namesOf(const clang::FunctionDecl *instance);

} // namespace tilelift

#endif
