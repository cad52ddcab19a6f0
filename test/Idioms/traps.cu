// What real programs do that a copy by TMA gets wrong when it is made by looks: each of
// these keeps its bytes. Those that TMA can't express are in test/Refusals/traps.cu.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK: remark: lifted: tile copy of 512 f32 (2048 bytes) from 'in' to 'tile' in 2 pieces
// CHECK: remark: lifted: tile copy of 16 x 16 f32 (1024 bytes) from 'a' to 'as'
// CHECK: remark: lifted: tile copy of 16 x 16 f32 (1024 bytes) from 'b' to 'bs'
// CHECK: remark: lifted under a guard: tile copy of 10 x 32 f32 (1280 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 8 x 40 f32 (1280 bytes) from 'in' to 'tile'
// CHECK: remark: lifted under a guard: tile copy of 16 x 32 f32 (2048 bytes) from 'in' to 'tile'
// CHECK: note: at the copy: ends[blockIdx.y] - first - 16 >= 0
// CHECK: remark: lifted: tile copy of 18 x 24 f32 (1728 bytes) from 'in' to 'tile', rows of 24 elements, starting at 3
// CHECK: remark: lifted: tile copy of 16 x 16 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: note: at launch: each outer stride is a multiple of 16 bytes
// CHECK: remark: lifted: 8 1-D bulk copies of 256 bytes from 'in' to 'tile', a row each
// CHECK: remark: lifted: tile copy of 16 x 64 f32 (4096 bytes) from 'b' to 'bs'
// CHECK: remark: lifted: 1-D bulk copy of 1024 bytes from 'in' to 'line'
// CHECK: remark: lifted under a guard: 1-D bulk copy of 1024 bytes from 'from' to 'line'
// CHECK: note: at the copy: the address is a multiple of 16
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'a' to 'tile'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'b' to 'tile'
// CHECK: remark: lifted: tile copy of 16 x 32 f32 (2048 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 12 x 40 f32 (1920 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 16 x 32 f32 (2048 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 4 x 32 f32 (512 bytes) from 'a' to 'as'
// CHECK: remark: lifted: tile copy of 4 x 32 f32 (512 bytes) from 'b' to 'bs'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK-COUNT-43: case memory

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

#define BLOCK (blockIdx.y * gridDim.x + blockIdx.x)

// The bound of the flat index is a box where the rows are as long as the tensor's.
__global__ void flat_bound(float *out, const float *in, int h) {
  __shared__ float tile[16][32];
  int first = blockIdx.y * 512;
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += 256)
    tile[i / 32][i % 32] = first + i < h * 32 ? in[first + i] : 0.f;
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += 256)
    out[BLOCK * 512 + i] = tile[15 - i / 32][i % 32];
}

// B is loaded with A's offset, which is wrong and has to stay wrong.
__global__ void wrong_offset(float *out, const float *a, const float *b, int wa, int wb) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int from_a = blockIdx.y * 16 * wa, from_b = blockIdx.x * 16;
#pragma tma load
  {
    as[ty][tx] = a[from_a + wa * ty + tx];
    bs[ty][tx] = b[from_a + wb * ty + tx];
  }
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 16; ++k)
    sum += as[ty][k] * bs[k][tx];
  out[BLOCK * 256 + ty * 16 + tx] = sum + from_b;
}

// What the guard leaves out was written before, and is read.
__global__ void stale(float *out, const float *in, int w, int h) {
  __shared__ float tile[10][32];
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 320; i += 256)
    tile[i / 32][i % 32] = 5.f;
  __syncthreads();
  int x = blockIdx.x * 32 + threadIdx.x, y0 = blockIdx.y * 8 - 1;
#pragma tma load
  for (int r = threadIdx.y; r < 10; r += 8)
    if (y0 + r >= 0 && y0 + r < h && x < w)
      tile[r][threadIdx.x] = in[(y0 + r) * w + x];
  __syncthreads();
  out[BLOCK * 256 + threadIdx.y * 32 + threadIdx.x] =
      tile[threadIdx.y][threadIdx.x] + tile[threadIdx.y + 2][threadIdx.x];
}

// Beyond the edge lies the row before or after, and the first block begins before 'in'.
__global__ void wraps(float *out, const float *in, int w) {
  __shared__ float tile[8][40];
  int y = blockIdx.y * 8 + threadIdx.y, x0 = blockIdx.x * 32 - 4;
#pragma tma load
  for (int c = threadIdx.x; c < 40; c += 32)
    tile[threadIdx.y][c] = in[y * w + x0 + c];
  __syncthreads();
  out[BLOCK * 256 + threadIdx.y * 32 + threadIdx.x] =
      tile[threadIdx.y][threadIdx.x] + tile[threadIdx.y][threadIdx.x + 8];
}

// The rows of a segment end within the tensor: those behind are somebody else's.
__global__ void segments(float *out, const float *in, const int *ends, int w) {
  __shared__ float tile[16][32];
  int first = blockIdx.y ? ends[blockIdx.y - 1] : 0, end = ends[blockIdx.y];
#pragma tma load
  for (int r = threadIdx.y; r < 16; r += 8)
    tile[r][threadIdx.x] = first + r < end ? in[(first + r) * w + threadIdx.x] : 0.f;
  __syncthreads();
  for (int r = threadIdx.y; r < 16; r += 8)
    out[BLOCK * 512 + r * 32 + threadIdx.x] = tile[15 - r][threadIdx.x];
}

// Rows of 72 bytes.
__global__ void halo18(float *out, const float *in, int w, int h) {
  __shared__ float tile[18][18];
  int x0 = blockIdx.x * 16 - 1, y0 = blockIdx.y * 16 - 1;
#pragma tma load
  for (int i = threadIdx.y * 16 + threadIdx.x; i < 18 * 18; i += 256) {
    int x = x0 + i % 18, y = y0 + i / 18;
    tile[i / 18][i % 18] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  out[BLOCK * 256 + threadIdx.y * 16 + threadIdx.x] =
      tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1];
}

// Rows are n + 1 apart: a legal distance for some n only.
__global__ void pitch(float *out, const float *in, int n) {
  __shared__ float tile[16][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[y * (n + 1) + x];
  __syncthreads();
  out[BLOCK * 256 + threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// 64 columns go into rows of 72, and others are written beside them.
__global__ void inside_row(float *out, const float *in, int w) {
  __shared__ float tile[8][72];
  int x0 = blockIdx.x * 64, y = blockIdx.y * 8 + threadIdx.y;
#pragma tma load
  for (int c = threadIdx.x; c < 64; c += 32)
    tile[threadIdx.y][c + 4] = in[y * w + x0 + c];
  if (threadIdx.x < 4)
    tile[threadIdx.y][threadIdx.x] = tile[threadIdx.y][68 + threadIdx.x] = 1.f;
  __syncthreads();
  for (int c = threadIdx.x; c < 64; c += 32)
    out[BLOCK * 512 + threadIdx.y * 64 + c] = tile[threadIdx.y][c] + tile[threadIdx.y][c + 8];
}

// A is transposed on the way, B is not.
__global__ void sgemm(float *out, const float *a, const float *b, int k, int n) {
  __shared__ float at[16][64], bs[16][64];
  int t = threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int i = t; i < 1024; i += 256)
      at[i % 16][i / 16] = a[(blockIdx.y * 64 + i / 16) * k + k0 + i % 16];
#pragma tma load
    for (int i = t; i < 1024; i += 256)
      bs[i / 64][i % 64] = b[(k0 + i / 64) * n + blockIdx.x * 64 + i % 64];
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      sum += at[i][t % 64] * bs[i][t / 4];
    __syncthreads();
  }
  out[BLOCK * 256 + t] = sum;
}

// Copy and barrier within one condition of the block.
__global__ void wrapped(float *out, const float *in, int n) {
  __shared__ float line[256];
  if (blockIdx.x * 256 < n) {
#pragma tma load
    line[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = line[threadIdx.x ^ 1];
  }
}

// The first chunk comes from another array.
__global__ void chunks(float *out, const float *state, const float *in) {
  __shared__ float line[256];
  const float *from = blockIdx.x == 0 ? state : in + (blockIdx.x - 1) * 256;
#pragma tma load
  line[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = line[255 - threadIdx.x];
}

// Two images in one array.
__global__ void images(float *out, const float *a, const float *b, int w) {
  __shared__ float tile[2][8][32];
  int y = blockIdx.y * 8 + threadIdx.y;
#pragma tma load
  tile[0][threadIdx.y][threadIdx.x] = a[y * w + threadIdx.x];
#pragma tma load
  tile[1][threadIdx.y][threadIdx.x] = b[y * w + threadIdx.x];
  __syncthreads();
  out[BLOCK * 256 + threadIdx.y * 32 + threadIdx.x] =
      tile[0][threadIdx.y][threadIdx.x] - tile[1][7 - threadIdx.y][threadIdx.x];
}

// An offset that runs, rows and columns that are counted on, and two pointers.
__global__ void running(float *out, const float *in, int w) {
  __shared__ float tile[16][32];
  int offset = (blockIdx.y * 16 + threadIdx.y) * w + threadIdx.x;
#pragma tma load
  for (int r = threadIdx.y; r < 16; r += 8) {
    tile[r][threadIdx.x] = in[offset];
    offset += 8 * w;
  }
  __syncthreads();
  for (int r = threadIdx.y; r < 16; r += 8)
    out[BLOCK * 512 + r * 32 + threadIdx.x] = tile[15 - r][threadIdx.x];
}

__global__ void counted(float *out, const float *in, int w) {
  __shared__ float tile[12][40];
#pragma tma load
  {
    int row = threadIdx.x / 40, column = threadIdx.x % 40;
    for (int i = threadIdx.x; i < 480; i += 128) {
      tile[row][column] = in[(blockIdx.y * 12 + row) * w + column];
      row += 3;
      column += 8;
      if (column >= 40) {
        column -= 40;
        row += 1;
      }
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 480; i += 128)
    out[BLOCK * 480 + i] = tile[11 - i / 40][i % 40];
}

__global__ void bumped(float *out, const float *in, int w) {
  __shared__ float tile[16][32];
  const float *from = in + (blockIdx.y * 16 + threadIdx.y) * w + threadIdx.x;
  float *to = &tile[threadIdx.y][threadIdx.x];
#pragma tma load
  for (int r = 0; r < 2; ++r, from += 8 * w, to += 8 * 32)
    *to = *from;
  __syncthreads();
  for (int r = threadIdx.y; r < 16; r += 8)
    out[BLOCK * 512 + r * 32 + threadIdx.x] = tile[15 - r][threadIdx.x];
}

// Half of the warps load one tile, half the other.
__global__ void warps(float *out, const float *a, const float *b, int w) {
  __shared__ float as[4][32], bs[4][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma tma load
  {
    if (warp < 4)
      as[warp][lane] = a[(blockIdx.y * 4 + warp) * w + lane];
    else
      bs[warp - 4][lane] = b[(blockIdx.y * 4 + warp - 4) * w + lane];
  }
  __syncthreads();
  out[BLOCK * 256 + threadIdx.x] = warp < 4 ? bs[3 - warp][lane] : as[7 - warp][lane];
}

// Elements and vectors by macros, and '#if' within the loop.
#define TILE(r, c) tile[(r) * 32 + (c)]
#define IN(r, c) in[(r) * w + (c)]
#define FLOAT4(x) (*reinterpret_cast<float4 *>(&(x)))
#define CONST_FLOAT4(x) (*reinterpret_cast<const float4 *>(&(x)))
#define WIDE 1
__global__ void macros(float *out, const float *in, int w) {
  __shared__ __align__(16) float tile[8 * 32];
  int r0 = blockIdx.y * 8;
#pragma tma load
  for (int i = threadIdx.x; i < 64; i += 64) {
#if WIDE
    FLOAT4(TILE(i / 8, i % 8 * 4)) = CONST_FLOAT4(IN(r0 + i / 8, i % 8 * 4));
#else
    for (int j = 0; j < 4; ++j)
      TILE(i / 8, i % 8 * 4 + j) = IN(r0 + i / 8, i % 8 * 4 + j);
#endif
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 64)
    out[BLOCK * 256 + i] = TILE(7 - i / 32, i % 32);
}

// Negative numbers are shifted and masked as if there were more bits above.
__global__ void below_zero(float *out, const float *in, int k, int w) {
  __shared__ float tile[8][32];
  int y0 = k & 7, x0 = (k >> 1) * 4 + 8;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(y0 + threadIdx.y) * w + x0 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[7 - threadIdx.y][threadIdx.x];
}

int main() {
  flat_bound<<<dim3(1, 2), 256>>>(numbers(1024), numbers(27 * 32), 27);
  wrong_offset<<<dim3(2, 2), dim3(16, 16)>>>(numbers(1024), numbers(32 * 64), numbers(64 * 64), 32,
                                             64);
  stale<<<dim3(2, 3), dim3(32, 8)>>>(numbers(6 * 256), numbers(64 * 20), 64, 20);
  wraps<<<dim3(2, 2), dim3(32, 8)>>>(numbers(4 * 256), numbers(64 * 18) + 64, 64);
  segments<<<dim3(1, 3), dim3(32, 8)>>>(numbers(3 * 512), numbers(40 * 32), indices({10, 13, 40}),
                                        32);
  halo18<<<dim3(2, 2), dim3(16, 16)>>>(numbers(1024), numbers(32 * 24), 32, 24);
  pitch<<<dim3(2, 2), dim3(16, 16)>>>(numbers(1024), numbers(33 * 32), 32);
  pitch<<<dim3(2, 2), dim3(16, 16)>>>(numbers(1024), numbers(36 * 32), 35);
  inside_row<<<dim3(2, 2), dim3(32, 8)>>>(numbers(2048), numbers(128 * 16), 128);
  sgemm<<<dim3(2, 2), 256>>>(numbers(1024), numbers(128 * 48), numbers(48 * 128), 48, 128);
  wrapped<<<3, 256>>>(numbers(768), numbers(768), 512);
  chunks<<<3, 256>>>(numbers(768), numbers(256), numbers(512));
  images<<<dim3(1, 2), dim3(32, 8)>>>(numbers(512), numbers(512), numbers(512), 32);
  running<<<dim3(1, 2), dim3(32, 8)>>>(numbers(1024), numbers(1024), 32);
  counted<<<dim3(1, 2), 128>>>(numbers(960), numbers(960), 40);
  bumped<<<dim3(1, 2), dim3(32, 8)>>>(numbers(1024), numbers(1024), 32);
  warps<<<dim3(1, 2), 256>>>(numbers(512), numbers(256), numbers(256), 32);
  macros<<<dim3(1, 2), 64>>>(numbers(512), numbers(512), 32);
  below_zero<<<1, dim3(32, 8)>>>(numbers(256), numbers(16 * 64), -3, 64);
  return finish();
}
