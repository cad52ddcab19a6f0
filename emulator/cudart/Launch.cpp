//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel launches: whether one is allowed, in the order in which the runtime
// asks, and its arguments in one piece.
//===----------------------------------------------------------------------===//

#include "cudart/Launch.h"

#include "cudart/Device.h"
#include "cudart/Occupancy.h"

#include <algorithm>
#include <cstring>

namespace tilelift::emulator::cudart {

namespace {

bool isIn(uint32_t value, uint32_t most) { return value >= 1 && value <= most; }

cudaError_t checkShape(const LaunchRequest &request) {
  const Dim &grid = request.grid, &block = request.block;
  bool isGrid = isIn(grid.x, maxGridX) && isIn(grid.y, maxGridYZ) && isIn(grid.z, maxGridYZ);
  bool isBlock = isIn(block.x, 1024) && isIn(block.y, 1024) && isIn(block.z, 64) &&
                 block.count() <= DeviceLimits::threadsPerBlock;
  return isGrid && isBlock ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t checkResources(const Function &function, const LaunchRequest &request) {
  if (request.dynamicShared > maxDynamicSharedOf(function))
    return cudaErrorInvalidValue;
  uint32_t maxThreads = function.kernel->maxThreads;
  return maxThreads && request.block.count() > maxThreads ? cudaErrorInvalidValue : cudaSuccess;
}

bool agrees(const Dim &cluster, const uint32_t *required) {
  bool isFree = !required[0] && !required[1] && !required[2];
  return isFree ||
         (cluster.x == required[0] && cluster.y == required[1] && cluster.z == required[2]);
}

cudaError_t checkCluster(const Function &function, const LaunchRequest &request) {
  const Dim &grid = request.grid, &cluster = request.cluster;
  if (!agrees(cluster, requiredCluster(function)))
    return cudaErrorInvalidClusterSize;
  if (!cluster.count() || grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
    return cudaErrorInvalidClusterSize;
  unsigned most = function.allowsLargeClusters ? maxClusterBlocks : portableClusterBlocks;
  return cluster.count() <= most ? cudaSuccess : cudaErrorInvalidClusterSize;
}

cudaError_t checkCooperative(const Function &function, const LaunchRequest &request) {
  uint64_t atOnce =
      uint64_t(residentBlocks(function, uint32_t(request.block.count()), request.dynamicShared)) *
      DeviceLimits::multiprocessors;
  return request.grid.count() <= atOnce ? cudaSuccess : cudaErrorCooperativeLaunchTooLarge;
}

cudaError_t check(const Function &function, const LaunchRequest &request) {
  if (cudaError_t error = checkShape(request))
    return error;
  if (cudaError_t error = checkResources(function, request))
    return error;
  if (cudaError_t error = checkCluster(function, request))
    return error;
  return request.isCooperative ? checkCooperative(function, request) : cudaSuccess;
}

std::vector<char> pack(const Kernel &kernel, void **arguments) {
  std::vector<char> packed(kernel.parameterBytes);
  for (uint32_t i = 0; i < kernel.parameterCount; ++i)
    std::memcpy(packed.data() + kernel.parameters[i].offset, arguments[i],
                kernel.parameters[i].bytes);
  return packed;
}

/// That of the launch, or the only one that the kernel can have.
Dim clusterOf(const Function &function, const LaunchOptions &options) {
  const uint32_t *required = requiredCluster(function);
  if (options.hasCluster || !required[0])
    return options.cluster;
  return {required[0], required[1], required[2]};
}

Dim dim(dim3 from) { return {from.x, from.y, from.z}; }

} // namespace

cudaError_t makeLaunch(const void *stub, dim3 grid, dim3 block, void **arguments, size_t shared,
                       const LaunchOptions &options, Launch &launch) {
  Function *function;
  if (cudaError_t error = findKernel(stub, function))
    return error;
  launch.stub = stub;
  LaunchRequest &request = launch.request;
  request.kernel = function->kernel;
  request.grid = dim(grid);
  request.block = dim(block);
  request.cluster = clusterOf(*function, options);
  request.isCooperative = options.isCooperative;
  request.dynamicShared = uint32_t(shared); // the real one takes the low bits, too
  if (cudaError_t error = check(*function, request))
    return error;
  if (!arguments && function->kernel->parameterCount)
    return cudaErrorInvalidValue;
  request.parameters = pack(*function->kernel, arguments);
  return cudaSuccess;
}

cudaError_t submitLaunch(const void *stub, dim3 grid, dim3 block, void **arguments, size_t shared,
                         cudaStream_t stream, const LaunchOptions &options) {
  Launch launch;
  if (cudaError_t error = makeLaunch(stub, grid, block, arguments, shared, options, launch)) {
    invalidateCapture(stream);
    return error;
  }
  return submit(stream, std::move(launch));
}

namespace {

cudaError_t takeAttribute(const cudaLaunchAttribute &attribute, LaunchOptions &options) {
  const cudaLaunchAttributeValue &value = attribute.val;
  switch (attribute.id) {
  case cudaLaunchAttributeClusterDimension:
    options.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
    options.hasCluster = true;
    return cudaSuccess;
  case cudaLaunchAttributeCooperative:
    options.isCooperative = value.cooperative != 0;
    return cudaSuccess;
  case cudaLaunchAttributeAccessPolicyWindow: {
    const cudaAccessPolicyWindow &window = value.accessPolicyWindow;
    int most = 0;
    bool isPossible = readAttribute(cudaDevAttrMaxAccessPolicyWindowSize, most) &&
                      window.num_bytes <= size_t(most) && window.hitRatio >= 0 &&
                      window.hitRatio <= 1;
    return isPossible ? cudaSuccess : cudaErrorInvalidValue;
  }
  // Work is done in order, so these ask for nothing that is not done anyway.
  case cudaLaunchAttributeIgnore:
  case cudaLaunchAttributeSynchronizationPolicy:
  case cudaLaunchAttributeClusterSchedulingPolicyPreference:
  case cudaLaunchAttributeProgrammaticStreamSerialization:
  case cudaLaunchAttributePriority:
  case cudaLaunchAttributeMemSyncDomainMap:
  case cudaLaunchAttributeMemSyncDomain:
  case cudaLaunchAttributePreferredClusterDimension:
  case cudaLaunchAttributePreferredSharedMemoryCarveout: return cudaSuccess;
  case cudaLaunchAttributeProgrammaticEvent:
    return findEvent(value.programmaticEvent.event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  case cudaLaunchAttributeLaunchCompletionEvent:
    return findEvent(value.launchCompletionEvent.event) ? cudaSuccess
                                                        : cudaErrorInvalidResourceHandle;
  case cudaLaunchAttributeDeviceUpdatableKernelNode: return cudaErrorNotSupported;
  default: return cudaErrorInvalidValue;
  }
}

/// Events that the launch records.
cudaError_t recordEvents(const cudaLaunchAttribute *attributes, unsigned count,
                         cudaStream_t stream) {
  for (unsigned i = 0; i < count; ++i) {
    cudaEvent_t event = nullptr;
    if (attributes[i].id == cudaLaunchAttributeProgrammaticEvent)
      event = attributes[i].val.programmaticEvent.event;
    if (attributes[i].id == cudaLaunchAttributeLaunchCompletionEvent)
      event = attributes[i].val.launchCompletionEvent.event;
    if (event)
      if (cudaError_t error = cudaEventRecord(event, stream))
        return error;
  }
  return cudaSuccess;
}

} // namespace

cudaError_t readAttributes(const cudaLaunchAttribute *attributes, unsigned count,
                           LaunchOptions &options) {
  for (unsigned i = 0; i < count; ++i)
    if (cudaError_t error = takeAttribute(attributes[i], options))
      return error;
  return cudaSuccess;
}

} // namespace tilelift::emulator::cudart

using namespace tilelift::emulator::cudart;

extern "C" {

cudaError_t cudaLaunchKernel(const void *stub, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream) {
  return call(
      [&](State &) { return submitLaunch(stub, grid, block, arguments, shared, stream, {}); });
}

cudaError_t cudaLaunchCooperativeKernel(const void *stub, dim3 grid, dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream) {
  LaunchOptions options;
  options.isCooperative = true;
  return call(
      [&](State &) { return submitLaunch(stub, grid, block, arguments, shared, stream, options); });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *stub,
                                void **arguments) {
  return call([&](State &) {
    LaunchOptions options;
    if (!config)
      return cudaErrorInvalidValue;
    if (cudaError_t error = readAttributes(config->attrs, config->numAttrs, options))
      return error;
    if (cudaError_t error = submitLaunch(stub, config->gridDim, config->blockDim, arguments,
                                         config->dynamicSmemBytes, config->stream, options))
      return error;
    return recordEvents(config->attrs, config->numAttrs, config->stream);
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  return call([&](State &) {
    return function ? submit(stream, HostCall{function, data}) : cudaErrorInvalidValue;
  });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

} // extern "C"

TILELIFT_PER_THREAD(cudaLaunchKernel, _ptsz);
TILELIFT_PER_THREAD(cudaLaunchCooperativeKernel, _ptsz);
TILELIFT_PER_THREAD(cudaLaunchKernelExC, _ptsz);
TILELIFT_PER_THREAD(cudaLaunchHostFunc, _ptsz);
TILELIFT_PER_THREAD(__cudaLaunchKernel, _ptsz);
