//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the text of a CUDA program to a program for this machine: both sides are
// compiled, the device side is translated, and everything is linked with the
// emulator in place of the CUDA runtime.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_RUN_BUILD_H
#define TILELIFT_TOOL_RUN_BUILD_H

#include "tool/Options.h"

#include "llvm/ADT/StringRef.h"

#include <map>

namespace tilelift {

struct BuildRequest {
  std::string file;   ///< the user's name for it; messages and includes go by it
  std::string folder; ///< for everything that is built
  std::string name;   ///< of the program in the folder
  std::string arch;   ///< "sm_90a"
  /// What is compiled in the place of files, its own and headers.
  std::map<std::string, std::string> texts;
};

/// The path of the program; empty when it cannot be built, which has been said.
std::string build(const BuildRequest &request, const ToolOptions &options);

} // namespace tilelift

#endif
