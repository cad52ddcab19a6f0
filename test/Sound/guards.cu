// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=3 -std=c++17 %s
// RUN: env TILELIFT_VERBOSE=1 %run -std=c++17 %s 2>&1 | FileCheck %s
//
// Guards that bound two dimensions at once, rows of pages, and pixels of a convolution.
#include "Inputs/arrays.h"

namespace {
// CHECK: tilelift: two_tables: TMA
// A number of rows that the launch gives. What lies behind them keeps its value.
__global__ void some_rows(float *out, const float *in, int w, int rows) {
  __shared__ float tile[8][32];
  for (int i = threadIdx.x; i < 256; i += T)
    tile[i / 32][i % 32] = -float(i);
  __syncthreads();
#pragma tma load
  for (int i = threadIdx.x; i < rows * 32; i += T)
    tile[i / 32][i % 32] = in[(blockIdx.x * rows + i / 32) * w + i % 32];
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += T)
    out[blockIdx.x * 256 + i] = tile[i % 8][i / 8];
}
// CHECK: tilelift: some_rows: TMA
// CHECK: tilelift: some_rows: TMA
// What lies behind a diagonal may become anything: no box is told where the diagonal is.
__global__ void below_a_diagonal(float *out, const float *in, int w, int n) {
  __shared__ float tile[4][32];
  const int y0 = blockIdx.x * 4;
#pragma tma load outside(any)
  for (int i = threadIdx.x; i < 128; i += T)
    if (i % 32 <= y0 + i / 32 + n)
      tile[i / 32][i % 32] = in[(y0 + i / 32) * w + i % 32];
  __syncthreads();
  for (int i = threadIdx.x; i < 128; i += T)
    out[blockIdx.x * 128 + i] = i % 32 <= y0 + i / 32 + n ? tile[i / 32][i % 32] : -3;
}
// CHECK: tilelift: below_a_diagonal: TMA
// What lies below the smaller of two numbers lies below both, as what is above the larger one is above both.
__global__ void smaller_of_two(float *out, const float *in, int w, int columns, int first, int rows) {
  __shared__ float tile[8][32];
  const int y0 = blockIdx.y * 8, x0 = blockIdx.x * 32;
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) {
    const int y = y0 + i / 32, x = x0 + i % 32;
    tile[i / 32][i % 32] = x < min(w, columns) && max(first, 0) <= y && y < rows ? in[y * w + x] : 0.f;
  }
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.x; i < 256; i += T)
    if (x0 + i % 32 < min(w, columns))
      out[(y0 + i / 32) * w + x0 + i % 32] = tile[i / 32][i % 32];
}
// CHECK: tilelift: smaller_of_two: TMA
// Unsigned numbers are not negative, whichever round of a loop compares them; the tile's end is in no round of its own.
__global__ void unsigned_rounds(unsigned char *out, const unsigned char *in, unsigned size) {
  __shared__ unsigned char tile[264];
  for (unsigned first = blockIdx.x * 256; first < size; first += gridDim.x * 256) {
#pragma tma load
    for (unsigned t = threadIdx.x, g = first + threadIdx.x; t < 264 && g < size; t += T, g += T)
      tile[t] = in[g];
    __syncthreads();
    for (unsigned t = threadIdx.x; t < 256 && first + t < size; t += T)
      out[first + t] = tile[t] * 2 + tile[first + t + 8 < size ? t + 8 : t];
    __syncthreads();
  }
}
// CHECK: tilelift: unsigned_rounds: TMA
// The elements of a box that are stored end in the middle of a row.
__global__ void some_elements(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
  for (int i = threadIdx.x; i < 256; i += T)
    tile[i / 32][i % 32] = in[blockIdx.x * 256 + i];
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.x; i < 256; i += T)
    if (i < n - int(blockIdx.x) * 100)
      out[(blockIdx.x * 8 + i / 32) * w + i % 32] = tile[i / 32][i % 32];
}
// CHECK: tilelift: some_elements: TMA
// Pages of four rows; a row may lie ahead of the tensor or behind it.
__global__ void rows_of_pages(float *out, const float *in, const int *pages, int n, int w) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) {
    const int row = (pages[i / 128] - 40) * 4 + i / 32 % 4;
    tile[i / 32][i % 32] = row >= 0 && row < n ? in[row * w + i % 32] : 0.f;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += T)
    out[i] = tile[i % 8][i / 8];
}
// CHECK: tilelift: rows_of_pages: TMA
// The same with an end of its columns, and pages of which each begins one row behind another.
__global__ void windows(float *out, const float *in, const int *pages, int n, int w, int columns) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) {
    const int row = pages[i / 128] - 2 + i / 32 % 4, column = i % 32;
    tile[i / 32][column] = row >= 0 && row < n && column < columns ? in[row * w + column] : 0.f;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += T)
    out[i] = tile[i % 8][i / 8];
}
// CHECK: tilelift: windows: TMA
// Where the rows begin is counted in rows, not by pages: it says nothing about where a page lies.
__global__ void rows_from(float *out, const float *in, const int *pages, int from, int to) {
  __shared__ float tile[16][32];
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += T) {
    const int row = blockIdx.x * 16 + i / 32;
    tile[i / 32][i % 32] = row >= from && row < to ? in[(pages[row / 8] % 32 * 8 + row % 8) * 32 + i % 32] : 0.f;
  }
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.x; i < 512; i += T) {
    const int row = blockIdx.x * 16 + i / 32;
    if (row >= from)
      out[((pages[row / 8] + 3) % 32 * 8 + row % 8) * 32 + i % 32] = tile[i / 32][i % 32];
  }
}
// CHECK: tilelift: rows_from: TMA
__global__ void stored_pages(float *out, const float *in, const int *pages, int n, int w) {
  __shared__ float tile[8][32];
  for (int i = threadIdx.x; i < 256; i += T)
    tile[i / 32][i % 32] = in[i];
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.x; i < 256; i += T) {
    const int row = pages[i / 128] * 4 + i / 32 % 4;
    if (row >= 0 && row < n)
      out[row * w + i % 32] = tile[i / 32][i % 32];
  }
}
// CHECK: tilelift: stored_pages: TMA
// A pixel's line is compared without a sign, and how far pixels lie apart is an argument that may be negative.
__global__ void pixels(float *out, const float *in, int lines, int w, int channels, int q, int step, int padding) {
  __shared__ float tile[16][8];
  float sum = 0;
  for (int s = 0; s < 3; ++s) {
    __syncthreads();
#pragma tma load
    for (int i = threadIdx.x; i < 128; i += T) {
      const int pixel = blockIdx.x * 16 + i / 8, line = pixel / q, x = pixel % q * step - padding + s;
      tile[i / 8][i % 8] =
          line < lines && unsigned(x) < unsigned(w) ? in[(line * w + x) * channels + i % 8] : 0.f;
    }
    __syncthreads();
    for (int i = 0; i < 128; i++)
      sum = sum * 0.75f + tile[i / 8][(i + threadIdx.x) % 8];
  }
  out[blockIdx.x * T + threadIdx.x] = sum;
}
// CHECK: tilelift: pixels: TMA
// CHECK: tilelift: pixels: TMA
// CHECK: tilelift: pixels: plain, {{.*}}the element stride of 'in' in dimension 1 is -1 (step), allowed are 1 to 8

// Where a row is, two numbers say, and neither is looked up for a row that the guard leaves out: the tables end there.
__global__ void two_tables(float *out, const float *in, const unsigned char *rows, const unsigned char *halves, int n) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) {
    const int row = blockIdx.x * 8 + i / 32;
    tile[i / 32][i % 32] = row < n ? in[rows[row] * 64 + (halves[row] & 1) * 32 + i % 32] : 0.f;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += T)
    out[blockIdx.x * 256 + i] = tile[i % 8][i / 8];
}

const Case cases[] = {
    {"two_tables",
     [](const Arrays &a) {
       unsigned char *rows, *halves;
       const unsigned char numbers[10] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
       cudaMalloc((void **)&rows, sizeof numbers);
       cudaMalloc((void **)&halves, sizeof numbers);
       cudaMemcpy(rows, numbers, sizeof numbers, cudaMemcpyHostToDevice);
       cudaMemcpy(halves, numbers, sizeof numbers, cudaMemcpyHostToDevice);
       two_tables<<<3, T>>>(a.out, a.in, rows, halves, 10);
     }},
    {"some_rows",
     [](const Arrays &a) {
       some_rows<<<2, T>>>(a.out, a.in, 64, 8);
       some_rows<<<2, T>>>(a.out + 1024, a.in, 64, 5);
     }},
    {"below_a_diagonal", [](const Arrays &a) { below_a_diagonal<<<8, T>>>(a.out, a.in, 64, 9); }},
    {"smaller_of_two",
     [](const Arrays &a) {
       smaller_of_two<<<dim3(2, 4), T>>>(a.out, a.in, 64, 80, 3, 30);
       smaller_of_two<<<dim3(2, 4), T>>>(a.out + 4096, a.in, 64, 50, -2, 40);
     }},
    {"unsigned_rounds",
     [](const Arrays &a) {
       unsigned_rounds<<<2, T>>>((unsigned char *)a.out, (const unsigned char *)a.in, 2000);
     }},
    {"some_elements", [](const Arrays &a) { some_elements<<<3, T>>>(a.out, a.in, 64, 370); }},
    {"rows_of_pages", [](const Arrays &a) { rows_of_pages<<<1, T>>>(a.out, a.in, a.ints + 7, 50, 32); }},
    {"windows", [](const Arrays &a) { windows<<<1, T>>>(a.out, a.in, a.ints, 6, 64, 23); }},
    {"rows_from", [](const Arrays &a) { rows_from<<<2, T>>>(a.out, a.in, a.ints, 8, 30); }},
    {"stored_pages",
     [](const Arrays &a) {
       stored_pages<<<1, T>>>(a.out, a.in, a.ints + 7, 160, 32);
       stored_pages<<<1, T>>>(a.out, a.in, a.ints + 7, 142, 32);
     }},
    {"pixels",
     [](const Arrays &a) {
       pixels<<<3, T>>>(a.out, a.in, 3, 17, 8, 17, 1, 1);
       pixels<<<3, T>>>(a.out + 512, a.in, 3, 17, 12, 9, 2, 2);
       pixels<<<3, T>>>(a.out + 1024, a.in + 16, 3, 17, 8, 17, -1, -16);
     }},
};
} // namespace

int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
