//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes that a program makes by hand, and changing what nodes do, in a graph and
// in an executable one. A node's parameters are checked when they are given.
//===----------------------------------------------------------------------===//

#include "cudart/Graph.h"
#include "cudart/Launch.h"
#include "cudart/Memcpy.h"
#include "cudart/NodeArguments.h"
#include "cudart/Places.h"

using namespace tilelift::emulator::cudart;

namespace {

/// A kind of parameters to work, in place of what a node did before; each returns what the
/// runtime answers.
cudaError_t make(const cudaKernelNodeParams &from, Work &work) {
  Launch launch;
  if (from.extra)
    return cudaErrorNotSupported;
  Function *function;
  if (cudaError_t error = findKernel(from.func, function))
    return error;
  if (!checkNodeArguments(*function->kernel, from.kernelParams, std::get_if<Launch>(&work)))
    return cudaErrorInvalidValue;
  cudaError_t error = makeLaunch(from.func, from.gridDim, from.blockDim, from.kernelParams,
                                 from.sharedMemBytes, {}, launch);
  work = std::move(launch);
  return error;
}

cudaError_t make(const Copy &copy, Work &work) {
  work = copy;
  return check(copy);
}

cudaError_t make(const cudaMemcpy3DParms &from, Work &work) {
  Copy copy;
  if (cudaError_t error = spaceCopy(from, copy))
    return error;
  return make(copy, work);
}

cudaError_t make(const cudaMemsetParams &from, Work &work) {
  unsigned bytes = from.elementSize;
  if ((bytes != 1 && bytes != 2 && bytes != 4) || uint64_t(from.dst) % bytes)
    return cudaErrorInvalidValue;
  Fill fill;
  fill.to = static_cast<char *>(from.dst);
  fill.box = {from.width * bytes, from.height, 1, from.height > 1 ? from.pitch : 0, 0};
  fill.value = from.value;
  fill.elementBytes = bytes;
  work = fill;
  return check(fill);
}

cudaError_t make(const cudaHostNodeParams &from, Work &work) {
  work = HostCall{from.fn, from.userData};
  return from.fn ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t make(cudaGraph_t child, Work &work) {
  Graph *graph = findGraph(child);
  if (!graph)
    return cudaErrorInvalidValue;
  work = Child{graph->clone()};
  return cudaSuccess;
}

cudaError_t makeEvent(cudaEvent_t event, bool isRecord, Work &work) {
  Event *found = findEvent(event);
  work = isRecord ? Work(RecordEvent{found}) : Work(WaitEvent{found});
  return found ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t addTo(Graph &graph, cudaGraphNode_t *node, const cudaGraphNode_t *dependencies,
                  size_t count, Work work) {
  std::vector<Node *> nodes;
  for (size_t i = 0; i < count; ++i) {
    nodes.push_back(findNode(dependencies[i]));
    if (!nodes.back() || nodes.back()->graph != &graph)
      return cudaErrorInvalidValue;
  }
  *node = handleOf(graph.add(std::move(work), std::move(nodes)));
  return cudaSuccess;
}

/// Adds what the body makes.
template <class Body>
cudaError_t add(cudaGraphNode_t *node, cudaGraph_t handle, const cudaGraphNode_t *dependencies,
                size_t count, Body body) {
  return call([&](State &) {
    Graph *graph = findGraph(handle);
    Work work;
    if (!graph || !node || (count && !dependencies))
      return cudaErrorInvalidValue;
    if (cudaError_t error = body(work))
      return error;
    return addTo(*graph, node, dependencies, count, std::move(work));
  });
}

/// Replaces what the node does by what the body makes, if that is of its type.
template <class Body> cudaError_t replace(Node *node, Body body) {
  if (!node)
    return cudaErrorInvalidValue;
  Work work = node->work;
  if (cudaError_t error = body(work))
    return error;
  if (typeOf(work) != typeOf(node->work))
    return cudaErrorInvalidValue;
  node->work = std::move(work);
  return cudaSuccess;
}

template <class Body> cudaError_t set(cudaGraphNode_t handle, Body body) {
  return call([&](State &) { return replace(findNode(handle), body); });
}

template <class Body> cudaError_t set(cudaGraphExec_t handle, cudaGraphNode_t original, Body body) {
  return call([&](State &api) {
    GraphExec *exec = api.graphExecs.find(handle);
    Node *node = exec ? exec->graph->findCloneOf(reinterpret_cast<Node *>(original)) : nullptr;
    return replace(node, body);
  });
}

/// Calls the body with the node and what it does, if that is of the type.
template <class Kind, class Body> cudaError_t get(cudaGraphNode_t handle, Body body) {
  return call([&](State &) {
    Node *node = findNode(handle);
    Kind *work = node ? std::get_if<Kind>(&node->work) : nullptr;
    if (!work)
      return cudaErrorInvalidValue;
    body(*node, *work);
    return cudaSuccess;
  });
}

void describe(Node &node, Launch &launch, cudaKernelNodeParams &to) {
  tilelift::emulator::LaunchRequest &request = launch.request;
  node.arguments.clear();
  for (uint32_t i = 0; i < request.kernel->parameterCount; ++i)
    node.arguments.push_back(request.parameters.data() + request.kernel->parameters[i].offset);
  to = {};
  to.func = const_cast<void *>(launch.stub);
  to.gridDim = {request.grid.x, request.grid.y, request.grid.z};
  to.blockDim = {request.block.x, request.block.y, request.block.z};
  to.sharedMemBytes = request.dynamicShared;
  to.kernelParams = node.arguments.data();
}

cudaError_t make(const cudaGraphNodeParams &from, Work &work) {
  const cudaKernelNodeParamsV2 &kernel = from.kernel;
  const cudaMemsetParamsV2 &fill = from.memset;
  switch (from.type) {
  case cudaGraphNodeTypeKernel:
    return make(cudaKernelNodeParams{kernel.func, kernel.gridDim, kernel.blockDim,
                                     kernel.sharedMemBytes, kernel.kernelParams, kernel.extra},
                work);
  case cudaGraphNodeTypeMemcpy: return make(from.memcpy.copyParams, work);
  case cudaGraphNodeTypeMemset:
    return make(cudaMemsetParams{fill.dst, fill.pitch, fill.value, fill.elementSize, fill.width,
                                 fill.height},
                work);
  case cudaGraphNodeTypeHost:
    return make(cudaHostNodeParams{from.host.fn, from.host.userData}, work);
  case cudaGraphNodeTypeGraph: return make(from.graph.graph, work);
  case cudaGraphNodeTypeEventRecord: return makeEvent(from.eventRecord.event, true, work);
  case cudaGraphNodeTypeWaitEvent: return makeEvent(from.eventWait.event, false, work);
  case cudaGraphNodeTypeEmpty: return cudaSuccess;
  default: return cudaErrorNotSupported;
  }
}

} // namespace

extern "C" {

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *,
                             size_t count, cudaGraphNodeParams *parameters) {
  return add(node, graph, dependencies, count, [&](Work &work) { return make(*parameters, work); });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams *parameters) {
  return set(node, [&](Work &work) { return make(*parameters, work); });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams *parameters) {
  return set(exec, node, [&](Work &work) { return make(*parameters, work); });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t count,
                                   const cudaKernelNodeParams *parameters) {
  return add(node, graph, dependencies, count, [&](Work &work) { return make(*parameters, work); });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *parameters) {
  return get<Launch>(node,
                     [&](Node &found, Launch &launch) { describe(found, launch, *parameters); });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams *parameters) {
  return set(node, [&](Work &work) { return make(*parameters, work); });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams *parameters) {
  return set(exec, node, [&](Work &work) { return make(*parameters, work); });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t count,
                                   const cudaMemcpy3DParms *parameters) {
  return add(node, graph, dependencies, count, [&](Work &work) { return make(*parameters, work); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies, size_t count, void *to,
                                     const void *from, size_t bytes, cudaMemcpyKind kind) {
  return add(node, graph, dependencies, count,
             [&](Work &work) { return make(linearCopy(to, from, bytes, kind), work); });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemcpy3DParms *parameters) {
  return set(node, [&](Work &work) { return make(*parameters, work); });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
                                           size_t bytes, cudaMemcpyKind kind) {
  return set(node, [&](Work &work) { return make(linearCopy(to, from, bytes, kind), work); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms *parameters) {
  return set(exec, node, [&](Work &work) { return make(*parameters, work); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                               const void *from, size_t bytes,
                                               cudaMemcpyKind kind) {
  return set(exec, node, [&](Work &work) { return make(linearCopy(to, from, bytes, kind), work); });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t count,
                                   const cudaMemsetParams *parameters) {
  return add(node, graph, dependencies, count, [&](Work &work) { return make(*parameters, work); });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams *parameters) {
  return set(node, [&](Work &work) { return make(*parameters, work); });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams *parameters) {
  return set(exec, node, [&](Work &work) { return make(*parameters, work); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *dependencies, size_t count,
                                 const cudaHostNodeParams *parameters) {
  return add(node, graph, dependencies, count, [&](Work &work) { return make(*parameters, work); });
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams *parameters) {
  return get<HostCall>(node,
                       [&](Node &, HostCall &host) { *parameters = {host.function, host.data}; });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams *parameters) {
  return set(node, [&](Work &work) { return make(*parameters, work); });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams *parameters) {
  return set(exec, node, [&](Work &work) { return make(*parameters, work); });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *dependencies, size_t count,
                                       cudaGraph_t child) {
  return add(node, graph, dependencies, count, [&](Work &work) { return make(child, work); });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return set(exec, node, [&](Work &work) { return make(child, work); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *dependencies, size_t count) {
  return add(node, graph, dependencies, count, [](Work &) { return cudaSuccess; });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *dependencies, size_t count,
                                        cudaEvent_t event) {
  return add(node, graph, dependencies, count,
             [&](Work &work) { return makeEvent(event, true, work); });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                      const cudaGraphNode_t *dependencies, size_t count,
                                      cudaEvent_t event) {
  return add(node, graph, dependencies, count,
             [&](Work &work) { return makeEvent(event, false, work); });
}

} // extern "C"
