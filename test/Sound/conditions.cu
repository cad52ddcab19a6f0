// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 29
//
// Conditions decide whether and what is copied: optional pointers that may be null, in every position, and conditions
// of arguments, blocks, threads and flags in memory. Each kernel with an optional pointer is launched with one and
// without. Some kernels are harmless: their conditions are about what no copy depends on.
#include "Inputs/arrays.h"

struct Options {
  const float *data, *bias;
  const int *shift;
  int n;
  bool scaled;
  __host__ __device__ bool has_bias() const { return bias; }
  __host__ __device__ explicit operator bool() const { return bias != nullptr; }
};
template <class A> struct Span {
  A *p;
  int n;
  __host__ __device__ bool empty() const { return !p || n == 0; }
};
__device__ inline bool given(const void *p) { return p; }
__device__ inline bool missing(const float *p) { return p == nullptr; }
__device__ inline int rows_of(const int *p, int otherwise) { return p ? 1 : otherwise; }

__global__ void optional_in_or(float *__restrict__ out, const float *__restrict__ in, const float *mask) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = mask || blockIdx.x == 0 ? in[at + t] : 0.f;
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void optional_negated(float *__restrict__ out, const float *__restrict__ in, const float *skip, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = !skip && at + t < n ? in[at + t] : 0.f;
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void optional_compared_with_null(float *__restrict__ out, const float *__restrict__ in, const float *mask) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = mask != nullptr ? in[at + t] : 0.f;
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void optional_asked_by_functions(float *__restrict__ out, const float *__restrict__ in, const float *mask) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = given(mask) && !missing(mask) ? in[at + t] : 0.f;
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void optional_member_by_method(float *__restrict__ out, Options o) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = o.has_bias() && at + t < o.n ? o.bias[at + t] : 0.f;
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void optional_by_conversion_to_bool(float *__restrict__ out, Options o) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  if (o) tile[t] = o.bias[at + t];
  else tile[t] = 0;
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void optional_span_chosen_as_source(float *__restrict__ out, const float *__restrict__ in,
                                               Span<const float> span) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  const float *from = span.empty() ? in : span.p;
#pragma tma load fallback(loop)
  tile[t] = from[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void optional_says_the_stride(float *__restrict__ out, const float *__restrict__ in, const int *wide) {
  __shared__ alignas(128) float tile[4][32];
  int t = threadIdx.x, at = blockIdx.x * T, w = wide ? 64 : 32;
#pragma tma load fallback(loop)
  tile[t / 32][t % 32] = in[(blockIdx.x * 4 + t / 32) * w + t % 32];
  __syncthreads();
  out[at + t] = tile[3 - t / 32][t % 32];
}

__global__ void optional_says_how_many_rounds(float *__restrict__ out, const float *__restrict__ in, const int *once) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, n = rows_of(once, 4);
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void optional_second_copy_in_rounds(float *__restrict__ out, const float *__restrict__ in,
                                               const float *__restrict__ bias, int n) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    a[t] = in[k * 256 + at + t];
    if (bias) {
#pragma tma load fallback(loop)
      b[t] = bias[k * 256 + at + t];
    }
    __syncthreads();
    sum = 2 * sum + a[T - 1 - t];
    if (bias) sum += b[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void optional_second_copy_by_producer(float *__restrict__ out, const float *__restrict__ in,
                                                 const float *__restrict__ bias, int n) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    a[t] = in[k * 256 + at + t];
    if (bias != nullptr) {
#pragma tma load fallback(loop)
      b[t] = bias[k * 256 + at + t];
    }
    __syncthreads();
    sum = 2 * sum + a[T - 1 - t] + (bias ? b[T - 1 - t] : 0.f);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void optional_target_of_store(float *__restrict__ out, const float *__restrict__ in, float *copy) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[T - 1 - t] = in[at + t];
  __syncthreads();
  if (copy) {
#pragma tma store fallback(loop)
    copy[at + t] = tile[t];
  }
  out[at + t] = tile[t ^ 1];
}

__global__ void optional_target_within_statement(float *__restrict__ out, const float *__restrict__ in, float *copy) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[T - 1 - t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  if (copy) copy[at + t] = tile[t];
  out[at + t] = tile[t ^ 1];
}

__global__ void optional_mask_of_reduce(float *__restrict__ buf, const float *__restrict__ in, const float *on) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[T - 1 - t] = in[at + t];
  __syncthreads();
#pragma tma reduce fallback(loop)
  if (on) atomicAdd(&buf[at + t], tile[t]);
}

__global__ void optional_lengths_else_all(float *__restrict__ out, const float *__restrict__ in, const int *lengths) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  int n = lengths ? lengths[blockIdx.x + 3] : T;
#pragma tma load fallback(loop)
  tile[t] = t < n ? in[at + t] : 0.f;
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + n;
}

__global__ void optional_order_of_rounds(float *__restrict__ out, const float *__restrict__ in,
                                         const int *__restrict__ order, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
    int row = order ? order[k] % 16 : k;
#pragma tma load fallback(loop)
    tile[t] = in[row * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void pointers_compared_with_each_other(float *__restrict__ out, const float *in, const float *more) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  bool same = in == more, before = in < more;
#pragma tma load fallback(loop)
  tile[t] = same ? 0.f : in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + before + int(more - in);
}

__global__ void flag_in_memory_decides(float *__restrict__ out, const float *__restrict__ in, const unsigned *on) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = 5;
  __syncthreads();
  if (on[blockIdx.x + 1]) {
#pragma tma load fallback(loop)
    tile[t] = in[at + t];
  }
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void warps_take_different_branches(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = t;
  if (t / 32 >= n) {
#pragma tma load fallback(loop)
    tile[t] = in[at + t];
  }
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// Harmless.
__global__ void optional_bias_behind_the_copy(float *__restrict__ out, const float *__restrict__ in,
                                              const float *bias) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + (bias ? bias[at + t] : 0.f);
}

// Harmless.
__global__ void optional_bias_in_rounds(float *__restrict__ out, const float *__restrict__ in,
                                        const float *__restrict__ bias, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    if (bias) sum *= bias[k];
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void whole_copy_by_argument(float *__restrict__ out, const float *__restrict__ in, bool on) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float v = 3;
  if (on) {
#pragma tma load fallback(loop)
    tile[t] = in[at + t];
    __syncthreads();
    v = tile[T - 1 - t];
  }
  out[at + t] = v;
}

// Harmless.
__global__ void optional_result_beside_store(float *__restrict__ out, const float *__restrict__ in, float *copy) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float v = in[at + t];
  tile[T - 1 - t] = v;
  if (copy) copy[at + t] = v;
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

// Harmless.
__global__ void guard_of_the_last_block(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = at + t < n ? in[at + t] : 0.f;
  __syncthreads();
  if (at + t < n) out[at + t] = tile[T - 1 - t];
}

__global__ void optional_as_it_stands(float *__restrict__ out, const float *__restrict__ in, const float *mask) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, x = blockIdx.x * T + t;
#pragma tma load fallback(loop)
  tile[t] = mask ? in[x] : 0.f;
  __syncthreads();
  out[x] = tile[T - 1 - t];
}

__global__ void optional_in_a_bool(float *__restrict__ out, const float *__restrict__ in, const int *on) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, x = blockIdx.x * T + t;
  const bool wanted = on;
  int from = wanted * 256 + (on ? 128 : 0);
#pragma tma load fallback(loop)
  tile[t] = in[from + x];
  __syncthreads();
  out[x] = tile[T - 1 - t];
}

__global__ void optional_member_as_it_stands(float *__restrict__ out, Options o) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, x = blockIdx.x * T + t;
#pragma tma load fallback(loop)
  tile[t] = o.shift && x < o.n ? o.data[x] : 0.f;
  __syncthreads();
  out[x] = tile[T - 1 - t];
}

__global__ void optional_around_store(float *__restrict__ out, const float *__restrict__ in, const float *on) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, x = blockIdx.x * T + t;
  tile[T - 1 - t] = in[x];
  __syncthreads();
#pragma tma store fallback(loop)
  if (on && x < 200) out[x] = tile[t];
}

// What is true counts as one.
__global__ void condition_in_an_index(float *__restrict__ out, const float *__restrict__ in, bool second, int from) {
  __shared__ alignas(128) float tile[T];
  const float *row = in + (from > 3) * 2 * T;
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i] = row[blockIdx.x * 4 * T + second * T + i];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x];
}

// Of the first row, too many conditions decide; of the others, none.
__global__ void many_conditions(float *out, const float *in, unsigned a, int b, short c) {
  __shared__ alignas(128) float tile[8][32];
  auto ox = a;
  auto oy = (((b - a) & 63) < c ? ((b - a) & 63) : c);
#pragma tma load fallback(loop)
  for (int i = threadIdx.x; i < 256; i += T) {
    int r = i / 32, q = i % 32;
    unsigned y = blockIdx.y * 8 + r + oy, x = blockIdx.x * 32 + q + ox;
    if (r > 0)
      tile[r][q] = in[r * 64 + q];
    else if (!(x < ((c ? a : c) * 2)) || !(x >= 0) || !(y < 13) || !(y >= 0) || !(y < 13) || !(x < 200))
      tile[r][q] = 0;
    else
      tile[r][q] = in[y * 60 + x];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += T) out[blockIdx.x * 256 + i] = tile[i / 32][i % 32];
}
static const Case cases[] = {
    {"many_conditions", [](const Arrays &a) { many_conditions<<<2, T>>>(a.out, a.in, 30, 31, 5); }},
    {"optional_in_or",
     [](const Arrays &a) {
       optional_in_or<<<2, T>>>(a.out, a.in, a.in);
       optional_in_or<<<2, T>>>(a.out + 1024, a.in, nullptr);
     }},
    {"optional_negated",
     [](const Arrays &a) {
       optional_negated<<<2, T>>>(a.out, a.in, a.in, 200);
       optional_negated<<<2, T>>>(a.out + 1024, a.in, nullptr, 200);
     }},
    {"optional_compared_with_null",
     [](const Arrays &a) {
       optional_compared_with_null<<<2, T>>>(a.out, a.in, a.in);
       optional_compared_with_null<<<2, T>>>(a.out + 1024, a.in, nullptr);
     }},
    {"optional_asked_by_functions",
     [](const Arrays &a) {
       optional_asked_by_functions<<<2, T>>>(a.out, a.in, a.in);
       optional_asked_by_functions<<<2, T>>>(a.out + 1024, a.in, nullptr);
     }},
    {"optional_member_by_method",
     [](const Arrays &a) {
       optional_member_by_method<<<2, T>>>(a.out, Options{a.in, a.more, a.ints, 200, true});
       optional_member_by_method<<<2, T>>>(a.out + 1024, Options{a.in, nullptr, nullptr, 200, false});
     }},
    {"optional_by_conversion_to_bool",
     [](const Arrays &a) {
       optional_by_conversion_to_bool<<<2, T>>>(a.out, Options{a.in, a.more, a.ints, 200, true});
       optional_by_conversion_to_bool<<<2, T>>>(a.out + 1024, Options{a.in, nullptr, nullptr, 200, false});
     }},
    {"optional_span_chosen_as_source",
     [](const Arrays &a) {
       optional_span_chosen_as_source<<<2, T>>>(a.out, a.in, Span<const float>{a.more, 256});
       optional_span_chosen_as_source<<<2, T>>>(a.out + 1024, a.in, Span<const float>{nullptr, 0});
     }},
    {"optional_says_the_stride",
     [](const Arrays &a) {
       optional_says_the_stride<<<2, T>>>(a.out, a.in, a.ints);
       optional_says_the_stride<<<2, T>>>(a.out + 1024, a.in, nullptr);
     }},
    {"optional_says_how_many_rounds",
     [](const Arrays &a) {
       optional_says_how_many_rounds<<<2, T>>>(a.out, a.in, a.ints);
       optional_says_how_many_rounds<<<2, T>>>(a.out + 1024, a.in, nullptr);
     }},
    {"optional_second_copy_in_rounds",
     [](const Arrays &a) {
       optional_second_copy_in_rounds<<<2, T>>>(a.out, a.in, a.more, 4);
       optional_second_copy_in_rounds<<<2, T>>>(a.out + 1024, a.in, nullptr, 4);
     }},
    {"optional_second_copy_by_producer",
     [](const Arrays &a) {
       optional_second_copy_by_producer<<<2, T>>>(a.out, a.in, a.more, 4);
       optional_second_copy_by_producer<<<2, T>>>(a.out + 1024, a.in, nullptr, 4);
     }},
    {"optional_target_of_store",
     [](const Arrays &a) {
       optional_target_of_store<<<2, T>>>(a.out, a.in, a.buf);
       optional_target_of_store<<<2, T>>>(a.out + 1024, a.in, nullptr);
     }},
    {"optional_target_within_statement",
     [](const Arrays &a) {
       optional_target_within_statement<<<2, T>>>(a.out, a.in, a.buf);
       optional_target_within_statement<<<2, T>>>(a.out + 1024, a.in, nullptr);
     }},
    {"optional_mask_of_reduce",
     [](const Arrays &a) {
       optional_mask_of_reduce<<<2, T>>>(a.buf, a.in, a.in);
       optional_mask_of_reduce<<<2, T>>>(a.buf + 1024, a.in, nullptr);
     }},
    {"optional_lengths_else_all",
     [](const Arrays &a) {
       optional_lengths_else_all<<<2, T>>>(a.out, a.in, a.ints);
       optional_lengths_else_all<<<2, T>>>(a.out + 1024, a.in, nullptr);
     }},
    {"optional_order_of_rounds",
     [](const Arrays &a) {
       optional_order_of_rounds<<<2, T>>>(a.out, a.in, a.ints, 4);
       optional_order_of_rounds<<<2, T>>>(a.out + 1024, a.in, nullptr, 4);
     }},
    {"pointers_compared_with_each_other",
     [](const Arrays &a) {
       pointers_compared_with_each_other<<<2, T>>>(a.out, a.in, a.in + 256);
       pointers_compared_with_each_other<<<2, T>>>(a.out + 1024, a.in, a.in);
     }},
    {"flag_in_memory_decides",
     [](const Arrays &a) {
       flag_in_memory_decides<<<2, T>>>(a.out, a.in, a.words);
       flag_in_memory_decides<<<2, T>>>(a.out + 1024, a.in, (unsigned *)a.ints);
     }},
    {"warps_take_different_branches", [](const Arrays &a) { warps_take_different_branches<<<2, T>>>(a.out, a.in, 1); }},
    {"optional_bias_behind_the_copy",
     [](const Arrays &a) {
       optional_bias_behind_the_copy<<<2, T>>>(a.out, a.in, a.more);
       optional_bias_behind_the_copy<<<2, T>>>(a.out + 1024, a.in, nullptr);
     }},
    {"optional_bias_in_rounds",
     [](const Arrays &a) {
       optional_bias_in_rounds<<<2, T>>>(a.out, a.in, a.more, 4);
       optional_bias_in_rounds<<<2, T>>>(a.out + 1024, a.in, nullptr, 4);
     }},
    {"whole_copy_by_argument",
     [](const Arrays &a) {
       whole_copy_by_argument<<<2, T>>>(a.out, a.in, true);
       whole_copy_by_argument<<<2, T>>>(a.out + 1024, a.in, false);
     }},
    {"optional_result_beside_store",
     [](const Arrays &a) {
       optional_result_beside_store<<<2, T>>>(a.out, a.in, a.buf);
       optional_result_beside_store<<<2, T>>>(a.out + 1024, a.in, nullptr);
     }},
    {"guard_of_the_last_block", [](const Arrays &a) { guard_of_the_last_block<<<4, T>>>(a.out, a.in, 450); }},
    {"optional_as_it_stands",
     [](const Arrays &a) {
       optional_as_it_stands<<<2, T>>>(a.out, a.in, a.in);
       optional_as_it_stands<<<2, T>>>(a.out + 1024, a.in, nullptr);
     }},
    {"optional_in_a_bool",
     [](const Arrays &a) {
       optional_in_a_bool<<<2, T>>>(a.out, a.in, a.ints);
       optional_in_a_bool<<<2, T>>>(a.out + 1024, a.in, nullptr);
     }},
    {"optional_member_as_it_stands",
     [](const Arrays &a) {
       optional_member_as_it_stands<<<2, T>>>(a.out, Options{a.in, a.more, a.ints, 200, true});
       optional_member_as_it_stands<<<2, T>>>(a.out + 1024, Options{a.in, nullptr, nullptr, 200, false});
     }},
    {"optional_around_store",
     [](const Arrays &a) {
       optional_around_store<<<2, T>>>(a.out, a.in, a.in);
       optional_around_store<<<2, T>>>(a.out + 1024, a.in, nullptr);
     }},
    {"condition_in_an_index",
     [](const Arrays &a) {
       for (int i = 0; i < 4; ++i) condition_in_an_index<<<2, T>>>(a.out + i * 1024, a.in, i & 1, i * 2);
     }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
