//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "cudart/Graph.h"

#include <algorithm>

namespace tilelift::emulator::cudart {

namespace {

struct TypeOf {
  cudaGraphNodeType operator()(const Nothing &nothing) const { return nothing.type; }
  cudaGraphNodeType operator()(const Launch &) const { return cudaGraphNodeTypeKernel; }
  cudaGraphNodeType operator()(const Copy &) const { return cudaGraphNodeTypeMemcpy; }
  cudaGraphNodeType operator()(const Fill &) const { return cudaGraphNodeTypeMemset; }
  cudaGraphNodeType operator()(const HostCall &) const { return cudaGraphNodeTypeHost; }
  cudaGraphNodeType operator()(const RecordEvent &) const { return cudaGraphNodeTypeEventRecord; }
  cudaGraphNodeType operator()(const WaitEvent &) const { return cudaGraphNodeTypeWaitEvent; }
  cudaGraphNodeType operator()(const Release &) const { return cudaGraphNodeTypeMemFree; }
  cudaGraphNodeType operator()(const Child &) const { return cudaGraphNodeTypeGraph; }
};

bool areIn(const std::vector<Node *> &nodes, const std::set<Node *> &set) {
  return std::all_of(nodes.begin(), nodes.end(), [&](Node *node) { return set.count(node); });
}

} // namespace

cudaGraphNodeType typeOf(const Work &work) { return std::visit(TypeOf(), work); }

Node *Graph::add(Work work, std::vector<Node *> dependencies) {
  Node node;
  node.graph = this;
  node.work = std::move(work);
  node.dependencies = std::move(dependencies);
  nodes.push_back(std::move(node));
  return &nodes.back();
}

void Graph::remove(Node *gone) {
  for (Node &node : nodes) {
    auto &all = node.dependencies;
    all.erase(std::remove(all.begin(), all.end(), gone), all.end());
  }
  nodes.remove_if([&](const Node &node) { return &node == gone; });
}

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>();
  std::map<const Node *, Node *> counterparts;
  for (const Node &node : nodes) {
    Node *added = copy->add(node.work, {});
    added->original = &node;
    added->isEnabled = node.isEnabled;
    counterparts[&node] = added;
  }
  for (const Node &node : nodes)
    for (const Node *dependency : node.dependencies)
      counterparts[&node]->dependencies.push_back(counterparts[dependency]);
  return copy;
}

Node *Graph::findCloneOf(const Node *original) {
  for (Node &node : nodes)
    if (node.original == original)
      return &node;
  return nullptr;
}

std::vector<Node *> Graph::inOrder() {
  std::vector<Node *> order;
  std::set<Node *> done;
  for (size_t before = ~size_t(0); before != order.size();) {
    before = order.size();
    for (Node &node : nodes)
      if (!done.count(&node) && areIn(node.dependencies, done)) {
        order.push_back(&node);
        done.insert(&node);
      }
  }
  return order;
}

Node *findNode(cudaGraphNode_t handle) {
  for (auto &[address, graph] : state().graphs)
    for (Node &node : graph->nodes)
      if (handleOf(&node) == handle)
        return &node;
  return nullptr;
}

} // namespace tilelift::emulator::cudart
