//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program can ask and set of a kernel.
//===----------------------------------------------------------------------===//

#include "cudart/Launch.h"
#include "cudart/Occupancy.h"

using namespace tilelift::emulator;
using namespace tilelift::emulator::cudart;

namespace {

/// Calls the body with a kernel that can be launched.
template <class Body> cudaError_t callWith(const void *stub, Body body) {
  return call([&](State &) {
    Function *function;
    if (cudaError_t error = findKernel(stub, function))
      return error;
    return body(*function);
  });
}

cudaFuncAttributes attributesOf(const Function &function) {
  const Kernel &kernel = *function.kernel;
  cudaFuncAttributes attributes = {};
  attributes.sharedSizeBytes = kernel.sharedBytes;
  attributes.maxThreadsPerBlock =
      int(kernel.maxThreads ? kernel.maxThreads : DeviceLimits::threadsPerBlock);
  attributes.numRegs = int(registersPerThread);
  attributes.ptxVersion = int(kernel.architecture);
  attributes.binaryVersion = int(kernel.architecture);
  attributes.maxDynamicSharedSizeBytes = int(maxDynamicSharedOf(function));
  attributes.preferredShmemCarveout = function.carveout;
  const uint32_t *cluster = requiredCluster(function);
  attributes.clusterDimMustBeSet = kernel.cluster[0] != 0;
  attributes.requiredClusterWidth = int(cluster[0]);
  attributes.requiredClusterHeight = int(cluster[1]);
  attributes.requiredClusterDepth = int(cluster[2]);
  attributes.nonPortableClusterSizeAllowed = function.allowsLargeClusters;
  return attributes;
}

cudaError_t setMaxDynamicShared(Function &function, int value) {
  uint32_t most = DeviceLimits::sharedPerBlockOptIn - function.kernel->sharedBytes;
  if (value < 0 || uint32_t(value) > most)
    return cudaErrorInvalidValue;
  function.maxDynamicShared = uint32_t(value);
  function.hasMaxDynamicShared = true;
  return cudaSuccess;
}

cudaError_t setCluster(Function &function, cudaFuncAttribute attribute, int value) {
  if (value < 0 || function.kernel->cluster[0])
    return cudaErrorInvalidValue;
  function.cluster[attribute - cudaFuncAttributeRequiredClusterWidth] = uint32_t(value);
  return cudaSuccess;
}

cudaError_t setAttribute(Function &function, cudaFuncAttribute attribute, int value) {
  switch (attribute) {
  case cudaFuncAttributeMaxDynamicSharedMemorySize: return setMaxDynamicShared(function, value);
  case cudaFuncAttributePreferredSharedMemoryCarveout:
    if (value < -1 || value > 100)
      return cudaErrorInvalidValue;
    function.carveout = value;
    return cudaSuccess;
  case cudaFuncAttributeNonPortableClusterSizeAllowed:
    function.allowsLargeClusters = value != 0;
    return cudaSuccess;
  case cudaFuncAttributeRequiredClusterWidth:
  case cudaFuncAttributeRequiredClusterHeight:
  case cudaFuncAttributeRequiredClusterDepth: return setCluster(function, attribute, value);
  case cudaFuncAttributeClusterSchedulingPolicyPreference: return cudaSuccess;
  default: return cudaErrorInvalidValue;
  }
}

cudaFunction_t asFunction(Function &function) {
  return reinterpret_cast<cudaFunction_t>(&function);
}
cudaKernel_t asKernel(Function &function) { return reinterpret_cast<cudaKernel_t>(&function); }

} // namespace

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *stub) {
  return callWith(stub, [&](Function &function) {
    if (!attributes)
      return cudaErrorInvalidValue;
    *attributes = attributesOf(function);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void *stub, cudaFuncAttribute attribute, int value) {
  return callWith(stub,
                  [&](Function &function) { return setAttribute(function, attribute, value); });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute,
                                            int value, int device) {
  return device == 0 ? cudaFuncSetAttribute(kernel, attribute, value)
                     : remember(cudaErrorInvalidDevice);
}

cudaError_t cudaFuncSetCacheConfig(const void *stub, cudaFuncCache) {
  return callWith(stub, [](Function &) { return cudaSuccess; });
}

cudaError_t cudaFuncSetSharedMemConfig(const void *stub, cudaSharedMemConfig) {
  return callWith(stub, [](Function &) { return cudaSuccess; });
}

cudaError_t cudaFuncGetName(const char **name, const void *stub) {
  return callWith(stub, [&](Function &function) {
    if (!name)
      return cudaErrorInvalidValue;
    *name = function.name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void *stub, size_t index, size_t *offset, size_t *bytes) {
  return callWith(stub, [&](Function &function) {
    if (!offset || index >= function.kernel->parameterCount)
      return cudaErrorInvalidValue;
    *offset = function.kernel->parameters[index].offset;
    if (bytes)
      *bytes = function.kernel->parameters[index].bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *stub) {
  return call([&](State &) {
    Function *found;
    if (findKernel(stub, found))
      return cudaErrorInvalidDeviceFunction;
    *function = asFunction(*found);
    return cudaSuccess;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *stub) {
  return call([&](State &) {
    Function *found;
    if (findKernel(stub, found))
      return cudaErrorInvalidDeviceFunction;
    *kernel = asKernel(*found);
    return cudaSuccess;
  });
}

/// Called before main, when not all files are registered: the kernel is looked up
/// when it is launched.
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub) {
  return call([&](State &api) {
    auto found = api.functions.find(stub);
    if (found == api.functions.end())
      return cudaErrorInvalidDeviceFunction;
    *kernel = asKernel(found->second);
    return cudaSuccess;
  });
}

} // extern "C"
