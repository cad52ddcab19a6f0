//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the driver API that programs of the runtime API use beside it:
// devices, the one context, memory, streams, events and launches. Both APIs
// number their errors alike, and their handles are the same.
//
// There is one module, the program itself: whatever handle is given, functions are those that the
// program was compiled with, by their names.
//===----------------------------------------------------------------------===//

#include "cudart/Device.h"
#include "cudart/Launch.h"
#include "cudart/Places.h"

#include <cstdio>
#include <cstring>
#include <cuda.h>

using namespace tilelift::emulator;
using namespace tilelift::emulator::cudart;

namespace {

/// Of one call of the runtime API.
CUresult result(cudaError_t error) { return CUresult(forget(error)); }
void *pointer(CUdeviceptr address) { return reinterpret_cast<void *>(address); }

/// All contexts are this one.
CUcontext context() {
  static char one;
  return reinterpret_cast<CUcontext>(&one);
}

CUresult checkDevice(CUdevice device) {
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

/// Elements of more than one byte, which the runtime API cannot fill.
CUresult fill(CUdeviceptr address, unsigned value, unsigned elementBytes, size_t count,
              cudaStream_t stream, bool waits) {
  return result(call([&](State &) {
    Fill work;
    work.to = static_cast<char *>(pointer(address));
    work.box.width = count * elementBytes;
    work.value = value;
    work.elementBytes = elementBytes;
    if (cudaError_t error = address % elementBytes ? cudaErrorInvalidValue : check(work))
      return error;
    return waits ? submitAndWait(work) : submit(stream, work);
  }));
}

CUresult readDeviceAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  if (CUresult error = checkDevice(device))
    return error;
  return value && readAttribute(attribute, *value) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

} // namespace

extern "C" {

CUresult cuInit(unsigned flags) { return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS; }

CUresult cuDriverGetVersion(int *version) {
  *version = cudaVersion;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = 0;
  return checkDevice(ordinal);
}

CUresult cuDeviceGetCount(int *count) {
  *count = 1;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  if (!name || length <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  std::snprintf(name, size_t(length), "%s", deviceName);
  return checkDevice(device);
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
  *bytes = machine().memory.totalBytes();
  return checkDevice(device);
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  return readDeviceAttribute(value, attribute, device);
}

CUresult cuCtxCreate(CUcontext *created, CUctxCreateParams *, unsigned, CUdevice device) {
  *created = context();
  return checkDevice(device);
}

CUresult cuCtxDestroy(CUcontext) { return CUDA_SUCCESS; }

CUresult cuCtxGetCurrent(CUcontext *current) {
  *current = context();
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }

CUresult cuCtxPushCurrent(CUcontext) { return CUDA_SUCCESS; }

CUresult cuCtxPopCurrent(CUcontext *popped) {
  if (popped)
    *popped = context();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  return result(cudaDeviceGetLimit(value, cudaLimit(limit)));
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return result(cudaDeviceSetLimit(cudaLimit(limit), value));
}

CUresult cuCtxResetPersistingL2Cache() { return result(cudaCtxResetPersistingL2Cache()); }

CUresult cuCtxSynchronize() { return result(cudaDeviceSynchronize()); }

CUresult cuDevicePrimaryCtxRetain(CUcontext *retained, CUdevice device) {
  *retained = context();
  return checkDevice(device);
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return checkDevice(device); }

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return checkDevice(device) ? CUDA_ERROR_INVALID_DEVICE : result(cudaDeviceReset());
}

CUresult cuMemGetInfo(size_t *free, size_t *total) { return result(cudaMemGetInfo(free, total)); }

/// Where kernels find what is there; nothing else is told.
CUresult cuPointerGetAttribute(void *data, CUpointer_attribute which, CUdeviceptr address) {
  if (which != CU_POINTER_ATTRIBUTE_DEVICE_POINTER)
    return CUDA_ERROR_NOT_SUPPORTED;
  cudaPointerAttributes found = {};
  const CUresult asked = result(cudaPointerGetAttributes(&found, pointer(address)));
  if (asked != CUDA_SUCCESS || !data || !found.devicePointer)
    return asked != CUDA_SUCCESS ? asked : CUDA_ERROR_INVALID_VALUE;
  *static_cast<CUdeviceptr *>(data) = reinterpret_cast<CUdeviceptr>(found.devicePointer);
  return CUDA_SUCCESS;
}

/// Zero bytes are an error to the driver.
CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  return result(cudaMalloc(reinterpret_cast<void **>(address), bytes));
}

CUresult cuMemFree(CUdeviceptr address) { return result(cudaFree(pointer(address))); }

CUresult cuMemAllocHost(void **address, size_t bytes) {
  return bytes ? result(cudaMallocHost(address, bytes)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemFreeHost(void *address) { return result(cudaFreeHost(address)); }

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return result(cudaMemcpy(pointer(to), pointer(from), bytes, cudaMemcpyDefault));
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return result(cudaMemcpyAsync(pointer(to), pointer(from), bytes, cudaMemcpyDefault, stream));
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  return result(cudaMemcpy(pointer(to), from, bytes, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  return result(cudaMemcpy(to, pointer(from), bytes, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return result(cudaMemcpy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  return result(cudaMemcpyAsync(pointer(to), from, bytes, cudaMemcpyHostToDevice, stream));
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return result(cudaMemcpyAsync(to, pointer(from), bytes, cudaMemcpyDeviceToHost, stream));
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return result(
      cudaMemcpyAsync(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, stream));
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return fill(to, value, 1, count, nullptr, true);
}

CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return fill(to, value, 2, count, nullptr, true);
}

CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  return fill(to, value, 4, count, nullptr, true);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return fill(to, value, 1, count, stream, false);
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return fill(to, value, 2, count, stream, false);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return fill(to, value, 4, count, stream, false);
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return result(cudaStreamCreateWithFlags(stream, flags));
}

CUresult cuStreamDestroy(CUstream stream) { return result(cudaStreamDestroy(stream)); }
CUresult cuStreamSynchronize(CUstream stream) { return result(cudaStreamSynchronize(stream)); }
CUresult cuStreamQuery(CUstream stream) { return result(cudaStreamQuery(stream)); }

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return result(cudaStreamWaitEvent(stream, event, flags));
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  return result(cudaEventCreateWithFlags(event, flags));
}

CUresult cuEventDestroy(CUevent event) { return result(cudaEventDestroy(event)); }
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return result(cudaEventRecord(event, stream));
}
CUresult cuEventSynchronize(CUevent event) { return result(cudaEventSynchronize(event)); }
CUresult cuEventQuery(CUevent event) { return result(cudaEventQuery(event)); }

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  return result(cudaEventElapsedTime(milliseconds, start, end));
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                        unsigned blockX, unsigned blockY, unsigned blockZ, unsigned shared,
                        CUstream stream, void **arguments, void **extra) {
  if (extra)
    return CUDA_ERROR_NOT_SUPPORTED;
  return result(cudaLaunchKernel(function, {gridX, gridY, gridZ}, {blockX, blockY, blockZ},
                                 arguments, shared, stream));
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **arguments,
                          void **extra) {
  if (extra)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (!config)
    return CUDA_ERROR_INVALID_VALUE;
  cudaLaunchConfig_t own = {};
  own.gridDim = {config->gridDimX, config->gridDimY, config->gridDimZ};
  own.blockDim = {config->blockDimX, config->blockDimY, config->blockDimZ};
  own.dynamicSmemBytes = config->sharedMemBytes;
  own.stream = config->hStream;
  // Both APIs lay attributes out alike.
  own.attrs = reinterpret_cast<cudaLaunchAttribute *>(config->attrs);
  own.numAttrs = config->numAttrs;
  return result(cudaLaunchKernelExC(&own, function, arguments));
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule, const char *name) {
  return result(call([&](State &state) {
    if (!function || !name)
      return cudaErrorInvalidValue;
    for (auto &[stub, own] : state.functions)
      if (own.name == name) {
        *function = reinterpret_cast<CUfunction>(&own);
        return cudaSuccess;
      }
    return cudaErrorSymbolNotFound;
  }));
}

CUresult cuModuleGetGlobal(CUdeviceptr *, size_t *, CUmodule, const char *) {
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  cudaFuncAttributes all = {};
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = result(cudaFuncGetAttributes(&all, function)))
    return error;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = all.maxThreadsPerBlock; break;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = int(all.sharedSizeBytes); break;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = int(all.constSizeBytes); break;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = int(all.localSizeBytes); break;
  case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = all.numRegs; break;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = all.ptxVersion; break;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = all.binaryVersion; break;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = all.maxDynamicSharedSizeBytes;
    break;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                     size_t shared) {
  return result(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared));
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return result(cudaFuncSetAttribute(function, cudaFuncAttribute(attribute), value));
}

} // extern "C"

TILELIFT_PER_THREAD(cuMemcpy, _ptds);
TILELIFT_PER_THREAD(cuMemcpyAsync, _ptsz);
TILELIFT_PER_THREAD(cuMemcpyHtoD_v2, _ptds);
TILELIFT_PER_THREAD(cuMemcpyDtoH_v2, _ptds);
TILELIFT_PER_THREAD(cuMemcpyDtoD_v2, _ptds);
TILELIFT_PER_THREAD(cuMemcpyHtoDAsync_v2, _ptsz);
TILELIFT_PER_THREAD(cuMemcpyDtoHAsync_v2, _ptsz);
TILELIFT_PER_THREAD(cuMemcpyDtoDAsync_v2, _ptsz);
TILELIFT_PER_THREAD(cuMemsetD8_v2, _ptds);
TILELIFT_PER_THREAD(cuMemsetD16_v2, _ptds);
TILELIFT_PER_THREAD(cuMemsetD32_v2, _ptds);
TILELIFT_PER_THREAD(cuMemsetD8Async, _ptsz);
TILELIFT_PER_THREAD(cuMemsetD16Async, _ptsz);
TILELIFT_PER_THREAD(cuMemsetD32Async, _ptsz);
TILELIFT_PER_THREAD(cuStreamSynchronize, _ptsz);
TILELIFT_PER_THREAD(cuStreamQuery, _ptsz);
TILELIFT_PER_THREAD(cuStreamWaitEvent, _ptsz);
TILELIFT_PER_THREAD(cuEventRecord, _ptsz);
TILELIFT_PER_THREAD(cuLaunchKernel, _ptsz);
TILELIFT_PER_THREAD(cuLaunchKernelEx, _ptsz);
