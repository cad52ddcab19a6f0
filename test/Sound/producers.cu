// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 22
//
// Loops with warp(producer), around which threads are counted, meet, vote, leave, or say themselves how large the block
// and its memory are: built-in variables, special registers, functions, cooperative groups, dynamic memory. Some
// kernels are harmless: they do what a warp of its own leaves alone.
#include "Inputs/arrays.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ inline int threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ inline unsigned special_ntid() {
  unsigned v;
  asm("mov.u32 %0, %%ntid.x;" : "=r"(v));
  return v;
}
__device__ inline unsigned special_dynamic() {
  unsigned v;
  asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(v));
  return v;
}
__device__ inline void meet() { __syncthreads(); }
__device__ inline int block_rank() { return cg::this_thread_block().thread_rank(); }
__device__ inline void write_to(float &to, float v) { to = v; }

__global__ void special_register_in_function(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[special_ntid() - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void block_size_in_function(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[threads_of_block() - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void block_size_by_builtin(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#ifdef __clang__
  float sum = __nvvm_read_ptx_sreg_ntid_x();
#else
  float sum = blockDim.x;
#endif
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void block_size_by_group(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  auto block = cg::this_thread_block();
  int t = block.thread_rank(), at = blockIdx.x * T;
  float sum = block.size();
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    block.sync();
    sum += tile[T - 1 - t];
    block.sync();
  }
  out[at + t] = sum;
}

__global__ void group_in_function(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - block_rank()];
    cg::this_thread_block().sync();
  }
  out[at + t] = sum + cg::this_thread_block().num_threads();
}

__global__ void dynamic_memory_is_measured(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = special_dynamic();
#pragma tma pipeline stages(3) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void dynamic_memory_beside_large_ring(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[40][T];
  extern __shared__ float rest[];
  int t = threadIdx.x, at = blockIdx.x * T, cells = special_dynamic() / 4;
  for (int i = t; i < cells; i += T) rest[i] = i;
  float sum = 0;
#pragma tma pipeline stages(3) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    for (int r = 0; r < 40; ++r) tile[r][t] = in[(k * 8 + r) * T + t];
    __syncthreads();
    sum += tile[k + 3][T - 1 - t] + rest[cells - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum + cells;
}

__global__ void barrier_in_function(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    other[t] = k + t;
    meet();
    sum += tile[T - 1 - t] + other[T - 1 - t];
    meet();
  }
  out[at + t] = sum;
}

__global__ void barrier_zero_in_assembly(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    asm volatile("bar.sync 0;" ::: "memory");
    sum += tile[T - 1 - t];
    asm volatile("bar.sync 0;" ::: "memory");
  }
  out[at + t] = sum;
}

__global__ void barrier_one_in_assembly(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    other[t] = k * t;
    asm volatile("bar.sync 1, 128;" ::: "memory");
    __syncthreads();
    sum += tile[T - 1 - t] + other[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void block_votes_each_round(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += __syncthreads_count(tile[T - 1 - t] > 30);
  }
  out[at + t] = sum;
}

__global__ void threads_leave_before_the_last_barrier(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
  if (t >= 64) return;
  out[512 + at + t] = sum + 1;
}

__global__ void memory_is_set_up_before_the_loop(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ int order[4];
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t < 4) order[t] = 3 - t;
  __syncthreads();
  int first = order[1];
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[(first + k) * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void rows_come_from_memory(float *__restrict__ out, const float *__restrict__ in,
                                      const int *__restrict__ ints, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
    int row = ints[k] % 8;
#pragma tma load fallback(loop)
    tile[t] = in[row * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void results_written_each_round_by_reference(float *__restrict__ out, float *__restrict__ buf,
                                                        const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    write_to(other[T - 1 - t], tile[t]);
    __syncthreads();
    write_to(buf[k * 256 + at + t], other[t] + t);
  }
  out[at + t] = other[t];
}

__global__ void loop_within_loop_with_shared_sum(float *__restrict__ out, const float *__restrict__ in, int m, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ float total;
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int j = 0; j < m; ++j) {
    if (t == 0) total = j;
    __syncthreads();
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
    for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
      tile[t] = in[(j * n + k) * 256 + at + t];
      __syncthreads();
      sum += tile[T - 1 - t];
      __syncthreads();
    }
    sum += total;
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void block_of_two_dimensions(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[4][32];
  int x = threadIdx.x, y = threadIdx.y, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[y][x] = in[k * 256 + at + y * 32 + x];
    __syncthreads();
    sum += tile[blockDim.y - 1 - y][blockDim.x - 1 - x];
    __syncthreads();
  }
  out[at + y * blockDim.x + x] = sum;
}

// Harmless.
__global__ void block_size_in_the_kernel(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * blockDim.x;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[blockDim.x - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void warps_add_up(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(3) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    float v = tile[T - 1 - t];
    for (int i = 16; i > 0; i /= 2) v += __shfl_xor_sync(~0u, v, i);
    sum += v;
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void two_tiles_each_round(float *__restrict__ out, const float *__restrict__ in,
                                     const float *__restrict__ more, int n) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    a[t] = in[k * 256 + at + t];
#pragma tma load fallback(loop)
    b[t] = more[k * 256 + at + t];
    __syncthreads();
    sum += a[T - 1 - t] * b[t ^ 1];
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void __launch_bounds__(128) rounds_by_block(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < 1; ++k) sum += k;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = blockIdx.x; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void special_register_in_the_kernel(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, size, warps;
  asm volatile("mov.u32 %0, %%ntid.x;" : "=r"(size));
  asm("mov.u32 %0, %%nwarpid;" : "=r"(warps));
  float sum = size + (warps > 0);
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void other_array_by_reference_each_round(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    write_to(other[T - 1 - t], k * t);
    __syncthreads();
    sum += tile[T - 1 - t] + other[t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void static_memory_beside_large_ring(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[40][T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  other[t] = t;
#pragma tma pipeline stages(3) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    for (int r = 0; r < 40; ++r) tile[r][t] = in[(k * 8 + r) * T + t];
    __syncthreads();
    float4 v = *reinterpret_cast<float4 *>(&other[(t / 4 ^ 1) * 4]);
    sum += tile[k + 3][T - 1 - t] + v.x + v.w;
    __syncthreads();
  }
  out[at + t] = sum + special_dynamic();
}

static const Case cases[] = {
    {"special_register_in_function", [](const Arrays &a) { special_register_in_function<<<2, T>>>(a.out, a.in, 4); }},
    {"block_size_in_function", [](const Arrays &a) { block_size_in_function<<<2, T>>>(a.out, a.in, 4); }},
    {"block_size_by_builtin", [](const Arrays &a) { block_size_by_builtin<<<2, T>>>(a.out, a.in, 4); }},
    {"block_size_by_group", [](const Arrays &a) { block_size_by_group<<<2, T>>>(a.out, a.in, 4); }},
    {"group_in_function", [](const Arrays &a) { group_in_function<<<2, T>>>(a.out, a.in, 4); }},
    {"dynamic_memory_is_measured", [](const Arrays &a) { dynamic_memory_is_measured<<<2, T, 1024>>>(a.out, a.in, 4); }},
    {"dynamic_memory_beside_large_ring",
     [](const Arrays &a) { dynamic_memory_beside_large_ring<<<2, T, 2048>>>(a.out, a.in, 4); }},
    {"barrier_in_function", [](const Arrays &a) { barrier_in_function<<<2, T>>>(a.out, a.in, 4); }},
    {"barrier_zero_in_assembly", [](const Arrays &a) { barrier_zero_in_assembly<<<2, T>>>(a.out, a.in, 4); }},
    {"barrier_one_in_assembly", [](const Arrays &a) { barrier_one_in_assembly<<<2, T>>>(a.out, a.in, 4); }},
    {"block_votes_each_round", [](const Arrays &a) { block_votes_each_round<<<2, T>>>(a.out, a.in, 4); }},
    {"threads_leave_before_the_last_barrier",
     [](const Arrays &a) { threads_leave_before_the_last_barrier<<<2, T>>>(a.out, a.in, 4); }},
    {"memory_is_set_up_before_the_loop",
     [](const Arrays &a) { memory_is_set_up_before_the_loop<<<2, T>>>(a.out, a.in, 4); }},
    {"rows_come_from_memory", [](const Arrays &a) { rows_come_from_memory<<<2, T>>>(a.out, a.in, a.ints, 4); }},
    {"results_written_each_round_by_reference",
     [](const Arrays &a) { results_written_each_round_by_reference<<<2, T>>>(a.out, a.buf, a.in, 4); }},
    {"loop_within_loop_with_shared_sum",
     [](const Arrays &a) { loop_within_loop_with_shared_sum<<<2, T>>>(a.out, a.in, 2, 2); }},
    {"block_of_two_dimensions", [](const Arrays &a) { block_of_two_dimensions<<<2, dim3(32,4)>>>(a.out, a.in, 4); }},
    {"block_size_in_the_kernel", [](const Arrays &a) { block_size_in_the_kernel<<<2, T>>>(a.out, a.in, 4); }},
    {"warps_add_up", [](const Arrays &a) { warps_add_up<<<2, T>>>(a.out, a.in, 4); }},
    {"two_tiles_each_round", [](const Arrays &a) { two_tiles_each_round<<<2, T>>>(a.out, a.in, a.more, 4); }},
    {"rounds_by_block", [](const Arrays &a) { rounds_by_block<<<3, T>>>(a.out, a.in, 4); }},
    {"special_register_in_the_kernel",
     [](const Arrays &a) { special_register_in_the_kernel<<<2, T>>>(a.out, a.in, 4); }},
    {"other_array_by_reference_each_round",
     [](const Arrays &a) { other_array_by_reference_each_round<<<2, T>>>(a.out, a.in, 4); }},
    {"static_memory_beside_large_ring",
     [](const Arrays &a) { static_memory_beside_large_ring<<<2, T>>>(a.out, a.in, 4); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
