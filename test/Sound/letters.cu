// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 -std=c++17 %s
// RUN: %tilelift --check --remarks %s -- -std=c++17 2>&1 | grep -c Wtilelift-lifted | grep -x 6
//
// Names with a '$' and with letters outside of ASCII, of what lifted text still needs: coordinates, counters, tiles. And
// calls that name the function in parentheses.
#include "Inputs/arrays.h"

namespace {
constexpr int x$ = 4; // another one than the kernel's

__global__ void coordinate(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ float tile[8][16];
  int x$ = blockIdx.x * 16;
#pragma tma load
  for (int i = threadIdx.x; i < 128; i += blockDim.x)
    tile[i / 16][i % 16] = x$ + i % 16 < w ? in[i / 16 * w + x$ + i % 16] : 0.f;
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x / 8];
}

__global__ void letters(float *__restrict__ out, const float *__restrict__ in, int größe) {
  __shared__ float tile$[8][16];
  const int spalte$1 = blockIdx.x * 16, öffnung = spalte$1 + 16;
#pragma tma load
  for (int i = threadIdx.x; i < 128; i += blockDim.x)
    tile$[i / 16][i % 16] = öffnung - 16 + i % 16 < größe ? in[i / 16 * größe + spalte$1 + i % 16] : 0.f;
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile$[threadIdx.x % 8][threadIdx.x / 8];
}

__global__ void counter(float *__restrict__ out, const float *__restrict__ in, int rundenzahl) {
  __shared__ float tile[T];
  float sum = 0;
#pragma tma pipeline stages(2)
  for (int ö = 0; ö < rundenzahl; ++ö) {
#pragma tma load
    for (int i = threadIdx.x; i < T; i += blockDim.x) tile[i] = in[ö * T + i];
    __syncthreads();
    sum += tile[threadIdx.x ^ 1];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void two_counters(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[T];
  float sum = 0;
  int at$ = 0;
#pragma tma pipeline stages(3)
  for (int r$ = 0; r$ < n; ++r$, at$ += T) {
#pragma tma load
    for (int i = threadIdx.x; i < T; i += blockDim.x) tile[i] = in[at$ + i];
    __syncthreads();
    sum = sum * 0.5f + tile[threadIdx.x ^ 5];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__device__ float fetch(float *tile, const float *from) {
#pragma tma load
  for (int i = threadIdx.x; i < T; i += blockDim.x) tile[i] = from[i];
  __syncthreads();
  return tile[threadIdx.x ^ 3];
}
template <int N> __device__ float fetched(float *tile, const float *from) {
#pragma tma load
  for (int i = threadIdx.x; i < T; i += blockDim.x) tile[i] = from[i + N];
  __syncthreads();
  return tile[threadIdx.x ^ 6];
}
__global__ void in_parentheses(float *out, const float *__restrict__ in) {
  __shared__ float first[T], second[T];
  const float value = (fetch)(first, in);
  out[threadIdx.x] = value + ((fetched<8>))(second, in);
}

const Case cases[] = {
    {"coordinate", [](const Arrays &a) { coordinate<<<2, T>>>(a.out, a.in, 28); }},
    {"letters", [](const Arrays &a) { letters<<<2, T>>>(a.out, a.in, 28); }},
    {"counter", [](const Arrays &a) { counter<<<1, T>>>(a.out, a.in, 5); }},
    {"two_counters", [](const Arrays &a) { two_counters<<<1, T>>>(a.out, a.in, 6); }},
    {"in_parentheses", [](const Arrays &a) { in_parentheses<<<1, T>>>(a.out, a.in); }},
};
} // namespace

int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
