//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of a box, known to the kernel that waits for it and to the launcher
// that encodes it. Because both use one type, the bytes that a barrier expects
// are the bytes that the map delivers.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_BOX_H
#define TILELIFT_BOX_H

namespace tilelift {

/// Elements of one instruction, innermost dimension first.
template <typename Element, int... Extents> struct box {
  using element = Element;
  static constexpr int rank = int(sizeof...(Extents));
  static constexpr int extents[sizeof...(Extents)] = {Extents...};
  static constexpr unsigned bytes = unsigned((Extents * ... * 1)) * unsigned(sizeof(Element));

  static_assert(rank >= 1 && rank <= 5, "a tensor map has 1 to 5 dimensions");
  static_assert(((Extents >= 1 && Extents <= 256) && ...), "a box has 1 to 256 elements each way");
  static_assert(extents[0] * sizeof(Element) % 16 == 0, "a row is a multiple of 16 bytes");
};

/// The argument `InLines` of a pixel_box whose pixels all lie in one line of an image (im2col::w),
/// which Blackwell has tensor maps for.
constexpr bool in_lines = true;

/// Pixels of one instruction, one behind the other, and elements of each of them.
template <typename Element, int Rank, int Channels, int Pixels, bool InLines = false>
struct pixel_box {
  using element = Element;
  static constexpr int rank = Rank, channels = Channels, pixels = Pixels;
  static constexpr bool is_in_lines = InLines;
  static constexpr unsigned bytes = unsigned(Channels) * Pixels * unsigned(sizeof(Element));

  static_assert(Rank >= 3 && Rank <= 5, "im2col has 1 to 3 dimensions besides channels and images");
  static_assert(Channels >= 1 && Channels <= 256, "a pixel has 1 to 256 elements");
  static_assert(Pixels >= 1 && Pixels <= 1024, "there are 1 to 1024 pixels");
  static_assert(Channels * sizeof(Element) % 16 == 0, "a row is a multiple of 16 bytes");
};

/// The `count` of a dimension from which no copy goes on to the next one (`walk` in device.cuh).
constexpr int endless = 0x7fffffff;

/// The block size that a copy was checked for.
struct block_size {
  unsigned x, y, z;

#ifdef __CUDACC__
  __host__ __device__ operator dim3() const { return {x, y, z}; }
#endif
};

} // namespace tilelift

#endif
