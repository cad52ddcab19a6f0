// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 55
//
// Kernels are templates, and their instances differ in what stands around the copies: barriers, writes, reads, waits,
// exits, producers, numbers of copies, types and policies. Each is launched with two or three instances, the harmless
// one first. In some kernels nothing that matters differs: those are harmless.
#include "Inputs/arrays.h"

struct Quiet {
  static __device__ void before(float *, int) {}
  static __device__ void after(float *, int) {}
  static __device__ float read(const float *, int) { return 0; }
};
struct Writing {
  static __device__ void before(float *p, int i) { p[i] = i; }
  static __device__ void after(float *p, int i) { p[i] += 1; }
  static __device__ float read(const float *p, int i) { return p[i]; }
};
template <int N> struct Steps {
  static __device__ int of(int k) { return N == 0 ? k : k * k; }
};
template <class A, class B> struct same {
  static constexpr bool value = false;
};
template <class A> struct same<A, A> {
  static constexpr bool value = true;
};
template <bool W> __device__ inline void maybe_put(float &to, float v) {
  if constexpr (W) to = v;
}

template <bool Reads>
__global__ void second_reads_tile_again(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    if constexpr (Reads) sum += tile[T - 1 - t];
    else sum += k;
    __syncthreads();
  }
  out[at + t] = sum;
}

template <int Mode> __global__ void second_uses_other_array(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  if (Mode == 1) other[t] = t;
  if (Mode == 2) other[T - 1 - t] = tile[t];
  __syncthreads();
  out[at + t] = tile[t ^ 1] + (Mode > 0 ? other[t ^ 8] : 0.f);
}

template <class Policy>
__global__ void policy_writes_before_load(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Policy::before(tile, T - 1 - t);
  __syncthreads();
  float sum = Policy::read(tile, t);
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + sum;
}

template <class Policy>
__global__ void policy_writes_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  Policy::after(tile, T - 1 - t);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

template <class Policy>
__global__ void policy_writes_behind_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  Policy::after(tile, t);
  __syncthreads();
  out[512 + at + t] = Policy::read(tile, T - 1 - t);
}

template <class Policy> __global__ void policy_writes_source_ahead(float *out, float *buf, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = buf[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    Policy::after(buf + (k + 1) * 256 + at, t);
    __syncthreads();
  }
  out[at + t] = sum;
}

template <bool Back> __global__ void second_reads_target(float *out, float *buf, const float *in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  if constexpr (Back) {
    __syncthreads();
    buf[at + t] = out[at + T - 1 - t];
  }
}

template <bool Leaves>
__global__ void second_leaves_the_loop(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    out[k * 256 + at + t] = tile[t];
    if constexpr (Leaves)
      if (t / 32 == k) return;
  }
}

template <int Copies>
__global__ void numbers_of_copies_differ(float *__restrict__ out, const float *__restrict__ in,
                                         const float *__restrict__ more) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  a[t] = in[at + t];
  if constexpr (Copies > 1) {
#pragma tma load fallback(loop)
    b[t] = more[at + t];
  }
  __syncthreads();
  out[at + t] = a[T - 1 - t];
  if constexpr (Copies > 1) out[512 + at + t] = b[T - 1 - t];
}

template <class A> __global__ void types_differ_and_so_do_writes(A *__restrict__ out, const A *__restrict__ in) {
  __shared__ alignas(128) A tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  if constexpr (same<A, int>::value) {
    tile[T - 1 - t] = t;
    __syncthreads();
  }
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

template <int Kind> __global__ void steps_differ(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[Steps<Kind>::of(k) * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

template <bool Waits>
__global__ void barrier_in_one_instance_only(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  if constexpr (Waits) __syncthreads();
  out[at + t] = Waits ? tile[T - 1 - t] : tile[t];
}

template <int Every>
__global__ void kept_pointer_in_second(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  const float *p = nullptr;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    if (Every == 4 || k % 2 == 0) p = &tile[T - 1 - t];
    __syncthreads();
    sum = 2 * sum + *p;
    __syncthreads();
  }
  out[at + t] = sum;
}

template <bool W> __global__ void reference_writes_in_second(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  maybe_put<W>(tile[T - 1 - t], t);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

template <int Threads> __global__ void blocks_differ(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[128];
  __shared__ float other[Threads];
  int t = threadIdx.x, at = blockIdx.x * 128;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    if (Threads > 64) other[t] = k * t;
#pragma tma load fallback(loop)
    for (int i = t; i < 128; i += Threads) tile[i] = in[k * 256 + at + i];
    __syncthreads();
    sum += tile[127 - t];
    if (Threads > 64) sum += other[Threads - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

template <bool Named>
__global__ void producer_meets_a_named_barrier(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    if constexpr (Named) other[t] = k;
    __syncthreads();
    sum += tile[T - 1 - t];
    if constexpr (Named) {
      sum += other[T - 1 - t];
      asm volatile("bar.sync 1, 128;" ::: "memory");
    }
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
template <int Factor> __global__ void factor_differs(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = Factor * tile[T - 1 - t];
}

// Harmless.
template <class A> __global__ void type_differs(A *__restrict__ out, const A *__restrict__ in, int n) {
  __shared__ alignas(128) A tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  A sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
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
template <bool Twice> __global__ void registers_differ(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float v = in[at + t];
  if constexpr (Twice) v *= 2;
  tile[t] = v;
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

// Harmless.
template <int Rows> __global__ void rows_differ(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ alignas(128) float tile[Rows][32];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  for (int i = t; i < Rows * 32; i += T) tile[i / 32][i % 32] = in[(blockIdx.x * Rows + i / 32) * w + i % 32];
  __syncthreads();
  float sum = 0;
  for (int r = 0; r < Rows; ++r) sum += tile[r][t % 32];
  out[at + t] = sum;
}

template <bool W> __global__ void second_writes_tile_in_rounds(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < 3; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    __syncthreads();
    if constexpr (W) {
      tile[t] = sum;
      __syncthreads();
      sum += tile[t ^ 1];
      __syncthreads();
    }
  }
  out[at + t] = sum;
}

template <int More>
__global__ void second_clears_tile_after_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  for (int i = 0; i < More; ++i) {
    __syncthreads();
    tile[t] = i;
    __syncthreads();
    out[512 + at + t] = tile[T - 1 - t];
  }
}

template <class A, int Reads>
__global__ void dead_variable_in_first(A *__restrict__ out, const A *__restrict__ in, int n) {
  __shared__ alignas(128) A tile[T];
  __shared__ A other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  A sum = 0;
  for (int k = 0; k < n; ++k) {
    A kept = k * t;
    other[t] = kept;
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    A theirs = Reads ? other[T - 1 - t] : 0;
    sum += tile[T - 1 - t] + theirs;
    __syncthreads();
  }
  out[at + t] = sum;
}

template <bool W> __global__ void second_writes_source(float *out, float *buf) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  if constexpr (W) buf[at + T - 1 - t] = t;
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = buf[at + t];
  __syncthreads();
  out[at + t] = tile[t ^ 1];
}

template <bool W> __global__ void second_changes_ring(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    if constexpr (W) {
      tile[t] += k;
      __syncthreads();
    }
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

template <bool W> __global__ void second_uses_other_array_by_producer(float *__restrict__ out,
                                                                      const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    if constexpr (W) other[t] = k + t;
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    if constexpr (W) sum += other[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

template <int Which>
__global__ void other_branch_in_each(float *__restrict__ out, const float *__restrict__ in,
                                     const float *__restrict__ more) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[0][t] = tile[1][t] = 1;
  __syncthreads();
  if constexpr (Which == 1) {
#pragma tma load fallback(loop)
    tile[1][t] = more[at + t];
  } else if constexpr (Which == 2) {
#pragma tma load fallback(loop)
    for (int r = 0; r < 2; ++r) tile[r][t] = in[r * 256 + at + t];
  }
  __syncthreads();
  out[at + t] = tile[0][T - 1 - t] + 2 * tile[1][T - 1 - t];
}

static const Case cases[] = {
    {"second_reads_tile_again",
     [](const Arrays &a) {
       second_reads_tile_again<false><<<2, T>>>(a.out, a.in, 3);
       second_reads_tile_again<true><<<2, T>>>(a.out + 1024, a.in, 3);
     }},
    {"second_uses_other_array",
     [](const Arrays &a) {
       second_uses_other_array<0><<<2, T>>>(a.out, a.in);
       second_uses_other_array<1><<<2, T>>>(a.out + 1024, a.in);
       second_uses_other_array<2><<<2, T>>>(a.out + 2048, a.in);
     }},
    {"policy_writes_before_load",
     [](const Arrays &a) {
       policy_writes_before_load<Quiet><<<2, T>>>(a.out, a.in);
       policy_writes_before_load<Writing><<<2, T>>>(a.out + 1024, a.in);
     }},
    {"policy_writes_before_store",
     [](const Arrays &a) {
       policy_writes_before_store<Quiet><<<2, T>>>(a.out, a.in);
       policy_writes_before_store<Writing><<<2, T>>>(a.out + 1024, a.in);
     }},
    {"policy_writes_behind_store",
     [](const Arrays &a) {
       policy_writes_behind_store<Quiet><<<2, T>>>(a.out, a.in);
       policy_writes_behind_store<Writing><<<2, T>>>(a.out + 1024, a.in);
     }},
    {"policy_writes_source_ahead",
     [](const Arrays &a) {
       policy_writes_source_ahead<Quiet><<<2, T>>>(a.out, a.buf, 4);
       policy_writes_source_ahead<Writing><<<2, T>>>(a.out + 1024, a.buf, 4);
     }},
    {"second_reads_target",
     [](const Arrays &a) {
       second_reads_target<false><<<2, T>>>(a.out, a.buf, a.in);
       second_reads_target<true><<<2, T>>>(a.out + 1024, a.buf, a.in);
     }},
    {"second_leaves_the_loop",
     [](const Arrays &a) {
       second_leaves_the_loop<false><<<2, T>>>(a.out, a.in, 4);
       second_leaves_the_loop<true><<<2, T>>>(a.out + 2048, a.in, 4);
     }},
    {"numbers_of_copies_differ",
     [](const Arrays &a) {
       numbers_of_copies_differ<1><<<2, T>>>(a.out, a.in, a.more);
       numbers_of_copies_differ<2><<<2, T>>>(a.out + 1024, a.in, a.more);
     }},
    {"types_differ_and_so_do_writes",
     [](const Arrays &a) {
       types_differ_and_so_do_writes<float><<<2, T>>>(a.out, a.in);
       types_differ_and_so_do_writes<int><<<2, T>>>((int *)a.out + 1024, (const int *)a.in);
     }},
    {"steps_differ",
     [](const Arrays &a) {
       steps_differ<0><<<2, T>>>(a.out, a.in, 3);
       steps_differ<1><<<2, T>>>(a.out + 1024, a.in, 3);
     }},
    {"barrier_in_one_instance_only",
     [](const Arrays &a) {
       barrier_in_one_instance_only<false><<<2, T>>>(a.out, a.in);
       barrier_in_one_instance_only<true><<<2, T>>>(a.out + 1024, a.in);
     }},
    {"kept_pointer_in_second",
     [](const Arrays &a) {
       kept_pointer_in_second<4><<<2, T>>>(a.out, a.in, 4);
       kept_pointer_in_second<2><<<2, T>>>(a.out + 1024, a.in, 4);
     }},
    {"reference_writes_in_second",
     [](const Arrays &a) {
       reference_writes_in_second<false><<<2, T>>>(a.out, a.in);
       reference_writes_in_second<true><<<2, T>>>(a.out + 1024, a.in);
     }},
    {"blocks_differ",
     [](const Arrays &a) {
       blocks_differ<64><<<2, 64>>>(a.out, a.in, 4);
       blocks_differ<128><<<2, 128>>>(a.out + 1024, a.in, 4);
     }},
    {"producer_meets_a_named_barrier",
     [](const Arrays &a) {
       producer_meets_a_named_barrier<false><<<2, T>>>(a.out, a.in, 4);
       producer_meets_a_named_barrier<true><<<2, T>>>(a.out + 1024, a.in, 4);
     }},
    {"factor_differs",
     [](const Arrays &a) {
       factor_differs<1><<<2, T>>>(a.out, a.in);
       factor_differs<3><<<2, T>>>(a.out + 1024, a.in);
     }},
    {"type_differs",
     [](const Arrays &a) {
       type_differs<float><<<2, T>>>(a.out, a.in, 3);
       type_differs<int><<<2, T>>>((int *)a.out + 1024, (const int *)a.in, 3);
     }},
    {"registers_differ",
     [](const Arrays &a) {
       registers_differ<false><<<2, T>>>(a.out, a.in);
       registers_differ<true><<<2, T>>>(a.out + 1024, a.in);
     }},
    {"rows_differ",
     [](const Arrays &a) {
       rows_differ<8><<<2, T>>>(a.out, a.in, 64);
       rows_differ<4><<<2, T>>>(a.out + 1024, a.in, 64);
     }},
    {"second_writes_tile_in_rounds",
     [](const Arrays &a) {
       second_writes_tile_in_rounds<false><<<2, T>>>(a.out, a.in);
       second_writes_tile_in_rounds<true><<<2, T>>>(a.out + 1024, a.in);
     }},
    {"second_clears_tile_after_store",
     [](const Arrays &a) {
       second_clears_tile_after_store<0><<<2, T>>>(a.out, a.in);
       second_clears_tile_after_store<2><<<2, T>>>(a.out + 2048, a.in);
     }},
    {"dead_variable_in_first",
     [](const Arrays &a) {
       dead_variable_in_first<float, 0><<<2, T>>>(a.out, a.in, 3);
       dead_variable_in_first<float, 1><<<2, T>>>(a.out + 1024, a.in, 3);
     }},
    {"second_writes_source",
     [](const Arrays &a) {
       second_writes_source<false><<<2, T>>>(a.out, a.buf);
       second_writes_source<true><<<2, T>>>(a.out + 1024, a.buf);
     }},
    {"second_changes_ring",
     [](const Arrays &a) {
       second_changes_ring<false><<<2, T>>>(a.out, a.in, 4);
       second_changes_ring<true><<<2, T>>>(a.out + 1024, a.in, 4);
     }},
    {"second_uses_other_array_by_producer",
     [](const Arrays &a) {
       second_uses_other_array_by_producer<false><<<2, T>>>(a.out, a.in, 4);
       second_uses_other_array_by_producer<true><<<2, T>>>(a.out + 1024, a.in, 4);
     }},
    {"other_branch_in_each",
     [](const Arrays &a) {
       other_branch_in_each<0><<<2, T>>>(a.out, a.in, a.more);
       other_branch_in_each<1><<<2, T>>>(a.out + 1024, a.in, a.more);
       other_branch_in_each<2><<<2, T>>>(a.out + 2048, a.in, a.more);
     }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
