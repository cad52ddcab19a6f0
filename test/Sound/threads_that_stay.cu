// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=3 %s
// RUN: env TILELIFT_VERBOSE=1 %run %s 2>&1 | FileCheck %s --check-prefix=RUNS
// RUN: %not 1 %tilelift --remarks %s -o %t.cu 2>&1 | FileCheck %s --check-prefix=SAYS --implicit-check-not=Wtilelift-lifted
//
// Threads that leave ahead of all copies do not meet at the lifted kernel's barriers. Launches in which none leaves are
// lifted, and the launcher tells.
#include "Inputs/arrays.h"

// A product of matrices as it is often taught. The second launch has a block outside of the matrix.
__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float as[16][16], bs[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || col >= n)
    return;
  float sum = 0;
  for (int t = 0; t < k; t += 16) {
// SAYS: [[@LINE+3]]:5: remark: lifted: tile copy of 16 x 16 f32 {{.*}} [-Wtilelift-lifted]
// SAYS: [[@LINE+2]]:5: note: at launch: m - blockIdx.y * 16 >= 16
#pragma tma load
    as[threadIdx.y][threadIdx.x] = a[row * k + t + threadIdx.x];
// SAYS: [[@LINE+3]]:5: remark: lifted: tile copy of 16 x 16 f32 {{.*}} [-Wtilelift-lifted]
// SAYS: [[@LINE+2]]:5: note: at launch: n - blockIdx.x * 16 >= 16
#pragma tma load
    bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
// RUNS: tilelift: product: TMA
// RUNS: tilelift: product: plain, n - blockIdx.x * 16 leaves its range of 16 to {{.*}} [threads-stay]

// In two statements, of which the first one asks of blocks, in an instance, with a loop ahead.
template <int Wide> __global__ void in_rows(float *out, const float *in, int rows, int columns) {
  __shared__ float row[Wide];
  const int y = blockIdx.x, x = threadIdx.x;
  if (y >= rows) {
    return;
  }
  float sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += in[i];
  if (columns <= x)
    return;
// SAYS: [[@LINE+2]]:3: remark: lifted: 1-D bulk copy of 512 bytes {{.*}} [-Wtilelift-lifted]
#pragma tma load
  row[x] = in[y * Wide + x];
  __syncthreads();
  out[y * Wide + x] = sum + row[x ^ 63];
}
// RUNS: tilelift: in_rows: TMA
// RUNS: tilelift: in_rows: plain, columns leaves its range of 128 to {{.*}} [threads-stay]

// What is read from memory, only the device knows.
__global__ void by_memory(float *out, const float *in, const int *limit) {
  __shared__ float row[T];
  if (int(threadIdx.x) >= limit[127])
    return;
// SAYS: [[@LINE+2]]:3: warning: this copy stays a plain loop: some threads of the block may not reach this copy: some leave ahead of it unless 'limit[127] >= 128', which the launcher does not know
#pragma tma load fallback(loop)
  row[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = row[threadIdx.x] + 1;
}

// Some leave in every launch.
__global__ void half_of_them(float *out, const float *in) {
  __shared__ float row[T / 2];
// SAYS: [[@LINE+1]]:7: warning: this copy stays a plain loop: some threads of the block may not reach this copy: thread 64 leaves in every launch
  if (threadIdx.x >= T / 2)
    return;
#pragma tma load fallback(loop)
  row[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = row[threadIdx.x] + 1;
}

// Nobody leaves if one of two things is so, and the launcher does not ask for either.
__global__ void both(float *out, const float *in, int n, int m) {
  __shared__ float row[T];
// SAYS: [[@LINE+1]]:7: warning: this copy stays a plain loop: some threads of the block may not reach this copy: thread 0 leaves unless 'n >= 1 || m >= 1', and the launcher asks for no alternatives
  if (int(threadIdx.x) >= n && int(threadIdx.x) >= m)
    return;
#pragma tma load fallback(loop)
  row[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = row[threadIdx.x] + 1;
}

// The condition changes something, and is no question alone.
__global__ void changes(float *out, const float *in, int n) {
  __shared__ float row[T];
  int left = n - threadIdx.x;
  if (--left < 0)
    return;
// SAYS: [[@LINE+2]]:3: warning: this copy stays a plain loop: some threads of the block may not reach this copy
#pragma tma load fallback(loop)
  row[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = row[threadIdx.x] + left;
}

// Behind the copy they may leave.
__global__ void behind(float *out, const float *in, int n) {
  __shared__ float row[T];
// SAYS: [[@LINE+2]]:3: remark: lifted: 1-D bulk copy of 512 bytes {{.*}} [-Wtilelift-lifted]
#pragma tma load
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (int(threadIdx.x) >= n)
    return;
  out[threadIdx.x] = row[T - 1 - threadIdx.x];
}
// RUNS: tilelift: behind: TMA

static const Case cases[] = {
    {"product", [](const Arrays &a) { product<<<dim3(4, 3), dim3(16, 16)>>>(a.in, a.more, a.out, 48, 64, 32); }},
    {"a block outside", [](const Arrays &a) { product<<<dim3(5, 3), dim3(16, 16)>>>(a.in, a.more, a.out, 48, 64, 32); }},
    {"in_rows", [](const Arrays &a) { in_rows<128><<<6, 128>>>(a.out, a.in, 4, 128); }},
    {"some leave", [](const Arrays &a) { in_rows<128><<<4, 128>>>(a.out, a.in, 4, 64); }},
    {"by_memory", [](const Arrays &a) { by_memory<<<1, T>>>(a.out, a.in, a.ints); }},
    {"half_of_them", [](const Arrays &a) { half_of_them<<<1, T>>>(a.out, a.in); }},
    {"both", [](const Arrays &a) { both<<<1, T>>>(a.out, a.in, 100, 128); }},
    {"changes", [](const Arrays &a) { changes<<<1, T>>>(a.out, a.in, 100); }},
    {"behind", [](const Arrays &a) { behind<<<1, T>>>(a.out, a.in, 100); }},
};

int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
