// Objects with constructors in shared memory, which nvcc has and Clang has not: the
// tool lifts past them, and writes them as they are.
//
// RUN: %tilelift --remarks %s -o %t.cu 2>&1 | %FileCheck %s --check-prefix=SAY
// RUN: grep -v 'CHECK\|SAY' %t.cu | %FileCheck %s
// RUN: %nvcc -I%S -Xcudafe --diag_suppress=20054 -Werror all-warnings -arch=sm_90a -c %t.cu -o %t.o
// RUN: %tilelift %t.cu | cmp - %t.cu
// SAY: shared_objects.cu:[[#]]:3: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// SAY: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// SAY: remark: lifted: tile copy of 2 x 8 x 32 f32 (2048 bytes) from 'in' to 'tiles'
// SAY: remark: lifted under a guard: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_runtime.h>

#include "Inputs/numbers.h"

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

#define OUT(i) out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + (i)]

// CHECK-LABEL: __global__ void arrivals_tma(
// CHECK: __shared__ block_barrier ready;
// CHECK: tilelift::load(tile, tile_map, {32 * int(blockIdx.x), 8 * int(blockIdx.y)}, tma_barrier);
// CHECK: ready.wait(ready.arrive());
__global__ void arrivals(float *out, const float *in, int w) {
  __shared__ float tile[8][32];
  __shared__ block_barrier ready;
  int r = threadIdx.x / 8, c = threadIdx.x % 8 * 4;
  if (threadIdx.x == 0)
    init(&ready, blockDim.x);
  __syncthreads();
#pragma tma load swizzle(none)
  cuda::memcpy_async(&tile[r][c], &in[(blockIdx.y * 8 + r) * w + blockIdx.x * 32 + c],
                     cuda::aligned_size_t<16>(16), ready);
  ready.wait(ready.arrive());
  for (int i = threadIdx.x; i < 256; i += 64)
    OUT(i) = tile[i % 8][i / 8];
}

// One barrier for many tiles, in a template and from a macro.
#define READY __shared__ block_barrier ready

// CHECK-LABEL: __global__ void rounds_tma(
// CHECK: READY;
template <class T>
__global__ void rounds(T *out, const T *in, int w, int n) {
  READY;
  __shared__ T tile[8][32];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0)
    init(&ready, block.size());
  block.sync();
  T sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load swizzle(none)
    for (int r = 0; r < 8; ++r)
      cuda::memcpy_async(block, tile[r], in + (k * 8 + r) * w + blockIdx.x * 32, sizeof(T) * 32,
                         ready);
    ready.arrive_and_wait();
    for (int r = 0; r < 8; ++r)
      sum += tile[r][(threadIdx.x * 7 + k) % 32];
    ready.arrive_and_wait();
  }
  OUT(threadIdx.x) = sum;
}

// CHECK-LABEL: __global__ void stages_tma(
// CHECK: __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
__global__ void stages(float *out, const float *in, int w) {
  __shared__ float tiles[2][8][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  pipe.producer_acquire();
#pragma tma load swizzle(none)
  for (int s = 0; s < 2; ++s)
    for (int i = threadIdx.x; i < 256; i += 64)
      cuda::memcpy_async(&tiles[s][i / 32][i % 32],
                         &in[(s * 16 + blockIdx.y * 8 + i / 32) * w + blockIdx.x * 32 + i % 32],
                         sizeof(float), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  for (int i = threadIdx.x; i < 256; i += 64)
    OUT(i) = tiles[0][i % 8][i / 8] - tiles[1][i % 8][i / 8];
  pipe.consumer_release();
}

// What one thread puts there, all threads find there.
struct Start {
  int x = 0, y = 0;
};

// CHECK-LABEL: __global__ void starts_tma(
// CHECK: __shared__ Start start;
// CHECK: if ((long long)x >= 0 && (long long)y >= 0 && ((long long)x) % 4 == 0) {
__global__ void starts(float *out, const float *in, const int *places, int w, int h) {
  __shared__ float tile[8][32];
  __shared__ Start start;
  if (threadIdx.x == 5)
    start = {places[blockIdx.x], int(blockIdx.y * 8)};
  __syncthreads();
  int x = start.x, y = start.y;
#pragma tma load swizzle(none)
  for (int i = threadIdx.x; i < 256; i += 64)
    tile[i / 32][i % 32] = x >= 0 && x + i % 32 < w && y >= 0 && y + i / 32 < h
                               ? in[(y + i / 32) * w + x + i % 32]
                               : 0.f;
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 64)
    OUT(i) = tile[i % 8][i / 8];
}

int main() {
  dim3 grid(2, 2);
  arrivals<<<grid, 64>>>(numbers(1024), numbers(64 * 16), 64);
  rounds<<<2, 64>>>(numbers(512), numbers(64 * 24), 64, 3);
  stages<<<grid, 64>>>(numbers(1024), numbers(64 * 32), 64);
  starts<<<grid, 64>>>(numbers(1024), numbers(64 * 16), indices({28, 40}), 64, 13);
  return finish();
}
