//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links the program of `tilelift run` with the emulator, in place of the CUDA runtime.
//
// Usually Clang's driver does that, with the machine's linker and C++ library (LinkByClang.cpp). A
// standalone installation has a linker inside and needs nothing of the machine but the shared
// libraries that its programs run with (LinkWithin.cpp).
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_RUN_LINK_H
#define TILELIFT_TOOL_RUN_LINK_H

#include <string>
#include <vector>

namespace tilelift {

/// The path of the emulator's library; empty if it is not there.
std::string emulatorLibrary();

struct LinkRequest {
  std::vector<std::string> objects;
  std::string emulator;
  std::string program; ///< the file to write
  /// The host's side was compiled with the headers of the installation's own C++ library.
  bool hasOwnHeaders = false;
};
/// Returns false, with a message, if the program does not link.
bool link(const LinkRequest &request);

} // namespace tilelift

#endif
