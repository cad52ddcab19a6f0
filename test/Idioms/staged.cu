// Copies that are staged in registers: loaded by one statement, stored by another.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK: staged.cu:[[@LINE+17]]:5: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: staged.cu:[[@LINE+34]]:5: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

// The tile is still being read when the next one is loaded.
__global__ void before_the_barrier(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
  int r = threadIdx.x / 8, c = threadIdx.x % 8 * 4;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    float4 v = *(const float4 *)&in[(blockIdx.x * 8 + r) * w + k * 32 + c];
    asm volatile("membar.cta;" ::: "memory");
    __syncthreads();
#pragma tma load
    *(float4 *)&tile[r][c] = v;
    __syncthreads();
    sum = sum * 3 + tile[c / 4][r * 4];
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// What is written in between lies elsewhere.
__global__ void writes_elsewhere(float *__restrict__ out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
  int r = threadIdx.x / 8, c = threadIdx.x % 8 * 4;
  for (int k = 0; k < n; ++k) {
    float v[4];
    for (int i = 0; i < 4; ++i)
      v[i] = in[(blockIdx.x * 8 + r) * w + k * 32 + c + i];
    out[(blockIdx.x * n + k) * 64 + threadIdx.x] = v[0] + v[3];
    __syncthreads();
#pragma tma load
    for (int i = 0; i < 4; ++i)
      tile[r][c + i] = v[i];
    __syncthreads();
    out[(blockIdx.x * n + k) * 64 + threadIdx.x] *= tile[c / 4][r * 4];
  }
}

int main() {
  before_the_barrier<<<2, 64>>>(numbers(128), numbers(16 * 96), 96, 3);
  writes_elsewhere<<<2, 64>>>(numbers(384), numbers(16 * 96), 96, 3);
  return finish();
}
