//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's functions by name, for programs that do not link the driver.
//===----------------------------------------------------------------------===//

#define CUDA_ENABLE_DEPRECATED // cudaGetDriverEntryPoint is, and programs call it
#include "cudart/Device.h"

#include <cstring>
#include <cuda.h>

using namespace tilelift::emulator::cudart;

namespace {

struct Entry {
  const char *name; ///< without the version that the header appends
  void *function;
  int since; ///< the CUDA version that has it
};

#define TILELIFT_ENTRY(name, since) {#name, reinterpret_cast<void *>(name), since}

constexpr int old = 2000; ///< older than any version that a program asks for

const Entry entries[] = {
    TILELIFT_ENTRY(cuTensorMapEncodeTiled, 12000),
    TILELIFT_ENTRY(cuTensorMapEncodeIm2col, 12000),
    TILELIFT_ENTRY(cuTensorMapEncodeIm2colWide, 12080),
    TILELIFT_ENTRY(cuTensorMapReplaceAddress, 12000),
    TILELIFT_ENTRY(cuGetErrorName, old),
    TILELIFT_ENTRY(cuGetErrorString, old),
    TILELIFT_ENTRY(cuGetProcAddress, 11030),
    TILELIFT_ENTRY(cuInit, old),
    TILELIFT_ENTRY(cuDriverGetVersion, old),
    TILELIFT_ENTRY(cuDeviceGet, old),
    TILELIFT_ENTRY(cuDeviceGetCount, old),
    TILELIFT_ENTRY(cuDeviceGetName, old),
    TILELIFT_ENTRY(cuDeviceTotalMem, old),
    TILELIFT_ENTRY(cuDeviceGetAttribute, old),
    TILELIFT_ENTRY(cuDevicePrimaryCtxRetain, old),
    TILELIFT_ENTRY(cuDevicePrimaryCtxRelease, old),
    TILELIFT_ENTRY(cuDevicePrimaryCtxReset, old),
    TILELIFT_ENTRY(cuCtxCreate, old),
    TILELIFT_ENTRY(cuCtxDestroy, old),
    TILELIFT_ENTRY(cuCtxGetCurrent, old),
    TILELIFT_ENTRY(cuCtxSetCurrent, old),
    TILELIFT_ENTRY(cuCtxPushCurrent, old),
    TILELIFT_ENTRY(cuCtxPopCurrent, old),
    TILELIFT_ENTRY(cuCtxGetDevice, old),
    TILELIFT_ENTRY(cuCtxGetLimit, old),
    TILELIFT_ENTRY(cuCtxSetLimit, old),
    TILELIFT_ENTRY(cuCtxResetPersistingL2Cache, 11000),
    TILELIFT_ENTRY(cuCtxSynchronize, old),
    TILELIFT_ENTRY(cuMemGetInfo, old),
    TILELIFT_ENTRY(cuPointerGetAttribute, old),
    TILELIFT_ENTRY(cuMemAlloc, old),
    TILELIFT_ENTRY(cuMemFree, old),
    TILELIFT_ENTRY(cuMemAllocHost, old),
    TILELIFT_ENTRY(cuMemFreeHost, old),
    TILELIFT_ENTRY(cuMemcpy, old),
    TILELIFT_ENTRY(cuMemcpyAsync, old),
    TILELIFT_ENTRY(cuMemcpyHtoD, old),
    TILELIFT_ENTRY(cuMemcpyDtoH, old),
    TILELIFT_ENTRY(cuMemcpyDtoD, old),
    TILELIFT_ENTRY(cuMemcpyHtoDAsync, old),
    TILELIFT_ENTRY(cuMemcpyDtoHAsync, old),
    TILELIFT_ENTRY(cuMemcpyDtoDAsync, old),
    TILELIFT_ENTRY(cuMemsetD8, old),
    TILELIFT_ENTRY(cuMemsetD16, old),
    TILELIFT_ENTRY(cuMemsetD32, old),
    TILELIFT_ENTRY(cuMemsetD8Async, old),
    TILELIFT_ENTRY(cuMemsetD16Async, old),
    TILELIFT_ENTRY(cuMemsetD32Async, old),
    TILELIFT_ENTRY(cuStreamCreate, old),
    TILELIFT_ENTRY(cuStreamDestroy, old),
    TILELIFT_ENTRY(cuStreamSynchronize, old),
    TILELIFT_ENTRY(cuStreamQuery, old),
    TILELIFT_ENTRY(cuStreamWaitEvent, old),
    TILELIFT_ENTRY(cuEventCreate, old),
    TILELIFT_ENTRY(cuEventDestroy, old),
    TILELIFT_ENTRY(cuEventRecord, old),
    TILELIFT_ENTRY(cuEventSynchronize, old),
    TILELIFT_ENTRY(cuEventQuery, old),
    TILELIFT_ENTRY(cuEventElapsedTime, old),
    TILELIFT_ENTRY(cuLaunchKernel, old),
    TILELIFT_ENTRY(cuLaunchKernelEx, old),
    TILELIFT_ENTRY(cuModuleGetFunction, old),
    TILELIFT_ENTRY(cuModuleGetGlobal, old),
    TILELIFT_ENTRY(cuFuncGetAttribute, old),
    TILELIFT_ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor, old),
    TILELIFT_ENTRY(cuFuncSetAttribute, old),
};

/// Both APIs number the answers alike.
cudaDriverEntryPointQueryResult find(const char *name, int version, void *&function) {
  function = nullptr;
  for (const Entry &entry : entries)
    if (std::strcmp(entry.name, name) == 0) {
      if (version < entry.since)
        return cudaDriverEntryPointVersionNotSufficent;
      function = entry.function;
      return cudaDriverEntryPointSuccess;
    }
  return cudaDriverEntryPointSymbolNotFound;
}

cudaError_t get(const char *name, void **function, unsigned version, unsigned long long flags,
                cudaDriverEntryPointQueryResult *status) {
  if (!name || !function || flags > cudaEnablePerThreadDefaultStream)
    return cudaErrorInvalidValue;
  cudaDriverEntryPointQueryResult answer = find(name, int(version), *function);
  if (status)
    *status = answer;
  return cudaSuccess;
}

} // namespace

extern "C" {

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult *status) {
  return callAlways([&](State &) { return get(name, function, version, flags, status); });
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult *status) {
  return callAlways([&](State &) { return get(name, function, cudaVersion, flags, status); });
}

CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status) {
  if (!name || !function || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
    return CUDA_ERROR_INVALID_VALUE;
  cudaDriverEntryPointQueryResult answer = find(name, version, *function);
  if (status)
    *status = CUdriverProcAddressQueryResult(answer);
  return *function || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

} // extern "C"

TILELIFT_PER_THREAD(cudaGetDriverEntryPoint, _ptsz);
TILELIFT_PER_THREAD(cudaGetDriverEntryPointByVersion, _ptsz);
