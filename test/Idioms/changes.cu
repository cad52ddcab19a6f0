// Variables that a copy depends on are changed in ways that no assignment shows: by a
// method, through a pointer, in a lambda, in an inner loop that uses the same name.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK: changes.cu:[[#]]:3: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: changes.cu:[[#]]:7: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: changes.cu:[[#]]:33: warning: this copy stays a plain loop: the address of this load is not followed: it depends on 'x', which may be changed through a pointer, a reference or a lambda
// CHECK: warning: this copy stays a plain loop: the address of this load is not followed: it depends on 'x', which may be changed through a pointer, a reference or a lambda
// CHECK: warning: this copy stays a plain loop: the address of this load is not followed: it depends on 'x', which may be changed through a pointer, a reference or a lambda
// CHECK: changes.cu:[[#]]:5: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: changes.cu:[[#]]:3: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

#define ROW (threadIdx.y * w)
#define OUT (threadIdx.y * 32 + threadIdx.x)

struct Cursor {
  int at;
  __device__ void advance(int by) { at += by; }
};

__global__ void by_method(float *out, const float *in, int w) {
  __shared__ float tile[8][32];
  Cursor cursor{0};
  cursor.advance(32);
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[ROW + cursor.at + threadIdx.x];
  __syncthreads();
  out[OUT] = tile[7 - threadIdx.y][threadIdx.x];
}

__global__ void by_inner_loop(float *out, const float *in, int w) {
  __shared__ float tile[8][32];
  float sum = 0;
  for (int k = 0; k < 2; ++k) {
    int base = k * 64;
    for (int k = 0; k < 2; ++k) {
#pragma tma load
      tile[threadIdx.y][threadIdx.x] = in[ROW + base + k * 32 + threadIdx.x];
      __syncthreads();
      sum += tile[7 - threadIdx.y][threadIdx.x];
      __syncthreads();
    }
  }
  out[OUT] = sum;
}

__global__ void not_in_the_lambda(float *out, const float *in, int w) {
  __shared__ float tile[8][32];
  int x = 0;
  auto at = [=](int i) { return x + i; };
  x = 32;
#pragma tma load fallback(loop)
  tile[threadIdx.y][threadIdx.x] = in[ROW + at(threadIdx.x)];
  __syncthreads();
  out[OUT] = tile[7 - threadIdx.y][threadIdx.x] + x;
}

__global__ void by_pointer(float *out, const float *in, int w) {
  __shared__ float tile[8][32];
  int x = 0;
  int *p = &x;
  x = 64;
  *p = 32;
#pragma tma load fallback(loop)
  tile[threadIdx.y][threadIdx.x] = in[ROW + x + threadIdx.x];
  __syncthreads();
  out[OUT] = tile[7 - threadIdx.y][threadIdx.x];
}

__global__ void argument_by_pointer(float *out, const float *in, int w, int x) {
  __shared__ float tile[8][32];
  int *p = &x;
  *p += 32;
#pragma tma load fallback(loop)
  tile[threadIdx.y][threadIdx.x] = in[ROW + x + threadIdx.x];
  __syncthreads();
  out[OUT] = tile[7 - threadIdx.y][threadIdx.x];
}

// The rows that a reference or a lambda reads are the tile's.
__global__ void read_by_others(float *out, const float *in, int w) {
  __shared__ float tile[8][32];
  auto &row = tile[7 - threadIdx.y];
  auto first = [&](int i) { return tile[0][i]; };
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
#pragma tma load
    tile[threadIdx.y][threadIdx.x] = in[ROW + k * 32 + threadIdx.x];
    __syncthreads();
    sum += k % 2 ? row[threadIdx.x] : first(threadIdx.x);
    __syncthreads();
  }
  out[OUT] = sum;
}

// One counter for all loops, set anew by each.
__global__ void one_counter(float *out, const float *in, int w) {
  __shared__ float tile[8][32];
  int i;
  float sum = 0;
  for (i = 0; i < 4; i++)
    sum += in[i];
#pragma tma load
  for (i = threadIdx.y; i < 8; i += 4)
    tile[i][threadIdx.x] = in[i * w + threadIdx.x];
  __syncthreads();
  for (i = 0; i < 8; i++)
    sum += tile[i][31 - threadIdx.x];
  out[threadIdx.y * 32 + threadIdx.x] = sum;
}

int main() {
  by_method<<<1, dim3(32, 8)>>>(numbers(256), numbers(128 * 8), 128);
  by_inner_loop<<<1, dim3(32, 8)>>>(numbers(256), numbers(128 * 8), 128);
  not_in_the_lambda<<<1, dim3(32, 8)>>>(numbers(256), numbers(128 * 8), 128);
  by_pointer<<<1, dim3(32, 8)>>>(numbers(256), numbers(128 * 8), 128);
  argument_by_pointer<<<1, dim3(32, 8)>>>(numbers(256), numbers(128 * 8), 128, 0);
  read_by_others<<<1, dim3(32, 8)>>>(numbers(256), numbers(128 * 8), 128);
  one_counter<<<1, dim3(32, 4)>>>(numbers(128), numbers(32 * 8), 32);
  return finish();
}
