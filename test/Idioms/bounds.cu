// Bounds and starts of which it is not plain to see what they speak of.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK: bounds.cu:[[#]]:3: remark: lifted under a guard: tile copy of 4 x 4 f32 (64 bytes) from 'in' to 'tile'
// CHECK: note: at the copy: first >= 0
// CHECK: note: at the copy: w - first - 4 >= 0
// CHECK: bounds.cu:[[#]]:3: remark: lifted: tile copy of 8 x 16 f32 (512 bytes) from 'in' to 'tile'
// CHECK: note: at launch: first - 4 is a multiple of 4
// CHECK: bounds.cu:[[#]]:3: remark: lifted under a guard: tile copy of 8 x 20 f32 (640 bytes) from 'in' to 'tile', rows of 20 elements, starting at 3
// CHECK: note: at launch: blockIdx.x * 16 >= 0
// CHECK: bounds.cu:[[#]]:3: remark: lifted under a guard: tile copy of 1 x 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: note: at the copy: blockIdx.x - 1 >= 0
// CHECK: bounds.cu:[[#]]:5: remark: lifted under a guard: tile copy of 8 x 16 f32 (512 bytes) from 'in' to 'tile'
// CHECK: note: at launch: t * 8 >= 0 and t * 8 <= 2147483647
// CHECK: note: at the copy: h - t * 8 + 3 >= 0
// CHECK: remark: lifted: 1-D bulk copy of 512 bytes from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 2 x 64 f32 (512 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 20 f32 (80 bytes) from 'in' to 'tile', rows of 18 elements, starting at 1
// CHECK: bounds.cu:[[#]]:5: remark: lifted: tile copy of 256 f32 (1024 bytes) from 'in' to 'line', rows of 254 elements
// CHECK: bounds.cu:[[#]]:3: remark: lifted under a guard: gather of 2 rows: tile copies of 1 x 64 f32 (512 bytes) from 'in' to 'tile'
// CHECK: note: at the copy: rows[tma_row] >= 0
// CHECK: note: at the copy: starts[blockIdx.x] + 1 >= 1

// CHECK: bounds.cu:[[#]]:5: remark: lifted under a guard: tile copy of 320 f32 (1280 bytes) from 'in' to 'tile' in 2 pieces, rows of 262 elements, starting at 0
// CHECK: note: at the copy: -t * 262 + 531 >= 0
// CHECK: bounds.cu:[[#]]:3: remark: lifted: tile copy of 8 x 4 f32 (128 bytes) from 'in' to 'column', rows of 4 elements, starting at 3
// CHECK: bounds.cu:[[#]]:5: remark: lifted under a guard: tile copy of 130 u64 (1040 bytes) from 'in' to 'tile', rows of 258 elements

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

// Nothing of the place in a row follows the block, so the guard tells what is inside.
__global__ void wrapped(float *out, const float *in, int first, int w, int h) {
  __shared__ float tile[4][4];
  int r = threadIdx.x / 4, c = threadIdx.x % 4;
  int y = blockIdx.x * 4 + r;
#pragma tma load
  tile[r][c] = y < h ? in[y * w + (first + c + w) % w] : 0.f;
  __syncthreads();
  out[blockIdx.x * 16 + threadIdx.x] = tile[3 - r][c];
}

// Two numbers that the host knows, compared as unsigned by a function.
__device__ float at(const float *in, int y, int h, int x, int w) {
  return !((unsigned)y >= (unsigned)h || (unsigned)x >= (unsigned)w) ? in[y * w + x] : 0.f;
}

__global__ void by_function(float *out, const float *in, int first, int w, int h) {
  __shared__ float tile[8][16];
  int x0 = first - 4, y0 = blockIdx.x * 8;
  int r = threadIdx.x / 16, c = threadIdx.x % 16;
#pragma tma load
  tile[r][c] = at(in, y0 + r, h, x0 + c, w);
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[7 - r][c];
}

// A row and an element before the first, in a tensor of constant width.
__global__ void before_the_first(float *out, const float *in, int h) {
  __shared__ float tile[8][16];
  int x0 = blockIdx.x * 16 - 1, y0 = blockIdx.y * 8 - 1;
  int r = threadIdx.x / 16, c = threadIdx.x % 16;
#pragma tma load
  tile[r][c] = y0 + r < h && x0 + c < 196 ? in[(y0 + r) * 196 + x0 + c] : 0.f;
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.x] = tile[7 - r][c];
}

// `h` is an extent, and part of how far slices are apart.
__global__ void slice_before(float *out, const float *in, int w, int h) {
  __shared__ float tile[8][32];
  int z = int(blockIdx.x) - 1;
#pragma tma load
  for (int r = threadIdx.x / 32; r < 8; r += 4) {
    int x = threadIdx.x % 32;
    tile[r][x] = z >= 0 && r < h && x < w ? in[(z * h + r) * w + x] : 0.f;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 128)
    out[blockIdx.x * 256 + i] = tile[7 - i / 32][i % 32];
}

// A signed index of 64 bits stays signed beside an unsigned extent of 32.
__global__ void rows_before(float *out, const float *in, unsigned w, unsigned h, int rounds) {
  __shared__ float tile[8][16];
  for (int t = 0; t < rounds; ++t) {
    long long y = t * 8ll - 4 + threadIdx.x / 16;
#pragma tma load
    tile[threadIdx.x / 16][threadIdx.x % 16] = y < h ? in[y * w + threadIdx.x % 16] : 0.f;
    __syncthreads();
    out[t * 128 + threadIdx.x] = tile[7 - threadIdx.x / 16][threadIdx.x % 16];
    __syncthreads();
  }
}

// Elements of two sizes in one text, each row by itself.
template <typename T> __global__ void of_two_sizes(T *out, const T *in) {
  __shared__ T tile[128];
#pragma tma load
  tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}

// The tensor begins a plane of unsigned size before its pointer.
__global__ void plane_before(float *out, const float *in, unsigned plane) {
  __shared__ float tile[2][64];
  int z = int(blockIdx.x) - 1 + threadIdx.y;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[z * (long long)plane + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.y * 64 + threadIdx.x] = tile[1 - threadIdx.y][threadIdx.x];
}

// Nothing behind the last element of the last block is read.
__global__ void odd_start(float *out, const float *in) {
  __shared__ float tile[18];
#pragma tma load
  tile[threadIdx.x] = in[blockIdx.x * 16 + threadIdx.x + 1];
  __syncthreads();
  out[blockIdx.x * 18 + threadIdx.x] = tile[17 - threadIdx.x];
}

// Unguarded lines of 254: the last one starts where the last round has it, and ends
// with the tensor.
__global__ void last_round(float *out, const float *in, int n) {
  __shared__ float line[254];
  for (int start = 0; start < n; start += 252) {
#pragma tma load
    for (int i = threadIdx.x; i < 254; i += 128)
      line[i] = in[start + i];
    __syncthreads();
    for (int i = threadIdx.x; i < 252; i += 128)
      out[start + i] = line[i] + line[i + 2];
    __syncthreads();
  }
}

// A start that is looked up and added to as an unsigned number may be negative.
__global__ void looked_up(float *out, const float *in, const int *starts, const int *rows, int w) {
  __shared__ float tile[2][64];
  const int x = starts[blockIdx.x] + threadIdx.x;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = x >= 0 && x < w ? in[rows[threadIdx.y] * w + x] : 0.f;
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.y * 64 + threadIdx.x] = tile[1 - threadIdx.y][threadIdx.x];
}

// Old values stay where the guard ends, so only whole tiles are boxes. They are longer than
// the tile, and read nothing past the guard.
__global__ void keeps(float *out, const float *in, int rounds) {
  __shared__ float tile[262];
  for (int i = threadIdx.x; i < 262; i += 96)
    tile[i] = 3.f;
  __syncthreads();
  for (int t = 0; t < rounds; ++t) {
#pragma tma load
    for (int i = threadIdx.x; i < 262; i += 96)
      if (t * 262 + i < 793)
        tile[i] = in[t * 262 + i];
    __syncthreads();
    for (int i = threadIdx.x; i < 262; i += 96)
      out[t * 262 + i] = tile[261 - i];
    __syncthreads();
  }
}

// A column: its guards bound the dimension of rows that have one element.
__global__ void column_of(float *out, const float *in, int w, int h) {
  __shared__ float column[8][1];
  int x = (int)blockIdx.x * 4 - 1, y0 = blockIdx.y * 8;
#pragma tma load
  for (int r = threadIdx.x; r < 8; r += 32)
    column[r][0] = x >= 0 && x < w && y0 + r < h ? in[(y0 + r) * w + x] : 0.f;
  __syncthreads();
  if (threadIdx.x < 8)
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 8 + threadIdx.x] = column[7 - threadIdx.x][0];
}

// A guard that counts elements of pairs, of which TMA moves one as one.
__global__ void pairs(float *out, const float *in, int w, int rounds) {
  __shared__ __align__(16) float tile[258];
  for (int t = 0; t < rounds; ++t) {
#pragma tma load
    for (int i = threadIdx.x; i < 129; i += 64) {
      float2 value = float2();
      if (t * 258 + 2 * i < w)
        value = *reinterpret_cast<const float2 *>(&in[t * 258 + 2 * i]);
      *reinterpret_cast<float2 *>(&tile[2 * i]) = value;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 258; i += 64)
      out[t * 258 + i] = tile[257 - i];
    __syncthreads();
  }
}

int main() {
  wrapped<<<3, 16>>>(numbers(48), numbers(40 * 11), 8, 40, 11);
  wrapped<<<3, 16>>>(numbers(48), numbers(40 * 11), -2, 40, 11);
  by_function<<<2, 128>>>(numbers(256), numbers(40 * 13), 8, 40, 13);
  by_function<<<2, 128>>>(numbers(256), numbers(40 * 13), 32, 40, 13);
  before_the_first<<<dim3(13, 2), 128>>>(numbers(13 * 256), numbers(196 * 13) + 200, 11);
  slice_before<<<4, 128>>>(numbers(1024), numbers(3 * 7 * 28), 28, 7);
  rows_before<<<1, 128>>>(numbers(384), numbers(16 * 24) + 64, 16, 18, 3);
  of_two_sizes<<<4, 128>>>(numbers(512), numbers(512));
  of_two_sizes<<<4, 128>>>((float4 *)numbers(2048), (const float4 *)numbers(2048));
  plane_before<<<3, dim3(64, 2)>>>(numbers(384), numbers(64 * 4) + 64, 64);
  odd_start<<<4, 18>>>(numbers(72), numbers(67));
  last_round<<<1, 128>>>(numbers(504), numbers(506), 504);
  last_round<<<1, 128>>>(numbers(504), numbers(506), 253);
  looked_up<<<3, dim3(64, 2)>>>(numbers(384), numbers(72 * 6), indices({-4, 4, 60}), indices({0, 5}),
                                72);
  keeps<<<1, 96>>>(numbers(4 * 262), numbers(793), 4);
  column_of<<<dim3(5, 2), 32>>>(numbers(80), numbers(20 * 12), 20, 12);
  pairs<<<1, 64>>>(numbers(3 * 258), numbers(700), 700, 3);
  pairs<<<1, 64>>>(numbers(3 * 258), numbers(700), 699, 3);
  return finish();
}
