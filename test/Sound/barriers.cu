// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 27
//
// Barriers of all kinds order what stands around a copy, and do more than that: their arguments read and write, they
// stand in functions, destructors and assembly, count threads, or are those of a warp or a cooperative group. Some
// kernels are harmless: plain barriers, of which some order only the copy.
#include "Inputs/arrays.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ inline int noted(float *p, float v) {
  *p = v;
  return v > 50;
}
__device__ inline int big(const float &f) { return f > 40; }
__device__ inline void meet() { __syncthreads(); }
__device__ inline void meet_twice_removed() { meet(); }
__device__ inline void meet_if(bool b) {
  if (b) __syncthreads();
}
template <class Group> __device__ inline void meet_of(const Group &g) { g.sync(); }
struct Meet {
  __device__ ~Meet() { __syncthreads(); }
};
__device__ inline void named(int id, int count) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory"); }

__global__ void argument_reads_tile(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += __syncthreads_count(tile[T - 1 - t] > 40);
  }
  out[at + t] = sum;
}

__global__ void argument_reads_tile_by_callee(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += 2 * sum + __syncthreads_or(t < 3 && big(tile[T - 1 - t]));
  }
  out[at + t] = sum;
}

__global__ void argument_writes_tile_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  int count = __syncthreads_count(noted(&tile[T - 1 - t], in[at + t]));
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  out[512 + at + t] = count;
}

__global__ void argument_assigns_other_array(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ int other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  int any = __syncthreads_or(other[t] = t & 4);
  out[at + t] = tile[t ^ 1] + other[T - 1 - t] + (any != 0);
}

__global__ void argument_counts_up(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, i = 0;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  int all = __syncthreads_and(++i < 2);
  out[at + t] = tile[T - 1 - t] + i + 8 * all;
}

__global__ void argument_loads_target_after_store(float *out, const float *in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  __syncthreads();
  out[512 + at + t] = __syncthreads_count(out[at + T - 1 - t] > 50);
}

__global__ void in_a_function(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    other[t] = t * k;
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    meet();
    sum += tile[T - 1 - t] + other[T - 1 - t];
    meet_twice_removed();
  }
  out[at + t] = sum;
}

__global__ void in_a_function_under_a_condition(float *__restrict__ out, const float *__restrict__ in, int n,
                                                int wait) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    other[t] = t * k;
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    meet_if(wait);
    sum += tile[T - 1 - t] + other[T - 1 - t];
    meet_if(true);
  }
  out[at + t] = sum;
}

__global__ void in_both_branches(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  other[t] = t;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  float sum = 0;
  if (blockIdx.x == 0) {
    __syncthreads();
    sum = other[T - 1 - t];
  } else {
    __syncthreads();
  }
  out[at + t] = tile[T - 1 - t] + sum;
}

__global__ void by_destructor(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    { Meet filled; }
    sum += tile[T - 1 - t];
    { Meet used; }
  }
  out[at + t] = sum;
}

__global__ void named_by_halves(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T, half = t / 64;
  other[t] = t;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  named(1 + half, 64);
  float sum = other[half * 64 + 63 - t % 64];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + sum;
}

__global__ void named_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t ^ 1] = in[at + t];
  named(2, T);
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  named(2, T);
  tile[T - 1 - t] = 0;
  __syncthreads();
  out[512 + at + t] = tile[t];
}

__global__ void of_a_thread_block(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  cg::thread_block block = cg::this_thread_block();
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    other[t] = k + t;
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    block.sync();
    sum += tile[T - 1 - t] + other[T - 1 - t];
    cg::sync(block);
  }
  out[at + t] = sum;
}

__global__ void of_a_group_in_a_function(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  auto block = cg::this_thread_block();
  int t = block.thread_rank(), at = blockIdx.x * T;
  tile[t ^ 1] = in[at + t];
  meet_of(block);
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void of_a_tile_of_a_warp(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[4][32];
  __shared__ float other[T];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int t = threadIdx.x, at = blockIdx.x * T;
  other[t] = t;
#pragma tma load fallback(loop)
  tile[t / 32][t % 32] = in[at + t];
  warp.sync();
  out[at + t] = tile[t / 32][31 - t % 32] + other[t / 32 * 32 + 31 - t % 32];
}

__global__ void of_a_warp_for_its_own_row(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[4][32];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t / 32][t % 32] = in[k * 256 + at + t];
    __syncwarp();
    sum += tile[t / 32][31 - t % 32];
    __syncwarp();
  }
  out[at + t] = sum;
}

__global__ void of_a_warp_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[4][32];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t / 32][31 - t % 32] = in[at + t];
  __syncwarp();
#pragma tma store fallback(loop)
  out[at + t] = tile[t / 32][t % 32];
}

__global__ void arrive_and_sync_apart(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  other[t] = t;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  if (t < 64)
    asm volatile("bar.arrive 4, 128;" ::: "memory");
  else
    asm volatile("bar.sync 4, 128;" ::: "memory");
  float sum = t < 64 ? 0 : other[T - 1 - t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + sum;
}

// Harmless.
__global__ void plain_in_rounds(float *__restrict__ out, const float *__restrict__ in, int n) {
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
}

// Harmless.
__global__ void argument_of_registers(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  int odd = __syncthreads_count(t & 1);
  out[at + t] = tile[T - 1 - t] + odd;
}

// Harmless.
__global__ void orders_other_array_before(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  other[t] = t;
  __syncthreads();
  float sum = other[T - 1 - t];
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + sum;
}

// Harmless.
__global__ void warps_vote_in_between(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  float v = tile[T - 1 - t];
  unsigned votes = __ballot_sync(~0u, v > 40);
  v += __shfl_xor_sync(~0u, v, 1);
  out[at + t] = v + __popc(votes);
}

// Harmless.
__global__ void group_makes_no_difference(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  auto block = cg::this_thread_block();
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  block.sync();
  out[at + t] = tile[T - 1 - t];
}

__global__ void next_argument_reads_other_array(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  other[t] = t;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  int count = __syncthreads_count(other[T - 1 - t] > 40);
  out[at + t] = tile[t ^ 1] + count;
}

__global__ void next_argument_reads_other_array_in_rounds(float *__restrict__ out, const float *__restrict__ in,
                                                          int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    other[t] = t * k;
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += __syncthreads_or(big(other[T - 1 - t]) && t < 9) + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void next_condition_reads_other_array(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t == 9) other[0] = blockIdx.x;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  if (other[0] > 0) __syncthreads();
  out[at + t] = tile[t ^ 1];
}

__global__ void argument_writes_for_the_next_round(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  other[t] = 1;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t] + other[T - 1 - t];
    __syncthreads();
    sum += __syncthreads_count((other[t] = k * t) > 9);
  }
  out[at + t] = sum;
}

static const Case cases[] = {
    {"argument_reads_tile", [](const Arrays &a) { argument_reads_tile<<<2, T>>>(a.out, a.in, 3); }},
    {"argument_reads_tile_by_callee", [](const Arrays &a) { argument_reads_tile_by_callee<<<2, T>>>(a.out, a.in, 3); }},
    {"argument_writes_tile_before_store",
     [](const Arrays &a) { argument_writes_tile_before_store<<<2, T>>>(a.out, a.in); }},
    {"argument_assigns_other_array", [](const Arrays &a) { argument_assigns_other_array<<<2, T>>>(a.out, a.in); }},
    {"argument_counts_up", [](const Arrays &a) { argument_counts_up<<<2, T>>>(a.out, a.in); }},
    {"argument_loads_target_after_store",
     [](const Arrays &a) { argument_loads_target_after_store<<<2, T>>>(a.out, a.in); }},
    {"in_a_function", [](const Arrays &a) { in_a_function<<<2, T>>>(a.out, a.in, 3); }},
    {"in_a_function_under_a_condition",
     [](const Arrays &a) { in_a_function_under_a_condition<<<2, T>>>(a.out, a.in, 3, 1); }},
    {"in_both_branches", [](const Arrays &a) { in_both_branches<<<2, T>>>(a.out, a.in); }},
    {"by_destructor", [](const Arrays &a) { by_destructor<<<2, T>>>(a.out, a.in, 3); }},
    {"named_by_halves", [](const Arrays &a) { named_by_halves<<<2, 128>>>(a.out, a.in); }},
    {"named_before_store", [](const Arrays &a) { named_before_store<<<2, T>>>(a.out, a.in); }},
    {"of_a_thread_block", [](const Arrays &a) { of_a_thread_block<<<2, T>>>(a.out, a.in, 3); }},
    {"of_a_group_in_a_function", [](const Arrays &a) { of_a_group_in_a_function<<<2, T>>>(a.out, a.in); }},
    {"of_a_tile_of_a_warp", [](const Arrays &a) { of_a_tile_of_a_warp<<<2, T>>>(a.out, a.in); }},
    {"of_a_warp_for_its_own_row", [](const Arrays &a) { of_a_warp_for_its_own_row<<<2, T>>>(a.out, a.in, 3); }},
    {"of_a_warp_before_store", [](const Arrays &a) { of_a_warp_before_store<<<2, T>>>(a.out, a.in); }},
    {"arrive_and_sync_apart", [](const Arrays &a) { arrive_and_sync_apart<<<2, T>>>(a.out, a.in); }},
    {"plain_in_rounds", [](const Arrays &a) { plain_in_rounds<<<2, T>>>(a.out, a.in, 4); }},
    {"argument_of_registers", [](const Arrays &a) { argument_of_registers<<<2, T>>>(a.out, a.in); }},
    {"orders_other_array_before", [](const Arrays &a) { orders_other_array_before<<<2, T>>>(a.out, a.in); }},
    {"warps_vote_in_between", [](const Arrays &a) { warps_vote_in_between<<<2, T>>>(a.out, a.in); }},
    {"group_makes_no_difference", [](const Arrays &a) { group_makes_no_difference<<<2, T>>>(a.out, a.in); }},
    {"next_argument_reads_other_array",
     [](const Arrays &a) { next_argument_reads_other_array<<<2, T>>>(a.out, a.in); }},
    {"next_argument_reads_other_array_in_rounds",
     [](const Arrays &a) { next_argument_reads_other_array_in_rounds<<<2, T>>>(a.out, a.in, 3); }},
    {"next_condition_reads_other_array",
     [](const Arrays &a) { next_condition_reads_other_array<<<2, T>>>(a.out, a.in); }},
    {"argument_writes_for_the_next_round",
     [](const Arrays &a) { argument_writes_for_the_next_round<<<2, T>>>(a.out, a.in, 3); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
