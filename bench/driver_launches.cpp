// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a lifted launch costs the host where programs launch by the driver API: the kernels of
// launches.cu, the plain one by cuLaunchKernelEx itself, the lifted one by what tilelift writes,
// and by hand, with maps that nobody checks.
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

static CUtensorMap map_of(CUdeviceptr tensor, int width, int height) {
  CUtensorMap made;
  const cuuint64_t extents[] = {cuuint64_t(width), cuuint64_t(height)},
                   strides[] = {cuuint64_t(width) * 4};
  const cuuint32_t box[] = {32, 8}, steps[] = {1, 1};
  cuTensorMapEncodeTiled(&made, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2,
                         reinterpret_cast<void *>(tensor), extents, strides, box, steps,
                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                         CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return made;
}

int main(int, char **arguments) {
  tilelift::driver::kernels kernels(module_from(arguments[1]));
  CUfunction untouched = nullptr, lifted = nullptr;
  kernels.find("_Z9untouchedPfPKfS1_ii", untouched);
  kernels.find("_Z13two_tiles_tmaPfPKfS1_ii14CUtensorMap_stS2_", lifted);
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
      [] { return cuCtxSynchronize(); },
      way{"by hand",
          [&](int height) {
            CUtensorMap left = map_of(a, width, height), right = map_of(b, width, height);
            void *passed[] = {&out, &a, &b, &width, &height, &left, &right};
            cuLaunchKernelEx(&config, lifted, passed, nullptr);
          }},
      way{"lifted", [&](int height) {
            launches_launchers::two_tiles(kernels, config, out, a, b, width, height);
          }});
}
