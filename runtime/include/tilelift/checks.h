//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What launchers of all APIs have in common: the numbers of a launch, every rule that they break,
// whether there is room in shared memory, and the tensor maps where no rule is broken. Which API
// asks the driver is not decided here.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_CHECKS_H
#define TILELIFT_CHECKS_H

#include <tilelift/box.h>
#include <tilelift/encode.h>
#include <tilelift/rules.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace tilelift {

/// The numbers that an expression takes over all blocks of a grid.
struct range {
  __int128 low, high;

  range(long long value) : low(value), high(value) {}
  range(__int128 low, __int128 high) : low(low), high(high) {}
};
/// The numbers that a loop counter takes; of a loop without rounds, the first.
inline range counted(long long first, long long below, long long step) {
  __int128 rounds = below > first ? (__int128(below) - first - 1) / step : 0;
  return {first, first + rounds * step};
}
/// The launcher divides even where the plain kernel would not, so every pair of numbers needs an
/// answer. Processors trap at a divisor of zero, and at the least number divided by -1, whose
/// quotient 64 bits do not hold.
inline long long quotient(long long a, long long b) {
  if (b == -1)
    return static_cast<long long>(0 - static_cast<unsigned long long>(a));
  return b == 0 ? 0 : a / b;
}
inline long long remainder(long long a, long long b) { return b == 0 || b == -1 ? 0 : a % b; }
/// One past the last element that boxes read which start in a range.
inline long long end_of(range starts, long long length) {
  __int128 end = starts.high + length;
  return end < 1 ? 1 : end > unbounded_extent ? unbounded_extent : (long long)(end);
}
/// All numbers of two ranges, and those between them.
inline range either(range a, range b) {
  return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}
inline range operator+(range a, range b) { return {a.low + b.low, a.high + b.high}; }
inline range operator-(range a, range b) { return {a.low - b.high, a.high - b.low}; }
inline range operator-(range a) { return {-a.high, -a.low}; }
inline range operator*(range a, range b) {
  __int128 ends[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  range result(ends[0], ends[0]);
  for (__int128 end : ends) {
    result.low = end < result.low ? end : result.low;
    result.high = end > result.high ? end : result.high;
  }
  return result;
}

/// A number of elements: an integer, converted to `long long`, or a range of one number, clamped to
/// +-(2^63 - 1). No tensor has so many elements, or fewer than none.
template <typename Number> constexpr long long elements_of(Number number) {
  return static_cast<long long>(number);
}
inline long long elements_of(range number) {
  constexpr long long most = 9223372036854775807ll;
  return number.low > most ? most : number.low < -most ? -most : static_cast<long long>(number.low);
}

/// The address of a tensor's first element, which its map gets. `is_read` says whether the hardware
/// may read at this address for a box that lies wholly outside of the tensor.
struct tensor_start {
  tensor_start(const volatile void *address, bool is_read = false,
               const range *box_starts = nullptr)
      : address(const_cast<const void *>(address)), is_read(is_read), box_starts(box_starts) {}

  const void *address;
  /// By boxes that lie wholly outside of the tensor: loads read there all the same.
  bool is_read;
  /// Where boxes start in each dimension, which may say that there are none such.
  const range *box_starts;
};
inline tensor_start memory_at(const volatile void *address) { return {address, true}; }
template <size_t Rank>
tensor_start memory_at(const volatile void *address, const range (&box_starts)[Rank]) {
  return {address, true, box_starts};
}

/// One dimension of a tensor as the launcher knows it: extent in elements and,
/// for all but the innermost, the stride in bytes.
struct extent {
  /// Of whatever integer types the kernel's arguments are.
  template <typename Elements, typename Stride = int>
  constexpr extent(Elements elements, std::string_view elements_text, Stride stride = 0,
                   std::string_view stride_text = {})
      : elements(elements_of(elements)),
        elements_text(elements_text),
        stride(static_cast<long long>(stride)),
        stride_text(stride_text) {}

  long long elements;
  std::string_view elements_text;
  long long stride;
  std::string_view stride_text;
};
constexpr long long unbounded = unbounded_extent;

/// One dimension of a convolution's input, and how its pixels follow one another there: see
/// `walk` in device.cuh.
struct pixel_extent : extent {
  using extent::extent;
  template <typename Elements, typename Stride, typename Count, typename Step, typename First>
  constexpr pixel_extent(Elements elements, std::string_view elements_text, Stride stride,
                         std::string_view stride_text, Count count, Step step,
                         std::string_view step_text, First first, std::string_view first_text)
      : extent(elements, elements_text, stride, stride_text),
        count(static_cast<long long>(count)),
        step(quantity::exactly(static_cast<long long>(step), step_text)),
        first(quantity::exactly(static_cast<long long>(first), first_text)) {}

  long long count = endless;
  quantity step = quantity::exactly(1), first = quantity::exactly(0);
};

namespace detail {

/// Whether an environment variable says more than no.
inline bool is_set(const char *variable) {
  const char *value = std::getenv(variable);
  return value && *value && !(value[0] == '0' && value[1] == 0);
}

inline bool disabled() {
  static const bool value = is_set("TILELIFT_DISABLE");
  return value;
}
inline bool verbose() {
  static const bool value = is_set("TILELIFT_VERBOSE");
  return value;
}

/// Whether the host has memory there, which some devices read as it is.
inline bool is_of_host(const void *address) {
#if defined(__linux__)
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char is_resident = 0;
  return mincore(reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(address) / page * page), 1,
                 &is_resident) == 0;
#else
  (void)address;
  return false;
#endif
}

} // namespace detail

namespace detail {

/// What a launch asks for by this attribute, of whichever API it is; null where it does not.
template <typename Config, typename Id>
auto attribute_of(const Config &config, Id id) -> decltype(&config.attrs[0]) {
  for (unsigned i = 0; i < config.numAttrs; ++i)
    if (config.attrs[i].id == id)
      return &config.attrs[i];
  return nullptr;
}

} // namespace detail

namespace detail {

/// Bytes from a tensor's first element to behind its last; so many that no window has them where
/// nothing bounds it.
template <typename Number> long long reach_of(const map_request_of<Number> &request) {
  __int128 bytes = __int128(request.dims[0].extent.low) * bits_of(request.type) / 8;
  for (int d = 1; d < request.rank; ++d) {
    const __int128 own = __int128(request.dims[d].extent.low) * request.dims[d].stride.low;
    bytes = own > bytes ? own : bytes;
  }
  return bytes > unbounded ? unbounded : (long long)(bytes);
}

} // namespace detail

/// The launch of one kernel, as far as no API is needed for it.
class checked_launch {
public:
  /// blockIdx.x, .y or .z of all blocks.
  range block_index(int axis) const { return {0, grid_size(axis) - 1}; }
  /// gridDim.x, .y or .z.
  long long grid_size(int axis) const { return axis == 0 ? grid.x : axis == 1 ? grid.y : grid.z; }

  /// The value stays within these limits for all blocks. Looked at where it is computed: numbers of
  /// 128 bits cost more to pass than to compare.
  void require(const char *rule, const range &value, long long low, long long high,
               const char *what) {
    if (value.low < low || value.high > high)
      leave(rule, value, low, high, what);
  }
  /// Requires that a line's place stays within the limits of im2col. Blackwell copies lines by
  /// im2col::w, which has no such limits.
  void require_line(const range &value, long long low, long long high, const char *what) {
    if (!is_blackwell)
      require("line-offset", value, low, high, what);
  }
  /// Requires that four rows are copied at once, as only Blackwell can: rows of this tile are too
  /// close together to be copied one by one.
  void require_fours(std::string_view tile, int distance) {
    if (!is_blackwell)
      reject("row-start", "rows of " + detail::quoted(tile) + " are " + std::to_string(distance) +
                              " bytes apart, and only from compute capability 10.0 on are four of "
                              "them copied at once; each by itself starts on a multiple of 128");
  }
  void require_multiple(const char *rule, long long value, long long of, const char *what) {
    if (value % of != 0)
      reject(rule, std::string(what) + " is " + std::to_string(value) +
                       ", which is no multiple of " + std::to_string(of));
  }

  /// This tensor stays in L2 while the kernel runs, or that share of it; said ahead of its maps.
  void persist(std::string_view tensor, double share) {
    kept.tensor = tensor;
    kept.share = float(share);
  }

  /// The lifted kernel has so many bytes of dynamic shared memory more than the plain one.
  void reserve(int bytes) { reserved = static_cast<size_t>(bytes); }
  /// And another block, with threads of ours behind those of the program.
  void launch_as(block_size block) { lifted_block = block; }
  /// And clusters of blocks that share tiles, where the program has none of its own.
  void in_clusters(block_size blocks) { wanted_cluster = blocks; }

  /// Checks and encodes the map of one copy; the map of a launch that breaks a
  /// rule is never used.
  template <typename Box>
  CUtensorMap map(element_type type, std::string_view tile, std::string_view tensor,
                  const tensor_start &start, const extent (&extents)[Box::rank],
                  int promotion = 128, swizzle_mode swizzle = swizzle_mode::none) {
    return map_of({type, tile, tensor, start, swizzle}, promotion,
                  box_shape{Box::rank, Box::extents, extents});
  }

  /// The same for a copy of pixels.
  template <typename Box>
  CUtensorMap pixels(element_type type, std::string_view tile, std::string_view tensor,
                     const tensor_start &start, const pixel_extent (&extents)[Box::rank],
                     int promotion = 128, swizzle_mode swizzle = swizzle_mode::none) {
    return map_of({type, tile, tensor, start, swizzle}, promotion,
                  pixel_shape{Box::rank, Box::channels, Box::pixels,
                              Box::is_in_lines && is_blackwell, extents});
  }

  /// Checks a copy without a map.
  void bulk(std::string_view tile, std::string_view tensor, const volatile void *address) {
    bulk_request request;
    request.tensor = tensor;
    request.tile = tile;
    request.address = quantity::exactly(int64_t(reinterpret_cast<uintptr_t>(address)));
    request.offset = quantity::exactly(0);
    request.bytes = quantity::exactly(16);
    kept.cover(tensor, request.address.low, unbounded);
    check(request, [this](const finding &found) { note(found); });
  }

  /// Every rule that is broken, in one line.
  std::string why() const {
    std::string all;
    for (const std::string &violation : violations)
      all += (all.empty() ? "" : "; ") + violation;
    return all;
  }

protected:
  /// The range of memory that `persist` keeps in L2: all bytes of one tensor that copies may
  /// access.
  struct window {
    std::string_view tensor;
    float share = 1;
    int64_t begin = 0, end = 0;

    void cover(std::string_view other, int64_t address, long long bytes) {
      if (tensor.empty() || tensor != other)
        return;
      begin = begin == 0 || address < begin ? address : begin;
      end = address + bytes > end ? address + bytes : end;
    }
    /// How much of it one window of the device's holds.
    size_t bytes(int most) const {
      return size_t(end - begin < most ? end - begin : int64_t(most));
    }
    std::string text(int most) const {
      return ", keeps " + std::to_string(bytes(most)) + " bytes of " + detail::quoted(tensor) +
             " in L2";
    }
  };

  checked_launch(const char *kernel, block_size grid, block_size block, block_size checked)
      : kernel(kernel), grid(grid), lifted_block(block) {
    if (detail::disabled())
      reject("disabled", "TILELIFT_DISABLE is set");
    if (block.x != checked.x || block.y != checked.y || block.z != checked.z)
      wrong_block =
          "the block is " + text(block) + ", the copies were checked for " + text(checked);
  }
  ~checked_launch() = default;

  /// Notes which device the launch is for, and rejects a device without a TMA unit and a wrong
  /// block size. It is called before all other checks that depend on the device.
  void set_device(bool has_unit, bool is_of_blackwell) {
    is_on_blackwell = is_of_blackwell;
    if (violations.empty() && !has_unit)
      reject("device", "the device has no TMA unit, which needs compute capability 9.0");
    if (!wrong_block.empty())
      reject("block-size", wrong_block);
  }
  virtual const tensor_map_functions &functions() const = 0;
  /// Whether kernels of this launch may read there.
  virtual bool has_memory(const void *address) const = 0;
  /// Makes the map, and returns an empty text or what went wrong. A launch that a dispatch keeps
  /// (driver.h) takes an equal map instead, if the dispatch has one.
  virtual std::string make(CUtensorMap &map, const tile_request_of<exact_number> &request,
                           int promotion) {
    return encode(map, request, promotion, functions(), is_on_blackwell);
  }
  virtual std::string make(CUtensorMap &map, const im2col_request_of<exact_number> &request,
                           int promotion) {
    return encode(map, request, promotion, functions(), is_on_blackwell);
  }

  // Decisions about a whole launch. What they are made from, each API asks for in its own way.

  bool wants_clusters() const { return wanted_cluster.x * wanted_cluster.y * wanted_cluster.z > 1; }
  /// Whether the launch has to ask for the clusters that tiles are shared in. `own` are the
  /// program's, zeros where it has none: those have to be of the same shape. If each block is by
  /// itself instead, the report says why.
  bool asks_for_clusters(block_size own, bool is_cooperative) {
    const block_size wanted = wanted_cluster;
    if (own.x > 0 && (own.x != wanted.x || own.y != wanted.y || own.z != wanted.z))
      reject("cluster-shape",
             "the program's clusters are " + text(own) + ", tiles are shared in " + text(wanted));
    if (own.x > 0)
      return false;
    if (is_cooperative)
      report += ", each block by itself: the launch is cooperative";
    else if (grid.x % wanted.x != 0 || grid.y % wanted.y != 0 || grid.z % wanted.z != 0)
      report += ", each block by itself: a grid of " + text(grid) + " has no whole clusters of " +
                text(wanted);
    else
      return true;
    return false;
  }
  /// Whether the launch has to ask for a window of L2, which holds `most` bytes.
  bool asks_for_window(int most, bool has_own) {
    if (most == 0)
      report += ", keeps nothing in L2: the device has no windows";
    else if (has_own)
      report += ", keeps in L2 what the launch itself says";
    else
      report += kept.text(most);
    return most != 0 && !has_own;
  }
  /// The lifted kernel has a little more static memory than the plain one, and rings and padding.
  bool has_room(long long needed, long long room) {
    if (needed <= room)
      return true;
    reject("shared-size",
           "with its barriers the block has room for " + std::to_string(room) +
               " bytes of dynamic shared memory, and needs " + std::to_string(needed) +
               (reserved > 0 ? ", " + std::to_string(reserved) + " of them for rings and padding"
                             : ""));
    return false;
  }
  /// Blocks of a cooperative launch wait for each other; so many of the lifted kernel run at once.
  void fit_at_once(long long most) {
    const long long blocks = static_cast<long long>(grid.x) * grid.y * grid.z;
    if (blocks > most)
      reject("cooperative-grid", "the " + std::to_string(blocks) +
                                     " blocks of a cooperative launch have to run at once, of the "
                                     "lifted kernel " +
                                     std::to_string(most) + " do");
  }
  /// A block of the lifted kernel may have so many threads: each gets the registers that its code
  /// was compiled to use.
  void fit_threads(int most) {
    if (threads() > most)
      reject("registers", "the block has " + std::to_string(threads()) +
                              " threads, and the registers of the lifted kernel leave room for " +
                              std::to_string(most) + "; __launch_bounds__ makes them fewer");
  }
  int threads() const { return int(lifted_block.x * lifted_block.y * lifted_block.z); }
  /// Prints the decision when asked to.
  void print_decision() const {
    if (detail::verbose())
      std::fprintf(stderr, "tilelift: %s: %s\n", kernel,
                   violations.empty() ? ("TMA" + report).c_str() : ("plain, " + why()).c_str());
  }

  [[gnu::cold]] void reject(const char *rule, const std::string &what) {
    violations.push_back(what + " [" + rule + "]");
  }
  static std::string text(block_size size) {
    return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
  }

  const char *kernel;
  block_size grid, lifted_block, wanted_cluster = {1, 1, 1};
  size_t reserved = 0;
  window kept;
  /// What the decision's message says behind "TMA".
  std::string report;
  /// `is_blackwell`: the lifted kernel's code is compiled for Blackwell. `is_on_blackwell`: the
  /// device is of that architecture.
  bool is_blackwell = false, is_on_blackwell = false;
  std::vector<std::string> violations;

private:
  /// Says which limits a value leaves; out of line, because it hardly ever happens.
  [[gnu::cold, gnu::noinline]] void leave(const char *rule, range value, long long low,
                                          long long high, const char *what) {
    if (low == high && value.low == value.high)
      reject(rule, std::string(what) + " is " + std::to_string((long long)value.low) +
                       " instead of " + std::to_string(low));
    else
      reject(rule, std::string(what) + " leaves its range of " + std::to_string(low) + " to " +
                       std::to_string(high));
  }
  /// What a map is made of, in whatever numbers: without words first, and with them where a rule is
  /// broken.
  struct tensor_of_map {
    element_type type;
    std::string_view tile, tensor;
    tensor_start start;
    swizzle_mode swizzle;
  };
  struct box_shape {
    int rank;
    const int *box;
    const extent *extents;

    template <typename Number> tile_request_of<Number> request() const {
      tile_request_of<Number> made;
      made.rank = rank;
      for (int d = 0; d < rank; ++d) {
        describe(made, d, extents[d]);
        made.dims[d].box = Number::exactly(box[d]);
      }
      return made;
    }
  };
  struct pixel_shape {
    int rank, channels, pixels;
    bool is_in_lines;
    const pixel_extent *extents;

    template <typename Number> im2col_request_of<Number> request() const {
      im2col_request_of<Number> made;
      made.rank = rank;
      made.mode = is_in_lines ? im2col_mode::w : im2col_mode::im2col;
      made.channels = Number::exactly(channels);
      made.pixels = Number::exactly(pixels);
      for (int d = 0; d < rank; ++d) {
        describe(made, d, extents[d]);
        const bool is_walked = d > 0 && d < rank - 1;
        if (is_walked && (d == 1 || !is_in_lines))
          walk_through(made, d, extents[d]);
        else if (is_walked) // where the line is, the instruction says
          made.lower[d - 1] = made.upper[d - 1] = Number::exactly(0);
      }
      return made;
    }
  };
  template <typename Number>
  static void describe(map_request_of<Number> &request, int d, const extent &each) {
    request.dims[d].extent = Number::exactly(each.elements, each.elements_text);
    request.dims[d].stride = Number::exactly(each.stride, each.stride_text);
  }
  /// Sets the element stride and im2col's bounding box in dimension `d`, so that the box holds
  /// `count` positions. A tensor without an end gets one behind the farthest position that the
  /// filter may reach, unless `count` is endless.
  template <typename Number>
  static void walk_through(im2col_request_of<Number> &request, int d, const pixel_extent &each) {
    const long long reach = request.rank == 3 ? 32768 : request.rank == 4 ? 128 : 16;
    const bool is_endless = each.count == endless;
    const long long last = each.first.low + (each.count - 1) * each.step.low;
    request.dims[d].step = Number::exactly(each.step.low, each.step.text);
    request.lower[d - 1] = Number::exactly(each.first.low, each.first.text);
    if (each.elements == unbounded && !is_endless)
      request.dims[d].extent = Number::exactly(last + 1 + reach, "as far as the filter reaches");
    const long long upper = is_endless ? -reach : last + 1 - request.dims[d].extent.low;
    request.upper[d - 1] = Number::exactly(upper);
  }
  template <typename Number, typename Shape>
  static auto request_of(const tensor_of_map &of, const Shape &shape) {
    auto request = shape.template request<Number>();
    request.tensor = of.tensor;
    request.tile = of.tile;
    request.type = of.type;
    request.swizzle = of.swizzle;
    request.address = Number::exactly(int64_t(reinterpret_cast<uintptr_t>(of.start.address)));
    return request;
  }
  /// Whether each box has a part inside of its tensor.
  template <typename Number>
  static bool are_inside(const tile_request_of<Number> &request, const range *box_starts) {
    bool are = box_starts != nullptr;
    for (int d = 0; are && d < request.rank; ++d)
      are = box_starts[d].low + request.dims[d].box.low > 0 &&
            box_starts[d].high < request.dims[d].extent.low;
    return are;
  }
  template <typename Number>
  static bool are_inside(const im2col_request_of<Number> &, const range *) {
    return false;
  }
  /// Out of line, because a kernel's maps have it in common.
  template <typename Shape>
  [[gnu::noinline]] CUtensorMap map_of(const tensor_of_map &of, int promotion, const Shape &shape) {
    const auto request = request_of<exact_number>(of, shape);
    CUtensorMap map{};
    if (!holds_at_launch(request))
      refuse(of, shape, {});
    kept.cover(of.tensor, request.address.low, detail::reach_of(request));
    if (violations.empty() && of.start.is_read && !are_inside(request, of.start.box_starts) &&
        !has_memory(of.start.address))
      reject("tensor-start", "the map of " + detail::quoted(of.tile) + " starts in " +
                                 detail::quoted(of.tensor) + " at " +
                                 std::to_string(request.address.low) +
                                 ", where the device has no memory, and boxes outside of the "
                                 "tensor read there");
    if (violations.empty())
      if (const std::string problem = make(map, request, promotion); !problem.empty())
        refuse(of, shape, problem);
    return map;
  }
  /// Reports why a map cannot be made. Without a `problem`, a check at the launch has failed. With
  /// the driver's `problem`, the rules that the tool has checked are checked again, because a
  /// broken one explains more than the driver does: the program may have changed since then.
  template <typename Shape>
  [[gnu::cold, gnu::noinline]] void refuse(const tensor_of_map &of, const Shape &shape,
                                           const std::string &problem) {
    const auto request = request_of<quantity>(of, shape);
    const auto report = [this](const finding &found) { note(found); };
    if (problem.empty())
      return check_launch(request, report);
    check(request, report);
    if (violations.empty())
      reject("encode", "the map of " + detail::quoted(of.tile) + " cannot be made: " + problem);
  }
  void note(const finding &found) {
    if (found.outcome != verdict::holds)
      reject(name_of(found.rule), found.text);
  }

  std::string wrong_block;
};

} // namespace tilelift

#endif
