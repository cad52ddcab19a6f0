// Launches by the driver API whose pragmas ask for L2, in as much of it as the program sets aside.
#include DEVICE_SOURCE
#include LAUNCHERS

#include <cstdio>
#include <tilelift/persisting_l2.h>

static void say(size_t bytes) {
  std::printf("set aside %zu\n", bytes);
  std::fflush(stdout);
}

int main() {
  using namespace persistence_launchers;
  static char self;
  tilelift::driver::kernels kernels(reinterpret_cast<CUmodule>(&self));
  CUdeviceptr out = 0, table = 0;
  cuMemAlloc(&out, 1 << 16);
  cuMemAlloc(&table, 1 << 16);
  CUlaunchConfig config = {};
  config.gridDimX = 2, config.gridDimY = 4, config.gridDimZ = 1;
  config.blockDimX = 256, config.blockDimY = config.blockDimZ = 1;
  int errors[4];
  {
    tilelift::driver::persisting_l2 room(20000000);
    say(room.bytes());
    errors[0] = look_up(kernels, config, out, table, 64, 32);
    errors[1] = unbounded(kernels, config, out, table);
    CUlaunchAttribute own = {};
    own.id = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
    CUlaunchConfig with = config;
    with.attrs = &own, with.numAttrs = 1;
    errors[2] = look_up(kernels, with, out, table, 64, 32);
    errors[3] = look_up(kernels, config, out, table, 63, 32);
  }
  size_t bytes = 0;
  cuCtxGetLimit(&bytes, CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
  say(bytes);
  std::printf("errors %d %d %d %d\n", errors[0], errors[1], errors[2], errors[3]);
  return 0;
}
