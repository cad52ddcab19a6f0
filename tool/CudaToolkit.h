//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where CUDA's headers are: in a toolkit, or in the Python packages that NVIDIA publishes of its
// parts.
//
// Clang looks for a toolkit itself, but in few places, and not in Python packages. So it is found
// here, once, and given to Clang.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_CUDATOOLKIT_H
#define TILELIFT_TOOL_CUDATOOLKIT_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tilelift {

struct CudaToolkit {
  /// The folder that has include/cuda.h; empty if there is none.
  std::string path;
  /// How it was found, for people: "--cuda-path", "CUDA_HOME", "nvcc on PATH".
  std::string origin;
  /// Its libraries of device code, without which the emulator cannot compile.
  bool hasDeviceLibrary = false;
};

/// The toolkit in the folder `asked` if one is asked for; otherwise the first one found.
CudaToolkit findToolkit(llvm::StringRef asked);

/// "13.0", as the toolkit's cuda.h says; empty if it does not say.
std::string versionOf(const CudaToolkit &toolkit);

/// What to say, and do, where none is found.
std::string missingToolkit(llvm::StringRef asked);

} // namespace tilelift

#endif
