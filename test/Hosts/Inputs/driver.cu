// Launches by the driver API of what the program has of kernels.cu's device source, each compared with
// the plain kernel: through a TMA unit, in a dispatch, and where a rule does not hold.
#include DEVICE_SOURCE
#include LAUNCHERS
#ifdef IMAGE
#include "module.h"
#endif

#include <cuda.h>
#include <cstdio>
#include <vector>

using namespace kernels_launchers;

static CUlaunchConfig config(unsigned x, unsigned y = 1, unsigned threads = 128) {
  CUlaunchConfig made = {};
  made.gridDimX = x, made.gridDimY = y, made.gridDimZ = 1;
  made.blockDimX = threads, made.blockDimY = made.blockDimZ = 1;
  return made;
}

constexpr size_t Bytes = 1 << 16;

struct Memory {
  CUdeviceptr at = 0;
  explicit Memory(int seed) {
    cuMemAlloc(&at, Bytes);
    std::vector<unsigned char> bytes(Bytes);
    for (size_t i = 0; i < Bytes; ++i)
      bytes[i] = i % 4 == 3 ? 0x3f : (unsigned char)(i * 7 + seed);
    cuMemcpyHtoD(at, bytes.data(), Bytes);
  }
  std::vector<unsigned char> contents() const {
    std::vector<unsigned char> bytes(Bytes);
    cuCtxSynchronize();
    cuMemcpyDtoH(bytes.data(), at, Bytes);
    return bytes;
  }
  void clear() { cuMemsetD8(at, 0, Bytes); }
};

int main() {
#ifdef IMAGE
  CUmodule program = module_from(IMAGE);
#else
  static char self;
  CUmodule program = reinterpret_cast<CUmodule>(&self);
#endif
  tilelift::driver::kernels kernels(program);
  Memory in(1), out(2), rows(3);
  const int index[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
  cuMemcpyHtoD(rows.at, index, sizeof index);

  auto compare = [&](const char *name, auto &&lifted, const char *entry, CUlaunchConfig how, auto... arguments) {
    out.clear();
    CUresult error = lifted();
    const auto ours = out.contents();
    out.clear();
    CUfunction plain = nullptr;
    CUresult found = kernels.find(entry, plain);
    void *addresses[] = {&arguments...};
    CUresult launched = cuLaunchKernelEx(&how, plain, addresses, nullptr);
    std::printf("%s: %s\n", name, error || found || launched ? "error" : ours == out.contents() ? "the same bytes" : "differs");
  };
  const Shape shape{2, 40, 42, 1};
  compare("blur", [&] { return blur(kernels, config(2, 2), out.at, in.at, 64, 48); }, "blur", config(2, 2), out.at, in.at, 64, 48);
  compare("odd width", [&] { return blur(kernels, config(2, 2), out.at, in.at, 63, 48); }, "blur", config(2, 2), out.at, in.at, 63, 48);
  compare("convolve", [&] { return convolve(kernels, config(2), out.at, in.at, shape, 3); },
          "_ZN6images8convolveEPjPKt5Shapei", config(2), out.at, in.at, shape, 3);
  compare("gather", [&] { return gather_8(kernels, config(2), out.at, in.at, rows.at, 64); },
          "_Z6gatherILi8EEvPfPKfPKii", config(2), out.at, in.at, rows.at, 64);

  // Two kernels in one dispatch; the second needs what the first has written.
  Memory between(4);
  tilelift::driver::dispatch both;
  out.clear();
  blur(kernels, config(2, 2), between.at, in.at, 64, 48, &both);
  blur(kernels, config(2, 2), out.at, between.at, 64, 48, &both);
  std::vector<unsigned char> before = out.contents();
  bool isEmpty = true;
  for (unsigned char byte : before)
    isEmpty &= byte == 0;
  CUresult error = both.run();
  compare("dispatch", [&] { blur(kernels, config(2, 2), out.at, between.at, 64, 48); return error; }, "blur", config(2, 2),
          out.at, between.at, 64, 48);
  std::printf("nothing started early: %s\n", isEmpty ? "yes" : "no");

  // A kernel that is not there.
  tilelift::driver::kernels none;
  std::printf("without kernels: error %d\n", int(blur(none, config(1), out.at, in.at, 64, 48)));
  return 0;
}
