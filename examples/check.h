// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the examples share: stop at the first CUDA error, and say how far a
// result is from the expected one.

#ifndef TILELIFT_EXAMPLES_CHECK_H
#define TILELIFT_EXAMPLES_CHECK_H

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void check(cudaError_t error, const char *what) {
  if (error != cudaSuccess) {
    std::printf("%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
  }
}

/// A vector of numbers on the device.
template <typename T = float> class Array {
public:
  explicit Array(size_t count) : count(count) {
    check(cudaMalloc(&data, count * sizeof(T)), "cudaMalloc");
  }
  explicit Array(const std::vector<T> &values) : Array(values.size()) {
    check(cudaMemcpy(data, values.data(), count * sizeof(T), cudaMemcpyHostToDevice), "copy");
  }
  ~Array() { cudaFree(data); }
  Array(const Array &) = delete;

  operator T *() const { return data; }
  std::vector<T> fetch() const {
    std::vector<T> values(count);
    check(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost), "copy");
    return values;
  }

private:
  T *data = nullptr;
  size_t count;
};

inline std::vector<float> numbers(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = float(i * 2654435761u % 1000) / 1000.f - 0.5f;
  return values;
}

/// Prints the verdict and returns the exit status of main.
inline int verdict(const char *name, const std::vector<float> &found,
                   const std::vector<float> &expected) {
  check(cudaGetLastError(), name);
  double worst = 0;
  for (size_t i = 0; i < found.size(); ++i)
    worst = std::fmax(worst, std::fabs(double(found[i]) - expected[i]));
  bool good = worst < 1e-3;
  std::printf("%s: %s, largest difference %.2g\n", name, good ? "correct" : "WRONG", worst);
  return good ? 0 : 1;
}

#endif
