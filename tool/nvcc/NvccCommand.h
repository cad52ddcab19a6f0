//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilelift nvcc ...`: lifts the sources of a compile command, and runs nvcc with the same command
// and the lifted texts in the place of the sources.
//
//   tilelift nvcc -O3 -arch=sm_90a -c blur.cu -o blur.o
//
// nvcc is that of TILELIFT_NVCC, or of the toolkit that is found. Options for tilelift stand in
// TILELIFT_FLAGS, with spaces between them. The lifted texts are in a folder that is removed
// afterwards, or in that of TILELIFT_KEEP. A command that compiles no device code is run as it is.
//
// tilelift_rewrite (cmake/TileliftTarget.cmake) calls it with --tilelift-settings=<file>, and with
// the target's other launchers ahead of nvcc. The file has a line for each of: options (with
// semicolons between), compiler, target, folder.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_NVCC_NVCCCOMMAND_H
#define TILELIFT_TOOL_NVCC_NVCCCOMMAND_H

#include "llvm/ADT/ArrayRef.h"

namespace tilelift {

/// Returns the exit status: that of nvcc if the sources were lifted.
int nvccCommand(llvm::ArrayRef<const char *> arguments);

} // namespace tilelift

#endif
