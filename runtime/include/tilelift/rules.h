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
// Plain C++17, no CUDA. The limits are those of cuTensorMapEncodeTiled and of
// the cp.async.bulk instructions; where hardware and manual differ, hardware
// wins. What is not here: whether the copy is a copy at all.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_RULES_H
#define TILELIFT_RULES_H

#include <cstdint>
#include <limits>
#include <string>

namespace tilelift {

/// How the TMA unit sees an element. For a copy only the size matters; the kind
/// is kept so that a descriptor reads as the tensor it describes.
enum class element_type { u8, u16, u32, i32, u64, i64, f16, f32, f64, bf16 };

constexpr unsigned size_of(element_type type) {
  switch (type) {
  case element_type::u8: return 1;
  case element_type::u16:
  case element_type::f16:
  case element_type::bf16: return 2;
  case element_type::u64:
  case element_type::i64:
  case element_type::f64: return 8;
  default: return 4;
  }
}

constexpr const char *name_of(element_type type) {
  constexpr const char *names[] = {"u8",  "u16", "u32", "i32", "u64",
                                   "i64", "f16", "f32", "f64", "bf16"};
  return names[unsigned(type)];
}

constexpr int max_rank = 5;
/// The largest extent. The driver encodes up to 2^32, but from 2^32 - 1 on every
/// load through such a map dies with "illegal instruction" (H200, driver 580).
constexpr int64_t max_extent = int64_t(1) << 31;
/// The extent of a dimension that nothing bounds.
constexpr int64_t unbounded_extent = max_extent;

/// A number and what is known of it. `text` is the user's expression; empty
/// where the number itself was written.
struct quantity {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();
  /// The number is a multiple of this; 0 stands for the number zero.
  int64_t divisor = 1;
  std::string text;

  static quantity exactly(int64_t value, std::string text = "") {
    return {value, value, value, std::move(text)};
  }
  bool is_exact() const { return low == high; }
};

enum class verdict { holds, fails, open };

inline verdict is_within(const quantity &value, int64_t low, int64_t high) {
  if (low <= value.low && value.high <= high)
    return verdict::holds;
  return value.high < low || value.low > high ? verdict::fails : verdict::open;
}

inline verdict is_multiple(const quantity &value, int64_t of) {
  if (value.divisor % of == 0 || (value.is_exact() && value.low % of == 0))
    return verdict::holds;
  return value.is_exact() ? verdict::fails : verdict::open;
}

/// "40 (w * 4)", "40" or "w * 4".
inline std::string describe(const quantity &value) {
  if (!value.is_exact())
    return value.text.empty() ? "a number" : value.text;
  std::string number = std::to_string(value.low);
  return value.text.empty() || value.text == number ? number : number + " (" + value.text + ")";
}

struct dimension {
  quantity extent; ///< elements
  quantity stride; ///< bytes from one element to the next in this dimension
  quantity box;    ///< elements of one instruction
};

/// A copy that goes through a tensor map, innermost dimension first.
struct tile_request {
  std::string tensor;
  std::string tile;
  element_type type = element_type::f32;
  int rank = 1;
  quantity address;
  dimension dims[max_rank];
  /// Bytes of shared memory that one instruction fills.
  int64_t box_bytes() const {
    int64_t bytes = size_of(type);
    for (int d = 0; d < rank; ++d)
      bytes *= dims[d].box.low;
    return bytes;
  }
};

/// A copy without a tensor map: so many bytes from here.
struct bulk_request {
  std::string tensor;
  std::string tile;
  quantity address;
  quantity offset; ///< bytes from the address to the first byte read
  quantity bytes;
};

/// One rule applied to one number of one copy. `text` says what was found and
/// what is needed, in the user's names.
struct finding {
  const char *rule;
  verdict outcome;
  std::string text;
};

struct rule {
  const char *id;
  const char *summary;
};

/// Every rule that a finding can name; docs/diagnostics.md has a line for each.
constexpr rule rule_table[] = {
    {"rank", "a tensor map has 1 to 5 dimensions"},
    {"address-16", "the tensor starts on a multiple of 16 bytes"},
    {"address-null", "the tensor's address is not null"},
    {"extent-range", "each extent is 1 to 2^31 elements"},
    {"stride-16", "each outer stride is a multiple of 16 bytes"},
    {"stride-range", "each outer stride is 0 to 2^40 - 1 bytes"},
    {"box-range", "each box dimension is 1 to 256 elements"},
    {"inner-box-16", "the box's innermost dimension is a multiple of 16 bytes"},
    {"box-bytes", "a box fits in the shared memory of a block"},
    {"bytes-in-flight", "a barrier counts less than 2^20 bytes in a phase"},
    {"parameter-bytes", "a kernel's parameters have at most 32764 bytes, a map takes 128"},
    {"bulk-size-16", "a bulk copy's size is a multiple of 16 bytes"},
    {"bulk-offset-16", "a bulk copy starts on a multiple of 16 bytes"},
    {"inner-coordinate-16", "the innermost coordinate is a multiple of 16 bytes"},
    {"coordinate-range", "a coordinate fits in 32 bits"},
    {"index-range", "index arithmetic does not wrap around"},
    {"block-size", "the block has the size that the copy was checked for"},
    {"device", "the device has a TMA unit, compute capability 9.0 or higher"},
    {"binary", "the program holds code for this device that uses the TMA unit"},
};

namespace detail {

inline std::string ordinal(int d) {
  return d == 0 ? "innermost" : "dimension " + std::to_string(d);
}

} // namespace detail

/// Calls `report(finding)` for every rule of a tensor map and of its use.
template <typename Report> void check(const tile_request &request, Report &&report) {
  const std::string tensor = "'" + request.tensor + "'";
  const std::string tile = "'" + request.tile + "'";
  const unsigned size = size_of(request.type);

  report(finding{"rank", is_within(quantity::exactly(request.rank), 1, max_rank),
                 "the copy to " + tile + " has " + std::to_string(request.rank) +
                     " dimensions, a tensor map has 1 to 5"});
  report(
      finding{"address-null", is_within(request.address, 1, quantity().high), tensor + " is null"});
  report(finding{"address-16", is_multiple(request.address, 16),
                 tensor + " starts at " + describe(request.address) +
                     ", which is no multiple of 16 bytes"});
  for (int d = 0; d < request.rank && d < max_rank; ++d) {
    const dimension &dim = request.dims[d];
    report(finding{"extent-range", is_within(dim.extent, 1, max_extent),
                   "the extent of " + tensor + " in " + detail::ordinal(d) +
                       (d == 0 ? " dimension is " : " is ") + describe(dim.extent) +
                       " elements, allowed are 1 to 2^31"});
    report(finding{"box-range", is_within(dim.box, 1, 256),
                   "the box of " + tile + " has " + describe(dim.box) + " elements in " +
                       detail::ordinal(d) + (d == 0 ? " dimension" : "") +
                       ", allowed are 1 to 256"});
    if (d == 0)
      continue;
    report(finding{"stride-16", is_multiple(dim.stride, 16),
                   "the stride of " + tensor + " in " + detail::ordinal(d) + " is " +
                       describe(dim.stride) + " bytes, which is no multiple of 16"});
    report(finding{"stride-range", is_within(dim.stride, 0, (int64_t(1) << 40) - 1),
                   "the stride of " + tensor + " in " + detail::ordinal(d) + " is " +
                       describe(dim.stride) + " bytes, allowed are 0 to 2^40 - 1"});
  }
  quantity inner = quantity::exactly(request.dims[0].box.low * int64_t(size));
  report(finding{"inner-box-16", is_multiple(inner, 16),
                 "a row of the box of " + tile + " has " + describe(inner) +
                     " bytes, which is no multiple of 16"});
  quantity box = quantity::exactly(request.box_bytes());
  report(finding{"box-bytes", is_within(box, 16, 232448),
                 "the box of " + tile + " has " + describe(box) +
                     " bytes, a block has at most 232448 bytes of shared memory"});
}

/// The same for a copy without a tensor map.
template <typename Report> void check(const bulk_request &request, Report &&report) {
  const std::string tensor = "'" + request.tensor + "'";
  const std::string tile = "'" + request.tile + "'";
  report(
      finding{"address-null", is_within(request.address, 1, quantity().high), tensor + " is null"});
  report(finding{"address-16", is_multiple(request.address, 16),
                 tensor + " starts at " + describe(request.address) +
                     ", which is no multiple of 16 bytes"});
  report(finding{"bulk-offset-16", is_multiple(request.offset, 16),
                 "the copy to " + tile + " starts " + describe(request.offset) + " bytes into " +
                     tensor + ", which is no multiple of 16"});
  report(finding{"bulk-size-16", is_multiple(request.bytes, 16),
                 "the copy to " + tile + " has " + describe(request.bytes) +
                     " bytes, which is no multiple of 16"});
  report(finding{"bytes-in-flight", is_within(request.bytes, 16, (1 << 20) - 1),
                 "the copy to " + tile + " has " + describe(request.bytes) +
                     " bytes, a barrier counts at most 1048575"});
}

} // namespace tilelift

#endif
