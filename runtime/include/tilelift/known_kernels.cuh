//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches through pointers to kernels. Where a file lifts a kernel whose address is taken, it
// tells here which launcher belongs to the kernel; a launch through a pointer asks for the launcher
// of the kernel that the pointer leads to, and starts kernels that have none as they are.
//
// Thread safe: libraries may be loaded and unloaded while others launch.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KNOWN_KERNELS_CUH
#define TILELIFT_KNOWN_KERNELS_CUH

#include <tilelift/launch.cuh>

#include <mutex>

namespace tilelift {

/// Says that a kernel has a launcher, as long as the object lives.
class known_kernel {
public:
  template <typename... Parameters>
  known_kernel(void (*kernel)(Parameters...),
               cudaError_t (*launcher)(const launch_config &, Parameters...))
      : kernel(reinterpret_cast<const void *>(kernel)),
        launcher(reinterpret_cast<void (*)()>(launcher)),
        start(start_by<Parameters...>) {
    const std::lock_guard<std::mutex> lock(table().mutex);
    next = table().first;
    table().first = this;
  }
  known_kernel(const known_kernel &) = delete;
  known_kernel &operator=(const known_kernel &) = delete;
  ~known_kernel() {
    const std::lock_guard<std::mutex> lock(table().mutex);
    known_kernel **at = &table().first;
    while (*at != this)
      at = &(*at)->next;
    *at = next;
  }

  /// Starts a kernel, by its launcher if it has one, with an address for each argument.
  static cudaError_t launch(const void *kernel, const launch_config &config, void **arguments) {
    void (*launcher)() = nullptr;
    cudaError_t (*start)(void (*)(), const launch_config &, void **) = nullptr;
    {
      const std::lock_guard<std::mutex> lock(table().mutex);
      for (const known_kernel *each = table().first; each && !launcher; each = each->next)
        if (each->kernel == kernel) {
          launcher = each->launcher;
          start = each->start;
        }
    }
    return launcher ? start(launcher, config, arguments)
                    : cudaLaunchKernelExC(&config.config, kernel, arguments);
  }

private:
  struct known {
    std::mutex mutex;
    known_kernel *first = nullptr;
  };
  /// Never destroyed: programs launch kernels in destructors of static objects.
  static known &table() {
    static known &all = *new known;
    return all;
  }
  template <typename... Parameters>
  static cudaError_t start_by(void (*launcher)(), const launch_config &config, void **arguments) {
    return launch_with(
        reinterpret_cast<cudaError_t (*)(const launch_config &, Parameters...)>(launcher), config,
        arguments);
  }

  const void *kernel;
  void (*launcher)();
  cudaError_t (*start)(void (*)(), const launch_config &, void **);
  known_kernel *next = nullptr;
};

/// A launch through a pointer that waits for the kernel's arguments. They are copied or moved once,
/// as a launch by <<<...>>> does, and evaluated behind the pointer.
template <typename... Parameters> class pointer_launch {
public:
  pointer_launch(void (*kernel)(Parameters...), const launch_config &config)
      : kernel(kernel), config(config) {}

  cudaError_t operator()(Parameters... arguments) const {
    void *addresses[] = {
        const_cast<void *>(static_cast<const volatile void *>(std::addressof(arguments)))...,
        nullptr};
    return known_kernel::launch(reinterpret_cast<const void *>(kernel), config, addresses);
  }

private:
  void (*kernel)(Parameters...);
  launch_config config;
};

/// `pointer<<<...>>>(arguments...)` is `launch_pointer(pointer, {...})(arguments...)`.
template <typename... Parameters>
pointer_launch<Parameters...> launch_pointer(void (*kernel)(Parameters...),
                                             const launch_config &config) {
  return {kernel, config};
}

/// Takes the place of `cudaLaunchKernel(pointer, ...)`, which is given an address for each
/// argument.
inline cudaError_t launch_pointer_with(const void *kernel, const launch_config &config,
                                       void **arguments) {
  return known_kernel::launch(kernel, config, arguments);
}
template <typename... Parameters>
cudaError_t launch_pointer_with(void (*kernel)(Parameters...), const launch_config &config,
                                void **arguments) {
  return known_kernel::launch(reinterpret_cast<const void *>(kernel), config, arguments);
}

} // namespace tilelift

#endif
