// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=3 -std=c++20 %s
//
// Numbers and pointers are handed on: to the next round by a local array that is read through a pointer, to the code
// behind a copy, from warp to warp by shared memory, and to other functions by objects that are passed by value. Rounds
// store to a place that an earlier one stored to, and the instances of a kernel differ in front of a producer's loop.
#include "Inputs/arrays.h"

struct Limits {
  int first, of[2];
};
struct View {
  float *__restrict__ p;
  int pitch[2];
};
struct Pair {
  float *__restrict__ p[2];
};
__device__ inline float *row_of(View view, int r, int d) { return view.p + r * view.pitch[d]; }

// A round writes the local array that the loop's condition reads through a pointer to const.
__global__ void limit_read_through_a_pointer(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  int limits[2] = {n, n};
  const int *limit = limits;
#pragma tma pipeline stages(4) fallback(loop)
  for (int k = 0; k < limit[0]; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
    if (k == 1) limits[0] = 3;
  }
  out[at + t] = sum;
}

// The loop runs twice, and the limit is raised between its two runs.
__global__ void limit_changed_between_two_loops(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  int limits[2] = {n, n};
  const int *limit = limits;
  for (int r = 0; r < 2; ++r) {
#pragma tma pipeline stages(4) fallback(loop)
    for (int k = 0; k < limit[0]; ++k) {
#pragma tma load fallback(loop)
      tile[t] = in[k * 256 + at + t];
      __syncthreads();
      sum = 2 * sum + tile[T - 1 - t];
      __syncthreads();
      if (k == 1) limits[0] = 3;
    }
    limits[0] = 5;
  }
  out[at + t] = sum;
}

// The same by a pointer to the rows of a local array.
__global__ void limit_read_through_a_pointer_to_rows(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  int limits[2][2] = {{n, n}, {n, n}};
  const int (*rows)[2] = limits;
  for (int r = 0; r < 2; ++r) {
#pragma tma pipeline stages(4) fallback(loop)
    for (int k = 0; k < rows[1][0]; ++k) {
#pragma tma load fallback(loop)
      tile[t] = in[k * 256 + at + t];
      __syncthreads();
      sum = 2 * sum + tile[T - 1 - t];
      __syncthreads();
      if (k == 1) limits[1][0] = 3;
    }
    limits[1][0] = 5;
  }
  out[at + t] = sum;
}

// The same by a pointer to an array in an argument.
__global__ void limit_in_an_argument(float *__restrict__ out, const float *__restrict__ in, Limits limits) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  const int *limit = limits.of;
  for (int r = 0; r < 2; ++r) {
#pragma tma pipeline stages(4) fallback(loop)
    for (int k = 0; k < limit[1]; ++k) {
#pragma tma load fallback(loop)
      tile[t] = in[k * 256 + at + t];
      __syncthreads();
      sum = 2 * sum + tile[T - 1 - t];
      __syncthreads();
      if (k == 1) limits.of[1] = 3;
    }
    limits.of[1] = 5;
  }
  out[at + t] = sum;
}

// A round decides in this way whether the next one copies.
__global__ void choice_read_through_a_pointer(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  int skips[2] = {0, n};
  const int *skip = skips;
#pragma tma pipeline stages(4) fallback(loop)
  for (int k = 0; k < n; ++k) {
    if (skip[0] == 0) {
#pragma tma load fallback(loop)
      tile[t] = in[k * 256 + at + t];
      __syncthreads();
      sum = 2 * sum + tile[T - 1 - t];
      __syncthreads();
    }
    skips[0] = k & 1;
  }
  out[at + t] = sum;
}

// A round decides in this way how far the counter moves.
__global__ void step_read_through_a_pointer(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  int steps[2] = {1, n};
  const int *step = steps;
#pragma tma pipeline stages(4) fallback(loop)
  for (int k = 0; k < n; k += step[0]) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
    steps[0] = 1 + (k & 1);
  }
  out[at + t] = sum;
}

// The copy's statement sets an element that is read behind it through a pointer to const.
__global__ void index_read_behind_the_copy(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  int indices[2] = {n, n};
  const int *index = indices;
#pragma tma load fallback(loop)
  {
    indices[0] = at + t;
    tile[t] = in[indices[0]];
  }
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + index[0];
}

// The counter moves the place on, and what depends on the counter moves it back: two rounds store to one place.
__global__ void store_moved_back_by_a_bit(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    tile[t] = in[k * T + t] + k;
    __syncthreads();
#pragma tma store fallback(loop)
    out[k * T - (k & 1) * T + t] = tile[t];
    __syncthreads();
  }
}

__global__ void store_moved_back_by_a_half(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    tile[t] = in[k * T + t] + k;
    __syncthreads();
#pragma tma store fallback(loop)
    out[k * T - k / 2 * T + t] = tile[t];
    __syncthreads();
  }
}

// The round before has set the variable that moves the place back.
__global__ void store_moved_back_by_a_variable(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, back = 0;
  for (int k = 0; k < n; ++k) {
    tile[t] = in[k * T + t] + k;
    __syncthreads();
#pragma tma store fallback(loop)
    out[k * T + back + t] = tile[t];
    __syncthreads();
    back = k & 1 ? -T : 0;
  }
}

// The table holds 5 * k, so all rounds store to the first place.
__global__ void store_moved_back_by_a_table(float *__restrict__ out, const float *__restrict__ in,
                                            const int *__restrict__ table, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    tile[t] = in[k * T + t] + k;
    __syncthreads();
#pragma tma store fallback(loop)
    out[(table[k] - 5 * k) * T + t] = tile[t];
    __syncthreads();
  }
}

// A function gets the view by value and finds a row by a number of it; the row is kept in shared memory, and what it
// leads to is written between the read of the elements and the write of the tile.
__global__ void row_of_a_view_written_before_load(float *__restrict__ out, View view, int d) {
  __shared__ alignas(128) float tile[T];
  __shared__ float *row;
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t == 0) row = row_of(view, blockIdx.x, d);
  __syncthreads();
  float v = view.p[at + t];
  row[t] = -7;
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = v;
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// The row is read right behind the store to the place that it leads to.
__global__ void row_of_a_view_read_after_store(View view, float *__restrict__ out, const float *__restrict__ in,
                                               int d) {
  __shared__ alignas(128) float tile[T];
  __shared__ float *row;
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t == 0) row = row_of(view, blockIdx.x, d);
  tile[t] = in[at + t] + 1;
  __syncthreads();
#pragma tma store fallback(loop)
  view.p[at + t] = tile[t];
  __syncthreads();
  out[at + t] = row[T - 1 - t];
}

// Each round writes through the row what the next one copies.
__global__ void row_of_a_view_written_in_rounds(View view, float *__restrict__ out, int d) {
  __shared__ alignas(128) float tile[T];
  __shared__ float *row;
  int t = threadIdx.x;
  float sum = 0;
  if (t == 0) row = row_of(view, 1, d);
  __syncthreads();
#pragma tma pipeline stages(3) fallback(loop)
  for (int k = 0; k < 4; ++k) {
#pragma tma load fallback(loop)
    tile[t] = view.p[k * T + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    row[k * T + t] = sum;
    __syncthreads();
  }
  out[t] = sum;
}

// One of two pointers is chosen by a number and kept in shared memory.
__global__ void chosen_pointer_written_before_load(float *__restrict__ out, Pair pair, int which) {
  __shared__ alignas(128) float tile[T];
  __shared__ float *kept;
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t == 0) kept = pair.p[which];
  __syncthreads();
  float v = pair.p[0][at + t];
  kept[at + t] = -7;
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = v;
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// The elements are pointers. A pointer to float is written where a pointer to const float has been read: the two types
// are similar, so both may lead to the same place.
__global__ void similar_pointer_written_before_load(float *__restrict__ out, const float **from, float **same,
                                                    float *more) {
  __shared__ alignas(128) const float *tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  const float *v = from[at + t];
  same[at + t] = more + t;
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = v;
  __syncthreads();
  out[at + t] = *tile[T - 1 - t];
}
__global__ void pointers_to_elements(const float **to, const float *elements) {
  to[blockIdx.x * T + threadIdx.x] = elements + blockIdx.x * T + threadIdx.x;
}

// Warps hand a shared number on by named barriers. Each reads another value from the same place, and only the first two
// warps copy.
__global__ void turn_handed_to_the_next_warp(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ int turns;
  int t = threadIdx.x, at = blockIdx.x * T, warp = t / 32;
  if (t == 0) turns = 0;
  tile[t] = -1;
  __syncthreads();
  if (warp > 0) asm volatile("bar.sync %0, 64;" : : "r"(warp) : "memory");
  int turn = turns;
  __syncwarp();
  if (t % 32 == 0) turns = turn + 1;
  __syncwarp();
  if (warp < 3) asm volatile("bar.arrive %0, 64;" : : "r"(warp + 1) : "memory");
  __syncthreads();
  if (turn < 2) {
#pragma tma load fallback(loop)
    tile[t] = in[at + t];
  }
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// Each warp copies from where it is told to start.
__global__ void start_handed_to_the_next_warp(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ int next;
  int t = threadIdx.x, at = blockIdx.x * T, warp = t / 32;
  if (t == 0) next = 0;
  __syncthreads();
  if (warp > 0) asm volatile("bar.sync %0, 64;" : : "r"(warp) : "memory");
  int start = next;
  __syncwarp();
  if (t % 32 == 0) next = start + 8;
  __syncwarp();
  if (warp < 3) asm volatile("bar.arrive %0, 64;" : : "r"(warp + 1) : "memory");
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = in[start + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// The warps take turns that atomic operations count.
__global__ void start_handed_on_by_atomic_turns(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ int next, turn;
  int t = threadIdx.x, at = blockIdx.x * T, warp = t / 32;
  if (t == 0) next = turn = 0;
  __syncthreads();
  while (atomicAdd(&turn, 0) < warp) {}
  __threadfence_block();
  int start = next;
  __syncwarp();
  if (t % 32 == 0) next = start + 8;
  __threadfence_block();
  __syncwarp();
  if (t % 32 == 0) atomicAdd(&turn, 1);
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = in[start + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// The first instance writes integers to another array, and the second one writes what is copied.
template <typename Type>
__global__ void one_instance_writes_the_source(float *__restrict__ out, Type *to, const float *in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) to[k * 256 + at + t] = Type(k + t);
  __syncthreads();
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

// One instance has a statement in front of the producer's loop that the other one leaves out.
template <bool Later>
__global__ void one_instance_starts_later(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, k = 0;
  float sum = 0;
  if constexpr (Later) k += 2;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

template <bool Half>
__global__ void one_instance_ends_halfway(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, last = n;
  float sum = 0;
  if constexpr (Half) last = n / 2;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < last; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

template <bool Returns>
__global__ void one_instance_returns(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  if constexpr (Returns) {
    if (blockIdx.x == 1) return;
  }
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

template <bool Skips>
__global__ void one_instance_skips_a_loop(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int r = 0; r < 3; ++r) {
    if constexpr (Skips) {
      if (r == 1) continue;
    }
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
    for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
      tile[t] = in[(r * n + k) * 256 + at + t];
      __syncthreads();
      sum = 2 * sum + tile[T - 1 - t];
      __syncthreads();
    }
  }
  out[at + t] = sum;
}

static const Case cases[] = {
    {"limit_read_through_a_pointer", [](const Arrays &a) { limit_read_through_a_pointer<<<2, T>>>(a.out, a.in, 6); }},
    {"limit_changed_between_two_loops",
     [](const Arrays &a) { limit_changed_between_two_loops<<<2, T>>>(a.out, a.in, 5); }},
    {"limit_read_through_a_pointer_to_rows",
     [](const Arrays &a) { limit_read_through_a_pointer_to_rows<<<2, T>>>(a.out, a.in, 5); }},
    {"limit_in_an_argument", [](const Arrays &a) { limit_in_an_argument<<<2, T>>>(a.out, a.in, Limits{0, {0, 5}}); }},
    {"choice_read_through_a_pointer",
     [](const Arrays &a) { choice_read_through_a_pointer<<<2, T>>>(a.out, a.in, 6); }},
    {"step_read_through_a_pointer", [](const Arrays &a) { step_read_through_a_pointer<<<2, T>>>(a.out, a.in, 6); }},
    {"index_read_behind_the_copy", [](const Arrays &a) { index_read_behind_the_copy<<<2, T>>>(a.out, a.in, 5); }},
    {"store_moved_back_by_a_bit", [](const Arrays &a) { store_moved_back_by_a_bit<<<1, T>>>(a.out, a.in, 6); }},
    {"store_moved_back_by_a_half", [](const Arrays &a) { store_moved_back_by_a_half<<<1, T>>>(a.out, a.in, 6); }},
    {"store_moved_back_by_a_variable",
     [](const Arrays &a) { store_moved_back_by_a_variable<<<1, T>>>(a.out, a.in, 6); }},
    {"store_moved_back_by_a_table",
     [](const Arrays &a) { store_moved_back_by_a_table<<<1, T>>>(a.out, a.in, a.ints, 6); }},
    {"row_of_a_view_written_before_load",
     [](const Arrays &a) { row_of_a_view_written_before_load<<<2, T>>>(a.out, View{a.in, {1, T}}, 1); }},
    {"row_of_a_view_read_after_store",
     [](const Arrays &a) { row_of_a_view_read_after_store<<<2, T>>>(View{a.buf, {1, T}}, a.out, a.in, 1); }},
    {"row_of_a_view_written_in_rounds",
     [](const Arrays &a) { row_of_a_view_written_in_rounds<<<1, T>>>(View{a.buf, {1, T}}, a.out, 1); }},
    {"chosen_pointer_written_before_load",
     [](const Arrays &a) { chosen_pointer_written_before_load<<<2, T>>>(a.out, Pair{{a.in, a.more}}, 0); }},
    {"similar_pointer_written_before_load",
     [](const Arrays &a) {
       pointers_to_elements<<<2, T>>>((const float **)a.buf, a.in);
       similar_pointer_written_before_load<<<2, T>>>(a.out, (const float **)a.buf, (float **)a.buf, a.more);
       cudaMemset(a.buf, 0, 2 * T * sizeof(float *)); // addresses, which no two runs have in common
     }},
    {"turn_handed_to_the_next_warp", [](const Arrays &a) { turn_handed_to_the_next_warp<<<2, T>>>(a.out, a.in); }},
    {"start_handed_to_the_next_warp", [](const Arrays &a) { start_handed_to_the_next_warp<<<2, T>>>(a.out, a.in); }},
    {"start_handed_on_by_atomic_turns",
     [](const Arrays &a) { start_handed_on_by_atomic_turns<<<2, T>>>(a.out, a.in); }},
    {"one_instance_writes_the_source",
     [](const Arrays &a) {
       one_instance_writes_the_source<int><<<2, T>>>(a.out, a.ints, a.in, 9);
       one_instance_writes_the_source<float><<<2, T>>>(a.buf, a.in, a.in, 9);
     }},
    {"one_instance_starts_later",
     [](const Arrays &a) {
       one_instance_starts_later<false><<<2, T>>>(a.out, a.in, 9);
       one_instance_starts_later<true><<<2, T>>>(a.buf, a.in, 9);
     }},
    {"one_instance_ends_halfway",
     [](const Arrays &a) {
       one_instance_ends_halfway<false><<<2, T>>>(a.out, a.in, 9);
       one_instance_ends_halfway<true><<<2, T>>>(a.buf, a.in, 9);
     }},
    {"one_instance_returns",
     [](const Arrays &a) {
       one_instance_returns<false><<<2, T>>>(a.out, a.in, 5);
       one_instance_returns<true><<<2, T>>>(a.buf, a.in, 5);
     }},
    {"one_instance_skips_a_loop",
     [](const Arrays &a) {
       one_instance_skips_a_loop<false><<<2, T>>>(a.out, a.in, 3);
       one_instance_skips_a_loop<true><<<2, T>>>(a.buf, a.in, 3);
     }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
