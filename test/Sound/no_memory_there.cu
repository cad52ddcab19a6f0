// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=3 -std=c++17 %s
// RUN: env TILELIFT_VERBOSE=1 %run -std=c++17 %s 2>&1 | FileCheck %s
//
// A box that lies wholly outside of its tensor still reads where that starts. The plain program reads nothing there, and
// nothing need be there: the table is empty, or its plane is one that does not exist.
#include "Inputs/arrays.h"

namespace {
// Rows by numbers that are five too large: the tensor starts at 'in', and not five rows ahead of it.
__global__ void five_ahead(float *out, const float *in, const int *rows, int n, int w) {
  __shared__ float tile[8][16];
  const int i = threadIdx.x;
#pragma tma load
  {
    const int row = rows[blockIdx.x * 8 + i / 16] - 5;
    tile[i / 16][i % 16] = row >= 0 && row < n && i % 16 < w ? in[row * w + i % 16] : 0.f;
  }
  __syncthreads();
  out[blockIdx.x * T + i] = tile[i & 7][i >> 3];
}
// CHECK: tilelift: five_ahead: TMA
// Without a guard on the row, and with one on its columns.
__global__ void five_less(float *out, const float *in, const int *rows, int w) {
  __shared__ float tile[8][16];
  const int i = threadIdx.x;
#pragma tma load
  tile[i / 16][i % 16] = i % 16 < w ? in[(rows[i / 16] - 5) * w + i % 16] : 0.f;
  __syncthreads();
  out[i] = tile[i & 7][i >> 3];
}
// CHECK: tilelift: five_less: TMA
// Rows of an array, or none of it.
__global__ void rows_of(float *out, const float *in, const int *rows, int n, int w) {
  __shared__ float tile[4][32];
  const int i = threadIdx.x, c = i % 32;
#pragma tma load
  {
    const int row = i / 32 < n ? rows[i / 32] : -1;
    tile[i / 32][c] = row >= 0 && c < w ? in[row * w + c] : 0.f;
  }
  __syncthreads();
  out[i] = tile[i & 3][i >> 2];
}
// CHECK: tilelift: rows_of: TMA
// CHECK: tilelift: rows_of: plain, the map of 'tile' starts in 'in' at {{[0-9]+}}, where the device has no memory, and boxes outside of the tensor read there [tensor-start]
// A plane that there is, or is not; where it is not, no row is read.
__global__ void plane_of(float *out, const float *in, int w, int h, int plane, int top) {
  __shared__ float tile[4][32];
  const int i = threadIdx.x, y = top + i / 32, x = i % 32;
#pragma tma load
  tile[i / 32][x] = y >= 0 && y < h && x < w ? in[(plane * h + y) * w + x] : 0.f;
  __syncthreads();
  out[i] = tile[i & 3][i >> 2];
}
// CHECK: tilelift: plane_of: TMA
// CHECK: tilelift: plane_of: TMA
// CHECK: tilelift: plane_of: plain, {{.*}} [tensor-start]
// CHECK: tilelift: plane_of: plain, {{.*}} [tensor-start]
// From one column on, which may be the end of all.
__global__ void from(float *out, const float *in, int first, int end) {
  __shared__ float tile[T];
  const int i = threadIdx.x, x = blockIdx.x * T + i;
#pragma tma load
  tile[i] = x >= first && x < end ? in[x] : 0.f;
  __syncthreads();
  out[blockIdx.x * T + i] = tile[T - 1 - i];
}
// CHECK: tilelift: from: TMA
// A tile of two boxes, of which the second starts behind the last row. The tensor starts a row ahead of 'in'.
__global__ void two_boxes(float *out, const float *in, int w, int h) {
  __shared__ float tile[512][4];
  const int top = blockIdx.x * 512 - 1;
#pragma tma load
  for (int i = threadIdx.x; i < 2048; i += T)
    tile[i / 4][i % 4] = top + i / 4 < h && blockIdx.x > 0 ? in[(top + i / 4) * w + i % 4] : 0.f;
  __syncthreads();
  for (int i = threadIdx.x; i < 2048; i += T) out[blockIdx.x * 2048 + i] = tile[511 - i / 4][i % 4];
}
// CHECK: tilelift: two_boxes: plain, {{.*}} [tensor-start]
// The pixels of images, all of them in the padding, and channels that do not exist.
__global__ void pixels(float *out, const float *in, int w, int q, int pad, int n, int channels, int first) {
  __shared__ float tile[16][8];
  const int i = threadIdx.x;
#pragma tma load
  {
    const int m = blockIdx.x * 16 + i / 8, image = m / q, x = m % q - pad;
    tile[i / 8][i % 8] = image < n && x >= 0 && x < w ? in[(image * w + x) * channels + first + i % 8] : 0;
  }
  __syncthreads();
  out[blockIdx.x * T + i] = tile[i & 15][i >> 4];
}
// CHECK: tilelift: pixels: TMA
// CHECK: tilelift: pixels: plain, {{.*}} [tensor-start]
// A store writes only what is inside.
__global__ void stored(float *out, const float *in, int w, int h, int plane, int top) {
  __shared__ float tile[4][32];
  const int i = threadIdx.x, y = top + i / 32, x = i % 32;
  tile[i / 32][x] = in[i];
  __syncthreads();
#pragma tma store
  if (y >= 0 && y < h && x < w) out[(plane * h + y) * w + x] = tile[i / 32][x];
}
// CHECK: tilelift: stored: TMA
// CHECK: tilelift: stored: TMA
// Without a guard, the block reads where its own number says, and nothing where the pointer points.
__global__ void unguarded(float *out, const float *in) {
  __shared__ float tile[T];
#pragma tma load
  tile[threadIdx.x] = in[(blockIdx.x + 2) * T + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x];
}
// CHECK: tilelift: unguarded: TMA

const Case cases[] = {
    {"five_ahead", [](const Arrays &a) { five_ahead<<<2, T>>>(a.out, a.in, a.ints, 30, 16); }},
    {"five_less", [](const Arrays &a) { five_less<<<1, T>>>(a.out, a.in, a.ints + 1, 16); }},
    {"rows_of", [](const Arrays &a) { rows_of<<<1, T>>>(a.out, a.in, a.ints, 3, 32); }},
    {"rows_of, none", [](const Arrays &a) { rows_of<<<1, T>>>(a.out, a.in + N, a.ints, 0, 32); }},
    {"plane_of", [](const Arrays &a) { plane_of<<<1, T>>>(a.out, a.in, 32, 7, 3, 5); }},
    {"plane_of, no row", [](const Arrays &a) { plane_of<<<1, T>>>(a.out, a.in, 32, 7, 3, 8); }},
    {"plane_of, none", [](const Arrays &a) { plane_of<<<1, T>>>(a.out, a.in, 32, 7, 5000, 8); }},
    {"plane_of, before", [](const Arrays &a) { plane_of<<<1, T>>>(a.out, a.in, 32, 7, -5000, 8); }},
    {"from", [](const Arrays &a) { from<<<5, T>>>(a.out, a.in, 200, 700); }},
    {"two_boxes", [](const Arrays &a) { two_boxes<<<3, T>>>(a.out, a.in, 4, 800); }},
    {"pixels", [](const Arrays &a) { pixels<<<3, T>>>(a.out, a.in, 11, 12, 1, 4, 16, 8); }},
    {"pixels, none", [](const Arrays &a) { pixels<<<3, T>>>(a.out, a.in, 11, 5, 20, 4, 16, 1 << 20); }},
    {"stored", [](const Arrays &a) { stored<<<1, T>>>(a.out, a.in, 32, 7, 2, 5); }},
    {"stored, none", [](const Arrays &a) { stored<<<1, T>>>(a.out, a.in, 32, 7, 5000, 8); }},
    {"unguarded", [](const Arrays &a) { unguarded<<<3, T>>>(a.out, a.in); }},
};
} // namespace

int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
