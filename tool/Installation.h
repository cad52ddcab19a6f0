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
/// A file or folder of the tree that the tool is part of.
std::string beside(const llvm::Twine &name);
std::string runtimeHeaders();

} // namespace tilelift

#endif
