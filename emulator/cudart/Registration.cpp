//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler's constructors call before main: which host address stands
// for which kernel and variable, and what <<<>>> says.
//
// Only names are kept; translated files register themselves in their own
// constructors, before or after these.
//===----------------------------------------------------------------------===//

#include "cudart/State.h"

using namespace tilelift::emulator;
using namespace tilelift::emulator::cudart;

namespace {

struct Configuration {
  dim3 grid, block;
  size_t shared;
  void *stream;
};

/// More than one where a kernel's arguments launch kernels.
thread_local std::vector<Configuration> configurations;

void addSymbol(const void *host, const char *name, size_t bytes, void **managed) {
  std::lock_guard<std::recursive_mutex> lock(state().mutex);
  state().symbols[host] = {name, bytes, managed};
}

/// Managed variables are reached through a pointer, which must be right before
/// main reads it.
void writeManagedPointers() {
  for (auto &[host, symbol] : state().symbols)
    if (char *address = symbol.managed ? addressOf(symbol) : nullptr)
      *symbol.managed = address;
}

} // namespace

extern "C" {

/// Kernels are found by name, so it does not matter which file they come from.
void **__cudaRegisterFatBinary(void *) { return reinterpret_cast<void **>(&state()); }

void __cudaRegisterFatBinaryEnd(void **) { writeManagedPointers(); }

void __cudaUnregisterFatBinary(void **) {}

char __cudaInitModule(void **) {
  writeManagedPointers();
  return 1;
}

void __cudaRegisterFunction(void **, const char *hostFunction, char *, const char *deviceName, int,
                            uint3 *, uint3 *, dim3 *, dim3 *, int *) {
  std::lock_guard<std::recursive_mutex> lock(state().mutex);
  state().functions[hostFunction].name = deviceName;
}

void __cudaRegisterVar(void **, char *hostVariable, char *, const char *deviceName, int,
                       size_t bytes, int, int) {
  addSymbol(hostVariable, deviceName, bytes, nullptr);
}

void __cudaRegisterManagedVar(void **, void **hostPointer, char *, const char *deviceName, int,
                              size_t bytes, int, int) {
  addSymbol(hostPointer, deviceName, bytes, hostPointer);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  if (configurations.empty())
    return remember(cudaErrorMissingConfiguration);
  const Configuration &last = configurations.back();
  *grid = last.grid;
  *block = last.block;
  *shared = last.shared;
  *static_cast<void **>(stream) = last.stream;
  configurations.pop_back();
  return cudaSuccess;
}

} // extern "C"
