// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a lifted launch costs the host where programs launch by the driver API: the kernels of
// launches.cu, the plain one by cuLaunchKernelEx itself, the lifted one by what tilelift writes.
//
//   tilelift --emit=driver bench/launches.cu -o launchers.h
//   tilelift --emit=device bench/launches.cu -o device.cu
//   nvcc -std=c++17 -arch=sm_90a -cubin -Iruntime/include device.cu -o launches.cubin
//   nvcc -std=c++17 -O3 -I. -Itest/gpu -Iruntime/include -DLAUNCHERS='"launchers.h"' -lcuda
//     bench/driver_launches.cpp
//   ./a.out launches.cubin

#include LAUNCHERS
#include "module.h"
#include "turns.h"

static CUdeviceptr memory() {
  CUdeviceptr made = 0;
  cuMemAlloc(&made, 1 << 20);
  return made;
}

int main(int, char **arguments) {
  tilelift::driver::kernels kernels(module_from(arguments[1]));
  CUfunction untouched = nullptr;
  kernels.find("_Z9untouchedPfPKfS1_ii", untouched);
  CUdeviceptr a = memory(), b = memory(), out = memory();
  CUlaunchConfig config = {};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 128, config.blockDimY = config.blockDimZ = 1;
  int width = 64;
  by_turns(
      [&](int height) {
        void *passed[] = {&out, &a, &b, &width, &height};
        cuLaunchKernelEx(&config, untouched, passed, nullptr);
      },
      [&](int height) { launches_launchers::two_tiles(kernels, config, out, a, b, width, height); },
      [] { return cuCtxSynchronize(); });
}
