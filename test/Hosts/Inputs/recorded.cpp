// Launchers of kernels.cu in C++ against a driver that records: calls, their order and their
// arguments.
#include LAUNCHERS

#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <map>
#include <string>
#include <vector>

using namespace kernels_launchers;

struct Shape {
  int n, w, q, pad;
};

namespace {

/// What the driver is and has been told. Questions are counted, all else is written down.
struct Recorder {
  std::vector<std::string> calls;
  std::map<std::string, int> questions;
  std::string fails;
  int major = 9, ptx = 90, most_threads = 1024, maps = 0;
  CUdeviceptr memory_end = ~CUdeviceptr(0);

  CUresult note(const std::string &name, const std::string &arguments) {
    calls.push_back(name + " " + arguments);
    return fails == name ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  }
} driver;

/// Handles of kernels, and the bytes of their arguments.
std::map<std::string, std::vector<size_t>> sizes = {
    {"blur", {8, 8, 4, 4}},
    {"blur_tma", {8, 8, 4, 4, 128}},
    {"_ZN6images8convolveEPjPKt5Shapei", {8, 8, 16, 4}},
    {"_ZN6images12convolve_tmaEPjPKt5Shapei14CUtensorMap_st", {8, 8, 16, 4, 128}},
    {"_Z6gatherILi16EEvPfPKfPKii", {8, 8, 8, 4}},
    {"_Z10gather_tmaILi16EEvPfPKfPKii", {8, 8, 8, 4}}};
const char *name_of(CUfunction function) { return reinterpret_cast<const char *>(function); }

template <typename Numbers> std::string list(const Numbers *numbers, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return "[" + text + "]";
}
std::string hexadecimal(const unsigned char *bytes, size_t count) {
  std::string text;
  for (size_t i = count; i-- > 0;) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", bytes[i]);
    text += two;
  }
  const size_t first = text.find_first_not_of('0');
  return first == std::string::npos ? "0" : text.substr(first);
}
std::string flags(int swizzle, int promotion, int fill) {
  return " swizzle " + std::to_string(swizzle) + " promotion " + std::to_string(promotion) +
         " fill " + std::to_string(fill);
}
/// Its last bytes say which map it is.
void fill(CUtensorMap *map) {
  std::memset(map, 0xff, sizeof *map);
  std::memset(reinterpret_cast<char *>(map) + 120, ++driver.maps, 8);
}

/// Bit 85 is that of Blackwell's wide addresses.
std::string map_text(const unsigned char *bytes) {
  return "map " + std::to_string(bytes[127]) + (bytes[10] & 0x20 ? "" : " without bit 85");
}

} // namespace

extern "C" {
CUresult cuCtxGetDevice(CUdevice *device) {
  ++driver.questions["cuCtxGetDevice"];
  *device = 3;
  return CUDA_SUCCESS;
}
CUresult cuPointerGetAttribute(void *data, CUpointer_attribute which, CUdeviceptr address) {
  ++driver.questions["cuPointerGetAttribute"];
  if (which != CU_POINTER_ATTRIBUTE_DEVICE_POINTER || address >= driver.memory_end)
    return CUDA_ERROR_INVALID_VALUE;
  *static_cast<CUdeviceptr *>(data) = address;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute which, CUdevice device) {
  ++driver.questions["cuDeviceGetAttribute"];
  if (device != 3) // there is no other
    return CUDA_ERROR_INVALID_DEVICE;
  *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR            ? driver.major
           : which == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN ? 232448
                                                                            : 4;
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute which, CUfunction) {
  ++driver.questions["cuFuncGetAttribute"];
  *value = which == CU_FUNC_ATTRIBUTE_PTX_VERSION             ? driver.ptx
           : which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? driver.most_threads
                                                              : 1024;
  return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction, int threads,
                                                     size_t shared) {
  *blocks = 2;
  return driver.note("cuOccupancyMaxActiveBlocksPerMultiprocessor",
                     std::to_string(threads) + " threads " + std::to_string(shared) + " bytes");
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule, const char *name) {
  ++driver.questions["cuModuleGetFunction"];
  const auto own = sizes.find(name);
  if (own == sizes.end())
    return CUDA_ERROR_NOT_FOUND;
  *function = reinterpret_cast<CUfunction>(const_cast<char *>(own->first.c_str()));
  return CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal(CUdeviceptr *, size_t *, CUmodule, const char *) {
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int value) {
  return driver.note("cuFuncSetAttribute", std::string(name_of(function)) + " " +
                                               std::to_string(int(which)) + " " +
                                               std::to_string(value));
}
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *extents, const cuuint64_t *strides,
                                const cuuint32_t *box, const cuuint32_t *steps,
                                CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill filled) {
  fill(map);
  return driver.note("cuTensorMapEncodeTiled",
                     "type " + std::to_string(int(type)) + " at " +
                         std::to_string(uintptr_t(address)) + " extents " + list(extents, rank) +
                         " strides " + list(strides, rank - 1) + " box " + list(box, rank) +
                         " steps " + list(steps, rank) + flags(swizzle, promotion, filled));
}
CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                 void *address, const cuuint64_t *extents,
                                 const cuuint64_t *strides, const int *lower, const int *upper,
                                 cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *steps,
                                 CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill filled) {
  fill(map);
  return driver.note("cuTensorMapEncodeIm2col",
                     "type " + std::to_string(int(type)) + " at " +
                         std::to_string(uintptr_t(address)) + " extents " + list(extents, rank) +
                         " strides " + list(strides, rank - 1) + " lower " + list(lower, rank - 2) +
                         " upper " + list(upper, rank - 2) + " channels " +
                         std::to_string(channels) + " pixels " + std::to_string(pixels) +
                         " steps " + list(steps, rank) + flags(swizzle, promotion, filled));
}
CUresult cuTensorMapEncodeIm2colWide(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                     const cuuint64_t *, const cuuint64_t *, int, int, cuuint32_t,
                                     cuuint32_t, const cuuint32_t *, CUtensorMapInterleave,
                                     CUtensorMapIm2ColWideMode, CUtensorMapSwizzle,
                                     CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **arguments,
                          void **) {
  const std::vector<size_t> &own = sizes.at(name_of(function));
  std::string passed, asked;
  for (size_t i = 0; i < own.size(); ++i) {
    const auto *bytes = static_cast<const unsigned char *>(arguments[i]);
    passed += (i ? ", " : "") + (own[i] == 128 ? map_text(bytes) : hexadecimal(bytes, own[i]));
  }
  for (unsigned i = 0; i < config->numAttrs; ++i)
    asked += " attribute " + std::to_string(int(config->attrs[i].id));
  const unsigned grid[] = {config->gridDimX, config->gridDimY, config->gridDimZ};
  const unsigned block[] = {config->blockDimX, config->blockDimY, config->blockDimZ};
  return driver.note("cuLaunchKernelEx", std::string(name_of(function)) + " grid " + list(grid, 3) +
                                             " block " + list(block, 3) + " shared " +
                                             std::to_string(config->sharedMemBytes) + " stream " +
                                             std::to_string(uintptr_t(config->hStream)) + asked +
                                             " (" + passed + ")");
}
}

static CUlaunchConfig config(unsigned x, unsigned y = 1, unsigned shared = 0) {
  CUlaunchConfig made = {};
  made.gridDimX = x, made.gridDimY = y, made.gridDimZ = 1;
  made.blockDimX = 128, made.blockDimY = made.blockDimZ = 1;
  made.sharedMemBytes = shared;
  return made;
}

static void say(const char *what, CUresult result) {
  std::printf("%s: %d\n", what, int(result));
  for (const std::string &call : driver.calls)
    std::printf("  %s\n", call.c_str());
  driver.calls.clear();
}

int main() {
  static char module;
  tilelift::driver::kernels kernels(reinterpret_cast<CUmodule>(&module));
  CUlaunchConfig streamed = config(2, 2);
  streamed.hStream = reinterpret_cast<CUstream>(7);
  say("blur", blur(kernels, streamed, 0x20000, 0x10000, 64, 48));
  driver.questions.clear();
  say("once more", blur(kernels, config(2, 2), 0x20000, 0x10000, 64, 40));
  for (const auto &[question, times] : driver.questions)
    std::printf("  asked again: %s %d\n", question.c_str(), times);
  say("odd", blur(kernels, config(2, 2), 0x20000, 0x10000, 63, 48));
  say("convolve", convolve(kernels, config(4), 0x20000, 0x10000, Shape{2, 40, 42, 1}, 3));

  CUlaunchAttribute serial = {};
  serial.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  CUlaunchConfig attributed = config(3);
  attributed.attrs = &serial, attributed.numAttrs = 1;
  say("gather", gather_16(kernels, attributed, 0x20000, 0x10000, 0x40000, 64));

  // Dynamic shared memory is asked for where it grows; more than there is runs plain.
  say("shared", blur(kernels, config(2, 2, 60000), 0x20000, 0x10000, 64, 48));
  say("shared again", blur(kernels, config(2, 2, 60000), 0x20000, 0x10000, 64, 48));
  say("too much", blur(kernels, config(2, 2, 232000), 0x20000, 0x10000, 64, 48));

  // Cooperative: eight blocks of the kernel run at once.
  CUlaunchAttribute cooperative = {};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, cooperative.value.cooperative = 1;
  for (unsigned blocks : {8u, 9u}) {
    CUlaunchConfig together = config(blocks);
    together.attrs = &cooperative, together.numAttrs = 1;
    say("cooperative", gather_16(kernels, together, 0x20000, 0x10000, 0x40000, 64));
  }

  // All maps first, each once; arguments are kept until the dispatch runs.
  tilelift::driver::dispatch both;
  blur(kernels, config(2, 2), 0x20000, 0x10000, 64, 48, &both);
  blur(kernels, config(1, 2), 0x30000, 0x10000, 64, 48, &both);
  gather_16(kernels, attributed, 0x20000, 0x10000, 0x40000, 64, &both);
  serial.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE; // what a launch was given is what it has
  say("collected", blur(kernels, config(2, 2), 0x10000, 0x20000, 63, 48, &both));
  say("run", both.run());
  say("nothing is left", both.run());

  // Boxes outside of the tensor read where it starts.
  driver.memory_end = 0x10000;
  say("no memory", blur(kernels, config(4, 2), 0x20000, 0x10000, 64, 48));
  say("each box inside", blur(kernels, config(2, 2), 0x20000, 0x10000, 64, 48));
  driver.memory_end = ~CUdeviceptr(0);

  driver.fails = "cuTensorMapEncodeTiled";
  say("refused map", blur(kernels, config(2, 2), 0x20000, 0x10000, 64, 48));
  driver.fails = "cuLaunchKernelEx";
  say("refused launch", blur(kernels, config(2, 2), 0x20000, 0x10000, 64, 48));
  driver.fails = "";

  // Other devices and other code, of which other handles speak.
  for (int major : {8, 10}) {
    driver.major = major;
    tilelift::driver::kernels others(reinterpret_cast<CUmodule>(&module));
    say(major == 8 ? "before Hopper" : "Blackwell",
        blur(others, config(2, 2), 0x20000, 0x10000, 64, 48));
  }
  driver.major = 9, driver.ptx = 80;
  tilelift::driver::kernels old(reinterpret_cast<CUmodule>(&module));
  say("old code", blur(old, config(2, 2), 0x20000, 0x10000, 64, 48));
  driver.ptx = 90, driver.most_threads = 63;
  tilelift::driver::kernels large(reinterpret_cast<CUmodule>(&module));
  say("many registers", blur(large, config(2, 2), 0x20000, 0x10000, 64, 48));
  return 0;
}
