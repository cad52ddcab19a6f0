// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=3 -std=c++17 %s
// RUN: %not 1 %tilelift --check --remarks %s -- -std=c++17 2>&1 | tee %t.txt | grep -c Wtilelift-lifted | grep -x 7
// RUN: grep "Wtilelift-lifted" %t.txt | grep -c "1-D bulk" | grep -x 7
//
// Rows of a tile that lie apart: every second, fourth or eighth one is filled, or several of each group. A box of TMA is
// written without gaps, so each row is a copy of its own, or none is. The addresses of such rows have zeros where a swizzle takes its
// bits from, so nothing tells them from rows of a tile that the program swizzles.
#include "Inputs/arrays.h"

namespace {
__global__ void every_second_row(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[8][32];
  const int t = threadIdx.x;
#pragma tma load
  for (int r = 0; r < 4; ++r) tile[2 * r][t] = in[(blockIdx.x * 4 + r) * 32 + t];
  __syncthreads();
  for (int r = 0; r < 4; ++r) out[(blockIdx.x * 4 + r) * 32 + t] = tile[2 * r][31 - t];
}
__global__ void every_fourth_row(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[32][32];
  const int t = threadIdx.x;
#pragma tma load
  for (int r = 0; r < 8; ++r) tile[4 * r][t] = in[(blockIdx.x * 8 + r) * 32 + t];
  __syncthreads();
  for (int r = 0; r < 8; ++r) out[(blockIdx.x * 8 + r) * 32 + t] = tile[4 * r][31 - t];
}
__global__ void every_eighth_row_of_bytes(float *__restrict__ out, const char *__restrict__ in) {
  __shared__ char tile[64][128];
  const int t = threadIdx.x;
#pragma tma load
  for (int r = 0; r < 8; ++r) tile[8 * r][t] = in[(blockIdx.x * 8 + r) * 128 + t];
  __syncthreads();
  for (int r = 0; r < 8; ++r) out[(blockIdx.x * 8 + r) * 128 + t] = tile[8 * r][127 - t];
}
__global__ void every_second_row_of_both(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[8][32];
  const int t = threadIdx.x;
#pragma tma load
  for (int r = 0; r < 8; r += 2) tile[r][t] = in[(blockIdx.x * 8 + r) * 32 + t];
  __syncthreads();
  for (int r = 0; r < 8; r += 2) out[(blockIdx.x * 8 + r) * 32 + t] = tile[r][31 - t];
}
__global__ void every_second_row_stored(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[8][32];
  const int t = threadIdx.x;
  for (int r = 0; r < 8; ++r) tile[r][t] = in[r * 32 + t] + r;
  __syncthreads();
#pragma tma store
  for (int r = 0; r < 4; ++r) out[(blockIdx.x * 4 + r) * 32 + t] = tile[2 * r][t];
}
__global__ void every_second_row_added(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[8][32];
  const int t = threadIdx.x;
  for (int r = 0; r < 8; ++r) tile[r][t] = in[r * 32 + t] + r;
  __syncthreads();
#pragma tma reduce fallback(loop)
  for (int r = 0; r < 4; ++r) out[(blockIdx.x * 4 + r) * 32 + t] += tile[2 * r][t];
}
__global__ void every_second_row_in_rounds(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[8][32];
  const int t = threadIdx.x;
#pragma tma pipeline stages(2)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    for (int r = 0; r < 4; ++r) tile[2 * r][t] = in[(k * 4 + r) * 32 + t];
    __syncthreads();
    for (int r = 0; r < 4; ++r) out[(k * 4 + r) * 32 + t] = tile[2 * r][31 - t];
    __syncthreads();
  }
}
__global__ void four_rows_of_eight(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[4][8][20];
#pragma tma load
  for (int i = threadIdx.x; i < 4 * 4 * 20; i += T)
    tile[i / 80][i / 20 % 4][i % 20] = in[i / 80 * 1024 + i / 20 % 4 * 32 + i % 20];
  __syncthreads();
  for (int i = threadIdx.x; i < 4 * 4 * 20; i += T) out[i] = tile[i / 80][i / 20 % 4][19 - i % 20];
}

// A swizzle that is asked for leaves no rows out either.
__global__ void swizzled_rows_apart(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[16][8];
#pragma tma load swizzle(32) fallback(loop)
  for (int i = threadIdx.x; i < 64; i += T) tile[i / 32 * 8 + i / 8 % 4][i % 8] = in[i];
  __syncthreads();
  for (int i = threadIdx.x; i < 64; i += T) out[i] = tile[i / 32 * 8 + i / 8 % 4][7 - i % 8];
}
} // namespace

static const Case cases[] = {
    {"every_second_row", [](const Arrays &a) { every_second_row<<<2, 32>>>(a.out, a.in); }},
    {"every_fourth_row", [](const Arrays &a) { every_fourth_row<<<2, 32>>>(a.out, a.in); }},
    {"every_eighth_row_of_bytes",
     [](const Arrays &a) {
       every_eighth_row_of_bytes<<<2, 128>>>(a.out, reinterpret_cast<const char *>(a.in));
     }},
    {"every_second_row_of_both", [](const Arrays &a) { every_second_row_of_both<<<2, 32>>>(a.out, a.in); }},
    {"every_second_row_stored", [](const Arrays &a) { every_second_row_stored<<<2, 32>>>(a.out, a.in); }},
    {"every_second_row_added", [](const Arrays &a) { every_second_row_added<<<2, 32>>>(a.buf, a.in); }},
    {"every_second_row_in_rounds", [](const Arrays &a) { every_second_row_in_rounds<<<1, 32>>>(a.out, a.in, 5); }},
    {"four_rows_of_eight", [](const Arrays &a) { four_rows_of_eight<<<1, T>>>(a.out, a.in); }},
    {"swizzled_rows_apart", [](const Arrays &a) { swizzled_rows_apart<<<1, T>>>(a.out, a.in); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
