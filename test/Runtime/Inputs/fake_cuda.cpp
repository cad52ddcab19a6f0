#include "fake_cuda.h"

#include <cstring>
#include <map>
#include <mutex>

namespace {
std::map<const void *, std::string> names;
std::mutex lock;
CUtensorMap seen;

template <typename Number> std::string list(const Number *numbers, int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += (i ? "," : "") + std::to_string(numbers[i]);
  return "{" + text + "}";
}
void record(std::string what) {
  std::lock_guard<std::mutex> guard(lock);
  fake().calls.push_back(std::move(what));
}

CUresult encode(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                const cuuint64_t *extents, const cuuint64_t *strides, const cuuint32_t *box,
                const cuuint32_t *steps, CUtensorMapInterleave, CUtensorMapSwizzle,
                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill) {
  record("encode type " + std::to_string(type) + " rank " + std::to_string(rank) + " at " +
         std::to_string(uintptr_t(address)) + " extents " + list(extents, int(rank)) + " strides " +
         list(strides, int(rank) - 1) + " box " + list(box, int(rank)) + " steps " +
         list(steps, int(rank)) + " promotion " + std::to_string(promotion));
  std::memset(map, 0xff, sizeof *map);
  return fake().encode_result;
}

CUresult encode_im2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                       const cuuint64_t *extents, const cuuint64_t *strides, const int *lower,
                       const int *upper, cuuint32_t channels, cuuint32_t pixels,
                       const cuuint32_t *steps, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
                       CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill) {
  record("encode im2col type " + std::to_string(type) + " rank " + std::to_string(rank) + " at " +
         std::to_string(uintptr_t(address)) + " extents " + list(extents, int(rank)) + " strides " +
         list(strides, int(rank) - 1) + " lower " + list(lower, int(rank) - 2) + " upper " +
         list(upper, int(rank) - 2) + " channels " + std::to_string(channels) + " pixels " +
         std::to_string(pixels) + " steps " + list(steps, int(rank)) + " swizzle " +
         std::to_string(swizzle) + " promotion " + std::to_string(promotion));
  std::memset(map, 0xff, sizeof *map);
  return fake().encode_result;
}

CUresult encode_im2col_wide(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                            void *address, const cuuint64_t *extents, const cuuint64_t *strides,
                            int lower, int upper, cuuint32_t channels, cuuint32_t pixels,
                            const cuuint32_t *steps, CUtensorMapInterleave, int mode,
                            CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                            CUtensorMapFloatOOBfill) {
  record("encode wide type " + std::to_string(type) + " rank " + std::to_string(rank) + " at " +
         std::to_string(uintptr_t(address)) + " extents " + list(extents, int(rank)) + " strides " +
         list(strides, int(rank) - 1) + " lower " + std::to_string(lower) + " upper " +
         std::to_string(upper) + " channels " + std::to_string(channels) + " pixels " +
         std::to_string(pixels) + " steps " + list(steps, int(rank)) + " mode " +
         std::to_string(mode) + " swizzle " + std::to_string(swizzle));
  std::memset(map, 0xff, sizeof *map);
  return fake().encode_result;
}

CUresult current_context(CUcontext *context) { return *context = fake().context, CUDA_SUCCESS; }

void *function_named(const std::string &name) {
  if (name == "cuCtxGetCurrent")
    return reinterpret_cast<void *>(&current_context);
  if (name == "cuTensorMapEncodeIm2colWide")
    return reinterpret_cast<void *>(&encode_im2col_wide);
  return name == "cuTensorMapEncodeIm2col" ? reinterpret_cast<void *>(&encode_im2col)
                                           : reinterpret_cast<void *>(&encode);
}
} // namespace

Fake &fake() {
  static Fake state;
  return state;
}
void name_kernel(const void *kernel, const char *name) { names[kernel] = name; }
CUtensorMap last_map() { return seen; }

extern "C" {
const char *cudaGetErrorString(cudaError_t) { return "an error"; }
cudaError_t cudaGetDevice(int *device) {
  if (!device)
    return cudaErrorInvalidValue;
  *device = fake().device;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  if (device != fake().device) // there is no other, and nobody asks of one
    return cudaErrorInvalidDevice;
  bool isMemory = attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin;
  bool isCount = attribute == cudaDevAttrMultiProcessorCount;
  bool isMinor = attribute == cudaDevAttrComputeCapabilityMinor;
  bool isHost = attribute == cudaDevAttrPageableMemoryAccess;
  *value = isMinor    ? 0
           : isHost   ? fake().reads_host
           : isMemory ? fake().most_shared
           : isCount  ? fake().processors
                      : fake().major;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *address) {
  const bool is_there = reinterpret_cast<uintptr_t>(address) < fake().memory_end;
  *attributes = {};
  attributes->type = is_there ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
  attributes->devicePointer = is_there ? const_cast<void *>(address) : nullptr;
  record("memory at " + std::to_string(reinterpret_cast<uintptr_t>(address)));
  return cudaSuccess;
}
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult *status) {
  record(std::string("entry point ") + name + " " + std::to_string(version));
  bool is_there = fake().missing != name;
  *function = is_there ? function_named(name) : nullptr;
  *status = is_there ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel) {
  record("attributes of " + names[kernel]);
  attributes->ptxVersion = fake().ptx;
  attributes->numRegs = 40;
  attributes->maxThreadsPerBlock = fake().most_threads;
  attributes->maxDynamicSharedSizeBytes = fake().max_dynamic;
  attributes->sharedSizeBytes = names[kernel] == "lifted" ? 1024 : 1000;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int,
                                                          size_t) {
  record("occupancy of " + names[kernel]);
  return *blocks = fake().at_once, cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute, int value) {
  record("shared memory of " + names[kernel] + " up to " + std::to_string(value));
  return cudaSuccess;
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel,
                                void **arguments) {
  record("launch " + names[kernel] + " grid " + std::to_string(config->gridDim.x) + " block " +
         std::to_string(config->blockDim.x) + " shared " +
         std::to_string(config->dynamicSmemBytes));
  if (names[kernel] == "lifted")
    seen = *static_cast<CUtensorMap *>(arguments[4]);
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *status) {
  return *status = cudaStreamCaptureStatusNone, cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventCreate(cudaEvent_t *event) { return *event = nullptr, cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t, cudaEvent_t) {
  return *milliseconds = 0.5f, cudaSuccess;
}
// What nvcc's own code asks for.
void **__cudaRegisterFatBinary(void *) { return nullptr; }
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *,
                            void *, void *, int *) {}
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void *) { return 0; }
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *) { return cudaSuccess; }
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t *, const void *) { return cudaSuccess; }
char __cudaInitModule(void **) { return 0; }
}
