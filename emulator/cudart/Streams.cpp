//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events. Work is done when it is submitted, so a stream has nothing
// to wait for, and an event is a time; both matter where work is captured.
//===----------------------------------------------------------------------===//

#include "cudart/Graph.h"

#include <algorithm>

using namespace tilelift::emulator;
using namespace tilelift::emulator::cudart;

namespace {

constexpr int leastPriority = 0, greatestPriority = -5;

/// Calls the body with a stream of the program.
template <class Body> cudaError_t callWith(cudaStream_t handle, Body body) {
  return call([&](State &) {
    Stream *stream = findStream(handle);
    return stream ? body(*stream) : cudaErrorInvalidResourceHandle;
  });
}

/// An event that a call may wait for: not one that stands for nodes of a graph.
cudaError_t checkFinished(cudaEvent_t handle) {
  Event *event = findEvent(handle);
  if (!event)
    return cudaErrorInvalidResourceHandle;
  if (!event->captureId)
    return cudaSuccess;
  auto capture = state().captures.find(event->captureId);
  if (capture == state().captures.end())
    return cudaErrorInvalidValue;
  capture->second->isInvalidated = true;
  return cudaErrorCapturedEvent;
}

bool isTimed(const Event &event) {
  return event.isRecorded && !(event.flags & cudaEventDisableTiming);
}

cudaError_t createStream(cudaStream_t *handle, unsigned flags, int priority) {
  if (!handle || flags & ~unsigned(cudaStreamNonBlocking))
    return cudaErrorInvalidValue;
  auto stream = std::make_unique<Stream>();
  stream->flags = flags;
  stream->priority = std::clamp(priority, greatestPriority, leastPriority);
  stream->id = ++state().lastId;
  *handle = reinterpret_cast<cudaStream_t>(state().streams.add(std::move(stream)));
  return cudaSuccess;
}

cudaError_t createEvent(cudaEvent_t *handle, unsigned flags) {
  constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  bool isShared = flags & cudaEventInterprocess;
  if (!handle || flags & ~known || (isShared && !(flags & cudaEventDisableTiming)))
    return cudaErrorInvalidValue;
  auto event = std::make_unique<Event>();
  event->flags = flags;
  *handle = reinterpret_cast<cudaEvent_t>(state().events.add(std::move(event)));
  return cudaSuccess;
}

/// An event of a capture stands for the nodes before it.
void recordInCapture(Event &event, Stream &stream) {
  event.captureId = stream.capture->id;
  event.tips = stream.tips;
}

cudaError_t record(cudaEvent_t handle, cudaStream_t streamHandle, unsigned flags) {
  Event *event = findEvent(handle);
  Stream *stream = findStream(streamHandle);
  if (!event || !stream)
    return cudaErrorInvalidResourceHandle;
  if (stream->capture && stream->capture->isInvalidated)
    return cudaErrorStreamCaptureInvalidated;
  if (!stream->capture || flags & cudaEventRecordExternal)
    return submit(streamHandle, RecordEvent{event});
  recordInCapture(*event, *stream);
  return cudaSuccess;
}

/// What the stream does next comes after the event's nodes, too.
void join(Stream &stream, Capture &capture, const Event &event) {
  if (!stream.capture) {
    stream.capture = &capture;
    capture.streams.insert(&stream);
    stream.tips.clear();
  }
  for (Node *tip : event.tips)
    if (std::find(stream.tips.begin(), stream.tips.end(), tip) == stream.tips.end())
      stream.tips.push_back(tip);
}

cudaError_t waitInCapture(Stream &stream, const Event &event) {
  auto found = state().captures.find(event.captureId);
  bool isOver = found == state().captures.end();
  if (&stream == &state().legacyStream)
    return isOver ? cudaErrorInvalidValue : checkWait(cudaStreamLegacy);
  if (stream.capture && (isOver || stream.capture != found->second.get())) {
    stream.capture->isInvalidated = true;
    if (!isOver)
      found->second->isInvalidated = true;
    return isOver ? cudaErrorInvalidValue : cudaErrorStreamCaptureMerge;
  }
  if (isOver)
    return cudaErrorInvalidValue;
  join(stream, *found->second, event);
  return cudaSuccess;
}

cudaError_t wait(cudaStream_t handle, Stream &stream, Event &event, unsigned flags) {
  if (flags & ~unsigned(cudaEventWaitExternal))
    return cudaErrorInvalidValue;
  if (event.captureId)
    return waitInCapture(stream, event);
  if (!stream.capture)
    return cudaSuccess;
  if (flags & cudaEventWaitExternal)
    return submit(handle, WaitEvent{&event});
  stream.capture->isInvalidated = event.isRecorded || stream.capture->isInvalidated;
  return event.isRecorded ? cudaErrorStreamCaptureIsolation : cudaSuccess;
}

} // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return call([&](State &) { return createStream(stream, cudaStreamDefault, leastPriority); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return call([&](State &) { return createStream(stream, flags, leastPriority); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
  return call([&](State &) { return createStream(stream, flags, priority); });
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return call([&](State &api) {
    Stream *stream = api.streams.find(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    if (stream->capture)
      return checkWait(handle);
    api.streams.remove(handle);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *flags) {
  return callWith(handle, [&](Stream &stream) {
    *flags = stream.flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority) {
  return callWith(handle, [&](Stream &stream) {
    *priority = stream.priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id) {
  return callWith(handle, [&](Stream &stream) {
    *id = stream.id;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device) {
  return callWith(handle, [&](Stream &) {
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue *value) {
  return callWith(handle, [&](Stream &stream) {
    *value = {};
    if (attribute == cudaStreamAttributePriority)
      value->priority = stream.priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue *value) {
  return callWith(handle, [&](Stream &stream) {
    if (attribute == cudaStreamAttributePriority)
      stream.priority = std::clamp(value->priority, greatestPriority, leastPriority);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return callWith(to, [&](Stream &) {
    return findStream(from) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call([&](State &) { return checkWait(stream); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned flags) {
  return callWith(handle, [&](Stream &stream) {
    Event *found = findEvent(event);
    return found ? wait(handle, stream, *found, flags) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void *data,
                                  unsigned flags) {
  return callWith(handle, [&](Stream &stream) {
    if (!callback || flags)
      return cudaErrorInvalidValue;
    if (stream.capture)
      return checkWait(handle);
    callback(handle, cudaSuccess, data);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return call([&](State &) {
    if (least)
      *least = leastPriority;
    if (greatest)
      *greatest = greatestPriority;
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return call([&](State &) { return createEvent(event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  return call([&](State &) { return createEvent(event, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call([&](State &api) {
    return api.events.remove(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call([&](State &) { return record(event, stream, cudaEventRecordDefault); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return call([&](State &) { return record(event, stream, flags); });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call([&](State &) { return checkFinished(event); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call([&](State &) { return checkFinished(event); });
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return call([&](State &) {
    if (!milliseconds)
      return cudaErrorInvalidValue;
    for (cudaEvent_t event : {start, end})
      if (cudaError_t error = checkFinished(event))
        return error;
    const Event &first = *findEvent(start), &last = *findEvent(end);
    if (!isTimed(first) || !isTimed(last))
      return cudaErrorInvalidResourceHandle;
    *milliseconds = std::chrono::duration<float, std::milli>(last.time - first.time).count();
    return cudaSuccess;
  });
}

} // extern "C"

TILELIFT_PER_THREAD(cudaStreamGetFlags, _ptsz);
TILELIFT_PER_THREAD(cudaStreamGetPriority, _ptsz);
TILELIFT_PER_THREAD(cudaStreamGetId, _ptsz);
TILELIFT_PER_THREAD(cudaStreamGetDevice, _ptsz);
TILELIFT_PER_THREAD(cudaStreamGetAttribute, _ptsz);
TILELIFT_PER_THREAD(cudaStreamSetAttribute, _ptsz);
TILELIFT_PER_THREAD(cudaStreamCopyAttributes, _ptsz);
TILELIFT_PER_THREAD(cudaStreamSynchronize, _ptsz);
TILELIFT_PER_THREAD(cudaStreamQuery, _ptsz);
TILELIFT_PER_THREAD(cudaStreamWaitEvent, _ptsz);
TILELIFT_PER_THREAD(cudaStreamAddCallback, _ptsz);
TILELIFT_PER_THREAD(cudaEventRecord, _ptsz);
TILELIFT_PER_THREAD(cudaEventRecordWithFlags, _ptsz);
