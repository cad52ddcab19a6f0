// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 26
//
// Inline assembly writes and reads tiles, other shared memory and tensors: as operands, by addresses, by atomics, in
// functions; it waits at barriers, fences, and leaves the kernel. Some kernels are harmless: their assembly computes in
// registers.
#include "Inputs/arrays.h"

__device__ inline unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ inline void store_shared(unsigned to, float v) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(to), "f"(v) : "memory");
}
__device__ inline float load_shared(unsigned from) {
  float v;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(from) : "memory");
  return v;
}
__device__ inline float load_shared_quietly(unsigned from) {
  float v;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(from));
  return v;
}
__device__ inline void store_global(float *to, float v) {
  asm volatile("st.global.f32 [%0], %1;" ::"l"(to), "f"(v) : "memory");
}
__device__ inline float load_global(const float *from) {
  float v;
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(from) : "memory");
  return v;
}
__device__ inline float plus(float a, float b) {
  float c;
  asm("add.f32 %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b));
  return c;
}
__device__ inline void move_to(float &to, float v) { asm("mov.f32 %0, %1;" : "=f"(to) : "f"(v)); }

__global__ void output_operand_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  asm("add.f32 %0, %1, 0f3F800000;" : "=f"(tile[T - 1 - t]) : "f"(in[at + t]));
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void changed_operand_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  asm("add.f32 %0, %0, %0;" : "+f"(tile[T - 1 - t]));
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void operand_behind_reference_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  move_to(tile[t ^ 2], in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void two_operands_one_of_them_the_tile(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) int tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, doubled;
  asm("add.s32 %0, %2, %2; mov.b32 %1, %2;" : "=&r"(doubled), "=r"(tile[t ^ 8]) : "r"((int)in[at + t]));
  __syncthreads();
#pragma tma store fallback(loop)
  reinterpret_cast<int *>(out)[at + t] = tile[t];
  out[512 + at + t] = doubled;
}

__global__ void stored_by_address_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  store_shared(shared_address(&tile[T - 1 - t]), in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void summed_by_address_before_reduce(float *__restrict__ buf, const float *__restrict__ in) {
  __shared__ alignas(128) int tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = 1;
  __syncthreads();
  asm volatile("red.shared.add.s32 [%0], %1;" ::"r"(shared_address(&tile[t / 2])), "r"((int)in[at + t]) : "memory");
  __syncthreads();
#pragma tma reduce fallback(loop)
  atomicAdd(&reinterpret_cast<int *>(buf)[at + t], tile[t]);
}

__global__ void other_array_by_address(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  unsigned base = shared_address(other);
  store_shared(base + 4 * t, t);
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[t ^ 1] + load_shared(base + 4 * (T - 1 - t));
}

__global__ void other_array_as_input_operand(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  asm("mov.f32 %0, %1;" : "=f"(other[t]) : "f"(in[at + t + 256]));
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  float v;
  asm("add.f32 %0, %1, %2;" : "=f"(v) : "f"(tile[t ^ 1]), "f"(other[T - 1 - t]));
  out[at + t] = v;
}

__global__ void tile_by_address_before_next_round(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += load_shared(shared_address(tile) + 4 * (T - 1 - t));
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void ring_by_address_taken_before(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  unsigned base = shared_address(tile);
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + load_shared_quietly(base + 4 * (T - 1 - t));
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void source_ahead_by_global_store(float *out, float *buf, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = buf[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    store_global(buf + (k + 1) * 256 + at + t, sum);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void source_as_output_operand_before_load(float *__restrict__ out, float *buf) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  asm("mov.f32 %0, %1;" : "=f"(buf[at + (t ^ 1)]) : "f"(t + 3.f));
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = buf[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void target_by_global_load_after_store(float *out, float *buf, const float *in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  __syncthreads();
  buf[at + t] = load_global(out + at + T - 1 - t);
}

__global__ void barrier_in_assembly(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    other[t] = t + k;
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    asm volatile("bar.sync 0;" ::: "memory");
    sum += tile[T - 1 - t] + other[T - 1 - t];
    asm volatile("barrier.sync 0;" ::: "memory");
  }
  out[at + t] = sum;
}

__global__ void named_barrier_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[T - 1 - t] = in[at + t];
  asm volatile("bar.sync 3, 128;" ::: "memory");
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void offset_changed_by_assembly(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, from = at;
  asm("add.s32 %0, %0, 256;" : "+r"(from));
#pragma tma load fallback(loop)
  tile[t] = in[from + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void counter_changed_by_assembly(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    asm("{ .reg .pred p; setp.eq.s32 p, %0, 2; @p add.s32 %0, %0, 1; }" : "+r"(k));
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void some_threads_exit_in_assembly(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    out[k * 256 + at + t] = tile[t];
    asm volatile("{ .reg .pred p; setp.lt.s32 p, %0, %1; @p exit; }" ::"r"(t), "r"(32 * k));
  }
}

__global__ void exchanged_by_atomic_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) unsigned tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  unsigned was;
  tile[t] = t;
  asm volatile("atom.shared.exch.b32 %0, [%1], %2;"
               : "=r"(was)
               : "r"(shared_address(&tile[t])), "r"((unsigned)in[at + t])
               : "memory");
  __syncthreads();
#pragma tma store fallback(loop)
  reinterpret_cast<unsigned *>(out)[at + t] = tile[t];
  out[512 + at + t] = was;
}

// Harmless.
__global__ void sums_in_assembly(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = plus(sum, tile[T - 1 - t]);
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void lane_from_assembly(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[t / 32 * 32 + 31 - lane];
}

// Harmless.
__global__ void values_from_assembly_stored(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float v;
  asm("fma.rn.f32 %0, %1, %1, %2;" : "=f"(v) : "f"(in[at + t]), "f"(1.f));
  tile[t] = v;
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

// Harmless.
__global__ void stored_by_address_to_another_array(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  store_shared(shared_address(&other[t]), 4);
  __syncthreads();
  float v = load_shared(shared_address(&other[T - 1 - t]));
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + v;
}

// Harmless.
__global__ void prefetch_of_the_next_round(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + k * 256 + at + t));
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void other_array_as_changed_operand(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  asm("mov.f32 %0, %1;" : "=f"(other[T - 1 - t]) : "f"(t + 1.f));
  __syncthreads();
  out[at + t] = tile[t ^ 1] + other[t];
}

__global__ void tile_as_operand_right_after_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[T - 1 - t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  asm("mov.f32 %0, 0f40000000;" : "=f"(tile[t]));
  __syncthreads();
  out[512 + at + t] = tile[t ^ 1];
}

__global__ void source_ahead_as_output_operand(float *out, float *buf, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = buf[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    asm("add.f32 %0, %1, 0f3F800000;" : "=f"(buf[(k + 1) * 256 + at + t]) : "f"(sum));
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void tile_as_operand_in_each_round(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    asm("add.f32 %0, %0, 0f3F800000;" : "+f"(tile[T - 1 - t]));
    __syncthreads();
    sum = 2 * sum + tile[t ^ 1];
    __syncthreads();
  }
  out[at + t] = sum;
}

static const Case cases[] = {
    {"output_operand_before_store", [](const Arrays &a) { output_operand_before_store<<<2, T>>>(a.out, a.in); }},
    {"changed_operand_before_store", [](const Arrays &a) { changed_operand_before_store<<<2, T>>>(a.out, a.in); }},
    {"operand_behind_reference_before_store",
     [](const Arrays &a) { operand_behind_reference_before_store<<<2, T>>>(a.out, a.in); }},
    {"two_operands_one_of_them_the_tile",
     [](const Arrays &a) { two_operands_one_of_them_the_tile<<<2, T>>>(a.out, a.in); }},
    {"stored_by_address_before_store", [](const Arrays &a) { stored_by_address_before_store<<<2, T>>>(a.out, a.in); }},
    {"summed_by_address_before_reduce",
     [](const Arrays &a) { summed_by_address_before_reduce<<<2, T>>>(a.buf, a.in); }},
    {"other_array_by_address", [](const Arrays &a) { other_array_by_address<<<2, T>>>(a.out, a.in); }},
    {"other_array_as_input_operand", [](const Arrays &a) { other_array_as_input_operand<<<2, T>>>(a.out, a.in); }},
    {"tile_by_address_before_next_round",
     [](const Arrays &a) { tile_by_address_before_next_round<<<2, T>>>(a.out, a.in, 3); }},
    {"ring_by_address_taken_before", [](const Arrays &a) { ring_by_address_taken_before<<<2, T>>>(a.out, a.in, 4); }},
    {"source_ahead_by_global_store", [](const Arrays &a) { source_ahead_by_global_store<<<2, T>>>(a.out, a.buf, 4); }},
    {"source_as_output_operand_before_load",
     [](const Arrays &a) { source_as_output_operand_before_load<<<2, T>>>(a.out, a.buf); }},
    {"target_by_global_load_after_store",
     [](const Arrays &a) { target_by_global_load_after_store<<<2, T>>>(a.out, a.buf, a.in); }},
    {"barrier_in_assembly", [](const Arrays &a) { barrier_in_assembly<<<2, T>>>(a.out, a.in, 3); }},
    {"named_barrier_before_store", [](const Arrays &a) { named_barrier_before_store<<<2, T>>>(a.out, a.in); }},
    {"offset_changed_by_assembly", [](const Arrays &a) { offset_changed_by_assembly<<<2, T>>>(a.out, a.in); }},
    {"counter_changed_by_assembly", [](const Arrays &a) { counter_changed_by_assembly<<<2, T>>>(a.out, a.in, 6); }},
    {"some_threads_exit_in_assembly", [](const Arrays &a) { some_threads_exit_in_assembly<<<2, T>>>(a.out, a.in, 4); }},
    {"exchanged_by_atomic_before_store",
     [](const Arrays &a) { exchanged_by_atomic_before_store<<<2, T>>>(a.out, a.in); }},
    {"sums_in_assembly", [](const Arrays &a) { sums_in_assembly<<<2, T>>>(a.out, a.in, 4); }},
    {"lane_from_assembly", [](const Arrays &a) { lane_from_assembly<<<2, T>>>(a.out, a.in); }},
    {"values_from_assembly_stored", [](const Arrays &a) { values_from_assembly_stored<<<2, T>>>(a.out, a.in); }},
    {"stored_by_address_to_another_array",
     [](const Arrays &a) { stored_by_address_to_another_array<<<2, T>>>(a.out, a.in); }},
    {"prefetch_of_the_next_round", [](const Arrays &a) { prefetch_of_the_next_round<<<2, T>>>(a.out, a.in, 4); }},
    {"other_array_as_changed_operand", [](const Arrays &a) { other_array_as_changed_operand<<<2, T>>>(a.out, a.in); }},
    {"tile_as_operand_right_after_store",
     [](const Arrays &a) { tile_as_operand_right_after_store<<<2, T>>>(a.out, a.in); }},
    {"source_ahead_as_output_operand",
     [](const Arrays &a) { source_ahead_as_output_operand<<<2, T>>>(a.out, a.buf, 4); }},
    {"tile_as_operand_in_each_round", [](const Arrays &a) { tile_as_operand_in_each_round<<<2, T>>>(a.out, a.in, 3); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
