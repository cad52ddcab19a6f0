//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the TMA unit asks for, in one table with one wording.
//
// The rewriter checks a copy against this table while compiling, the launcher
// checks the same copy against the same table with the real numbers. So a
// number may be exact, or known only within limits ("a multiple of 64, at least
// 0"), and a rule then holds, fails, or stays open until launch.
//
// Plain C++17, no CUDA. The limits are those of the cuTensorMapEncode calls and
// of the cp.async.bulk instructions; where hardware and manual differ, hardware
// wins. What is not here: whether the copy is a copy at all.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_RULES_H
#define TILELIFT_RULES_H

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

/// A number of elements that is known when compiling. What is far too large
/// stays so, but can be multiplied.
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

/// The rules, one name for each line of rules.def.
enum class rule_id : unsigned char {
#define TILELIFT_RULE(name, summary) name,
#include "tilelift/rules.def"
#undef TILELIFT_RULE
};

namespace detail {

/// What messages call a rule: hyphens where the name has underscores.
template <std::size_t N> struct rule_text {
  char text[N] = {};
  constexpr rule_text(const char (&name)[N]) {
    for (std::size_t i = 0; i < N; ++i)
      text[i] = name[i] == '_' ? '-' : name[i];
  }
};

namespace rule_texts {
#define TILELIFT_RULE(name, summary) inline constexpr rule_text name(#name);
#include "tilelift/rules.def"
#undef TILELIFT_RULE
} // namespace rule_texts

} // namespace detail

struct rule {
  const char *id;
  const char *summary;
};

constexpr rule rule_table[] = {
#define TILELIFT_RULE(name, summary) {detail::rule_texts::name.text, summary},
#include "tilelift/rules.def"
#undef TILELIFT_RULE
};
constexpr const char *name_of(rule_id id) { return rule_table[unsigned(id)].id; }
constexpr const char *summary_of(rule_id id) { return rule_table[unsigned(id)].summary; }

/// One rule applied to one number of one copy. `text` says what was found and
/// what is needed, in the user's names; of a rule that holds, nothing.
struct finding {
  rule_id rule;
  verdict outcome;
  std::string text;
};

namespace detail {

inline std::string ordinal(int d) {
  return d == 0 ? "innermost" : "dimension " + std::to_string(d);
}

/// Names the tensor or tile of a request.
inline std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

template <typename Number> std::string no_multiple(const Number &found, const char *unit, int of) {
  return describe(found) + unit + ", which is no multiple of " + std::to_string(of);
}

inline finding broken(rule_id rule, std::string text) {
  return {rule, verdict::fails, std::move(text)};
}

/// A report without findings: whether all rules hold. Launches are checked each time they are
/// made, and words, or only the code for them, take longer than the rules.
struct all_hold {
  bool so_far = true;
};

/// Words are made where a rule is broken, and nowhere else.
template <typename Report, typename Text>
[[gnu::cold, gnu::noinline]] void explain(Report &report, rule_id rule, verdict outcome,
                                          const Text &text) {
  report(finding{rule, outcome, text()});
}

/// About what a request leaves at its default: reported only where it is broken.
template <typename Report, typename Text>
void judge_if_broken(Report &report, rule_id rule, verdict outcome, const Text &text) {
  if constexpr (std::is_same_v<Report, all_hold>)
    report.so_far &= outcome == verdict::holds;
  else if (outcome != verdict::holds)
    explain(report, rule, outcome, text);
}
template <typename Report, typename Text>
void judge(Report &report, rule_id rule, verdict outcome, const Text &text) {
  if constexpr (!std::is_same_v<Report, all_hold>)
    if (outcome == verdict::holds)
      report(finding{rule, outcome, {}});
  judge_if_broken(report, rule, outcome, text);
}
constexpr verdict holds_unless(bool broken) { return broken ? verdict::fails : verdict::holds; }

template <typename Report> void check_values(const map_request &request, Report &&report) {
  auto known = [&](const char *what, unsigned value, unsigned count) {
    if (value >= count)
      report(broken(rule_id::known_value,
                    std::string("the ") + what + " of " + quoted(request.tensor) + " is " +
                        std::to_string(value) + ", known are 0 to " + std::to_string(count - 1)));
  };
  known("data type", unsigned(request.type), element_types);
  known("interleaving", unsigned(request.interleave), 3);
  known("swizzle", unsigned(request.swizzle), swizzle_modes);
  known("L2 promotion", unsigned(request.promotion), 4);
  known("fill", unsigned(request.fill), 2);
  if (request.fill != outside_fill::zero && !is_floating(request.type))
    report(broken(rule_id::nan_fill, "a fill with NaN needs a floating-point type, " +
                                         quoted(request.tensor) + " has " + name_of(request.type)));
}

/// What only some devices have.
template <typename Report> void check_device(const map_request &request, Report &&report) {
  auto needs_newer = [&](rule_id rule, const std::string &what) {
    if (request.capability < 100)
      report(broken(rule, what + " needs compute capability 10.0, the device has " +
                              std::to_string(request.capability / 10) + "." +
                              std::to_string(request.capability % 10)));
  };
  if (is_packed(request.type))
    needs_newer(rule_id::type_device, name_of(request.type));
  if (request.swizzle > swizzle_mode::b128)
    needs_newer(rule_id::swizzle_device, "a swizzle of atoms larger than 16 bytes");
}

/// Padded types come with few layouts.
template <typename Report> void check_padded(const map_request &request, Report &&report) {
  const bool swizzles =
      request.swizzle == swizzle_mode::none || request.swizzle == swizzle_mode::b128 ||
      request.swizzle == swizzle_mode::b128_atom_32 ||
      (request.type == element_type::u6_align16 && request.swizzle == swizzle_mode::b128_atom_64);
  if (request.interleave != interleave_layout::none || !swizzles)
    report(broken(rule_id::padded_layout,
                  std::string(name_of(request.type)) +
                      " goes with no interleaving, and with no swizzle, 128B or 128B_ATOM_32B"));
}

template <typename Number, typename Report>
void check_extent(const map_request_of<Number> &request, int d, Report &&report, limits_of limits) {
  const Number &extent = request.dims[d].extent;
  const int power = limits == limits_of::driver ? 32 : 31;
  judge(report, rule_id::extent_range, is_within(extent, 1, int64_t(1) << power), [&] {
    return "the extent of " + quoted(request.tensor) + " in " + ordinal(d) +
           (d == 0 ? " dimension is " : " is ") + describe(extent) +
           " elements, allowed are 1 to 2^" + std::to_string(power);
  });
  if (d > 0 || !is_packed(request.type))
    return;
  const int whole = is_padded(request.type) ? 128 : 2;
  judge(report, rule_id::packed_extent, is_multiple(extent, whole), [&] {
    return "the rows of " + quoted(request.tensor) + " have " +
           no_multiple(extent, " elements", whole);
  });
}

template <typename Number, typename Report>
void check_stride(const map_request_of<Number> &request, int d, int alignment, Report &&report) {
  const Number &stride = request.dims[d].stride;
  const auto found = [&] {
    return "the stride of " + quoted(request.tensor) + " in " + ordinal(d) + " is ";
  };
  judge(report, alignment == 32 ? rule_id::stride_32 : rule_id::stride_16,
        is_multiple(stride, alignment),
        [&] { return found() + no_multiple(stride, " bytes", alignment); });
  judge(report, rule_id::stride_range, is_within(stride, 0, (int64_t(1) << 40) - 1),
        [&] { return found() + describe(stride) + " bytes, allowed are 0 to 2^40 - 1"; });
}

/// What one row of a box is subject to.
template <typename Report>
void check_row(const map_request &request, const quantity &elements, Report &&report) {
  const auto found = [&] { return "a row of the box of " + quoted(request.tile) + " has "; };
  const quantity bits = quantity::exactly(count(elements) * int64_t(bits_of(request.type)));
  const quantity bytes = quantity::exactly(bits.low / 8);
  judge(report, rule_id::inner_box_16, is_multiple(bits, 128),
        [&] { return found() + no_multiple(bytes, " bytes", 16); });
  const int64_t span = span_of(request.swizzle);
  if (span > 0 && request.interleave == interleave_layout::none && bytes.low > span)
    report(broken(rule_id::swizzle_span, found() + describe(bytes) +
                                             " bytes, the swizzle has room for " +
                                             std::to_string(span)));
  if (is_padded(request.type) && elements.low != 128)
    report(broken(rule_id::padded_box, found() + describe(elements) + " elements, " +
                                           name_of(request.type) + " takes 128"));
}

template <typename Report>
void check_bytes(const map_request &request, int64_t bytes, Report &&report, limits_of limits) {
  const int64_t most = limits == limits_of::driver ? 233472 : largest_shared_memory;
  judge(report, rule_id::box_bytes, is_within(quantity::exactly(bytes), 0, most), [&] {
    return "the box of " + quoted(request.tile) + " has " + std::to_string(bytes) +
           " bytes, a block has at most " + std::to_string(most) + " bytes of shared memory";
  });
}

/// What the layout of a tensor asks of its address and strides.
template <typename Number> int alignment_of(const map_request_of<Number> &request) {
  return request.interleave == interleave_layout::b32 || is_padded(request.type) ? 32 : 16;
}

template <typename Number, typename Report>
void check_address(const map_request_of<Number> &request, Report &&report, limits_of limits) {
  const int alignment = alignment_of(request);
  const auto tensor = [&] { return quoted(request.tensor); };
  if (limits == limits_of::lifted_copies)
    judge(report, rule_id::address_null,
          is_within(request.address, 1, std::numeric_limits<int64_t>::max()),
          [&] { return tensor() + " is null"; });
  judge(report, alignment == 32 ? rule_id::address_32 : rule_id::address_16,
        is_multiple(request.address, alignment), [&] {
          return "the map of " + tensor() + " starts at " +
                 no_multiple(request.address, "", alignment) + " bytes";
        });
  const verdict range = is_within(request.address, 0, (int64_t(1) << 57) - 1);
  judge_if_broken(report, rule_id::address_range, holds_unless(range == verdict::fails), [&] {
    return "the map of " + tensor() + " starts at " + describe(request.address) +
           ", an address is less than 2^57";
  });
}

/// What tensor maps of all modes are, but for the box.
template <typename Report>
void check_kind(const map_request &request, int least_rank, Report &&report) {
  const bool interleaved = request.interleave != interleave_layout::none;
  const int least = interleaved ? 3 : least_rank;
  judge(report, rule_id::rank, is_within(quantity::exactly(request.rank), least, max_rank), [&] {
    return "the copy to " + quoted(request.tile) + " has " + std::to_string(request.rank) +
           " dimensions, a tensor map has " + std::to_string(least) + " to 5";
  });
  check_values(request, report);
  check_device(request, report);
  if (is_padded(request.type))
    check_padded(request, report);
}

/// And what they are of.
template <typename Number, typename Report>
void check_tensor(const map_request_of<Number> &request, Report &&report, limits_of limits) {
  check_address(request, report, limits);
  for (int d = 0; d < request.rank && d < max_rank; ++d) {
    check_extent(request, d, report, limits);
    if (d > 0)
      check_stride(request, d, alignment_of(request), report);
    const Number &step = request.dims[d].step;
    judge_if_broken(report, rule_id::step_range, is_within(step, 1, 8), [&] {
      return "the element stride of " + quoted(request.tensor) + " in " + ordinal(d) +
             (d == 0 ? " dimension is " : " is ") + describe(step) + ", allowed are 1 to 8";
    });
  }
}

/// Whether the box has a pixel between two of its corners. The driver counts in
/// 32 bits.
template <typename Number>
verdict has_pixel(const Number &extent, const Number &lower, const Number &upper) {
  if (extent.is_exact() && lower.is_exact() && upper.is_exact())
    return int32_t(uint32_t(extent.low) + uint32_t(upper.low)) > lower.low ? verdict::holds
                                                                           : verdict::fails;
  if (extent.low > 0 && lower.is_exact() && upper.is_exact() && extent.low + upper.low > lower.low)
    return verdict::holds;
  return verdict::open;
}

template <typename Number, typename Report>
void check_corners(const im2col_request_of<Number> &request, Report &&report) {
  const int bits = request.corners() == 3 ? 5 : request.corners() == 2 ? 8 : 16;
  const int64_t limit = int64_t(1) << (bits - 1);
  const int first = request.interleave == interleave_layout::none ? 1 : 0;
  for (int i = 0; i < request.corners() && i < 3; ++i) {
    const auto where = [&] { return " in dimension " + std::to_string(first + i); };
    for (const Number *corner : {&request.lower[i], &request.upper[i]})
      judge(report, rule_id::corner_range, is_within(*corner, -limit, limit - 1), [&] {
        return std::string(corner == &request.lower[i] ? "the lower" : "the upper") +
               " corner of " + quoted(request.tile) + " is " + describe(*corner) + where() +
               ", allowed are " + std::to_string(-limit) + " to " + std::to_string(limit - 1);
      });
    const Number &extent = request.dims[first + i].extent;
    judge(report, rule_id::corner_order, has_pixel(extent, request.lower[i], request.upper[i]),
          [&] {
            return "the box of " + quoted(request.tile) + " is empty" + where() +
                   ": it starts at " + describe(request.lower[i]) + " and ends " +
                   describe(request.upper[i]) + " from an extent of " + describe(extent);
          });
  }
}

/// How pixels of one line may lie in shared memory.
template <typename Number, typename Report>
void check_wide(const im2col_request_of<Number> &request, Report &&report) {
  const bool swizzles = request.swizzle != swizzle_mode::b32 &&
                        request.swizzle != swizzle_mode::b128_atom_32_flip_8 &&
                        request.swizzle != swizzle_mode::b128_atom_64;
  const bool is_plain = swizzles && request.interleave == interleave_layout::none;
  judge_if_broken(report, rule_id::wide_layout,
                  holds_unless(request.mode != im2col_mode::im2col && !is_plain), [] {
                    return std::string(
                        "im2col wide goes with no interleaving, and with swizzles 64B, 128B and "
                        "128B_ATOM_32B");
                  });
}

} // namespace detail

/// Those rules of a lifted copy that are about its launch: where the tensor lies, how large it is,
/// where the pixels are in it, and whether the device takes them line by line. The others are about
/// the copy itself, and known when compiling.
template <typename Number, typename Report>
void check_launch(const tile_request_of<Number> &request, Report &&report) {
  detail::check_tensor(request, report, limits_of::lifted_copies);
}
template <typename Number, typename Report>
void check_launch(const im2col_request_of<Number> &request, Report &&report) {
  detail::check_tensor(request, report, limits_of::lifted_copies);
  detail::check_corners(request, report);
  detail::check_wide(request, report);
}

/// Whether all of these hold.
template <typename Request> bool holds_at_launch(const Request &request) {
  detail::all_hold report;
  check_launch(request, report);
  return report.so_far;
}

/// Calls `report(finding)` for every rule of a tensor map and of its use. Rules
/// about what a request leaves at its default are reported only when broken.
template <typename Report>
void check(const tile_request &request, Report &&report,
           limits_of limits = limits_of::lifted_copies) {
  detail::check_kind(request, 1, report);
  detail::check_tensor(request, report, limits);
  for (int d = 0; d < request.rank && d < max_rank; ++d)
    detail::judge(report, rule_id::box_range, is_within(request.dims[d].box, 1, 256), [&] {
      return "the box of " + detail::quoted(request.tile) + " has " +
             describe(request.dims[d].box) + " elements in " + detail::ordinal(d) +
             (d == 0 ? " dimension" : "") + ", allowed are 1 to 256";
    });
  detail::check_row(request, request.dims[0].box, report);
  detail::check_bytes(
      request, limits == limits_of::driver ? box_bytes_of_driver(request) : box_bytes(request),
      report, limits);
}

template <typename Report>
void check(const im2col_request &request, Report &&report,
           limits_of limits = limits_of::lifted_copies) {
  const auto found = [&] { return "the copy to " + detail::quoted(request.tile) + " has "; };
  detail::check_kind(request, 3, report);
  detail::check_tensor(request, report, limits);
  if (request.rank < 3 || request.rank > max_rank)
    return;
  detail::check_corners(request, report);
  detail::judge(report, rule_id::channel_range, is_within(request.channels, 1, 256), [&] {
    return found() + describe(request.channels) + " channels, allowed are 1 to 256";
  });
  detail::judge(report, rule_id::pixel_range, is_within(request.pixels, 1, 1024), [&] {
    return found() + describe(request.pixels) + " pixels, allowed are 1 to 1024";
  });
  detail::check_row(request, request.channels, report);
  detail::check_bytes(request,
                      count(request.channels) * count(request.pixels) * bits_of(request.type) / 8,
                      report, limits);
  if (limits == limits_of::lifted_copies) // the driver makes wide maps of any layout
    detail::check_wide(request, report);
}

/// The address that a map gets later; the driver asks for less than at first.
template <typename Report> void check_new_address(const quantity &address, Report &&report) {
  map_request request;
  request.tensor = "tensor";
  request.address = address;
  detail::check_address(request, report, limits_of::lifted_copies);
}

/// The same for a copy without a tensor map.
template <typename Report> void check(const bulk_request &request, Report &&report) {
  const auto tensor = [&] { return detail::quoted(request.tensor); };
  const auto tile = [&] { return detail::quoted(request.tile); };
  detail::judge(report, rule_id::address_null,
                is_within(request.address, 1, std::numeric_limits<int64_t>::max()),
                [&] { return tensor() + " is null"; });
  detail::judge(report, rule_id::address_16, is_multiple(request.address, 16), [&] {
    return tensor() + " starts at " + describe(request.address) +
           ", which is no multiple of 16 bytes";
  });
  detail::judge(report, rule_id::bulk_offset_16, is_multiple(request.offset, 16), [&] {
    return "the copy to " + tile() + " starts " + describe(request.offset) + " bytes into " +
           tensor() + ", which is no multiple of 16";
  });
  detail::judge(report, rule_id::bulk_size_16, is_multiple(request.bytes, 16), [&] {
    return "the copy to " + tile() + " has " + describe(request.bytes) +
           " bytes, which is no multiple of 16";
  });
  detail::judge(report, rule_id::bytes_in_flight, is_within(request.bytes, 16, (1 << 20) - 1), [&] {
    return "the copy to " + tile() + " has " + describe(request.bytes) +
           " bytes, a barrier counts at most 1048575";
  });
}

} // namespace tilelift

#endif
