//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/Toolkit.h"

#include "llvm/Support/Path.h"

using namespace llvm;

namespace tilelift {

bool isToolkit(StringRef folder, vfs::FileSystem &files) {
  folder = folder.rtrim('/');
  if (sys::path::filename(folder) == "cccl")
    folder = sys::path::parent_path(folder);
  return files.exists(folder + "/cuda_runtime.h");
}

} // namespace tilelift
