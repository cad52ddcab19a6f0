// RUN: %nvcc -cudart none -I%S/Inputs -gencode arch=compute_90,code=sm_90 %s %S/Inputs/fake_cuda.cpp -o %t
// RUN: env TILELIFT_VERBOSE=1 %t > %t.log 2>&1 && %FileCheck %s < %t.log
// RUN: env TILELIFT_VERBOSE=1 %t missing > %t.missing.log 2>&1 && %FileCheck %s --check-prefix=MISSING < %t.missing.log
//
// Maps of pixels against a runtime that records: what the driver is told, and what the launcher
// says where it refuses.

#include "fake_cuda.h"

#include <tilelift/tilelift.cuh>

struct plan {
  static constexpr tilelift::block_size block = {128, 1, 1};
  using box = tilelift::pixel_box<unsigned short, 4, 64, 32>;
};

__global__ void plain(float *, const float *, int, int) {}
__global__ void lifted(float *, const float *, int, int, const __grid_constant__ CUtensorMap) {}

// Of an input of 2 x 14 x 10 x 128, 3 x 5 filters with a dilation of 2, a step of 2 and a padding of
// 1 and 3; outputs are 6 x 4.
void start(int pad = 3, long long height = 14,
           tilelift::swizzle_mode swizzle = tilelift::swizzle_mode::b128) {
  const unsigned short *in = reinterpret_cast<const unsigned short *>(0x10000);
  static tilelift::kernel_facts facts;
  tilelift::launch launch("convolve", {4, 128}, plan::block);
  CUtensorMap map = launch.pixels<plan::box>(
      tilelift::element_type::f16, "tile", "in", in,
      {{128, "C"},
       {10, "W", 256, "C * 2", 4, 2, "stride", -pad, "-pad"},
       {height, "H", 2560, "W * C * 2", 6, 2, "stride", -1, "-1"},
       {2, "N", 35840, "H * W * C * 2"}},
      128, swizzle);
  float *out = nullptr;
  if (launch.can_lift(lifted, plain, facts))
    launch.start(lifted, out, nullptr, 0, 0, map);
  else
    launch.start(plain, out, nullptr, 0, 0);
  std::printf("%s\n", fake().take().c_str());
}

int main(int argc, char **) {
  name_kernel(reinterpret_cast<const void *>(&plain), "plain");
  name_kernel(reinterpret_cast<const void *>(&lifted), "lifted");
  setvbuf(stdout, nullptr, _IONBF, 0);
  if (argc > 1)
    fake().missing = "cuTensorMapEncodeIm2col";

  // Innermost first; the channels before the pixels (parity R0.15), no stride of the innermost (R0.16),
  // by a function of its own (R0.1, R0.2), and corners of all dimensions but the first and the last (R0.11).
  start();
  // CHECK: tilelift: convolve: TMA
  // CHECK: entry point cuTensorMapEncodeIm2col 12000; encode im2col type 6 rank 4 at 65536 extents {128,10,14,2} strides {256,2560,35840} lower {-3,-1} upper {-6,-4} channels 64 pixels 32 steps {1,2,2,1} swizzle 3 promotion 2; attributes of lifted; launch lifted grid 4 block 128 shared 0
  //
  // A driver that does not have it (R0.27).
  // MISSING: tilelift: convolve: plain, the map of 'tile' cannot be made: the driver has no cuTensorMapEncodeIm2col, which came with CUDA 12.0 [encode]
  // MISSING: launch plain grid 4 block 128

  // What the driver refuses is named, with the code (R0.17); nothing runs through that map.
  fake().encode_result = CUDA_ERROR_INVALID_VALUE;
  start();
  // CHECK: tilelift: convolve: plain, the map of 'tile' cannot be made: the driver refuses it with error 1, although every known rule holds [encode]
  // CHECK: encode im2col {{.*}}; launch plain grid 4 block 128 shared 0
  // Where it refuses a copy that somebody has changed since it was lifted, the rules say why.
  start(3, 14, tilelift::swizzle_mode::b32);
  // CHECK: tilelift: convolve: plain, a row of the box of 'tile' has 128 bytes, the swizzle has room for 32 [swizzle-span]
  // CHECK-NEXT: encode im2col {{.*}}; launch plain grid 4 block 128 shared 0
  fake().encode_result = CUDA_ERROR_INVALID_CONTEXT;
  start();
  // CHECK: tilelift: convolve: plain, the map of 'tile' cannot be made: there is no current CUDA context [encode]
  fake().encode_result = CUDA_SUCCESS;

  // Corners have 8 bits; all rules that are broken are in one line, and the driver is not asked.
  start(130, 0);
  // CHECK: tilelift: convolve: plain, the extent of 'in' in dimension 2 is 0 (H) elements, allowed are 1 to 2^31 [extent-range]; the lower corner of 'tile' is -130 (-pad) in dimension 1, allowed are -128 to 127 [corner-range]; the upper corner of 'tile' is -133 in dimension 1, allowed are -128 to 127 [corner-range]
  // CHECK-NEXT: launch plain grid 4 block 128 shared 0
}
