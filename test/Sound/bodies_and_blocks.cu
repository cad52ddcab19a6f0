// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 14
//
// Copies that are the whole body of a branch or a loop, without braces; that stand in braces of their own; of kernels
// that each declare the same dynamic memory; and in loops of which only the launch knows the end.
#include "Inputs/arrays.h"
__global__ void both_sides_of_a_branch(float *__restrict__ out, const float *__restrict__ in, int b) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  if (b)
#pragma tma load
    tile[t] = in[at + t];
  else
#pragma tma load
    tile[t] = in[at + 512 + t];
  if (b)
    __syncthreads();
  else
    __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
__global__ void body_of_a_do(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[4][T];
  int t = threadIdx.x, at = blockIdx.x * T, k = 0;
  do
#pragma tma load
    tile[k & 3][t] = in[k * 256 + at + t];
  while (++k < n);
  __syncthreads();
  out[at + t] = tile[0][T - 1 - t] + tile[1][T - 1 - t];
}
__global__ void branches_in_a_loop(float *__restrict__ out, const float *__restrict__ in, int b) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  for (int j = 0; j < 3; ++j)
    if (b)
      tile[t] = in[at + t + j];
    else
#pragma tma load
      tile[t] = in[at + 512 + t];
  __syncthreads();
  tile[t] = tile[t] + 1;
  if (b)
#pragma tma store
    out[at + t] = tile[t];
}
__global__ void barriers_on_both_sides(float *__restrict__ out, const float *__restrict__ in, int b) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load
  tile[t] = in[at + t];
  if (b)
    __syncthreads();
  else
    __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
__global__ void barriers_in_a_loop(float *__restrict__ out, const float *__restrict__ in, int b) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load
  tile[t] = in[at + t];
  for (int i = 0; i < 2; ++i) __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// Rings, whose tiles are used behind the braces in which they are filled.
__global__ void ring_filled_in_braces(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float s[8][32];
  float sum = 0;
#pragma tma pipeline stages(2)
  for (int r = 0; r < n; ++r) {
    {
#pragma tma load
      for (int i = threadIdx.x; i < 8 * 32; i += T) s[i / 32][i % 32] = in[(r * 8 + i / 32) * 32 + i % 32];
    }
    __syncthreads();
    sum += s[threadIdx.x % 8][threadIdx.x / 8];
    __syncthreads();
  }
  out[blockIdx.x * T + threadIdx.x] = sum;
}
__global__ void two_rings_in_braces(float *__restrict__ out, const float *__restrict__ in,
                                    const float *__restrict__ more, int n) {
  __shared__ float s[8][32], u[8][32];
  float sum = 0;
#pragma tma pipeline stages(3)
  for (int r = 0; r < n; ++r) {
    {
      int first = r * 8;
      {
#pragma tma load
        for (int i = threadIdx.x; i < 8 * 32; i += T) s[i / 32][i % 32] = in[(r * 8 + i / 32) * 32 + i % 32];
      }
      sum += first;
    }
    {
#pragma tma load
      for (int i = threadIdx.x; i < 8 * 32; i += T) u[i / 32][i % 32] = more[(r * 8 + i / 32) * 32 + i % 32];
    }
    __syncthreads();
    sum += s[threadIdx.x % 8][threadIdx.x / 8] * u[threadIdx.x / 16][threadIdx.x % 32];
    __syncthreads();
  }
  out[blockIdx.x * T + threadIdx.x] = sum;
}
__global__ void ring_of_a_warp_in_braces(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float s[8][32];
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer)
  for (int r = 0; r < n; ++r) {
    {
#pragma tma load
      for (int i = threadIdx.x; i < 8 * 32; i += T) s[i / 32][i % 32] = in[(r * 8 + i / 32) * 32 + i % 32];
    }
    __syncthreads();
    sum += s[threadIdx.x % 8][threadIdx.x / 8];
    __syncthreads();
  }
  out[blockIdx.x * T + threadIdx.x] = sum;
}

// Dynamic memory of the same name and type.
__global__ void first_of_a_name(float *__restrict__ out, const float *__restrict__ in, int w) {
  extern __shared__ float shared_rows[][32];
  float *tile = &shared_rows[0][0] + (threadIdx.x / 32) * 32;
#pragma tma load
  for (int i = 0; i < 8; ++i) tile[i * 128 + threadIdx.x % 32] = in[(blockIdx.x * 8 + i) * w + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = shared_rows[0][127 - threadIdx.x];
}
__global__ void second_of_a_name(float *__restrict__ out, const float *__restrict__ in, int w) {
  extern __shared__ float shared_rows[][32];
  float *tile = &shared_rows[0][0] + (threadIdx.x / 32) * 32;
#pragma tma load
  for (int i = 0; i < 8; ++i) tile[i * 128 + threadIdx.x % 32] = in[(blockIdx.x * 8 + i) * w + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = shared_rows[3][127 - threadIdx.x];
}

// Nothing but the argument says how long it is.
__global__ void as_long_as_the_launch_says(float *__restrict__ out, const float *__restrict__ in, int n) {
  extern __shared__ float part[];
#pragma tma load
  for (int i = threadIdx.x; i < n; i += blockDim.x) part[i] = in[(blockIdx.x << 11) + i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[(blockIdx.x << 11) + i] = part[n - 1 - i];
}

static const Case cases[] = {
    {"both_sides_of_a_branch", [](const Arrays &a) { both_sides_of_a_branch<<<2, T>>>(a.out, a.in, 1); }},
    {"both_sides_of_a_branch, otherwise", [](const Arrays &a) { both_sides_of_a_branch<<<2, T>>>(a.out, a.in, 0); }},
    {"body_of_a_do", [](const Arrays &a) { body_of_a_do<<<2, T>>>(a.out, a.in, 4); }},
    {"branches_in_a_loop", [](const Arrays &a) { branches_in_a_loop<<<2, T>>>(a.out, a.in, 1); }},
    {"branches_in_a_loop, otherwise", [](const Arrays &a) { branches_in_a_loop<<<2, T>>>(a.out, a.in, 0); }},
    {"barriers_on_both_sides", [](const Arrays &a) { barriers_on_both_sides<<<2, T>>>(a.out, a.in, 1); }},
    {"barriers_in_a_loop", [](const Arrays &a) { barriers_in_a_loop<<<2, T>>>(a.out, a.in, 1); }},
    {"ring_filled_in_braces", [](const Arrays &a) { ring_filled_in_braces<<<2, T>>>(a.out, a.in, 5); }},
    {"two_rings_in_braces", [](const Arrays &a) { two_rings_in_braces<<<2, T>>>(a.out, a.in, a.more, 5); }},
    {"ring_of_a_warp_in_braces", [](const Arrays &a) { ring_of_a_warp_in_braces<<<2, T>>>(a.out, a.in, 5); }},
    {"first_of_a_name", [](const Arrays &a) { first_of_a_name<<<2, T, 4096>>>(a.out, a.in, 128); }},
    {"second_of_a_name", [](const Arrays &a) { second_of_a_name<<<2, T, 4096>>>(a.out, a.in, 128); }},
    {"as_long_as_the_launch_says", [](const Arrays &a) { as_long_as_the_launch_says<<<2, T, 8192>>>(a.out, a.in, 2048); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
