// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=3 -std=c++20 %s
//
// What a round repeats, who runs ahead of it, and what is used behind a copy. Rounds are skipped by a 'continue' deep
// in the body, counters are changed more than once by the head or come back to where they were, and a name of the head
// means something else within the round. A producer has to run all that its loop depends on. What a copy moves is used
// behind it under another name, and a thread leaves the block behind a pipeline while the others still meet.
#include "Inputs/arrays.h"

// Rounds that skip the copy get no tile: the 'continue' may stand in a statement that the copy is not part of.
__global__ void skipped_by_an_if_within_an_if(float *__restrict__ out, const float *__restrict__ in, int n, int odd) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
    if (odd) {
      if (k & 1) continue;
    }
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void skipped_by_an_if_without_braces(float *__restrict__ out, const float *__restrict__ in, int n, int odd) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
    if (odd)
      if (k & 1) continue;
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void skipped_in_the_other_branch(float *__restrict__ out, const float *__restrict__ in, int n, int odd) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
    if (!odd)
      sum += 1;
    else if (k & 1)
      continue;
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void skipped_in_a_block_of_its_own(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
    {
      if (k & 1) continue;
    }
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void producer_skips_by_an_if_within_an_if(float *__restrict__ out, const float *__restrict__ in, int n,
                                                     int odd) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
    if (odd) {
      if (k & 1) continue;
    }
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

// The counter starts where the whole head leaves it.
__global__ void counter_set_and_moved_in_the_head(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, k;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (k = 0, k += 2; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void counter_set_and_counted_on(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, k;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (k = 0, ++k; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void counter_moved_by_the_next_variable(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0, j = k++; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t] + j;
    __syncthreads();
  }
  out[at + t] = sum;
}

__device__ inline int moved_on(int &k) { return k += 2; }
__global__ void counter_moved_by_a_function_in_the_head(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0, j = moved_on(k); k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t] + j;
    __syncthreads();
  }
  out[at + t] = sum;
}

// The second variable of the head has a type of its own in each instance, and comes back to zero in one of them.
template <typename Counter>
__global__ void counter_of_the_instances_type(float *__restrict__ out, const float *__restrict__ in, int from, int to) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (Counter j = 0, k = from; k != (Counter)to; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[(int)k * 16 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t] + j;
    __syncthreads();
  }
  out[at + t] = sum;
}

// What the head calls is looked up outside the round.
__device__ inline int rounds_of(long n) { return n; }
namespace halves {
__device__ inline int rounds_of(int n) { return n / 2; }
} // namespace halves
__global__ void overload_by_a_using_directive(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < rounds_of(n); ++k) {
    using namespace halves;
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

namespace more_halves {
using namespace halves;
}
__global__ void overload_by_a_second_using_directive(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < rounds_of(n); ++k) {
    using namespace more_halves;
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

template <int Value> struct limit {
  static constexpr int value = Value;
};
template <int Value> using limit_by_name = limit<Value>;
namespace smaller {
template <int Value> struct limit {
  static constexpr int value = Value / 2;
};
template <int Value> using limit_by_name = smaller::limit<Value>;
} // namespace smaller
__global__ void class_template_by_a_using_declaration(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n + limit<9>::value; ++k) {
    using smaller::limit;
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void alias_template_by_a_using_declaration(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n + limit_by_name<9>::value; ++k) {
    using smaller::limit_by_name;
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

constexpr int Rounds = 9;
struct Shorter {
  enum Name { Rounds = 4 };
};
__global__ void enumerator_by_using_enum(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n + Rounds; ++k) {
    using enum Shorter::Name;
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

// The copy leaves its variable at the end of the tile, where it is read under another name.
struct Pair {
  int i, j;
};
__global__ void part_of_a_binding_used_behind(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[256];
  auto [i, j] = Pair{(int)threadIdx.x, n};
#pragma tma load fallback(loop)
  for (; i < 256; i += T) tile[i] = in[n * 256 + i];
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x] + i + j;
}

__global__ void reference_used_behind(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[256];
  int i = threadIdx.x;
  const int &end = i;
#pragma tma load fallback(loop)
  for (; i < 256; i += T) tile[i] = in[n * 256 + i];
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x] + end;
}

// The number of rounds changes on the way to the loop, where the producer has to change it as well.
__global__ void rounds_counted_on_in_a_declaration(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, m = n;
  float sum = 0;
  out[at + t] = 0;
  int first = m++;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < m; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t] + first;
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void rounds_taken_away_in_a_declaration(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  out[at + t] = 0;
  float last = n -= 3;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t] + last;
    __syncthreads();
  }
  out[at + t] = sum;
}

#define ROUNDS n
__global__ void rounds_named_by_a_macro(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  out[at + t] = 0;
  n -= 3;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < ROUNDS; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

#define ROUND_OF(k) ((k) + first)
// A small counter comes back to the same place after few rounds, which may still be written.
__global__ void small_counter_comes_back(float *__restrict__ out, int n) {
  __shared__ alignas(128) float tile[32];
  int t = threadIdx.x;
  unsigned char slot = 0;
  for (int k = 0; k < n; ++k, slot += 128) {
    tile[t] = t * (k + 1);
    __syncthreads();
#pragma tma store fallback(loop)
    out[slot * 32 + t] = tile[t];
    __syncthreads();
  }
}

__global__ void small_counter_comes_back_downwards(float *__restrict__ out, int n) {
  __shared__ alignas(128) float tile[32];
  int t = threadIdx.x;
  unsigned char slot = 128;
  for (int k = 0; k < n; ++k) {
    tile[t] = t * (k + 1);
    __syncthreads();
#pragma tma store fallback(loop)
    out[slot * 32 + t] = tile[t];
    __syncthreads();
    slot -= 128;
  }
}

// A thread leaves in one round of a loop over a range, and the others meet again in the next.
__global__ void thread_leaves_a_loop_over_a_range(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ float sums[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  const int steps[3] = {1, 2, 5};
  sums[t] = sum;
  for (int step : steps) {
    __syncthreads();
    sum += sums[(t + step) % T];
    out[at + t] = sum;
    if (t == 3) return;
  }
}

__global__ void thread_leaves_a_loop_within_a_loop_over_a_range(float *__restrict__ out, const float *__restrict__ in,
                                                                int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ float sums[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  const int steps[3] = {1, 2, 5};
  sums[t] = sum;
  for (int step : steps) {
    __syncthreads();
    for (int i = 0; i < step; ++i) {
      sum += sums[(t + i) % T];
      out[at + t] = sum;
      if (t == 3) return;
    }
  }
}

static const Case cases[] = {
    {"skipped_by_an_if_within_an_if",
     [](const Arrays &a) { skipped_by_an_if_within_an_if<<<2, T>>>(a.out, a.in, 9, 1); }},
    {"skipped_by_an_if_without_braces",
     [](const Arrays &a) { skipped_by_an_if_without_braces<<<2, T>>>(a.out, a.in, 9, 1); }},
    {"skipped_in_the_other_branch", [](const Arrays &a) { skipped_in_the_other_branch<<<2, T>>>(a.out, a.in, 9, 1); }},
    {"skipped_in_a_block_of_its_own", [](const Arrays &a) { skipped_in_a_block_of_its_own<<<2, T>>>(a.out, a.in, 9); }},
    {"producer_skips_by_an_if_within_an_if",
     [](const Arrays &a) { producer_skips_by_an_if_within_an_if<<<2, T>>>(a.out, a.in, 9, 1); }},
    {"counter_set_and_moved_in_the_head",
     [](const Arrays &a) { counter_set_and_moved_in_the_head<<<2, T>>>(a.out, a.in, 9); }},
    {"counter_set_and_counted_on", [](const Arrays &a) { counter_set_and_counted_on<<<2, T>>>(a.out, a.in, 9); }},
    {"counter_moved_by_the_next_variable",
     [](const Arrays &a) { counter_moved_by_the_next_variable<<<2, T>>>(a.out, a.in, 9); }},
    {"counter_moved_by_a_function_in_the_head",
     [](const Arrays &a) { counter_moved_by_a_function_in_the_head<<<2, T>>>(a.out, a.in, 9); }},
    {"counter_of_the_instances_type",
     [](const Arrays &a) {
       counter_of_the_instances_type<unsigned short><<<2, T>>>(a.out, a.in, 0, 9);
       counter_of_the_instances_type<unsigned char><<<2, T>>>(a.out + 512, a.in, 250, 4);
     }},
    {"overload_by_a_using_directive", [](const Arrays &a) { overload_by_a_using_directive<<<2, T>>>(a.out, a.in, 9); }},
    {"overload_by_a_second_using_directive",
     [](const Arrays &a) { overload_by_a_second_using_directive<<<2, T>>>(a.out, a.in, 9); }},
    {"class_template_by_a_using_declaration",
     [](const Arrays &a) { class_template_by_a_using_declaration<<<2, T>>>(a.out, a.in, 0); }},
    {"alias_template_by_a_using_declaration",
     [](const Arrays &a) { alias_template_by_a_using_declaration<<<2, T>>>(a.out, a.in, 0); }},
    {"enumerator_by_using_enum", [](const Arrays &a) { enumerator_by_using_enum<<<2, T>>>(a.out, a.in, 0); }},
    {"part_of_a_binding_used_behind", [](const Arrays &a) { part_of_a_binding_used_behind<<<1, T>>>(a.out, a.in, 1); }},
    {"reference_used_behind", [](const Arrays &a) { reference_used_behind<<<1, T>>>(a.out, a.in, 1); }},
    {"rounds_counted_on_in_a_declaration",
     [](const Arrays &a) { rounds_counted_on_in_a_declaration<<<2, T>>>(a.out, a.in, 8); }},
    {"rounds_taken_away_in_a_declaration",
     [](const Arrays &a) { rounds_taken_away_in_a_declaration<<<2, T>>>(a.out, a.in, 9); }},
    {"rounds_named_by_a_macro", [](const Arrays &a) { rounds_named_by_a_macro<<<2, T>>>(a.out, a.in, 9); }},
    {"small_counter_comes_back", [](const Arrays &a) { small_counter_comes_back<<<1, 32>>>(a.out, 9); }},
    {"small_counter_comes_back_downwards",
     [](const Arrays &a) { small_counter_comes_back_downwards<<<1, 32>>>(a.out, 9); }},
    {"thread_leaves_a_loop_over_a_range",
     [](const Arrays &a) { thread_leaves_a_loop_over_a_range<<<2, T>>>(a.out, a.in, 4); }},
    {"thread_leaves_a_loop_within_a_loop_over_a_range",
     [](const Arrays &a) { thread_leaves_a_loop_within_a_loop_over_a_range<<<2, T>>>(a.out, a.in, 4); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
