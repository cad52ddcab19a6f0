//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps from the driver. The driver is reached through the CUDA runtime,
// so nothing new is linked; the entry points are asked for by the version that
// introduced them.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ENCODE_H
#define TILELIFT_ENCODE_H

#include <tilelift/rules.h>

#include <cuda.h>
#include <cuda_runtime.h>

#include <atomic>

namespace tilelift {

namespace detail {

using encode_tiled_function = CUresult (*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                           const cuuint64_t *, const cuuint64_t *,
                                           const cuuint32_t *, const cuuint32_t *,
                                           CUtensorMapInterleave, CUtensorMapSwizzle,
                                           CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

using encode_im2col_function = CUresult (*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                            const cuuint64_t *, const cuuint64_t *, const int *,
                                            const int *, cuuint32_t, cuuint32_t, const cuuint32_t *,
                                            CUtensorMapInterleave, CUtensorMapSwizzle,
                                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/// Toolkits before 12.8 do not know what kind of map the last number but three is of.
using encode_im2col_wide_function = CUresult (*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t,
                                                 void *, const cuuint64_t *, const cuuint64_t *,
                                                 int, int, cuuint32_t, cuuint32_t,
                                                 const cuuint32_t *, CUtensorMapInterleave, int,
                                                 CUtensorMapSwizzle, CUtensorMapL2promotion,
                                                 CUtensorMapFloatOOBfill);
constexpr int lines_of_images = 0;

inline void *driver_function(const char *name, unsigned version) {
  void *function = nullptr;
  cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSymbolNotFound;
  cudaError_t error =
      cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &status);
  if (error != cudaSuccess)
    (void)cudaGetLastError(); // reported as a missing function
  return error == cudaSuccess && status == cudaDriverEntryPointSuccess ? function : nullptr;
}

/// element_type is numbered like the driver's types.
constexpr CUtensorMapDataType data_type(element_type type) {
  return static_cast<CUtensorMapDataType>(type);
}
static_assert(data_type(element_type::u8) == CU_TENSOR_MAP_DATA_TYPE_UINT8 &&
                  data_type(element_type::bf16) == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 &&
                  data_type(element_type::tf32_ftz) == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ,
              "the same numbers as the driver's");

inline CUtensorMapL2promotion l2_promotion(int bytes) {
  return bytes == 256   ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B
         : bytes == 128 ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B
         : bytes == 64  ? CU_TENSOR_MAP_L2_PROMOTION_L2_64B
                        : CU_TENSOR_MAP_L2_PROMOTION_NONE;
}

/// The major compute capability of the current device; 0 when there is none.
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

/// Drivers set bit 85 of maps for Blackwell, a mode that reads up to 128 KiB
/// from the tensor's address; smaller allocations then fault now and then.
/// NVIDIA's remedy is to clear it (release notes of driver 595.71.05). How large
/// the allocation behind a pointer is, nobody tells us, so it is always cleared.
inline void clear_wide_address_mode(CUtensorMap &map) {
  reinterpret_cast<cuuint64_t *>(&map)[1] &= ~(cuuint64_t(1) << 21);
}

} // namespace detail

/// Sets `device` to the current device.
inline bool has_tma_unit(int &device) { return detail::compute_capability_major(device) >= 9; }

namespace detail {

/// What the driver takes for a request's dimensions.
struct map_numbers {
  explicit map_numbers(const map_request &request) {
    for (int d = 0; d < request.rank; ++d) {
      extents[d] = cuuint64_t(request.dims[d].extent.low);
      steps[d] = cuuint32_t(request.dims[d].step.low);
      if (d > 0)
        strides[d - 1] = cuuint64_t(request.dims[d].stride.low);
    }
  }

  cuuint64_t extents[max_rank], strides[max_rank] = {};
  cuuint32_t steps[max_rank];
};

inline void *address_of(const map_request &request) {
  return reinterpret_cast<void *>(uintptr_t(request.address.low));
}

/// Nothing, or what went wrong.
inline std::string finish(CUtensorMap &map, CUresult result, int device) {
  if (result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_NOT_INITIALIZED)
    return "there is no current CUDA context";
  if (result != CUDA_SUCCESS)
    return "the driver refuses it with error " + std::to_string(int(result)) +
           ", although every known rule holds";
  int current = device;
  if (compute_capability_major(current) >= 10)
    clear_wide_address_mode(map);
  return {};
}

} // namespace detail

/// Nothing, or what went wrong. The request has passed the rules.
inline std::string encode_tiled(CUtensorMap &map, const tile_request &request, int promotion,
                                int device) {
  static const auto encode = reinterpret_cast<detail::encode_tiled_function>(
      detail::driver_function("cuTensorMapEncodeTiled", 12000));
  if (!encode)
    return "the driver has no cuTensorMapEncodeTiled, which came with CUDA 12.0";
  const detail::map_numbers numbers(request);
  cuuint32_t box[max_rank];
  for (int d = 0; d < request.rank; ++d)
    box[d] = cuuint32_t(request.dims[d].box.low);
  return detail::finish(map,
                        encode(&map, detail::data_type(request.type), cuuint32_t(request.rank),
                               detail::address_of(request), numbers.extents, numbers.strides, box,
                               numbers.steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                               static_cast<CUtensorMapSwizzle>(request.swizzle),
                               detail::l2_promotion(promotion), CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                        device);
}

/// The same for pixels in one line each.
inline std::string encode_im2col_wide(CUtensorMap &map, const im2col_request &request,
                                      int promotion, int device) {
  static const auto encode = reinterpret_cast<detail::encode_im2col_wide_function>(
      detail::driver_function("cuTensorMapEncodeIm2colWide", 12080));
  if (!encode)
    return "the driver has no cuTensorMapEncodeIm2colWide, which came with CUDA 12.8";
  const detail::map_numbers numbers(request);
  return detail::finish(
      map,
      encode(&map, detail::data_type(request.type), cuuint32_t(request.rank),
             detail::address_of(request), numbers.extents, numbers.strides,
             int(request.lower[0].low), int(request.upper[0].low), cuuint32_t(request.channels.low),
             cuuint32_t(request.pixels.low), numbers.steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
             detail::lines_of_images, static_cast<CUtensorMapSwizzle>(request.swizzle),
             detail::l2_promotion(promotion), CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
      device);
}

/// The same for pixels.
inline std::string encode_im2col(CUtensorMap &map, const im2col_request &request, int promotion,
                                 int device) {
  static const auto encode = reinterpret_cast<detail::encode_im2col_function>(
      detail::driver_function("cuTensorMapEncodeIm2col", 12000));
  if (!encode)
    return "the driver has no cuTensorMapEncodeIm2col, which came with CUDA 12.0";
  const detail::map_numbers numbers(request);
  int lower[3] = {}, upper[3] = {};
  for (int i = 0; i < request.corners(); ++i) {
    lower[i] = int(request.lower[i].low);
    upper[i] = int(request.upper[i].low);
  }
  return detail::finish(
      map,
      encode(&map, detail::data_type(request.type), cuuint32_t(request.rank),
             detail::address_of(request), numbers.extents, numbers.strides, lower, upper,
             cuuint32_t(request.channels.low), cuuint32_t(request.pixels.low), numbers.steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, static_cast<CUtensorMapSwizzle>(request.swizzle),
             detail::l2_promotion(promotion), CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
      device);
}

} // namespace tilelift

#endif
