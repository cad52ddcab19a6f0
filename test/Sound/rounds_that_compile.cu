// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=3 -std=c++20 %s
//
// Counters that are hard to write down a second time: the lifted program has to compile, and to do what the plain one
// does. A declarator has parts on both sides of its name, and a step comes from a pack of template arguments.
#include "Inputs/arrays.h"

// The pointer of the head leads to whole rows.
__global__ void pointer_to_rows(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, k = 0;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (const float (*row)[T] = (const float (*)[T])in; k < n; ++row, ++k) {
#pragma tma load fallback(loop)
    tile[t] = (*row)[t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}

__global__ void pointer_to_rows_of_a_parameter(float *__restrict__ out, const float (*__restrict__ in)[T], int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, k = 0;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (const float (*row)[T] = in; k < n; ++row, ++k) {
#pragma tma load fallback(loop)
    tile[t] = row[0][t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}

__global__ void pointer_to_planes(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[4][32];
  int t = threadIdx.x, k = 0;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (const float (*plane)[4][32] = (const float (*)[4][32])in; k < n; ++plane, ++k) {
#pragma tma load fallback(loop)
    tile[t / 32][t % 32] = (*plane)[t / 32][t % 32];
    __syncthreads();
    sum = 2 * sum + tile[3 - t / 32][t % 32];
    __syncthreads();
  }
  out[t] = sum;
}

// The step is folded over a pack.
template <int... Steps> __global__ void step_of_a_pack(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ((k += Steps), ...)) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

template <int... Steps>
__global__ void step_of_a_pack_in_the_body(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n;) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
    ((k += Steps), ...);
  }
  out[at + t] = sum;
}

template <typename... Numbers>
__global__ void step_of_a_pack_of_arguments(float *__restrict__ out, const float *__restrict__ in, int n,
                                            Numbers... by) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ((k += by), ...)) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

static const Case cases[] = {
    {"pointer_to_rows", [](const Arrays &a) { pointer_to_rows<<<1, T>>>(a.out, a.in, 9); }},
    {"pointer_to_rows_of_a_parameter",
     [](const Arrays &a) { pointer_to_rows_of_a_parameter<<<1, T>>>(a.out, (const float (*)[T])a.in, 9); }},
    {"pointer_to_planes", [](const Arrays &a) { pointer_to_planes<<<1, T>>>(a.out, a.in, 9); }},
    {"step_of_a_pack", [](const Arrays &a) { step_of_a_pack<1><<<2, T>>>(a.out, a.in, 9); }},
    {"step_of_a_pack_in_the_body", [](const Arrays &a) { step_of_a_pack_in_the_body<2><<<2, T>>>(a.out, a.in, 9); }},
    {"step_of_a_pack_of_arguments", [](const Arrays &a) { step_of_a_pack_of_arguments<<<2, T>>>(a.out, a.in, 9, 2); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
