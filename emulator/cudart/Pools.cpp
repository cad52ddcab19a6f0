//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory in stream order. Since work is done when it is submitted, stream order
// is the order of the calls.
//===----------------------------------------------------------------------===//

#include "cudart/Graph.h"
#include "cudart/Places.h"

#include <cstring>

using namespace tilelift::emulator;
using namespace tilelift::emulator::cudart;

namespace {

cudaMemPool_t handleOf(Pool &pool) { return reinterpret_cast<cudaMemPool_t>(&pool); }

Pool *findPool(cudaMemPool_t handle) {
  Pool &byDefault = state().defaultPool;
  return handle == handleOf(byDefault) ? &byDefault : state().pools.find(handle);
}

/// Memory of a captured allocation is there from now on: its address is known to
/// what is captured after it.
cudaError_t allocateIn(Pool *pool, void **address, size_t bytes, cudaStream_t handle) {
  Stream *stream = findStream(handle);
  if (!pool || !address)
    return cudaErrorInvalidValue;
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  *address =
      bytes ? machine().memory.allocate(bytes, MemoryKind::device, "", addressAlignment) : nullptr;
  if (bytes && !*address)
    return cudaErrorMemoryAllocation;
  return stream->capture ? submit(handle, Nothing{cudaGraphNodeTypeMemAlloc}) : cudaSuccess;
}

bool is32Bit(cudaMemPoolAttr attribute) {
  return attribute == cudaMemPoolReuseFollowEventDependencies ||
         attribute == cudaMemPoolReuseAllowOpportunistic ||
         attribute == cudaMemPoolReuseAllowInternalDependencies;
}

cudaError_t setPool(int device, cudaMemPool_t handle) {
  Pool *pool = findPool(handle);
  if (device || !pool)
    return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
  state().currentPool = pool;
  return cudaSuccess;
}

cudaError_t getPool(int device, cudaMemPool_t *handle, Pool &pool) {
  if (device || !handle)
    return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
  *handle = handleOf(pool);
  return cudaSuccess;
}

} // namespace

extern "C" {

cudaError_t cudaMallocAsync(void **address, size_t bytes, cudaStream_t stream) {
  return call([&](State &api) { return allocateIn(api.currentPool, address, bytes, stream); });
}

cudaError_t cudaMallocFromPoolAsync(void **address, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return call([&](State &) { return allocateIn(findPool(pool), address, bytes, stream); });
}

cudaError_t cudaFreeAsync(void *address, cudaStream_t stream) {
  return call([&](State &) {
    if (!address)
      return cudaSuccess;
    const Allocation *allocation = machine().memory.find(address);
    if (!allocation || allocation->base != address || allocation->kind != MemoryKind::device)
      return cudaErrorInvalidValue;
    Stream *found = findStream(stream);
    // A graph may be launched again and needs its memory then.
    if (found && found->capture)
      return submit(stream, Nothing{cudaGraphNodeTypeMemFree});
    return submit(stream, Release{address});
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  return call([&](State &api) { return getPool(device, pool, api.defaultPool); });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  return call([&](State &api) { return getPool(device, pool, *api.currentPool); });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return call([&](State &) { return setPool(device, pool); });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *properties) {
  return call([&](State &api) {
    if (!pool || !properties || properties->allocType != cudaMemAllocationTypePinned)
      return cudaErrorInvalidValue;
    *pool = handleOf(*api.pools.add(std::make_unique<Pool>()));
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return call([&](State &api) {
    if (api.currentPool == findPool(pool))
      api.currentPool = &api.defaultPool;
    return api.pools.remove(pool) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return call([&](State &) { return findPool(pool) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  return call([&](State &) {
    Pool *found = findPool(pool);
    if (!found || !value)
      return cudaErrorInvalidValue;
    uint64_t number = 0;
    std::memcpy(&number, value, is32Bit(attribute) ? 4 : 8);
    found->attributes[attribute] = number;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  return call([&](State &) {
    Pool *found = findPool(pool);
    if (!found || !value)
      return cudaErrorInvalidValue;
    auto set = found->attributes.find(attribute);
    uint64_t number = set != found->attributes.end() ? set->second : is32Bit(attribute);
    std::memcpy(value, &number, is32Bit(attribute) ? 4 : 8);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *, size_t) {
  return call([&](State &) { return findPool(pool) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags *flags, cudaMemPool_t pool, cudaMemLocation *) {
  return call([&](State &) {
    if (!flags || !findPool(pool))
      return cudaErrorInvalidValue;
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
  });
}

} // extern "C"

TILELIFT_PER_THREAD(cudaMallocAsync, _ptsz);
TILELIFT_PER_THREAD(cudaMallocFromPoolAsync, _ptsz);
TILELIFT_PER_THREAD(cudaFreeAsync, _ptsz);
