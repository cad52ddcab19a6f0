// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory with numbers in it, and one line for each piece of what is left in
// it at the end, so that a plain and a lifted build can be compared on a GPU, too.

#ifndef TILELIFT_TEST_IDIOMS_NUMBERS_H
#define TILELIFT_TEST_IDIOMS_NUMBERS_H

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

struct Numbers {
  float *memory;
  size_t count;
};

inline std::vector<Numbers> &all_numbers() {
  static std::vector<Numbers> all;
  return all;
}

inline float *numbers(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = float(i * 37 % 101);
  float *memory;
  cudaMalloc(&memory, count * sizeof(float));
  cudaMemcpy(memory, values.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  all_numbers().push_back({memory, count});
  return memory;
}

/// Indices that a kernel looks up.
inline int *indices(const std::vector<int> &values) {
  int *memory;
  cudaMalloc(&memory, values.size() * sizeof(int));
  cudaMemcpy(memory, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
  return memory;
}

/// The program's exit status.
inline int finish() {
  int number = 0;
  for (const Numbers &each : all_numbers()) {
    std::vector<uint32_t> words(each.count);
    cudaMemcpy(words.data(), each.memory, each.count * sizeof(float), cudaMemcpyDeviceToHost);
    uint64_t hash = 14695981039346656037u;
    for (uint32_t word : words)
      hash = (hash ^ word) * 1099511628211u;
    std::printf("case memory %d: %016llx\n", number++, (unsigned long long)hash);
  }
  return cudaDeviceSynchronize();
}

#endif
