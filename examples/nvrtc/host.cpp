// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A C++ program that compiles a lifted kernel by NVRTC and launches it by the driver API:
//
//   tilelift --emit=device examples/nvrtc/blur.cu -o blur.device.cu
//   tilelift --emit=driver examples/nvrtc/blur.cu -o blur_launchers.h
//   g++ -std=c++17 -I. -I<prefix>/include -I$CUDA/include examples/nvrtc/host.cpp -o blur
//       -L$CUDA/lib64 -L$CUDA/lib64/stubs -lnvrtc -lcuda
//   ./blur blur.device.cu -I<prefix>/include -I$CUDA/include -I$CUDA/include/cccl
//
// All but the first argument are NVRTC's. The image's size changes from launch to launch; one of
// them breaks a rule of TMA's, and runs the kernel as it was written. TILELIFT_VERBOSE=1 says
// which.

#include "blur_launchers.h"

#include <nvrtc.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>

namespace {

void require(CUresult result, const char *what) {
  const char *name = "unknown";
  cuGetErrorName(result, &name);
  if (result != CUDA_SUCCESS)
    throw std::runtime_error(std::string(what) + ": " + name);
}
void require(nvrtcResult result, const char *what) {
  if (result != NVRTC_SUCCESS)
    throw std::runtime_error(std::string(what) + ": " + nvrtcGetErrorString(result));
}

/// The code of a source for this device, or what NVRTC has against it.
std::string compiled(const std::string &source, std::vector<const char *> options) {
  nvrtcProgram program;
  require(nvrtcCreateProgram(&program, source.c_str(), "blur.cu", 0, nullptr, nullptr),
          "a program");
  const nvrtcResult result = nvrtcCompileProgram(program, int(options.size()), options.data());
  size_t size = 0;
  require(nvrtcGetProgramLogSize(program, &size), "the log");
  std::string log(size, ' ');
  require(nvrtcGetProgramLog(program, log.data()), "the log");
  if (result != NVRTC_SUCCESS)
    throw std::runtime_error(log);
  require(nvrtcGetCUBINSize(program, &size), "the code");
  std::string code(size, ' ');
  require(nvrtcGetCUBIN(program, code.data()), "the code");
  require(nvrtcDestroyProgram(&program), "a program");
  return code;
}

float expected(const std::vector<float> &in, int w, int h, int x, int y) {
  auto at = [&](int row, int column) {
    return row >= 0 && row < h && column >= 0 && column < w ? in[size_t(row) * w + column] : 0.f;
  };
  float sum = at(y, x);
  for (int k = 1; k <= 2; ++k)
    sum += at(y - k, x) + at(y + k, x) + at(y, x - k) + at(y, x + k);
  return sum;
}

/// How many elements are wrong.
int blur(tilelift::driver::kernels &kernels, int w, int h) {
  const size_t bytes = size_t(w) * h * sizeof(float);
  std::vector<float> image(size_t(w) * h), result(image.size());
  for (size_t i = 0; i < image.size(); ++i)
    image[i] = float(i * 7919 % 256);
  CUdeviceptr in, out;
  require(cuMemAlloc(&in, bytes), "memory");
  require(cuMemAlloc(&out, bytes), "memory");
  require(cuMemcpyHtoD(in, image.data(), bytes), "the image");

  CUlaunchConfig config = {};
  config.gridDimX = unsigned(w + 127) / 128, config.gridDimY = unsigned(h + 15) / 16,
  config.gridDimZ = 1;
  config.blockDimX = 256, config.blockDimY = config.blockDimZ = 1;
  require(blur_launchers::blur(kernels, config, out, in, w, h), "blur");

  require(cuMemcpyDtoH(result.data(), out, bytes), "the result");
  require(cuMemFree(in), "memory");
  require(cuMemFree(out), "memory");
  int wrong = 0;
  for (int i = 0; i < w * h; ++i)
    wrong += result[size_t(i)] != expected(image, w, h, i % w, i / w);
  return wrong;
}

void run(const char *path, std::vector<const char *> options) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  int major = 0, minor = 0;
  require(cuInit(0), "the driver");
  require(cuDeviceGet(&device, 0), "the device");
  require(cuDevicePrimaryCtxRetain(&context, device), "the context");
  require(cuCtxSetCurrent(context), "the context");
  require(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
          "the device");
  require(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device),
          "the device");

  std::ifstream file(path);
  if (!file)
    throw std::runtime_error(std::string(path) + " cannot be read");
  const std::string source{std::istreambuf_iterator<char>(file), {}};
  const std::string architecture =
      "-arch=sm_" + std::to_string(10 * major + minor) + (major >= 9 ? "a" : "");
  options.push_back(architecture.c_str());
  options.push_back("-std=c++17");
  const std::string code = compiled(source, options);
  require(cuModuleLoadData(&module, code.data()), "the module");

  tilelift::driver::kernels kernels(module);
  for (int w : {1024, 512, 500, 301})
    if (const int wrong = blur(kernels, w, 260))
      throw std::runtime_error(std::to_string(wrong) + " elements of an image of " +
                               std::to_string(w) + " columns are wrong");
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::cerr << "usage: blur SOURCE [OPTIONS OF NVRTC]\n";
    return 1;
  }
  try {
    run(argv[1], {argv + 2, argv + argc});
    std::cout << "nvrtc: correct\n";
  } catch (const std::exception &problem) {
    std::cerr << "nvrtc: " << problem.what() << "\n";
    return 1;
  }
}
