//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Getting and giving back memory, and what a program can ask about an address.
//
// Registered host memory stays where it is: copies from and to it work as from
// any host memory, but kernels cannot reach it, so it has no device address.
//===----------------------------------------------------------------------===//

#include "cudart/Places.h"

using namespace tilelift::emulator;
using namespace tilelift::emulator::cudart;

namespace {

constexpr size_t pitchAlignment = 512;
constexpr unsigned hostAllocFlags =
    cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
constexpr unsigned hostRegisterFlags = cudaHostRegisterPortable | cudaHostRegisterMapped |
                                       cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

/// Zero bytes have no address, as in the real API.
cudaError_t allocate(void **address, size_t bytes, MemoryKind kind, unsigned flags = 0) {
  if (cudaError_t error = checkUnsafe())
    return error;
  if (!address)
    return cudaErrorInvalidValue;
  *address = nullptr;
  if (bytes == 0)
    return cudaSuccess;
  Memory &memory = machine().memory;
  char *base = memory.allocate(bytes, kind, "", addressAlignment);
  if (!base)
    return cudaErrorMemoryAllocation;
  const_cast<Allocation *>(memory.find(base))->flags = flags;
  *address = base;
  return cudaSuccess;
}

bool isStartOf(const void *address, bool isPinned) {
  const Allocation *allocation = machine().memory.find(address);
  return allocation && allocation->base == address && allocation->kind != MemoryKind::variable &&
         (allocation->kind == MemoryKind::pinned) == isPinned;
}

cudaError_t release(void *address, bool isPinned) {
  if (cudaError_t error = checkUnsafe())
    return error;
  if (!address)
    return cudaSuccess;
  if (!isStartOf(address, isPinned))
    return cudaErrorInvalidValue;
  machine().memory.release(address);
  return cudaSuccess;
}

size_t pitchFor(size_t width) {
  return (width + pitchAlignment - 1) / pitchAlignment * pitchAlignment;
}

/// The registered range that holds the address; the end where there is none.
auto findRegistered(const void *address) {
  auto &all = state().registered;
  auto after = all.upper_bound(static_cast<const char *>(address));
  if (after == all.begin())
    return all.end();
  auto candidate = std::prev(after);
  return size_t(static_cast<const char *>(address) - candidate->first) < candidate->second
             ? candidate
             : all.end();
}

cudaMemoryType typeOf(const void *address) {
  const Allocation *allocation = machine().memory.find(address);
  if (!allocation)
    return findRegistered(address) != state().registered.end() ? cudaMemoryTypeHost
                                                               : cudaMemoryTypeUnregistered;
  switch (allocation->kind) {
  case MemoryKind::pinned: return cudaMemoryTypeHost;
  case MemoryKind::managed: return cudaMemoryTypeManaged;
  default: return cudaMemoryTypeDevice;
  }
}

cudaPointerAttributes attributesOf(const void *address) {
  void *plain = const_cast<void *>(address);
  cudaPointerAttributes attributes = {};
  attributes.type = typeOf(address);
  attributes.device = attributes.type == cudaMemoryTypeUnregistered ? -2 : 0;
  attributes.devicePointer = machine().memory.find(address) ? plain : nullptr;
  attributes.hostPointer = attributes.type == cudaMemoryTypeDevice ? nullptr : plain;
  return attributes;
}

const Allocation *findPinned(const void *address) {
  const Allocation *found = machine().memory.find(address);
  return found && found->kind == MemoryKind::pinned ? found : nullptr;
}

} // namespace

extern "C" {

cudaError_t cudaMalloc(void **address, size_t bytes) {
  return call([&](State &) { return allocate(address, bytes, MemoryKind::device); });
}

cudaError_t cudaFree(void *address) {
  return call([&](State &) { return release(address, false); });
}

cudaError_t cudaMallocHost(void **address, size_t bytes) {
  return call([&](State &) { return allocate(address, bytes, MemoryKind::pinned); });
}

cudaError_t cudaHostAlloc(void **address, size_t bytes, unsigned flags) {
  return call([&](State &) {
    if (flags & ~hostAllocFlags)
      return cudaErrorInvalidValue;
    return allocate(address, bytes, MemoryKind::pinned, flags);
  });
}

cudaError_t cudaFreeHost(void *address) {
  return call([&](State &) { return release(address, true); });
}

cudaError_t cudaMallocManaged(void **address, size_t bytes, unsigned flags) {
  return call([&](State &) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
      return cudaErrorInvalidValue;
    return allocate(address, bytes, MemoryKind::managed, flags);
  });
}

cudaError_t cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height) {
  return call([&](State &) {
    if (!pitch)
      return cudaErrorInvalidValue;
    *pitch = height ? pitchFor(width) : 0;
    return allocate(address, *pitch * height, MemoryKind::device);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *pointer, cudaExtent extent) {
  return call([&](State &) {
    if (!pointer)
      return cudaErrorInvalidValue;
    *pointer = {nullptr, pitchFor(extent.width), extent.width, extent.height};
    return allocate(&pointer->ptr, pointer->pitch * extent.height * extent.depth,
                    MemoryKind::device);
  });
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
  return call([&](State &api) {
    if (!device || flags)
      return cudaErrorInvalidValue;
    if (!findPinned(host))
      return findRegistered(host) != api.registered.end() ? cudaErrorNotSupported
                                                          : cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
  return call([&](State &) {
    const Allocation *allocation = findPinned(host);
    if (!flags || !allocation)
      return cudaErrorInvalidValue;
    *flags = allocation->flags | unsigned(cudaHostAllocMapped);
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void *host, size_t bytes, unsigned flags) {
  return call([&](State &api) {
    if (cudaError_t error = checkUnsafe())
      return error;
    if (!host || !bytes || flags & ~hostRegisterFlags || machine().memory.contains(uint64_t(host)))
      return cudaErrorInvalidValue;
    if (findRegistered(host) != api.registered.end())
      return cudaErrorHostMemoryAlreadyRegistered;
    api.registered[static_cast<char *>(host)] = bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void *host) {
  return call([&](State &api) {
    if (cudaError_t error = checkUnsafe())
      return error;
    auto found = findRegistered(host);
    if (found == api.registered.end())
      return cudaErrorHostMemoryNotRegistered;
    if (found->first != host)
      return cudaErrorInvalidValue;
    api.registered.erase(found);
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  return call([&](State &) {
    if (!free || !total)
      return cudaErrorInvalidValue;
    *free = machine().memory.freeBytes();
    *total = machine().memory.totalBytes();
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *address) {
  return callAlways([&](State &) {
    if (!attributes)
      return cudaErrorInvalidValue;
    *attributes = attributesOf(address);
    return cudaSuccess;
  });
}

} // extern "C"
