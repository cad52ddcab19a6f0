// Statements that fill several tiles, or one tile from several tensors, are several
// copies with one wait.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK: several.cu:[[#]]:5: remark: lifted: tile copy of 16 x 16 f32 (1024 bytes) from 'a' to 'as'
// CHECK: several.cu:[[#]]:5: remark: lifted: tile copy of 16 x 16 f32 (1024 bytes) from 'b' to 'bs'
// CHECK: several.cu:[[#]]:3: remark: lifted: tile copy of 4 x 32 f32 (512 bytes) from 'a' to 'as'
// CHECK: several.cu:[[#]]:3: remark: lifted: tile copy of 4 x 32 f32 (512 bytes) from 'b' to 'bs'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'a' to 'memory'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'b' to 'memory'
// CHECK: remark: lifted under a guard: 1-D bulk copy of 256 bytes from 'a' to 'left'
// CHECK: remark: lifted: 1-D bulk copy of 256 bytes from 'b' to 'right'
//
// RUN: %tilelift %s -o %t.cu
// RUN: grep -v TEXT %t.cu | %FileCheck %s --check-prefix=TEXT
// TEXT-LABEL: void either_tma(
// TEXT: if ((long long)n - 64 >= 0) {
// TEXT: tilelift::expect(tma_barrier, either_tma_plan::left_bytes + either_tma_plan::right_bytes);
// TEXT-NEXT: tilelift::load_bytes(left, a,
// TEXT: tilelift::load_bytes(right, b,
// TEXT: tilelift::wait(
// TEXT-NEXT: } else {

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

__global__ void matmul(float *c, const float *a, const float *b, int m, int n, int k) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int t = 0; t < (k + 15) / 16; ++t) {
#pragma tma load
    {
      as[ty][tx] = row < m && t * 16 + tx < k ? a[row * k + t * 16 + tx] : 0.f;
      bs[ty][tx] = t * 16 + ty < k && column < n ? b[(t * 16 + ty) * n + column] : 0.f;
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}

// Half of the warps for each.
__global__ void warps(float *out, const float *a, const float *b, int w) {
  __shared__ float as[4][32], bs[4][32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma tma load
  if (warp < 4)
    as[warp][lane] = a[(blockIdx.y * 4 + warp) * w + blockIdx.x * 32 + lane];
  else
    bs[warp - 4][lane] = b[(blockIdx.y * 4 + warp - 4) * w + blockIdx.x * 32 + lane];
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.x] =
      as[3 - warp % 4][lane] * 2 + bs[warp % 4][lane];
}

// Two stretches of one array.
__global__ void stretches(float *out, const float *a, const float *b, int w) {
  extern __shared__ float memory[];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    memory[i] = a[(blockIdx.y * 8 + i / 32) * w + i % 32];
    memory[256 + i] = b[(blockIdx.y * 8 + i / 32) * w + i % 32];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    out[blockIdx.y * 256 + i] = memory[i] * 2 + memory[511 - i];
}

// Where one of them does not fit, the statement stays for both.
__global__ void either(float *out, const float *a, const float *b, int n) {
  __shared__ float left[64], right[64];
  left[threadIdx.x] = -1;
  __syncthreads();
#pragma tma load
  {
    if (threadIdx.x < n)
      left[threadIdx.x] = a[threadIdx.x];
    right[threadIdx.x] = b[threadIdx.x];
  }
  __syncthreads();
  out[threadIdx.x] = left[63 - threadIdx.x] * 2 + right[63 - threadIdx.x];
}

int main() {
  matmul<<<dim3(3, 2), dim3(16, 16)>>>(numbers(44 * 20), numbers(20 * 36), numbers(36 * 44), 20, 44,
                                       36);
  warps<<<dim3(2, 2), 256>>>(numbers(1024), numbers(64 * 8), numbers(64 * 8), 64);
  stretches<<<dim3(1, 2), 64, 2048>>>(numbers(512), numbers(32 * 16), numbers(32 * 16), 32);
  either<<<1, 64>>>(numbers(64), numbers(64), numbers(64), 64);
  either<<<1, 64>>>(numbers(64), numbers(64), numbers(64), 50);
  return finish();
}
