// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=10 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | tee %t.txt | grep -c Wtilelift-lifted | grep -x 4
// RUN: grep -c "'rows\[tma_row\]', which the kernel may change before the copy looks it up" %t.txt | grep -x 3
//
// The kernel overwrites the table in which a copy looks up its rows, behind the copy. A thread of the plain program has
// looked up its own entries by then; in the lifted one, the leader looks up all of them, and each thread asks the
// conditions of all of them. So a barrier has to come between the copy and the write: the program's, which then
// stays, and without one there is no copy.
#include "Inputs/arrays.h"

namespace {
constexpr int R = 8, C = 64; // rows and columns of a tile

__device__ void use(float *out, const float (&tile)[R][C]) {
  for (int i = threadIdx.x; i < R * C; i += blockDim.x) out[i] = tile[i / C][i % C];
}

// Each thread looks up every row.
__global__ void behind_a_barrier(float *__restrict__ out, const float *__restrict__ in, int *__restrict__ rows) {
  __shared__ float tile[R][C];
#pragma tma load
  for (int i = threadIdx.x; i < R * C; i += C) tile[i / C][i % C] = in[rows[i / C] * C + i % C];
  __syncthreads();
  if (threadIdx.x < R) rows[threadIdx.x] = -1;
  use(out, tile);
}
__global__ void in_each_round(float *__restrict__ out, const float *__restrict__ in, int *__restrict__ rows) {
  __shared__ float tile[R][C];
  for (int k = 0; k < 2; ++k) {
#pragma tma load
    for (int i = threadIdx.x; i < R * C; i += C) tile[i / C][i % C] = in[rows[k * R + i / C] * C + i % C];
    __syncthreads();
    use(out + k * R * C, tile);
    if (threadIdx.x < R) rows[k * R + threadIdx.x] = -1;
    __syncthreads();
  }
}

// Sixteen threads look up one row, and one of them overwrites its number.
__global__ void behind_a_warp(float *__restrict__ out, const float *__restrict__ in, int *__restrict__ rows) {
  __shared__ float tile[R][C];
#pragma tma load fallback(loop)
  for (int i = threadIdx.x % 16; i < C; i += 16) tile[threadIdx.x / 16][i] = in[rows[threadIdx.x / 16] * C + i];
  __syncwarp();
  if (threadIdx.x % 16 == 0) rows[threadIdx.x / 16] = -1;
  __syncthreads();
  use(out, tile);
}
__global__ void under_a_guard(float *__restrict__ out, const float *__restrict__ in, int *__restrict__ rows, int w) {
  __shared__ float tile[R][C];
#pragma tma load fallback(loop)
  for (int i = threadIdx.x % 16; i < C; i += 16)
    tile[threadIdx.x / 16][i] = i < w ? in[rows[threadIdx.x / 16] * C + i] : 0.f;
  __syncwarp();
  if (threadIdx.x % 16 == 0) rows[threadIdx.x / 16] = -1;
  __syncthreads();
  use(out, tile);
}
__global__ void on_some_way(float *__restrict__ out, const float *__restrict__ in, int *__restrict__ rows, int w) {
  __shared__ float tile[R][C];
#pragma tma load fallback(loop)
  for (int i = threadIdx.x % 16; i < C; i += 16) tile[threadIdx.x / 16][i] = in[rows[threadIdx.x / 16] * C + i];
  if (w > 60) __syncthreads();
  __syncwarp();
  if (threadIdx.x % 16 == 0) rows[threadIdx.x / 16] = -1;
  __syncthreads();
  use(out, tile);
}

// With a barrier in between, few threads may look up a row.
__global__ void few_behind_a_barrier(float *__restrict__ out, const float *__restrict__ in, int *__restrict__ rows) {
  __shared__ float tile[R][C];
#pragma tma load
  for (int i = threadIdx.x % 16; i < C; i += 16) tile[threadIdx.x / 16][i] = in[rows[threadIdx.x / 16] * C + i];
  __syncthreads();
  if (threadIdx.x % 16 == 0) rows[threadIdx.x / 16] = -1;
  use(out, tile);
}
__global__ void few_under_a_guard(float *__restrict__ out, const float *__restrict__ in, int *__restrict__ rows, int w) {
  __shared__ float tile[R][C];
#pragma tma load
  for (int i = threadIdx.x % 16; i < C; i += 16)
    tile[threadIdx.x / 16][i] = i < w ? in[rows[threadIdx.x / 16] * C + i] : 0.f;
  __syncthreads();
  if (threadIdx.x % 16 == 0) rows[threadIdx.x / 16] = -1;
  use(out, tile);
}

} // namespace

static const Case cases[] = {
    {"behind_a_barrier", [](const Arrays &a) { behind_a_barrier<<<1, C>>>(a.out, a.in, a.ints); }},
    {"in_each_round", [](const Arrays &a) { in_each_round<<<1, C>>>(a.out, a.in, a.ints); }},
    {"behind_a_warp", [](const Arrays &a) { behind_a_warp<<<1, 128>>>(a.out, a.in, a.ints); }},
    {"under_a_guard", [](const Arrays &a) { under_a_guard<<<1, 128>>>(a.out, a.in, a.ints, 60); }},
    {"on_some_way", [](const Arrays &a) { on_some_way<<<1, 128>>>(a.out, a.in, a.ints, 60); }},
    {"few_behind_a_barrier", [](const Arrays &a) { few_behind_a_barrier<<<1, 128>>>(a.out, a.in, a.ints); }},
    {"few_under_a_guard", [](const Arrays &a) { few_under_a_guard<<<1, 128>>>(a.out, a.in, a.ints, 60); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
