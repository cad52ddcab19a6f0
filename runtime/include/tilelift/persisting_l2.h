//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much of L2 is set aside for what `persist` keeps there. A device sets a part aside by itself
// (11.25 MiB on an H200). An object of this type sets another size, and its destructor sets the old
// one back:
//
//   tilelift::persisting_l2 room(32 << 20);
//   for (...) kernel<<<...>>>(...);
//
// Setting it waits for all work of the device, and cannot be captured in a graph. So it belongs
// around a program's launches, and no launcher does it.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PERSISTING_L2_H
#define TILELIFT_PERSISTING_L2_H

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace tilelift {
namespace detail {

/// Throws what went wrong, by its number: names are in a library that a program need not have.
inline void expect_success(int error, const char *what) {
  if (error != 0)
    throw std::runtime_error(std::string("the L2 that is set aside cannot be ") + what +
                             ": error " + std::to_string(error));
}

/// Of the current device, by either API.
template <typename Api> class persisting_l2_by {
public:
  /// Sets so many bytes aside, or as many as the device has for that.
  explicit persisting_l2_by(size_t bytes) {
    int most = 0;
    expect_success(Api::get(&before), "read");
    expect_success(Api::get_most(&most), "asked for its maximum");
    if (most == 0)
      return; // the device keeps nothing
    expect_success(Api::set(bytes < size_t(most) ? bytes : size_t(most)), "set");
    is_set = true;
    if (Api::get(&now) != 0)
      now = 0;
  }
  persisting_l2_by(const persisting_l2_by &) = delete;
  persisting_l2_by &operator=(const persisting_l2_by &) = delete;
  ~persisting_l2_by() {
    try {
      restore();
    } catch (const std::exception &problem) {
      std::fprintf(stderr, "tilelift: error: %s\n", problem.what());
    }
  }

  /// What the device has set aside, which it rounds up.
  size_t bytes() const { return now; }
  /// Sets back what it was, and lets go of what is kept there.
  void restore() {
    if (!is_set)
      return;
    is_set = false;
    const int set_back = Api::set(before), emptied = Api::reset();
    expect_success(set_back, "set back");
    expect_success(emptied, "emptied");
  }

private:
  size_t before = 0, now = 0;
  bool is_set = false;
};

struct runtime_limits {
  static int get(size_t *bytes) {
    return cudaDeviceGetLimit(bytes, cudaLimitPersistingL2CacheSize);
  }
  static int set(size_t bytes) { return cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes); }
  static int get_most(int *bytes) {
    int device = 0;
    const cudaError_t error = cudaGetDevice(&device);
    return error != cudaSuccess
               ? error
               : cudaDeviceGetAttribute(bytes, cudaDevAttrMaxPersistingL2CacheSize, device);
  }
  static int reset() { return cudaCtxResetPersistingL2Cache(); }
};

struct driver_limits {
  static int get(size_t *bytes) { return cuCtxGetLimit(bytes, CU_LIMIT_PERSISTING_L2_CACHE_SIZE); }
  static int set(size_t bytes) { return cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, bytes); }
  static int get_most(int *bytes) {
    CUdevice device = 0;
    const CUresult error = cuCtxGetDevice(&device);
    return error != CUDA_SUCCESS
               ? error
               : cuDeviceGetAttribute(bytes, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE,
                                      device);
  }
  static int reset() { return cuCtxResetPersistingL2Cache(); }
};

} // namespace detail

using persisting_l2 = detail::persisting_l2_by<detail::runtime_limits>;

namespace driver {
using persisting_l2 = tilelift::detail::persisting_l2_by<tilelift::detail::driver_limits>;
}

} // namespace tilelift

#endif
