// Cells of the tile that no statement ever writes have no value: padding, the corners
// of a halo, and what a guard leaves out if the copy runs once.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK: gaps.cu:[[#]]:3: remark: lifted: tile copy of 32 x 32 f32 (4096 bytes) from 'in' to 'tile', rows of 32 elements, starting at 0
// CHECK: remark: lifted under a guard: tile copy of 10 x 40 f32 (1600 bytes) from 'in' to 'tile'
// CHECK: note: at the copy: h - blockIdx.y * 8 - 8 >= 0
// CHECK: note: at the copy: w - blockIdx.x * 32 - 32 >= 0
// CHECK: remark: lifted: tile copy of 256 f32 (1024 bytes) from 'in' to 'line'
// CHECK: remark: lifted under a guard: 1-D bulk copy of 1024 bytes from 'in' to 'line'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'slots', rows of 32 elements, starting at 0
// CHECK: remark: lifted: tile copy of 8 x 64 f32 (2048 bytes) from 'in' to 'tile', rows of 64 elements, starting at 28
// CHECK: remark: lifted: tile copy of 3 x 10 x 32 f32 (3840 bytes) from 'in' to 'tile'
// CHECK: remark: lifted under a guard: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: note: at the copy: h - 8 >= 0
// CHECK: remark: lifted under a guard: 16 1-D bulk copies of 16 bytes from 'in' to 'cube', a row each
// CHECK: remark: lifted under a guard: 32 1-D bulk copies of 16 bytes from 'in' to 'cube', a row each
// CHECK: remark: lifted under a guard: 32 1-D bulk copies of 16 bytes from 'in' to 'cube', a row each
// CHECK: note: at the copy: h - blockIdx.y * 4 - 8 >= 0
// CHECK: remark: lifted under a guard: 32 1-D bulk copies of 16 bytes from 'in' to 'cube', a row each

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

#define BLOCK (blockIdx.y * gridDim.x + blockIdx.x)

__global__ void padded(float *out, const float *in, int w, int h) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma tma load
  for (int j = 0; j < 32; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = x < w && y + j < h ? in[(y + j) * w + x] : 0.f;
  __syncthreads();
  for (int j = 0; j < 32; j += 8)
    out[BLOCK * 1024 + (threadIdx.y + j) * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y + j];
}

// A statement for the middle and one for each side; nobody reads the corners.
__global__ void sides(float *out, const float *in, int w, int h) {
  __shared__ float tile[10][40];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  int tx = threadIdx.x + 4, ty = threadIdx.y + 1;
#pragma tma load
  {
    tile[ty][tx] = in[y * w + x];
    if (threadIdx.x < 4) {
      tile[ty][threadIdx.x] = x >= 4 ? in[y * w + x - 4] : 0.f;
      tile[ty][tx + 32] = x + 32 < w ? in[y * w + x + 32] : 0.f;
    }
    if (threadIdx.y == 0) {
      tile[0][tx] = y > 0 ? in[(y - 1) * w + x] : 0.f;
      tile[9][tx] = y + 8 < h ? in[(y + 8) * w + x] : 0.f;
    }
  }
  __syncthreads();
  out[BLOCK * 256 + threadIdx.y * 32 + threadIdx.x] =
      tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 4] + tile[ty][tx + 4] + tile[ty][tx];
}

__global__ void once(float *out, const float *in, int n) {
  __shared__ float line[256];
  int i = blockIdx.x * 256 + threadIdx.x;
#pragma tma load
  if (i < n)
    line[threadIdx.x] = in[i];
  __syncthreads();
  if (i < n)
    out[i] = line[min(255 - threadIdx.x, n - 1 - blockIdx.x * 256)];
}

// What the guard leaves out keeps the value of the round before.
__global__ void again(float *out, const float *in, int n) {
  __shared__ float line[256];
  line[threadIdx.x] = 0;
  float sum = 0;
  for (int start = 0; start < n; start += 256) {
    __syncthreads();
#pragma tma load
    if (start + threadIdx.x < n)
      line[threadIdx.x] = in[start + threadIdx.x];
    __syncthreads();
    sum += line[255 - threadIdx.x];
  }
  out[threadIdx.x] = sum;
}

__global__ void one_slot(float *out, const float *in, int w) {
  __shared__ float slots[3][8][33];
#pragma tma load
  slots[1][threadIdx.y][threadIdx.x] = in[(blockIdx.y * 8 + threadIdx.y) * w + threadIdx.x];
  __syncthreads();
  out[BLOCK * 256 + threadIdx.y * 32 + threadIdx.x] = slots[1][7 - threadIdx.y][threadIdx.x];
}

// 64 columns of rows of 72, from the fifth on.
__global__ void columns(float *out, const float *in, int w) {
  __shared__ float tile[8][72];
#pragma tma load
  for (int c = threadIdx.x; c < 64; c += 32)
    tile[threadIdx.y][c + 4] = in[(blockIdx.y * 8 + threadIdx.y) * w + c];
  __syncthreads();
  out[BLOCK * 256 + threadIdx.y * 32 + threadIdx.x] = tile[7 - threadIdx.y][threadIdx.x * 2 + 4];
}

// Rows between planes are not written; the guard says that the tensor has them.
__global__ void planes(float *out, const float *in, int w, int h, int d) {
  __shared__ float tile[3][10][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
#pragma tma load
  for (int z = 0; z < 3; ++z)
    tile[z][threadIdx.y][threadIdx.x] = x < w && y < h && z < d ? in[(z * h + y) * w + x] : 0.f;
  __syncthreads();
  out[BLOCK * 256 + threadIdx.y * 32 + threadIdx.x] =
      tile[0][threadIdx.y][threadIdx.x] + tile[2][7 - threadIdx.y][threadIdx.x];
}

// One below zero is a large unsigned number: the first row never comes from 'in'.
__global__ void never(float *out, const float *in, int h) {
  __shared__ float tile[9][32];
  for (unsigned i = threadIdx.y * 32 + threadIdx.x; i < 288; i += 256)
    tile[i / 32][i % 32] = 7.f;
  __syncthreads();
#pragma tma load
  for (unsigned i = threadIdx.y * 32 + threadIdx.x; i < 288; i += 256) {
    size_t y = -1 + i / 32;
    if (y < h)
      tile[i / 32][i % 32] = in[y * 32 + i % 32];
  }
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x] + tile[8][threadIdx.x];
}

// The faces of a cube, two to a statement: rows in between are those of other statements.
__global__ void faces(float *out, const float *in, int w, int h, int d) {
  constexpr int n = 4, r = 4;
  __shared__ float cube[n + 2 * r][n + 2 * r][n + 2 * r];
  int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
  int x = blockIdx.x * n + tx, y = blockIdx.y * n + ty, z = blockIdx.z * n + tz;
  auto at = [&](int z, int y, int x) {
    bool isInside = x >= 0 && x < w && y >= 0 && y < h && z >= 0 && z < d;
    return isInside ? in[(z * h + y) * w + x] : 0.f;
  };
#pragma tma load
  cube[tz + r][ty + r][tx + r] = at(z, y, x);
#pragma tma load
  {
    cube[tz + r][ty + r][tx] = at(z, y, x - r);
    cube[tz + r][ty + r][tx + r + n] = at(z, y, x + n);
  }
#pragma tma load
  {
    cube[tz + r][ty][tx + r] = at(z, y - r, x);
    cube[tz + r][ty + r + n][tx + r] = at(z, y + n, x);
  }
#pragma tma load
  {
    cube[tz][ty + r][tx + r] = at(z - r, y, x);
    cube[tz + r + n][ty + r][tx + r] = at(z + n, y, x);
  }
  __syncthreads();
  float sum = 0;
  for (int i = 1; i < n + 2 * r; ++i)
    sum = sum * 3 + cube[i][ty + r][tx + r] + cube[tz + r][i][tx + r] + cube[tz + r][ty + r][i];
  if (x < w && y < h && z < d)
    out[(z * h + y) * w + x] = sum;
}

int main() {
  padded<<<dim3(2, 2), dim3(32, 8)>>>(numbers(4096), numbers(44 * 50), 44, 50);
  sides<<<dim3(2, 3), dim3(32, 8)>>>(numbers(6 * 256), numbers(64 * 24), 64, 24);
  sides<<<dim3(2, 2), dim3(32, 8)>>>(numbers(4 * 256), numbers(68 * 30), 68, 30);
  once<<<3, 256>>>(numbers(700), numbers(700), 700);
  again<<<1, 256>>>(numbers(256), numbers(700), 700);
  one_slot<<<dim3(1, 2), dim3(32, 8)>>>(numbers(512), numbers(32 * 16), 32);
  columns<<<dim3(1, 2), dim3(32, 8)>>>(numbers(512), numbers(64 * 16), 64);
  planes<<<dim3(2, 2), dim3(32, 8)>>>(numbers(1024), numbers(60 * 13 * 2), 60, 13, 2);
  never<<<1, dim3(32, 8)>>>(numbers(256), numbers(32 * 8), 8);
  never<<<1, dim3(32, 8)>>>(numbers(256), numbers(32 * 7), 7);
  faces<<<dim3(3, 3, 3), dim3(4, 4, 4)>>>(numbers(12 * 12 * 12), numbers(12 * 12 * 12), 12, 12, 12);
  return finish();
}
