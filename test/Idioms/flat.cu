// Tiles that are declared as one long row and indexed by hand: where TMA needs longer rows,
// every reader's element is found by division.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// RUN: %tilelift %s -o - 2>/dev/null | %FileCheck %s --check-prefix=TEXT
// CHECK: flat.cu:[[#]]:3: remark: lifted: tile copy of 18 x 24 f32 (1728 bytes) from 'in' to 'tile', rows of 24 elements, starting at 3, found by division
// CHECK: note: each use of 'tile' divides by 18, which may cost more than TMA brings: declare it as 'tile[18][18]'
// TEXT: using tile = tilelift::flat_tile<float[18][18], 24, 3>;
// CHECK: remark: lifted under a guard: tile copy of 10 x 10 x 12 f32 (4800 bytes) from 'in' to 'tile', rows of 12 elements, starting at 0, found by division
// CHECK: note: at the copy: (r % 2) * 4800 is a multiple of 128
// TEXT: using tile = tilelift::flat_tile<float[201][10], 12, 0>;
// CHECK: remark: lifted: tile copy of 8 x 24 u16 (384 bytes) from 'in' to 'tile', rows of 24 elements, starting at 0, found by division
// CHECK-COUNT-6: case memory

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

#define BLOCK (blockIdx.y * gridDim.x + blockIdx.x)
#define OUT (BLOCK * 256 + threadIdx.y * 16 + threadIdx.x)

// Rows of 72 bytes, spelled out by everybody who reads them.
__global__ void halo(float *out, const float *in, int w, int h) {
  __shared__ float tile[18 * 18];
  const int mx = 16, off = 1;
  int x0 = blockIdx.x * 16 - 1, y0 = blockIdx.y * 16 - 1;
#pragma tma load
  for (int sj = threadIdx.y; sj < 18; sj += 16)
    for (int si = threadIdx.x; si < 18; si += 16) {
      int x = x0 + si, y = y0 + sj;
      tile[sj * (mx + 2 * off) + si] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0.f;
    }
  __syncthreads();
  size_t here = (threadIdx.y + 1) * 18 + threadIdx.x + 1;
  out[OUT] = tile[(threadIdx.y + 2) * (mx + 2 * off) + threadIdx.x + 1] + tile[here - 18] +
             tile[here + 1] - tile[here - 1];
}

// Two stages of planes, and what nobody fills behind them. The second stage starts where no
// box can: the loop fills it, and indexes the tile in the same way.
__global__ void planes(float *out, const float *in, int w, int h) {
  __shared__ float tile[2 * 10 * 10 * 10 + 3];
  float sum = 0;
  for (int r = 0; r < 4; ++r) {
#pragma tma load
    tile[r % 2 * 1000 + threadIdx.z * 100 + threadIdx.y * 10 + threadIdx.x] =
        in[(threadIdx.z * h + threadIdx.y) * w + threadIdx.x + r * 4];
    __syncthreads();
    sum += tile[r % 2 * 1000 + 999 - (threadIdx.x + threadIdx.y * 10u + threadIdx.z * 100)];
    __syncthreads();
  }
  out[threadIdx.x + threadIdx.y * 10 + threadIdx.z * 100] = sum;
}

// Elements that are padding, and that the block writes to later.
__global__ void padded(unsigned short *out, const unsigned short *in, int w) {
  __shared__ unsigned short tile[8 * 17];
#pragma tma load
  for (int i = threadIdx.x; i < 8 * 17; i += 64)
    tile[i] = in[i / 17 * w + i % 17];
  __syncthreads();
  unsigned short before = tile[threadIdx.x + 17];
  __syncthreads();
  tile[threadIdx.x] += before;
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
  halo<<<dim3(2, 2), dim3(16, 16)>>>(numbers(1024), numbers(32 * 24), 32, 24);
  planes<<<1, dim3(10, 10, 10)>>>(numbers(1000), numbers(32 * 16 * 16), 32, 16);
  padded<<<1, 64>>>((unsigned short *)numbers(32), (unsigned short *)numbers(128), 24);
  return finish();
}
