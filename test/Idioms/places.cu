// Where tiles are: stages of an array, dynamic shared memory, members of structs, and
// rows of tiles whose address somebody keeps.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK: places.cu:[[#]]:5: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: places.cu:[[#]]:3: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile', rows of 32 elements, starting at 0
// CHECK: remark: lifted: tile copy of 32 x 32 f32 (4096 bytes) from 'in' to 'memory'
// CHECK: remark: lifted: tile copy of 32 x 32 f32 (4096 bytes) from 'in' to 'memory'
// CHECK: remark: lifted: tile copy of 32 x 32 f32 (4096 bytes) from 'in' to 'everybodys'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'both'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'both'
// CHECK: remark: lifted: tile copy of 16 x 36 f32 (2304 bytes) from 'in' to 'rows'
// CHECK: remark: lifted: tile copy of 4 x 672 f32 (10752 bytes) from 'in' to 'wide' in 12 pieces, rows of 672 elements, starting at 0
// CHECK: remark: lifted: 8 1-D bulk copies of 256 bytes from 'in' to 'middle', a row each

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

#define BLOCK (blockIdx.y * gridDim.x + blockIdx.x)

__global__ void stages(float *out, const float *in, int w, int n) {
  __shared__ float tile[3][8][32];
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    int stage = k % 3;
#pragma tma load
    tile[stage][threadIdx.y][threadIdx.x] =
        in[(k * 8 + threadIdx.y) * w + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    sum += tile[stage][7 - threadIdx.y][threadIdx.x] * (stage + 1);
  }
  out[BLOCK * 256 + threadIdx.y * 32 + threadIdx.x] = sum;
}

// By hand, without a wait in between.
__global__ void double_buffer(float *out, const float *in, int w, int n) {
  __shared__ float tile[2][8][32];
  int tx = threadIdx.x, ty = threadIdx.y, now = 0;
  const float *from = in + blockIdx.x * 32;
#pragma tma load
  tile[0][ty][tx] = from[ty * w + tx];
  __syncthreads();
  float sum = 0;
  for (int k = 1; k <= n; ++k) {
    if (k < n) {
#pragma tma load
      tile[now ^ 1][ty][tx] = from[(k * 8 + ty) * w + tx];
    }
    sum += tile[now][7 - ty][tx] * k;
    __syncthreads();
    now ^= 1;
  }
  out[BLOCK * 256 + ty * 32 + tx] = sum;
}

// Padded stages: their rows move, and with them the stages.
__global__ void padded_stages(float *out, const float *in, int w, int n) {
  __shared__ float tile[2][8][33];
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[k & 1][threadIdx.y][threadIdx.x] =
        in[(k * 8 + threadIdx.y) * w + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    sum += tile[k & 1][7 - threadIdx.y][threadIdx.x] * k;
  }
  out[BLOCK * 256 + threadIdx.y * 32 + threadIdx.x] = sum;
}

__global__ void carved(float *out, const float *in, int w) {
  extern __shared__ float memory[];
  float *a = memory, *b = memory + 32 * 32;
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 64 + threadIdx.y;
  for (int round = 0; round < 2; ++round) {
#pragma tma load
    for (int j = 0; j < 32; j += 8)
      a[(threadIdx.y + j) * 32 + threadIdx.x] = in[(y + j) * w + x];
#pragma tma load
    for (int j = 0; j < 32; j += 8)
      b[(threadIdx.y + j) * 32 + threadIdx.x] = in[(y + j + 32) * w + x];
    __syncthreads();
    for (int j = 0; j < 32; j += 8)
      out[(BLOCK * 2 + round) * 1024 + (threadIdx.y + j) * 32 + threadIdx.x] =
          a[threadIdx.x * 32 + threadIdx.y + j] - b[(threadIdx.y + j) * 32 + 31 - threadIdx.x];
    __syncthreads();
  }
}

extern __shared__ float everybodys[];

__global__ void declared_outside(float *out, const float *in, int w) {
  __shared__ int count;
  if (threadIdx.x == 0 && threadIdx.y == 0)
    count = 1;
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma tma load
  for (int j = 0; j < 32; j += 8)
    everybodys[(threadIdx.y + j) * 32 + threadIdx.x] = in[(y + j) * w + x];
  __syncthreads();
  for (int j = 0; j < 32; j += 8)
    out[BLOCK * 1024 + (threadIdx.y + j) * 32 + threadIdx.x] =
        everybodys[threadIdx.x * 32 + threadIdx.y + j] * count;
}

struct Both {
  float a[8][32];
  union {
    float b[8][32];
    int words[256];
  };
};

__global__ void members(float *out, const float *in, int w) {
  __shared__ Both both;
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
#pragma tma load
  both.a[threadIdx.y][threadIdx.x] = in[y * w + x];
#pragma tma load
  both.b[threadIdx.y][threadIdx.x] = in[y * w + x + 64];
  __syncthreads();
  out[BLOCK * 256 + threadIdx.y * 32 + threadIdx.x] =
      both.a[7 - threadIdx.y][threadIdx.x] - __int_as_float(both.words[threadIdx.y * 32]);
}

__device__ float sum_of(const float *row, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += row[i] * i;
  return sum;
}

// The padding has to stay, as 'sum_of' gets an address.
__global__ void kept_rows(float *out, const float *in, int w) {
  __shared__ float rows[16][36];
#pragma tma load
  for (int r = threadIdx.y; r < 16; r += 8)
    rows[r][threadIdx.x] = in[(blockIdx.y * 16 + r) * w + threadIdx.x];
  __syncthreads();
  if (threadIdx.y < 2 && threadIdx.x < 8)
    out[BLOCK * 16 + threadIdx.y * 8 + threadIdx.x] =
        sum_of(rows[threadIdx.y * 8 + threadIdx.x], 32);
}

__global__ void long_rows(float *out, const float *in, int w, int h) {
  __shared__ float wide[4][600];
#pragma tma load swizzle(none)
  for (int i = threadIdx.x; i < 2400; i += 256) {
    int y = blockIdx.y * 4 + i / 600, x = blockIdx.x * 600 + i % 600;
    wide[i / 600][i % 600] = y < h && x < w ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 2400; i += 256)
    out[BLOCK * 2400 + i] = wide[i % 4][i / 4];
}

// The columns on both sides are somebody else's.
__global__ void own_sides(float *out, const float *in, int w) {
  __shared__ float middle[8][72];
  if (threadIdx.x < 8)
    middle[threadIdx.y][threadIdx.x < 4 ? threadIdx.x : 64 + threadIdx.x] = threadIdx.x;
#pragma tma load
  for (int c = threadIdx.x; c < 64; c += 32)
    middle[threadIdx.y][c + 4] = in[(blockIdx.y * 8 + threadIdx.y) * w + c];
  __syncthreads();
  for (int c = threadIdx.x; c < 72; c += 32)
    out[BLOCK * 576 + threadIdx.y * 72 + c] = middle[7 - threadIdx.y][71 - c];
}

int main() {
  dim3 block(32, 8);
  stages<<<2, block>>>(numbers(512), numbers(64 * 40), 64, 5);
  double_buffer<<<2, block>>>(numbers(512), numbers(64 * 32), 64, 4);
  padded_stages<<<2, block>>>(numbers(512), numbers(64 * 40), 64, 5);
  carved<<<dim3(2, 1), block, 8192>>>(numbers(4096), numbers(64 * 64), 64);
  declared_outside<<<dim3(2, 1), block, 4096>>>(numbers(2048), numbers(64 * 64), 64);
  members<<<dim3(2, 2), block>>>(numbers(1024), numbers(128 * 16), 128);
  kept_rows<<<dim3(1, 2), block>>>(numbers(32), numbers(32 * 32), 32);
  long_rows<<<dim3(2, 2), 256>>>(numbers(9600), numbers(1204 * 7), 1204, 7);
  own_sides<<<dim3(1, 2), block>>>(numbers(1152), numbers(64 * 16), 64);
  return finish();
}
