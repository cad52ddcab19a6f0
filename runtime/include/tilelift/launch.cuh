//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What launchers of lifted kernels call: one `launch` for each launch. It
// collects every rule that the arguments break, encodes the tensor maps where
// none is broken, and starts the lifted kernel or the plain one.
//
// Thread safe: a launch is a value of its caller; what is remembered between
// launches is facts of the process and of its devices. Nothing here touches a
// stream before the kernel is started, so launches can be captured in graphs;
// a captured kernel node holds its maps by value.
//
//   TILELIFT_DISABLE=1   runs every plain kernel
//   TILELIFT_VERBOSE=1   prints what each launch did and why
//   TILELIFT_TIME=1      waits for each launch and prints how long it took
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_LAUNCH_CUH
#define TILELIFT_LAUNCH_CUH

#include <tilelift/box.h>
#include <tilelift/encode.h>
#include <tilelift/rules.h>
#include <tilelift/timing.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilelift {

/// Where and how to launch: what stands in <<<...>>>, or a configuration that
/// the program has made itself.
class launch_config {
public:
  /// Takes what <<<...>>> takes, with its conversions.
  template <typename Grid, typename Block, typename Bytes = size_t>
  launch_config(const Grid &grid, const Block &block, const Bytes &shared = 0,
                cudaStream_t stream = nullptr) {
    config.gridDim = dim3(grid);
    config.blockDim = dim3(block);
    config.dynamicSmemBytes = size_t(shared);
    config.stream = stream;
  }
  launch_config(const cudaLaunchConfig_t *config) : config(*config) {}

  cudaLaunchConfig_t config = {};
};

/// Of blocks that may wait for each other, as cudaLaunchCooperativeKernel takes it.
inline launch_config cooperative(dim3 grid, dim3 block, size_t shared = 0,
                                 cudaStream_t stream = nullptr) {
  static cudaLaunchAttribute together = [] {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    return attribute;
  }();
  launch_config result(grid, block, shared, stream);
  result.config.attrs = &together;
  result.config.numAttrs = 1;
  return result;
}

/// Launches with arguments as cudaLaunchKernel takes them, an address for each.
template <typename... Parameters, size_t... Index>
cudaError_t launch_with(cudaError_t (*launcher)(const launch_config &, Parameters...),
                        const launch_config &config, void **arguments,
                        std::index_sequence<Index...>) {
  return launcher(config, *static_cast<std::remove_reference_t<Parameters> *>(arguments[Index])...);
}

template <typename... Parameters>
cudaError_t launch_with(cudaError_t (*launcher)(const launch_config &, Parameters...),
                        const launch_config &config, void **arguments) {
  return launch_with(launcher, config, arguments, std::index_sequence_for<Parameters...>());
}

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
/// Of any numbers: what the plain kernel might never divide by, the launcher does.
inline long long quotient(long long a, long long b) { return b == 0 ? 0 : a / b; }
inline long long remainder(long long a, long long b) { return b == 0 ? 0 : a % b; }
/// One past the last element that boxes read which start in a range.
inline long long end_of(range starts, long long length) {
  __int128 end = starts.high + length;
  return end < 1 ? 1 : end > unbounded_extent ? unbounded_extent : (long long)(end);
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

/// One dimension of a tensor as the launcher knows it: extent in elements and,
/// for all but the innermost, the stride in bytes.
struct extent {
  /// Of whatever integer types the kernel's arguments are.
  template <typename Elements, typename Stride = int>
  extent(Elements elements, const char *elements_text, Stride stride = 0,
         const char *stride_text = "")
      : elements(static_cast<long long>(elements)),
        elements_text(elements_text),
        stride(static_cast<long long>(stride)),
        stride_text(stride_text) {}

  long long elements;
  const char *elements_text;
  long long stride;
  const char *stride_text;
};
constexpr long long unbounded = unbounded_extent;

/// One dimension of a convolution's input, and how its pixels follow one another there: see
/// `walk` in device.cuh.
struct pixel_extent : extent {
  using extent::extent;
  template <typename Elements, typename Stride, typename Count, typename Step, typename First>
  pixel_extent(Elements elements, const char *elements_text, Stride stride, const char *stride_text,
               Count count, Step step, const char *step_text, First first, const char *first_text)
      : extent(elements, elements_text, stride, stride_text),
        count(static_cast<long long>(count)),
        step(quantity::exactly(static_cast<long long>(step), step_text)),
        first(quantity::exactly(static_cast<long long>(first), first_text)) {}

  long long count = endless;
  quantity step = quantity::exactly(1), first = quantity::exactly(0);
};

/// Where a variable of the device lies; null, which no map starts at, if nobody knows.
template <typename Variable> const void *address_of(const Variable &variable) {
  void *address = nullptr;
  if (cudaGetSymbolAddress(&address, variable) == cudaSuccess)
    return address;
  (void)cudaGetLastError(); // the plain kernel may still run
  return nullptr;
}

namespace detail {

inline bool disabled() {
  static const bool value = is_set("TILELIFT_DISABLE");
  return value;
}
inline bool verbose() {
  static const bool value = is_set("TILELIFT_VERBOSE");
  return value;
}

} // namespace detail

/// What one launcher knows about its kernel on each device: for which architecture the code is
/// that the program holds for it, asked once, and how much dynamic shared memory it has been
/// allowed.
class kernel_facts {
public:
  template <typename Kernel> bool uses_tma(Kernel *kernel, int device) {
    return architecture_of(kernel, device) >= 90;
  }
  /// 90 or 100, as __CUDA_ARCH__ says it in tens; -1 where there is no code.
  template <typename Kernel> int architecture_of(Kernel *kernel, int device) {
    std::atomic<short> &known = answers[device & (slots - 1)];
    short answer = device < slots ? known.load(std::memory_order_relaxed) : short(0);
    if (answer == 0) {
      cudaFuncAttributes attributes = {};
      bool works =
          cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(kernel)) == cudaSuccess;
      if (!works)
        (void)cudaGetLastError(); // the plain kernel may still run
      answer = static_cast<short>(works ? attributes.ptxVersion : -1);
      if (device < slots)
        known.store(answer, std::memory_order_relaxed);
    }
    return answer;
  }
  long long allowed_memory(int device) const {
    return device < slots ? allowed[device].load(std::memory_order_relaxed) : 0;
  }
  void allow_memory(int device, int bytes) {
    if (device < slots)
      allowed[device].store(bytes, std::memory_order_relaxed);
  }

private:
  static constexpr int slots = 64;
  std::atomic<short> answers[slots] = {};
  std::atomic<int> allowed[slots] = {};
};

class launch {
public:
  launch(const char *kernel, const launch_config &config, block_size checked)
      : kernel(kernel), config(config.config), lifted_block(config.config.blockDim) {
    const dim3 &block = config.config.blockDim;
    if (detail::disabled())
      reject("disabled", "TILELIFT_DISABLE is set");
    else if (!has_tma_unit(device))
      reject("device", "the device has no TMA unit, which needs compute capability 9.0");
    if (block.x != checked.x || block.y != checked.y || block.z != checked.z)
      reject("block-size",
             "the block is " + text(block) + ", the copies were checked for " + text(checked));
  }

  /// blockIdx.x, .y or .z of all blocks.
  range block_index(int axis) const {
    const dim3 &grid = config.gridDim;
    long long count = axis == 0 ? grid.x : axis == 1 ? grid.y : grid.z;
    return {0, count - 1};
  }

  /// The value stays within these limits for all blocks.
  void require(const char *rule, range value, long long low, long long high, const char *what) {
    if (value.low >= low && value.high <= high)
      return;
    if (low == high && value.low == value.high)
      reject(rule, std::string(what) + " is " + std::to_string((long long)value.low) +
                       " instead of " + std::to_string(low));
    else
      reject(rule, std::string(what) + " leaves its range of " + std::to_string(low) + " to " +
                       std::to_string(high));
  }
  /// What the code that runs here is compiled for says which instructions it has.
  template <typename Kernel> void compiled_as(Kernel *lifted, kernel_facts &facts) {
    is_blackwell = facts.architecture_of(lifted, device) >= 100;
  }
  /// What im2col asks of a line's place, and im2col::w does not.
  void require_line(range value, long long low, long long high, const char *what) {
    if (!is_blackwell)
      require("line-offset", value, low, high, what);
  }
  /// Rows too short to be copied one by one.
  void require_fours(const char *tile, int distance) {
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

  /// Checks and encodes the map of one copy; the map of a launch that breaks a
  /// rule is never used.
  template <typename Box>
  CUtensorMap map(element_type type, const char *tile, const char *tensor, const void *address,
                  const extent (&extents)[Box::rank], int promotion = 128,
                  swizzle_mode swizzle = swizzle_mode::none) {
    return map(type, tile, tensor, address, {Box::rank, Box::extents, extents}, promotion, swizzle);
  }

  /// The same for a copy of pixels.
  template <typename Box>
  CUtensorMap pixels(element_type type, const char *tile, const char *tensor, const void *address,
                     const pixel_extent (&extents)[Box::rank], int promotion = 128,
                     swizzle_mode swizzle = swizzle_mode::none) {
    im2col_request request;
    request.rank = Box::rank;
    request.mode = Box::is_in_lines && is_blackwell ? im2col_mode::w : im2col_mode::im2col;
    request.channels = quantity::exactly(Box::channels);
    request.pixels = quantity::exactly(Box::pixels);
    for (int d = 0; d < Box::rank; ++d) {
      describe(request, d, extents[d]);
      const bool is_walked = d > 0 && d < Box::rank - 1;
      if (is_walked && (d == 1 || request.mode == im2col_mode::im2col))
        walk_through(request, d, extents[d]);
      else if (is_walked) // where the line is, the instruction says
        request.lower[d - 1] = request.upper[d - 1] = quantity::exactly(0);
    }
    return pixels(request, type, tile, tensor, address, promotion, swizzle);
  }

  /// Checks a copy without a map.
  void bulk(const char *tile, const char *tensor, const void *address) {
    bulk_request request;
    request.tensor = tensor;
    request.tile = tile;
    request.address = quantity::exactly(int64_t(reinterpret_cast<uintptr_t>(address)));
    request.offset = quantity::exactly(0);
    request.bytes = quantity::exactly(16);
    check(request, [this](const finding &found) { note(found); });
  }

  /// The lifted kernel has so many bytes of dynamic shared memory more than the plain one.
  void reserve(int bytes) { reserved = static_cast<size_t>(bytes); }
  /// And another block, with threads of ours behind those of the program.
  void launch_as(block_size block) { lifted_block = {block.x, block.y, block.z}; }

  /// And clusters of blocks that share tiles, where the program has none of its own.
  void in_clusters(block_size blocks) { wanted_cluster = blocks; }

  /// Whether the lifted kernel may run, which is then the one that is started. Prints the
  /// decision when asked to.
  template <typename... Parameters, typename... PlainParameters>
  bool can_lift(void (*lifted)(Parameters...), void (*plain)(PlainParameters...),
                kernel_facts &facts) {
    if (violations.empty() && !facts.uses_tma(lifted, device))
      reject("binary", "the program holds no code for this device that uses TMA; build for sm_90 "
                       "or later");
    if (violations.empty() && needed_memory() > facts.allowed_memory(device))
      share_memory(reinterpret_cast<const void *>(lifted), reinterpret_cast<const void *>(plain),
                   facts);
    if (violations.empty() && is_cooperative())
      fit_at_once(reinterpret_cast<const void *>(lifted));
    std::string alone;
    if (violations.empty() && wanted_cluster.x * wanted_cluster.y * wanted_cluster.z > 1)
      alone = join_clusters(reinterpret_cast<const void *>(lifted));
    lifts = violations.empty();
    if (detail::verbose())
      std::fprintf(stderr, "tilelift: %s: %s\n", kernel,
                   lifts ? ("TMA" + alone).c_str() : ("plain, " + why()).c_str());
    if (lifts) {
      config.dynamicSmemBytes += reserved;
      config.blockDim = lifted_block;
    }
    return lifts;
  }

  /// For `fallback(error)`: instead of running the plain kernel.
  cudaError_t refuse() const {
    std::fprintf(stderr, "tilelift: error: %s cannot use TMA: %s\n", kernel, why().c_str());
    return cudaErrorInvalidValue;
  }

  template <typename... Parameters, typename... Arguments>
  cudaError_t start(void (*function)(Parameters...), Arguments &&...arguments) const {
    if (!detail::timed())
      return cudaLaunchKernelEx(&config, function, std::forward<Arguments>(arguments)...);
    detail::stopwatch watch(kernel, reinterpret_cast<const void *>(function),
                            lifts ? "TMA" : "plain", config.stream);
    cudaError_t error =
        cudaLaunchKernelEx(&config, function, std::forward<Arguments>(arguments)...);
    watch.print();
    return error;
  }

  /// Every rule that is broken, in one line.
  std::string why() const {
    std::string all;
    for (const std::string &violation : violations)
      all += (all.empty() ? "" : "; ") + violation;
    return all;
  }

private:
  /// Boxes differ, and compilers need not look at this for each.
  struct shape {
    int rank;
    const int *box;
    const extent *extents;
  };
  CUtensorMap map(element_type type, const char *tile, const char *tensor, const void *address,
                  shape of, int promotion, swizzle_mode swizzle) {
    tile_request request;
    request.rank = of.rank;
    for (int d = 0; d < of.rank; ++d) {
      describe(request, d, of.extents[d]);
      request.dims[d].box = quantity::exactly(of.box[d]);
    }
    return finish(request, type, tile, tensor, address, promotion, swizzle, encode_tiled);
  }
  CUtensorMap pixels(im2col_request &request, element_type type, const char *tile,
                     const char *tensor, const void *address, int promotion, swizzle_mode swizzle) {
    return finish(request, type, tile, tensor, address, promotion, swizzle,
                  request.mode == im2col_mode::w ? encode_im2col_wide : encode_im2col);
  }
  static void describe(map_request &request, int d, const extent &each) {
    request.dims[d].extent = quantity::exactly(each.elements, each.elements_text);
    request.dims[d].stride = quantity::exactly(each.stride, each.stride_text);
  }
  /// Where the box of a pixel's first positions ends: after so many as there are. A tensor
  /// without an end goes as far as the filter may reach; only such a one may be endless.
  static void walk_through(im2col_request &request, int d, const pixel_extent &each) {
    const long long reach = request.rank == 3 ? 32768 : request.rank == 4 ? 128 : 16;
    const bool is_endless = each.count == endless;
    const long long last = each.first.low + (each.count - 1) * each.step.low;
    request.dims[d].step = each.step;
    request.lower[d - 1] = each.first;
    if (each.elements == unbounded && !is_endless)
      request.dims[d].extent = quantity::exactly(last + 1 + reach, "as far as the filter reaches");
    const long long upper = is_endless ? -reach : last + 1 - request.dims[d].extent.low;
    request.upper[d - 1] = quantity::exactly(upper);
  }
  template <typename Request>
  CUtensorMap finish(Request &request, element_type type, const char *tile, const char *tensor,
                     const void *address, int promotion, swizzle_mode swizzle,
                     std::string (*encode)(CUtensorMap &, const Request &, int, int)) {
    request.tensor = tensor;
    request.tile = tile;
    request.type = type;
    request.swizzle = swizzle;
    request.address = quantity::exactly(int64_t(reinterpret_cast<uintptr_t>(address)));
    check(request, [this](const finding &found) { note(found); });
    CUtensorMap map{};
    if (violations.empty())
      if (std::string problem = encode(map, request, promotion, device); !problem.empty())
        reject("encode", std::string("the map of '") + tile + "' cannot be made: " + problem);
    return map;
  }
  long long needed_memory() const {
    return static_cast<long long>(config.dynamicSmemBytes + reserved);
  }
  /// What the program allowed the plain kernel with cudaFuncSetAttribute holds for the
  /// lifted one, too, which has a little more static memory, and rings of its own.
  void share_memory(const void *lifted, const void *plain, kernel_facts &facts) {
    cudaFuncAttributes own = {}, allowed = {};
    int most = 0;
    cudaError_t error = cudaFuncGetAttributes(&own, lifted);
    if (error == cudaSuccess)
      error = cudaFuncGetAttributes(&allowed, plain);
    if (error == cudaSuccess)
      error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    long long room = static_cast<long long>(most) - static_cast<long long>(own.sharedSizeBytes);
    if (allowed.maxDynamicSharedSizeBytes + static_cast<long long>(reserved) < room)
      room = allowed.maxDynamicSharedSizeBytes + static_cast<long long>(reserved);
    long long needed = needed_memory();
    if (error == cudaSuccess && needed > room)
      return reject(
          "shared-size",
          "with its barriers the block has room for " + std::to_string(room) +
              " bytes of dynamic shared memory, and needs " + std::to_string(needed) +
              (reserved > 0 ? ", " + std::to_string(reserved) + " of them for rings" : ""));
    if (error == cudaSuccess)
      error = cudaFuncSetAttribute(lifted, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(room));
    if (error == cudaSuccess)
      facts.allow_memory(device, static_cast<int>(room));
    if (error != cudaSuccess) {
      (void)cudaGetLastError(); // the plain kernel may still run
      reject("shared-size",
             "error " + std::to_string(int(error)) + " when dynamic shared memory is asked for");
    }
  }
  bool is_cooperative() const {
    const cudaLaunchAttribute *asked = attribute(cudaLaunchAttributeCooperative);
    return asked && asked->val.cooperative;
  }
  const cudaLaunchAttribute *attribute(cudaLaunchAttributeID id) const {
    for (unsigned i = 0; i < config.numAttrs; ++i)
      if (config.attrs[i].id == id)
        return &config.attrs[i];
    return nullptr;
  }
  /// Of the kernel, or of this launch; zeros where it has any.
  dim3 own_cluster(const void *lifted) const {
    if (const cudaLaunchAttribute *asked = attribute(cudaLaunchAttributeClusterDimension))
      return {asked->val.clusterDim.x, asked->val.clusterDim.y, asked->val.clusterDim.z};
    cudaFuncAttributes own = {};
    if (cudaFuncGetAttributes(&own, lifted) != cudaSuccess)
      (void)cudaGetLastError(); // the plain kernel may still run
    return {unsigned(own.requiredClusterWidth), unsigned(own.requiredClusterHeight),
            unsigned(own.requiredClusterDepth)};
  }
  /// Asks for the clusters, or says why each block is by itself. The program's own have to be
  /// of their shape.
  std::string join_clusters(const void *lifted) {
    const dim3 grid = config.gridDim, wanted = wanted_cluster, own = own_cluster(lifted);
    if (own.x > 0 && (own.x != wanted.x || own.y != wanted.y || own.z != wanted.z))
      reject("cluster-shape",
             "the program's clusters are " + text(own) + ", tiles are shared in " + text(wanted));
    if (own.x > 0)
      return "";
    if (is_cooperative())
      return ", each block by itself: the launch is cooperative";
    if (grid.x % wanted.x != 0 || grid.y % wanted.y != 0 || grid.z % wanted.z != 0)
      return ", each block by itself: a grid of " + text(grid) + " has no whole clusters of " +
             text(wanted);
    attributes.assign(config.attrs, config.attrs + config.numAttrs);
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {wanted.x, wanted.y, wanted.z};
    attributes.push_back(cluster);
    config.attrs = attributes.data();
    config.numAttrs = static_cast<unsigned>(attributes.size());
    return "";
  }
  /// Blocks that wait for each other have to run at once, and lifted ones have a little more
  /// static memory.
  void fit_at_once(const void *lifted) {
    const dim3 &grid = config.gridDim, &block = lifted_block;
    int each = 0, processors = 0;
    cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &each, lifted, static_cast<int>(block.x * block.y * block.z),
        config.dynamicSmemBytes + reserved);
    if (error == cudaSuccess)
      error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (error != cudaSuccess)
      (void)cudaGetLastError(); // the plain kernel may still run
    long long blocks = static_cast<long long>(grid.x) * grid.y * grid.z;
    if (blocks > static_cast<long long>(each) * processors)
      reject("cooperative-grid", "the " + std::to_string(blocks) +
                                     " blocks of a cooperative launch have to run at once, of the "
                                     "lifted kernel " +
                                     std::to_string(static_cast<long long>(each) * processors) +
                                     " do");
  }
  void reject(const char *rule, const std::string &what) {
    violations.push_back(what + " [" + rule + "]");
  }
  void note(const finding &found) {
    if (found.outcome != verdict::holds)
      reject(found.rule, found.text);
  }
  static std::string text(dim3 size) {
    return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
  }

  const char *kernel;
  cudaLaunchConfig_t config;
  dim3 lifted_block;
  block_size wanted_cluster = {1, 1, 1};
  std::vector<cudaLaunchAttribute> attributes;
  size_t reserved = 0;
  bool lifts = false, is_blackwell = false;
  int device = -1;
  std::vector<std::string> violations;
};

} // namespace tilelift

#endif
