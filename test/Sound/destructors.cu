// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 24
//
// Destructors act at the end of a scope, of an expression or of a call: they write elements, read shared memory, move
// offsets, wait for the block, release a lock or raise a flag. Some kernels are harmless: their destructors touch
// registers or memory that no copy has to do with.
#include "Inputs/arrays.h"

struct WriteAtEnd {
  float *p;
  float x;
  __device__ WriteAtEnd(float *q, float v) : p(q), x(v) {}
  __device__ ~WriteAtEnd() { *p = x; }
  __device__ float value() const { return x; }
};
struct ReadAtEnd {
  const float *p;
  float &sum;
  __device__ ReadAtEnd(const float *q, float &s) : p(q), sum(s) {}
  __device__ ~ReadAtEnd() { sum += *p; }
};
struct WaitAtEnd {
  __device__ WaitAtEnd() {}
  __device__ ~WaitAtEnd() { __syncthreads(); }
};
struct AddAtEnd {
  int &i, by;
  __device__ AddAtEnd(int &j, int b) : i(j), by(b) {}
  __device__ ~AddAtEnd() { i += by; }
};
struct Restore {
  const float *&p;
  const float *was;
  __device__ explicit Restore(const float *&q) : p(q), was(q) {}
  __device__ ~Restore() { p = was; }
};
struct Holder {
  WriteAtEnd inner;
  __device__ Holder(float *q, float v) : inner(q, v) {}
};
struct Lock {
  unsigned *word;
  __device__ explicit Lock(unsigned *w) : word(w) {
    if (threadIdx.x == 0)
      while (atomicCAS(word, 0u, 1u))
        ;
    __syncthreads();
    __threadfence();
  }
  __device__ ~Lock() {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(word, 0u);
  }
};
struct Arrive {
  unsigned *count;
  bool &last;
  __device__ Arrive(unsigned *c, bool &l) : count(c), last(l) {}
  __device__ ~Arrive() {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(count, 1u) + 1 == gridDim.x;
    __syncthreads();
  }
};
struct Total {
  float sum = 0, *to;
  __device__ explicit Total(float *t) : to(t) {}
  __device__ ~Total() { *to = sum; }
};
struct Doubled {
  float &x;
  __device__ explicit Doubled(float &y) : x(y) {}
  __device__ ~Doubled() { x *= 2; }
};
__device__ inline void write_in_scope(float *p, float x) { WriteAtEnd w(p, x); }

__global__ void scope_ends_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  {
    WriteAtEnd w(&tile[T - 1 - t], in[at + t]);
  }
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void temporary_ends_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float v = WriteAtEnd(&tile[t ^ 3], in[at + t]).value();
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  out[512 + at + t] = v;
}

__global__ void bound_temporary_ends_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float v;
  {
    const WriteAtEnd &w = WriteAtEnd(&tile[t ^ 3], in[at + t]);
    v = w.value();
  }
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  out[512 + at + t] = v;
}

__global__ void callee_scope_ends_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  write_in_scope(tile + (t ^ 12), in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void member_destructor_before_reduce(float *__restrict__ buf, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  if (Holder h(&tile[t ^ 6], in[at + t]); true) tile[t ^ 6] = 0;
  __syncthreads();
#pragma tma reduce fallback(loop)
  atomicAdd(&buf[at + t], tile[t]);
}

__global__ void array_of_objects_ends_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[2 * T];
  int t = threadIdx.x, at = blockIdx.x * 2 * T;
  {
    WriteAtEnd both[2] = {{&tile[t], in[at + t]}, {&tile[2 * T - 1 - t], 3}};
    (void)both;
  }
  __syncthreads();
#pragma tma store fallback(loop)
  for (int i = t; i < 2 * T; i += T) out[at + i] = tile[i];
}

__global__ void source_ahead_at_end_of_round(float *out, float *buf, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = buf[k * 256 + at + t];
    __syncthreads();
    {
      sum += tile[T - 1 - t];
      WriteAtEnd w(&buf[(k + 1) * 256 + at + t], sum);
    }
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void offset_moved_at_end_of_round(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, from = at;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
    AddAtEnd move(from, k == 1 ? 512 : 128);
#pragma tma load fallback(loop)
    tile[t] = in[from + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void pointer_restored_before_copy(float *__restrict__ out, const float *in, const float *more) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float first;
  {
    Restore restore(in);
    in = more;
    first = in[at + t];
  }
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + first;
}

__global__ void barrier_at_end_of_scope(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    WaitAtEnd used;
    {
      WaitAtEnd filled;
      other[t] = t * k;
#pragma tma load fallback(loop)
      tile[t] = in[k * 256 + at + t];
    }
    sum += tile[T - 1 - t] + other[T - 1 - t];
  }
  out[at + t] = sum;
}

__global__ void tile_read_at_end_of_scope(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    {
      ReadAtEnd read(&tile[T - 1 - t], sum);
      sum *= 2;
    }
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void other_array_read_at_end_of_kernel(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  {
    ReadAtEnd read(&other[T - 1 - t], sum);
    other[t] = t;
#pragma tma load fallback(loop)
    tile[t] = in[at + t];
    __syncthreads();
    sum += tile[t ^ 1];
  }
  out[at + t] = sum;
}

__global__ void store_under_a_lock(float *buf, const float *__restrict__ in, unsigned *words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  Lock lock(words);
  tile[t] = *(volatile float *)&buf[t] + in[blockIdx.x * T + t];
  __syncthreads();
#pragma tma store fallback(loop)
  buf[t] = tile[t];
}

__global__ void load_and_store_under_a_lock(float *buf, const float *__restrict__ in, unsigned *words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  {
    Lock lock(words);
#pragma tma load fallback(loop)
    tile[t] = buf[t];
    __syncthreads();
    tile[t] += in[blockIdx.x * T + t];
    __syncthreads();
#pragma tma store fallback(loop)
    buf[t] = tile[t];
  }
}

__global__ void last_block_is_told_at_end_of_scope(float *out, float *buf, const float *__restrict__ in,
                                                   unsigned *words) {
  __shared__ alignas(128) float tile[T];
  __shared__ bool last;
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t] + 1;
  __syncthreads();
  {
    Arrive arrive(words, last);
#pragma tma store fallback(loop)
    buf[at + t] = tile[t];
  }
  if (last) out[t] = __ldcg(&buf[t]) + 2 * __ldcg(&buf[T + t]) + 4 * __ldcg(&buf[2 * T + t]);
}

__global__ void target_read_at_end_of_kernel(float *out, float *buf, const float *in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t];
  float sum = t;
  __syncthreads();
  {
    ReadAtEnd read(&out[at + T - 1 - t], sum);
#pragma tma store fallback(loop)
    out[at + t] = tile[t];
    __syncthreads();
  }
  buf[at + t] = sum;
}

__global__ void tile_cleared_at_end_of_scope(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  for (int k = 0; k < 2; ++k) {
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    {
      WriteAtEnd clear(&tile[t], -3);
#pragma tma store fallback(loop)
      out[k * 256 + at + t] = tile[t];
    }
    __syncthreads();
  }
}

// Harmless.
__global__ void total_written_at_end(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Total total(out + at + t);
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    total.sum += tile[T - 1 - t];
    __syncthreads();
  }
}

// Harmless.
__global__ void registers_doubled_at_end_of_round(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    Doubled doubled(sum);
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void barrier_of_scope_before_load(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  {
    WaitAtEnd wait;
    other[t] = t;
  }
  float sum = other[T - 1 - t];
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + sum;
}

// Harmless.
__global__ void counter_moved_after_copy(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, count = 0;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  for (int i = 0; i < 4; ++i) AddAtEnd add(count, i);
  out[at + t] = tile[T - 1 - t] + count;
}

__global__ void doubled_at_end_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  if (Doubled d(tile[T - 1 - t]); t > 200) out[at + t] = 1;
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void other_array_doubled_at_end(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  other[T - 1 - t] = t;
  {
    Doubled d(other[T - 1 - t]);
#pragma tma load fallback(loop)
    tile[t] = in[at + t];
  }
  __syncthreads();
  out[at + t] = tile[t ^ 1] + other[t];
}

__global__ void source_doubled_at_end_of_round(float *out, float *buf, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
    Doubled d(buf[(k + 1) * 256 + at + t]);
#pragma tma load fallback(loop)
    tile[t] = buf[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

static const Case cases[] = {
    {"scope_ends_before_store", [](const Arrays &a) { scope_ends_before_store<<<2, T>>>(a.out, a.in); }},
    {"temporary_ends_before_store", [](const Arrays &a) { temporary_ends_before_store<<<2, T>>>(a.out, a.in); }},
    {"bound_temporary_ends_before_store",
     [](const Arrays &a) { bound_temporary_ends_before_store<<<2, T>>>(a.out, a.in); }},
    {"callee_scope_ends_before_store", [](const Arrays &a) { callee_scope_ends_before_store<<<2, T>>>(a.out, a.in); }},
    {"member_destructor_before_reduce",
     [](const Arrays &a) { member_destructor_before_reduce<<<2, T>>>(a.buf, a.in); }},
    {"array_of_objects_ends_before_store",
     [](const Arrays &a) { array_of_objects_ends_before_store<<<2, T>>>(a.out, a.in); }},
    {"source_ahead_at_end_of_round", [](const Arrays &a) { source_ahead_at_end_of_round<<<2, T>>>(a.out, a.buf, 4); }},
    {"offset_moved_at_end_of_round", [](const Arrays &a) { offset_moved_at_end_of_round<<<2, T>>>(a.out, a.in, 4); }},
    {"pointer_restored_before_copy",
     [](const Arrays &a) { pointer_restored_before_copy<<<2, T>>>(a.out, a.in, a.more); }},
    {"barrier_at_end_of_scope", [](const Arrays &a) { barrier_at_end_of_scope<<<2, T>>>(a.out, a.in, 3); }},
    {"tile_read_at_end_of_scope", [](const Arrays &a) { tile_read_at_end_of_scope<<<2, T>>>(a.out, a.in, 3); }},
    {"other_array_read_at_end_of_kernel",
     [](const Arrays &a) { other_array_read_at_end_of_kernel<<<2, T>>>(a.out, a.in); }},
    {"store_under_a_lock", [](const Arrays &a) { store_under_a_lock<<<4, T>>>(a.buf, a.in, a.words); }},
    {"load_and_store_under_a_lock",
     [](const Arrays &a) { load_and_store_under_a_lock<<<4, T>>>(a.buf, a.in, a.words); }},
    {"last_block_is_told_at_end_of_scope",
     [](const Arrays &a) { last_block_is_told_at_end_of_scope<<<3, T>>>(a.out, a.buf, a.in, a.words); }},
    {"target_read_at_end_of_kernel",
     [](const Arrays &a) { target_read_at_end_of_kernel<<<2, T>>>(a.out, a.buf, a.in); }},
    {"tile_cleared_at_end_of_scope", [](const Arrays &a) { tile_cleared_at_end_of_scope<<<2, T>>>(a.out, a.in); }},
    {"total_written_at_end", [](const Arrays &a) { total_written_at_end<<<2, T>>>(a.out, a.in, 4); }},
    {"registers_doubled_at_end_of_round",
     [](const Arrays &a) { registers_doubled_at_end_of_round<<<2, T>>>(a.out, a.in, 3); }},
    {"barrier_of_scope_before_load", [](const Arrays &a) { barrier_of_scope_before_load<<<2, T>>>(a.out, a.in); }},
    {"counter_moved_after_copy", [](const Arrays &a) { counter_moved_after_copy<<<2, T>>>(a.out, a.in); }},
    {"doubled_at_end_before_store", [](const Arrays &a) { doubled_at_end_before_store<<<2, T>>>(a.out, a.in); }},
    {"other_array_doubled_at_end", [](const Arrays &a) { other_array_doubled_at_end<<<2, T>>>(a.out, a.in); }},
    {"source_doubled_at_end_of_round",
     [](const Arrays &a) { source_doubled_at_end_of_round<<<2, T>>>(a.out, a.buf, 4); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
