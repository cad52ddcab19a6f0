// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=1 %s
// RUN: %tilelift --check --remarks %s 2>&1 | grep -c "remark: lifted" | grep -x 10
//
// Numbers of 64 bits that are compared by the program, and subtracted or multiplied by what is generated: their
// difference may need more than 64 bits. An empty range from the largest number to the smallest is how people say
// "nothing".
#include "Inputs/arrays.h"

#include <climits>

__global__ void under_a_condition(float *out, const float *in, long long lo, long long hi) {
  __shared__ alignas(128) float tile[T];
  tile[threadIdx.x] = -2;
  __syncthreads();
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T)
    if (lo < hi) tile[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = tile[T - 1 - threadIdx.x];
}
__global__ void from_memory(float *out, const float *in, const long long *ends) {
  __shared__ alignas(128) float tile[4][32];
  const long long h = ends[0];
#pragma tma load
  for (int i = threadIdx.x; i < 128; i += T) {
    const long long y = blockIdx.x * 4ll + i / 32;
    tile[i / 32][i % 32] = y < h ? in[y * 32 + i % 32] : 0;
  }
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[3 - threadIdx.x / 32][threadIdx.x % 32];
}
__global__ void as_unsigned(float *out, const float *in, long long a, long long b, long long c) {
  __shared__ alignas(128) float tile[T];
  tile[threadIdx.x] = -2;
  __syncthreads();
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T)
    if ((unsigned)a - (unsigned)b < (unsigned)c) tile[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = tile[T - 1 - threadIdx.x];
}
__global__ void as_an_extent(float *out, const float *in, long long lo, long long hi) {
  __shared__ alignas(128) float tile[T];
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) {
    const long long x = lo + i;
    tile[i] = x < hi ? in[x - lo] : 0;
  }
  __syncthreads();
  out[threadIdx.x] = tile[T - 1 - threadIdx.x];
}
__global__ void stored(float *out, const float *in, long long lo, long long hi) {
  __shared__ alignas(128) float tile[4][64];
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 64][i % 64] = in[255 - i];
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.x; i < 256; i += T) {
    const long long y = lo + i / 64;
    if (y < hi) out[(y - lo) * 64 + i % 64] = tile[i / 64][i % 64];
  }
}
__global__ void in_rounds(float *out, const float *in, long long lo, long long hi, int rounds) {
  __shared__ alignas(128) float tile[T];
  float sum = 0;
#pragma tma pipeline
  for (int k = 0; k < rounds; ++k) {
#pragma tma load
    for (int i = threadIdx.x; i < T; i += T) tile[i] = lo < hi ? in[k * T + i] : 0;
    __syncthreads();
    sum = 3 * sum + tile[T - 1 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
__global__ void in_rows(float *out, const float *in, const int *rows, const long long *ends) {
  __shared__ alignas(128) float tile[8][64];
  const long long lo = ends[0], hi = ends[1];
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += T)
    tile[i / 64][i % 64] = lo < hi ? in[rows[i / 64] * 64 + i % 64] : 0;
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += T) out[i] = tile[7 - i / 64][i % 64];
}
// Rows that are further apart than an int counts.
__global__ void far_apart(float *out, const float *in, long long h) {
  __shared__ alignas(128) float tile[4][32];
#pragma tma load
  for (int i = threadIdx.x; i < 128; i += T) {
    const long long y = blockIdx.x * 3000000000ll + i / 32;
    tile[i / 32][i % 32] = y < h ? in[y * 32 + i % 32] : 0;
  }
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[3 - threadIdx.x / 32][threadIdx.x % 32];
}
__global__ void as_far_as_ints_go_around(float *out, const float *in, long long h) {
  __shared__ alignas(128) float tile[4][32];
#pragma tma load
  for (int i = threadIdx.x; i < 128; i += T) {
    const long long y = blockIdx.x * 4294967296ll + i / 32;
    tile[i / 32][i % 32] = y < h ? in[y * 32 + i % 32] : 0;
  }
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[3 - threadIdx.x / 32][threadIdx.x % 32];
}
__global__ void with_a_factor(float *out, const float *in, int w) {
  __shared__ alignas(128) float tile[4][32];
  const int y0 = (int)(blockIdx.x * 0x100000001ull);
#pragma tma load
  for (int i = threadIdx.x; i < 128; i += T) tile[i / 32][i % 32] = in[(y0 * 4 + i / 32) * w + i % 32];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[3 - threadIdx.x / 32][threadIdx.x % 32];
}

__global__ void put(long long *ends, long long a, long long b) { ends[0] = a; ends[1] = b; }
static const long long *kept(const Arrays &a, long long first, long long second) {
  put<<<1, 1>>>((long long *)a.words, first, second);
  return (const long long *)a.words;
}
static const Case cases[] = {
    {"under_a_condition", [](const Arrays &a) { under_a_condition<<<1, T>>>(a.out, a.in, LLONG_MAX, LLONG_MIN); under_a_condition<<<1, T>>>(a.out + T, a.in, LLONG_MIN, LLONG_MAX); under_a_condition<<<1, T>>>(a.out + 2 * T, a.in, 3, 4); under_a_condition<<<1, T>>>(a.out + 3 * T, a.in, 4, 4); }},
    {"from_memory", [](const Arrays &a) { from_memory<<<2, T>>>(a.out, a.in, kept(a, LLONG_MIN, 0)); from_memory<<<2, T>>>(a.out + 2 * T, a.in, kept(a, 6, 0)); }},
    {"as_unsigned", [](const Arrays &a) { as_unsigned<<<1, T>>>(a.out, a.in, LLONG_MAX, LLONG_MIN, 7); as_unsigned<<<1, T>>>(a.out + T, a.in, 9, 4, 7); }},
    {"as_an_extent", [](const Arrays &a) { as_an_extent<<<1, T>>>(a.out, a.in, LLONG_MAX - 1000, LLONG_MIN + 100); as_an_extent<<<1, T>>>(a.out + T, a.in, LLONG_MAX - 200, LLONG_MAX - 100); as_an_extent<<<1, T>>>(a.out + 2 * T, a.in, -50, 40); }},
    {"stored", [](const Arrays &a) { stored<<<1, T>>>(a.out, a.in, LLONG_MAX - 1000, LLONG_MIN + 100); stored<<<1, T>>>(a.out + 512, a.in, -8, -5); }},
    {"in_rounds", [](const Arrays &a) { in_rounds<<<1, T>>>(a.out, a.in, LLONG_MAX, LLONG_MIN, 4); in_rounds<<<1, T>>>(a.out + T, a.in, -1, 1, 4); }},
    {"in_rows", [](const Arrays &a) { in_rows<<<1, T>>>(a.out, a.in, a.ints, kept(a, LLONG_MAX, LLONG_MIN)); in_rows<<<1, T>>>(a.out + 512, a.in, a.ints, kept(a, 1, 2)); }},
    {"far_apart", [](const Arrays &a) { far_apart<<<3, T>>>(a.out, a.in, 10); far_apart<<<1, T>>>(a.out + 3 * T, a.in, 3); }},
    {"as_far_as_ints_go_around", [](const Arrays &a) { as_far_as_ints_go_around<<<3, T>>>(a.out, a.in, 10); as_far_as_ints_go_around<<<1, T>>>(a.out + 3 * T, a.in, 3); }},
    {"with_a_factor", [](const Arrays &a) { with_a_factor<<<3, T>>>(a.out, a.in, 36); with_a_factor<<<1, T>>>(a.out + 3 * T, a.in, 32); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
