// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %tilelift %s -o %t.cu -- -std=c++20
// RUN: %clang -std=c++20 -I%S --offload-arch=sm_90a -fsyntax-only %t.cu
// RUN: %nvcc -std=c++20 -I%S -gencode arch=compute_90a,code=sm_90a -c %t.cu -o %t.o
// RUN: nm -C -u %t.o | %not 1 grep Blocks::
// RUN: grep -c "^  .*launch_config &tma_config) { return shift" %t.cu | grep -x 7
//
// Texts that are easily taken apart at the wrong place, or mixed up with what is written beside them: statements within
// the head of another, comments and operators full of brackets, names that the plan of a kernel has too, and types that
// their declarations surround. What is lifted compiles.
#include "Inputs/arrays.h"

#include <cassert>

// The head of a loop keeps its first semicolon when the variable before it is not needed any more.
__global__ void row_in_the_head_of_a_loop(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, once = 0;
  for (int row = 3; once < 1; ++once) {
#pragma tma load fallback(loop)
    tile[t] = in[(blockIdx.x + row) * T + t];
    __syncthreads();
    out[blockIdx.x * T + t] = tile[T - 1 - t];
  }
}

// An assertion that always holds stays out of the way, with the number of its line and its text.
struct Checked {
  const float *values;
  __device__ float operator[](int i) const {
    assert(i >= 0 && "an index below zero");
    return values[i];
  }
};
__global__ void asserted(float *__restrict__ out, Checked in) {
  __shared__ alignas(128) float tile[T];
#pragma tma load
  {
    assert(threadIdx.x < T);
    tile[threadIdx.x] = in[threadIdx.x];
  }
  __syncthreads();
  out[threadIdx.x] = tile[T - 1 - threadIdx.x];
}
void launch_asserted(const Arrays &a) { asserted<<<1, T>>>(a.out, Checked{a.in}); }

// The kernel itself is plain, its launch has comments with brackets in it.
__global__ void launched_with_comments(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  tile[t] = in[blockIdx.x * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

// The largest block is written with an operator that looks like brackets.
__global__ void __launch_bounds__(1 << 7) bound_by_a_shift(float *__restrict__ out, const float *__restrict__ in,
                                                           int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * T + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}

// The operator looks like the end of a bracket, and a comma stands behind it.
__global__ void __launch_bounds__(256 > T ? T : 256, 2) bound_by_a_comparison(float *__restrict__ out,
                                                                              const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * T + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}

// The operators stand in brackets of their own.
__global__ void __launch_bounds__((T > 64) ? (T) : (64)) bound_in_brackets(float *__restrict__ out,
                                                                           const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * T + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}

// A comment has half of a bracket.
__global__ void __launch_bounds__(T /* :) */) bound_with_a_comment(float *__restrict__ out,
                                                                   const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * T + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}

// Tiles have names that the plan may give to something else.
__global__ void tile_is_lifted_block(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float lifted_block[4][33];
  int t = threadIdx.x;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    lifted_block[t / 32][t % 32] = in[(k * 4 + t / 32) * 64 + t % 32];
    __syncthreads();
    sum += lifted_block[3 - t / 32][t % 32];
    __syncthreads();
  }
  out[t] = sum;
}

__global__ void tile_is_ring_bytes(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float ring_bytes[32][33];
  int t = threadIdx.x;
  float sum = 0;
#pragma tma pipeline stages(14) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    for (int i = t; i < 1024; i += T) ring_bytes[i / 32][i % 32] = in[k * T + i];
    __syncthreads();
    sum += ring_bytes[t % 32][t / 32];
    __syncthreads();
  }
  out[t] = sum;
}

__global__ void __cluster_dims__(2, 1, 1) tile_is_cluster(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float cluster[32][33];
  int t = threadIdx.x;
#pragma tma load multicast(x) fallback(loop)
  for (int i = t; i < 1024; i += T) cluster[i / 32][i % 32] = in[i / 32 * 64 + i % 32];
  __syncthreads();
  out[blockIdx.x * T + t] = cluster[t % 32][t / 32];
}

__global__ void __cluster_dims__(2, 1, 1) tile_is_peers(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float peers_x[32][33];
  int t = threadIdx.x;
#pragma tma load multicast(x) fallback(loop)
  for (int i = t; i < 1024; i += T) peers_x[i / 32][i % 32] = in[i / 32 * 64 + i % 32];
  __syncthreads();
  out[blockIdx.x * T + t] = peers_x[t % 32][t / 32];
}

// An array of unknown size has rows for elements, whose size stands behind that.
template <typename Element>
__global__ void dynamic_rows(float *__restrict__ out, const float *__restrict__ in, int n) {
  extern __shared__ Element rows[][32];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 1024; i += T) rows[i / 32][i % 32] = in[i / 32 * n + i % 32];
  __syncthreads();
  out[t] = rows[t % 32][t / 32];
}

// The elements have rows of rows.
template <typename Element>
__global__ void dynamic_planes(float *__restrict__ out, const float *__restrict__ in, int n) {
  extern __shared__ Element planes[][4][32];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 1024; i += T) planes[i / 128][i / 32 % 4][i % 32] = in[i / 32 * n + i % 32];
  __syncthreads();
  out[t] = planes[t % 8][t / 8 % 4][t / 32];
}

void launches(const Arrays &a) {
  row_in_the_head_of_a_loop<<<2, T>>>(a.out, a.in);
  launched_with_comments<<<2, T>>> /* (out, in) */ (a.out, a.in);
  launched_with_comments<<<2, T>>> // (out, in)
      (a.out, a.in);
  bound_by_a_shift<<<1, T>>>(a.out, a.in, 4);
  bound_by_a_comparison<<<1, T>>>(a.out, a.in, 4);
  bound_in_brackets<<<1, T>>>(a.out, a.in, 4);
  bound_with_a_comment<<<1, T>>>(a.out, a.in, 4);
  tile_is_lifted_block<<<1, T>>>(a.out, a.in, 4);
  tile_is_ring_bytes<<<1, T>>>(a.out, a.in, 4);
  tile_is_cluster<<<2, T>>>(a.out, a.in);
  tile_is_peers<<<2, T>>>(a.out, a.in);
  dynamic_rows<float><<<1, T, 4096>>>(a.out, a.in, 64);
  dynamic_planes<float><<<1, T, 4096>>>(a.out, a.in, 64);
}

// What stands in <<<...>>> is evaluated before the kernel's arguments, also where functions, methods, constructors and
// lambdas that change a variable could be evaluated by the compiler. A lambda gets the configuration first.
__global__ void shift(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  tile[t] = in[n * T + t];
  __syncthreads();
  out[t] = tile[T - 1 - t];
}
// A launch that names constant members of a class needs no definition of them.
// A macro that is no more where the kernel is written, whose name the generated code has.
#define leader 77
__device__ int of_a_macro() { return leader; }
#undef leader
__global__ void behind_a_macro(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
#pragma tma load
  tile[t] = in[blockIdx.x * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t] + of_a_macro();
}
void launch_behind_a_macro(const Arrays &a) { behind_a_macro<<<1, T>>>(a.out, a.in); }
struct Blocks {
  static const int of_one_row = T, bytes = 0;
};
void launch_by_constant_members(const Arrays &a) { shift<<<1, Blocks::of_one_row, Blocks::bytes>>>(a.out, a.in, 1); }
constexpr int next(int &row) { return row += 2; }
struct Grid {
  int blocks;
  constexpr explicit Grid(int &row) : blocks(row += 2) {}
};
struct Counter {
  int row = 0;
  constexpr int advance() { return row += 2; }
};
void launches_in_order(const Arrays &a) {
  int row = 0;
  Counter counter;
  auto more = [&] { return row += 2; };
  shift<<<more(), T>>>(a.out, a.in, row);
  shift<<<next(row), T>>>(a.out, a.in, row);
  shift<<<Grid(row).blocks, T>>>(a.out, a.in, row);
  shift<<<counter.advance(), T>>>(a.out, a.in, counter.row);
  shift<<<row, T>>>(a.out, a.in, more());
  shift<<<row, T>>>(a.out, a.in, next(row));
  shift<<<next(row), T>>>(a.out, a.in, next(row));
}
