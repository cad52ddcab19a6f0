// RUN: %run --plain %s | grep -x '50625 pairs: 0 wrong'
// RUN: %nvcc -std=c++17 -Werror all-warnings -arch=sm_90a -c %s -o %t.o
//
// Numbers of 128 bits, against those of the host's compiler: sums, differences, products and comparisons of numbers at
// the ends of 64 bits and of random ones, and what is left of a division.
#include <tilelift/exact.cuh>

#include <climits>
#include <cstdio>
#include <cuda_runtime.h>

enum { Count = 225 };

// As bits: +, -, *, three operands, the order, multiples.
struct Results {
  unsigned order;
  long long rest, rest_of_product;
};

__global__ void compute(const long long *numbers, Results *results) {
  using tilelift::exact;
  const long long x = numbers[blockIdx.x];
  for (int i = threadIdx.x; i < Count; i += blockDim.x) {
    const long long y = numbers[i], z = numbers[(i * 7 + blockIdx.x) % Count];
    const exact a = exact(x) + exact(y), b = exact(x) - exact(z), c = exact(x) * exact(y),
                d = 3 * exact(y) * exact(z) - 4 * exact(x) - 5;
    unsigned order = 0;
    auto add = [&](bool holds) { order = 2 * order + holds; };
    for (const exact &left : {a, b, c, d})
      for (const exact &right : {a, b, c, d, exact(x), -exact(z)}) {
        add(left < right);
        order = order * 3 + (left <= right) + 2 * (left > right) + 4 * (left >= right);
      }
    results[blockIdx.x * Count + i] = {order, a % 12, c % 1000000007};
  }
}

static bool isRight(const long long *numbers, int block, int i, const Results &found) {
  using exact = __int128;
  const long long x = numbers[block], y = numbers[i], z = numbers[(i * 7 + block) % Count];
  const exact a = exact(x) + exact(y), b = exact(x) - exact(z), c = exact(x) * exact(y),
              d = 3 * exact(y) * exact(z) - 4 * exact(x) - 5;
  unsigned order = 0;
  for (const exact &left : {a, b, c, d})
    for (const exact &right : {a, b, c, d, exact(x), -exact(z)}) {
      order = 2 * order + (left < right);
      order = order * 3 + (left <= right) + 2 * (left > right) + 4 * (left >= right);
    }
  auto size = [](exact number) { return number < 0 ? -number : number; };
  return found.order == order && found.rest == size(a) % 12 &&
         found.rest_of_product == size(c) % 1000000007;
}

int main() {
  long long numbers[Count] = {0, 1, -1, 2, -2, 7, LLONG_MAX, LLONG_MIN, LLONG_MAX - 1, LLONG_MIN + 1,
                              1ll << 32, -(1ll << 32), (1ll << 32) - 1, 1ll << 62, -(1ll << 62)};
  unsigned long long state = 88172645463325252ull;
  for (int i = 15; i < Count; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    numbers[i] = (long long)(state >> (i % 3 * 20)) * (i % 2 ? 1 : -1);
  }
  long long *own;
  Results *results;
  static Results found[Count * Count];
  cudaMalloc(&own, sizeof numbers);
  cudaMalloc(&results, sizeof found);
  cudaMemcpy(own, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  compute<<<Count, 32>>>(own, results);
  cudaMemcpy(found, results, sizeof found, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int block = 0; block < Count; ++block)
    for (int i = 0; i < Count; ++i)
      wrong += !isRight(numbers, block, i, found[block * Count + i]);
  printf("%d pairs: %d wrong\n", Count * Count, wrong);
}
