//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver as programs of the CUDA runtime reach it: through the runtime, so that nothing new is
// linked. Functions are asked for by the version that introduced them.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ENTRY_H
#define TILELIFT_ENTRY_H

#include <tilelift/encode.h>

#include <cuda_runtime.h>

#include <atomic>

namespace tilelift {
namespace detail {

inline void *driver_function(const char *name, unsigned version) {
  void *function = nullptr;
  cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSymbolNotFound;
  cudaError_t error =
      cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &status);
  if (error != cudaSuccess)
    (void)cudaGetLastError(); // reported as a missing function
  return error == cudaSuccess && status == cudaDriverEntryPointSuccess ? function : nullptr;
}

class functions_by_runtime final : public tensor_map_functions {
public:
  encode_tiled_function tiled() const override {
    static const auto function =
        reinterpret_cast<encode_tiled_function>(driver_function("cuTensorMapEncodeTiled", 12000));
    return function;
  }
  encode_im2col_function im2col() const override {
    static const auto function =
        reinterpret_cast<encode_im2col_function>(driver_function("cuTensorMapEncodeIm2col", 12000));
    return function;
  }
  encode_im2col_wide_function im2col_wide() const override {
    static const auto function = reinterpret_cast<encode_im2col_wide_function>(
        driver_function("cuTensorMapEncodeIm2colWide", 12080));
    return function;
  }
};

inline const tensor_map_functions &driver_functions() {
  static const functions_by_runtime functions;
  return functions;
}

/// Sets `device` to the current device. Its major compute capability; 0 when there is none.
/// Capabilities never change, so each device is asked once.
inline int compute_capability_major(int &device) {
  static std::atomic<int> known[64];
  if (cudaGetDevice(&device) != cudaSuccess) {
    (void)cudaGetLastError();
    device = -1;
    return 0;
  }
  int major = device < 64 ? known[device].load(std::memory_order_relaxed) : 0;
  if (major == 0 &&
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
      device < 64)
    known[device].store(major, std::memory_order_relaxed);
  return major;
}

} // namespace detail

} // namespace tilelift

#endif
