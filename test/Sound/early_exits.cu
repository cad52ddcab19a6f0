// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 15
//
// Threads leave loops, functions and the kernel behind a copy, or before it, all together or each by itself. Some
// kernels are harmless: all threads leave together, or those that leave do so behind all copies.
#include "Inputs/arrays.h"

struct Left {
  float *p;
  __device__ explicit Left(float *q) : p(q) {}
  __device__ ~Left() { *p += 1; }
};
__device__ inline void leave_if(bool b) {
  if (b) asm volatile("exit;");
}
__device__ inline bool done(int t, int k) { return t < 32 * k; }
__device__ inline float first_big(const float *p, int n) {
  for (int i = 0; i < n; ++i)
    if (p[i] > 50) return p[i];
  return 0;
}

__global__ void warps_return_from_the_loop(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    out[k * 256 + at + t] = tile[t];
    if (t / 32 == k) return;
  }
}

__global__ void warps_break_from_the_loop(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    sum += tile[t];
    if (done(t, k)) break;
  }
  out[at + t] = sum;
}

__global__ void threads_skip_the_rest_of_the_round(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    __syncthreads();
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    if (t % 3 == k) continue;
    sum += tile[T - 1 - t];
  }
  out[at + t] = sum;
}

__global__ void threads_exit_in_a_callee(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    out[k * 256 + at + t] = tile[t];
    leave_if(t < 32 * k);
  }
}

__global__ void condition_of_the_loop_differs(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, mine = t < 64 ? n : n - 2;
  float sum = 0;
  for (int k = 0; k < mine; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    sum += tile[t];
  }
  out[at + t] = sum;
}

__global__ void loop_ends_by_what_was_loaded(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, k = 0;
  float sum = 0;
  do {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    sum += tile[t];
  } while (++k < n && sum < 90);
  out[at + t] = sum;
}

__global__ void jump_out_of_the_loop(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    sum += tile[t];
    if (sum > 100) goto end;
  }
end:
  out[at + t] = sum;
}

__global__ void threads_outside_return_before_copy(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  if (at + t >= n) return;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  out[at + t] = tile[t] + 1;
}

__global__ void warps_leave_before_their_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t];
  if (t >= 96) return;
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void warps_leave_behind_store_in_loop(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  for (int k = 0; k < n; ++k) {
    tile[t] = in[k * 256 + at + t] + k;
    __syncwarp();
#pragma tma store fallback(loop)
    out[k * 256 + at + t] = tile[t];
    if (t < 32 * (k + 1)) return;
  }
}

__global__ void first_warp_leaves_behind_store(float *out, float *buf, const float *in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  if (t < 32) return;
  buf[at + t] = out[at + t] + 1;
}

__global__ void warps_leave_behind_reduce(float *__restrict__ buf, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  for (int k = 0; k < n; ++k) {
    tile[t] = in[k * 256 + at + t];
#pragma tma reduce fallback(loop)
    atomicAdd(&buf[at + t], tile[t]);
    if (t / 32 == k) break;
  }
}

__global__ void ring_is_left_by_all(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    if (__syncthreads_or(sum > 150)) break;
  }
  out[at + t] = sum;
}

__global__ void ring_is_left_by_each(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    sum += tile[t];
    if (t < 32 * k) break;
  }
  out[at + t] = sum;
}

__global__ void ring_in_producer_is_left_by_return(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    out[at + t] = sum;
    if (blockIdx.x == 1 && k == 2) return;
    __syncthreads();
  }
}

__global__ void left_with_a_destructor(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  out[at + t] = 0;
  for (int k = 0; k < n; ++k) {
    Left left(&out[at + t]);
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    out[at + t] += tile[t];
    if (t / 32 == k) return;
  }
}

__global__ void outer_loop_is_left_from_inside(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int j = 0; j < 2; ++j) {
    for (int k = 0; k < 2; ++k) {
#pragma tma load fallback(loop)
      tile[t] = in[(2 * j + k) * 256 + at + t];
      sum += tile[t];
      if (t & 64 && k == 0 && j == 1) goto end;
    }
    if (t < 32) break;
  }
end:
  out[at + t] = sum;
}

__global__ void switch_leaves_the_loop(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    switch (t / 32 + k) {
    case 2: out[at + t] = sum + tile[t]; return;
    case 3: sum += 1; break;
    default: sum += tile[t]; continue;
    }
    sum *= 2;
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void all_leave_together(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    __syncthreads();
    if (k == 2 + blockIdx.x) break;
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void threads_leave_behind_everything(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  if (t % 5 == 0) return;
  out[at + t] = tile[T - 1 - t];
}

// Harmless.
__global__ void whole_blocks_leave_before_copy(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  if (at >= n) return;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// Harmless.
__global__ void search_in_callee_is_left(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += first_big(tile + t / 32 * 32, 32);
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void search_in_loop_is_left(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, i = 0;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  for (; i < 32; ++i)
    if (tile[(t + i) % T] > 60) break;
  out[at + t] = i;
}

__global__ void while_loop_is_left_by_warps(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, k = 0;
  while (true) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    out[k * 256 + at + t] = tile[t];
    if (++k == n) break;
    if (k > t / 32) return;
  }
}

__global__ void left_in_a_nested_block(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  tile[t] = 0;
  for (int k = 0; k < n; ++k) {
    if (n > 2) {
#pragma tma load fallback(loop)
      tile[t] = in[k * 256 + at + t];
    }
    sum += tile[t];
    {
      if (t >= 96 - 32 * k) break;
    }
  }
  out[at + t] = sum;
}

// Harmless: who goes on with the next round does not leave.
__global__ void unrolled_loop_that_skips(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T], other[2 * T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load
#pragma unroll
  for (int i = t; i < T; i += blockDim.x) {
    if (at + i >= n) {
      tile[i] = 0;
      continue;
    }
    tile[i] = in[at + i];
  }
#pragma tma load
  for (int i = t; i < 2 * T; i += blockDim.x) other[i] = in[i];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + other[2 * t];
}

static // Rounds that make no copy move the counter before they go on.
__global__ void round_is_skipped(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, r = 0;
  while (r < n) {
    if (r == 2) { ++r; continue; }
#pragma tma load
    tile[t] = in[(blockIdx.x * n + r) * T + t];
    __syncthreads();
    out[(blockIdx.x * n + r) * T + t] = tile[(t + 49) % T];
    __syncthreads();
    ++r;
  }
}
__global__ void round_of_a_block_is_skipped(float *out, const float *in, int n, int end) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, r = 0;
  while (r < n) {
    if (r == 2 && blockIdx.x == 1) { r += 2; continue; }
#pragma tma load
    tile[t] = (blockIdx.x * n + r) * T + t < end ? in[(blockIdx.x * n + r) * T + t] : 0.f;
    __syncthreads();
    out[(blockIdx.x * n + r) * T + t] = tile[(t + 49) % T];
    __syncthreads();
    ++r;
  }
}
__global__ void rounds_are_skipped_twice(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, r = 0;
  for (; r < n;) {
    if (r == 1) { r = 3; continue; }
    if (r > 4) { r += 2; if (r > 6) continue; }
#pragma tma load
    tile[t] = in[(blockIdx.x * n + r) * T + t];
    __syncthreads();
    out[(blockIdx.x * n + r) * T + t] = tile[(t + 49) % T];
    __syncthreads();
    ++r;
  }
}
const Case cases[] = {
    {"unrolled_loop_that_skips", [](const Arrays &a) { unrolled_loop_that_skips<<<2, T / 2>>>(a.out, a.in, 200); }},
    {"warps_return_from_the_loop", [](const Arrays &a) { warps_return_from_the_loop<<<2, T>>>(a.out, a.in, 4); }},
    {"warps_break_from_the_loop", [](const Arrays &a) { warps_break_from_the_loop<<<2, T>>>(a.out, a.in, 4); }},
    {"threads_skip_the_rest_of_the_round",
     [](const Arrays &a) { threads_skip_the_rest_of_the_round<<<2, T>>>(a.out, a.in, 4); }},
    {"threads_exit_in_a_callee", [](const Arrays &a) { threads_exit_in_a_callee<<<2, T>>>(a.out, a.in, 4); }},
    {"condition_of_the_loop_differs", [](const Arrays &a) { condition_of_the_loop_differs<<<2, T>>>(a.out, a.in, 4); }},
    {"loop_ends_by_what_was_loaded", [](const Arrays &a) { loop_ends_by_what_was_loaded<<<2, T>>>(a.out, a.in, 4); }},
    {"jump_out_of_the_loop", [](const Arrays &a) { jump_out_of_the_loop<<<2, T>>>(a.out, a.in, 4); }},
    {"threads_outside_return_before_copy",
     [](const Arrays &a) { threads_outside_return_before_copy<<<2, T>>>(a.out, a.in, 200); }},
    {"warps_leave_before_their_store", [](const Arrays &a) { warps_leave_before_their_store<<<2, T>>>(a.out, a.in); }},
    {"warps_leave_behind_store_in_loop",
     [](const Arrays &a) { warps_leave_behind_store_in_loop<<<2, T>>>(a.out, a.in, 3); }},
    {"first_warp_leaves_behind_store",
     [](const Arrays &a) { first_warp_leaves_behind_store<<<2, T>>>(a.out, a.buf, a.in); }},
    {"warps_leave_behind_reduce", [](const Arrays &a) { warps_leave_behind_reduce<<<2, T>>>(a.buf, a.in, 3); }},
    {"ring_is_left_by_all", [](const Arrays &a) { ring_is_left_by_all<<<2, T>>>(a.out, a.in, 5); }},
    {"ring_is_left_by_each", [](const Arrays &a) { ring_is_left_by_each<<<2, T>>>(a.out, a.in, 5); }},
    {"ring_in_producer_is_left_by_return",
     [](const Arrays &a) { ring_in_producer_is_left_by_return<<<2, T>>>(a.out, a.in, 5); }},
    {"left_with_a_destructor", [](const Arrays &a) { left_with_a_destructor<<<2, T>>>(a.out, a.in, 4); }},
    {"outer_loop_is_left_from_inside", [](const Arrays &a) { outer_loop_is_left_from_inside<<<2, T>>>(a.out, a.in); }},
    {"switch_leaves_the_loop", [](const Arrays &a) { switch_leaves_the_loop<<<2, T>>>(a.out, a.in, 3); }},
    {"all_leave_together", [](const Arrays &a) { all_leave_together<<<2, T>>>(a.out, a.in, 5); }},
    {"threads_leave_behind_everything",
     [](const Arrays &a) { threads_leave_behind_everything<<<2, T>>>(a.out, a.in); }},
    {"whole_blocks_leave_before_copy",
     [](const Arrays &a) { whole_blocks_leave_before_copy<<<4, T>>>(a.out, a.in, 384); }},
    {"search_in_callee_is_left", [](const Arrays &a) { search_in_callee_is_left<<<2, T>>>(a.out, a.in, 4); }},
    {"search_in_loop_is_left", [](const Arrays &a) { search_in_loop_is_left<<<2, T>>>(a.out, a.in); }},
    {"while_loop_is_left_by_warps", [](const Arrays &a) { while_loop_is_left_by_warps<<<2, T>>>(a.out, a.in, 4); }},
    {"round_is_skipped", [](const Arrays &a) { round_is_skipped<<<3, T>>>(a.out, a.in, 5); }},
    {"round_of_a_block_is_skipped",
     [](const Arrays &a) { round_of_a_block_is_skipped<<<3, T>>>(a.out, a.in, 5, 1500); }},
    {"rounds_are_skipped_twice", [](const Arrays &a) { rounds_are_skipped_twice<<<3, T>>>(a.out, a.in, 8); }},
    {"left_in_a_nested_block", [](const Arrays &a) { left_in_a_nested_block<<<2, T>>>(a.out, a.in, 4); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
