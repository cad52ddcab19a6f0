//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what a program says of a launch to work, or to the error that the runtime
// answers.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_CUDART_LAUNCH_H
#define TILELIFT_EMULATOR_CUDART_LAUNCH_H

#include "cudart/Work.h"

namespace tilelift::emulator::cudart {

constexpr uint32_t maxGridX = 2147483647, maxGridYZ = 65535;
constexpr uint32_t portableClusterBlocks = 8, maxClusterBlocks = 16;

struct LaunchOptions {
  Dim cluster;
  bool hasCluster = false;
  bool isCooperative = false;
};

cudaError_t readAttributes(const cudaLaunchAttribute *attributes, unsigned count,
                           LaunchOptions &options);

cudaError_t makeLaunch(const void *stub, dim3 grid, dim3 block, void **arguments, size_t shared,
                       const LaunchOptions &options, Launch &launch);

cudaError_t submitLaunch(const void *stub, dim3 grid, dim3 block, void **arguments, size_t shared,
                         cudaStream_t stream, const LaunchOptions &options);

} // namespace tilelift::emulator::cudart

#endif
