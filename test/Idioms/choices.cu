// Numbers and pointers that all threads of a block share, and that no single formula
// describes: the box starts at the variable, whatever it is.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK: choices.cu:[[#]]:3: remark: lifted under a guard: tile copy of 16 x 16 f32 (1024 bytes) from 'in' to 'tile'
// CHECK-NOT: at the copy: {{.*}}skipped
// CHECK: note: at the copy: w * y * 16 + blockIdx.x * 16 >= 0
// CHECK: choices.cu:[[#]]:3: remark: lifted under a guard: tile copy of 16 x 16 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: note: at the copy: w * row + blockIdx.x * 16 >= 0
// CHECK: choices.cu:[[#]]:3: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK-NOT: note: at the copy
// CHECK: choices.cu:[[#]]:5: remark: lifted under a guard: 1-D bulk copy of 400 bytes from 'from' to 'line'
// CHECK: note: at the copy: the address is a multiple of 16
// CHECK: choices.cu:[[#]]:3: remark: lifted under a guard: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: note: at the copy: last - blockIdx.y * 8 - 8 >= 0
// CHECK: choices.cu:[[#]]:5: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK-NOT: note: at the copy

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

#define BLOCK (blockIdx.y * gridDim.x + blockIdx.x)

// All rows of blocks but one.
__global__ void all_but(float *out, const float *in, int skipped, int w) {
  __shared__ float tile[16][16];
  int y = blockIdx.y;
  if (y >= skipped)
    y++;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(y * 16 + threadIdx.y) * w + blockIdx.x * 16 + threadIdx.x];
  __syncthreads();
  out[BLOCK * 256 + threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// Down one column of blocks, up the next.
__global__ void serpentine(float *out, const float *in, int w) {
  __shared__ float tile[16][16];
  const int row = blockIdx.x % 2 ? (gridDim.y - blockIdx.y - 1) * 16 : blockIdx.y * 16;
  const int x = blockIdx.x * 16 + threadIdx.x;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(row + threadIdx.y) * w + x];
  __syncthreads();
  out[BLOCK * 256 + threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// The box may start anywhere, as long as it starts inside.
__global__ void pushed_in(float *out, const float *in, int w, int h) {
  __shared__ float tile[8][32];
  const int y0 = max(int(blockIdx.y * 8) - 3, 0);
#pragma tma load
  tile[threadIdx.y][threadIdx.x] =
      y0 + int(threadIdx.y) < h ? in[size_t(y0 + threadIdx.y) * w + threadIdx.x] : 0.f;
  __syncthreads();
  out[BLOCK * 256 + threadIdx.y * 32 + threadIdx.x] = tile[7 - threadIdx.y][threadIdx.x];
}

// A pointer to what was looked up.
struct Part {
  long offset;
  int next;
};
__global__ void parts(float *out, const float *in, const Part *parts) {
  __shared__ float line[100];
  float sum = 0;
  for (int i = 0; i < 2; ++i) {
    int part = i == 0 ? blockIdx.x : parts[blockIdx.x].next;
    const float *from = &in[parts[part].offset];
#pragma tma load
    for (int j = threadIdx.x; j < 100; j += 64)
      line[j] = from[j];
    __syncthreads();
    sum += line[99 - threadIdx.x];
    __syncthreads();
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// A bound that is a choice, too, is followed into each of its cases.
__global__ void shorter(float *out, const float *in, int w, int h, int half) {
  __shared__ float tile[8][32];
  const int y0 = blockIdx.y * 8;
  int last = h;
  if (half)
    last = h / 2;
  last = blockIdx.x ? last : h;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] =
      y0 + int(threadIdx.y) < last ? in[(y0 + threadIdx.y) * w + blockIdx.x * 32 + threadIdx.x] : 0;
  __syncthreads();
  out[BLOCK * 256 + threadIdx.y * 32 + threadIdx.x] = tile[7 - threadIdx.y][threadIdx.x];
}

// The same counter was something else before, in each thread.
__global__ void used_before(float *out, const float *in, int d, int w) {
  __shared__ float tile[8][32];
  int k = threadIdx.x + threadIdx.y, lane = k % 7;
  float sum = 0;
  for (k = 0; k < d; k++) {
#pragma tma load
    tile[threadIdx.y][threadIdx.x] = in[(k * 8 + threadIdx.y) * w + threadIdx.x];
    __syncthreads();
    sum += tile[7 - threadIdx.y][threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.y * 32 + threadIdx.x] = sum + lane;
}

int main() {
  all_but<<<dim3(2, 3), dim3(16, 16)>>>(numbers(6 * 256), numbers(32 * 64), 1, 32);
  serpentine<<<dim3(2, 3), dim3(16, 16)>>>(numbers(6 * 256), numbers(32 * 48), 32);
  pushed_in<<<dim3(1, 3), dim3(32, 8)>>>(numbers(3 * 256), numbers(32 * 20), 32, 20);
  const Part each[] = {{0, 1}, {100, 2}, {202, 0}};
  Part *parts_memory;
  cudaMalloc(&parts_memory, sizeof each);
  cudaMemcpy(parts_memory, each, sizeof each, cudaMemcpyHostToDevice);
  parts<<<3, 64>>>(numbers(3 * 64), numbers(304), parts_memory);
  shorter<<<dim3(2, 2), dim3(32, 8)>>>(numbers(4 * 256), numbers(64 * 20), 64, 20, 1);
  shorter<<<dim3(2, 2), dim3(32, 8)>>>(numbers(4 * 256), numbers(64 * 16), 64, 16, 0);
  used_before<<<1, dim3(32, 8)>>>(numbers(256), numbers(32 * 24), 3, 32);
  return finish();
}
