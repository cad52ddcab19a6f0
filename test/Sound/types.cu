// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 -std=c++20 %s
//
// Names in types, constants, assertions and local classes: no code comes of them, but the text needs what they mean. Tiles
// get another type or become references, declarations are dropped, loop heads are written once more, and a producer has
// only some of the declarations.
#include "Inputs/arrays.h"
#include <type_traits>

namespace numbers { __device__ inline int middle(int a, int b) { return (a + b) / 2; } }
template <int S> struct Up { static __device__ int of(int n) { return (n + S - 1) / S * S; } };
template <class X, size_t N> __host__ __device__ constexpr int length_of(const X (&)[N]) { return int(N); }
constexpr int W = 16, H = 16;
using P = unsigned char;

// Constants that the copy alone computes with, and types besides.
__global__ void dropped_constants(float *out, const float *in, int n) {
  constexpr int W = 32, H = 4;
  __shared__ alignas(128) float tile[H][W]; int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < W * H; i += T) tile[i / W][i % W] = in[n * 128 + i];
  __syncthreads();
  out[t] = tile[3 - t / 32][t % 32];
}
__global__ void dropped_elsewhere(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T], other[T], third[T];
  int t = threadIdx.x; constexpr int first = 64, second = 32, last = 16, times = 4;
  static_assert(first % 4 == 0, "16 bytes"); enum { end = second + T };
#pragma tma load
  tile[t] = in[first + t];
#pragma tma load
  other[t] = in[second + t];
#pragma tma load
  third[t] = in[last * times + t];
  __syncthreads();
  alignas(last) float z[first / 16] = {1, 2, 3}; float s = 0;
#pragma unroll times
  for (int i = 0; i < 8; ++i) s = s * .5f + tile[t ^ i];
  out[t] = s + other[t ^ 1] + third[t ^ 2] + z[n & 1] + (t + n < end) + Up<last>::of(n);
}

// The array's type, in rounds whose tile is a reference, and of a tile that would be laid out anew.
__global__ void of_a_ring(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T], sized[T], part[T]; int t = threadIdx.x; float s = 0;
#pragma tma pipeline stages(3) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[t] = in[k * T + t];
    __syncthreads();
    for (unsigned i = 0; i < std::extent_v<decltype(tile)>; ++i) s += (i + 1) * tile[i];
    __syncthreads();
  }
#pragma tma pipeline stages(3) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    sized[t] = in[k * T + t];
    __syncthreads();
    constexpr int length = length_of(sized);
    for (int i = 0; i < length; ++i) s += i * sized[i];
    __syncthreads();
  }
#pragma tma pipeline stages(3)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    part[t] = in[k * T + t];
    __syncthreads();
    static_assert(sizeof(part) == 512, "a row");
    std::remove_reference_t<decltype(part[0])> v = part[t ^ 3];
    s = s / 2 + v;
    __syncthreads();
  }
  out[t] = s;
}
__global__ void in_local_classes(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T], other[T]; int t = threadIdx.x; float s = 0;
  struct Outside { __device__ float operator[](int i) const { return tile[T - 1 - i]; } } outside;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[t] = in[k * T + t];
    __syncthreads();
    s = s / 2 + outside[t];
    __syncthreads();
  }
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    other[t] = in[k * T + t];
    __syncthreads();
    struct Inside { __device__ float operator[](int i) const { return other[T - 1 - i]; } } inside;
    s = s / 2 + inside[t];
    __syncthreads();
  }
  out[t] = s;
}
__global__ void of_rows(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[32][33], asserted[32][33], turned[32][33];
  int t = threadIdx.x, x = t % 32, y = t / 32; float s = 0;
  static_assert(sizeof(asserted) == 32 * 33 * 4, "a column of padding");
#pragma tma load fallback(loop)
  for (int r = y; r < 32; r += 4) tile[r][x] = in[(n * 32 + r) * 32 + x];
#pragma tma load fallback(loop)
  for (int r = y; r < 32; r += 4) asserted[r][x] = in[(n * 32 + r) * 32 + x];
#pragma tma load fallback(loop)
  for (int r = y; r < 32; r += 4) turned[r][x] = in[(n * 32 + r) * 32 + x];
  __syncthreads();
  for (unsigned r = 0; r < std::extent_v<decltype(tile)>; ++r)
    s = s / 2 + tile[x][r] + asserted[x][r] + x[turned][r];
  out[t] = s;
}

// Heads that are written once more, in front of the loop and at the copy, and in the producer.
__global__ void heads(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T], other[T]; int t = threadIdx.x; float s = 0; long k = 4;
#pragma tma pipeline stages(3)
  for (short k = 0; k * 14 < (int)sizeof(decltype(k)) * n; ++k) {
#pragma tma load
    tile[t] = in[k * T + t];
    __syncthreads();
    s = s / 2 + tile[T - 1 - t];
    __syncthreads();
  }
#pragma tma pipeline stages(2)
  for (int j = 0; j < static_cast<decltype(j)>(n); ++j) {
#pragma tma load
    other[t] = in[j * T + t];
    __syncthreads();
    s = s / 2 + other[T - 1 - t];
    __syncthreads();
  }
  out[t] = s + k;
}
__global__ void aliases_of_the_round(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x; float s = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
    using P = int;
    if (P(k * 100) > 250) {
#pragma tma load
      tile[t] = in[k * T + t];
      __syncthreads();
      s = s / 2 + tile[T - 1 - t];
      __syncthreads();
    }
  }
  out[t] = s;
}
__global__ void producers(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T], other[T], third[T]; int t = threadIdx.x; float s = 0;
  using P = short;
  using numbers::middle;
  constexpr int step = 2; const int limit = n;
  P last = n + 300 - 300; int half = middle(n, 10), up = Up<step>::of(n); decltype(limit) most = n;
#pragma tma pipeline stages(2) warp(producer)
  for (P k = 0; k < last; ++k) {
#pragma tma load
    tile[t] = in[k * T + t];
    __syncthreads();
    s = s / 2 + tile[T - 1 - t];
    __syncthreads();
  }
#pragma tma pipeline stages(2) warp(producer)
  for (int k = 0; k < half + up; ++k) {
#pragma tma load
    other[t] = in[k * T + t];
    __syncthreads();
    s = s / 2 + other[T - 1 - t];
    __syncthreads();
  }
#pragma tma pipeline stages(2) warp(producer)
  for (int k = 0; k < most; ++k) {
#pragma tma load
    third[t] = in[k * T + t];
    __syncthreads();
    s = s / 2 + third[T - 1 - t];
    __syncthreads();
  }
  out[t] = s + limit;
}

// A number only by a cast, which the launcher has to make, too.
enum class Steps : unsigned char { few = 3, many = 9 };
enum class Row : short { first = 1, third = 3 };
struct Where { Row row; int pitch; };
__global__ void counted_by_an_enumeration(float *out, const float *in, Steps steps) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x; float s = 0;
  for (int k = 0; k < static_cast<int>(steps); ++k) {
#pragma tma load
    tile[t] = in[k * T + t];
    __syncthreads();
    s = s / 2 + tile[T - 1 - t];
    __syncthreads();
  }
  out[t] = s;
}
__global__ void placed_by_an_enumeration(float *out, const float *in, Where where) {
  __shared__ alignas(128) float tile[4][32], other[4][32]; int t = threadIdx.x;
  int y0 = int(where.row) * 4, quarter = int(where.row) / 2 * 8;
#pragma tma load
  tile[t / 32][t % 32] = in[(y0 + t / 32) * where.pitch + t % 32];
#pragma tma load
  other[t / 32][t % 32] = y0 + t / 32 < 14 ? in[(quarter + t / 32) * where.pitch + t % 32] : 0;
  __syncthreads();
  out[t] = tile[3 - t / 32][t % 32] + other[3 - t / 32][t % 32];
}
__global__ void filled_by_an_enumeration(float *out, const float *in, Steps steps) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x; float s = 0; const int n = int(steps);
#pragma tma pipeline stages(2)
  for (int k = 0; k < n; ++k) {
    if (k != int(steps) / 2) {
#pragma tma load
      tile[t] = in[(k + int(steps)) * T + t];
      __syncthreads();
      s = s / 2 + tile[T - 1 - t];
    }
    __syncthreads();
  }
  out[t] = s;
}

#define CASE(kernel) {#kernel, [](const Arrays &a) { kernel<<<1, T>>>(a.out, a.in, 5); }}
static const Case cases[] = {
    CASE(dropped_constants), CASE(dropped_elsewhere), CASE(of_a_ring), CASE(in_local_classes), CASE(of_rows),
    CASE(heads), CASE(aliases_of_the_round), CASE(producers),
    {"counted_by_an_enumeration", [](const Arrays &a) { counted_by_an_enumeration<<<1, T>>>(a.out, a.in, Steps::many); }},
    {"placed_by_an_enumeration", [](const Arrays &a) { placed_by_an_enumeration<<<1, T>>>(a.out, a.in, Where{Row::third, 44}); }},
    {"filled_by_an_enumeration", [](const Arrays &a) { filled_by_an_enumeration<<<1, T>>>(a.out, a.in, Steps::few); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
