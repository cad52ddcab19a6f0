//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints about managed memory. There is one memory, so they are checked and
// otherwise have no effect.
//===----------------------------------------------------------------------===//

#include "cudart/Places.h"

using namespace tilelift::emulator;
using namespace tilelift::emulator::cudart;

namespace {

cudaError_t checkManaged(const void *address, size_t bytes) {
  const Allocation *allocation = machine().memory.find(address);
  bool isManaged = allocation && allocation->kind == MemoryKind::managed &&
                   placeOf(address, bytes) == Place::both;
  return isManaged && bytes ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t checkLocation(const cudaMemLocation &location) {
  switch (location.type) {
  case cudaMemLocationTypeDevice: return location.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
  case cudaMemLocationTypeHost:
  case cudaMemLocationTypeHostNuma:
  case cudaMemLocationTypeHostNumaCurrent: return cudaSuccess;
  default: return cudaErrorInvalidValue;
  }
}

} // namespace

extern "C" {

cudaError_t cudaMemPrefetchAsync(const void *address, size_t bytes, cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream) {
  return call([&](State &) {
    if (cudaError_t error = checkManaged(address, bytes))
      return error;
    if (cudaError_t error = checkLocation(location))
      return error;
    if (flags)
      return cudaErrorInvalidValue;
    return findStream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaMemAdvise(const void *address, size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
  return call([&](State &) {
    if (cudaError_t error = checkManaged(address, bytes))
      return error;
    bool isKnown = advice >= cudaMemAdviseSetReadMostly && advice <= cudaMemAdviseUnsetAccessedBy;
    return isKnown ? checkLocation(location) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *address, size_t, unsigned) {
  return call([&](State &) {
    if (!findStream(stream))
      return cudaErrorInvalidResourceHandle;
    return placeOf(address, 0) == Place::both ? cudaSuccess : cudaErrorInvalidValue;
  });
}

} // extern "C"

TILELIFT_PER_THREAD(cudaMemPrefetchAsync, _ptsz);
TILELIFT_PER_THREAD(cudaStreamAttachMemAsync, _ptsz);
