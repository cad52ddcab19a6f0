// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 29
//
// Tiles, tensors, other shared memory and variables are written and read through references: parameters, results of
// functions, local names, pointers behind references, and lvalues that are chosen by a condition. Some kernels are
// harmless: they use the same features where nothing depends on them.
#include "Inputs/arrays.h"

__device__ inline void put(float &to, float value) { to = value; }
__device__ inline void put_both(float &a, float &b, float value) { a = value, b = value + 1; }
__device__ inline float &cell(float *of, int i) { return of[i]; }
__device__ inline float &cell_of_rows(float (&of)[4][32], int i) { return of[i / 32][i % 32]; }
__device__ inline float value_of(const float &from) { return from; }
__device__ inline void add_to(float &sum, const float &what) { sum += what; }
template <class A> __device__ inline void exchange(A &a, A &b) {
  A c = a;
  a = b, b = c;
}
__device__ inline void advance(int &at, int by) { at += by; }
__device__ inline void move_on(const float *&p, int by) { p += by; }
__device__ inline int doubled(const int &k) { return 2 * k; }
__device__ inline void set_all(float (&of)[4], float value) {
  for (float &f : of) f = value;
}

__device__ inline void split(int n, int part, int &from, int &to) {
  const int each = (n + 1) / 2;
  from = part * each;
  to = min(n, from + each);
}
struct Seat { int *count; };
__device__ inline void keep(Seat &seat, int &count) { seat.count = &count; }
__device__ inline int &greater(int &a, int &b) {
  if (a > b) return a;
  return b;
}

__global__ void two_references_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[2 * T];
  int t = threadIdx.x, at = blockIdx.x * 2 * T;
  put_both(tile[T - 1 - t], tile[2 * T - 1 - t], in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  for (int i = t; i < 2 * T; i += T) out[at + i] = tile[i];
}

__global__ void reference_result_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  cell(tile, t ^ 31) = in[at + t] + 2;
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void reference_to_rows_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[4][32];
  int t = threadIdx.x, at = blockIdx.x * T;
  cell_of_rows(tile, T - 1 - t) = in[at + t];
  cell_of_rows(tile, T - 1 - t) += 3;
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t / 32][t % 32];
}

__global__ void source_ahead_by_reference_result(float *out, float *buf, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = buf[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    cell(buf, (k + 1) * 256 + at + t) = sum;
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void source_ahead_by_local_reference(float *out, float *buf, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(3) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = buf[k * 256 + at + t];
    __syncthreads();
    float &later = buf[(k + 1) * 256 + at + t];
    later = sum += tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void step_through_reference(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, from = at;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[from + t];
    __syncthreads();
    sum = sum * 2 + tile[T - 1 - t];
    advance(from, k == 1 ? 512 : 128);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void pointer_moved_through_reference(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  const float *from = in + at;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = from[t];
    __syncthreads();
    sum = sum * 2 + tile[T - 1 - t];
    move_on(from, k == 1 ? 512 : 128);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void sources_exchanged_each_round(float *__restrict__ out, const float *__restrict__ in,
                                             const float *__restrict__ more, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  const float *now = in, *then = more;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = now[k * 256 + at + t];
    __syncthreads();
    sum = sum * 2 + tile[T - 1 - t];
    exchange(now, then);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void pointers_exchanged_before_copy(float *__restrict__ out, const float *__restrict__ in,
                                               const float *__restrict__ more) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  if (blockIdx.x == 1) exchange(in, more);
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + more[at];
}

__global__ void other_array_read_by_const_reference(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  other[t] = t * 3;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[t ^ 1] + value_of(other[T - 1 - t]);
}

__global__ void other_array_written_and_read_by_reference(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  float &mine = other[t], &theirs = other[T - 1 - t];
  mine = t;
  __syncthreads();
  out[at + t] = tile[t ^ 1] + theirs;
}

__global__ void tile_read_by_reference_before_next_round(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    add_to(sum, tile[T - 1 - t]);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void reference_declared_before_the_ring(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  const float &mine = tile[T - 1 - t];
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = sum * 2 + mine;
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void chosen_element_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  (t < 64 ? tile[t + 64] : tile[t - 64]) = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void chosen_array_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ alignas(128) float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float(&first)[T] = blockIdx.x ? other : tile;
  float(&second)[T] = blockIdx.x ? tile : other;
  first[t] = in[at + t];
  second[T - 1 - t] = 2 * first[t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void row_reference_written_before_load(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[4][32];
  int t = threadIdx.x, at = blockIdx.x * T;
  float(&row)[32] = tile[t / 32];
  row[31 - t % 32] = t;
  __syncthreads();
  float sum = tile[3 - t / 32][t % 32];
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t / 32][t % 32] = in[at + t];
  __syncthreads();
  out[at + t] = sum + tile[3 - t / 32][t % 32];
}

__global__ void target_read_by_reference_after_store(float *out, float *buf, const float *in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t] + 1;
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  __syncthreads();
  const float &seen = out[at + T - 1 - t];
  put(buf[at + t], seen * 2);
}

__global__ void tile_by_reference_before_reduce(float *__restrict__ buf, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  put(tile[t ^ 3], in[at + t]);
  __syncthreads();
#pragma tma reduce fallback(loop)
  atomicAdd(&buf[at + t], tile[t]);
}

__global__ void bound_through_reference(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, limit = n;
  advance(limit, -40);
#pragma tma load fallback(loop)
  tile[t] = at + t < limit ? in[at + t] : 0.f;
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void offset_through_reference(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, from = at;
  advance(from, 256);
#pragma tma load fallback(loop)
  tile[t] = in[from + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void rounds_cut_through_reference(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = sum * 2 + tile[T - 1 - t];
    if (k == 2) advance(n, -2);
    __syncthreads();
  }
  out[at + t] = sum;
}

// Rounds that differ between threads are refused.
__global__ void rounds_by_thread_through_references(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, from, to;
  float sum = 0;
  split(n, t / 64, from, to);
  for (int k = from; k < to; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncwarp();
    sum = sum * 2 + tile[t];
  }
  out[at + t] = sum;
}
__global__ void rounds_by_a_kept_reference(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, from, to;
  float sum = 0;
  split(n, blockIdx.x, from, to);
  Seat seat;
  keep(seat, to);
  *seat.count -= t / 64;
  for (int k = from; k < to; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncwarp();
    sum = sum * 2 + tile[t];
  }
  out[at + t] = sum;
}
__global__ void bound_by_a_returned_reference(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, low = n - 60, high = n;
  greater(low, high) -= 40;
#pragma tma load fallback(loop)
  tile[t] = at + t < high ? in[at + t] : 0.f;
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// Harmless.
struct Work { float tile[T]; };
__device__ inline Work &shared_work() {
  __shared__ alignas(128) Work work;
  return work;
}
__global__ void tile_by_a_returned_reference(float *__restrict__ out, const float *__restrict__ in) {
  int t = threadIdx.x, at = blockIdx.x * T;
  Work &w = shared_work();
#pragma tma load fallback(loop)
  w.tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = w.tile[T - 1 - t];
}

// Harmless.
struct Row { mutable int row; };
__device__ inline void next_row(const Row &row) { row.row += 2; }
__global__ void row_is_mutable(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  Row row{int(blockIdx.x)};
  next_row(row);
#pragma tma load
  tile[t] = in[row.row * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

// Harmless. How many rounds there are depends on a loop of which nobody knows the rounds.
__global__ void rounds_are_counted_before(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, rounds = 0;
  float sum = 0;
  for (int k = 0; k < n; ++k) rounds += k % 2;
  for (int k = 0; k < rounds; ++k) {
#pragma tma load
    tile[t] = in[k * T + t];
    __syncthreads();
    sum = sum * 2 + tile[T - 1 - t];
    __syncthreads();
  }
  out[blockIdx.x * T + t] = sum;
}

// Harmless.
__global__ void rounds_through_references(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, from, to;
  float sum = 0;
  split(n, blockIdx.x, from, to);
  for (int k = from; k < to; ++k) {
#pragma tma load
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = sum * 2 + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void counter_by_const_reference(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t] * doubled(k);
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void sum_by_reference(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    float v = tile[T - 1 - t];
    add_to(sum, v);
    __syncthreads();
  }
  put(out[at + t], sum);
}

// Harmless.
__global__ void registers_by_reference(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float own[4];
  set_all(own, 1);
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    add_to(own[k & 3], tile[T - 1 - t]);
    exchange(own[0], own[3]);
    __syncthreads();
  }
  out[at + t] = own[0] + 2 * own[1] + 4 * own[2] + 8 * own[3];
}

// Harmless.
__global__ void source_by_another_name(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  const float *const __restrict__ &from = in;
#pragma tma load fallback(loop)
  tile[t] = from[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// Harmless.
__global__ void tile_by_another_name(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float storage[T];
  float(&tile)[T] = storage;
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// Harmless.
__global__ void exchanged_registers_around_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float a = in[at + t], b = in[at + t + 256];
  exchange(a, b);
  tile[t] = a - b;
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  exchange(a, b);
  out[512 + at + t] = a;
}

static const Case cases[] = {
    {"two_references_before_store", [](const Arrays &a) { two_references_before_store<<<2, T>>>(a.out, a.in); }},
    {"reference_result_before_store", [](const Arrays &a) { reference_result_before_store<<<2, T>>>(a.out, a.in); }},
    {"reference_to_rows_before_store", [](const Arrays &a) { reference_to_rows_before_store<<<2, T>>>(a.out, a.in); }},
    {"source_ahead_by_reference_result",
     [](const Arrays &a) { source_ahead_by_reference_result<<<2, T>>>(a.out, a.buf, 4); }},
    {"source_ahead_by_local_reference",
     [](const Arrays &a) { source_ahead_by_local_reference<<<2, T>>>(a.out, a.buf, 4); }},
    {"step_through_reference", [](const Arrays &a) { step_through_reference<<<2, T>>>(a.out, a.in, 4); }},
    {"pointer_moved_through_reference",
     [](const Arrays &a) { pointer_moved_through_reference<<<2, T>>>(a.out, a.in, 4); }},
    {"sources_exchanged_each_round",
     [](const Arrays &a) { sources_exchanged_each_round<<<2, T>>>(a.out, a.in, a.more, 4); }},
    {"pointers_exchanged_before_copy",
     [](const Arrays &a) { pointers_exchanged_before_copy<<<2, T>>>(a.out, a.in, a.more); }},
    {"other_array_read_by_const_reference",
     [](const Arrays &a) { other_array_read_by_const_reference<<<2, T>>>(a.out, a.in); }},
    {"other_array_written_and_read_by_reference",
     [](const Arrays &a) { other_array_written_and_read_by_reference<<<2, T>>>(a.out, a.in); }},
    {"tile_read_by_reference_before_next_round",
     [](const Arrays &a) { tile_read_by_reference_before_next_round<<<2, T>>>(a.out, a.in, 4); }},
    {"reference_declared_before_the_ring",
     [](const Arrays &a) { reference_declared_before_the_ring<<<2, T>>>(a.out, a.in, 5); }},
    {"chosen_element_before_store", [](const Arrays &a) { chosen_element_before_store<<<2, T>>>(a.out, a.in); }},
    {"chosen_array_before_store", [](const Arrays &a) { chosen_array_before_store<<<2, T>>>(a.out, a.in); }},
    {"row_reference_written_before_load",
     [](const Arrays &a) { row_reference_written_before_load<<<2, T>>>(a.out, a.in); }},
    {"target_read_by_reference_after_store",
     [](const Arrays &a) { target_read_by_reference_after_store<<<2, T>>>(a.out, a.buf, a.in); }},
    {"tile_by_reference_before_reduce",
     [](const Arrays &a) { tile_by_reference_before_reduce<<<2, T>>>(a.buf, a.in); }},
    {"bound_through_reference", [](const Arrays &a) { bound_through_reference<<<2, T>>>(a.out, a.in, 256); }},
    {"offset_through_reference", [](const Arrays &a) { offset_through_reference<<<2, T>>>(a.out, a.in); }},
    {"rounds_cut_through_reference", [](const Arrays &a) { rounds_cut_through_reference<<<2, T>>>(a.out, a.in, 6); }},
    {"rounds_by_thread_through_references",
     [](const Arrays &a) { rounds_by_thread_through_references<<<2, T>>>(a.out, a.in, 5); }},
    {"rounds_by_a_kept_reference", [](const Arrays &a) { rounds_by_a_kept_reference<<<2, T>>>(a.out, a.in, 7); }},
    {"bound_by_a_returned_reference",
     [](const Arrays &a) { bound_by_a_returned_reference<<<2, T>>>(a.out, a.in, 256); }},
    {"tile_by_a_returned_reference", [](const Arrays &a) { tile_by_a_returned_reference<<<2, T>>>(a.out, a.in); }},
    {"row_is_mutable", [](const Arrays &a) { row_is_mutable<<<2, T>>>(a.out, a.in); }},
    {"rounds_are_counted_before", [](const Arrays &a) { rounds_are_counted_before<<<1, T>>>(a.out, a.in, 7); }},
    {"rounds_through_references", [](const Arrays &a) { rounds_through_references<<<2, T>>>(a.out, a.in, 7); }},
    {"counter_by_const_reference", [](const Arrays &a) { counter_by_const_reference<<<2, T>>>(a.out, a.in, 4); }},
    {"sum_by_reference", [](const Arrays &a) { sum_by_reference<<<2, T>>>(a.out, a.in, 4); }},
    {"registers_by_reference", [](const Arrays &a) { registers_by_reference<<<2, T>>>(a.out, a.in, 4); }},
    {"source_by_another_name", [](const Arrays &a) { source_by_another_name<<<2, T>>>(a.out, a.in); }},
    {"tile_by_another_name", [](const Arrays &a) { tile_by_another_name<<<2, T>>>(a.out, a.in); }},
    {"exchanged_registers_around_store",
     [](const Arrays &a) { exchanged_registers_around_store<<<2, T>>>(a.out, a.in); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
