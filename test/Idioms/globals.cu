// Tensors that are variables of the device: the launcher looks up where they lie.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK: globals.cu:[[#]]:3: remark: lifted: 1-D bulk copy of 1024 bytes from 'weights' to 'tile'
// CHECK: remark: lifted: tile copy of 10 x 40 f32 (1600 bytes) from 'field' to 'tile'
// CHECK: globals.cu:[[#]]:3: warning: this copy stays a plain loop: 'model::layers' lies in constant memory, where TMA does not read: make it a '__device__' variable that is not const
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'grid' to 'tile'
// CHECK: remark: lifted: 1-D bulk copy of 1024 bytes from 'state' to 'tile'
// CHECK: remark: a __syncthreads() is added before the copy: threads may have written to 'state'
//
// RUN: env TILELIFT_VERBOSE=1 %run %s 2>&1 | %FileCheck %s --check-prefix=LAUNCH
// LAUNCH: warning: this copy stays a plain loop
// LAUNCH: flat: TMA
// LAUNCH-NEXT: halo: TMA
// LAUNCH-NEXT: grid_rows: TMA
// LAUNCH-NEXT: changed: TMA

#include <cstddef>

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

__device__ float weights[4096];
static __device__ float field[64][128];
namespace model {
__device__ const float layers[2][16][32] = {{{1, 2, 3}, {4}}, {{5}, {6, 7}}};
}
struct Grid {
  int width;
  float padding[7];
  float cells[64][128];
};
__device__ Grid grid;
__device__ float state[1024];

#define BLOCK (blockIdx.y * gridDim.x + blockIdx.x)
#define THREAD (threadIdx.y * 32 + threadIdx.x)

__global__ void flat(float *out) {
  __shared__ float tile[256];
#pragma tma load
  tile[THREAD] = weights[blockIdx.x * 256 + THREAD];
  __syncthreads();
  out[blockIdx.x * 256 + THREAD] = tile[255 - THREAD];
}

__global__ void halo(float *out) {
  __shared__ float tile[10][34];
  int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 8 - 1;
#pragma tma load
  for (int i = THREAD; i < 10 * 34; i += 256) {
    int y = y0 + i / 34, x = x0 + i % 34;
    tile[i / 34][i % 34] = y >= 0 && y < 64 && x >= 0 && x < 128 ? field[y][x] : 0.f;
  }
  __syncthreads();
  out[BLOCK * 256 + THREAD] = tile[threadIdx.y][threadIdx.x] + tile[threadIdx.y + 2][threadIdx.x + 2];
}

__global__ void table(float *out) {
  __shared__ float tile[8][32];
#pragma tma load fallback(loop)
  tile[threadIdx.y][threadIdx.x] = model::layers[blockIdx.x][2 * threadIdx.y][threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + THREAD] = tile[threadIdx.y][31 - threadIdx.x];
}

__global__ void grid_rows(float *out) {
  __shared__ float tile[8][32];
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = grid.cells[blockIdx.y * 8 + threadIdx.y][blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  out[BLOCK * 256 + THREAD] = tile[7 - threadIdx.y][threadIdx.x];
}

__global__ void changed(float *out) {
  __shared__ float tile[256];
  state[blockIdx.x * 256 + THREAD] = weights[THREAD] + 1;
  __syncthreads();
#pragma tma load
  tile[THREAD] = state[blockIdx.x * 256 + THREAD];
  __syncthreads();
  out[blockIdx.x * 256 + THREAD] = tile[255 - THREAD];
}

int main() {
  const float *in = numbers(64 * 128);
  cudaMemcpyToSymbol(weights, in, sizeof(weights), 0, cudaMemcpyDeviceToDevice);
  cudaMemcpyToSymbol(field, in, sizeof(field), 0, cudaMemcpyDeviceToDevice);
  cudaMemcpyToSymbol(grid, in, sizeof(field), offsetof(Grid, cells), cudaMemcpyDeviceToDevice);
  dim3 block(32, 8);
  flat<<<16, block>>>(numbers(4096));
  halo<<<dim3(4, 8), block>>>(numbers(64 * 128));
  table<<<2, block>>>(numbers(512));
  grid_rows<<<dim3(4, 8), block>>>(numbers(64 * 128));
  changed<<<4, block>>>(numbers(1024));
  return finish();
}
