// Where tensors and their extents come from: structs of arguments, constant memory,
// tables of pointers; and borders that are clamped, wrapped, reflected, or filled with
// something else, which copy the plain way at the rim.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK: sources.cu:[[#]]:3: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'a.in' to 'tile'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'view.from.data' to 'tile'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'm.data' to 'tile'
// CHECK: remark: a __syncthreads() is added before the copy: threads may have written to 'm.data'
// CHECK: remark: lifted under a guard: 8 1-D bulk copies of 128 bytes from 'in' to 'tile', a row each
// CHECK: remark: lifted under a guard: 8 1-D bulk copies of 128 bytes from 'ins[blockIdx.z]' to 'tile', a row each
// CHECK: note: at the copy: the address is a multiple of 16
// CHECK: remark: lifted under a guard: tile copy of 10 x 40 f32 (1600 bytes) from 'in' to 'tile'
// CHECK: remark: lifted under a guard: tile copy of 10 x 40 f32 (1600 bytes) from 'in' to 'tile'
// CHECK: remark: lifted under a guard: tile copy of 10 x 40 f32 (1600 bytes) from 'in' to 'tile'
// CHECK: remark: lifted under a guard: tile copy of 10 x 40 f32 (1600 bytes) from 'in' to 'tile'

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

#define OUT(i) out[((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * 256 + (i)]
#define ALL for (int i = threadIdx.y * 32 + threadIdx.x; i < 256; i += 256)

struct Arguments {
  float *out;
  const float *in;
  int w, h;
};

__global__ void structs(Arguments a) {
  __shared__ float tile[8][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = x < a.w && y < a.h ? a.in[y * a.w + x] : 0.f;
  __syncthreads();
  float *out = a.out;
  ALL OUT(i) = tile[i % 8][i / 8];
}

template <typename T> struct Matrix {
  T *data;
  int pitch;
  __device__ T &at(int y, int x) const { return data[y * pitch + x]; }
};
struct View {
  Matrix<const float> from;
  Matrix<float> to;
};

__global__ void members(View view) {
  __shared__ float tile[8][32];
#pragma tma load
  tile[threadIdx.y][threadIdx.x] =
      view.from.at(blockIdx.y * 8 + threadIdx.y, blockIdx.x * 32 + threadIdx.x);
  __syncthreads();
  view.to.at(blockIdx.y * 8 + threadIdx.y, blockIdx.x * 32 + threadIdx.x) =
      tile[7 - threadIdx.y][31 - threadIdx.x];
}

// What is copied was written through the same member in the round before.
__global__ void in_place(Matrix<float> m, int rounds) {
  __shared__ float tile[8][32];
  for (int k = 0; k < rounds; ++k) {
#pragma tma load
    tile[threadIdx.y][threadIdx.x] = m.data[(k * 8 + threadIdx.y) * m.pitch + threadIdx.x];
    __syncthreads();
    m.data[((k + 1) * 8 + threadIdx.y) * m.pitch + threadIdx.x] +=
        tile[7 - threadIdx.y][threadIdx.x];
    __syncthreads();
  }
}

__constant__ int extents[2];

__global__ void constants(float *out, const float *in) {
  __shared__ float tile[8][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = x < extents[0] && y < extents[1] ? in[y * extents[0] + x] : 0.f;
  __syncthreads();
  ALL OUT(i) = tile[i % 8][i / 8];
}

__global__ void batches(float *out, const float *const *ins, int w) {
  __shared__ float tile[8][32];
  const float *in = ins[blockIdx.z];
#pragma tma load
  tile[threadIdx.y][threadIdx.x] =
      in[(blockIdx.y * 8 + threadIdx.y) * w + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  ALL OUT(i) = tile[i % 8][i / 8];
}

__global__ void clamped(float *out, const float *in, int w, int h) {
  __shared__ float tile[10][40];
#pragma tma load
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 400; i += 256) {
    int y = min(max(int(blockIdx.y * 8 + i / 40) - 1, 0), h - 1);
    int x = min(max(int(blockIdx.x * 32 + i % 40) - 4, 0), w - 1);
    tile[i / 40][i % 40] = in[y * w + x];
  }
  __syncthreads();
  ALL OUT(i) = tile[i % 10][i / 10] + tile[9 - i % 10][39 - i / 10];
}

__global__ void wrapped(float *out, const float *in, int w, int h) {
  __shared__ float tile[10][40];
#pragma tma load
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 400; i += 256) {
    int y = (int(blockIdx.y * 8 + i / 40) - 1 + h) % h;
    int x = (int(blockIdx.x * 32 + i % 40) - 4 + w) % w;
    tile[i / 40][i % 40] = in[y * w + x];
  }
  __syncthreads();
  ALL OUT(i) = tile[i % 10][i / 10] + tile[9 - i % 10][39 - i / 10];
}

__global__ void reflected(float *out, const float *in, int w, int h) {
  __shared__ float tile[10][40];
#pragma tma load
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 400; i += 256) {
    int y = int(blockIdx.y * 8 + i / 40) - 1, x = int(blockIdx.x * 32 + i % 40) - 4;
    if (y < 0)
      y = -y;
    if (y >= h)
      y = 2 * h - 2 - y;
    if (x < 0)
      x = -x;
    else if (x >= w)
      x = 2 * w - 2 - x;
    tile[i / 40][i % 40] = in[y * w + x];
  }
  __syncthreads();
  ALL OUT(i) = tile[i % 10][i / 10] + tile[9 - i % 10][39 - i / 10];
}

// The border is computed.
__global__ void filled(float *out, const float *in, int w, int h, float border) {
  __shared__ float tile[10][40];
#pragma tma load
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 400; i += 256) {
    int y = int(blockIdx.y * 8 + i / 40) - 1, x = int(blockIdx.x * 32 + i % 40) - 4;
    bool inside = y >= 0 && y < h && x >= 0 && x < w;
    tile[i / 40][i % 40] = inside ? in[y * w + x] : border * 2;
  }
  __syncthreads();
  ALL OUT(i) = tile[i % 10][i / 10] + tile[9 - i % 10][39 - i / 10];
}

int main() {
  dim3 grid(2, 2), block(32, 8), many(4, 4);
  structs<<<grid, block>>>(Arguments{numbers(1024), numbers(60 * 13), 60, 13});
  members<<<grid, block>>>(View{{numbers(64 * 16), 64}, {numbers(64 * 16), 64}});
  in_place<<<1, block>>>(Matrix<float>{numbers(32 * 40), 32}, 4);
  int sizes[2] = {64, 13};
  cudaMemcpyToSymbol(extents, sizes, sizeof(sizes));
  constants<<<grid, block>>>(numbers(1024), numbers(64 * 13));
  const float *tables[2] = {numbers(64 * 16), numbers(64 * 16 + 1) + 1};
  const float **table;
  cudaMalloc(&table, sizeof(tables));
  cudaMemcpy(table, tables, sizeof(tables), cudaMemcpyHostToDevice);
  batches<<<dim3(2, 2, 2), block>>>(numbers(2048), table, 64);
  clamped<<<many, block>>>(numbers(4096), numbers(128 * 32), 128, 32);
  wrapped<<<many, block>>>(numbers(4096), numbers(128 * 32), 128, 32);
  reflected<<<many, block>>>(numbers(4096), numbers(128 * 32), 128, 32);
  filled<<<many, block>>>(numbers(4096), numbers(124 * 31), 124, 31, 3.f);
  return finish();
}
