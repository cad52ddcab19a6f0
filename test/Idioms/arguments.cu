// Arguments that decide the size of a tile: it is lifted for what the first launch says,
// and other launches take the plain kernel.
//
// RUN: env TILELIFT_VERBOSE=1 %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK: arguments.cu:[[#]]:3: remark: lifted: tile copy of 16 x 40 f32 (2560 bytes) from 'in' to 'part'
// CHECK: note: at launch: filter is 9
// CHECK: arguments.cu:[[#]]:3: remark: lifted under a guard: 1-D bulk copy of 96 bytes from 'in' to 'left'
// CHECK: note: at launch: gap is 8
// CHECK: note: at launch: width is 24
// CHECK: arguments.cu:[[#]]:3: remark: lifted under a guard: 1-D bulk copy of 256 bytes from 'in' to 'line'
// CHECK: note: at the copy: n - 64 >= 0
// CHECK: arguments.cu:[[#]]:3: warning: 'box' is launched here with 5 for 'filter'; the copy was checked for 9, so this launch runs the plain kernel [-Wtilelift-other-argument]
// CHECK: arguments.cu:[[#]]:3: warning: 'box' is launched here with 7 for 'filter'; the copy was checked for 9, so this launch runs the plain kernel [-Wtilelift-other-argument]
// CHECK: tilelift: box: TMA
// CHECK: tilelift: box: plain, filter is 5 instead of 9 [argument-value]
// CHECK: tilelift: box: plain, filter is 7 instead of 9 [argument-value]
// CHECK: tilelift: parts: TMA

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

#define OUT ((blockIdx.y * 8 + threadIdx.y) * w + blockIdx.x * 32 + threadIdx.x)

// The halo is half of the filter.
__global__ void box(float *out, const float *in, int filter, int w, int h) {
  extern __shared__ float part[];
  const int r = filter / 2, wide = 32 + 2 * r, high = 8 + 2 * r;
#pragma tma load
  for (int y = threadIdx.y; y < high; y += blockDim.y)
    for (int x = threadIdx.x; x < wide; x += blockDim.x) {
      int gx = blockIdx.x * 32 + x - r, gy = blockIdx.y * 8 + y - r;
      part[y * wide + x] = gx >= 0 && gx < w && gy >= 0 && gy < h ? in[gy * w + gx] : 0.f;
    }
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < filter; ++i)
    for (int j = 0; j < filter; ++j)
      sum += part[(threadIdx.y + i) * wide + threadIdx.x + j] * (i + 2 * j);
  out[OUT] = sum;
}

// One says how much there is, another where it goes.
__global__ void parts(float *out, const float *in, unsigned width, short gap, int w) {
  __shared__ float left[64];
  left[threadIdx.x] = left[threadIdx.x + 32] = 0;
  __syncthreads();
#pragma tma load
  for (unsigned i = threadIdx.x; i < width; i += blockDim.x)
    left[i + i / 8 * gap - i / 8 * 8] = in[blockIdx.x * w + i];
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = left[31 - threadIdx.x];
}

// Where a launch meets the guard, it is left to the launch.
__global__ void at_most(float *out, const float *in, int n) {
  __shared__ float line[64];
  line[threadIdx.x] = line[threadIdx.x + 32] = 0;
  __syncthreads();
#pragma tma load
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    line[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = line[63 - threadIdx.x];
}

void run(float *out, const float *in, int filter) {
  const int w = 64;
  box<<<dim3(2, 4), dim3(32, 8), 16 * 40 * 4>>>(out, in, 9, w, 32);
  int own = 5;
  box<<<dim3(2, 4), dim3(32, 8), 12 * 36 * 4>>>(out, in, own, w, 32);
  box<<<dim3(2, 4), dim3(32, 8), 14 * 38 * 4>>>(out, in, filter, w, 32);
}

int main() {
  run(numbers(64 * 32), numbers(64 * 32), 7);
  cudaLaunchConfig_t config = {};
  config.gridDim = 4;
  config.blockDim = 32;
  cudaLaunchKernelEx(&config, parts, numbers(128), (const float *)numbers(256), 24u, (short)8, 64);
  at_most<<<1, 32>>>(numbers(32), numbers(64), 24);
  at_most<<<1, 32>>>(numbers(32), numbers(64), 64);
  return finish();
}
