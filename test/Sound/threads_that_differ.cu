// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=3 -std=c++17 %s
//
// A number may look the same for all threads and not be so: it is counted by a loop that each leaves on its own, kept
// in a parameter or an object of each thread, set perhaps, loaded from a matrix, read by assembly, or compared with a
// vote. A barrier in assembly may be met or not, and some threads may leave before the copy.
#include "Inputs/arrays.h"
#include <mma.h>

__device__ inline unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// Each warp leaves the loop at its own count, and only that of the first one is 0.
__global__ void switch_on_a_count_until_a_break(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, n = 0;
  tile[t] = -1;
  __syncthreads();
  while (true) {
    if (n >= t / 32) break;
    ++n;
  }
  switch (n) {
  case 0:
#pragma tma load fallback(loop)
    tile[t] = in[at + t];
  }
  __syncthreads();
  out[at + t] = tile[t ^ 37];
}

// The loop has a condition, too, and most warps leave it earlier.
__global__ void switch_on_a_count_of_a_loop(float *__restrict__ out, const float *__restrict__ in, int most) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, n;
  tile[t] = -1;
  __syncthreads();
  for (n = 0; n < most; ++n)
    if (n >= t / 32) break;
  switch (n) {
  case 0:
  case 2:
#pragma tma load fallback(loop)
    tile[t] = in[at + t];
  }
  __syncthreads();
  out[at + t] = tile[t ^ 37];
}

struct Numbers {
  int v[4];
  __device__ void set_and_copy_below(float *out, const float *in, int w, int limit) {
    __shared__ float tile[T];
    int t = threadIdx.x, at = blockIdx.x * T;
    v[w] = t;
    tile[t] = -1;
    __syncthreads();
    if (v[w] < limit)
#pragma tma load fallback(loop)
      tile[t] = in[at + t];
    __syncthreads();
    out[at + t] = tile[t ^ 37];
  }
  __device__ void copy_below(float *out, const float *in, int w, int limit) {
    __shared__ float tile[T];
    int t = threadIdx.x, at = blockIdx.x * T;
    tile[t] = -1;
    __syncthreads();
    if (v[w] < limit)
#pragma tma load fallback(loop)
      tile[t] = in[at + t];
    __syncthreads();
    out[at + t] = tile[t ^ 37];
  }
};
// Each thread has a parameter of its own, and writes its number to it.
__global__ void parameter_set_by_each_thread(float *__restrict__ out, const float *__restrict__ in, int w, int limit,
                                             Numbers numbers) {
  numbers.set_and_copy_below(out, in, w, limit);
}

// A function is given the parameter and writes to it.
__device__ inline void set_number(Numbers &numbers, int w, int to) { numbers.v[w] = to; }
__global__ void parameter_set_by_a_function(float *__restrict__ out, const float *__restrict__ in, int w, int limit,
                                            Numbers numbers) {
  set_number(numbers, w, threadIdx.x);
  numbers.copy_below(out, in, w, limit);
}

// The barrier is met only with a flag, which is 0: each thread reads its own element alone.
__global__ void barrier_under_a_predicate(float *__restrict__ out, const float *__restrict__ in, int flag) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < 3; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    sum += tile[t];
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 0; @p bar.sync 0; }" ::"r"(flag) : "memory");
  }
  out[at + t] = sum;
}

// The predicate is the opposite one, and the barrier has its other name.
__global__ void barrier_under_no_predicate(float *__restrict__ out, const float *__restrict__ in, int flag) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < 3; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    sum += tile[t];
    asm volatile("{ .reg .pred p; setp.eq.s32 p, %0, 0; @!p barrier.sync 0; }" ::"r"(flag) : "memory");
  }
  out[at + t] = sum;
}

// The assembly jumps over the barrier without the flag.
__global__ void barrier_jumped_over(float *__restrict__ out, const float *__restrict__ in, int flag) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < 3; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    sum += tile[t];
    asm volatile("{ .reg .pred p; setp.eq.s32 p, %0, 0; @p bra over; bar.sync 0; over: }" ::"r"(flag) : "memory");
  }
  out[at + t] = sum;
}

// The head of the loop sets 'k' only with a flag, which is 0: each warp has its own.
__global__ void head_of_a_loop_sets_perhaps(float *__restrict__ out, const float *__restrict__ in, int flag) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, k = t / 32, i = 0;
  tile[t] = -1;
  __syncthreads();
  for (flag && (k = 0); i < 1; ++i) {
    switch (k) {
    case 0:
#pragma tma load fallback(loop)
      for (int j = t; j < T; j += 32) tile[j] = in[at + j];
    }
  }
  __syncthreads();
  out[at + t] = tile[t ^ 37];
}

// The head sets 'k' or another variable.
__global__ void head_of_a_loop_sets_one_of_two(float *__restrict__ out, const float *__restrict__ in, int flag) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, k = t / 32, i = 0, other;
  tile[t] = -1;
  __syncthreads();
  for (flag ? (k = 0) : (other = 0); i < 1; ++i) {
    switch (k) {
    case 0:
#pragma tma load fallback(loop)
      for (int j = t; j < T; j += 32) tile[j] = in[at + j];
    }
  }
  __syncthreads();
  out[at + t] = tile[t ^ 37];
}

// All lanes give one address, and each gets another word.
__device__ inline unsigned word_of_a_matrix(const void *p) {
  unsigned word;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(word) : "r"(shared_address(p)) : "memory");
  return word;
}
__global__ void chosen_by_a_matrix_in_assembly(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[T];
  __shared__ alignas(16) unsigned words[4];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = -1;
  if (t < 4) words[t] = t;
  __syncthreads();
  if (word_of_a_matrix(words) < 2) {
#pragma tma load fallback(loop)
    tile[t] = in[at + t];
  }
  __syncthreads();
  out[at + t] = tile[t ^ 2];
}

// The row is each lane's own.
__global__ void row_by_a_matrix_in_assembly(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[T];
  __shared__ alignas(16) unsigned words[4];
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t < 4) words[t] = t;
  __syncthreads();
  unsigned row = word_of_a_matrix(words);
#pragma tma load fallback(loop)
  tile[t] = in[row * 256 + at + t];
  __syncthreads();
  out[at + t] = tile[t ^ 5];
}

// All lanes give one matrix, and each gets other numbers of it.
__device__ inline float number_of_a_matrix(const float *from) {
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> matrix;
  nvcuda::wmma::load_matrix_sync(matrix, from, 16, nvcuda::wmma::mem_row_major);
  return matrix.x[0];
}
__global__ void chosen_by_a_matrix(float *__restrict__ out, const float *__restrict__ in, const float *matrix) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = -1;
  __syncthreads();
  if (number_of_a_matrix(matrix) < 40) {
#pragma tma load fallback(loop)
    tile[t] = in[at + t];
  }
  __syncthreads();
  out[at + t] = tile[t ^ 21];
}

// The row is each lane's own.
__global__ void row_by_a_matrix(float *__restrict__ out, const float *__restrict__ in, const float *matrix) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  int row = (int)number_of_a_matrix(matrix) % 4;
#pragma tma load fallback(loop)
  tile[t] = in[row * 256 + at + t];
  __syncthreads();
  out[at + t] = tile[t ^ 5];
}

// Each thread's own number is compared with what all of them count or vote.
struct Own {
  int n;
  __device__ void copy_where_less(float *out, const float *in) {
    __shared__ float tile[T];
    int t = threadIdx.x, at = blockIdx.x * T;
    tile[t] = -1;
    __syncthreads();
    if (n < __syncthreads_count(t < 40)) {
#pragma tma load fallback(loop)
      tile[t] = in[at + t];
    }
    __syncthreads();
    out[at + t] = tile[t ^ 37];
  }
  __device__ void copy_where_voted(float *out, const float *in) {
    __shared__ float tile[T];
    int t = threadIdx.x, at = blockIdx.x * T;
    tile[t] = -1;
    __syncthreads();
    if ((__syncthreads_or(t == 3) != 0) > n) {
#pragma tma load fallback(loop)
      tile[t] = in[at + t];
    }
    __syncthreads();
    out[at + t] = tile[t ^ 37];
  }
};
__device__ inline void set_own(Own &own, const int *from) { own.n = from[threadIdx.x]; }
__global__ void own_number_beside_a_count(float *__restrict__ out, const float *__restrict__ in, const int *from) {
  Own own;
  set_own(own, from);
  own.copy_where_less(out, in);
}
__global__ void own_number_beside_a_vote(float *__restrict__ out, const float *__restrict__ in, const int *from) {
  Own own;
  set_own(own, from);
  own.copy_where_voted(out, in);
}

// Assembly reads an object of each thread.
__device__ inline int read_by_assembly(const int *p) {
  int v;
  asm volatile("ld.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ inline int read_by_local_assembly(const int *p) {
  int v;
  asm volatile("{ .reg .u64 a; cvta.to.local.u64 a, %1; ld.local.s32 %0, [a]; }" : "=r"(v) : "l"(p) : "memory");
  return v;
}
struct Hidden {
  int n;
  __device__ void copy_below(float *out, const float *in, int limit) {
    __shared__ float tile[T];
    int t = threadIdx.x, at = blockIdx.x * T;
    tile[t] = -1;
    __syncthreads();
    if (read_by_assembly(&n) < limit) {
#pragma tma load fallback(loop)
      tile[t] = in[at + t];
    }
    __syncthreads();
    out[at + t] = tile[t ^ 37];
  }
  __device__ void copy_below_locally(float *out, const float *in, int limit) {
    __shared__ float tile[T];
    int t = threadIdx.x, at = blockIdx.x * T;
    tile[t] = -1;
    __syncthreads();
    if (read_by_local_assembly(&n) < limit) {
#pragma tma load fallback(loop)
      tile[t] = in[at + t];
    }
    __syncthreads();
    out[at + t] = tile[t ^ 37];
  }
};
__global__ void own_object_read_by_assembly(float *__restrict__ out, const float *__restrict__ in, int limit) {
  Hidden hidden;
  hidden.n = threadIdx.x;
  hidden.copy_below(out, in, limit);
}
__global__ void own_object_read_by_local_assembly(float *__restrict__ out, const float *__restrict__ in, int limit) {
  Hidden hidden;
  hidden.n = threadIdx.x;
  hidden.copy_below_locally(out, in, limit);
}

// The number that decides lies many members deep.
template <int Levels> struct Nest {
  int pad;
  Nest<Levels - 1> in;
};
template <> struct Nest<0> {
  int v[2];
};
struct Deep {
  Nest<13> nest;
  __device__ void set(int w, int x) { nest.in.in.in.in.in.in.in.in.in.in.in.in.in.v[w] = x; }
  __device__ void copy_below(float *out, const float *in, int w, int limit) {
    __shared__ float tile[T];
    int t = threadIdx.x, at = blockIdx.x * T;
    tile[t] = -1;
    __syncthreads();
    if (nest.in.in.in.in.in.in.in.in.in.in.in.in.in.v[w] < limit) {
#pragma tma load fallback(loop)
      tile[t] = in[at + t];
    }
    __syncthreads();
    out[at + t] = tile[t ^ 37];
  }
};
__global__ void number_in_a_deep_object(float *__restrict__ out, const float *__restrict__ in, int w, int limit) {
  Deep deep;
  deep.set(w, threadIdx.x);
  deep.copy_below(out, in, w, limit);
}

// Some threads leave in the case that falls into the copy's.
__device__ inline void copy_in_a_later_case(float *tile, const float *in, const int *from, int which) {
  int t = threadIdx.x;
  switch (which) {
  case 0:
    if (from[t] > 40) return;
  case 1:
#pragma tma load fallback(loop)
    tile[t] = in[t];
  }
}
__global__ void return_in_an_earlier_case(float *__restrict__ out, const float *__restrict__ in,
                                          const int *__restrict__ from, int which) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = -1;
  __syncthreads();
  copy_in_a_later_case(tile, in, from, which);
  __syncthreads();
  out[at + t] = tile[t ^ 37];
}

static const Case cases[] = {
    {"switch_on_a_count_until_a_break",
     [](const Arrays &a) { switch_on_a_count_until_a_break<<<2, T>>>(a.out, a.in); }},
    {"switch_on_a_count_of_a_loop", [](const Arrays &a) { switch_on_a_count_of_a_loop<<<2, T>>>(a.out, a.in, 4); }},
    {"parameter_set_by_each_thread",
     [](const Arrays &a) { parameter_set_by_each_thread<<<2, T>>>(a.out, a.in, 1, 40, Numbers{}); }},
    {"parameter_set_by_a_function",
     [](const Arrays &a) { parameter_set_by_a_function<<<2, T>>>(a.out, a.in, 1, 40, Numbers{}); }},
    {"barrier_under_a_predicate", [](const Arrays &a) { barrier_under_a_predicate<<<2, T>>>(a.out, a.in, 0); }},
    {"barrier_under_no_predicate", [](const Arrays &a) { barrier_under_no_predicate<<<2, T>>>(a.out, a.in, 0); }},
    {"barrier_jumped_over", [](const Arrays &a) { barrier_jumped_over<<<2, T>>>(a.out, a.in, 0); }},
    {"head_of_a_loop_sets_perhaps", [](const Arrays &a) { head_of_a_loop_sets_perhaps<<<2, T>>>(a.out, a.in, 0); }},
    {"head_of_a_loop_sets_one_of_two",
     [](const Arrays &a) { head_of_a_loop_sets_one_of_two<<<2, T>>>(a.out, a.in, 0); }},
    {"chosen_by_a_matrix_in_assembly", [](const Arrays &a) { chosen_by_a_matrix_in_assembly<<<2, T>>>(a.out, a.in); }},
    {"row_by_a_matrix_in_assembly", [](const Arrays &a) { row_by_a_matrix_in_assembly<<<2, T>>>(a.out, a.in); }},
    {"chosen_by_a_matrix", [](const Arrays &a) { chosen_by_a_matrix<<<2, T>>>(a.out, a.in, a.buf); }},
    {"row_by_a_matrix", [](const Arrays &a) { row_by_a_matrix<<<2, T>>>(a.out, a.in, a.buf); }},
    {"own_number_beside_a_count", [](const Arrays &a) { own_number_beside_a_count<<<2, T>>>(a.out, a.in, a.ints); }},
    {"own_number_beside_a_vote", [](const Arrays &a) { own_number_beside_a_vote<<<2, T>>>(a.out, a.in, a.ints); }},
    {"own_object_read_by_assembly", [](const Arrays &a) { own_object_read_by_assembly<<<2, T>>>(a.out, a.in, 40); }},
    {"own_object_read_by_local_assembly",
     [](const Arrays &a) { own_object_read_by_local_assembly<<<2, T>>>(a.out, a.in, 40); }},
    {"number_in_a_deep_object", [](const Arrays &a) { number_in_a_deep_object<<<2, T>>>(a.out, a.in, 1, 40); }},
    {"return_in_an_earlier_case", [](const Arrays &a) { return_in_an_earlier_case<<<2, T>>>(a.out, a.in, a.ints, 0); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
