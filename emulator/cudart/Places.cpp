//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "cudart/Places.h"

namespace tilelift::emulator::cudart {

Place placeOf(const void *address, size_t bytes) {
  const Memory &memory = machine().memory;
  if (!memory.contains(uint64_t(address)))
    return Place::host;
  const Allocation *allocation = memory.find(address);
  size_t offset = allocation ? size_t(static_cast<const char *>(address) - allocation->base) : 0;
  if (!allocation || bytes > allocation->bytes - offset)
    return Place::nowhere;
  bool isShared = allocation->kind == MemoryKind::pinned || allocation->kind == MemoryKind::managed;
  return isShared ? Place::both : Place::device;
}

namespace {

bool isPitchValid(const Box &box) { return box.isLinear() || box.pitch >= box.width; }
bool isSingleRow(const Box &box) { return box.height == 1 && box.depth == 1; }

/// What a kind calls the device must be that; what it calls the host may be
/// either, as addresses say where they are.
bool isAllowed(cudaMemcpyKind kind, Place to, Place from) {
  if (to == Place::nowhere || from == Place::nowhere)
    return false;
  bool isToDevice = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool isFromDevice = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  return (!isToDevice || isForDevice(to)) && (!isFromDevice || isForDevice(from));
}

} // namespace

cudaError_t check(const Copy &copy) {
  if (copy.toBox.isEmpty())
    return cudaSuccess;
  if (unsigned(copy.kind) > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (!isPitchValid(copy.toBox) || !isPitchValid(copy.fromBox))
    return copy.toBox.height > 1 ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue;
  if (!copy.to || !copy.from)
    return cudaErrorInvalidValue;
  Place to = placeOf(copy.to, copy.toBox.span()), from = placeOf(copy.from, copy.fromBox.span());
  return isAllowed(copy.kind, to, from) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t check(const Fill &fill) {
  if (fill.box.isEmpty())
    return cudaSuccess;
  if (!isSingleRow(fill.box) && !isPitchValid(fill.box))
    return cudaErrorInvalidValue;
  return isForDevice(placeOf(fill.to, fill.box.span())) ? cudaSuccess : cudaErrorInvalidValue;
}

Copy linearCopy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  Copy copy;
  copy.to = static_cast<char *>(to);
  copy.from = static_cast<const char *>(from);
  copy.toBox.width = copy.fromBox.width = bytes;
  copy.kind = kind;
  return copy;
}

} // namespace tilelift::emulator::cudart
