//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's calls that make tensor maps. What a map may be is decided in
// model/TensorMap.h; here its 128 bytes go where the program wants them.
//
// The driver only says that a value is invalid. With TILELIFT_VERBOSE in the
// environment, this one says which rules are broken.
//===----------------------------------------------------------------------===//

#include "cudart/State.h"
#include "model/TensorMap.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>

using namespace tilelift::emulator;

namespace {

/// Each text once, however often the program tries.
void explain(const char *function, const std::vector<std::string> &violations) {
  cudart::State &api = cudart::state();
  std::lock_guard<std::recursive_mutex> lock(api.mutex);
  for (const std::string &violation : violations)
    if (api.explained.insert(function + violation).second)
      std::fprintf(stderr, "tilelift: %s: %s\n", function, violation.c_str());
}

CUresult deliver(const char *function, const EncodeResult &result, CUtensorMap *map) {
  static_assert(sizeof(TensorMap) == sizeof(CUtensorMap));
  if (!map)
    return CUDA_ERROR_INVALID_VALUE;
  if (!result) {
    if (std::getenv("TILELIFT_VERBOSE"))
      explain(function, result.violations);
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::memcpy(static_cast<void *>(map), &result.map, sizeof *map);
  return CUDA_SUCCESS;
}

/// The driver's integers have the size of ours, but another name.
const uint64_t *longs(const cuuint64_t *values) {
  static_assert(sizeof(uint64_t) == sizeof(cuuint64_t));
  return reinterpret_cast<const uint64_t *>(values);
}

} // namespace

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *extents, const cuuint64_t *strides,
                                const cuuint32_t *box, const cuuint32_t *elementStrides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  return deliver("cuTensorMapEncodeTiled",
                 encodeTiled(type, rank, uint64_t(address), longs(extents), longs(strides), box,
                             elementStrides, interleave, swizzle, promotion, fill),
                 map);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                 void *address, const cuuint64_t *extents,
                                 const cuuint64_t *strides, const int *lower, const int *upper,
                                 cuuint32_t channels, cuuint32_t pixels,
                                 const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                 CUtensorMapFloatOOBfill fill) {
  return deliver("cuTensorMapEncodeIm2col",
                 encodeIm2col(type, rank, uint64_t(address), longs(extents), longs(strides), lower,
                              upper, channels, pixels, elementStrides, interleave, swizzle,
                              promotion, fill),
                 map);
}

CUresult
cuTensorMapEncodeIm2colWide(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                            void *address, const cuuint64_t *extents, const cuuint64_t *strides,
                            int lower, int upper, cuuint32_t channels, cuuint32_t pixels,
                            const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
                            CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle,
                            CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  return deliver("cuTensorMapEncodeIm2colWide",
                 encodeIm2colWide(type, rank, uint64_t(address), longs(extents), longs(strides),
                                  lower, upper, channels, pixels, elementStrides, interleave, mode,
                                  swizzle, promotion, fill),
                 map);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
  if (!map || !isTensorMap(map))
    return CUDA_ERROR_INVALID_VALUE;
  TensorMap old;
  std::memcpy(static_cast<void *>(&old), map, sizeof old);
  return deliver("cuTensorMapReplaceAddress", replaceAddress(old, uint64_t(address)), map);
}

} // extern "C"
