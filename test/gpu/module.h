// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module of the first device's primary context, for programs of the driver API.

#ifndef MODULE_H
#define MODULE_H

#include <cuda.h>

#include <cstdio>
#include <cstdlib>

inline CUmodule module_from(const char *image) {
  CUdevice device;
  CUcontext context;
  CUmodule program = nullptr;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  if (CUresult error = cuModuleLoad(&program, image)) {
    std::printf("no module: error %d\n", int(error));
    std::exit(1);
  }
  return program;
}

#endif
