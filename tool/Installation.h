//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the tool's own files are, in an installation or in the build.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_INSTALLATION_H
#define TILELIFT_TOOL_INSTALLATION_H

#include "llvm/ADT/Twine.h"

#include <string>

namespace tilelift {

/// The tool itself.
std::string toolPath();
/// A file or folder of the tree that the tool, or the library that somebody else's program has
/// loaded, is part of.
std::string beside(const llvm::Twine &name);
std::string runtimeHeaders();
/// The program that Clang's driver takes itself for. It need not be there.
std::string clangProgram();
/// The folder of Clang's own headers.
std::string clangResources();
/// In a standalone installation: the headers and the C++ library of a host, for machines without.
/// Empty elsewhere.
std::string hostFolder();

} // namespace tilelift

#endif
