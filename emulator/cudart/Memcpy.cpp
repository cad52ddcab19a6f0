//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cudaMemcpy and cudaMemset in all their shapes. Arrays are not provided.
//===----------------------------------------------------------------------===//

#include "cudart/Memcpy.h"

#include "cudart/Places.h"

namespace tilelift::emulator::cudart {

namespace {

cudaError_t copyNow(const Copy &copy) {
  if (cudaError_t error = check(copy))
    return error;
  return submitAndWait(copy);
}

cudaError_t copyLater(const Copy &copy, cudaStream_t stream) {
  if (cudaError_t error = check(copy))
    return error;
  return submit(stream, copy);
}

cudaError_t fillNow(const Fill &fill) {
  if (cudaError_t error = check(fill))
    return error;
  return submitAndWait(fill);
}

cudaError_t fillLater(const Fill &fill, cudaStream_t stream) {
  if (cudaError_t error = check(fill))
    return error;
  return submit(stream, fill);
}

Copy planeCopy(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
               size_t height, cudaMemcpyKind kind) {
  Copy copy = linearCopy(to, from, width, kind);
  copy.toBox = {width, height, 1, toPitch, 0};
  copy.fromBox = {width, height, 1, fromPitch, 0};
  return copy;
}

const char *cornerOf(const cudaPitchedPtr &pointer, const cudaPos &corner) {
  return static_cast<char *>(pointer.ptr) + corner.z * pointer.pitch * pointer.ysize +
         corner.y * pointer.pitch + corner.x;
}

/// Rows beyond a slice, where it is said how many a slice has.
cudaError_t checkRows(const cudaPitchedPtr &pointer, const cudaPos &corner,
                      const cudaExtent &extent) {
  if (extent.depth > 1 && extent.height > pointer.ysize)
    return cudaErrorInvalidPitchValue;
  return pointer.ysize && corner.y + extent.height > pointer.ysize ? cudaErrorInvalidValue
                                                                   : cudaSuccess;
}

Box boxOf(const cudaPitchedPtr &pointer, const cudaExtent &extent) {
  return {extent.width, extent.height, extent.depth, pointer.pitch, pointer.pitch * pointer.ysize};
}

Fill planeFill(void *to, size_t pitch, int value, size_t width, size_t height) {
  Fill fill;
  fill.to = static_cast<char *>(to);
  fill.box = {width, height, 1, pitch, 0};
  fill.value = unsigned(value);
  return fill;
}

Fill spaceFill(const cudaPitchedPtr &to, int value, const cudaExtent &extent) {
  Fill fill = planeFill(to.ptr, to.pitch, value, extent.width, extent.height);
  fill.box = boxOf(to, extent);
  return fill;
}

cudaError_t checkSpaceFill(const cudaPitchedPtr &to, const cudaExtent &extent) {
  bool isEmpty = boxOf(to, extent).isEmpty();
  return isEmpty || !checkRows(to, {0, 0, 0}, extent) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t checkToSymbol(cudaMemcpyKind kind) {
  bool isAllowed = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ||
                   kind == cudaMemcpyDefault;
  return isAllowed ? cudaSuccess : cudaErrorInvalidMemcpyDirection;
}

cudaError_t checkFromSymbol(cudaMemcpyKind kind) {
  bool isAllowed = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ||
                   kind == cudaMemcpyDefault;
  return isAllowed ? cudaSuccess : cudaErrorInvalidMemcpyDirection;
}

/// Calls the body with where the bytes are.
template <class Body>
cudaError_t withSymbol(const void *symbol, size_t bytes, size_t offset, Body body) {
  Symbol *found = findSymbol(symbol);
  char *address = found ? addressOf(*found) : nullptr;
  if (!address)
    return cudaErrorInvalidSymbol;
  if (offset > found->bytes || bytes > found->bytes - offset)
    return cudaErrorInvalidValue;
  return body(address + offset);
}

} // namespace

cudaError_t spaceCopy(const cudaMemcpy3DParms &parameters, Copy &copy) {
  if (parameters.srcArray || parameters.dstArray)
    return cudaErrorNotSupported;
  copy.to = const_cast<char *>(cornerOf(parameters.dstPtr, parameters.dstPos));
  copy.from = cornerOf(parameters.srcPtr, parameters.srcPos);
  copy.toBox = boxOf(parameters.dstPtr, parameters.extent);
  copy.fromBox = boxOf(parameters.srcPtr, parameters.extent);
  copy.kind = parameters.kind;
  if (copy.toBox.isEmpty())
    return cudaSuccess;
  if (cudaError_t error = checkRows(parameters.srcPtr, parameters.srcPos, parameters.extent))
    return error;
  return checkRows(parameters.dstPtr, parameters.dstPos, parameters.extent);
}

} // namespace tilelift::emulator::cudart

using namespace tilelift::emulator::cudart;

extern "C" {

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  return call([&](State &) { return copyNow(linearCopy(to, from, bytes, kind)); });
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return call([&](State &) { return copyLater(linearCopy(to, from, bytes, kind), stream); });
}

cudaError_t cudaMemcpyPeer(void *to, int toDevice, const void *from, int fromDevice, size_t bytes) {
  if (toDevice || fromDevice)
    return remember(cudaErrorInvalidDevice);
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int toDevice, const void *from, int fromDevice,
                                size_t bytes, cudaStream_t stream) {
  if (toDevice || fromDevice)
    return remember(cudaErrorInvalidDevice);
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  return call([&](State &) {
    return copyNow(planeCopy(to, toPitch, from, fromPitch, width, height, kind));
  });
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return call([&](State &) {
    return copyLater(planeCopy(to, toPitch, from, fromPitch, width, height, kind), stream);
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *parameters) {
  return call([&](State &) {
    Copy copy;
    if (!parameters)
      return cudaErrorInvalidValue;
    if (cudaError_t error = spaceCopy(*parameters, copy))
      return error;
    return copyNow(copy);
  });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *parameters, cudaStream_t stream) {
  return call([&](State &) {
    Copy copy;
    if (!parameters)
      return cudaErrorInvalidValue;
    if (cudaError_t error = spaceCopy(*parameters, copy))
      return error;
    return copyLater(copy, stream);
  });
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return call([&](State &) {
    if (cudaError_t error = checkToSymbol(kind))
      return error;
    return withSymbol(symbol, bytes, offset, [&](char *address) {
      return copyNow(linearCopy(address, from, bytes, kind));
    });
  });
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](State &) {
    if (cudaError_t error = checkToSymbol(kind))
      return error;
    return withSymbol(symbol, bytes, offset, [&](char *address) {
      return copyLater(linearCopy(address, from, bytes, kind), stream);
    });
  });
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return call([&](State &) {
    if (cudaError_t error = checkFromSymbol(kind))
      return error;
    return withSymbol(symbol, bytes, offset,
                      [&](char *address) { return copyNow(linearCopy(to, address, bytes, kind)); });
  });
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](State &) {
    if (cudaError_t error = checkFromSymbol(kind))
      return error;
    return withSymbol(symbol, bytes, offset, [&](char *address) {
      return copyLater(linearCopy(to, address, bytes, kind), stream);
    });
  });
}

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol) {
  return call([&](State &) {
    if (!address)
      return cudaErrorInvalidValue;
    return withSymbol(symbol, 0, 0, [&](char *found) {
      *address = found;
      return cudaSuccess;
    });
  });
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol) {
  return call([&](State &) {
    Symbol *found = findSymbol(symbol);
    if (!found)
      return cudaErrorInvalidSymbol;
    *bytes = found->bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaMemset(void *to, int value, size_t bytes) {
  return call([&](State &) { return fillNow(planeFill(to, 0, value, bytes, 1)); });
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
  return call([&](State &) { return fillLater(planeFill(to, 0, value, bytes, 1), stream); });
}

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
  return call([&](State &) { return fillNow(planeFill(to, pitch, value, width, height)); });
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return call(
      [&](State &) { return fillLater(planeFill(to, pitch, value, width, height), stream); });
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return call([&](State &) {
    if (cudaError_t error = checkSpaceFill(to, extent))
      return error;
    return fillNow(spaceFill(to, value, extent));
  });
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return call([&](State &) {
    if (cudaError_t error = checkSpaceFill(to, extent))
      return error;
    return fillLater(spaceFill(to, value, extent), stream);
  });
}

} // extern "C"

TILELIFT_PER_THREAD(cudaMemcpy, _ptds);
TILELIFT_PER_THREAD(cudaMemcpyAsync, _ptsz);
TILELIFT_PER_THREAD(cudaMemcpy2D, _ptds);
TILELIFT_PER_THREAD(cudaMemcpy2DAsync, _ptsz);
TILELIFT_PER_THREAD(cudaMemcpy3D, _ptds);
TILELIFT_PER_THREAD(cudaMemcpy3DAsync, _ptsz);
TILELIFT_PER_THREAD(cudaMemcpyToSymbol, _ptds);
TILELIFT_PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz);
TILELIFT_PER_THREAD(cudaMemcpyFromSymbol, _ptds);
TILELIFT_PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz);
TILELIFT_PER_THREAD(cudaMemset, _ptds);
TILELIFT_PER_THREAD(cudaMemsetAsync, _ptsz);
TILELIFT_PER_THREAD(cudaMemset2D, _ptds);
TILELIFT_PER_THREAD(cudaMemset2DAsync, _ptsz);
TILELIFT_PER_THREAD(cudaMemset3D, _ptds);
TILELIFT_PER_THREAD(cudaMemset3DAsync, _ptsz);
