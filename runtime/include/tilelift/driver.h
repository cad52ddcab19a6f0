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
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

namespace tilelift {
namespace driver {

/// Kernels by their entry names.
class kernels {
public:
  kernels() = default;
  /// Those of a module, each looked for when it is first launched.
  explicit kernels(CUmodule module) : module(module) {}

  void add(const std::string &entry, CUfunction function) { known[entry] = function; }
  CUresult find(const char *entry, CUfunction &function) {
    auto own = known.find(entry);
    if (own == known.end()) {
      CUfunction found = nullptr;
      const CUresult result =
          module ? cuModuleGetFunction(&found, module, entry) : CUDA_ERROR_NOT_FOUND;
      if (result != CUDA_SUCCESS)
        return result;
      own = known.emplace(entry, found).first;
    }
    function = own->second;
    return CUDA_SUCCESS;
  }
  /// Where a variable of the device is; zero if nobody knows.
  CUdeviceptr variable(const char *name) const {
    CUdeviceptr address = 0;
    size_t bytes = 0;
    return module && cuModuleGetGlobal(&address, &bytes, module, name) == CUDA_SUCCESS ? address
                                                                                       : 0;
  }

private:
  CUmodule module = nullptr;
  std::map<std::string, CUfunction> known;
};

/// Of a tensor, however the program has it.
inline CUdeviceptr address_of(CUdeviceptr address) { return address; }
inline CUdeviceptr address_of(const void *pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}
inline const void *at(CUdeviceptr address, long long offset) {
  return reinterpret_cast<const void *>(address + CUdeviceptr(offset));
}

/// One kernel with its arguments, ready to start.
struct prepared {
  const char *entry = "";
  CUfunction function = nullptr;
  CUlaunchConfig config = {};
  std::vector<CUlaunchAttribute> attributes;
  std::vector<std::vector<unsigned char>> arguments;

  CUresult start() {
    std::vector<void *> addresses;
    for (std::vector<unsigned char> &argument : arguments)
      addresses.push_back(argument.data());
    if (!attributes.empty())
      config.attrs = attributes.data(), config.numAttrs = unsigned(attributes.size());
    return cuLaunchKernelEx(&config, function, addresses.data(), nullptr);
  }
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

/// The same maps are made of the same numbers.
template <typename Request> std::vector<int64_t> numbers_of(const Request &request, int promotion) {
  std::vector<int64_t> all = {int64_t(request.type), int64_t(request.rank), request.address.low,
                              int64_t(request.swizzle), int64_t(promotion)};
  for (int d = 0; d < request.rank; ++d)
    all.insert(all.end(), {request.dims[d].extent.low, request.dims[d].stride.low,
                           request.dims[d].step.low, request.dims[d].box.low});
  return all;
}
inline std::vector<int64_t> key_of(const tile_request &request, int promotion) {
  return numbers_of(request, promotion);
}
inline std::vector<int64_t> key_of(const im2col_request &request, int promotion) {
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
        entry(entry),
        lifted_entry(lifted_entry),
        config(config),
        lifted_block{config.blockDimX, config.blockDimY, config.blockDimZ},
        into(into) {
    error = all.find(entry, plain);
    if (error == CUDA_SUCCESS)
      error = all.find(lifted_entry, lifted);
    const int major = device_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    set_device(major >= 9, major >= 10);
    if (violations.empty()) {
      const int architecture = attribute(lifted, CU_FUNC_ATTRIBUTE_PTX_VERSION);
      is_blackwell = architecture >= 100;
      if (error == CUDA_SUCCESS && architecture < 90)
        reject("binary", "the program holds no code for this device that uses TMA; build for sm_90 "
                         "or later");
    }
  }

  void reserve(int bytes) { reserved = unsigned(bytes); }
  void launch_as(block_size block) { lifted_block = block; }
  void in_clusters(block_size blocks) { wanted_cluster = blocks; }
  CUdeviceptr variable(const char *name) const { return all.variable(name); }

  /// Starts the kernel, or leaves that to the dispatch. `must_lift`: the plain one never runs.
  template <size_t Maps, typename... Arguments>
  CUresult finish(bool must_lift, const std::array<CUtensorMap, Maps> &maps,
                  const Arguments &...arguments) {
    std::string alone;
    if (error == CUDA_SUCCESS && violations.empty())
      fit();
    prepared one;
    if (error == CUDA_SUCCESS && violations.empty())
      alone = join_clusters(one);
    const bool lifts = violations.empty();
    if (error == CUDA_SUCCESS && lifts && !kept.tensor.empty())
      alone += keep_in_l2(one);
    if (tilelift::detail::verbose())
      std::fprintf(stderr, "tilelift: %s: %s\n", kernel,
                   lifts ? ("TMA" + alone).c_str() : ("plain, " + why()).c_str());
    if (error != CUDA_SUCCESS)
      return error;
    if (!lifts && must_lift) {
      std::fprintf(stderr, "tilelift: error: %s cannot use TMA: %s\n", kernel, why().c_str());
      return CUDA_ERROR_INVALID_VALUE;
    }
    one.entry = lifts ? lifted_entry : entry;
    one.function = lifts ? lifted : plain;
    one.config = config;
    (one.arguments.push_back(bytes_of(arguments)), ...);
    if (lifts) {
      one.config.sharedMemBytes += reserved;
      one.config.blockDimX = lifted_block.x;
      one.config.blockDimY = lifted_block.y;
      one.config.blockDimZ = lifted_block.z;
      for (const CUtensorMap &map : maps)
        one.arguments.push_back(bytes_of(map));
    }
    if (one.config.sharedMemBytes > 0)
      error = cuFuncSetAttribute(one.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 int(one.config.sharedMemBytes));
    if (error != CUDA_SUCCESS)
      return error;
    if (!into)
      return one.start();
    into->add(std::move(one));
    return CUDA_SUCCESS;
  }

private:
  template <typename Value> static std::vector<unsigned char> bytes_of(const Value &value) {
    std::vector<unsigned char> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }
  const tensor_map_functions &functions() const override {
    static const detail::linked_functions linked;
    return linked;
  }
  std::string make(CUtensorMap &map, const tile_request &request, int promotion) override {
    return made_once(map, request, promotion);
  }
  std::string make(CUtensorMap &map, const im2col_request &request, int promotion) override {
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
  int device_attribute(CUdevice_attribute which) {
    CUdevice device = 0;
    int value = 0;
    if (error == CUDA_SUCCESS)
      error = cuCtxGetDevice(&device);
    if (error == CUDA_SUCCESS)
      error = cuDeviceGetAttribute(&value, which, device);
    return value;
  }
  int attribute(CUfunction function, CUfunction_attribute which) {
    int value = 0;
    if (error == CUDA_SUCCESS)
      error = cuFuncGetAttribute(&value, which, function);
    return value;
  }
  const CUlaunchAttribute *asked_for(CUlaunchAttributeID id) const {
    return tilelift::detail::attribute_of(config, id);
  }
  bool is_cooperative() const {
    const CUlaunchAttribute *asked = asked_for(CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
    return asked && asked->value.cooperative;
  }
  /// The lifted kernel has a little more static memory, and rings of its own; and blocks that wait
  /// for each other have to run at once.
  void fit() {
    const long long needed = static_cast<long long>(config.sharedMemBytes) + reserved;
    const long long room = device_attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) -
                           attribute(lifted, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    if (needed > 0 && needed > room)
      return reject("shared-size",
                    "with its barriers the block has room for " + std::to_string(room) +
                        " bytes of dynamic shared memory, and needs " + std::to_string(needed));
    if (!is_cooperative())
      return;
    int each = 0;
    const int processors = device_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    const unsigned threads = lifted_block.x * lifted_block.y * lifted_block.z;
    if (error == CUDA_SUCCESS)
      error =
          cuOccupancyMaxActiveBlocksPerMultiprocessor(&each, lifted, int(threads), size_t(needed));
    const long long blocks = static_cast<long long>(grid.x) * grid.y * grid.z;
    if (blocks > static_cast<long long>(each) * processors)
      reject("cooperative-grid", "the " + std::to_string(blocks) +
                                     " blocks of a cooperative launch have to run at once, and of "
                                     "the lifted kernel fewer do");
  }
  /// Asks for the clusters, or says why each block is by itself.
  std::string join_clusters(prepared &one) {
    const block_size wanted = wanted_cluster;
    if (wanted.x * wanted.y * wanted.z == 1)
      return "";
    if (const CUlaunchAttribute *asked = asked_for(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)) {
      const block_size own = {asked->value.clusterDim.x, asked->value.clusterDim.y,
                              asked->value.clusterDim.z};
      if (own.x != wanted.x || own.y != wanted.y || own.z != wanted.z)
        reject("cluster-shape",
               "the program's clusters are " + text(own) + ", tiles are shared in " + text(wanted));
      return "";
    }
    if (is_cooperative())
      return ", each block by itself: the launch is cooperative";
    if (grid.x % wanted.x != 0 || grid.y % wanted.y != 0 || grid.z % wanted.z != 0)
      return ", each block by itself: a grid of " + text(grid) + " has no whole clusters of " +
             text(wanted);
    CUlaunchAttribute cluster = {};
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim = {wanted.x, wanted.y, wanted.z};
    ask_for(cluster, one);
    return "";
  }
  /// By an attribute of this launch alone, so that nothing of the stream's has to be set back.
  std::string keep_in_l2(prepared &one) {
    const int most = device_attribute(CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE);
    if (most == 0)
      return ", keeps nothing in L2: the device has no windows";
    if (asked_for(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW))
      return ", keeps in L2 what the launch itself says";
    CUlaunchAttribute window = {};
    window.id = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
    window.value.accessPolicyWindow = {reinterpret_cast<void *>(kept.begin), kept.bytes(most),
                                       kept.share, CU_ACCESS_PROPERTY_PERSISTING,
                                       CU_ACCESS_PROPERTY_STREAMING};
    ask_for(window, one);
    return kept.text(most);
  }
  void ask_for(const CUlaunchAttribute &more, prepared &one) const {
    if (one.attributes.empty())
      one.attributes.assign(config.attrs, config.attrs + config.numAttrs);
    one.attributes.push_back(more);
  }

  kernels &all;
  const char *entry, *lifted_entry;
  CUlaunchConfig config;
  block_size lifted_block, wanted_cluster = {1, 1, 1};
  dispatch *into;
  CUfunction plain = nullptr, lifted = nullptr;
  unsigned reserved = 0;
  CUresult error = CUDA_SUCCESS;
};

} // namespace driver
} // namespace tilelift

#endif
