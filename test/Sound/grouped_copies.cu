// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 58
//
// Several copies stand close together and may share a wait, a barrier or a round, and between them the program writes
// what one of them copies, reads what another fills, or moves what says where. Some kernels are harmless: what stands
// between the copies has to do with none of them.
#include "Inputs/arrays.h"

struct Taken {
  float *p;
  __device__ void clear(int i) { p[i] = 0; }
  __device__ float take(int i) {
    float v = p[i];
    p[i] = -1;
    return v;
  }
};
__device__ inline void clear(float &f) { f = 0; }
__device__ inline void clear_at(float *p, int i) { p[i] = 0; }
__device__ __noinline__ void clear_by_real_call(float *p, int i) { p[i] = 0; }
template <class F> __device__ inline void with(F f) { f(); }
struct ClearAtEnd {
  float &f;
  __device__ explicit ClearAtEnd(float &g) : f(g) {}
  __device__ ~ClearAtEnd() { f = 0; }
};

__global__ void cleared_through_reference(float *out, float *buf, const float *in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  a[t] = buf[at + t];
  clear(buf[at + t]);
#pragma tma load fallback(loop)
  b[t] = in[at + t];
  __syncthreads();
  out[at + t] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

__global__ void cleared_by_function(float *out, float *buf, const float *__restrict__ in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  a[t] = buf[at + t];
  clear_at(buf, at + t);
#pragma tma load fallback(loop)
  b[t] = in[at + t];
  __syncthreads();
  out[at + t] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

__global__ void cleared_by_real_call(float *out, float *buf, const float *__restrict__ in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  a[t] = buf[at + t];
  clear_by_real_call(buf, at + t);
#pragma tma load fallback(loop)
  b[t] = in[at + t];
  __syncthreads();
  out[at + t] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

__global__ void cleared_by_method(float *out, float *buf, const float *__restrict__ in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Taken taken{buf + at};
#pragma tma load fallback(loop)
  a[t] = buf[at + t];
  taken.clear(t);
#pragma tma load fallback(loop)
  b[t] = in[at + t];
  __syncthreads();
  out[at + t] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

__global__ void taken_by_method_in_rounds(float *out, float *buf, const float *__restrict__ in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < 3; ++k) {
#pragma tma load fallback(loop)
    a[t] = buf[at + t];
    float mine = Taken{buf}.take(at + t);
#pragma tma load fallback(loop)
    b[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + a[T - 1 - t] + b[T - 1 - t] + mine;
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void cleared_by_lambda(float *out, float *buf, const float *__restrict__ in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  a[t] = buf[at + t];
  with([=] { buf[at + t] = 0; });
#pragma tma load fallback(loop)
  b[t] = in[at + t];
  __syncthreads();
  out[at + t] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

__global__ void cleared_by_destructor(float *out, float *buf, const float *__restrict__ in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  {
    ClearAtEnd end(buf[at + t]);
#pragma tma load fallback(loop)
    a[t] = buf[at + t];
  }
#pragma tma load fallback(loop)
  b[t] = in[at + t];
  __syncthreads();
  out[at + t] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

__global__ void exchanged_by_atomic(float *out, float *buf, const float *__restrict__ in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  a[t] = buf[at + t];
  float was = atomicExch(&buf[at + t], 0.f);
#pragma tma load fallback(loop)
  b[t] = in[at + t];
  __syncthreads();
  out[at + t] = a[T - 1 - t] + 2 * b[T - 1 - t] + was;
}

__global__ void written_by_assembly_operand(float *out, float *buf, const float *__restrict__ in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  a[t] = buf[at + t];
  asm("mov.f32 %0, 0f00000000;" : "=f"(buf[at + t]));
#pragma tma load fallback(loop)
  b[t] = in[at + t];
  __syncthreads();
  out[at + t] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

__global__ void source_of_second_written_between(float *__restrict__ out, float *buf) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  a[t] = buf[at + t];
  float &later = buf[512 + at + t];
  later = t + 9;
#pragma tma load fallback(loop)
  b[t] = buf[512 + at + t];
  __syncthreads();
  out[at + t] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

__global__ void first_tile_used_for_second_source(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  __shared__ int row;
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  a[t] = in[at + t];
  if (t == 7) row = int(a[7]) % 4;
  __syncthreads();
  int r = row;
#pragma tma load fallback(loop)
  b[t] = in[r * 256 + at + t];
  __syncthreads();
  out[at + t] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

__global__ void own_element_of_first_changed_between(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  a[t] = in[at + t];
  clear(a[t]);
  a[t] += 3;
#pragma tma load fallback(loop)
  b[t] = in[256 + at + t];
  __syncthreads();
  out[at + t] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

__global__ void offset_changed_between(float *__restrict__ out, const float *__restrict__ in,
                                       const float *__restrict__ more) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T, from = at;
#pragma tma load fallback(loop)
  a[t] = in[from + t];
  from = blockIdx.x ? from + 256 : from + 128;
#pragma tma load fallback(loop)
  b[t] = more[from + t];
  __syncthreads();
  out[at + t] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

__global__ void stores_with_tile_written_between(float *__restrict__ out, float *__restrict__ buf,
                                                 const float *__restrict__ in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  a[t] = in[at + t];
  clear(b[T - 1 - t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = a[t];
  b[T - 1 - t] += a[t];
  __syncthreads();
#pragma tma store fallback(loop)
  buf[at + t] = b[t];
}

__global__ void stores_of_one_tile_twice(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  clear_at(tile, t);
  __syncthreads();
#pragma tma store fallback(loop)
  out[512 + at + t] = tile[t];
}

__global__ void store_then_load_of_the_same_rows(float *out, const float *in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  a[T - 1 - t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = a[t];
  __syncthreads();
#pragma tma load fallback(loop)
  b[t] = out[at + t];
  __syncthreads();
  out[512 + at + t] = b[T - 1 - t] + a[t];
}

__global__ void load_then_store_of_one_tile(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  for (int k = 0; k < 3; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
#pragma tma store fallback(loop)
    out[k * 256 + at + t] = tile[t];
    __syncthreads();
  }
}

__global__ void source_cleared_between_copies_of_a_round(float *out, float *buf, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    a[t] = buf[k * 256 + at + t];
    clear(buf[k * 256 + at + t]);
#pragma tma load fallback(loop)
    b[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + a[T - 1 - t] + b[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void register_changed_between(float *__restrict__ out, const float *__restrict__ in,
                                         const float *__restrict__ more) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float v = t;
#pragma tma load fallback(loop)
  a[t] = in[at + t];
  clear(v);
  v += 2;
#pragma tma load fallback(loop)
  b[t] = more[at + t];
  __syncthreads();
  out[at + t] = a[T - 1 - t] + 2 * b[T - 1 - t] + v;
}

// Harmless.
__global__ void another_array_cleared_between(float *__restrict__ out, float *__restrict__ buf,
                                              const float *__restrict__ in, const float *__restrict__ more) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  a[t] = in[at + t];
  clear_at(buf, at + t);
#pragma tma load fallback(loop)
  b[t] = more[at + t];
  __syncthreads();
  out[at + t] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

// Harmless.
__global__ void three_copies_in_rounds(float *__restrict__ out, const float *__restrict__ in,
                                       const float *__restrict__ more, int n) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  __shared__ alignas(128) float c[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(3) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    a[t] = in[k * 256 + at + t];
#pragma tma load fallback(loop)
    b[t] = more[k * 256 + at + t];
#pragma tma load fallback(loop)
    c[t] = in[(k + 4) * 256 + at + t];
    __syncthreads();
    sum += a[T - 1 - t] * b[t ^ 1] - c[t ^ 3];
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void two_stores_of_two_tiles(float *__restrict__ out, float *__restrict__ buf,
                                        const float *__restrict__ in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  a[T - 1 - t] = in[at + t];
  b[t ^ 1] = in[at + t] * 2;
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = a[t];
#pragma tma store fallback(loop)
  buf[at + t] = b[t];
}

__global__ void cleared_directly(float *out, float *buf, const float *in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, x = blockIdx.x * T + t;
#pragma tma load fallback(loop)
  a[t] = buf[x];
  buf[x] = 0;
#pragma tma load fallback(loop)
  b[t] = in[x];
  __syncthreads();
  out[x] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

__global__ void increased_directly(float *__restrict__ out, float *__restrict__ buf, const float *__restrict__ in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, x = blockIdx.x * T + t;
#pragma tma load fallback(loop)
  a[t] = buf[x];
  buf[x] += 10;
#pragma tma load fallback(loop)
  b[t] = in[x];
  __syncthreads();
  out[x] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

__global__ void cleared_through_second_pointer(float *__restrict__ out, float *buf, const float *__restrict__ in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, x = blockIdx.x * T + t;
  float *mine = buf + x;
#pragma tma load fallback(loop)
  a[t] = buf[x];
  *mine = -4;
#pragma tma load fallback(loop)
  b[t] = in[x];
  __syncthreads();
  out[x] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

__global__ void cleared_in_an_argument_struct(float *out, Taken taken, const float *in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, x = blockIdx.x * T + t;
#pragma tma load fallback(loop)
  a[t] = taken.p[x];
  taken.p[x] = x;
#pragma tma load fallback(loop)
  b[t] = in[x];
  __syncthreads();
  out[x] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

__global__ void cleared_under_a_condition(float *out, float *buf, const float *in, int on) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, x = blockIdx.x * T + t;
#pragma tma load fallback(loop)
  a[t] = buf[x];
  if (on && t % 2) buf[x] = -2;
#pragma tma load fallback(loop)
  b[t] = in[x];
  __syncthreads();
  out[x] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

__global__ void cleared_between_three_copies(float *out, float *buf, const float *in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  __shared__ alignas(128) float c[T];
  int t = threadIdx.x, x = blockIdx.x * T + t;
#pragma tma load fallback(loop)
  a[t] = buf[x];
#pragma tma load fallback(loop)
  b[t] = in[x];
  buf[x] = t;
#pragma tma load fallback(loop)
  c[t] = in[x + 256];
  __syncthreads();
  out[x] = a[T - 1 - t] + 2 * b[T - 1 - t] + 4 * c[t ^ 1];
}

static const Case cases[] = {
    {"cleared_through_reference", [](const Arrays &a) { cleared_through_reference<<<2, T>>>(a.out, a.buf, a.in); }},
    {"cleared_by_function", [](const Arrays &a) { cleared_by_function<<<2, T>>>(a.out, a.buf, a.in); }},
    {"cleared_by_real_call", [](const Arrays &a) { cleared_by_real_call<<<2, T>>>(a.out, a.buf, a.in); }},
    {"cleared_by_method", [](const Arrays &a) { cleared_by_method<<<2, T>>>(a.out, a.buf, a.in); }},
    {"taken_by_method_in_rounds", [](const Arrays &a) { taken_by_method_in_rounds<<<2, T>>>(a.out, a.buf, a.in); }},
    {"cleared_by_lambda", [](const Arrays &a) { cleared_by_lambda<<<2, T>>>(a.out, a.buf, a.in); }},
    {"cleared_by_destructor", [](const Arrays &a) { cleared_by_destructor<<<2, T>>>(a.out, a.buf, a.in); }},
    {"exchanged_by_atomic", [](const Arrays &a) { exchanged_by_atomic<<<2, T>>>(a.out, a.buf, a.in); }},
    {"written_by_assembly_operand", [](const Arrays &a) { written_by_assembly_operand<<<2, T>>>(a.out, a.buf, a.in); }},
    {"source_of_second_written_between",
     [](const Arrays &a) { source_of_second_written_between<<<2, T>>>(a.out, a.buf); }},
    {"first_tile_used_for_second_source",
     [](const Arrays &a) { first_tile_used_for_second_source<<<2, T>>>(a.out, a.in); }},
    {"own_element_of_first_changed_between",
     [](const Arrays &a) { own_element_of_first_changed_between<<<2, T>>>(a.out, a.in); }},
    {"offset_changed_between", [](const Arrays &a) { offset_changed_between<<<2, T>>>(a.out, a.in, a.more); }},
    {"stores_with_tile_written_between",
     [](const Arrays &a) { stores_with_tile_written_between<<<2, T>>>(a.out, a.buf, a.in); }},
    {"stores_of_one_tile_twice", [](const Arrays &a) { stores_of_one_tile_twice<<<2, T>>>(a.out, a.in); }},
    {"store_then_load_of_the_same_rows",
     [](const Arrays &a) { store_then_load_of_the_same_rows<<<2, T>>>(a.out, a.in); }},
    {"load_then_store_of_one_tile", [](const Arrays &a) { load_then_store_of_one_tile<<<2, T>>>(a.out, a.in); }},
    {"source_cleared_between_copies_of_a_round",
     [](const Arrays &a) { source_cleared_between_copies_of_a_round<<<2, T>>>(a.out, a.buf, a.in, 4); }},
    {"register_changed_between", [](const Arrays &a) { register_changed_between<<<2, T>>>(a.out, a.in, a.more); }},
    {"another_array_cleared_between",
     [](const Arrays &a) { another_array_cleared_between<<<2, T>>>(a.out, a.buf, a.in, a.more); }},
    {"three_copies_in_rounds", [](const Arrays &a) { three_copies_in_rounds<<<2, T>>>(a.out, a.in, a.more, 4); }},
    {"two_stores_of_two_tiles", [](const Arrays &a) { two_stores_of_two_tiles<<<2, T>>>(a.out, a.buf, a.in); }},
    {"cleared_directly", [](const Arrays &a) { cleared_directly<<<2, T>>>(a.out, a.buf, a.in); }},
    {"increased_directly", [](const Arrays &a) { increased_directly<<<2, T>>>(a.out, a.buf, a.in); }},
    {"cleared_through_second_pointer",
     [](const Arrays &a) { cleared_through_second_pointer<<<2, T>>>(a.out, a.buf, a.in); }},
    {"cleared_in_an_argument_struct",
     [](const Arrays &a) { cleared_in_an_argument_struct<<<2, T>>>(a.out, Taken{a.buf}, a.in); }},
    {"cleared_under_a_condition", [](const Arrays &a) { cleared_under_a_condition<<<2, T>>>(a.out, a.buf, a.in, 1); }},
    {"cleared_between_three_copies",
     [](const Arrays &a) { cleared_between_three_copies<<<2, T>>>(a.out, a.buf, a.in); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
