//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long each launch takes, for `tilelift compare`: with TILELIFT_TIME=1 in the
// environment, a launcher waits for its kernel and prints a line.
//
//   tilelift: time blur 563.2 us TMA
//   tilelift: size blur 40 registers 10912 bytes TMA
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TIMING_H
#define TILELIFT_TIMING_H

#include <tilelift/checks.h>

#include <cuda_runtime.h>

#include <cstdio>

namespace tilelift {
namespace detail {

inline bool timed() {
  static const bool value = is_set("TILELIFT_TIME");
  return value;
}

/// From its construction to print(), as the stream sees it. Where a graph is being made,
/// nothing runs, and there is nothing to time.
class stopwatch {
public:
  stopwatch(const char *kernel, const void *function, const char *way, cudaStream_t stream)
      : kernel(kernel), way(way), stream(stream) {
    // That also loads it, which the first launch would have to do.
    cudaFuncAttributes size = {};
    if (cudaFuncGetAttributes(&size, function) == cudaSuccess)
      std::fprintf(stderr, "tilelift: size %s %d registers %zu bytes %s\n", kernel, size.numRegs,
                   size.sharedSizeBytes, way);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    runs = cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
           status == cudaStreamCaptureStatusNone && cudaEventCreate(&begin) == cudaSuccess &&
           cudaEventCreate(&end) == cudaSuccess && cudaStreamSynchronize(stream) == cudaSuccess &&
           cudaEventRecord(begin, stream) == cudaSuccess;
  }
  ~stopwatch() {
    (void)cudaEventDestroy(begin);
    (void)cudaEventDestroy(end);
  }
  stopwatch(const stopwatch &) = delete;
  stopwatch &operator=(const stopwatch &) = delete;

  void print() {
    float milliseconds = 0;
    if (runs && cudaEventRecord(end, stream) == cudaSuccess &&
        cudaEventSynchronize(end) == cudaSuccess &&
        cudaEventElapsedTime(&milliseconds, begin, end) == cudaSuccess)
      std::fprintf(stderr, "tilelift: time %s %.2f us %s\n", kernel, milliseconds * 1e3, way);
  }

private:
  const char *kernel, *way;
  cudaStream_t stream;
  cudaEvent_t begin = nullptr, end = nullptr;
  bool runs = false;
};

} // namespace detail
} // namespace tilelift

#endif
