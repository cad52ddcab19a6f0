// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every generated program starts with: inputs in which no element is zero
// or equals its neighbours, and outputs that are reported as one hash each. The
// generator puts this text into the program, so that each is one file.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t error_ = (call);                                                                   \
    if (error_ != cudaSuccess) {                                                                   \
      std::printf("error %s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));            \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

static void *allocate(size_t bytes, const void *contents) {
  void *memory = nullptr;
  CHECK(cudaMalloc(&memory, bytes));
  CHECK(cudaMemcpy(memory, contents, bytes, cudaMemcpyHostToDevice));
  return memory;
}

/// Numbers that are small and positive when read as any floating type.
static void *allocate_pattern(size_t count, size_t size, unsigned seed) {
  std::vector<unsigned char> bytes(count * size);
  size_t width = size < 4 ? size : 4;
  for (size_t i = 0; i < bytes.size() / width; ++i) {
    unsigned x = unsigned(i) * 2654435761u + seed * 40503u;
    unsigned word = 0x3f000000u | (x >> 9);
    if (width == 2)
      word = 0x3c00u | ((unsigned(i) * 421u + unsigned(i >> 10) * 7u + seed) & 0x3ffu);
    if (width == 1)
      word = 1 + (unsigned(i) * 37u + unsigned(i >> 8) * 11u + seed) % 119u;
    std::memcpy(&bytes[i * width], &word, width);
  }
  return allocate(bytes.size(), bytes.data());
}

/// A tensor of `count` elements. The kernel gets the address of the one that
/// `before` others precede.
template <typename T> struct Input {
  Input(size_t count, size_t before, unsigned seed)
      : memory(allocate_pattern(count, sizeof(T), seed)), before(before) {}
  Input(const Input &) = delete;
  ~Input() { cudaFree(memory); }
  T *data() const { return static_cast<T *>(memory) + before; }

  void *memory;
  size_t before;
};

/// Values that the program itself chose: indices, or pointers.
template <typename T> struct Table {
  explicit Table(const std::vector<T> &values)
      : memory(allocate(values.size() * sizeof(T), values.data())) {}
  Table(const Table &) = delete;
  ~Table() { cudaFree(memory); }
  T *data() const { return static_cast<T *>(memory); }

  void *memory;
};

template <typename T> struct Output {
  explicit Output(size_t count) : bytes(count * sizeof(T)) {
    CHECK(cudaMalloc(&memory, bytes));
    CHECK(cudaMemset(memory, 0, bytes));
  }
  Output(const Output &) = delete;
  ~Output() { cudaFree(memory); }
  T *data() const { return static_cast<T *>(memory); }

  void report(const char *name) const {
    std::vector<unsigned char> host(bytes);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host.data(), memory, bytes, cudaMemcpyDeviceToHost));
    unsigned long long hash = 1469598103934665603ull;
    for (unsigned char byte : host)
      hash = (hash ^ byte) * 1099511628211ull;
    std::printf("case %s %016llx\n", name, hash);
  }

  void *memory = nullptr;
  size_t bytes;
};
