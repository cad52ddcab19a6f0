// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs of this folder share: random inputs, one line for each
// case with a hash of every output byte, and times for the large cases. The
// same source is built plain and lifted; run.py compares the lines.

#ifndef TILELIFT_TEST_GPU_HARNESS_CUH
#define TILELIFT_TEST_GPU_HARNESS_CUH

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t error_ = (call);                                                                   \
    if (error_ != cudaSuccess) {                                                                   \
      std::printf("error %s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));            \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

static __global__ void fill_random(uint32_t *words, size_t count, uint32_t seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
       i += size_t(gridDim.x) * blockDim.x) {
    uint32_t x = uint32_t(i) * 2654435761u + seed;
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu, x ^= x >> 16;
    // Any bits would do for a copy; as floats of about one they add up well.
    words[i] = 0x3f000000u | (x & 0x00ffffffu);
  }
}

static __global__ void hash_words(const uint32_t *words, size_t count, unsigned long long *sum) {
  unsigned long long own = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
       i += size_t(gridDim.x) * blockDim.x) {
    unsigned long long x = (i + 1) * 0x9e3779b97f4a7c15ull ^ words[i];
    x ^= x >> 29, x *= 0xbf58476d1ce4e5b9ull, x ^= x >> 32;
    own += x;
  }
  atomicAdd(sum, own);
}

/// Blocks of 256 threads for so many words, of which each thread takes several: on the emulator a
/// thread costs more than a word.
inline unsigned blocks_for(size_t words) {
  return unsigned(std::min<size_t>(1024, words / 4096 + 1));
}

/// Device memory that is random at first; `offset` bytes in, as sub-tensors are.
class Buffer {
public:
  Buffer(size_t bytes, uint32_t seed, size_t offset = 0)
      : bytes((bytes + 1027) / 4 * 4), offset(offset) {
    CHECK(cudaMalloc(&memory, this->bytes + 4096));
    const size_t words = (this->bytes + 4096) / 4;
    fill_random<<<blocks_for(words), 256>>>(static_cast<uint32_t *>(memory), words, seed);
    CHECK(cudaGetLastError());
  }
  ~Buffer() { cudaFree(memory); }
  Buffer(const Buffer &) = delete;

  template <typename T> T *as() const {
    return reinterpret_cast<T *>(static_cast<char *>(memory) + 1024 + offset);
  }
  size_t size() const { return bytes; }
  unsigned long long hash() const {
    unsigned long long *sum, result;
    CHECK(cudaMalloc(&sum, 8));
    CHECK(cudaMemset(sum, 0, 8));
    const size_t words = (bytes + 4096) / 4;
    hash_words<<<blocks_for(words), 256>>>(static_cast<const uint32_t *>(memory), words, sum);
    CHECK(cudaMemcpy(&result, sum, 8, cudaMemcpyDeviceToHost));
    cudaFree(sum);
    return result;
  }

private:
  void *memory = nullptr;
  size_t bytes;
  size_t offset;
};

/// One line: what ran and what it left in memory.
inline void report(const std::string &name, const Buffer &out) {
  CHECK(cudaDeviceSynchronize());
  std::printf("case %s hash %016llx\n", name.c_str(), out.hash());
  std::fflush(stdout);
}

/// The median time of a launch. Only asked for with TIME=1.
template <typename Function> void time_it(const std::string &name, Function launch) {
  if (!std::getenv("TIME"))
    return;
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < 25; ++i) {
    CHECK(cudaEventRecord(begin));
    launch();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (i >= 5)
      times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  std::printf("time %s %.5f ms\n", name.c_str(), times[times.size() / 2]);
}

#endif
