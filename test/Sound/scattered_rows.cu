// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=3 -std=c++17 %s
// RUN: %tilelift --remarks %s -o %t.cu -- -std=c++17 2>&1 | grep -c Wtilelift-lifted | grep -x 11
// RUN: grep -c "tilelift::[a]re_apart<" %t.cu | grep -x 9
// RUN: grep "tilelift::[a]re_apart<" %t.cu | grep -c "tma_row_exists ?" | grep -x 2
//
// Rows that go where a table says, and some of them to one place. A thread that stores several rows stores them one
// after the other: the last one stays there, and a sum of floating-point numbers is rounded in that order. Integers have
// one sum in any order, and a thread that stores elements of one row only has no order to keep.
#include "Inputs/arrays.h"

#include <initializer_list>

namespace {
const int *table_of(std::initializer_list<int> numbers) {
  int *table;
  cudaMalloc((void **)&table, numbers.size() * sizeof(int));
  cudaMemcpy(table, numbers.begin(), numbers.size() * sizeof(int), cudaMemcpyHostToDevice);
  return table;
}

__global__ void last_row_stays(float *out, const int *__restrict__ rows, int w) {
  __shared__ alignas(128) float tile[8][32];
  const int t = threadIdx.x;
  for (int r = 0; r < 8; ++r) tile[r][t] = r * 100 + t;
  __syncthreads();
#pragma tma store
  for (int r = 0; r < 8; ++r) out[rows[r] * w + t] = tile[r][t];
}
__global__ void first_row_stays(float *out, const int *__restrict__ rows, int w) {
  __shared__ alignas(128) float tile[8][32];
  const int t = threadIdx.x;
  for (int r = 0; r < 8; ++r) tile[r][t] = r * 100 + t;
  __syncthreads();
#pragma tma store
  for (int r = 7; r >= 0; --r) out[rows[r] * w + t] = tile[r][t];
}

// A row that the table leaves out goes nowhere, and meets no other one.
__global__ void rows_that_are_there(float *out, const int *__restrict__ rows, int w) {
  __shared__ alignas(128) float tile[8][32];
  const int t = threadIdx.x;
  for (int r = 0; r < 8; ++r) tile[r][t] = r * 100 + t;
  __syncthreads();
#pragma tma store
  for (int r = 0; r < 8; ++r)
    if (rows[r] >= 0) out[rows[r] * w + t] = tile[r][t];
}

// A page has two rows of the tile, so that pages lie in one place together.
__global__ void last_page_stays(float *out, const int *__restrict__ pages) {
  __shared__ alignas(128) float tile[8][32];
  const int t = threadIdx.x;
  for (int r = 0; r < 8; ++r) tile[r][t] = r * 100 + t;
  __syncthreads();
#pragma tma store
  for (int r = 0; r < 8; ++r) out[(pages[r / 2] * 2 + r % 2) * 32 + t] = tile[r][t];
}

// Elements of a swizzled tile go to columns that the kernel is given.
__global__ void last_row_of_a_swizzled_tile_stays(float *out, const int *__restrict__ rows, int w, int x) {
  __shared__ alignas(1024) float tile[8][32];
  const int t = threadIdx.x;
  for (int r = 0; r < 8; ++r) tile[r][t] = r * 100 + t;
  __syncthreads();
#pragma tma store swizzle(128)
  for (int r = 0; r < 8; ++r) out[rows[r] * w + x + t] = tile[r][t];
}

// Rows that are longer than the distance between two of them overlap, although their numbers differ.
__global__ void long_rows(float *out, const int *__restrict__ rows, int w, int n) {
  __shared__ alignas(128) float tile[8][64];
  const int t = threadIdx.x;
  for (int i = t; i < 512; i += 32) tile[i / 64][i % 64] = i;
  __syncthreads();
#pragma tma store
  for (int r = 7; r >= 0; --r)
    for (int c = t; c < 64; c += 32)
      if (rows[r] >= 0 && c < n) out[rows[r] * w + c] = tile[r][c];
}
__global__ void sums_of_long_rows(float *out, const int *__restrict__ rows, int w) {
  __shared__ alignas(128) float tile[8][64];
  const int t = threadIdx.x;
  for (int i = t; i < 512; i += 32) tile[i / 64][i % 64] = i % 3 ? 1.25f : i % 2 ? 16777216.f : -16777216.f;
  __syncthreads();
#pragma tma reduce
  for (int r = 7; r >= 0; --r)
    for (int c = t; c < 64; c += 32) atomicAdd(&out[rows[r] * w + c], tile[r][c]);
}
__global__ void sums_from_the_last_row(float *out, const int *__restrict__ rows, int w) {
  __shared__ alignas(128) float tile[8][32];
  const int t = threadIdx.x;
  for (int r = 0; r < 8; ++r) tile[r][t] = r == 0 ? 16777216.f : r == 5 ? -16777216.f : 1.25f + t;
  __syncthreads();
#pragma tma reduce
  for (int r = 7; r >= 0; --r) out[rows[r] * w + t] += tile[r][t];
}
__global__ void atomic_sums_from_the_last_row(float *out, const int *__restrict__ rows, int w) {
  __shared__ alignas(128) float tile[8][32];
  const int t = threadIdx.x;
  for (int r = 0; r < 8; ++r) tile[r][t] = r == 0 ? 16777216.f : r == 5 ? -16777216.f : 1.25f + t;
  __syncthreads();
#pragma tma reduce
  for (int r = 7; r >= 0; --r) atomicAdd(&out[rows[r] * w + t], tile[r][t]);
}
__global__ void sums_of_integers(int *out, const int *__restrict__ rows, int w) {
  __shared__ alignas(128) int tile[8][32];
  const int t = threadIdx.x;
  for (int r = 0; r < 8; ++r) tile[r][t] = r * 100 + t;
  __syncthreads();
#pragma tma reduce
  for (int r = 0; r < 8; ++r) out[rows[r] * w + t] += tile[r][t];
}

// Each thread stores one element, so that rows that meet would be a race in the plain program.
__global__ void a_row_for_each_warp(float *out, const int *__restrict__ rows, int w) {
  __shared__ alignas(128) float tile[4][32];
  const int t = threadIdx.x;
  tile[t / 32][t % 32] = t;
  __syncthreads();
#pragma tma store
  out[rows[t / 32] * w + t % 32] = tile[t / 32][t % 32];
}
} // namespace

static const Case cases[] = {
    {"last_row_stays",
     [](const Arrays &a) { last_row_stays<<<1, 32>>>(a.out, table_of({5, 9, 1, 5, 7, 5, 1, 4}), 32); }},
    {"first_row_stays",
     [](const Arrays &a) { first_row_stays<<<1, 32>>>(a.out, table_of({5, 9, 1, 5, 7, 5, 1, 4}), 32); }},
    {"no_rows_meet", [](const Arrays &a) { last_row_stays<<<1, 32>>>(a.out, table_of({5, 9, 1, 6, 7, 8, 2, 4}), 32); }},
    {"rows_that_are_there",
     [](const Arrays &a) { rows_that_are_there<<<1, 32>>>(a.out, table_of({-1, 9, -1, 5, 7, 5, -1, 4}), 32); }},
    {"no_rows_that_are_there_meet",
     [](const Arrays &a) { rows_that_are_there<<<1, 32>>>(a.out, table_of({-1, 9, -1, 5, 7, 6, -1, 4}), 32); }},
    {"long_rows",
     [](const Arrays &a) { long_rows<<<1, 32>>>(a.out, table_of({0, 1, 2, 3, 9, 8, 5, 20}), 32, 64); }},
    {"long_rows_far_apart",
     [](const Arrays &a) { long_rows<<<1, 32>>>(a.out, table_of({0, 1, 2, 3, 9, 8, 5, 20}), 64, 64); }},
    {"sums_of_long_rows",
     [](const Arrays &a) { sums_of_long_rows<<<1, 32>>>(a.buf, table_of({0, 1, 2, 3, 9, 8, 5, 20}), 32); }},
    {"last_page_stays", [](const Arrays &a) { last_page_stays<<<1, 32>>>(a.out, table_of({5, 9, 5, 1})); }},
    {"last_row_of_a_swizzled_tile_stays",
     [](const Arrays &a) {
       last_row_of_a_swizzled_tile_stays<<<1, 32>>>(a.out, table_of({5, 9, 1, 5, 7, 5, 1, 4}), 64, 32);
     }},
    {"sums_from_the_last_row",
     [](const Arrays &a) { sums_from_the_last_row<<<1, 32>>>(a.buf, table_of({5, 9, 1, 5, 7, 5, 1, 4}), 32); }},
    {"atomic_sums_from_the_last_row",
     [](const Arrays &a) { atomic_sums_from_the_last_row<<<1, 32>>>(a.buf, table_of({5, 9, 1, 5, 7, 5, 1, 4}), 32); }},
    {"sums_of_integers",
     [](const Arrays &a) {
       sums_of_integers<<<1, 32>>>(reinterpret_cast<int *>(a.buf), table_of({5, 9, 1, 5, 7, 5, 1, 4}), 32);
     }},
    {"a_row_for_each_warp", [](const Arrays &a) { a_row_for_each_warp<<<1, T>>>(a.out, table_of({5, 9, 1, 4}), 32); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
