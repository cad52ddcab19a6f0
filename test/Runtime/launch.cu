// RUN: %nvcc -cudart none -I%S/Inputs -gencode arch=compute_90,code=sm_90 %s %S/Inputs/fake_cuda.cpp -o %t
// RUN: %t 2> %t.err | %FileCheck %s
// RUN: env TILELIFT_DISABLE=1 %t disabled | %FileCheck %s --check-prefix=DISABLED
// RUN: env TILELIFT_VERBOSE=1 %t verbose 2>&1 | %FileCheck %s --check-prefix=VERBOSE
// RUN: env TILELIFT_TIME=1 %t verbose 2>&1 | %FileCheck %s --check-prefix=TIME
//
// The launcher against a runtime that records: calls, their order, their
// arguments, and what happens when a rule is broken.

#include "fake_cuda.h"

#include <tilelift/tilelift.cuh>

#include <thread>

struct plan {
  static constexpr tilelift::block_size block = {256, 1, 1};
  using box = tilelift::box<float, 136, 20>;
};

__global__ void plain(float *, const float *, int, int) {}
__global__ void lifted(float *, const float *, int, int, const __grid_constant__ CUtensorMap) {}

cudaError_t start(const tilelift::launch_config &config, float *out, const float *in, int w, int h,
                  bool must = false, bool is_read = false, bool are_known = false) {
  static tilelift::kernel_facts facts;
  tilelift::launch launch("blur", config, plan::block);
  launch.require("index-range", launch.block_index(0) * 128 - 4, -100, 2000, "blockIdx.x * 128 - 4");
  const tilelift::range starts[] = {launch.block_index(0) * 136 - 8, 16};
  CUtensorMap map = launch.map<plan::box>(tilelift::element_type::f32, "tile", "in",
                                          are_known ? tilelift::memory_at(in, starts)
                                          : is_read ? tilelift::memory_at(in)
                                                    : in,
                                          {{w, "w"}, {h, "h", 4ll * w, "w * 4"}});
  if (launch.can_lift(lifted, plain, facts))
    return launch.start(lifted, out, in, w, h, map);
  if (must)
    return launch.refuse();
  return launch.start(plain, out, in, w, h);
}

void say(const char *what) { std::printf("%s: %s\n", what, fake().take().c_str()); }

int main(int argc, char **) {
  name_kernel(reinterpret_cast<const void *>(&plain), "plain");
  name_kernel(reinterpret_cast<const void *>(&lifted), "lifted");
  float *out = nullptr;
  const float *in = reinterpret_cast<const float *>(0x10000);
  const float *odd = reinterpret_cast<const float *>(0x10004);
  start({4, 256}, out, in, 1024, 512);
  say("first");
  if (argc > 1) {
    start({4, 128}, out, odd, 1022, 0);
    say("many");
    return 0;
  }
  // CHECK: first: entry point cuTensorMapEncodeTiled 12000; encode type 7 rank 2 at 65536 extents {1024,512} strides {4096} box {136,20} steps {1,1} promotion 2; attributes of lifted; launch lifted grid 4 block 256 shared 0
  // DISABLED: first: launch plain grid 4 block 256
  // VERBOSE: tilelift: blur: TMA
  // TIME: tilelift: size blur 40 registers 1024 bytes TMA
  // TIME-NEXT: tilelift: time blur 500.00 us TMA
  // TIME-NEXT: tilelift: size blur 40 registers 1000 bytes plain
  // TIME-NEXT: tilelift: time blur 500.00 us plain
  // VERBOSE: tilelift: blur: plain, the block is 128 x 1 x 1, the copies were checked for 256 x 1 x 1 [block-size]; the map of 'in' starts at 65540, which is no multiple of 16 bytes [address-16]; the extent of 'in' in dimension 1 is 0 (h) elements, allowed are 1 to 2^31 [extent-range]; the stride of 'in' in dimension 1 is 4088 (w * 4) bytes, which is no multiple of 16 [stride-16]

  // The entry point and the kernel's attributes are asked for once.
  start({4, 256}, out, in, 1024, 512);
  say("again");
  // CHECK-NEXT: again: encode {{.*}}; launch lifted grid 4 block 256 shared 0

  start({4, 256}, out, odd, 1024, 512);
  start({4, 128}, out, in, 1024, 512);
  start({4, 256}, out, in, 1022, 512);
  start({4, 256}, out, in, 1024, 0);
  start({17, 256}, out, in, 1024, 512);
  say("broken rules");
  // CHECK-NEXT: broken rules: launch plain grid 4 block 256 shared 0; launch plain grid 4 block 128 shared 0; launch plain grid 4 block 256 shared 0; launch plain grid 4 block 256 shared 0; launch plain grid 17 block 256 shared 0

  std::printf("refused: %d\n", start({4, 256}, out, odd, 1024, 512, true) == cudaErrorInvalidValue);
  say("refused calls");
  // CHECK-NEXT: refused: 1
  // CHECK-NEXT: refused calls: {{$}}

  // A configuration of the program's own; what it allowed the plain kernel. The barrier takes
  // the last bytes that that would have.
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(7);
  config.blockDim = dim3(256);
  config.dynamicSmemBytes = 60000;
  fake().max_dynamic = 60000;
  int most = fake().most_shared;
  fake().most_shared = 61000;
  start({&config}, out, in, 1024, 512);
  say("full");
  // CHECK-NEXT: full: encode {{.*}}; attributes of lifted; attributes of plain; launch plain grid 7 block 256 shared 60000
  fake().most_shared = 61024;
  start({&config}, out, in, 1024, 512);
  say("just");
  // CHECK-NEXT: just: encode {{.*}}; attributes of lifted; attributes of plain; shared memory of lifted up to 60000; launch lifted grid 7 block 256 shared 60000

  // What has been allowed once needs no asking.
  fake().most_shared = most;
  start({&config}, out, in, 1024, 512);
  say("configured");
  // CHECK-NEXT: configured: encode {{.*}} promotion 2; launch lifted grid 7 block 256 shared 60000

  // Blocks that wait for each other run at once, or the plain ones do.
  fake().at_once = 2, fake().processors = 5;
  start(tilelift::cooperative(10, 256), out, in, 1024, 512);
  say("together");
  // CHECK-NEXT: together: encode {{.*}}; occupancy of lifted; launch lifted grid 10 block 256 shared 0
  start(tilelift::cooperative(11, 256), out, in, 1024, 512);
  say("too many");
  // CHECK-NEXT: too many: encode {{.*}}; occupancy of lifted; launch plain grid 11 block 256 shared 0

  // Another device is asked anew: an older one has no TMA unit, a program
  // without code for it runs as it was written, and on Blackwell bit 85 is clear.
  fake().device = 1, fake().major = 8;
  start({4, 256}, out, in, 1024, 512);
  std::printf("why: %s\n", [] {
    return tilelift::launch("blur", {4, 256}, plan::block).why();
  }().c_str());
  // CHECK-NEXT: why: the device has no TMA unit, which needs compute capability 9.0 [device]
  say("ampere");
  // CHECK-NEXT: ampere: launch plain grid 4 block 256 shared 0
  fake().device = 2, fake().major = 9, fake().ptx = 80;
  start({4, 256}, out, in, 1024, 512);
  say("no code");
  // CHECK-NEXT: no code: encode {{.*}}; attributes of lifted; launch plain grid 4 block 256 shared 0
  fake().device = 4, fake().ptx = 90, fake().most_threads = 255; // of 256
  start({4, 256}, out, in, 1024, 512);
  say("many registers");
  // CHECK-NEXT: many registers: encode {{.*}}; attributes of lifted; launch plain grid 4 block 256 shared 0
  auto bit85 = [] {
    CUtensorMap map = last_map();
    return reinterpret_cast<unsigned long long *>(&map)[1] >> 21 & 1;
  };
  std::printf("bit 85 on Hopper: %llu\n", bit85());
  fake().device = 3, fake().major = 10, fake().ptx = 100, fake().most_threads = 256;
  start({4, 256}, out, in, 1024, 512);
  fake().take();
  std::printf("bit 85 on Blackwell: %llu\n", bit85());
  // CHECK-NEXT: bit 85 on Hopper: 1
  // CHECK-NEXT: bit 85 on Blackwell: 0
  // What can run at once is this device's.
  start(tilelift::cooperative(10, 256), out, in, 1024, 512);
  say("together elsewhere");
  // CHECK-NEXT: together elsewhere: encode {{.*}}; occupancy of lifted; launch lifted grid 10 block 256 shared 0

  fake().encode_result = CUDA_ERROR_INVALID_VALUE;
  start({4, 256}, out, in, 1024, 512);
  say("driver refuses");
  // CHECK-NEXT: driver refuses: encode {{.*}}; launch plain grid 4 block 256 shared 0
  fake().encode_result = CUDA_SUCCESS;

  // Where a map starts, there is memory if boxes outside of the tensor read there.
  const auto ends_at = [](uintptr_t end) { fake().memory_end = end; };
  ends_at(0x10010);
  start({4, 256}, out, in, 1024, 512, false, true);
  say("there");
  // CHECK-NEXT: there: memory at 65536; encode {{.*}}; launch lifted grid 4 block 256 shared 0
  ends_at(0x10000);
  start({4, 256}, out, in, 1024, 512, false, true);
  say("not there");
  // CHECK-NEXT: not there: memory at 65536; launch plain grid 4 block 256 shared 0
  // Boxes that have a part inside do not read there: from -8, 128 and so on, and from 16.
  start({8, 256}, out, in, 948, 17, false, true, true);
  say("inside");
  // CHECK-NEXT: inside: encode {{.*}}; launch lifted grid 8 block 256 shared 0
  for (int w : {944, 940}) {
    start({8, 256}, out, in, w, 17, false, true, true);
    say("behind the last column");
  }
  // CHECK-NEXT: behind the last column: memory at 65536; launch plain grid 8 block 256 shared 0
  // CHECK-NEXT: behind the last column: memory at 65536; launch plain grid 8 block 256 shared 0
  start({8, 256}, out, in, 948, 16, false, true, true);
  say("behind the last row");
  // CHECK-NEXT: behind the last row: memory at 65536; launch plain grid 8 block 256 shared 0
  start({4, 256}, out, in, 1024, 512);
  say("not read");
  // CHECK-NEXT: not read: encode {{.*}}; launch lifted grid 4 block 256 shared 0
  start({4, 256}, out, odd, 1024, 512, false, true);
  say("broken already");
  // CHECK-NEXT: broken already: launch plain grid 4 block 256 shared 0
  // A device that reads the host's memory finds it wherever the host has some.
  static float own[4] __attribute__((aligned(16)));
  start({4, 256}, out, own, 1024, 512, false, true);
  say("the host's, for others");
  // CHECK-NEXT: the host's, for others: memory at {{[0-9]+}}; launch plain grid 4 block 256 shared 0
  fake().reads_host = true;
  start({4, 256}, out, own, 1024, 512, false, true);
  say("the host's");
  // CHECK-NEXT: the host's: memory at {{[0-9]+}}; encode {{.*}}; launch lifted grid 4 block 256 shared 0
  start({4, 256}, out, reinterpret_cast<float *>(0x20000), 1024, 512, false, true);
  say("nobody's");
  // CHECK-NEXT: nobody's: memory at 131072; launch plain grid 4 block 256 shared 0
  fake().reads_host = false, ends_at(UINTPTR_MAX);

  // Many threads launch at once.
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i)
        start({4, 256}, out, i % 2 ? in : odd, 1024, 512);
    });
  for (std::thread &thread : threads)
    thread.join();
  int withTma = 0, without = 0;
  for (const std::string &call : fake().calls) {
    withTma += call.rfind("launch lifted", 0) == 0;
    without += call.rfind("launch plain", 0) == 0;
  }
  std::printf("threads: %d with, %d without\n", withTma, without);
  // CHECK-NEXT: threads: 400 with, 400 without
}
