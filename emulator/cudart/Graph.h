//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: work and what it waits for, captured from streams or put together by
// hand, and their executable form, which is a copy that later changes of the
// graph do not reach.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_CUDART_GRAPH_H
#define TILELIFT_EMULATOR_CUDART_GRAPH_H

#include "cudart/Work.h"

#include <list>
#include <thread>

namespace tilelift::emulator::cudart {

struct Graph;

struct Node {
  Graph *graph = nullptr;
  Work work;
  std::vector<Node *> dependencies;
  /// The node of the graph that this one was cloned from.
  const Node *original = nullptr;
  bool isEnabled = true;
  /// Where the arguments are, for programs that ask.
  std::vector<void *> arguments;
};

cudaGraphNodeType typeOf(const Work &work);

struct Graph {
  std::list<Node> nodes; ///< in the order in which they were added

  Node *add(Work work, std::vector<Node *> dependencies);
  void remove(Node *node);
  /// With `original` set to this graph's nodes.
  std::unique_ptr<Graph> clone() const;
  Node *findCloneOf(const Node *original);
  /// Each node after what it depends on, else as they were added; fewer nodes
  /// than there are where they wait for one another.
  std::vector<Node *> inOrder();
};

struct GraphExec {
  std::shared_ptr<Graph> graph; ///< a clone
  unsigned long long flags = 0;
};

/// A graph that streams are being captured into.
struct Capture {
  unsigned long long id = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  Stream *origin = nullptr;
  std::set<Stream *> streams;
  Graph *graph = nullptr;
  bool ownsGraph = true;  ///< unless the program captures into one that it has
  std::thread::id thread; ///< that began it
  bool isInvalidated = false;
};

inline Graph *findGraph(cudaGraph_t handle) { return state().graphs.find(handle); }
/// Null where no graph of the program has such a node.
Node *findNode(cudaGraphNode_t handle);

inline cudaGraph_t handleOf(Graph *graph) { return reinterpret_cast<cudaGraph_t>(graph); }
inline cudaGraphNode_t handleOf(Node *node) { return reinterpret_cast<cudaGraphNode_t>(node); }

/// What the calling thread may do while others capture.
cudaStreamCaptureMode &captureMode();

} // namespace tilelift::emulator::cudart

#endif
