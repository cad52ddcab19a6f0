//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "cudart/Occupancy.h"

#include "cudart/Launch.h"

#include <algorithm>

namespace tilelift::emulator::cudart {

namespace {

uint32_t roundUp(uint32_t value, uint32_t to) { return (value + to - 1) / to * to; }

/// What a block takes of a multiprocessor's shared memory.
size_t sharedPerBlock(const Function &function, size_t dynamicShared) {
  size_t bytes = function.kernel->sharedBytes + dynamicShared + reservedSharedPerBlock;
  return (bytes + 127) / 128 * 128;
}

} // namespace

uint32_t maxDynamicSharedOf(const Function &function) {
  if (function.hasMaxDynamicShared)
    return function.maxDynamicShared;
  uint32_t statically = function.kernel->sharedBytes;
  return statically < DeviceLimits::sharedPerBlock ? DeviceLimits::sharedPerBlock - statically : 0;
}

uint32_t residentBlocks(const Function &function, uint32_t threads, size_t dynamicShared) {
  if (threads == 0 || threads > DeviceLimits::threadsPerBlock ||
      dynamicShared > maxDynamicSharedOf(function))
    return 0;
  uint32_t byThreads = threadsPerMultiprocessor / roundUp(threads, DeviceLimits::warp);
  uint32_t byShared = uint32_t(sharedPerMultiprocessor / sharedPerBlock(function, dynamicShared));
  return std::min({blocksPerMultiprocessor, byThreads, byShared});
}

namespace {

/// The multiprocessors in groups that a cluster cannot leave, as the answers of an
/// H200 tell them.
constexpr uint32_t groups[] = {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2};
constexpr uint32_t clusteredBlocksPerMultiprocessor = 8;

int clustersAtOnce(const Function &function, const cudaLaunchConfig_t &config, uint64_t size) {
  uint32_t threads = config.blockDim.x * config.blockDim.y * config.blockDim.z;
  uint32_t blocks = std::min(residentBlocks(function, threads, config.dynamicSmemBytes),
                             clusteredBlocksPerMultiprocessor);
  uint64_t clusters = 0;
  for (uint32_t group : groups)
    clusters += group >= size ? group * blocks / size : 0;
  return int(clusters);
}

/// Calls the body with a kernel that can be launched.
template <class Body> cudaError_t callWith(const void *stub, Body body) {
  return call([&](State &) {
    Function *function;
    if (cudaError_t error = findKernel(stub, function))
      return error;
    return body(*function);
  });
}

cudaError_t availableShared(const Function &function, uint32_t blocks, uint32_t threads,
                            size_t &dynamicShared) {
  uint32_t statically = function.kernel->sharedBytes;
  uint32_t each = sharedPerMultiprocessor / blocks / 128 * 128;
  if (blocks * roundUp(threads, DeviceLimits::warp) > threadsPerMultiprocessor ||
      blocks > blocksPerMultiprocessor || each < statically)
    return cudaErrorInvalidValue;
  dynamicShared = std::min(each - statically, maxDynamicSharedOf(function));
  return cudaSuccess;
}

} // namespace

} // namespace tilelift::emulator::cudart

using namespace tilelift::emulator;
using namespace tilelift::emulator::cudart;

extern "C" {

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *stub,
                                                                   int threads,
                                                                   size_t dynamicShared, unsigned) {
  return callWith(stub, [&](Function &function) {
    if (!blocks || threads <= 0)
      return cudaErrorInvalidValue;
    *blocks = int(residentBlocks(function, uint32_t(threads), dynamicShared));
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *stub,
                                                          int threads, size_t dynamicShared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, stub, threads,
                                                                dynamicShared, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicShared, const void *stub,
                                                      int blocks, int threads) {
  return callWith(stub, [&](Function &function) {
    if (!dynamicShared || blocks <= 0 || threads <= 0)
      return cudaErrorInvalidValue;
    return availableShared(function, uint32_t(blocks), uint32_t(threads), *dynamicShared);
  });
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *stub,
                                           const cudaLaunchConfig_t *config) {
  return callWith(stub, [&](Function &function) {
    LaunchOptions options;
    if (!clusters || !config)
      return cudaErrorInvalidValue;
    if (cudaError_t error = readAttributes(config->attrs, config->numAttrs, options))
      return error;
    if (!options.cluster.count())
      return cudaErrorInvalidClusterSize;
    *clusters = clustersAtOnce(function, *config, options.cluster.count());
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *blocks, const void *stub,
                                                 const cudaLaunchConfig_t *config) {
  return callWith(stub, [&](Function &function) {
    if (!blocks || !config)
      return cudaErrorInvalidValue;
    *blocks = int(function.allowsLargeClusters ? maxClusterBlocks : portableClusterBlocks);
    return cudaSuccess;
  });
}

} // extern "C"
