// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 -std=c++17 %s
// RUN: %not 1 %tilelift --remarks %s -o %t.cu 2>&1 | grep -c "note: this statement is part of the copy" | grep -x 19
//
// Copies that are split into several statements. In the first eleven kernels, these are one copy in the lifted kernel;
// in the others they must not be.
#include "Inputs/arrays.h"

#define FLOAT4(x) (((float4 *)&(x))[0])

// Each thread copies two rows of one tile, and four of another.
__global__ void rows(float *__restrict__ out, const float *__restrict__ a, const float *__restrict__ b, int pitch, int n) {
  __shared__ float as[32][36], bs[64][36];
  const int x = threadIdx.x % 8 * 4;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    const int y = threadIdx.x / 8 * 2, z = threadIdx.x / 8 * 4;
#pragma tma load
    FLOAT4(as[y][x]) = FLOAT4(a[(32 * k + y) * pitch + x]);
#pragma tma load
    FLOAT4(as[y + 1][x]) = FLOAT4(a[(32 * k + y + 1) * pitch + x]);
#pragma tma load
    FLOAT4(bs[z][x]) = FLOAT4(b[(64 * k + z) * pitch + x]);
#pragma tma load
    FLOAT4(bs[z + 1][x]) = FLOAT4(b[(64 * k + z + 1) * pitch + x]);
#pragma tma load
    FLOAT4(bs[z + 2][x]) = FLOAT4(b[(64 * k + z + 2) * pitch + x]);
#pragma tma load
    FLOAT4(bs[z + 3][x]) = FLOAT4(b[(64 * k + z + 3) * pitch + x]);
    __syncthreads();
    sum = 2 * sum + as[threadIdx.x % 32][threadIdx.x / 4] + bs[threadIdx.x / 2][threadIdx.x % 32];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// Two halves of a tile. The threads copy where rows do not start on 16 bytes.
__global__ void halves(float *__restrict__ out, const float *__restrict__ in, int pitch) {
  __shared__ float tile[16][32];
  const int y = threadIdx.x / 16, x = threadIdx.x % 16 * 2;
#pragma tma load
  tile[y * 2][x] = in[y * 2 * pitch + x], tile[y * 2][x + 1] = in[y * 2 * pitch + x + 1];
#pragma tma load
  tile[y * 2 + 1][x] = in[(y * 2 + 1) * pitch + x], tile[y * 2 + 1][x + 1] = in[(y * 2 + 1) * pitch + x + 1];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 16][threadIdx.x / 16];
}
// The threads copy in blocks that start elsewhere than on 16 bytes.
__global__ void some_by_threads(float *__restrict__ out, const float *__restrict__ in, int step) {
  __shared__ float tile[256];
  const float *from = in + blockIdx.x * step;
#pragma tma load
  tile[2 * threadIdx.x] = from[2 * threadIdx.x];
#pragma tma load
  tile[2 * threadIdx.x + 1] = from[2 * threadIdx.x + 1];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[255 - threadIdx.x] + tile[threadIdx.x];
}
// Instances of a template.
template <int Rows> __global__ void instances(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[2 * Rows][32];
  for (int i = 0; i < 1; ++i) {
#pragma tma load
    for (int y = threadIdx.x / 32; y < Rows; y += 4) tile[2 * y][threadIdx.x % 32] = in[2 * y * 64 + threadIdx.x % 32];
#pragma tma load
    for (int y = threadIdx.x / 32; y < Rows; y += 4) tile[2 * y + 1][threadIdx.x % 32] = in[(2 * y + 1) * 64 + threadIdx.x % 32];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x % (2 * Rows)][threadIdx.x % 32];
  }
}
// In a function, with a semicolon too many.
__device__ void fill(float (&tile)[8][32], const float *from, int pitch) {
  const int y = threadIdx.x / 32, x = threadIdx.x % 32;
#pragma tma load
  tile[2 * y][x] = from[2 * y * pitch + x];;
#pragma tma load
  tile[2 * y + 1][x] = from[(2 * y + 1) * pitch + x];
}
__global__ void by_function(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[8][32];
  fill(tile, in + blockIdx.x * 32, 64);
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x / 8];
}
// Columns of one row.
__global__ void columns(float *__restrict__ out, const float *__restrict__ in, int pitch) {
  __shared__ float tile[4][64];
  const int y = threadIdx.x / 32, x = threadIdx.x % 32;
#pragma tma load
  tile[y][x * 2] = in[y * pitch + x * 2];
#pragma  tma load // the odd columns
  tile[y][x * 2 + 1] = in[y * pitch + x * 2 + 1];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 4][threadIdx.x / 2];
}
// By a warp of their own, in some rounds.
__global__ void produced(float *__restrict__ out, const float *__restrict__ a, int n) {
  __shared__ float as[32][32];
  const int y = threadIdx.x / 8 * 2, x = threadIdx.x % 8 * 4;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer)
  for (int k = 0; k < n; ++k) {
    if (k != 1) {
#pragma tma load
      (float4 &)as[y][x] = (const float4 &)a[(32 * k + y) * 64 + x];
#pragma tma load
      (float4 &)as[y + 1][x] = (const float4 &)a[(32 * k + y + 1) * 64 + x];
      __syncthreads();
      sum = 2 * sum + as[threadIdx.x % 32][threadIdx.x / 4];
    }
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// In a pipeline, with a prefetch.
__global__ void staged(float *__restrict__ out, const float *__restrict__ a, int n, int pitch) {
  __shared__ float as[32][32];
  const int y = threadIdx.x / 8 * 2, x = threadIdx.x % 8 * 4;
  float sum = 0;
#pragma tma pipeline stages(3)
  for (int k = 0; k < n; ++k) {
#pragma tma load prefetch(2)
    (float4 &)as[y][x] = (const float4 &)a[(32 * k + y) * pitch + x];
#pragma tma load prefetch(2)
    (float4 &)as[y + 1][x] = (const float4 &)a[(32 * k + y + 1) * pitch + x];
    __syncthreads();
    sum = 2 * sum + as[threadIdx.x % 32][threadIdx.x / 4];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// Made ahead of their rounds, some of which copy by the threads, with other lines in between.
__global__ void ring_by_threads(float *__restrict__ out, const float *__restrict__ in, int n, int step) {
  __shared__ float tile[256];
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[2 * threadIdx.x] = in[k * step + 2 * threadIdx.x];
    // a comment
#pragma tma load

    tile[2 * threadIdx.x + 1] = in[k * step + 2 * threadIdx.x + 1];
    __syncthreads();
    sum = 2 * sum + tile[255 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// With zeros outside.
__global__ void guarded(float *__restrict__ out, const float *__restrict__ in, int w, int h) {
  __shared__ float tile[16][32];
  const int y = threadIdx.x / 32 * 4, x = threadIdx.x % 32, gx = blockIdx.x * 32 + x, gy = blockIdx.y * 16 + y;
#pragma tma load
  tile[y][x] = gx < w && gy < h ? in[gy * w + gx] : 0;
#pragma tma load
  tile[y + 1][x] = gx < w && gy + 1 < h ? in[(gy + 1) * w + gx] : 0;
#pragma tma load
  tile[y + 2][x] = gx < w && gy + 2 < h ? in[(gy + 2) * w + gx] : 0;
#pragma tma load
  tile[y + 3][x] = gx < w && gy + 3 < h ? in[(gy + 3) * w + gx] : 0;
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * T + threadIdx.x] = tile[threadIdx.x % 16][threadIdx.x / 4];
}
// By statements of several kinds.
__global__ void if_guarded(float *__restrict__ out, const float *__restrict__ in, int w, int h) {
  __shared__ float tile[16][32];
  const int y = threadIdx.x / 32 * 4, x = threadIdx.x % 32, gx = blockIdx.x * 32 + x, gy = blockIdx.y * 16 + y;
#pragma tma load
  if (gx < w && gy < h) tile[y][x] = in[gy * w + gx]; else tile[y][x] = 0;
#pragma tma load
  if (gx < w && gy + 1 < h) { tile[y + 1][x] = in[(gy + 1) * w + gx]; } else { tile[y + 1][x] = 0; }
#pragma tma load
  if (gx < w && gy + 2 < h) tile[y + 2][x] = in[(gy + 2) * w + gx];
  else
    tile[y + 2][x] = 0;
#pragma tma load
  for (int i = 3; i < 4; ++i) if (gx < w && gy + i < h) tile[y + i][x] = in[(gy + i) * w + gx]; else tile[y + i][x] = 0;
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * T + threadIdx.x] = tile[threadIdx.x % 16][threadIdx.x / 4];
}
// Of two tensors.
__global__ void two_tensors(float *__restrict__ out, const float *__restrict__ a, const float *__restrict__ b) {
  __shared__ float tile[8][32];
  const int y = threadIdx.x / 32 * 2, x = threadIdx.x % 32;
#pragma tma load fallback(loop)
  tile[y][x] = a[y * 64 + x];
#pragma tma load fallback(loop)
  tile[y + 1][x] = b[y * 64 + x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x / 8];
}
// Something stands between them.
__global__ void apart(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[8][32];
  const int y = threadIdx.x / 32 * 2, x = threadIdx.x % 32;
  float was = 0;
#pragma tma load fallback(loop)
  tile[y][x] = in[y * 64 + x];
  was = tile[y][x];
#pragma tma load fallback(loop)
  tile[y + 1][x] = in[(y + 1) * 64 + x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x / 8] + was;
}
// With another pragma.
__global__ void asked_otherwise(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[8][32];
  const int y = threadIdx.x / 32 * 2, x = threadIdx.x % 32;
#pragma tma load fallback(loop)
  tile[y][x] = in[y * 64 + x];
#pragma tma load fallback(loop) cache(evict_first)
  tile[y + 1][x] = in[(y + 1) * 64 + x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x / 8];
}
// Together they would be no copy: the second one turns its rows round.
__global__ void turned(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[8][32];
  const int y = threadIdx.x / 32 * 2, x = threadIdx.x % 32;
#pragma tma load fallback(loop)
  tile[y][x] = in[y * 64 + x];
#pragma tma load fallback(loop)
  tile[y + 1][x] = in[(y + 1) * 64 + 31 - x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x / 8];
}

const Case cases[] = {
    {"rows", [](const Arrays &a) { rows<<<1, T>>>(a.out, a.in, a.more, 64, 2); }},
    {"rows elsewhere", [](const Arrays &a) { rows<<<1, T>>>(a.out, a.in, a.more, 36, 3); }},
    {"halves", [](const Arrays &a) { halves<<<1, T>>>(a.out, a.in, 64); }},
    {"halves by threads", [](const Arrays &a) { halves<<<1, T>>>(a.out, a.in, 65); }},
    {"some_by_threads", [](const Arrays &a) { some_by_threads<<<6, T>>>(a.out, a.in, 258); }},
    {"instances", [](const Arrays &a) { instances<4><<<1, T>>>(a.out, a.in); }},
    {"instances of more rows", [](const Arrays &a) { instances<16><<<1, T>>>(a.out, a.in); }},
    {"by_function", [](const Arrays &a) { by_function<<<2, T>>>(a.out, a.in); }},
    {"columns", [](const Arrays &a) { columns<<<1, T>>>(a.out, a.in, 68); }},
    {"produced", [](const Arrays &a) { produced<<<1, T>>>(a.out, a.in, 4); }},
    {"staged", [](const Arrays &a) { staged<<<1, T>>>(a.out, a.in, 4, 60); }},
    {"staged, with other rows", [](const Arrays &a) { staged<<<1, T>>>(a.out, a.in, 2, 128); }},
    {"ring_by_threads", [](const Arrays &a) { ring_by_threads<<<1, T>>>(a.out, a.in, 7, 258); }},
    {"guarded", [](const Arrays &a) { guarded<<<dim3(2, 3), T>>>(a.out, a.in, 60, 43); }},
    {"guarded, by threads", [](const Arrays &a) { guarded<<<dim3(2, 3), T>>>(a.out, a.in, 61, 43); }},
    {"if_guarded", [](const Arrays &a) { if_guarded<<<dim3(2, 3), T>>>(a.out, a.in, 60, 43); }},
    {"two_tensors", [](const Arrays &a) { two_tensors<<<1, T>>>(a.out, a.in, a.more); }},
    {"apart", [](const Arrays &a) { apart<<<1, T>>>(a.out, a.in); }},
    {"asked_otherwise", [](const Arrays &a) { asked_otherwise<<<1, T>>>(a.out, a.in); }},
    {"turned", [](const Arrays &a) { turned<<<1, T>>>(a.out, a.in); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
