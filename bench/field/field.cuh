// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernels of this folder share. They are written as public programs write theirs, with a
// pragma above each copy and nothing else that is tilelift's, and they are measured at sizes that
// keep a GPU busy for 0.1 to 10 ms.
//
// A lifted program has both kernels; with TILELIFT_DISABLE=1 its launches run the plain one. So
// run.py builds each program once and runs it in turns. It compares the hashes of what the kernels
// leave in memory, and the times.

#ifndef TILELIFT_BENCH_FIELD_CUH
#define TILELIFT_BENCH_FIELD_CUH

#include "harness.cuh"

#include <cstdlib>

namespace field {

/// Returns the first number on a GPU. With FIELD_SMALL in the environment, as on the emulator, it
/// returns the second one.
inline int pick(int size, int small) {
  static const bool isSmall = std::getenv("FIELD_SMALL") != nullptr;
  return isSmall ? small : size;
}

/// Prints a hash of what the launch leaves in `out`, and the median time of a launch in
/// milliseconds. The launches of one measurement follow each other without the host in between.
/// The kernel may be launched several times, so it must leave the same bytes each time.
template <typename Launch> void measure(const char *kernel, const Buffer &out, Launch launch) {
  CHECK(cudaMemset(out.as<char>(), 0, out.size()));
  launch();
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  const unsigned long long hash = out.hash();
  const int runs = pick(11, 1), together = pick(5, 1);
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < runs; ++i) {
    CHECK(cudaEventRecord(begin));
    for (int k = 0; k < together; ++k)
      launch();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    times.push_back(ms / together);
  }
  std::sort(times.begin(), times.end());
  std::printf("field %s %.6f ms hash %016llx\n", kernel, times[times.size() / 2], hash);
  std::fflush(stdout);
}

} // namespace field

#endif
