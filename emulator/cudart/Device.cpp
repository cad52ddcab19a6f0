//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program can ask and set of the device. There is one, number 0, that
// claims to be an H200 in all that programs decide by.
//
// Settings that only change speed are kept and have no effect.
//===----------------------------------------------------------------------===//

#include "cudart/Device.h"

#include "cudart/Graph.h"
#include "cudart/Launch.h"
#include "cudart/Occupancy.h"

#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_profiler_api.h>

namespace tilelift::emulator::cudart {

namespace {

constexpr int highestAttribute = cudaDevAttrOnlyPartialHostNativeAtomicSupported;
constexpr const char *busId = "0000:00:00.0";

cudaError_t checkDevice(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

int attribute(int number) {
  int value = 0;
  readAttribute(number, value);
  return value;
}

void setSizes(cudaDeviceProp &p) {
  p.totalGlobalMem = machine().memory.totalBytes();
  p.sharedMemPerBlock = size_t(attribute(cudaDevAttrMaxSharedMemoryPerBlock));
  p.sharedMemPerBlockOptin = size_t(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  p.sharedMemPerMultiprocessor = size_t(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  p.reservedSharedMemPerBlock = size_t(attribute(cudaDevAttrReservedSharedMemoryPerBlock));
  p.memPitch = size_t(attribute(cudaDevAttrMaxPitch));
  p.totalConstMem = size_t(attribute(cudaDevAttrTotalConstantMemory));
  p.textureAlignment = size_t(attribute(cudaDevAttrTextureAlignment));
  p.texturePitchAlignment = size_t(attribute(cudaDevAttrTexturePitchAlignment));
  p.surfaceAlignment = size_t(attribute(cudaDevAttrSurfaceAlignment));
  p.l2CacheSize = attribute(cudaDevAttrL2CacheSize);
  p.persistingL2CacheMaxSize = attribute(cudaDevAttrMaxPersistingL2CacheSize);
  p.accessPolicyMaxWindowSize = attribute(cudaDevAttrMaxAccessPolicyWindowSize);
  p.memoryBusWidth = attribute(cudaDevAttrGlobalMemoryBusWidth);
}

void setLimits(cudaDeviceProp &p) {
  for (int d = 0; d < 3; ++d) {
    p.maxThreadsDim[d] = attribute(cudaDevAttrMaxBlockDimX + d);
    p.maxGridSize[d] = attribute(cudaDevAttrMaxGridDimX + d);
  }
  p.maxThreadsPerBlock = attribute(cudaDevAttrMaxThreadsPerBlock);
  p.maxThreadsPerMultiProcessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  p.maxBlocksPerMultiProcessor = attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
  p.multiProcessorCount = attribute(cudaDevAttrMultiProcessorCount);
  p.regsPerBlock = attribute(cudaDevAttrMaxRegistersPerBlock);
  p.regsPerMultiprocessor = attribute(cudaDevAttrMaxRegistersPerMultiprocessor);
  p.warpSize = attribute(cudaDevAttrWarpSize);
  p.asyncEngineCount = attribute(cudaDevAttrAsyncEngineCount);
}

void setAbilities(cudaDeviceProp &p) {
  p.major = attribute(cudaDevAttrComputeCapabilityMajor);
  p.minor = attribute(cudaDevAttrComputeCapabilityMinor);
  p.canMapHostMemory = attribute(cudaDevAttrCanMapHostMemory);
  p.concurrentKernels = attribute(cudaDevAttrConcurrentKernels);
  p.ECCEnabled = attribute(cudaDevAttrEccEnabled);
  p.unifiedAddressing = attribute(cudaDevAttrUnifiedAddressing);
  p.streamPrioritiesSupported = attribute(cudaDevAttrStreamPrioritiesSupported);
  p.globalL1CacheSupported = attribute(cudaDevAttrGlobalL1CacheSupported);
  p.localL1CacheSupported = attribute(cudaDevAttrLocalL1CacheSupported);
  p.managedMemory = attribute(cudaDevAttrManagedMemory);
  p.concurrentManagedAccess = attribute(cudaDevAttrConcurrentManagedAccess);
  p.computePreemptionSupported = attribute(cudaDevAttrComputePreemptionSupported);
  p.cooperativeLaunch = attribute(cudaDevAttrCooperativeLaunch);
  p.hostRegisterSupported = attribute(cudaDevAttrHostRegisterSupported);
  p.memoryPoolsSupported = attribute(cudaDevAttrMemoryPoolsSupported);
  p.clusterLaunch = attribute(cudaDevAttrClusterLaunch);
  p.unifiedFunctionPointers = attribute(CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS);
  p.deviceNumaId = attribute(cudaDevAttrNumaId);
}

cudaDeviceProp properties() {
  cudaDeviceProp p;
  std::memset(&p, 0, sizeof p);
  std::strncpy(p.name, deviceName, sizeof p.name - 1);
  setSizes(p);
  setLimits(p);
  setAbilities(p);
  return p;
}

/// Device variables stay as they are; a real device gives them their first values.
void releaseAll(Memory &memory) {
  std::vector<char *> bases;
  for (auto &[base, allocation] : memory.allocations())
    if (allocation.kind != MemoryKind::variable)
      bases.push_back(base);
  for (char *base : bases)
    memory.release(base);
}

/// Forgets what the program made, all failures too.
void resetDevice() {
  State &api = state();
  api.captures.clear();
  api.streams = {};
  api.events = {};
  api.graphExecs = {};
  api.graphs = {};
  api.legacyStream.capture = api.perThreadStream.capture = nullptr;
  api.registered.clear();
  api.failure = cudaSuccess;
  releaseAll(machine().memory);
  machine().program.resetVariables();
}

bool isKnownLimit(cudaLimit limit) {
  return limit >= 0 && limit <= cudaLimitPersistingL2CacheSize &&
         limit != cudaLimitDevRuntimeSyncDepth;
}

/// L2 is set aside by tenths of what can be, while nothing is captured.
cudaError_t setAside(size_t &limit, size_t value) {
  const size_t most = size_t(attribute(cudaDevAttrMaxPersistingL2CacheSize)), part = most / 10;
  if (cudaError_t error = checkUnsafe())
    return error;
  if (value > most)
    return cudaErrorInvalidValue;
  limit = (value + part - 1) / part * part;
  return cudaSuccess;
}

} // namespace

bool readAttribute(int attribute, int &value) {
  static const std::map<int, int> values = {
#define TILELIFT_ATTRIBUTE(attribute, value) {int(attribute), int(value)},
#include "cudart/Attributes.def"
  };
  if (attribute < 1 || attribute > highestAttribute)
    return false;
  auto found = values.find(attribute);
  value = found == values.end() ? 0 : found->second;
  return true;
}

} // namespace tilelift::emulator::cudart

using namespace tilelift::emulator;
using namespace tilelift::emulator::cudart;

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  if (!device)
    return remember(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) { return remember(checkDevice(device)); }

cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return remember(checkDevice(device)); }

cudaError_t cudaSetValidDevices(int *devices, int count) {
  for (int i = 0; i < count; ++i)
    if (checkDevice(devices[i]))
      return remember(cudaErrorInvalidDevice);
  return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *) { return cudaGetDevice(device); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device) {
  return callAlways([&](State &) {
    if (!p)
      return cudaErrorInvalidValue;
    if (cudaError_t error = checkDevice(device))
      return error;
    *p = properties();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  return callAlways([&](State &) {
    if (cudaError_t error = checkDevice(device))
      return error;
    return value && readAttribute(attribute, *value) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call([](State &) { return checkWaitForAll(); });
}

cudaError_t cudaDeviceReset() {
  return callAlways([](State &) {
    resetDevice();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  constexpr size_t leastHeap = 4 << 20;
  return call([&](State &api) {
    if (!isKnownLimit(limit))
      return cudaErrorUnsupportedLimit;
    if (limit == cudaLimitPersistingL2CacheSize)
      return setAside(api.limits[limit], value);
    api.limits[limit] = limit == cudaLimitMallocHeapSize && value < leastHeap ? leastHeap : value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  return call([&](State &api) {
    if (!isKnownLimit(limit))
      return cudaErrorUnsupportedLimit;
    *value = api.limits[limit];
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return callAlways([&](State &api) {
    if (flags & ~unsigned(cudaDeviceMask))
      return cudaErrorInvalidValue;
    api.deviceFlags = flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned *flags) {
  return callAlways([&](State &api) {
    *flags = api.deviceFlags;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return call([&](State &api) {
    api.cacheConfig = config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
  return call([&](State &api) {
    *config = api.cacheConfig;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return call([](State &) { return cudaSuccess; });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
  return call([&](State &) {
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return call([](State &) { return cudaSuccess; });
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device) {
  return callAlways([&](State &) {
    if (cudaError_t error = checkDevice(device))
      return error;
    if (!text || length <= int(std::strlen(busId)))
      return cudaErrorInvalidValue;
    std::snprintf(text, size_t(length), "%s", busId);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text) {
  return callAlways([&](State &) {
    if (!device || !text || std::strcmp(text, busId) != 0)
      return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int *canAccess, int device, int peer) {
  return callAlways([&](State &) {
    *canAccess = 0;
    return device || peer ? cudaErrorInvalidDevice : cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return call(
      [&](State &) { return peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessUnsupported; });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return call(
      [&](State &) { return peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled; });
}

cudaError_t cudaDeviceGetP2PAttribute(int *, cudaDeviceP2PAttr, int, int) {
  return remember(cudaErrorInvalidDevice); // there are no two devices
}

cudaError_t cudaDriverGetVersion(int *version) {
  *version = cudaVersion;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = cudaVersion;
  return cudaSuccess;
}

cudaError_t cudaProfilerStart() {
  return call([](State &) { return cudaSuccess; });
}

cudaError_t cudaProfilerStop() {
  return call([](State &) { return cudaSuccess; });
}

} // extern "C"
