// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=3 -std=c++17 %s
// RUN: env TILELIFT_VERBOSE=1 %run -std=c++17 %s 2>&1 | grep -c ": TMA$" | grep -x 7
// RUN: %tilelift --remarks %s -o %t.cu -- -std=c++17 2>&1 | FileCheck %s
//
// The first block of a launch, which reads less than the others: the tensor starts in it, or it copies nothing. What is
// asked of all blocks at launch must not be what this one breaks, or no launch would ever use TMA.
#include "Inputs/arrays.h"

namespace {
// Three parts of a row, by unsigned numbers that come around below zero, and are not read there.
template <int B, int R> __global__ void around_a_row(float *out, const float *in, unsigned n) {
  __shared__ float tile[B + 2 * R];
  const unsigned i = blockIdx.x * B + threadIdx.x;
#pragma tma load
  {
    tile[threadIdx.x + R] = i < n ? in[i] : 0.f;
    if (threadIdx.x < R) {
      tile[threadIdx.x] = i >= R && i - R < n ? in[i - R] : 0.f;
      tile[threadIdx.x + B + R] = i + B < n ? in[i + B] : 0.f;
    }
  }
  __syncthreads();
  float sum = 0;
  for (int k = -R; k <= R; ++k) sum += tile[threadIdx.x + R + k];
  if (i < n) out[i] = sum;
}
// CHECK: at launch: blockIdx.x * 64 - 4 >= -4 and blockIdx.x * 64 - 4 <= {{[0-9]+}}
// CHECK: at launch: blockIdx.x * 64 - 4 >= -4 and blockIdx.x * 64 - 4 <= {{[0-9]+}}
// CHECK: at launch: blockIdx.x * 64 - 8 >= -8 and blockIdx.x * 64 - 8 <= {{[0-9]+}}

// The same in two dimensions, where the row is widened before it is multiplied: blocks at the edge take the loop.
__global__ void wide_rows(float *out, const float *in, unsigned w, unsigned h) {
  __shared__ float tile[10][40];
#pragma tma load
  for (unsigned i = threadIdx.x; i < 400; i += 64) {
    unsigned y = blockIdx.y * 8 + i / 40 - 1, x = blockIdx.x * 32 + i % 40 - 4;
    tile[i / 40][i % 40] = y < h && x < w ? in[(size_t)y * w + x] : 0.f;
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 400; i += 64)
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 400 + i] = tile[i / 40][i % 40];
}
// CHECK: at the copy: blockIdx.x * 32 - 4 >= 0{{$}}
// CHECK: at the copy: blockIdx.y * 8 - 1 >= 0{{$}}

// The neighbour before, which the first block does not have.
__global__ void before(float *out, const float *in) {
  __shared__ float tile[64];
  int b = blockIdx.x;
#pragma tma load
  tile[threadIdx.x] = b > 0 ? in[(b - 1) * 64 + threadIdx.x] : 0.f;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}
__global__ void only_before(float *out, const float *in) {
  __shared__ float tile[64];
  int b = blockIdx.x;
  tile[threadIdx.x] = 1;
  __syncthreads();
  if (b > 0) {
#pragma tma load
    tile[threadIdx.x] = in[(b - 1) * 64 + threadIdx.x];
  }
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}
// CHECK: at the copy: blockIdx.x * 64 - 64 >= 0{{$}}
// CHECK: at the copy: blockIdx.x * 64 - 64 >= 0{{$}}

const Case cases[] = {
    {"a row by 1", [](const Arrays &a) { around_a_row<64, 1><<<4, 64>>>(a.out, a.in, 250); }},
    {"a row by 2", [](const Arrays &a) { around_a_row<64, 2><<<4, 64>>>(a.out, a.in, 256); }},
    {"a row by 5", [](const Arrays &a) { around_a_row<64, 5><<<4, 64>>>(a.out, a.in, 3); }},
    {"wide rows", [](const Arrays &a) { wide_rows<<<dim3(2, 2), 64>>>(a.out, a.in, 64, 16); }},
    {"wide rows, cut", [](const Arrays &a) { wide_rows<<<dim3(3, 2), 64>>>(a.out, a.in, 68, 11); }},
    {"before", [](const Arrays &a) { before<<<4, 64>>>(a.out, a.in); }},
    {"only before", [](const Arrays &a) { only_before<<<4, 64>>>(a.out, a.in); }},
};
} // namespace

int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
