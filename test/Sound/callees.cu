// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 32
//
// Functions that kernels call write and read tensors, variables of the device, shared memory of their own and of their
// callers: inlined or not, templates, recursive ones, ones with names of other functions, and copies in functions
// around such calls. Where a function that calls itself comes ahead of a copy, that stays plain: what such a function
// does is not followed. Some kernels are harmless: their callees compute, or touch what no copy has to do with.
#include "Inputs/arrays.h"

__device__ float table[4096];
__device__ float results[1024];
static __device__ float scratch[4096];
__device__ int shifts[4];
__device__ int visits[8];

__device__ inline void fill_table(int i, float v) { table[i] = v; }
__device__ __noinline__ void fill_scratch(int i, float v) { scratch[i] = v; }
__device__ __noinline__ float from_results(int i) { return results[i]; }
__device__ __noinline__ void store_to(float *p, int i, float v) { p[i] = v; }
__device__ __noinline__ float load_from(const float *p, int i) { return p[i]; }
__device__ inline void set_shift(int by) { shifts[blockIdx.x] = by; }
namespace tools {
__device__ inline float max(float *p, float v) { return *p = v; }
__device__ inline float min(const float *p, int i) { return p[i]; }
__device__ inline int abs(int &i) { return i += 256; }
__device__ inline void push(float *p, float v) { *p = v; }
__device__ inline bool any(float *p, int i) { return (p[i] = i) > 3; }
} // namespace tools
template <class A> __device__ inline void store_all(A *p, int n, A v) {
  for (int i = threadIdx.x; i < n; i += T) p[n - 1 - i] = v + i;
}
template <int Depth> __device__ inline void store_deep(float *p, float v) {
  if constexpr (Depth > 0)
    store_deep<Depth - 1>(p, v + 1);
  else
    *p = v;
}
__device__ void store_downwards(float *p, int n, float v) {
  if (n == 0) return;
  p[n - 1] = v;
  store_downwards(p, n - 1, v + 1);
}
__device__ int steps_to_one(int i) { return i <= 1 ? 0 : 1 + steps_to_one(i & 1 ? i - 1 : i / 2); }
__device__ inline float *chosen(float *a, float *b, bool first) { return first ? a : b; }
__device__ inline float sum_in_own_shared(float v) {
  __shared__ float own[T];
  own[threadIdx.x] = v;
  __syncthreads();
  v = own[threadIdx.x ^ 1];
  __syncthreads();
  return v;
}
__device__ inline float *own_array() {
  __shared__ float own[T];
  return own;
}
__device__ inline float mixed(float a, float b) { return 2 * a + b; }

__global__ void variable_of_device_ahead(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  fill_table(at + t, in[at + t]);
  __syncthreads();
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = table[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    fill_table((k + 1) * 256 + at + t, sum);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void static_variable_by_real_call_ahead(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  fill_scratch(at + t, in[at + t]);
  __syncthreads();
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = scratch[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    fill_scratch((k + 1) * 256 + at + t, sum);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void variable_read_by_callee_after_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  results[at + t] = tile[t];
  __syncthreads();
  out[at + t] = from_results(at + T - 1 - t);
}

__global__ void shift_set_by_callee(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  if (t == 0) set_shift(256);
  for (int k = 0; k < n; ++k) {
    __syncthreads();
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + shifts[blockIdx.x] + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
    if (t == 0) set_shift(256 + 128 * (k & 1) + blockIdx.x * 64);
  }
  out[at + t] = sum;
}

__global__ void real_call_writes_tile_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  store_to(tile, T - 1 - t, in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void real_call_reads_other_array(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  store_to(other, t, t);
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[t ^ 1] + load_from(other, T - 1 - t);
}

__global__ void named_max_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float v = tools::max(&tile[t ^ 1], in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  out[512 + at + t] = v;
}

__global__ void named_min_reads_tile_before_next_round(float *__restrict__ out, const float *__restrict__ in, int n) {
  using namespace tools;
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += min(tile, T - 1 - t);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void named_abs_moves_offset(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, from = at;
  float sum = tools::abs(from);
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[from + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    if (k != 1) tools::abs(from);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void named_push_and_any_write(float *out, float *buf, const float *__restrict__ in) {
  using tools::any;
  using tools::push;
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  bool big = any(buf, at + t);
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = buf[at + t];
  __syncthreads();
  push(&tile[T - 1 - t], in[at + t] + big);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void template_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[2 * T];
  int t = threadIdx.x, at = blockIdx.x * 2 * T;
  store_all(tile, 2 * T, in[at]);
  __syncthreads();
#pragma tma store fallback(loop)
  for (int i = t; i < 2 * T; i += T) out[at + i] = tile[i];
}

__global__ void nested_templates_before_reduce(float *__restrict__ buf, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  store_deep<3>(&tile[T - 1 - t], in[at + t]);
  __syncthreads();
#pragma tma reduce fallback(loop)
  atomicAdd(&buf[at + t], tile[t]);
}

__global__ void recursion_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T][4];
  int t = threadIdx.x, at = blockIdx.x * T;
  store_downwards(tile[T - 1 - t], 4, in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  for (int i = t; i < 4 * T; i += T) out[4 * at + i] = tile[i / 4][i % 4];
}

__global__ void chosen_by_callee_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ alignas(128) float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = 1, other[t] = 2;
  __syncthreads();
  chosen(tile, other, t & 1)[T - 1 - t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  out[512 + at + t] = other[t ^ 1];
}

__global__ void array_of_a_callee(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  own_array()[t] = t;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[t ^ 1] + own_array()[T - 1 - t];
}

__global__ void barriers_in_callee_between(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += sum_in_own_shared(tile[T - 1 - t]);
  }
  out[at + t] = sum;
}

__device__ inline void fetch(float *tile, const float *from, int at) {
#pragma tma load fallback(loop)
  for (int i = threadIdx.x; i < T; i += T) tile[i] = from[at + i];
}
__device__ inline void fetch_and_clear(float *tile, float *from, int at) {
  fetch(tile, from, at);
  __syncthreads();
  from[at + threadIdx.x] = 0;
}
__global__ void source_cleared_behind_copy_in_callee(float *out, float *buf) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < 2; ++k) {
    fetch_and_clear(tile, buf, at);
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__device__ inline void put_away(float *to, const float *tile, int at) {
#pragma tma store fallback(loop)
  to[at + threadIdx.x] = tile[threadIdx.x];
}
__global__ void stored_in_callee_read_in_another(float *out, float *buf, const float *in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  store_to(tile, T - 1 - t, in[at + t]);
  __syncthreads();
  put_away(out, tile, at);
  __syncthreads();
  buf[at + t] = load_from(out, at + T - 1 - t);
}

// Harmless.
__global__ void callee_computes(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = mixed(sum, tile[T - 1 - t]);
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void recursion_computes(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + steps_to_one(t);
}

// Harmless.
__global__ void visits_counted_by_device_variable(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t == 0) atomicAdd(&visits[blockIdx.x], 1);
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// Harmless.
__global__ void callee_writes_before_unrelated_load(float *__restrict__ out, float *__restrict__ buf,
                                                    const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  store_to(buf, at + t, t);
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__device__ inline void fetch_rows(float (*tile)[32], const float *__restrict__ from, int w, int row) {
  int r = threadIdx.x / 32, c = threadIdx.x % 32;
#pragma tma load fallback(loop)
  tile[r][c] = from[(row + r) * w + c];
}
// Harmless.
__global__ void copy_in_a_function(float *__restrict__ out, const float *__restrict__ in, int w, int n) {
  __shared__ alignas(128) float tile[4][32];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    fetch_rows(tile, in, w, k * 8 + blockIdx.x * 4);
    __syncthreads();
    sum += tile[3 - t / 32][t % 32];
    __syncthreads();
  }
  out[at + t] = sum;
}

struct Parts {
  float *tile, *other;
};
__device__ inline float fetch_beside(float *tile, float *other, const float *__restrict__ from, int at) {
  int t = threadIdx.x;
  other[t] = t;
#pragma tma load fallback(loop)
  tile[t] = from[at + t];
  __syncthreads();
  return tile[t ^ 1] + other[T - 1 - t];
}
__global__ void other_array_is_a_parameter(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  out[at + t] = fetch_beside(tile, other, in, at);
}

__device__ inline float fetch_in_parts(Parts parts, const float *__restrict__ from, int at) {
  int t = threadIdx.x;
  parts.other[t] = t;
#pragma tma load fallback(loop)
  parts.tile[t] = from[at + t];
  __syncthreads();
  return parts.tile[t ^ 1] + parts.other[T - 1 - t];
}
__global__ void other_array_in_a_parameter_struct(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  out[at + t] = fetch_in_parts(Parts{tile, other}, in, at);
}

__device__ inline void store_beside(float *__restrict__ to, float (&tile)[T], float v, int at) {
  tile[T - 1 - threadIdx.x] = v;
  __syncthreads();
#pragma tma store fallback(loop)
  to[at + threadIdx.x] = tile[threadIdx.x];
  tile[threadIdx.x] = v + 1;
}
__global__ void stored_in_callee_and_written_again(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  store_beside(out, tile, in[at + t], at);
  __syncthreads();
  out[512 + at + t] = tile[t ^ 1];
}

__global__ void variable_put_between_copies(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  scratch[at + t] = t;
  __syncthreads();
#pragma tma load fallback(loop)
  a[t] = scratch[at + t];
  scratch[at + t] = 5;
#pragma tma load fallback(loop)
  b[t] = in[at + t];
  __syncthreads();
  out[at + t] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

// Functions call tables by their own pointers.
__device__ void rows_of(float (*t)[32], const float *from, const int *rows, int w) {
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) t[i / 32][i % 32] = from[rows[i / 32] * w + i % 32];
}
__device__ void rows_behind(float (*t)[32], const float *from, const int *rows, int w) {
  rows += 4;
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) t[i / 32][i % 32] = from[rows[i / 32] * w + i % 32];
}
__device__ void scatter_to(float *to, const int *rows, const float (*t)[32]) {
#pragma tma store
  for (int i = threadIdx.x; i < 256; i += T) to[rows[i / 32] * 32 + i % 32] = t[i / 32][i % 32];
}
__global__ void rows_by_a_parameter(float *__restrict__ out, const float *__restrict__ in, const int *__restrict__ ids) {
  __shared__ alignas(128) float t[8][32];
  rows_of(t, in, ids + blockIdx.x * 8, 32);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += T) out[blockIdx.x * 256 + i] = t[7 - i / 32][i % 32];
}
__global__ void rows_by_a_moved_parameter(float *__restrict__ out, const float *__restrict__ in,
                                          const int *__restrict__ ids) {
  __shared__ alignas(128) float t[8][32];
  for (int k = 0; k < 3; ++k) {
    rows_behind(t, in, ids + k * 8, 32);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += T) out[k * 256 + i] = t[7 - i / 32][i % 32];
    __syncthreads();
  }
}
__global__ void targets_by_a_parameter(float *__restrict__ out, const float *__restrict__ in,
                                       const int *__restrict__ ids) {
  __shared__ alignas(128) float t[8][32];
  for (int i = threadIdx.x; i < 256; i += T) t[i / 32][i % 32] = in[blockIdx.x * 256 + 255 - i];
  __syncthreads();
  scatter_to(out, ids + blockIdx.x * 8, t);
}
union Storage {
  struct { float a[8][32]; } main;
  float epilogue[8][8];
};
__device__ void fill_storage(Storage &storage, const float *from, int w) {
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) storage.main.a[i / 32][i % 32] = from[i / 32 * w + i % 32];
}
__global__ void storage_by_reference(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ alignas(128) Storage storage;
  fill_storage(storage, in, w);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += T) out[i] = storage.main.a[7 - i / 32][i % 32];
}

static const Case cases[] = {
    {"rows_by_a_parameter", [](const Arrays &a) { rows_by_a_parameter<<<2, T>>>(a.out, a.in, a.ints); }},
    {"rows_by_a_moved_parameter", [](const Arrays &a) { rows_by_a_moved_parameter<<<1, T>>>(a.out, a.in, a.ints); }},
    {"targets_by_a_parameter", [](const Arrays &a) { targets_by_a_parameter<<<2, T>>>(a.out, a.in, a.ints); }},
    {"storage_by_reference", [](const Arrays &a) { storage_by_reference<<<1, T>>>(a.out, a.in, 64); }},
    {"variable_of_device_ahead", [](const Arrays &a) { variable_of_device_ahead<<<2, T>>>(a.out, a.in, 4); }},
    {"static_variable_by_real_call_ahead",
     [](const Arrays &a) { static_variable_by_real_call_ahead<<<2, T>>>(a.out, a.in, 4); }},
    {"variable_read_by_callee_after_store",
     [](const Arrays &a) { variable_read_by_callee_after_store<<<2, T>>>(a.out, a.in); }},
    {"shift_set_by_callee", [](const Arrays &a) { shift_set_by_callee<<<2, T>>>(a.out, a.in, 4); }},
    {"real_call_writes_tile_before_store",
     [](const Arrays &a) { real_call_writes_tile_before_store<<<2, T>>>(a.out, a.in); }},
    {"real_call_reads_other_array", [](const Arrays &a) { real_call_reads_other_array<<<2, T>>>(a.out, a.in); }},
    {"named_max_before_store", [](const Arrays &a) { named_max_before_store<<<2, T>>>(a.out, a.in); }},
    {"named_min_reads_tile_before_next_round",
     [](const Arrays &a) { named_min_reads_tile_before_next_round<<<2, T>>>(a.out, a.in, 3); }},
    {"named_abs_moves_offset", [](const Arrays &a) { named_abs_moves_offset<<<2, T>>>(a.out, a.in, 3); }},
    {"named_push_and_any_write", [](const Arrays &a) { named_push_and_any_write<<<2, T>>>(a.out, a.buf, a.in); }},
    {"template_before_store", [](const Arrays &a) { template_before_store<<<2, T>>>(a.out, a.in); }},
    {"nested_templates_before_reduce", [](const Arrays &a) { nested_templates_before_reduce<<<2, T>>>(a.buf, a.in); }},
    {"recursion_before_store", [](const Arrays &a) { recursion_before_store<<<2, T>>>(a.out, a.in); }},
    {"chosen_by_callee_before_store", [](const Arrays &a) { chosen_by_callee_before_store<<<2, T>>>(a.out, a.in); }},
    {"array_of_a_callee", [](const Arrays &a) { array_of_a_callee<<<2, T>>>(a.out, a.in); }},
    {"barriers_in_callee_between", [](const Arrays &a) { barriers_in_callee_between<<<2, T>>>(a.out, a.in, 3); }},
    {"source_cleared_behind_copy_in_callee",
     [](const Arrays &a) { source_cleared_behind_copy_in_callee<<<2, T>>>(a.out, a.buf); }},
    {"stored_in_callee_read_in_another",
     [](const Arrays &a) { stored_in_callee_read_in_another<<<2, T>>>(a.out, a.buf, a.in); }},
    {"callee_computes", [](const Arrays &a) { callee_computes<<<2, T>>>(a.out, a.in, 4); }},
    {"recursion_computes", [](const Arrays &a) { recursion_computes<<<2, T>>>(a.out, a.in); }},
    {"visits_counted_by_device_variable",
     [](const Arrays &a) { visits_counted_by_device_variable<<<2, T>>>(a.out, a.in); }},
    {"callee_writes_before_unrelated_load",
     [](const Arrays &a) { callee_writes_before_unrelated_load<<<2, T>>>(a.out, a.buf, a.in); }},
    {"copy_in_a_function", [](const Arrays &a) { copy_in_a_function<<<2, T>>>(a.out, a.in, 64, 3); }},
    {"other_array_is_a_parameter", [](const Arrays &a) { other_array_is_a_parameter<<<2, T>>>(a.out, a.in); }},
    {"other_array_in_a_parameter_struct",
     [](const Arrays &a) { other_array_in_a_parameter_struct<<<2, T>>>(a.out, a.in); }},
    {"stored_in_callee_and_written_again",
     [](const Arrays &a) { stored_in_callee_and_written_again<<<2, T>>>(a.out, a.in); }},
    {"variable_put_between_copies", [](const Arrays &a) { variable_put_between_copies<<<2, T>>>(a.out, a.in); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
