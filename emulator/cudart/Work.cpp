//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "cudart/Work.h"

#include "cudart/Graph.h"

#include <cstring>

namespace tilelift::emulator::cudart {

size_t Box::span() const {
  return isEmpty() ? 0 : (depth - 1) * slicePitch + (height - 1) * pitch + width;
}

namespace {

/// Whether the bytes are still there; work of a graph can be done long after it
/// was checked.
bool isAlive(const void *address, size_t bytes) {
  const Memory &memory = machine().memory;
  return !memory.contains(uint64_t(address)) || memory.isAllocated(uint64_t(address), bytes);
}

/// The host, not an instruction, wrote these bytes.
void noteHostWrite(const void *address, size_t bytes) {
  Memory &memory = machine().memory;
  if (memory.contains(uint64_t(address)))
    memory.noteWrite(uint64_t(address), bytes, 0, false, 0);
}

void fail(cudaError_t error) {
  if (error != cudaSuccess)
    state().failure = remember(error);
}

void fillRow(char *to, size_t bytes, unsigned value, unsigned elementBytes) {
  if (elementBytes == 1)
    std::memset(to, int(value), bytes);
  else
    for (size_t at = 0; at + elementBytes <= bytes; at += elementBytes)
      std::memcpy(to + at, &value, elementBytes);
}

struct Performer {
  void operator()(const Nothing &) const {}

  void operator()(const Launch &launch) const { fail(errorOf(machine().launch(launch.request))); }

  void operator()(const Copy &copy) const {
    if (copy.toBox.isEmpty())
      return;
    if (!isAlive(copy.to, copy.toBox.span()) || !isAlive(copy.from, copy.fromBox.span()))
      return fail(cudaErrorIllegalAddress);
    for (size_t z = 0; z < copy.toBox.depth; ++z)
      for (size_t y = 0; y < copy.toBox.height; ++y)
        copyRow(copy, z, y);
  }

  void operator()(const Fill &fill) const {
    if (fill.box.isEmpty())
      return;
    if (!isAlive(fill.to, fill.box.span()))
      return fail(cudaErrorIllegalAddress);
    for (size_t z = 0; z < fill.box.depth; ++z)
      for (size_t y = 0; y < fill.box.height; ++y) {
        char *row = fill.to + z * fill.box.slicePitch + y * fill.box.pitch;
        fillRow(row, fill.box.width, fill.value, fill.elementBytes);
        noteHostWrite(row, fill.box.width);
      }
  }

  void operator()(const HostCall &call) const { call.function(call.data); }

  void operator()(const RecordEvent &record) const {
    if (!state().events.find(record.event))
      return;
    record.event->isRecorded = true;
    record.event->captureId = 0;
    record.event->time = Event::Clock::now();
  }

  void operator()(const WaitEvent &) const {}

  void operator()(const Release &release) const { machine().memory.release(release.address); }

  void operator()(const Child &child) const {
    for (Node *node : child.graph->inOrder())
      if (node->isEnabled)
        perform(node->work);
  }

private:
  static void fail(cudaError_t error) { cudart::fail(error); }

  static void copyRow(const Copy &copy, size_t z, size_t y) {
    char *to = copy.to + z * copy.toBox.slicePitch + y * copy.toBox.pitch;
    const char *from = copy.from + z * copy.fromBox.slicePitch + y * copy.fromBox.pitch;
    std::memmove(to, from, copy.toBox.width);
    noteHostWrite(to, copy.toBox.width);
  }
};

/// A capturing stream that a legacy stream would have to wait for.
bool isBlockingCapture(const Capture &capture) {
  for (const Stream *stream : capture.streams)
    if (!(stream->flags & cudaStreamNonBlocking))
      return true;
  return false;
}

cudaError_t checkLegacy() {
  for (auto &[id, capture] : state().captures)
    if (isBlockingCapture(*capture)) {
      capture->isInvalidated = true;
      return cudaErrorStreamCaptureImplicit;
    }
  return cudaSuccess;
}

cudaError_t invalidate(Capture &capture) {
  capture.isInvalidated = true;
  return cudaErrorStreamCaptureUnsupported;
}

bool forbidsUnsafe(const Capture &capture) {
  if (captureMode() == cudaStreamCaptureModeRelaxed || capture.mode == cudaStreamCaptureModeRelaxed)
    return false;
  bool isOwn = capture.thread == std::this_thread::get_id();
  bool isGlobal =
      capture.mode == cudaStreamCaptureModeGlobal && captureMode() == cudaStreamCaptureModeGlobal;
  return isOwn || isGlobal;
}

cudaError_t note(Stream &stream, Work work) {
  Capture &capture = *stream.capture;
  if (capture.isInvalidated)
    return cudaErrorStreamCaptureInvalidated;
  stream.tips = {capture.graph->add(std::move(work), stream.tips)};
  return cudaSuccess;
}

} // namespace

/// What comes after a failure is not done.
void perform(const Work &work) {
  if (state().failure == cudaSuccess)
    std::visit(Performer(), work);
}

cudaError_t submit(cudaStream_t handle, Work work) {
  Stream *stream = findStream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (stream->capture)
    return note(*stream, std::move(work));
  if (stream == &state().legacyStream)
    if (cudaError_t error = checkLegacy())
      return error;
  perform(work);
  return cudaSuccess;
}

cudaError_t submitAndWait(Work work) {
  if (cudaError_t error = checkLegacy())
    return error;
  perform(work);
  return state().failure;
}

cudaError_t checkWait(cudaStream_t handle) {
  Stream *stream = findStream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (stream->capture)
    return invalidate(*stream->capture);
  if (cudaError_t error = stream == &state().legacyStream ? checkLegacy() : cudaSuccess)
    return error;
  return checkUnsafe();
}

void invalidateCapture(cudaStream_t handle) {
  Stream *stream = findStream(handle);
  if (stream && stream->capture)
    stream->capture->isInvalidated = true;
}

cudaError_t checkWaitForAll() {
  cudaError_t error = cudaSuccess;
  for (auto &[id, capture] : state().captures)
    error = invalidate(*capture);
  return error;
}

cudaError_t checkUnsafe() {
  cudaError_t error = cudaSuccess;
  for (auto &[id, capture] : state().captures)
    if (forbidsUnsafe(*capture))
      error = invalidate(*capture);
  return error;
}

} // namespace tilelift::emulator::cudart
