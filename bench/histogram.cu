// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A histogram: each block counts in shared memory, and adds what it has to what all have.

#include "bench.cuh"
#include "by_hand.cuh"

#if defined(__NVCC__) && !defined(TILELIFTED)
#include <cub/device/device_histogram.cuh>
#endif

constexpr int BINS = 4096, THREADS = 512;

__device__ inline void count(unsigned *own, const unsigned *in, size_t n) {
  for (int i = threadIdx.x; i < BINS; i += THREADS)
    own[i] = 0;
  __syncthreads();
  for (size_t i = blockIdx.x * size_t(THREADS) + threadIdx.x; i < n;
       i += gridDim.x * size_t(THREADS))
    atomicAdd(&own[in[i] % BINS], 1u);
}

__global__ void __launch_bounds__(THREADS)
    histogram(unsigned *__restrict__ bins, const unsigned *__restrict__ in, size_t n) {
  __shared__ unsigned own[BINS];
  count(own, in, n);
  __syncthreads();
#pragma tma reduce
  for (int i = threadIdx.x; i < BINS; i += THREADS)
    atomicAdd(&bins[i], own[i]);
}

__global__ void __launch_bounds__(THREADS)
    histogram_by_hand(unsigned *bins, const unsigned *in, size_t n) {
  __shared__ alignas(128) unsigned own[BINS];
  count(own, in, n);
  by_hand::ptx::fence_proxy_async(by_hand::ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    by_hand::ptx::cp_reduce_async_bulk(by_hand::ptx::space_global, by_hand::ptx::space_shared,
                                       by_hand::ptx::op_add, bins, own, BINS * 4u);
    by_hand::ptx::cp_async_bulk_commit_group();
    by_hand::ptx::cp_async_bulk_wait_group_read(by_hand::ptx::n32_t<0>{});
  }
}

int main() {
  size_t n = size_t(1) << 24;
  Buffer in(n * 4, 1), out(BINS * 4, 2);
  work("histogram", 4. * double(n), 0);
  auto clear = [&] { CHECK(cudaMemsetAsync(out.as<char>(), 0, BINS * 4)); };
  int blocks = 132 * 4;
  kernel("histogram", out, [&] {
    clear();
    histogram<<<blocks, THREADS>>>(out.as<unsigned>(), in.as<unsigned>(), n);
  });
  other("histogram", "by-hand", out, [&] {
    clear();
    histogram_by_hand<<<blocks, THREADS>>>(out.as<unsigned>(), in.as<unsigned>(), n);
  });
#if defined(__NVCC__) && !defined(TILELIFTED)
  // By the high bits instead of the low ones, which are as evenly spread.
  size_t bytes = 0;
  auto library = [&](void *memory) {
    CHECK(cub::DeviceHistogram::HistogramEven(memory, bytes, in.as<unsigned>(), out.as<unsigned>(),
                                              BINS + 1, 0u, ~0u, int(n)));
  };
  library(nullptr);
  Buffer memory(bytes, 3);
  other("histogram", "cub", out, [&] { library(memory.as<char>()); });
#endif
}
