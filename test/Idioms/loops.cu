// Pointers and running indices that a loop around the copy moves: the loop's counter
// tells where they are.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK: loops.cu:[[#]]:5: remark: lifted: tile copy of 64 x 8 f32 (2048 bytes) from 'a' to 'as'
// CHECK: remark: lifted: tile copy of 8 x 64 f32 (2048 bytes) from 'b' to 'bs'
// CHECK: remark: lifted under a guard: 1-D bulk copy of 1024 bytes from 'in' to 'line'
// CHECK: remark: lifted: tile copy of 16 x 16 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: remark: lifted under a guard: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 4 x 32 f32 (512 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 1 x 2 x 32 f32 (256 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: 1-D bulk copy of 256 bytes from 'in' to 'part'
// CHECK: remark: lifted: 1-D bulk copy of 1024 bytes from 'in' to 'part'

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

#define BLOCK (blockIdx.y * gridDim.x + blockIdx.x)

// All pointers move, two of them before the loop as well.
template <int BM, int BN, int BK>
__global__ void __launch_bounds__(256) sgemm(float *c, const float *a, const float *b, int n, int k) {
  __shared__ float as[BM * BK], bs[BK * BN];
  a += blockIdx.y * BM * k;
  b += blockIdx.x * BN;
  c += blockIdx.y * BM * n + blockIdx.x * BN;
  const int row_a = threadIdx.x / BK, column_a = threadIdx.x % BK, step_a = 256 / BK;
  const int row_b = threadIdx.x / BN, column_b = threadIdx.x % BN, step_b = 256 / BN;
  float sums[BM * BN / 256] = {};
  for (int k0 = 0; k0 < k; k0 += BK) {
#pragma tma load
    for (int i = 0; i < BM; i += step_a)
      as[(row_a + i) * BK + column_a] = a[(row_a + i) * k + column_a];
#pragma tma load
    for (int i = 0; i < BK; i += step_b)
      bs[(row_b + i) * BN + column_b] = b[(row_b + i) * n + column_b];
    __syncthreads();
    a += BK;
    b += BK * n;
    for (int i = 0; i < BM * BN / 256; ++i)
      for (int j = 0; j < BK; ++j)
        sums[i] += as[(threadIdx.x / BN + i * step_b) * BK + j] * bs[j * BN + column_b];
    __syncthreads();
  }
  for (int i = 0; i < BM * BN / 256; ++i)
    c[(threadIdx.x / BN + i * step_b) * n + column_b] = sums[i];
}

// Contiguous: the copy starts from where the pointer is by then.
__global__ void chunks(float *out, const float *in, int n) {
  __shared__ float line[256];
  in += blockIdx.x * n;
  float sum = 0;
  for (int i = 0; i < n; i += 256) {
#pragma tma load
    line[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    sum += line[255 - threadIdx.x];
    __syncthreads();
    in += 256;
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// The counter counts tiles, and the guard is written with it.
__global__ void tiles(float *out, const float *in, int w, int h) {
  __shared__ float tile[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  const float *from = in + (blockIdx.y * 16 + ty) * w + tx;
  float sum = 0;
  for (int t = 0; t < (w + 15) / 16; t++, from += 16) {
#pragma tma load
    tile[ty][tx] = blockIdx.y * 16 + ty < h && t * 16 + tx < w ? *from : 0.f;
    __syncthreads();
    sum += tile[tx][ty];
    __syncthreads();
  }
  out[blockIdx.y * 256 + ty * 16 + tx] = sum;
}

// An index of each thread's own that runs.
__global__ void running(float *out, const float *in, int w, int rounds) {
  __shared__ float tile[8][32];
  int index = threadIdx.y * w + blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
#pragma tma load
    tile[threadIdx.y][threadIdx.x] = in[index];
    __syncthreads();
    sum += tile[7 - threadIdx.y][threadIdx.x];
    index += 8 * w;
    __syncthreads();
  }
  out[BLOCK * 256 + threadIdx.y * 32 + threadIdx.x] = sum;
}

// Counts down, and the copy comes after the step.
__global__ void downwards(float *out, const float *in, int w, int h) {
  __shared__ float tile[8][32];
  const float *from = in - 8 * w;
  float sum = 0;
  int left = h;
  while (left >= 8) {
    left -= 8;
    from += 8 * w;
    __syncthreads();
#pragma tma load
    tile[threadIdx.y][threadIdx.x] = from[threadIdx.y * w + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    sum += tile[7 - threadIdx.y][threadIdx.x];
  }
  out[BLOCK * 256 + threadIdx.y * 32 + threadIdx.x] = sum;
}

// The inner loop's pointer starts anew in each round of the outer one.
__global__ void nested(float *out, const float *in, int w, int h, int depth) {
  __shared__ float tile[4][32];
  float sum = 0;
  const float *plane = in;
  for (int z = 0; z < depth; ++z) {
    const float *row = plane;
    for (int y = 0; y < h; y += 4) {
#pragma tma load
      tile[threadIdx.y][threadIdx.x] = row[threadIdx.y * w + blockIdx.x * 32 + threadIdx.x];
      __syncthreads();
      sum += tile[3 - threadIdx.y][threadIdx.x];
      __syncthreads();
      row += 4 * w;
    }
    plane += h * w;
  }
  out[BLOCK * 128 + threadIdx.y * 32 + threadIdx.x] = sum;
}

// The step is no multiple of the counter's.
__global__ void uneven(float *out, const float *in, int w, int n) {
  __shared__ float tile[2][32];
  const float *from = in;
  float sum = 0;
  for (int i = 0; i < n; i += 2) {
#pragma tma load
    tile[threadIdx.y][threadIdx.x] = from[threadIdx.y * w + threadIdx.x];
    __syncthreads();
    sum += tile[1 - threadIdx.y][threadIdx.x];
    __syncthreads();
    from += 3 * w;
  }
  out[threadIdx.y * 32 + threadIdx.x] = sum;
}

// Each round ends with index and pointer where they were.
__global__ void restored(float *out, const float *in, int rounds) {
  __shared__ float part[64];
  const float *from = in;
  int i = threadIdx.x;
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
#pragma tma load
    while (i < 64) {
      part[i] = *(from + i);
      i += 32;
    }
    from += 64;
    __syncthreads();
    sum += part[63 - threadIdx.x] * (round + *from);
    __syncthreads();
    i = threadIdx.x, from = in;
  }
  out[threadIdx.x] = sum;
}

// The register is something else in between.
__global__ void reused(float *out, const float4 *in, int rounds) {
  __shared__ float4 part[64];
  float4 value;
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
#pragma tma load
    {
      value = in[round * 64 + threadIdx.x];
      part[threadIdx.x] = value;
    }
    __syncthreads();
    value = part[63 - threadIdx.x];
    sum += value.x;
    value.y = sum;
    sum += value.y;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

int main() {
  sgemm<64, 64, 8><<<dim3(2, 2), 256>>>(numbers(128 * 128), numbers(128 * 24), numbers(24 * 128),
                                        128, 24);
  chunks<<<3, 256>>>(numbers(768), numbers(3 * 1024), 1024);
  tiles<<<dim3(1, 2), dim3(16, 16)>>>(numbers(512), numbers(20 * 44), 44, 20);
  running<<<2, dim3(32, 8)>>>(numbers(512), numbers(24 * 64), 64, 3);
  downwards<<<2, dim3(32, 8)>>>(numbers(512), numbers(32 * 64), 64, 32);
  nested<<<2, dim3(32, 4)>>>(numbers(256), numbers(3 * 12 * 64), 64, 12, 3);
  uneven<<<1, dim3(32, 2)>>>(numbers(64), numbers(32 * 12), 32, 6);
  restored<<<1, 32>>>(numbers(32), numbers(128), 3);
  reused<<<1, 64>>>(numbers(64), (float4 *)numbers(3 * 256), 3);
  return finish();
}
