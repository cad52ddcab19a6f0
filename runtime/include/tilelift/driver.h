//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What launchers that `tilelift --emit=driver` writes call: one `launch` for each launch, over the
// driver API alone. It collects every rule that the arguments break, encodes the tensor maps where
// none is broken, and starts the lifted kernel or the plain one; or leaves that to a dispatch,
// which makes all maps, each once, before its first kernel starts.
//
//   TILELIFT_DISABLE=1   runs every plain kernel
//   TILELIFT_VERBOSE=1   prints what each launch did and why
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_DRIVER_H
#define TILELIFT_DRIVER_H

#include <tilelift/checks.h>

#include <cuda.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <forward_list>
#include <map>
#include <mutex>
#include <utility>

namespace tilelift {
namespace driver {

/// What a launch has to know of a kernel and its lifted one: found out once.
struct kernel_facts {
  CUfunction plain = nullptr, lifted = nullptr;
  int capability_major = 0, processors = 0;
  /// Bytes that one window of L2 holds.
  int most_window = 0;
  /// What the lifted kernel's code is compiled for: __CUDA_ARCH__ divided by 10, such as 90 or 120.
  int architecture = 0;
  /// The most threads that a block of the lifted kernel may have, given the registers that it uses.
  int most_threads = 0;
  /// Dynamic shared memory that a block of the lifted one can have.
  long long room = 0;
};

/// Kernels by their entry names, all of one device. Several threads may launch them.
class kernels {
public:
  kernels() = default;
  /// Those of a module, each looked for when it is first launched.
  explicit kernels(CUmodule module) : module(module) {}
  /// Copies the functions, but not what has been found out of them; the copy asks the driver again.
  kernels(const kernels &other) : module(other.module), functions(other.functions) {}
  kernels &operator=(const kernels &other) {
    module = other.module;
    functions = other.functions;
    latest = nullptr;
    return *this;
  }

  void add(const std::string &entry, CUfunction function) {
    const std::lock_guard<std::mutex> guard(changes);
    functions[entry] = function;
    latest = nullptr; // what has been found out may be of another
  }
  CUresult find(const char *entry, CUfunction &function) {
    const std::lock_guard<std::mutex> guard(changes);
    return look_up(entry, function);
  }
  CUresult find(const char *entry, const char *lifted_entry, kernel_facts &found) {
    const std::string_view name = lifted_entry;
    for (const launched *own = latest.load(std::memory_order_acquire); own; own = own->before)
      if (own->lifted_entry == name) {
        found = own->facts;
        return CUDA_SUCCESS;
      }
    const std::lock_guard<std::mutex> guard(changes);
    const CUresult result = ask(entry, lifted_entry, found);
    if (result == CUDA_SUCCESS)
      latest.store(&all.emplace_front(launched{lifted_entry, found, latest}),
                   std::memory_order_release);
    return result;
  }
  /// Lets a block of the kernel have so much dynamic shared memory, where it may not yet.
  CUresult allow(CUfunction function, unsigned bytes) {
    const std::lock_guard<std::mutex> guard(changes);
    unsigned &most = allowed[function];
    if (bytes <= most)
      return CUDA_SUCCESS;
    const CUresult result =
        cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, int(bytes));
    if (result == CUDA_SUCCESS)
      most = bytes;
    return result;
  }
  /// Where a variable of the device is; zero if nobody knows.
  CUdeviceptr variable(const char *name) const {
    CUdeviceptr address = 0;
    size_t bytes = 0;
    return module && cuModuleGetGlobal(&address, &bytes, module, name) == CUDA_SUCCESS ? address
                                                                                       : 0;
  }

private:
  /// Never changed once others may read it, which they do without a lock.
  struct launched {
    std::string lifted_entry;
    kernel_facts facts;
    const launched *before;
  };

  CUresult look_up(const char *entry, CUfunction &function) {
    auto own = functions.find(entry);
    if (own == functions.end()) {
      CUfunction found = nullptr;
      const CUresult result =
          module ? cuModuleGetFunction(&found, module, entry) : CUDA_ERROR_NOT_FOUND;
      if (result != CUDA_SUCCESS)
        return result;
      own = functions.emplace(entry, found).first;
    }
    function = own->second;
    return CUDA_SUCCESS;
  }
  CUresult ask(const char *entry, const char *lifted_entry, kernel_facts &made) {
    CUdevice device = 0;
    int most = 0, taken = 0;
    const std::pair<CUdevice_attribute, int *> of_device[] = {
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &made.capability_major},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &made.processors},
        {CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE, &made.most_window},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &most}};
    const std::pair<CUfunction_attribute, int *> of_code[] = {
        {CU_FUNC_ATTRIBUTE_PTX_VERSION, &made.architecture},
        {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &made.most_threads},
        {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &taken}};
    CUresult result = look_up(entry, made.plain);
    if (result == CUDA_SUCCESS)
      result = look_up(lifted_entry, made.lifted);
    if (result == CUDA_SUCCESS)
      result = cuCtxGetDevice(&device);
    for (const auto &[which, value] : of_device)
      if (result == CUDA_SUCCESS)
        result = cuDeviceGetAttribute(value, which, device);
    for (const auto &[which, value] : of_code)
      if (result == CUDA_SUCCESS)
        result = cuFuncGetAttribute(value, which, made.lifted);
    made.room = static_cast<long long>(most) - taken;
    return result;
  }

  CUmodule module = nullptr;
  std::mutex changes;
  std::map<std::string, CUfunction, std::less<>> functions;
  std::map<CUfunction, unsigned> allowed;
  std::forward_list<launched> all;
  std::atomic<const launched *> latest = nullptr;
};

/// Of a tensor, however the program has it.
inline CUdeviceptr address_of(CUdeviceptr address) { return address; }
inline CUdeviceptr address_of(const void *pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}
inline const void *at(CUdeviceptr address, long long offset) {
  return reinterpret_cast<const void *>(address + CUdeviceptr(offset));
}

/// What a launch passes: the kernel's own arguments, and the maps behind them.
struct passed_arguments {
  void **places;
  const size_t *sizes;
  size_t count;
};

/// One launch that is left for later, with all that it was given.
class prepared {
public:
  prepared(const CUlaunchConfig &config, CUfunction function, passed_arguments arguments)
      : config(config),
        function(function),
        attributes(config.attrs, config.attrs + config.numAttrs) {
    for (size_t i = 0; i < arguments.count; ++i) {
      starts.push_back(bytes.size());
      const auto *first = static_cast<const unsigned char *>(arguments.places[i]);
      bytes.insert(bytes.end(), first, first + arguments.sizes[i]);
      bytes.resize((bytes.size() + 15) / 16 * 16); // of all types
    }
  }
  CUresult start() {
    std::vector<void *> places;
    for (size_t first : starts)
      places.push_back(bytes.data() + first);
    config.attrs = attributes.data();
    return cuLaunchKernelEx(&config, function, places.data(), nullptr);
  }

private:
  CUlaunchConfig config;
  CUfunction function;
  std::vector<CUlaunchAttribute> attributes;
  std::vector<unsigned char> bytes;
  std::vector<size_t> starts;
};

/// Launches that are made together: nothing starts before all maps are made, and each map is made
/// once, whoever needs it.
class dispatch {
public:
  void add(prepared &&one) { launches.push_back(std::move(one)); }
  /// In the order in which they were added; the first error ends it.
  CUresult run() {
    std::vector<prepared> own = std::move(launches);
    launches.clear();
    for (prepared &one : own)
      if (const CUresult result = one.start(); result != CUDA_SUCCESS)
        return result;
    return CUDA_SUCCESS;
  }

private:
  friend class launch;
  std::vector<prepared> launches;
  std::map<std::vector<int64_t>, CUtensorMap> maps;
};

namespace detail {

/// The driver is linked: a program of its API has it anyway.
class linked_functions final : public tensor_map_functions {
public:
  tilelift::detail::encode_tiled_function tiled() const override { return &cuTensorMapEncodeTiled; }
  tilelift::detail::encode_im2col_function im2col() const override {
    return &cuTensorMapEncodeIm2col;
  }
  tilelift::detail::encode_im2col_wide_function im2col_wide() const override {
#if CUDA_VERSION >= 12080
    return reinterpret_cast<tilelift::detail::encode_im2col_wide_function>(
        &cuTensorMapEncodeIm2colWide);
#else
    return nullptr;
#endif
  }
};

/// Returns the numbers that tensor maps of all modes are made of, for key_of(): requests with equal
/// keys have the same map.
template <typename Request> std::vector<int64_t> numbers_of(const Request &request, int promotion) {
  std::vector<int64_t> all = {int64_t(request.type), int64_t(request.rank), request.address.low,
                              int64_t(request.swizzle), int64_t(promotion)};
  for (int d = 0; d < request.rank; ++d)
    all.insert(all.end(), {request.dims[d].extent.low, request.dims[d].stride.low,
                           request.dims[d].step.low, request.dims[d].box.low});
  return all;
}
inline std::vector<int64_t> key_of(const tile_request_of<exact_number> &request, int promotion) {
  return numbers_of(request, promotion);
}
inline std::vector<int64_t> key_of(const im2col_request_of<exact_number> &request, int promotion) {
  std::vector<int64_t> all = numbers_of(request, promotion);
  all.insert(all.end(), {1 + int64_t(request.mode), request.channels.low, request.pixels.low});
  for (int i = 0; i < request.corners(); ++i)
    all.insert(all.end(), {request.lower[i].low, request.upper[i].low});
  return all;
}

} // namespace detail

class launch : public checked_launch {
public:
  launch(const char *kernel, kernels &all, const char *entry, const char *lifted_entry,
         const CUlaunchConfig &config, block_size checked, dispatch *into)
      : checked_launch(kernel, {config.gridDimX, config.gridDimY, config.gridDimZ},
                       {config.blockDimX, config.blockDimY, config.blockDimZ}, checked),
        all(all),
        config(config),
        into(into) {
    error = all.find(entry, lifted_entry, facts);
    set_device(facts.capability_major >= 9, facts.capability_major >= 10);
    is_blackwell = violations.empty() && facts.architecture >= 100;
    if (error == CUDA_SUCCESS && violations.empty() && facts.architecture < 90)
      reject("binary", "the program holds no code for this device that uses TMA; build for sm_90 "
                       "or later");
  }

  CUdeviceptr variable(const char *name) const { return all.variable(name); }

  /// Starts the kernel, or leaves that to the dispatch. `must_lift`: the plain one never runs.
  template <size_t Maps, typename... Arguments>
  CUresult finish(bool must_lift, const std::array<CUtensorMap, Maps> &maps,
                  const Arguments &...arguments) {
    constexpr size_t own = sizeof...(Arguments);
    const void *places[own + Maps + 1] = {&arguments...};
    size_t sizes[own + Maps + 1] = {sizeof arguments...};
    for (size_t i = 0; i < Maps; ++i)
      places[own + i] = &maps[i], sizes[own + i] = sizeof maps[i];
    const bool lifts = may_lift();
    if (error != CUDA_SUCCESS)
      return error;
    if (!lifts && must_lift) {
      std::fprintf(stderr, "tilelift: error: %s cannot use TMA: %s\n", kernel, why().c_str());
      return CUDA_ERROR_INVALID_VALUE;
    }
    return start(lifts, {const_cast<void **>(places), sizes, lifts ? own + Maps : own});
  }

private:
  bool may_lift() {
    if (error == CUDA_SUCCESS && violations.empty())
      fit_threads(facts.most_threads);
    if (error == CUDA_SUCCESS && violations.empty())
      fit();
    if (error == CUDA_SUCCESS && violations.empty() && wants_clusters() &&
        asks_for_clusters(own_cluster(), is_cooperative()))
      join_clusters();
    const bool lifts = violations.empty();
    if (error == CUDA_SUCCESS && lifts && !kept.tensor.empty())
      keep_in_l2();
    print_decision();
    return lifts;
  }
  CUresult start(bool lifts, passed_arguments arguments) {
    CUfunction function = lifts ? facts.lifted : facts.plain;
    CUlaunchConfig own = config;
    if (lifts) {
      own.sharedMemBytes += unsigned(reserved);
      own.blockDimX = lifted_block.x, own.blockDimY = lifted_block.y;
      own.blockDimZ = lifted_block.z;
      if (!attributes.empty())
        own.attrs = attributes.data(), own.numAttrs = unsigned(attributes.size());
    }
    if (own.sharedMemBytes > 0)
      error = all.allow(function, own.sharedMemBytes);
    if (error != CUDA_SUCCESS)
      return error;
    if (!into)
      return cuLaunchKernelEx(&own, function, arguments.places, nullptr);
    into->add(prepared(own, function, arguments));
    return CUDA_SUCCESS;
  }
  const tensor_map_functions &functions() const override {
    static const detail::linked_functions linked;
    return linked;
  }
  bool has_memory(const void *address) const override {
    const auto start = reinterpret_cast<CUdeviceptr>(address);
    CUdeviceptr found = 0;
    CUdevice device = 0;
    int reads_host = 0;
    if (cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, start) == CUDA_SUCCESS)
      return found == start;
    return cuCtxGetDevice(&device) == CUDA_SUCCESS &&
           cuDeviceGetAttribute(&reads_host, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, device) ==
               CUDA_SUCCESS &&
           reads_host != 0 && tilelift::detail::is_of_host(address);
  }
  std::string make(CUtensorMap &map, const tile_request_of<exact_number> &request,
                   int promotion) override {
    return made_once(map, request, promotion);
  }
  std::string make(CUtensorMap &map, const im2col_request_of<exact_number> &request,
                   int promotion) override {
    return made_once(map, request, promotion);
  }
  template <typename Request>
  std::string made_once(CUtensorMap &map, const Request &request, int promotion) {
    if (!into)
      return encode(map, request, promotion, functions(), is_on_blackwell);
    const std::vector<int64_t> key = detail::key_of(request, promotion);
    if (const auto known = into->maps.find(key); known != into->maps.end()) {
      map = known->second;
      return {};
    }
    std::string problem = encode(map, request, promotion, functions(), is_on_blackwell);
    if (problem.empty())
      into->maps.emplace(key, map);
    return problem;
  }
  const CUlaunchAttribute *asked_for(CUlaunchAttributeID id) const {
    return tilelift::detail::attribute_of(config, id);
  }
  bool is_cooperative() const {
    const CUlaunchAttribute *asked = asked_for(CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
    return asked && asked->value.cooperative;
  }
  void fit() {
    const long long needed = static_cast<long long>(config.sharedMemBytes + reserved);
    if ((needed > 0 && !has_room(needed, facts.room)) || !is_cooperative())
      return;
    int each = 0;
    error =
        cuOccupancyMaxActiveBlocksPerMultiprocessor(&each, facts.lifted, threads(), size_t(needed));
    fit_at_once(static_cast<long long>(each) * facts.processors);
  }
  /// Of this launch; zeros where it has none.
  block_size own_cluster() const {
    const CUlaunchAttribute *asked = asked_for(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
    if (!asked)
      return {0, 0, 0};
    return {asked->value.clusterDim.x, asked->value.clusterDim.y, asked->value.clusterDim.z};
  }
  void join_clusters() {
    CUlaunchAttribute cluster = {};
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim = {wanted_cluster.x, wanted_cluster.y, wanted_cluster.z};
    ask_for(cluster);
  }
  /// By an attribute of this launch alone, so that nothing of the stream's has to be set back.
  void keep_in_l2() {
    const int most = facts.most_window;
    if (!asks_for_window(most, asked_for(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW) != nullptr))
      return;
    CUlaunchAttribute window = {};
    window.id = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
    window.value.accessPolicyWindow = {reinterpret_cast<void *>(kept.begin), kept.bytes(most),
                                       kept.share, CU_ACCESS_PROPERTY_PERSISTING,
                                       CU_ACCESS_PROPERTY_STREAMING};
    ask_for(window);
  }
  void ask_for(const CUlaunchAttribute &more) {
    if (attributes.empty())
      attributes.assign(config.attrs, config.attrs + config.numAttrs);
    attributes.push_back(more);
  }

  kernels &all;
  CUlaunchConfig config;
  dispatch *into;
  kernel_facts facts;
  std::vector<CUlaunchAttribute> attributes; // of the lifted kernel, where it has more
  CUresult error = CUDA_SUCCESS;
};

} // namespace driver
} // namespace tilelift

#endif
