// Copies that the program already leaves to the hardware: cp.async as inline assembly
// with addresses as numbers, pipelines, and the libraries' memcpy_async.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK: hardware.cu:[[#]]:3: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include "Inputs/numbers.h"

namespace cg = cooperative_groups;

#define OUT(i) out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + (i)]

__global__ void assembly(float *out, const float *in, int w) {
  __shared__ float tile[8][32];
  int r = threadIdx.x / 8, c = threadIdx.x % 8 * 4;
#pragma tma load
  {
    unsigned to = (unsigned)__cvta_generic_to_shared(&tile[r][c]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to),
                 "l"(&in[(blockIdx.y * 8 + r) * w + blockIdx.x * 32 + c]));
  }
  asm volatile("cp.async.commit_group;\n" ::);
  asm volatile("cp.async.wait_group 0;\n" ::);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 64)
    OUT(i) = tile[i % 8][i / 8];
}

// Addresses are computed as numbers, and rows beyond the end are filled with zero.
__device__ void copy_or_zero(unsigned to, const void *from, bool is_inside) {
  int used = is_inside ? 16 : 0;
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(16),
               "r"(used));
}

__global__ void filled(float *out, const float *in, int w, int h) {
  __shared__ float tile[8][32];
  unsigned start = static_cast<unsigned>(__cvta_generic_to_shared(&tile[0][0]));
  int r = threadIdx.x / 8, c = threadIdx.x % 8 * 4, y = blockIdx.y * 8 + r;
#pragma tma load
  copy_or_zero(start + (r * 32 + c) * sizeof(float), in + y * w + blockIdx.x * 32 + c, y < h);
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 64)
    OUT(i) = tile[i % 8][i / 8];
}

__global__ void predicated(float *out, const float *in, int w, int h) {
  __shared__ float tile[8][32];
  int r = threadIdx.x / 8, c = threadIdx.x % 8 * 4, y = blockIdx.y * 8 + r;
  const float *from = in + y * w + blockIdx.x * 32 + c;
  unsigned to = (unsigned)__cvta_generic_to_shared(&tile[r][c]);
#pragma tma load outside(any)
  asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %0, 0;\n"
               " @p cp.async.cg.shared.global [%1], [%2], 16;\n}\n" ::"r"((int)(y < h)),
               "r"(to), "l"(from));
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  if (blockIdx.y * 8 + 8 <= h)
    for (int i = threadIdx.x; i < 256; i += 64)
      OUT(i) = tile[i % 8][i / 8];
}

__global__ void primitives(float *out, const float *in, int w, int h) {
  __shared__ float tile[8][32];
  int r = threadIdx.x / 8, c = threadIdx.x % 8 * 4, y = blockIdx.y * 8 + r;
#pragma tma load
  __pipeline_memcpy_async(&tile[r][c], in + y * w + blockIdx.x * 32 + c, 16, y < h ? 0 : 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 64)
    OUT(i) = tile[i % 8][i / 8];
}

__global__ void groups(float *out, const float *in, int w) {
  __shared__ float tile[8][32];
  cg::thread_block block = cg::this_thread_block();
#pragma tma load
  for (int r = 0; r < 8; ++r)
    cg::memcpy_async(block, tile[r], in + (blockIdx.y * 8 + r) * w + blockIdx.x * 32,
                     sizeof(float) * 32);
  cg::wait(block);
  for (int i = threadIdx.x; i < 256; i += 64)
    OUT(i) = tile[i % 8][i / 8];
}

__global__ void pipeline(float *out, const float *in, int w) {
  __shared__ float tile[8][32];
  auto pipe = cuda::make_pipeline();
  int r = threadIdx.x / 8, c = threadIdx.x % 8 * 4;
  pipe.producer_acquire();
#pragma tma load
  cuda::memcpy_async(&tile[r][c], &in[(blockIdx.y * 8 + r) * w + blockIdx.x * 32 + c],
                     cuda::aligned_size_t<16>(16), pipe);
  pipe.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(pipe);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 64)
    OUT(i) = tile[i % 8][i / 8];
  pipe.consumer_release();
}

// A warp for each row.
__global__ void warps(float *out, const float *in, int w) {
  __shared__ float tile[8][32];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int r = threadIdx.x / 32;
#pragma tma load
  cg::memcpy_async(warp, tile[r], in + (blockIdx.y * 8 + r) * w + blockIdx.x * 32, 128);
  cg::wait(warp);
  __syncthreads();
  OUT(threadIdx.x) = tile[threadIdx.x % 8][threadIdx.x / 8];
}

int main() {
  dim3 grid(2, 2);
  assembly<<<grid, 64>>>(numbers(1024), numbers(64 * 16), 64);
  filled<<<grid, 64>>>(numbers(1024), numbers(64 * 16), 64, 13);
  predicated<<<grid, 64>>>(numbers(1024), numbers(64 * 16), 64, 13);
  primitives<<<grid, 64>>>(numbers(1024), numbers(64 * 16), 64, 13);
  groups<<<grid, 64>>>(numbers(1024), numbers(64 * 16), 64);
  pipeline<<<grid, 64>>>(numbers(1024), numbers(64 * 16), 64);
  warps<<<grid, 256>>>(numbers(1024), numbers(64 * 16), 64);
  return finish();
}
