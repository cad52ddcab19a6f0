//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which headers are the CUDA toolkit's.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_TOOLKIT_H
#define TILELIFT_SUPPORT_TOOLKIT_H

#include "llvm/Support/VirtualFileSystem.h"

namespace tilelift {

/// Whether a folder holds the toolkit's headers, or those of CCCL beside them.
bool isToolkit(llvm::StringRef folder, llvm::vfs::FileSystem &files);

} // namespace tilelift

#endif
