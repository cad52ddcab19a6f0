//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags with which Clang reads a source as nvcc does.
//
// From the command by which nvcc preprocesses the source, macros, include folders, forced includes
// and the standard go to Clang as they are. Of the other flags of the host compiler, Clang gets the
// macros that they make, which the host compiler is asked for.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_NVCC_SOURCEFLAGS_H
#define TILELIFT_TOOL_NVCC_SOURCEFLAGS_H

#include "tool/nvcc/DryRun.h"

namespace tilelift {

/// Nothing, with a message, if the host compiler does not take the flags that nvcc gives it.
std::optional<CommandWords> sourceFlagsOf(const DeviceSource &source, const DryRun &run);

} // namespace tilelift

#endif
