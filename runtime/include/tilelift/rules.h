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

#include <tilelift/requests.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace tilelift {

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

/// Words are made only for a rule that does not hold: it fails or stays open.
template <typename Report, typename Text>
[[gnu::cold, gnu::noinline]] void explain(Report &report, rule_id rule, verdict outcome,
                                          const Text &text) {
  report(finding{rule, outcome, text()});
}

/// For a rule about what a request leaves at its default: reported only if it does not hold.
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

/// Checks what tensor maps of all modes have besides the tensor and the box: rank, element type,
/// swizzle, interleaving, L2 promotion and fill.
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

/// Checks the tensor of a map: its address, extents, strides and element strides.
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

/// Those rules of a lifted copy that are checked at its launch: where the tensor lies, how large it
/// is, where the pixels are in it, and, if the request is im2col wide, its swizzle and
/// interleaving. The others are about the copy itself, and known when compiling.
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

/// Calls `report(finding)` for every rule of a tensor map and of its use. Rules about what a
/// request leaves at its default are reported only if they do not hold.
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

/// Calls `report(finding)` for every rule of a copy without a tensor map.
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
