//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs as a whole: their nodes and edges, and running them.
//===----------------------------------------------------------------------===//

#include "cudart/Graph.h"

#include <algorithm>

using namespace tilelift::emulator::cudart;

namespace {

constexpr unsigned long long instantiateFlags = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                                cudaGraphInstantiateFlagUpload |
                                                cudaGraphInstantiateFlagUseNodePriority;

template <class Body> cudaError_t callWith(cudaGraph_t handle, Body body) {
  return call([&](State &) {
    Graph *graph = findGraph(handle);
    return graph ? body(*graph) : cudaErrorInvalidValue;
  });
}

template <class Body> cudaError_t callWith(cudaGraphNode_t handle, Body body) {
  return call([&](State &) {
    Node *node = findNode(handle);
    return node ? body(*node) : cudaErrorInvalidValue;
  });
}

template <class Body> cudaError_t callWith(cudaGraphExec_t handle, Body body) {
  return call([&](State &api) {
    GraphExec *exec = api.graphExecs.find(handle);
    return exec ? body(*exec) : cudaErrorInvalidValue;
  });
}

/// As many as there is room for, or only how many there are.
cudaError_t deliver(const std::vector<Node *> &nodes, cudaGraphNode_t *handles, size_t *count) {
  if (!count)
    return cudaErrorInvalidValue;
  for (size_t i = 0; handles && i < *count; ++i)
    handles[i] = i < nodes.size() ? handleOf(nodes[i]) : nullptr;
  *count = handles ? std::min(*count, nodes.size()) : nodes.size();
  return cudaSuccess;
}

std::vector<Node *> nodesOf(Graph &graph, bool onlyRoots) {
  std::vector<Node *> nodes;
  for (Node &node : graph.nodes)
    if (!onlyRoots || node.dependencies.empty())
      nodes.push_back(&node);
  return nodes;
}

std::vector<Node *> dependentsOf(Node &node) {
  std::vector<Node *> dependents;
  for (Node &other : node.graph->nodes)
    for (Node *dependency : other.dependencies)
      if (dependency == &node)
        dependents.push_back(&other);
  return dependents;
}

/// Calls the body with both ends of each edge.
template <class Body>
cudaError_t forEdges(Graph &graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                     size_t count, Body body) {
  for (size_t i = 0; i < count; ++i) {
    Node *first = findNode(from[i]), *second = findNode(to[i]);
    if (!first || !second || first->graph != &graph || second->graph != &graph)
      return cudaErrorInvalidValue;
    if (cudaError_t error = body(*first, *second))
      return error;
  }
  return cudaSuccess;
}

cudaError_t addEdge(Node &from, Node &to) {
  auto &all = to.dependencies;
  if (&from == &to || std::find(all.begin(), all.end(), &from) != all.end())
    return cudaErrorInvalidValue;
  all.push_back(&from);
  return cudaSuccess;
}

cudaError_t removeEdge(Node &from, Node &to) {
  auto &all = to.dependencies;
  auto found = std::find(all.begin(), all.end(), &from);
  if (found == all.end())
    return cudaErrorInvalidValue;
  all.erase(found);
  return cudaSuccess;
}

cudaError_t instantiate(cudaGraphExec_t *exec, Graph &graph, unsigned long long flags) {
  if (!exec || flags & ~instantiateFlags || graph.inOrder().size() != graph.nodes.size())
    return cudaErrorInvalidValue;
  auto made = std::make_unique<GraphExec>();
  made->graph = graph.clone();
  made->flags = flags;
  *exec = reinterpret_cast<cudaGraphExec_t>(state().graphExecs.add(std::move(made)));
  return cudaSuccess;
}

/// Unlike all other work, a launch cannot be captured.
cudaError_t launch(const GraphExec &exec, cudaStream_t handle) {
  Stream *stream = findStream(handle);
  if (stream && stream->capture)
    return checkWait(handle);
  return submit(handle, Child{exec.graph});
}

bool isAlike(const std::vector<Node *> &left, const std::vector<Node *> &right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](Node *a, Node *b) {
    return typeOf(a->work) == typeOf(b->work) && a->dependencies.size() == b->dependencies.size();
  });
}

/// Node by node, in the order in which they run.
cudaError_t update(GraphExec &exec, Graph &graph, cudaGraphExecUpdateResultInfo *info) {
  std::vector<Node *> to = exec.graph->inOrder(), from = graph.inOrder();
  bool canUpdate = isAlike(to, from);
  if (info)
    *info = {canUpdate ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged,
             nullptr, nullptr};
  if (!canUpdate)
    return cudaErrorGraphExecUpdateFailure;
  for (size_t i = 0; i < to.size(); ++i)
    to[i]->work = from[i]->work;
  return cudaSuccess;
}

} // namespace

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
  return call([&](State &api) {
    if (!graph || flags)
      return cudaErrorInvalidValue;
    *graph = handleOf(api.graphs.add(std::make_unique<Graph>()));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call(
      [&](State &api) { return api.graphs.remove(graph) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t handle) {
  return callWith(handle, [&](Graph &graph) {
    *clone = handleOf(state().graphs.add(graph.clone()));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *found, cudaGraphNode_t original,
                                     cudaGraph_t clone) {
  return callWith(clone, [&](Graph &graph) {
    Node *node = graph.findCloneOf(reinterpret_cast<Node *>(original));
    *found = handleOf(node);
    return node ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t *nodes, size_t *count) {
  return callWith(handle,
                  [&](Graph &graph) { return deliver(nodesOf(graph, false), nodes, count); });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t *nodes, size_t *count) {
  return callWith(handle,
                  [&](Graph &graph) { return deliver(nodesOf(graph, true), nodes, count); });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t handle, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *, size_t *count) {
  return callWith(handle, [&](Graph &graph) {
    std::vector<Node *> sources, targets;
    for (Node &node : graph.nodes)
      for (Node *dependency : node.dependencies) {
        sources.push_back(dependency);
        targets.push_back(&node);
      }
    size_t room = count ? *count : 0;
    if (cudaError_t error = deliver(sources, from, count))
      return error;
    return to ? deliver(targets, to, &room) : cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, cudaGraphNodeType *type) {
  return callWith(handle, [&](Node &node) {
    *type = typeOf(node.work);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t handle, cudaGraphNode_t *nodes,
                                         cudaGraphEdgeData *, size_t *count) {
  return callWith(handle, [&](Node &node) { return deliver(node.dependencies, nodes, count); });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t handle, cudaGraphNode_t *nodes,
                                           cudaGraphEdgeData *, size_t *count) {
  return callWith(handle, [&](Node &node) { return deliver(dependentsOf(node), nodes, count); });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t handle, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *,
                                     size_t count) {
  return callWith(handle, [&](Graph &graph) { return forEdges(graph, from, to, count, addEdge); });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t handle, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *,
                                        size_t count) {
  return callWith(handle,
                  [&](Graph &graph) { return forEdges(graph, from, to, count, removeEdge); });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
  return callWith(handle, [](Node &node) {
    node.graph->remove(&node);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t handle,
                                 unsigned long long flags) {
  return callWith(handle, [&](Graph &graph) { return instantiate(exec, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t handle,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(exec, handle, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t handle,
                                           cudaGraphInstantiateParams *parameters) {
  cudaError_t error = cudaGraphInstantiate(exec, handle, parameters->flags);
  parameters->errNode_out = nullptr;
  parameters->result_out = error ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
  return error;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t handle, unsigned long long *flags) {
  return callWith(handle, [&](GraphExec &exec) {
    *flags = exec.flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t stream) {
  return callWith(handle, [&](GraphExec &) {
    return findStream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream) {
  return callWith(handle, [&](GraphExec &exec) { return launch(exec, stream); });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  return call([&](State &api) {
    return api.graphExecs.remove(handle) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t from,
                                cudaGraphExecUpdateResultInfo *info) {
  return callWith(handle, [&](GraphExec &exec) {
    Graph *graph = findGraph(from);
    return graph ? update(exec, *graph, info) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t handle, cudaGraphNode_t original,
                                    unsigned isEnabled) {
  return callWith(handle, [&](GraphExec &exec) {
    Node *node = exec.graph->findCloneOf(reinterpret_cast<Node *>(original));
    if (!node)
      return cudaErrorInvalidValue;
    node->isEnabled = isEnabled != 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t handle, cudaGraphNode_t original,
                                    unsigned *isEnabled) {
  return callWith(handle, [&](GraphExec &exec) {
    Node *node = exec.graph->findCloneOf(reinterpret_cast<Node *>(original));
    if (!node)
      return cudaErrorInvalidValue;
    *isEnabled = node->isEnabled;
    return cudaSuccess;
  });
}

} // extern "C"

TILELIFT_PER_THREAD(cudaGraphInstantiateWithParams, _ptsz);
TILELIFT_PER_THREAD(cudaGraphUpload, _ptsz);
TILELIFT_PER_THREAD(cudaGraphLaunch, _ptsz);
