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

#include <memory>

namespace clang {
class CompilerInvocation;
}

namespace tilelift {

/// Null, with a message on the error stream, when the flags make no sense.
std::shared_ptr<clang::CompilerInvocation>
makeInvocation(const std::string &file, const ToolOptions &options,
               llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files);

} // namespace tilelift

#endif
