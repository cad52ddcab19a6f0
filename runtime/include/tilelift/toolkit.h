//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refuses CUDA toolkits and compilers that are too old, in one sentence and before their headers
// fail one by one. docs/toolchains.md has those that are tested.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOLKIT_H
#define TILELIFT_TOOLKIT_H

#ifdef __CUDACC_RTC__
#if __CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10 < 12060
#define TILELIFT_TOOLKIT_IS_OLD
#endif
#else
#include <cuda.h>
#if CUDA_VERSION < 12060
#define TILELIFT_TOOLKIT_IS_OLD
#endif
#endif
#ifdef TILELIFT_TOOLKIT_IS_OLD
#error "lifted code needs CUDA 12.6 or later, and this compilation has the headers of an older CUDA"
#endif

// Clang 19 and older ignore __grid_constant__ with a warning, and copy a tensor map to the thread's
// own memory, where TMA cannot read it.
#if defined(__CUDA__) && defined(__clang__) && !defined(__NVCC__) && defined(__CUDA_ARCH__)
#if __CUDA_ARCH__ >= 900 && !__has_attribute(grid_constant)
#error "lifted code needs nvcc, or Clang 20 or later: this Clang does not know __grid_constant__"
#endif
#endif

#endif
