//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps from the driver, whose functions somebody else has found.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ENCODE_H
#define TILELIFT_ENCODE_H

#include <tilelift/rules.h>

#include <cuda.h>

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

/// The `int` before the swizzle is the driver's CUtensorMapIm2ColWideMode, which toolkits before
/// 12.8 do not declare.
using encode_im2col_wide_function = CUresult (*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t,
                                                 void *, const cuuint64_t *, const cuuint64_t *,
                                                 int, int, cuuint32_t, cuuint32_t,
                                                 const cuuint32_t *, CUtensorMapInterleave, int,
                                                 CUtensorMapSwizzle, CUtensorMapL2promotion,
                                                 CUtensorMapFloatOOBfill);

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

/// Drivers set bit 85 of maps for Blackwell, a mode that reads up to 128 KiB
/// from the tensor's address; smaller allocations then fault now and then.
/// NVIDIA's remedy is to clear it (release notes of driver 595.71.05). How large
/// the allocation behind a pointer is, nobody tells us, so it is always cleared.
inline void clear_wide_address_mode(CUtensorMap &map) {
  reinterpret_cast<cuuint64_t *>(&map)[1] &= ~(cuuint64_t(1) << 21);
}

/// What the driver takes for a request's dimensions.
struct map_numbers {
  template <typename Number> explicit map_numbers(const map_request_of<Number> &request) {
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

template <typename Number> void *address_of(const map_request_of<Number> &request) {
  return reinterpret_cast<void *>(uintptr_t(request.address.low));
}

/// Nothing, or what went wrong.
inline std::string finish(CUtensorMap &map, CUresult result, bool is_on_blackwell) {
  if (result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_NOT_INITIALIZED)
    return "there is no current CUDA context";
  if (result != CUDA_SUCCESS)
    return "the driver refuses it with error " + std::to_string(int(result)) +
           ", although every known rule holds";
  if (is_on_blackwell)
    clear_wide_address_mode(map);
  return {};
}

template <typename Number>
CUtensorMapInterleave interleave_of(const map_request_of<Number> &request) {
  return static_cast<CUtensorMapInterleave>(request.interleave);
}
template <typename Number> CUtensorMapSwizzle swizzle_of(const map_request_of<Number> &request) {
  return static_cast<CUtensorMapSwizzle>(request.swizzle);
}
template <typename Number> CUtensorMapFloatOOBfill fill_of(const map_request_of<Number> &request) {
  return static_cast<CUtensorMapFloatOOBfill>(request.fill);
}

} // namespace detail

/// Where the driver's functions are, each looked for when it is needed; null where there is none.
class tensor_map_functions {
public:
  virtual detail::encode_tiled_function tiled() const = 0;
  virtual detail::encode_im2col_function im2col() const = 0;
  virtual detail::encode_im2col_wide_function im2col_wide() const = 0;

protected:
  ~tensor_map_functions() = default;
};

/// Nothing, or what went wrong. The request has passed the rules.
template <typename Number>
std::string encode(CUtensorMap &map, const tile_request_of<Number> &request, int promotion,
                   const tensor_map_functions &driver, bool is_on_blackwell) {
  const auto encode = driver.tiled();
  if (!encode)
    return "the driver has no cuTensorMapEncodeTiled, which came with CUDA 12.0";
  const detail::map_numbers numbers(request);
  cuuint32_t box[max_rank];
  for (int d = 0; d < request.rank; ++d)
    box[d] = cuuint32_t(request.dims[d].box.low);
  return detail::finish(map,
                        encode(&map, detail::data_type(request.type), cuuint32_t(request.rank),
                               detail::address_of(request), numbers.extents, numbers.strides, box,
                               numbers.steps, detail::interleave_of(request),
                               detail::swizzle_of(request), detail::l2_promotion(promotion),
                               detail::fill_of(request)),
                        is_on_blackwell);
}

/// The same for pixels in one line each.
template <typename Number>
std::string encode_wide(CUtensorMap &map, const im2col_request_of<Number> &request, int promotion,
                        const tensor_map_functions &driver, bool is_on_blackwell) {
  const auto encode = driver.im2col_wide();
  if (!encode)
    return "the driver has no cuTensorMapEncodeIm2colWide, which came with CUDA 12.8";
  const detail::map_numbers numbers(request);
  return detail::finish(map,
                        encode(&map, detail::data_type(request.type), cuuint32_t(request.rank),
                               detail::address_of(request), numbers.extents, numbers.strides,
                               int(request.lower[0].low), int(request.upper[0].low),
                               cuuint32_t(request.channels.low), cuuint32_t(request.pixels.low),
                               numbers.steps, detail::interleave_of(request),
                               request.mode == im2col_mode::w ? 0 : 1, detail::swizzle_of(request),
                               detail::l2_promotion(promotion), detail::fill_of(request)),
                        is_on_blackwell);
}

/// The same for pixels.
template <typename Number>
std::string encode(CUtensorMap &map, const im2col_request_of<Number> &request, int promotion,
                   const tensor_map_functions &driver, bool is_on_blackwell) {
  if (request.mode != im2col_mode::im2col)
    return encode_wide(map, request, promotion, driver, is_on_blackwell);
  const auto encode = driver.im2col();
  if (!encode)
    return "the driver has no cuTensorMapEncodeIm2col, which came with CUDA 12.0";
  const detail::map_numbers numbers(request);
  int lower[3] = {}, upper[3] = {};
  for (int i = 0; i < request.corners(); ++i) {
    lower[i] = int(request.lower[i].low);
    upper[i] = int(request.upper[i].low);
  }
  return detail::finish(map,
                        encode(&map, detail::data_type(request.type), cuuint32_t(request.rank),
                               detail::address_of(request), numbers.extents, numbers.strides, lower,
                               upper, cuuint32_t(request.channels.low),
                               cuuint32_t(request.pixels.low), numbers.steps,
                               detail::interleave_of(request), detail::swizzle_of(request),
                               detail::l2_promotion(promotion), detail::fill_of(request)),
                        is_on_blackwell);
}

} // namespace tilelift

#endif
