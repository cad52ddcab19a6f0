//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the CUDA runtime API remembers between calls: the kernels and symbols
// that a program registered, its streams, events and graphs, and whether the
// device failed.
//
// The API has one state in a process, as the real one has. Every function goes
// through call(), which lets one thread in at a time, answers with the failure
// once there was one, and remembers what cudaGetLastError will say. What work
// there is and when it is done is in Work.h.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_CUDART_STATE_H
#define TILELIFT_EMULATOR_CUDART_STATE_H

#include "machine/Machine.h"

#include <chrono>
#include <cuda_runtime_api.h>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

/// Programs that are compiled for per-thread default streams call a function of
/// another name. Work is done when it is submitted, so both do the same; only to
/// capture its default stream, such a program must call it cudaStreamPerThread.
#define TILELIFT_PER_THREAD(function, variant)                                                     \
  extern "C" decltype(function) function##variant __attribute__((alias(#function)))

namespace tilelift::emulator::cudart {

struct Capture;
struct Graph;
struct GraphExec;
struct Node;

/// A kernel as the host knows it. Its address is its cudaKernel_t and its
/// cudaFunction_t.
struct Function {
  std::string name; ///< mangled
  /// Null where no linked file has the kernel. Looked up when first needed:
  /// files are registered in any order.
  const Kernel *kernel = nullptr;
  /// The dynamic shared memory that the program has allowed with cudaFuncSetAttribute. Without that
  /// call, static and dynamic shared memory together are limited to 48 KiB.
  uint32_t maxDynamicShared = 0;
  bool hasMaxDynamicShared = false;
  bool allowsLargeClusters = false;
  int carveout = -1;
  uint32_t cluster[3] = {}; ///< that cudaFuncSetAttribute asked for
};

/// A __device__ or __constant__ variable as the host knows it.
struct Symbol {
  std::string name; ///< mangled
  size_t bytes = 0;
  /// Where a managed variable's address is written; null for others.
  void **managed = nullptr;
};

struct Stream {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  Capture *capture = nullptr; ///< that its work is noted in
  /// The nodes that the stream's next node depends on.
  std::vector<Node *> tips;
};

struct Event {
  using Clock = std::chrono::steady_clock;
  unsigned flags = 0;
  bool isRecorded = false;
  Clock::time_point time;
  /// Of an event that was last recorded in a capture.
  unsigned long long captureId = 0;
  std::vector<Node *> tips;
};

/// Memory comes from one place, so a pool is what was said about it.
struct Pool {
  std::map<cudaMemPoolAttr, uint64_t> attributes;
};

/// Ownership of what a handle points to.
template <class Object> class Handles {
public:
  Object *add(std::unique_ptr<Object> object) {
    Object *raw = object.get();
    objects[raw] = std::move(object);
    return raw;
  }
  /// Null where the handle is not one of ours.
  Object *find(const void *handle) const {
    auto found = objects.find(handle);
    return found == objects.end() ? nullptr : found->second.get();
  }
  bool remove(const void *handle) { return objects.erase(handle) != 0; }
  auto begin() const { return objects.begin(); }
  auto end() const { return objects.end(); }

private:
  std::map<const void *, std::unique_ptr<Object>> objects;
};

struct State {
  State();
  ~State();

  /// The program may call from several threads, and from within host functions.
  std::recursive_mutex mutex;
  /// What all calls answer until the device is reset.
  cudaError_t failure = cudaSuccess;

  std::unordered_map<const void *, Function> functions; ///< by the stub's address
  std::unordered_map<const void *, Symbol> symbols;     ///< by the variable's host address

  Stream legacyStream, perThreadStream;
  Handles<Stream> streams;
  Handles<Event> events;
  Handles<Graph> graphs;
  Handles<GraphExec> graphExecs;
  std::map<unsigned long long, std::unique_ptr<Capture>> captures;
  unsigned long long lastId = 2; ///< of streams and captures; 1 and 2 are the default streams

  Pool defaultPool;
  Handles<Pool> pools; ///< that the program made
  Pool *currentPool = &defaultPool;

  std::map<const char *, size_t> registered; ///< host memory, by cudaHostRegister
  size_t limits[cudaLimitPersistingL2CacheSize + 1] = {};
  unsigned deviceFlags = cudaDeviceMapHost;
  cudaFuncCache cacheConfig = cudaFuncCachePreferNone;

  std::set<std::string> explained; ///< refused tensor maps; each is explained once
};

State &state();

/// Notes an error for cudaGetLastError, and returns it.
cudaError_t remember(cudaError_t error);
/// Takes that back: what the driver API answers is not the runtime's last error.
cudaError_t forget(cudaError_t error);

/// One call of the API.
template <class Body> cudaError_t call(Body body) {
  State &api = state();
  std::lock_guard<std::recursive_mutex> lock(api.mutex);
  return remember(api.failure != cudaSuccess ? api.failure : body(api));
}

/// One that a failed device still answers.
template <class Body> cudaError_t callAlways(Body body) {
  State &api = state();
  std::lock_guard<std::recursive_mutex> lock(api.mutex);
  return remember(body(api));
}

/// Addresses are aligned as real ones are, which programs should not rely on and do.
constexpr size_t addressAlignment = 512;

/// What hardware says after such a launch.
cudaError_t errorOf(Outcome outcome);

/// By the stub's address or a handle; null where there is none.
Function *findFunction(const void *stubOrHandle);
/// One that can be launched, or the error that the runtime answers.
cudaError_t findKernel(const void *stubOrHandle, Function *&function);
/// The only cluster that the kernel can have; zeros where it can have any.
inline const uint32_t *requiredCluster(const Function &function) {
  return function.kernel->cluster[0] ? function.kernel->cluster : function.cluster;
}
/// Null where no such symbol was registered.
Symbol *findSymbol(const void *hostAddress);
/// Where the symbol's memory is; null where no linked file has it.
char *addressOf(const Symbol &symbol);

/// Null where there is no such stream; 0, 1 and 2 are default streams.
Stream *findStream(cudaStream_t handle);
inline Event *findEvent(cudaEvent_t handle) { return state().events.find(handle); }

} // namespace tilelift::emulator::cudart

#endif
