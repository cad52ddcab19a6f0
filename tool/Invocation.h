//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a file is compiled: from flags after `--`, from a compile database, or by
// default. Commands of nvcc are understood as far as they say where headers are
// and which macros are defined; the rest of them is nvcc's own.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_INVOCATION_H
#define TILELIFT_TOOL_INVOCATION_H

#include "tool/Options.h"

#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <memory>

namespace clang {
class CompilerInvocation;
}

namespace tilelift {

/// What is analysed: the device side, parsed only.
inline const std::vector<std::string> analysis = {"--cuda-device-only", "--offload-arch=sm_90",
                                                  "-fsyntax-only"};

/// Returns how Clang is invoked for a file; null, with a message, if the flags make no sense.
/// `action` has the flags that select the host's or the device's side and what is made of the file.
std::shared_ptr<clang::CompilerInvocation>
makeInvocation(const std::string &file, const ToolOptions &options,
               llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files,
               const std::vector<std::string> &action = analysis,
               llvm::raw_ostream &messages = llvm::errs());

/// The disk, with texts in place of some of its files.
llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem>
filesWith(const std::map<std::string, std::string> &texts);

/// The CUDA files of the compile database.
std::vector<std::string> databaseFiles(const ToolOptions &options);

/// Whether a program is compiled with the C++ library of the installation, as the machine has none.
bool usesOwnHeaders(const clang::CompilerInvocation &invocation);

/// Whether a file is one that the tool adds to each compilation; such a file is only in memory.
bool isOfTool(llvm::StringRef file);

} // namespace tilelift

#endif
