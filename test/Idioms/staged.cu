// Copies that are staged in registers: loaded by one statement, stored by another.
// The lifted statement loads, so that what loads ahead has nothing to do any more.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK: staged.cu:[[#]]:5: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: staged.cu:[[#]]:5: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: staged.cu:[[#]]:5: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: staged.cu:[[#]]:5: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: staged.cu:[[#]]:5: remark: lifted under a guard: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: staged.cu:[[#]]:5: remark: lifted under a guard: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: note: at the copy: k - 1 >= 0
// CHECK: staged.cu:[[#]]:7: warn{{ing}}: this copy stays a plain loop: 'tile[0][0]' is not a copy: the value depends on a part of 'v', which the loop around the copy changes [-Wtilelift-stays-plain]

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

// Each round loads for the next one, as the last one does not.
__global__ void ahead(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
  int r = threadIdx.x / 8, c = threadIdx.x % 8 * 4;
  float sum = 0;
  float4 v = *(const float4 *)&in[(blockIdx.x * 8 + r) * w + c];
  for (int k = 0; k < n; ++k) {
    __syncthreads();
#pragma tma load
    *(float4 *)&tile[r][c] = v;
    __syncthreads();
    if (k + 1 < n)
      v = *(const float4 *)&in[(blockIdx.x * 8 + r) * w + (k + 1) * 32 + c];
    sum = sum * 3 + tile[c / 4][r * 4];
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// Several registers, two rounds in a step, a pointer that moves, zero outside.
__global__ void several_ahead(float *out, const float *in, int w, int h, int n) {
  __shared__ float tile[8][32];
  int r = threadIdx.x / 8, c = threadIdx.x % 8 * 4, y = blockIdx.x * 8 + r;
  float sum = 0, v[4];
  for (int i = 0; i < 4; ++i)
    v[i] = y < h ? in[y * w + c + i] : 0.f;
  for (int k = 32; k <= n; k += 64) {
#pragma tma load
    for (int i = 0; i < 4; ++i)
      tile[r][c + i] = v[i];
    __syncthreads();
    sum = sum * 3 + tile[c / 4][r * 4];
    in += 64;
    for (int i = 0; i < 4; ++i)
      if (k + 64 <= n)
        v[i] = y < h ? in[y * w + c + i] : 0.f;
    __syncthreads();
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// Rounds that end early load for the next one, too.
__global__ void skipping(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
  int r = threadIdx.x / 8, c = threadIdx.x % 8 * 4;
  float sum = 0;
  float4 v = *(const float4 *)&in[r * w + c];
  for (int k = n - 1; k >= 0; --k) {
    __syncthreads();
#pragma tma load
    *(float4 *)&tile[r][c] = v;
    __syncthreads();
    sum = sum * 3 + tile[c / 4][r * 4];
    v = *(const float4 *)&in[r * w + (n - k) % n * 32 + c];
    if (k == 1)
      continue;
    sum += 1;
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// The first round starts with something else.
__global__ void other_start(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
  int r = threadIdx.x / 8, c = threadIdx.x % 8 * 4;
  float sum = 0;
  float4 v = *(const float4 *)&in[r * w + 64 + c];
  for (int k = 0; k < n; ++k) {
    __syncthreads();
#pragma tma load fallback(loop)
    *(float4 *)&tile[r][c] = v;
    __syncthreads();
    sum = sum * 3 + tile[c / 4][r * 4];
    if (k + 1 < n)
      v = *(const float4 *)&in[r * w + (k + 1) * 32 + c];
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// Only some rounds load, so that others store the same again.
__global__ void every_other(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
  int r = threadIdx.x / 8, c = threadIdx.x % 8 * 4;
  float sum = 0;
  float4 v = *(const float4 *)&in[r * w + c];
  for (int k = 0; k < n; ++k) {
    __syncthreads();
#pragma tma load fallback(loop)
    *(float4 *)&tile[r][c] = v;
    __syncthreads();
    sum = sum * 3 + tile[c / 4][r * 4];
    if (k < 1)
      v = *(const float4 *)&in[r * w + (k + 1) * 32 + c];
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

int main() {
  before_the_barrier<<<2, 64>>>(numbers(128), numbers(16 * 96), 96, 3);
  writes_elsewhere<<<2, 64>>>(numbers(384), numbers(16 * 96), 96, 3);
  ahead<<<2, 64>>>(numbers(128), numbers(16 * 160), 160, 5);
  several_ahead<<<2, 64>>>(numbers(128), numbers(13 * 320), 320, 13, 300);
  skipping<<<2, 64>>>(numbers(128), numbers(8 * 160), 160, 5);
  other_start<<<2, 64>>>(numbers(128), numbers(8 * 160), 160, 5);
  every_other<<<2, 64>>>(numbers(128), numbers(8 * 160), 160, 5);
  return finish();
}
