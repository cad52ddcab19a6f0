// Compiles a kernel that uses the device part of the runtime and prints its PTX:
// nvrtc RUNTIME_INCLUDE CUDA_INCLUDE ARCH
#include <nvrtc.h>

#include <cstdio>
#include <string>
#include <vector>

static const char source[] = R"(
#include <tilelift/tilelift.cuh>
struct alignas(128) map { char bytes[128]; };
using box = tilelift::box<float, 136, 20>;
extern "C" __global__ void kernel(float *out, const __grid_constant__ map tensor) {
  __shared__ tilelift::barrier ready;
  __shared__ tilelift::tile<float[20][132], 136, 2> tile;
  unsigned phase = tilelift::begin(ready);
  if (tilelift::leader()) {
    tilelift::expect(ready, box::bytes);
    tilelift::load(tile.data(), tensor, {0, 1}, ready);
  }
  tilelift::wait(ready, phase);
  out[threadIdx.x] = tile[3][threadIdx.x];
}
)";

int main(int, char **arguments) {
  nvrtcProgram program;
  nvrtcCreateProgram(&program, source, "kernel.cu", 0, nullptr, nullptr);
  std::string include = std::string("-I") + arguments[1], cuda = std::string("-I") + arguments[2],
              cccl = cuda + "/cccl", arch = std::string("-arch=") + arguments[3];
  std::vector<const char *> options = {include.c_str(), cuda.c_str(), cccl.c_str(), arch.c_str(),
                                       "-std=c++17"};
  nvrtcResult result = nvrtcCompileProgram(program, int(options.size()), options.data());
  size_t size = 0;
  if (result != NVRTC_SUCCESS) {
    nvrtcGetProgramLogSize(program, &size);
    std::string log(size, 0);
    nvrtcGetProgramLog(program, &log[0]);
    std::fprintf(stderr, "%s\n", log.c_str());
    return 1;
  }
  nvrtcGetPTXSize(program, &size);
  std::string ptx(size, 0);
  nvrtcGetPTX(program, &ptx[0]);
  std::puts(ptx.c_str());
}
