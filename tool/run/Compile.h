//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles one side of a CUDA file with the Clang that is linked in: the device
// side to PTX, the host side to an object file. What the emulator wants to know
// of the source besides is collected on the way.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_RUN_COMPILE_H
#define TILELIFT_TOOL_RUN_COMPILE_H

#include "ptx/Translate.h"

#include "clang/Frontend/CompilerInvocation.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <map>
#include <memory>
#include <string>

namespace tilelift {

using Invocation = std::shared_ptr<clang::CompilerInvocation>;
using Files = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

/// Readies LLVM's code generators for this machine and for CUDA devices.
void initializeTargets();

struct DeviceSide {
  bool compiled = false;
  std::string ptx;
  llvm::StringMap<std::vector<ptx::ParameterFacts>> kernels;
  std::vector<ptx::LocalAccess> localAccesses;
  /// By kernel, as in "2,1,1".
  llvm::StringMap<std::string> clusters;
};
DeviceSide compileDevice(Invocation invocation, Files files);

struct HostSide {
  bool compiled = false;
  /// The C++ library is the installation's own.
  bool hasOwnHeaders = false;
  /// What Clang had to say. Much of it was said of the device's side before.
  std::string messages;
  /// Where functions that are only declared are called first: "prog.cu:12:3".
  std::map<std::string, std::string> calls;
};
/// Writes the object file that the invocation names.
HostSide compileHost(Invocation invocation, Files files);

} // namespace tilelift

#endif
