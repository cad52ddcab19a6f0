// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=3 -std=c++17 %s
//
// What a box of TMA does where a tile or a tensor ends. A copy of more than 256 rows takes several boxes, a box has
// whole multiples of 16 bytes in a row, and the block whose box starts last need not be the one that reads the last
// row. Quotients of negative numbers round towards zero.
#include "Inputs/arrays.h"

#include <initializer_list>

namespace {
// An array that ends behind so many elements of the given one.
float *array_of(int size, const float *from) {
  float *array;
  cudaMalloc((void **)&array, size * sizeof(float));
  cudaMemcpy(array, from, size * sizeof(float), cudaMemcpyDeviceToDevice);
  return array;
}
const int *table_of(std::initializer_list<int> numbers) {
  int *table;
  cudaMalloc((void **)&table, numbers.size() * sizeof(int));
  cudaMemcpy(table, numbers.begin(), numbers.size() * sizeof(int), cudaMemcpyHostToDevice);
  return table;
}

// A copy fills 260 of the 300 rows of a tile. The others keep what the program has written there, whether the rows lie
// one behind the other in the tensor or apart.
__global__ void rows_below_the_filled_ones(float *out, const float *__restrict__ in, int h) {
  __shared__ float tile[300][4];
  const int t = threadIdx.x, first = blockIdx.x * 260;
  for (int i = t; i < 40 * 4; i += T) tile[260 + i / 4][i % 4] = -7.f - i;
#pragma tma load fallback(loop)
  for (int i = t; i < 260 * 4; i += T)
    tile[i / 4][i % 4] = first + i / 4 < h ? in[(first + i / 4) * 4 + i % 4] : 0.f;
  __syncthreads();
  for (int i = t; i < 300 * 4; i += T) out[blockIdx.x * 1200 + i] = tile[i / 4][i % 4];
}
__global__ void rows_below_those_of_a_pitch(float *out, const float *__restrict__ in, int h, int pitch) {
  __shared__ float tile[300][4];
  const int t = threadIdx.x, first = blockIdx.x * 260;
  for (int i = t; i < 40 * 4; i += T) tile[260 + i / 4][i % 4] = -7.f - i;
#pragma tma load fallback(loop)
  for (int i = t; i < 260 * 4; i += T)
    tile[i / 4][i % 4] = first + i / 4 < h ? in[(first + i / 4) * pitch + i % 4] : 0.f;
  __syncthreads();
  for (int i = t; i < 300 * 4; i += T) out[blockIdx.x * 1200 + i] = tile[i / 4][i % 4];
}

// Each part of the tile has 264 rows, and the parts are filled in turn. What fills one part leaves the others as they
// are, and nothing comes behind the last one.
__global__ void halves_in_turn(float *out, const float *__restrict__ in, int h, int n) {
  __shared__ alignas(128) float tile[2][264][4];
  const int t = threadIdx.x;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    for (int i = t; i < 264 * 4; i += T)
      tile[k & 1][i / 4][i % 4] = k * 264 + i / 4 < h ? in[(k * 264 + i / 4) * 4 + i % 4] : 0.f;
    __syncthreads();
    for (int i = t; i < 264 * 4; i += T) {
      float sum = tile[k & 1][i / 4][i % 4];
      if (k > 0) sum += 2 * tile[(k & 1) ^ 1][i / 4][i % 4];
      out[k * 264 * 4 + i] = sum;
    }
    __syncthreads();
  }
}
__global__ void two_parts_of_three(float *out, const float *__restrict__ in, int h, int n) {
  __shared__ alignas(128) float tile[3][264][4];
  const int t = threadIdx.x;
  for (int i = t; i < 264 * 4; i += T) tile[2][i / 4][i % 4] = -7.f - i;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    for (int i = t; i < 264 * 4; i += T)
      tile[k & 1][i / 4][i % 4] = k * 264 + i / 4 < h ? in[(k * 264 + i / 4) * 4 + i % 4] : 0.f;
    __syncthreads();
    for (int i = t; i < 264 * 4; i += T) {
      float sum = tile[k & 1][i / 4][i % 4];
      if (k > 0) sum += 2 * tile[(k & 1) ^ 1][i / 4][i % 4];
      sum += 3 * tile[2][i / 4][i % 4];
      out[k * 264 * 4 + i] = sum;
    }
    __syncthreads();
  }
}

// The place of a row is the sum of two numbers, and the first one is another in the first row than in the others.
__global__ void sum_of_two_lookups(float *out, const float *__restrict__ in, const int *__restrict__ starts,
                                   const int *__restrict__ rows, int w) {
  __shared__ float tile[8][32];
  const int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int r = 0; r < 8; ++r) {
    const int start = starts[r > 0 ? 1 : 0];
    tile[r][t] = in[(start + rows[r]) * w + t];
  }
  __syncthreads();
  for (int r = 0; r < 8; ++r) out[r * 32 + t] = tile[r][t];
}
__global__ void sum_of_lookups_in_one_table(float *out, const float *__restrict__ in, const int *__restrict__ rows,
                                            int w) {
  __shared__ float tile[8][32];
  const int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int r = 0; r < 8; ++r) {
    const int start = rows[r > 0 ? 9 : 8];
    tile[r][t] = in[(start + rows[r]) * w + t];
  }
  __syncthreads();
  for (int r = 0; r < 8; ++r) out[r * 32 + t] = tile[r][t];
}

// A row of the tile takes 17 elements, and a box takes 20. The block that starts at the last column is not the one that
// reads the last row, which ends the tensor.
__global__ void along_a_diagonal(float *out, const float *__restrict__ in, int h, int w) {
  __shared__ alignas(128) float tile[2][20];
  const int t = threadIdx.x, b = blockIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 2 * 17; i += T)
    tile[i / 17][i % 17] = in[(h - 2 - 2 * b + i / 17) * w + 16 * b + i % 17];
  __syncthreads();
  for (int i = t; i < 2 * 17; i += T) out[b * 34 + i] = tile[i / 17][i % 17];
}
__global__ void rows_by_lookup(float *out, const float *__restrict__ in, const int *__restrict__ rows, int w) {
  __shared__ alignas(128) float tile[4][32];
  const int t = threadIdx.x, b = blockIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 4 * 17; i += T) {
    const int row = rows[b * 4 + i / 17];
    tile[i / 17][i % 17] = row >= 0 ? in[row * w + 16 * b + i % 17] : 0.f;
  }
  __syncthreads();
  for (int i = t; i < 4 * 17; i += T) out[b * 68 + i] = tile[i / 17][i % 17];
}

// The image of a pixel is the quotient of a number that is negative in the first rows, so it is 0 there and in the rows
// behind them.
__global__ void quotient_of_rows_before_the_first(float *out, const float *__restrict__ in, int images, int h, int w,
                                                  int c) {
  __shared__ alignas(128) float tile[32][16];
#pragma tma load fallback(loop)
  for (int i = threadIdx.x; i < 32 * 16; i += T) {
    const int pixel = blockIdx.x * 32 + i / 16;
    const int x = pixel % w, row = pixel / w, y = row % h, image = (row - h) / h;
    const bool inside = pixel < images * h * w && image >= 0 && image < images && x < w && y < h;
    tile[i / 16][i % 16] = inside ? in[((image * h + y) * w + x) * c + i % 16] : 0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 32 * 16; i += T) out[blockIdx.x * 512 + i] = tile[i / 16][i % 16];
}
__global__ void quotient_of_rows_moved_up(float *out, const float *__restrict__ in, int images, int h, int w, int c,
                                          int up) {
  __shared__ alignas(128) float tile[32][16];
#pragma tma load fallback(loop)
  for (int i = threadIdx.x; i < 32 * 16; i += T) {
    const int pixel = blockIdx.x * 32 + i / 16;
    const int x = pixel % w - 1, row = pixel / w, y = row % h - 1, image = (row + up * h) / h;
    const bool inside = pixel < images * h * w && image >= 0 && image < images && x >= 0 && x < w && y >= 0 && y < h;
    tile[i / 16][i % 16] = inside ? in[((image * h + y) * w + x) * c + i % 16] : 0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 32 * 16; i += T) out[blockIdx.x * 512 + i] = tile[i / 16][i % 16];
}

// The row in an image is the remainder of a number that is negative in the first rows, so it is negative there, too.
__global__ void remainder_of_rows_before_the_first(float *out, const float *__restrict__ in, int images, int h, int w,
                                                   int c) {
  __shared__ alignas(128) float tile[32][16];
#pragma tma load fallback(loop)
  for (int i = threadIdx.x; i < 32 * 16; i += T) {
    const int pixel = blockIdx.x * 32 + i / 16;
    const int x = pixel % w, row = pixel / w, y = (row - h) % h, image = row / h;
    const bool inside = pixel < images * h * w && y >= 0 && image < images && y < h;
    tile[i / 16][i % 16] = inside ? in[((image * h + y) * w + x) * c + i % 16] : 0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 32 * 16; i += T) out[blockIdx.x * 512 + i] = tile[i / 16][i % 16];
}

// Only the first blocks copy, and the tensor ends with the 17 elements of the last of them.
__global__ void first_pairs_of_blocks(float *out, const float *__restrict__ in, int pairs) {
  __shared__ alignas(128) float tile[20];
  const int t = threadIdx.x, b = blockIdx.x;
  if (b / 2 < pairs) {
#pragma tma load fallback(loop)
    if (t < 17) tile[t] = in[16 * b + t];
    __syncthreads();
    if (t < 17) out[b * 17 + t] = tile[t];
  }
}
__global__ void blocks_by_lookup(float *out, const float *__restrict__ in, const int *__restrict__ copies) {
  __shared__ alignas(128) float tile[20];
  const int t = threadIdx.x, b = blockIdx.x;
  if (copies[b] > 0) {
#pragma tma load fallback(loop)
    if (t < 17) tile[t] = in[16 * b + t];
    __syncthreads();
    if (t < 17) out[b * 17 + t] = tile[t];
  }
}

// All rows lie outside of the guard, and the column is far behind the last one.
__global__ void wholly_outside(float *out, const float *__restrict__ in, int h, int w, int y, int x) {
  __shared__ alignas(128) float tile[8][32];
  const int t = threadIdx.x, first = y + int(blockIdx.x) * 8;
#pragma tma load fallback(loop)
  for (int r = 0; r < 8; ++r) tile[r][t] = first + r < h ? in[(first + r) * w + x + t] : 0.f;
  __syncthreads();
  for (int r = 0; r < 8; ++r) out[(blockIdx.x * 8 + r) * 32 + t] = tile[r][t];
}
} // namespace

static const Case cases[] = {
    {"rows_below_the_filled_ones", [](const Arrays &a) { rows_below_the_filled_ones<<<3, T>>>(a.out, a.in, 530); }},
    {"rows_below_those_of_a_pitch",
     [](const Arrays &a) { rows_below_those_of_a_pitch<<<3, T>>>(a.out, a.in, 530, 8); }},
    {"halves_in_turn", [](const Arrays &a) { halves_in_turn<<<1, T>>>(a.out, a.in, 900, 3); }},
    {"two_parts_of_three", [](const Arrays &a) { two_parts_of_three<<<1, T>>>(a.out, a.in, 900, 3); }},
    {"sum_of_two_lookups", [](const Arrays &a) { sum_of_two_lookups<<<1, 32>>>(a.out, a.in, a.ints, a.ints + 8, 32); }},
    {"sum_of_lookups_in_one_table",
     [](const Arrays &a) { sum_of_lookups_in_one_table<<<1, 32>>>(a.out, a.in, a.ints, 32); }},
    {"along_a_diagonal",
     [](const Arrays &a) { along_a_diagonal<<<3, T>>>(a.out, array_of(5 * 64 + 17, a.in), 6, 64); }},
    {"rows_by_lookup",
     [](const Arrays &a) {
       rows_by_lookup<<<2, T>>>(a.out, array_of(4 * 48 + 17, a.in), table_of({4, 1, 2, 3, 0, 1, -1, 2}), 48);
     }},
    {"quotient_of_rows_before_the_first",
     [](const Arrays &a) { quotient_of_rows_before_the_first<<<4, T>>>(a.out, a.in, 3, 4, 8, 16); }},
    {"quotient_of_rows_moved_up",
     [](const Arrays &a) { quotient_of_rows_moved_up<<<4, T>>>(a.out, a.in, 3, 4, 8, 16, -1); }},
    {"remainder_of_rows_before_the_first",
     [](const Arrays &a) { remainder_of_rows_before_the_first<<<4, T>>>(a.out, a.in, 3, 4, 8, 16); }},
    {"first_pairs_of_blocks",
     [](const Arrays &a) { first_pairs_of_blocks<<<6, T>>>(a.out, array_of(3 * 16 + 17, a.in), 2); }},
    {"blocks_by_lookup",
     [](const Arrays &a) {
       blocks_by_lookup<<<6, T>>>(a.out, array_of(3 * 16 + 17, a.in), table_of({1, 1, 1, 1, 0, 0}));
     }},
    {"wholly_outside", [](const Arrays &a) { wholly_outside<<<2, 32>>>(a.out, a.in, 32, 128, 40, 1 << 28); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
