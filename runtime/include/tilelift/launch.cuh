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

#include <tilelift/checks.h>
#include <tilelift/entry.h>
#include <tilelift/timing.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilelift {
namespace detail {

/// How a kernel's parameter is passed on: an object is not copied. The type is the kernel's,
/// whatever the argument's is.
template <typename Type> struct passed {
  static constexpr bool is_object = std::is_class<Type>::value || std::is_union<Type>::value;
  using type = std::conditional_t<is_object, const Type &, Type>;
};

/// Starts a kernel with the arguments that the launcher was given. cudaLaunchKernelEx would copy
/// them once more, by constructors that may do anything, and take their addresses with an
/// operator & that may be the argument's own.
template <typename... Parameters>
cudaError_t start(const cudaLaunchConfig_t &config, void (*function)(Parameters...),
                  typename passed<Parameters>::type... arguments) {
  void *addresses[] = {const_cast<void *>(static_cast<const void *>(std::addressof(arguments)))...,
                       nullptr};
  return cudaLaunchKernelExC(&config, reinterpret_cast<const void *>(function), addresses);
}

} // namespace detail

/// Where and how to launch: what stands in <<<...>>>, or a configuration that
/// the program has made itself.
class launch_config {
public:
  /// Takes what <<<...>>> takes, with its conversions. By value: a reference to a constant member
  /// of a class would need a definition of it.
  template <typename Grid, typename Block, typename Bytes = size_t>
  launch_config(Grid grid, Block block, Bytes shared = 0, cudaStream_t stream = nullptr) {
    config.gridDim = dim3(grid);
    config.blockDim = dim3(block);
    config.dynamicSmemBytes = size_t(shared);
    config.stream = stream;
  }
  launch_config(const cudaLaunchConfig_t *config) : config(*config) {}

  template <typename... Parameters>
  cudaError_t start(void (*function)(Parameters...),
                    typename detail::passed<Parameters>::type... arguments) const {
    return detail::start(config, function, arguments...);
  }

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

/// Where a variable of the device lies; null, which no map starts at, if nobody knows.
template <typename Variable> const void *address_of(const Variable &variable) {
  void *address = nullptr;
  if (cudaGetSymbolAddress(&address, variable) == cudaSuccess)
    return address;
  (void)cudaGetLastError(); // the plain kernel may still run
  return nullptr;
}

/// The code that the program holds for a kernel on a device.
struct compiled_code {
  /// What it is compiled for: __CUDA_ARCH__ divided by 10, such as 90 or 120; -1 if there is no
  /// code.
  int architecture = -1;
  /// The most threads that a block may have, given the registers that the code uses.
  int most_threads = 0;
};

/// What one launcher knows about its kernel on each device: the code that the program holds for it,
/// asked once, and how much dynamic shared memory it has been allowed.
class kernel_facts {
public:
  /// `error` says why nobody can tell.
  template <typename Kernel> compiled_code code_of(Kernel *kernel, int device, cudaError_t &error) {
    std::atomic<int> &known = answers[device & (slots - 1)];
    int answer = device < slots ? known.load(std::memory_order_relaxed) : 0;
    if (answer == 0) {
      cudaFuncAttributes attributes = {};
      error = cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(kernel));
      if (error != cudaSuccess) {
        (void)cudaGetLastError(); // the plain kernel may still run
        return {};
      }
      answer = attributes.maxThreadsPerBlock << 16 | attributes.ptxVersion;
      if (device < slots)
        known.store(answer, std::memory_order_relaxed);
    }
    return {answer & 0xffff, answer >> 16};
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
  std::atomic<int> answers[slots] = {};
  std::atomic<int> allowed[slots] = {};
};

class launch : public checked_launch {
public:
  launch(const char *kernel, const launch_config &config, block_size checked)
      : checked_launch(kernel, size_of(config.config.gridDim), size_of(config.config.blockDim),
                       checked),
        config(config.config) {
    const int major = detail::compute_capability_major(device);
    set_device(major >= 9, major >= 10);
  }

  /// Notes whether the lifted kernel's code for this device is compiled for Blackwell, because that
  /// decides which TMA instructions the code has.
  template <typename Kernel> void compiled_as(Kernel *lifted, kernel_facts &facts) {
    cudaError_t error = cudaSuccess;
    is_blackwell = facts.code_of(lifted, device, error).architecture >= 100;
  }

  /// Whether the lifted kernel may run, which is then the one that is started. Prints the
  /// decision when asked to.
  template <typename... Parameters, typename... PlainParameters>
  bool can_lift(void (*lifted)(Parameters...), void (*plain)(PlainParameters...),
                kernel_facts &facts) {
    cudaError_t error = cudaSuccess;
    compiled_code code;
    if (violations.empty())
      code = facts.code_of(lifted, device, error);
    if (violations.empty() && code.architecture < 90)
      reject("binary",
             error == cudaSuccess || error == cudaErrorNoKernelImageForDevice ||
                     error == cudaErrorInvalidDeviceFunction
                 ? std::string("the program holds no code for this device that uses TMA; build for "
                               "sm_90 or later")
                 : std::string("nobody can tell what the lifted kernel is compiled for: ") +
                       cudaGetErrorString(error));
    if (violations.empty())
      fit_threads(code.most_threads);
    if (violations.empty() && needed_memory() > facts.allowed_memory(device))
      share_memory(reinterpret_cast<const void *>(lifted), reinterpret_cast<const void *>(plain),
                   facts);
    if (violations.empty() && is_cooperative())
      fit_at_once(reinterpret_cast<const void *>(lifted));
    if (violations.empty() && wants_clusters() &&
        asks_for_clusters(own_cluster(reinterpret_cast<const void *>(lifted)), is_cooperative()))
      join_clusters();
    lifts = violations.empty();
    if (lifts && !kept.tensor.empty())
      keep_in_l2();
    print_decision();
    if (lifts) {
      config.dynamicSmemBytes += reserved;
      config.blockDim = {lifted_block.x, lifted_block.y, lifted_block.z};
    }
    return lifts;
  }

  /// For `fallback(error)`: prints why the kernel cannot use TMA, and returns an error that
  /// cudaGetLastError() returns, too, like that of a launch by <<<>>>.
  cudaError_t refuse() const {
    std::fprintf(stderr, "tilelift: error: %s cannot use TMA: %s\n", kernel, why().c_str());
    (void)cudaGetDevice(nullptr); // an invalid value, for the runtime
    return cudaErrorInvalidValue;
  }

  template <typename... Parameters>
  cudaError_t start(void (*function)(Parameters...),
                    typename detail::passed<Parameters>::type... arguments) const {
    if (!detail::timed())
      return detail::start(config, function, arguments...);
    detail::stopwatch watch(kernel, reinterpret_cast<const void *>(function),
                            lifts ? "TMA" : "plain", config.stream);
    cudaError_t error = detail::start(config, function, arguments...);
    watch.print();
    return error;
  }

private:
  static block_size size_of(dim3 size) { return {size.x, size.y, size.z}; }
  const tensor_map_functions &functions() const override { return detail::driver_functions(); }
  bool has_memory(const void *address) const override {
    cudaPointerAttributes found = {};
    if (cudaPointerGetAttributes(&found, address) != cudaSuccess) {
      (void)cudaGetLastError(); // the plain kernel may still run
      return false;
    }
    if (found.type != cudaMemoryTypeUnregistered)
      return found.devicePointer == address;
    int reads_host = 0;
    (void)cudaDeviceGetAttribute(&reads_host, cudaDevAttrPageableMemoryAccess, device);
    return reads_host != 0 && detail::is_of_host(address);
  }
  long long needed_memory() const {
    return static_cast<long long>(config.dynamicSmemBytes + reserved);
  }
  /// Checks that there is room for the launch's dynamic shared memory, and allows the lifted kernel
  /// to use it. What the program allowed the plain kernel with cudaFuncSetAttribute holds for the
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
    if (error == cudaSuccess && !has_room(needed_memory(), room))
      return;
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
    return detail::attribute_of(config, id);
  }
  /// Of this launch, or of the kernel; zeros where neither has any.
  block_size own_cluster(const void *lifted) const {
    if (const cudaLaunchAttribute *asked = attribute(cudaLaunchAttributeClusterDimension))
      return {asked->val.clusterDim.x, asked->val.clusterDim.y, asked->val.clusterDim.z};
    cudaFuncAttributes own = {};
    if (cudaFuncGetAttributes(&own, lifted) != cudaSuccess)
      (void)cudaGetLastError(); // the plain kernel may still run
    return {unsigned(own.requiredClusterWidth), unsigned(own.requiredClusterHeight),
            unsigned(own.requiredClusterDepth)};
  }
  void join_clusters() {
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {wanted_cluster.x, wanted_cluster.y, wanted_cluster.z};
    ask_for(cluster);
  }
  /// By an attribute of this launch alone, so that nothing of the stream's has to be set back.
  void keep_in_l2() {
    int most = 0;
    if (cudaDeviceGetAttribute(&most, cudaDevAttrMaxAccessPolicyWindowSize, device) != cudaSuccess)
      (void)cudaGetLastError(); // the kernel runs without it
    if (!asks_for_window(most, attribute(cudaLaunchAttributeAccessPolicyWindow) != nullptr))
      return;
    cudaLaunchAttribute window = {};
    window.id = cudaLaunchAttributeAccessPolicyWindow;
    window.val.accessPolicyWindow = {reinterpret_cast<void *>(kept.begin), kept.bytes(most),
                                     kept.share, cudaAccessPropertyPersisting,
                                     cudaAccessPropertyStreaming};
    ask_for(window);
  }
  void ask_for(const cudaLaunchAttribute &more) {
    if (attributes.empty())
      attributes.assign(config.attrs, config.attrs + config.numAttrs);
    attributes.push_back(more);
    config.attrs = attributes.data();
    config.numAttrs = static_cast<unsigned>(attributes.size());
  }
  void fit_at_once(const void *lifted) {
    int each = 0, processors = 0;
    cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &each, lifted, threads(), config.dynamicSmemBytes + reserved);
    if (error == cudaSuccess)
      error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (error != cudaSuccess)
      (void)cudaGetLastError(); // the plain kernel may still run
    checked_launch::fit_at_once(static_cast<long long>(each) * processors);
  }

  cudaLaunchConfig_t config;
  std::vector<cudaLaunchAttribute> attributes;
  bool lifts = false;
  int device = -1;
};

} // namespace tilelift

#endif
