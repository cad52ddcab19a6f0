//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a copy asks of the TMA unit, as values: element types, modes, boxes of tensors, and numbers.
//
// A number may be exact, or known only within limits ("a multiple of 64, at least 0"). Which
// requests the unit can serve is not said here, but in rules.h.
//
// Plain C++17, no CUDA.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_REQUESTS_H
#define TILELIFT_REQUESTS_H

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace tilelift {

/// What a block may have in static and dynamic memory, at most.
constexpr std::int64_t largest_shared_memory = 232448;

/// How the TMA unit sees an element, numbered as CUtensorMapDataType. For a copy
/// of the first ten only the size matters; the kind is kept so that a descriptor
/// reads as the tensor it describes.
enum class element_type : unsigned char {
  u8,
  u16,
  u32,
  i32,
  u64,
  i64,
  f16,
  f32,
  f64,
  bf16,
  f32_ftz,    ///< reductions flush subnormal numbers
  tf32,       ///< loads round to ten bits of mantissa
  tf32_ftz,   ///< both
  u4_align8,  ///< packed, two to a byte
  u4_align16, ///< the same, but 16 of them take 16 bytes of shared memory
  u6_align16, ///< packed, four to three bytes; 16 take 16 bytes of shared memory
};
constexpr unsigned element_types = 16;

constexpr bool is_packed(element_type type) {
  return type >= element_type::u4_align8 && type <= element_type::u6_align16;
}
/// Packed, with gaps in shared memory.
constexpr bool is_padded(element_type type) {
  return type == element_type::u4_align16 || type == element_type::u6_align16;
}
constexpr bool is_floating(element_type type) {
  return type >= element_type::f16 && type <= element_type::tf32_ftz;
}

/// Bits of one element in global memory.
constexpr unsigned bits_of(element_type type) {
  constexpr unsigned bits[element_types] = {8,  16, 32, 32, 64, 64, 16, 32,
                                            64, 16, 32, 32, 32, 4,  4,  6};
  return unsigned(type) < element_types ? bits[unsigned(type)] : 8;
}

/// Bytes of one element; packed elements have none of their own.
constexpr unsigned size_of(element_type type) { return bits_of(type) / 8; }

constexpr const char *name_of(element_type type) {
  constexpr const char *names[element_types] = {
      "u8",  "u16",  "u32",     "i32",  "u64",      "i64",       "f16",        "f32",
      "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz", "u4_align8", "u4_align16", "u6_align16"};
  return unsigned(type) < element_types ? names[unsigned(type)] : "unknown";
}

namespace detail {
template <unsigned Columns, element_type Type> constexpr unsigned bytes_of_four_rows() {
  static_assert(Columns > 0 && Columns * bits_of(Type) % 128 == 0,
                "a row of a gather4 has a multiple of 16 bytes");
  return 4 * Columns * bits_of(Type) / 8;
}
} // namespace detail

/// What a barrier expects of a gather4: four rows of a box, packed elements as they are in
/// global memory.
template <unsigned Columns, element_type Type>
constexpr unsigned gather4_bytes = detail::bytes_of_four_rows<Columns, Type>();

/// What a copy may do with an element of global memory instead of overwriting it.
enum class reduce_operation : unsigned char { add, min, max, inc, dec, and_, or_, xor_ };
constexpr unsigned reduce_operations = 8;

constexpr const char *name_of(reduce_operation operation) {
  constexpr const char *names[reduce_operations] = {"add", "min", "max", "inc",
                                                    "dec", "and", "or",  "xor"};
  return unsigned(operation) < reduce_operations ? names[unsigned(operation)] : "unknown";
}

/// Whether a copy through a map of that type can do it. No assembler checks that: the
/// type is the map's, and the wrong one is an illegal instruction.
constexpr bool reduces(reduce_operation operation, element_type type) {
  switch (operation) {
  case reduce_operation::add:
    return type == element_type::u32 || type == element_type::i32 || type == element_type::u64 ||
           is_floating(type);
  case reduce_operation::min:
  case reduce_operation::max:
    return (type >= element_type::u32 && type <= element_type::f16) || type == element_type::bf16;
  case reduce_operation::inc:
  case reduce_operation::dec: return type == element_type::u32;
  default:
    return type == element_type::u32 || type == element_type::i32 || type == element_type::u64;
  }
}

/// Where the bytes of a row go in shared memory, numbered as CUtensorMapSwizzle.
enum class swizzle_mode : unsigned char {
  none,
  b32,
  b64,
  b128,
  b128_atom_32,
  b128_atom_32_flip_8,
  b128_atom_64,
};
constexpr unsigned swizzle_modes = 7;

/// Bytes of shared memory that a swizzled row takes, and at most has; 0 without
/// a swizzle.
constexpr unsigned span_of(swizzle_mode mode) {
  return mode == swizzle_mode::none  ? 0
         : mode == swizzle_mode::b32 ? 32
         : mode == swizzle_mode::b64 ? 64
                                     : 128;
}

/// Numbered as CUtensorMapInterleave, CUtensorMapL2promotion and
/// CUtensorMapFloatOOBfill.
enum class interleave_layout : unsigned char { none, b16, b32 };
enum class l2_promotion : unsigned char { none, b64, b128, b256 };
enum class outside_fill : unsigned char { zero, nan };

constexpr int max_rank = 5;
/// The largest extent. The driver encodes up to 2^32, but beyond 2^31 every copy
/// through such a map dies with "illegal instruction" (H200, driver 580).
constexpr int64_t max_extent = int64_t(1) << 31;
/// The extent of a dimension that nothing bounds.
constexpr int64_t unbounded_extent = max_extent;

/// A number and what is known of it. `text` is the user's expression; empty
/// where the number itself was written. The words, here and in requests, are kept
/// by whoever asks.
struct quantity {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();
  /// The number is a multiple of this; 0 stands for the number zero.
  int64_t divisor = 1;
  std::string_view text;

  static constexpr quantity exactly(int64_t value, std::string_view text = {}) {
    return {value, value, value, text};
  }
  bool is_exact() const { return low == high; }
};

/// A number that is known, without words. Launches are checked with these, which takes half of
/// the time; whoever needs words asks again with quantities.
struct exact_number {
  int64_t low = 0;

  static constexpr exact_number exactly(int64_t value, std::string_view = {}) { return {value}; }
  constexpr bool is_exact() const { return true; }
};

enum class verdict { holds, fails, open };

inline verdict is_within(const quantity &value, int64_t low, int64_t high) {
  if (low <= value.low && value.high <= high)
    return verdict::holds;
  return value.high < low || value.low > high ? verdict::fails : verdict::open;
}

inline verdict is_within(const exact_number &value, int64_t low, int64_t high) {
  return low <= value.low && value.low <= high ? verdict::holds : verdict::fails;
}

/// Of a power of two, as all alignments are: launches need not divide.
constexpr bool is_multiple(int64_t value, int64_t of) { return (value & (of - 1)) == 0; }
inline verdict is_multiple(const quantity &value, int64_t of) {
  if (is_multiple(value.divisor, of) || (value.is_exact() && is_multiple(value.low, of)))
    return verdict::holds;
  return value.is_exact() ? verdict::fails : verdict::open;
}
inline verdict is_multiple(const exact_number &value, int64_t of) {
  return is_multiple(value.low, of) ? verdict::holds : verdict::fails;
}

/// "40 (w * 4)", "40" or "w * 4".
inline std::string describe(const quantity &value) {
  const std::string text(value.text);
  if (!value.is_exact())
    return text.empty() ? "a number" : text;
  const std::string number = std::to_string(value.low);
  return text.empty() || text == number ? number : number + " (" + text + ")";
}
inline std::string describe(const exact_number &value) { return std::to_string(value.low); }

template <typename Number> struct dimension_of {
  Number extent; ///< elements
  Number stride; ///< bytes from one element to the next in this dimension
  Number box;    ///< elements of one instruction; not for im2col
  /// Elements from one that is copied to the next; ignored in dimension 0.
  Number step = Number::exactly(1);
};

/// Returns a number of elements that is known when compiling, clamped to 0 to 2048: so products of
/// several do not overflow, and a number that is too large for all rules remains so.
inline int64_t count(const quantity &elements) {
  return elements.low < 0 ? 0 : elements.low > 2048 ? 2048 : elements.low;
}

/// What all copies through a tensor map say, innermost dimension first.
template <typename Number> struct map_request_of {
  std::string_view tensor;
  std::string_view tile;
  element_type type = element_type::f32;
  int rank = 1;
  Number address;
  dimension_of<Number> dims[max_rank];
  swizzle_mode swizzle = swizzle_mode::none;
  interleave_layout interleave = interleave_layout::none;
  l2_promotion promotion = l2_promotion::none;
  outside_fill fill = outside_fill::zero;
  /// The compute capability of the device, times ten.
  int capability = 90;
};

/// A box of a tensor.
template <typename Number> struct tile_request_of : map_request_of<Number> {};

enum class im2col_mode : unsigned char { im2col, w, w128 };

/// Columns of pixels of a tensor with the dimensions channel, W[, H[, D]], N.
/// The bounding box of the first pixels has its corners at `lower` and, counted
/// from the far end, at `upper`: W, H, D. In wide modes only those of W count,
/// and the others are 0.
template <typename Number> struct im2col_request_of : map_request_of<Number> {
  im2col_mode mode = im2col_mode::im2col;
  Number lower[3];
  Number upper[3];
  Number channels; ///< elements of a pixel that one instruction copies
  Number pixels;   ///< pixels of one instruction

  int corners() const { return this->rank - 2; }
};

using dimension = dimension_of<quantity>;
using map_request = map_request_of<quantity>;
using tile_request = tile_request_of<quantity>;
using im2col_request = im2col_request_of<quantity>;

namespace detail {
inline int64_t elements_per_step(const dimension &own) {
  return own.step.low < 1 ? 1 : own.step.low;
}
} // namespace detail

/// Bytes that one instruction copies: steps round up, and the innermost dimension has none.
inline int64_t box_bytes(const tile_request &request) {
  int64_t bits = bits_of(request.type);
  for (int d = 0; d < request.rank && d < max_rank; ++d) {
    const int64_t step = d == 0 ? 1 : detail::elements_per_step(request.dims[d]);
    bits *= (count(request.dims[d].box) + step - 1) / step;
  }
  return bits / 8;
}
/// What the driver takes for that: steps round down, and all dimensions have one.
inline int64_t box_bytes_of_driver(const tile_request &request) {
  int64_t bits = bits_of(request.type);
  for (int d = 0; d < request.rank && d < max_rank; ++d)
    bits *= count(request.dims[d].box) / detail::elements_per_step(request.dims[d]);
  return bits / 8;
}

/// Whose limits count. A lifted copy stays inside of what the hardware can do;
/// the driver also makes maps that no copy can use.
enum class limits_of { lifted_copies, driver };

/// A copy without a tensor map: so many bytes from here.
struct bulk_request {
  std::string_view tensor;
  std::string_view tile;
  quantity address;
  quantity offset; ///< bytes from the address to the first byte read
  quantity bytes;
};

} // namespace tilelift

#endif
