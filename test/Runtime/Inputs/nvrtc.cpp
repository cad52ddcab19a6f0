// Compiles a device source by NVRTC and prints its PTX:
// nvrtc RUNTIME_INCLUDE CUDA_INCLUDE ARCH FILE
#include <nvrtc.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

int main(int, char **arguments) {
  std::ifstream file(arguments[4]);
  std::string source{std::istreambuf_iterator<char>(file), {}};
  nvrtcProgram program;
  nvrtcCreateProgram(&program, source.c_str(), arguments[4], 0, nullptr, nullptr);
  std::string include = std::string("-I") + arguments[1], cuda = std::string("-I") + arguments[2],
              cccl = cuda + "/cccl", arch = std::string("-arch=") + arguments[3];
  std::vector<const char *> options = {include.c_str(), cuda.c_str(), cccl.c_str(), arch.c_str(),
                                       "-std=c++17"};
  nvrtcResult result = nvrtcCompileProgram(program, int(options.size()), options.data());
  size_t size = 0;
  nvrtcGetProgramLogSize(program, &size);
  std::string log(size, 0);
  nvrtcGetProgramLog(program, &log[0]);
  std::fprintf(stderr, "%s\n", log.c_str());
  if (result != NVRTC_SUCCESS)
    return 1;
  nvrtcGetPTXSize(program, &size);
  std::string ptx(size, 0);
  nvrtcGetPTX(program, &ptx[0]);
  std::puts(ptx.c_str());
}
