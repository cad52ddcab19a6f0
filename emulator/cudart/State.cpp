//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "cudart/State.h"

#include "cudart/Graph.h"

namespace tilelift::emulator::cudart {

State::State() {
  legacyStream.id = 1;
  perThreadStream.id = 2;
  limits[cudaLimitStackSize] = 1024;
  limits[cudaLimitPrintfFifoSize] = 8650752;
  limits[cudaLimitMallocHeapSize] = 8 << 20;
  limits[cudaLimitDevRuntimePendingLaunchCount] = 2048;
  limits[cudaLimitPersistingL2CacheSize] = 11796480;
  limits[cudaLimitMaxL2FetchGranularity] = 64;
}

State::~State() = default;

/// Never destroyed: the program's own static objects may call when it ends.
State &state() {
  static State *api = new State;
  return *api;
}

Function *findFunction(const void *stubOrHandle) {
  auto found = state().functions.find(stubOrHandle);
  Function *function = found == state().functions.end() ? nullptr : &found->second;
  for (auto entry = state().functions.begin(); !function && entry != state().functions.end();
       ++entry)
    if (&entry->second == stubOrHandle)
      function = &entry->second;
  return function;
}

cudaError_t findKernel(const void *stubOrHandle, Function *&function) {
  function = findFunction(stubOrHandle);
  if (!function)
    return stubOrHandle ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
  if (!function->kernel)
    function->kernel = machine().program.kernel(function->name);
  return function->kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

Symbol *findSymbol(const void *hostAddress) {
  auto found = state().symbols.find(hostAddress);
  return found == state().symbols.end() ? nullptr : &found->second;
}

char *addressOf(const Symbol &symbol) {
  const DeviceVariable *variable = machine().program.variable(symbol.name);
  return variable ? *variable->address : nullptr;
}

Stream *findStream(cudaStream_t handle) {
  if (!handle || handle == cudaStreamLegacy)
    return &state().legacyStream;
  return handle == cudaStreamPerThread ? &state().perThreadStream : state().streams.find(handle);
}

} // namespace tilelift::emulator::cudart
