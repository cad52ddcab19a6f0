//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turning what streams are asked to do into graphs. How work is noted is in
// Work.cpp, how streams join a capture through events in Streams.cpp.
//===----------------------------------------------------------------------===//

#include "cudart/Graph.h"

#include <algorithm>

namespace tilelift::emulator::cudart {

cudaStreamCaptureMode &captureMode() {
  thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  return mode;
}

namespace {

bool isMode(cudaStreamCaptureMode mode) {
  return mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed;
}

cudaError_t checkBegin(const Stream *stream, cudaStreamCaptureMode mode) {
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (stream == &state().legacyStream)
    return cudaErrorStreamCaptureUnsupported;
  if (stream->capture)
    return cudaErrorIllegalState;
  return isMode(mode) ? cudaSuccess : cudaErrorInvalidValue;
}

Capture &begin(Stream &stream, Graph *graph, bool ownsGraph, cudaStreamCaptureMode mode) {
  auto capture = std::make_unique<Capture>();
  capture->id = ++state().lastId;
  capture->mode = mode;
  capture->origin = &stream;
  capture->streams = {&stream};
  capture->graph = graph;
  capture->ownsGraph = ownsGraph;
  capture->thread = std::this_thread::get_id();
  stream.capture = capture.get();
  stream.tips.clear();
  return *(state().captures[capture->id] = std::move(capture));
}

void addWithDependencies(std::set<const Node *> &all, const std::vector<Node *> &nodes) {
  for (const Node *node : nodes)
    if (all.insert(node).second)
      addWithDependencies(all, node->dependencies);
}

/// Whether the stream that began comes after all that others did.
bool isJoined(const Capture &capture) {
  std::set<const Node *> before;
  addWithDependencies(before, capture.origin->tips);
  for (const Stream *stream : capture.streams)
    for (const Node *tip : stream->tips)
      if (!before.count(tip))
        return false;
  return true;
}

cudaError_t judge(const Capture &capture) {
  if (capture.isInvalidated)
    return cudaErrorStreamCaptureInvalidated;
  return isJoined(capture) ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
}

void close(Capture &capture) {
  for (Stream *stream : capture.streams) {
    stream->capture = nullptr;
    stream->tips.clear();
  }
  state().captures.erase(capture.id);
}

cudaError_t end(Stream &stream, cudaGraph_t *graph) {
  if (!stream.capture)
    return cudaErrorIllegalState;
  Capture &capture = *stream.capture;
  if (capture.origin != &stream) {
    capture.isInvalidated = true;
    return cudaErrorStreamCaptureUnmatched;
  }
  cudaError_t error = judge(capture);
  *graph = error ? nullptr : handleOf(capture.graph);
  if (error && capture.ownsGraph)
    state().graphs.remove(capture.graph);
  close(capture);
  return error;
}

cudaStreamCaptureStatus statusOf(const Stream &stream) {
  if (!stream.capture)
    return cudaStreamCaptureStatusNone;
  return stream.capture->isInvalidated ? cudaStreamCaptureStatusInvalidated
                                       : cudaStreamCaptureStatusActive;
}

/// The default stream cannot say whether it is being captured while a stream is
/// that it would wait for.
cudaError_t checkStatus(const Stream *stream) {
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (stream != &state().legacyStream)
    return cudaSuccess;
  for (auto &[id, capture] : state().captures)
    for (const Stream *captured : capture->streams)
      if (!(captured->flags & cudaStreamNonBlocking))
        return cudaErrorStreamCaptureImplicit;
  return cudaSuccess;
}

cudaError_t readNodes(const cudaGraphNode_t *handles, size_t count, std::vector<Node *> &nodes) {
  for (size_t i = 0; i < count; ++i) {
    nodes.push_back(findNode(handles[i]));
    if (!nodes.back())
      return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

void describe(Stream &stream, unsigned long long *id, cudaGraph_t *graph,
              const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edges,
              size_t *count) {
  if (id)
    *id = stream.capture->id;
  if (graph)
    *graph = handleOf(stream.capture->graph);
  if (dependencies)
    *dependencies = reinterpret_cast<const cudaGraphNode_t *>(stream.tips.data());
  if (edges)
    *edges = nullptr;
  if (count)
    *count = stream.tips.size();
}

} // namespace

} // namespace tilelift::emulator::cudart

using namespace tilelift::emulator::cudart;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return call([&](State &api) {
    Stream *stream = findStream(handle);
    if (cudaError_t error = checkBegin(stream, mode))
      return error;
    begin(*stream, api.graphs.add(std::make_unique<Graph>()), true, mode);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t handle, cudaGraph_t graph,
                                          const cudaGraphNode_t *dependencies,
                                          const cudaGraphEdgeData *, size_t count,
                                          cudaStreamCaptureMode mode) {
  return call([&](State &) {
    Stream *stream = findStream(handle);
    std::vector<Node *> tips;
    if (cudaError_t error = checkBegin(stream, mode))
      return error;
    if (!findGraph(graph) || readNodes(dependencies, count, tips))
      return cudaErrorInvalidValue;
    begin(*stream, findGraph(graph), false, mode);
    stream->tips = tips;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph) {
  return call([&](State &) {
    Stream *stream = findStream(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    return graph ? end(*stream, graph) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus *status) {
  return call([&](State &) {
    Stream *stream = findStream(handle);
    if (cudaError_t error = checkStatus(stream))
      return error;
    *status = statusOf(*stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **dependencies,
                                     const cudaGraphEdgeData **edges, size_t *count) {
  return call([&](State &) {
    Stream *stream = findStream(handle);
    if (cudaError_t error = checkStatus(stream))
      return error;
    *status = statusOf(*stream);
    if (stream->capture)
      describe(*stream, id, graph, dependencies, edges, count);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t *dependencies,
                                                const cudaGraphEdgeData *, size_t count,
                                                unsigned flags) {
  return call([&](State &) {
    Stream *stream = findStream(handle);
    std::vector<Node *> nodes;
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    if (!stream->capture)
      return cudaErrorIllegalState;
    if (cudaError_t error = readNodes(dependencies, count, nodes))
      return error;
    if (flags == cudaStreamSetCaptureDependencies)
      stream->tips.clear();
    stream->tips.insert(stream->tips.end(), nodes.begin(), nodes.end());
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  return call([&](State &) {
    if (!mode || !isMode(*mode))
      return cudaErrorInvalidValue;
    std::swap(*mode, captureMode());
    return cudaSuccess;
  });
}

} // extern "C"

TILELIFT_PER_THREAD(cudaStreamBeginCapture, _ptsz);
TILELIFT_PER_THREAD(cudaStreamBeginCaptureToGraph, _ptsz);
TILELIFT_PER_THREAD(cudaStreamEndCapture, _ptsz);
TILELIFT_PER_THREAD(cudaStreamIsCapturing, _ptsz);
TILELIFT_PER_THREAD(cudaStreamGetCaptureInfo, _ptsz);
TILELIFT_PER_THREAD(cudaStreamUpdateCaptureDependencies, _ptsz);
