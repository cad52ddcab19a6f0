//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a stream can be asked to do: launch, copy, fill, call the host.
//
// Work is done when it is submitted, whichever stream it goes to, unless the
// stream is being captured: then it becomes a node of the graph, with all it
// needs copied, and is done when the graph is launched. Whether the program may
// ask for it is checked before, by whoever makes the work.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_CUDART_WORK_H
#define TILELIFT_EMULATOR_CUDART_WORK_H

#include "cudart/State.h"

#include <variant>

namespace tilelift::emulator::cudart {

struct Launch {
  const void *stub = nullptr;
  LaunchRequest request;
};

/// Rows of `width` bytes, `height` of them in a slice, `depth` slices. Pitches
/// are bytes from one to the next.
struct Box {
  size_t width = 0, height = 1, depth = 1;
  size_t pitch = 0, slicePitch = 0;
  /// From the first byte to behind the last; 0 for an empty box.
  size_t span() const;
  bool isEmpty() const { return width == 0 || height == 0 || depth == 0; }
  /// So many bytes, without a pitch.
  bool isLinear() const { return height == 1 && depth == 1 && pitch == 0; }
};

struct Copy {
  char *to = nullptr;
  const char *from = nullptr;
  Box toBox, fromBox; ///< of one width, height and depth
  cudaMemcpyKind kind = cudaMemcpyDefault;
};

/// Elements of 1, 2 or 4 bytes get a value.
struct Fill {
  char *to = nullptr;
  Box box;
  unsigned value = 0;
  unsigned elementBytes = 1;
};

struct HostCall {
  cudaHostFn_t function = nullptr;
  void *data = nullptr;
};

struct RecordEvent {
  Event *event = nullptr;
};

struct WaitEvent {
  Event *event = nullptr;
};

struct Release {
  void *address = nullptr;
};

/// A node that only orders others, or that was done when it was made.
struct Nothing {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
};

/// A graph in a graph.
struct Child {
  std::shared_ptr<Graph> graph;
};

using Work =
    std::variant<Nothing, Launch, Copy, Fill, HostCall, RecordEvent, WaitEvent, Release, Child>;

/// Does the work. A launch that goes wrong sets the state's failure.
void perform(const Work &work);

/// Does the work now, or notes it where the stream is being captured.
cudaError_t submit(cudaStream_t stream, Work work);
/// For calls that wait for the work: not while anything is being captured that
/// would have to wait, too.
cudaError_t submitAndWait(Work work);
/// Whether waiting for a stream is allowed now, for all work, or in calls that may
/// wait, as allocations. A capture that forbids it becomes invalid.
cudaError_t checkWait(cudaStream_t stream);
cudaError_t checkWaitForAll();
cudaError_t checkUnsafe();
/// The stream's capture, where there is one, comes to nothing.
void invalidateCapture(cudaStream_t stream);

} // namespace tilelift::emulator::cudart

#endif
