//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many blocks of a kernel a multiprocessor holds. Threads, blocks and shared
// memory count as on an H200; a translated kernel has no registers, so they are
// taken to be few.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_CUDART_OCCUPANCY_H
#define TILELIFT_EMULATOR_CUDART_OCCUPANCY_H

#include "cudart/State.h"

namespace tilelift::emulator::cudart {

constexpr uint32_t registersPerThread = 32; ///< so that they never decide
constexpr uint32_t registersPerMultiprocessor = 65536;
constexpr uint32_t threadsPerMultiprocessor = 2048;
constexpr uint32_t blocksPerMultiprocessor = 32;
constexpr uint32_t sharedPerMultiprocessor = 228 * 1024;
constexpr uint32_t reservedSharedPerBlock = 1024;

/// Bytes of dynamic shared memory that a launch may ask for.
uint32_t maxDynamicSharedOf(const Function &function);

/// 0 where no block fits.
uint32_t residentBlocks(const Function &function, uint32_t threads, size_t dynamicShared);

} // namespace tilelift::emulator::cudart

#endif
