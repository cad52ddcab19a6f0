// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// In code that is not optimized a thread that waits reads variables of its own between two looks.
// RUN: %run --plain -O0 --seed=1 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 27
//
// Blocks tell each other that something is stored: by atomics, flags and fences, by destructors, lambdas, objects and
// assembly. The last block, or each that sees the flags of all, reads what the others stored or copies from there; who
// that is makes no difference to what is computed. Some kernels are harmless: they count, or signal what no copy has to
// do with.
#include "Inputs/arrays.h"
#include <cooperative_groups.h>

__device__ inline void raise(volatile unsigned *flag) { *flag = 1; }
__device__ inline bool raised(const volatile unsigned *flag) { return *flag; }
__device__ inline void publish(unsigned *flag) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(flag, 1u);
}
__device__ inline bool both_published(unsigned *flags) {
  __shared__ bool both;
  if (threadIdx.x == 0) both = atomicAdd(flags, 0u) && atomicAdd(flags + 1, 0u);
  __syncthreads();
  __threadfence();
  return both;
}
__device__ inline bool i_am_last(unsigned *count) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(count, 1u) == gridDim.x - 1;
  __syncthreads();
  return last;
}
__device__ inline void release(unsigned *flag) {
  asm volatile("fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%0], 1; fence.sc.gpu;" ::"l"(flag) : "memory");
}
__device__ inline unsigned acquire(const unsigned *flag) {
  unsigned v;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(flag) : "memory");
  return v;
}
struct Flag {
  unsigned *word;
  __device__ void operator=(unsigned v) const { atomicExch(word, v); }
  __device__ operator bool() const { return atomicAdd(word, 0u) != 0; }
};
struct Publisher {
  unsigned *word;
  __device__ explicit Publisher(unsigned *w) : word(w) {}
  __device__ ~Publisher() { publish(word); }
};

__global__ void last_block_sums_what_was_stored(float *out, float *buf, const float *__restrict__ in, unsigned *words) {
  __shared__ alignas(128) float tile[T];
  __shared__ bool last;
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[T - 1 - t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  buf[at + t] = tile[t];
  __threadfence();
  __syncthreads();
  if (t == 0) last = atomicInc(words, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (last) out[t] = __ldcg(buf + t) + 2 * __ldcg(buf + T + t) + 4 * __ldcg(buf + 2 * T + t);
}

__global__ void last_block_by_a_function(float *out, float *buf, const float *__restrict__ in, unsigned *words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[T - 1 - t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  buf[at + t] = tile[t];
  if (i_am_last(words)) out[t] = __ldcg(buf + t) + 2 * __ldcg(buf + T + t) + 4 * __ldcg(buf + 2 * T + t);
}

__global__ void last_block_with_restricted_pointers(float *__restrict__ out, float *__restrict__ buf,
                                                    const float *__restrict__ in, unsigned *__restrict__ words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[T - 1 - t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  buf[at + t] = tile[t];
  if (i_am_last(words)) out[t] = __ldcg(buf + t) + 2 * __ldcg(buf + T + t) + 4 * __ldcg(buf + 2 * T + t);
}

__global__ void last_block_copies_what_was_written(float *out, float *buf, const float *__restrict__ in,
                                                   unsigned *words) {
  __shared__ alignas(128) float tile[3 * T];
  int t = threadIdx.x, at = blockIdx.x * T;
  buf[at + T - 1 - t] = in[at + t];
  if (i_am_last(words)) {
#pragma tma load fallback(loop)
    for (int i = t; i < 3 * T; i += T) tile[i] = buf[i];
    __syncthreads();
    out[t] = tile[T - 1 - t] + 2 * tile[2 * T - 1 - t] + 4 * tile[3 * T - 1 - t];
  }
}

__global__ void last_block_copies_what_was_stored(float *out, float *buf, const float *__restrict__ in,
                                                  unsigned *words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[T - 1 - t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  buf[at + t] = tile[t];
  if (!i_am_last(words)) return;
  float sum = 0;
  for (int k = 0; k < 3; ++k) {
#pragma tma load fallback(loop)
    tile[t] = buf[k * T + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}

__global__ void flag_by_a_function(float *out, float *buf, const float *__restrict__ in, unsigned *words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, b = blockIdx.x;
  tile[T - 1 - t] = in[b * T + t];
  __syncthreads();
#pragma tma store fallback(loop)
  buf[b * T + t] = tile[t];
  publish(words + b);
  if (both_published(words)) out[t] = __ldcg(buf + t) + 2 * __ldcg(buf + T + (t ^ 1));
}

__global__ void volatile_flag_behind_a_store(float *out, float *buf, const float *__restrict__ in, unsigned *words) {
  __shared__ alignas(128) float tile[T];
  __shared__ bool both;
  int t = threadIdx.x, b = blockIdx.x;
  tile[T - 1 - t] = in[b * T + t];
  __syncthreads();
#pragma tma store fallback(loop)
  buf[b * T + t] = tile[t];
  __threadfence();
  __syncthreads();
  if (t == 0) {
    raise(words + b);
    __threadfence();
    both = raised(words) && raised(words + 1);
  }
  __syncthreads();
  if (both) out[t] = __ldcg(buf + t) + 2 * __ldcg(buf + T + (t ^ 1));
}

__global__ void released_in_assembly(float *out, float *buf, const float *__restrict__ in, unsigned *words) {
  __shared__ alignas(128) float tile[T];
  __shared__ bool both;
  int t = threadIdx.x, b = blockIdx.x;
  tile[T - 1 - t] = in[b * T + t];
  __syncthreads();
#pragma tma store fallback(loop)
  buf[b * T + t] = tile[t];
  __syncthreads();
  if (t == 0) {
    release(words + b);
    both = acquire(words) && acquire(words + 1);
  }
  __syncthreads();
  if (both) out[t] = __ldcg(buf + t) + 2 * __ldcg(buf + T + (t ^ 1));
}

__global__ void flag_is_an_object(float *out, float *buf, const float *__restrict__ in, unsigned *words) {
  __shared__ alignas(128) float tile[T];
  __shared__ bool both;
  int t = threadIdx.x, b = blockIdx.x;
  Flag mine{words + b}, theirs{words + 1 - b};
  tile[T - 1 - t] = in[b * T + t];
  __syncthreads();
#pragma tma store fallback(loop)
  buf[b * T + t] = tile[t];
  __threadfence();
  __syncthreads();
  if (t == 0) mine = 1, both = theirs;
  __syncthreads();
  if (both) out[t] = __ldcg(buf + t) + 2 * __ldcg(buf + T + (t ^ 1));
}

__global__ void published_at_end_of_scope(float *out, float *buf, const float *__restrict__ in, unsigned *words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, b = blockIdx.x;
  {
    Publisher publisher(words + b);
    tile[T - 1 - t] = in[b * T + t];
    __syncthreads();
#pragma tma store fallback(loop)
    buf[b * T + t] = tile[t];
  }
  if (both_published(words)) out[t] = __ldcg(buf + t) + 2 * __ldcg(buf + T + (t ^ 1));
}

__global__ void published_by_lambda_behind_reduce(float *out, float *buf, const float *__restrict__ in,
                                                  unsigned *words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, b = blockIdx.x;
  auto tell = [=] { publish(words + b); };
  tile[T - 1 - t] = in[b * T + t];
  __syncthreads();
#pragma tma reduce fallback(loop)
  atomicAdd(&buf[t], tile[t]);
  tell();
  if (both_published(words)) out[t] = __ldcg(buf + (t ^ 1));
}

__global__ void copy_of_what_both_published(float *out, float *buf, const float *__restrict__ in, unsigned *words) {
  __shared__ alignas(128) float tile[2 * T];
  int t = threadIdx.x, b = blockIdx.x;
  buf[b * T + T - 1 - t] = in[b * T + t];
  publish(words + b);
  if (both_published(words)) {
#pragma tma load fallback(loop)
    for (int i = t; i < 2 * T; i += T) tile[i] = buf[i];
    __syncthreads();
    out[t] = tile[t ^ 1] + 2 * tile[2 * T - 1 - t];
  }
}

__global__ void copies_in_rounds_of_what_both_published(float *out, float *buf, const float *__restrict__ in,
                                                        unsigned *words, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, b = blockIdx.x;
  float sum = 0;
  buf[b * T + T - 1 - t] = in[b * T + t];
  publish(words + b);
  if (!both_published(words)) return;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = buf[k * T + t];
    __syncthreads();
    sum = 2 * sum + tile[t ^ 1];
    __syncthreads();
  }
  out[t] = sum;
}

__global__ void flag_in_another_type_behind_a_store(float *out, float *buf, const float *__restrict__ in,
                                                    unsigned *words) {
  __shared__ alignas(128) float tile[T];
  __shared__ bool both;
  int t = threadIdx.x, b = blockIdx.x;
  unsigned long long *flags = reinterpret_cast<unsigned long long *>(words);
  tile[T - 1 - t] = in[b * T + t];
  __syncthreads();
#pragma tma store fallback(loop)
  buf[b * T + t] = tile[t];
  __threadfence_system();
  __syncthreads();
  if (t == 0) both = atomicOr(flags, 1ull << 32 * b) == 1ull << 32 * (1 - b);
  __syncthreads();
  if (both) out[t] = __ldcg(buf + t) + 2 * __ldcg(buf + T + (t ^ 1));
}

__global__ void flags_are_results_of_warps(float *out, float *buf, const float *__restrict__ in, unsigned *words) {
  __shared__ alignas(128) float tile[4][32];
  __shared__ unsigned seen[4];
  int t = threadIdx.x, b = blockIdx.x, warp = t / 32;
  tile[warp][31 - t % 32] = in[b * T + t];
  __syncthreads();
#pragma tma store fallback(loop)
  buf[b * T + t] = tile[t / 32][t % 32];
  __threadfence();
  __syncwarp();
  if (t % 32 == 0) seen[warp] = atomicAdd(words + warp, 1u);
  __syncwarp();
  if (seen[warp] == 1) out[t] = __ldcg(buf + t) + 2 * __ldcg(buf + T + t);
}

__global__ void ticket_says_what_is_copied(float *out, const float *__restrict__ in, unsigned *words) {
  __shared__ alignas(128) float tile[T];
  __shared__ unsigned ticket;
  int t = threadIdx.x;
  for (;;) {
    __syncthreads();
    if (t == 0) ticket = atomicAdd(words, 1u);
    __syncthreads();
    unsigned mine = ticket;
    if (mine >= 5) break;
#pragma tma load fallback(loop)
    tile[t] = in[mine * T + t];
    __syncthreads();
    out[mine * T + t] = tile[T - 1 - t];
  }
}

__global__ void ticket_says_what_is_stored(float *out, const float *__restrict__ in, unsigned *words) {
  __shared__ alignas(128) float tile[T];
  __shared__ unsigned ticket;
  int t = threadIdx.x;
  if (t == 0) ticket = atomicAdd(words, 1u);
  __syncthreads();
  unsigned mine = ticket;
  tile[T - 1 - t] = in[mine * T + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[mine * T + t] = tile[t];
}

// Harmless.
__global__ void blocks_are_counted(float *__restrict__ out, const float *__restrict__ in,
                                   unsigned *__restrict__ words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t == 0) atomicAdd(words, 1u);
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// Harmless.
__global__ void sums_are_added_to_a_counter(float *__restrict__ out, const float *__restrict__ in,
                                            unsigned *__restrict__ words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  atomicAdd(words + t % 8, (unsigned)tile[T - 1 - t]);
  out[at + t] = tile[t ^ 1];
}

// Harmless.
__global__ void stored_and_counted(float *__restrict__ out, const float *__restrict__ in,
                                   unsigned *__restrict__ words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[T - 1 - t] = in[at + t];
  if (t == 0) atomicAdd(words, 1u);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

// Harmless.
__global__ void last_block_leaves_a_note(float *__restrict__ out, const float *__restrict__ in,
                                         unsigned *__restrict__ words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
  if (i_am_last(words) && t == 0) words[1] = 77;
}

// Harmless.
__global__ void reduced_by_all_blocks(float *__restrict__ buf, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[T - 1 - t] = in[at + t];
  __syncthreads();
#pragma tma reduce fallback(loop)
  atomicAdd(&buf[t], tile[t]);
}

struct CountAtEnd {
  unsigned *word, &before;
  __device__ CountAtEnd(unsigned *w, unsigned &b) : word(w), before(b) {}
  __device__ ~CountAtEnd() {
    __threadfence();
    before = atomicAdd(word, 1u);
  }
};
__global__ void each_thread_signals_at_end_of_scope(float *__restrict__ out, float *__restrict__ buf,
                                                    const float *__restrict__ in, unsigned *__restrict__ words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  unsigned before;
  tile[T - 1 - t] = in[at + t];
  __syncthreads();
  {
    CountAtEnd count(words, before);
#pragma tma store fallback(loop)
    buf[at + t] = tile[t];
  }
  if (before == 2 * T - 1) {
    __threadfence();
    for (int i = 0; i < 2 * T; ++i) out[i] = __ldcg(buf + i) + 1;
  }
}

__global__ void each_thread_signals_itself(float *out, float *buf, const float *__restrict__ in, unsigned *words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[T - 1 - t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  buf[at + t] = tile[t];
  __threadfence();
  if (atomicAdd(words, 1u) == 2 * T - 1) {
    __threadfence();
    for (int i = 0; i < 2 * T; ++i) out[i] = __ldcg(buf + i) + 1;
  }
}

struct Counter {
  unsigned *word;
  __device__ unsigned operator++(int) const {
    __threadfence();
    return atomicAdd(word, 1u);
  }
};
__global__ void each_thread_counts_by_operator(float *out, float *buf, const float *__restrict__ in, Counter counter) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[T - 1 - t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  buf[at + t] = tile[t];
  if (counter++ == 2 * T - 1) {
    __threadfence();
    for (int i = 0; i < 2 * T; ++i) out[i] = __ldcg(buf + i) + 1;
  }
}

__global__ void each_warp_signals_in_assembly(float *out, float *buf, const float *__restrict__ in, unsigned *words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  unsigned before = 0;
  tile[T - 1 - t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  buf[at + t] = tile[t];
  __syncwarp();
  if (t % 32 == 31) asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(words) : "memory");
  if (before == 7)
    for (int i = 0; i < 2 * T; ++i) out[i] = __ldcg(buf + i) + 1;
}

__global__ void behind_a_barrier_of_the_grid(float *out, float *buf) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, at = blockIdx.x * T;
  buf[at + t] = t + at;
  cooperative_groups::this_grid().sync();
#pragma tma load
  tile[t] = buf[T - at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
__device__ inline unsigned seen(const unsigned *flag) {
  unsigned value;
  asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}
__global__ void each_block_waits_for_the_one_before(float *out, float *buf, unsigned *flags) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, b = blockIdx.x;
  buf[b * T + t] = t + b;
  __threadfence();
  __syncthreads();
  if (t == 0) asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(flags + b), "r"(1) : "memory");
  if (t == 0 && b > 0) while (!seen(flags + b - 1));
  __syncthreads();
#pragma tma load
  tile[t] = buf[max(b - 1, 0) * T + t];
  __syncthreads();
  out[b * T + t] = tile[T - 1 - t];
}
// Written by volatile accesses, or by atomics, and told of by a counter.
template <bool IsAtomic> __device__ void write_strongly(float *place, float value) {
  if (IsAtomic)
    atomicExch(place, value);
  else
    *(volatile float *)place = value;
}
__global__ void last_block_copies_volatile_writes(float *out, float *buf, unsigned *count) {
  __shared__ float tile[2 * T];
  __shared__ bool last;
  write_strongly<false>(buf + blockIdx.x * T + threadIdx.x, threadIdx.x * 3.f + blockIdx.x);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(count, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
#pragma tma load
  for (int i = threadIdx.x; i < 2 * T; i += T) tile[i] = buf[i];
  __syncthreads();
  for (int i = threadIdx.x; i < 2 * T; i += T) out[i] = tile[2 * T - 1 - i];
}
__global__ void last_block_copies_atomic_writes(float *out, float *buf, unsigned *count) {
  __shared__ float tile[2 * T];
  __shared__ bool last;
  write_strongly<true>(buf + blockIdx.x * T + threadIdx.x, threadIdx.x * 3.f + blockIdx.x);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(count, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
#pragma tma load
  for (int i = threadIdx.x; i < 2 * T; i += T) tile[i] = buf[i];
  __syncthreads();
  for (int i = threadIdx.x; i < 2 * T; i += T) out[i] = tile[2 * T - 1 - i];
}

static const Case cases[] = {
    {"last_block_copies_volatile_writes",
     [](const Arrays &a) { last_block_copies_volatile_writes<<<2, T>>>(a.out, a.buf, a.words); }},
    {"last_block_copies_atomic_writes",
     [](const Arrays &a) { last_block_copies_atomic_writes<<<2, T>>>(a.out, a.buf, a.words); }},
    {"each_block_waits_for_the_one_before", [](const Arrays &a) { each_block_waits_for_the_one_before<<<4, T>>>(a.out, a.buf, a.words); }},
    {"behind_a_barrier_of_the_grid", [](const Arrays &a) { void *args[] = {(void *)&a.out, (void *)&a.buf}; cudaLaunchCooperativeKernel((void *)behind_a_barrier_of_the_grid, dim3(2), dim3(T), args, 0, 0); }},
    {"last_block_sums_what_was_stored",
     [](const Arrays &a) { last_block_sums_what_was_stored<<<3, T>>>(a.out, a.buf, a.in, a.words); }},
    {"last_block_by_a_function",
     [](const Arrays &a) { last_block_by_a_function<<<3, T>>>(a.out, a.buf, a.in, a.words); }},
    {"last_block_with_restricted_pointers",
     [](const Arrays &a) { last_block_with_restricted_pointers<<<3, T>>>(a.out, a.buf, a.in, a.words); }},
    {"last_block_copies_what_was_written",
     [](const Arrays &a) { last_block_copies_what_was_written<<<3, T>>>(a.out, a.buf, a.in, a.words); }},
    {"last_block_copies_what_was_stored",
     [](const Arrays &a) { last_block_copies_what_was_stored<<<3, T>>>(a.out, a.buf, a.in, a.words); }},
    {"flag_by_a_function", [](const Arrays &a) { flag_by_a_function<<<2, T>>>(a.out, a.buf, a.in, a.words); }},
    {"volatile_flag_behind_a_store",
     [](const Arrays &a) { volatile_flag_behind_a_store<<<2, T>>>(a.out, a.buf, a.in, a.words); }},
    {"released_in_assembly", [](const Arrays &a) { released_in_assembly<<<2, T>>>(a.out, a.buf, a.in, a.words); }},
    {"flag_is_an_object", [](const Arrays &a) { flag_is_an_object<<<2, T>>>(a.out, a.buf, a.in, a.words); }},
    {"published_at_end_of_scope",
     [](const Arrays &a) { published_at_end_of_scope<<<2, T>>>(a.out, a.buf, a.in, a.words); }},
    {"published_by_lambda_behind_reduce",
     [](const Arrays &a) { published_by_lambda_behind_reduce<<<2, T>>>(a.out, a.buf, a.in, a.words); }},
    {"copy_of_what_both_published",
     [](const Arrays &a) { copy_of_what_both_published<<<2, T>>>(a.out, a.buf, a.in, a.words); }},
    {"copies_in_rounds_of_what_both_published",
     [](const Arrays &a) { copies_in_rounds_of_what_both_published<<<2, T>>>(a.out, a.buf, a.in, a.words, 2); }},
    {"flag_in_another_type_behind_a_store",
     [](const Arrays &a) { flag_in_another_type_behind_a_store<<<2, T>>>(a.out, a.buf, a.in, a.words); }},
    {"flags_are_results_of_warps",
     [](const Arrays &a) { flags_are_results_of_warps<<<2, T>>>(a.out, a.buf, a.in, a.words); }},
    {"ticket_says_what_is_copied", [](const Arrays &a) { ticket_says_what_is_copied<<<3, T>>>(a.out, a.in, a.words); }},
    {"ticket_says_what_is_stored", [](const Arrays &a) { ticket_says_what_is_stored<<<3, T>>>(a.out, a.in, a.words); }},
    {"blocks_are_counted", [](const Arrays &a) { blocks_are_counted<<<3, T>>>(a.out, a.in, a.words); }},
    {"sums_are_added_to_a_counter",
     [](const Arrays &a) { sums_are_added_to_a_counter<<<3, T>>>(a.out, a.in, a.words); }},
    {"stored_and_counted", [](const Arrays &a) { stored_and_counted<<<3, T>>>(a.out, a.in, a.words); }},
    {"last_block_leaves_a_note", [](const Arrays &a) { last_block_leaves_a_note<<<3, T>>>(a.out, a.in, a.words); }},
    {"reduced_by_all_blocks", [](const Arrays &a) { reduced_by_all_blocks<<<3, T>>>(a.buf, a.in); }},
    {"each_thread_signals_at_end_of_scope",
     [](const Arrays &a) { each_thread_signals_at_end_of_scope<<<2, T>>>(a.out, a.buf, a.in, a.words); }},
    {"each_thread_signals_itself",
     [](const Arrays &a) { each_thread_signals_itself<<<2, T>>>(a.out, a.buf, a.in, a.words); }},
    {"each_thread_counts_by_operator",
     [](const Arrays &a) { each_thread_counts_by_operator<<<2, T>>>(a.out, a.buf, a.in, Counter{a.words}); }},
    {"each_warp_signals_in_assembly",
     [](const Arrays &a) { each_warp_signals_in_assembly<<<2, T>>>(a.out, a.buf, a.in, a.words); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
