// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the workloads share: each variant runs once for a hash of all that it leaves in
// memory, and then for its time. Built as it is, a workload measures its kernel as plain
// loops, what is written by hand and what a library has; lifted and built with
// -DTILELIFTED, the kernel alone. run.py does both and compares.

#ifndef TILELIFT_BENCH_BENCH_CUH
#define TILELIFT_BENCH_BENCH_CUH

#include "harness.cuh"

#include <cstring>

#ifdef TILELIFTED
constexpr bool lifted = true;
#else
constexpr bool lifted = false;
#endif

/// What a workload moves and computes at least, for the limits of the machine.
inline void work(const char *workload, double bytes, double operations) {
  if (!lifted)
    std::printf("work %s bytes %.0f operations %.0f\n", workload, bytes, operations);
}

/// Of one launch among several, so that the GPU does not wait for the host.
template <typename Launch> double median_of(Launch launch) {
  constexpr int together = 5;
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < 25; ++i) {
    CHECK(cudaEventRecord(begin));
    for (int k = 0; k < together; ++k)
      launch();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (i >= 5)
      times.push_back(ms / together);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

template <typename Launch>
void measure(const char *workload, const char *variant, const Buffer &out, Launch launch) {
  CHECK(cudaMemset(out.as<char>(), 0, out.size()));
  launch();
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  unsigned long long hash = out.hash();
  std::printf("variant %s %s %.6f ms hash %016llx\n", workload, variant, median_of(launch), hash);
  std::fflush(stdout);
}

/// The workload's own kernel.
template <typename Launch> void kernel(const char *workload, const Buffer &out, Launch launch) {
  measure(workload, lifted ? "tilelift" : "plain", out, launch);
}

/// What is no business of tilelift's. A process has its memory where it has it, so what is
/// written by hand is measured beside the lifted kernel, too.
template <typename Launch>
void other(const char *workload, const char *variant, const Buffer &out, Launch launch) {
  if (!lifted || std::strcmp(variant, "by-hand") == 0)
    measure(workload, variant, out, launch);
}

#endif
