// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 30
//
// Elements of tiles, of other shared arrays and of tensors are handed as they stand, without their address being taken
// in the kernel's own text, to what writes or reads them through a reference: functions, templates, packs, operators,
// constructors, generic lambdas, assembly. Some kernels are harmless: they hand over registers, or nothing follows.
#include "Inputs/arrays.h"

struct Cell {
  float v;
  __device__ Cell &operator-=(float x) {
    v -= x;
    return *this;
  }
  __device__ Cell &operator--() {
    v -= 1;
    return *this;
  }
  __device__ operator float() const { return v; }
  __device__ friend bool operator<(const Cell &a, const Cell &b) { return a.v < b.v; }
  __device__ friend void operator>>(float x, Cell &c) { c.v = x; }
};
struct Point {
  float x, y;
};
struct Doubling {
  float &f;
  __device__ explicit Doubling(float &g) : f(g) { f *= 2; }
};
struct Halving {
  float &f;
  __device__ ~Halving() { f /= 2; }
};
__device__ inline void put(float &to, float v) { to = v; }
__device__ inline float get(const float &from) { return from; }
template <class A> __device__ inline void exchange(A &a, A &b) {
  A c = a;
  a = b, b = c;
}
template <class A> __device__ inline const A &least(const A &a, const A &b) { return b < a ? b : a; }
template <class A> __device__ inline void forward_to(A &&to, float v) { to = v; }
template <class... A> __device__ inline void put_all(float v, A &...to) { ((to = v), ...); }
template <class... A> __device__ inline float sum_of(const A &...from) { return (from + ...); }
__device__ inline float &later(float &f) { return f; }

__global__ void exchanged_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  if (t < 64) exchange(tile[t], tile[T - 1 - t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void pack_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[2 * T];
  int t = threadIdx.x, at = blockIdx.x * 2 * T;
  put_all(in[at + t], tile[T - 1 - t], tile[2 * T - 1 - t]);
  __syncthreads();
#pragma tma store fallback(loop)
  for (int i = t; i < 2 * T; i += T) out[at + i] = tile[i];
}

__global__ void forwarded_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[4][32];
  int t = threadIdx.x, at = blockIdx.x * T;
  forward_to(tile[3 - t / 32][t % 32], in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t / 32][t % 32];
}

__global__ void friend_operator_before_store(Cell *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) Cell tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  in[at + t] >> tile[T - 1 - t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void doubled_by_constructor_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  Doubling doubling(tile[T - 1 - t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void halved_by_destructor_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  {
    Halving halving{tile[T - 1 - t]};
  }
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void member_of_element_before_store(Point *__restrict__ out, const Point *__restrict__ in) {
  __shared__ alignas(128) Point tile[64];
  int t = threadIdx.x, at = blockIdx.x * 64;
  put(tile[63 - t].x, in[at + t].y);
  put(tile[t].y, in[at + t].x);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void result_of_call_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  later(tile[T - 1 - t]) = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void put_before_load(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  put(tile[T - 1 - t], t);
  __syncthreads();
  float was = tile[t];
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + was;
}

__global__ void decreased_in_each_round(float *__restrict__ out, const Cell *__restrict__ in, int n) {
  __shared__ alignas(128) Cell tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    --tile[T - 1 - t];
    tile[T - 1 - t] -= k;
    __syncthreads();
    sum = 2 * sum + tile[t ^ 1].v;
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void put_in_each_round_of_a_ring(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    put(tile[t], tile[t] * 2 + k);
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void exchanged_in_each_round_of_a_producer(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    if (t < 64) exchange(tile[t], tile[t + 64]);
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void other_array_put(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  put(other[T - 1 - t], t);
  __syncthreads();
  out[at + t] = tile[t ^ 1] + other[t];
}

__global__ void other_array_least_of_two(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  other[t] = t * 5 % 64;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = least(tile[t ^ 1], other[T - 1 - t]);
}

__global__ void other_array_exchanged_in_rounds(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float mine = t, sum = 0;
  put(other[t], 100 + t);
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    exchange(mine, other[T - 1 - t]);
    sum = 2 * sum + tile[t ^ 1] + mine;
    __syncthreads();
    exchange(mine, other[t]);
  }
  out[at + t] = sum + mine;
}

__global__ void tile_in_a_sum_of_references(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = sum_of(sum, tile[T - 1 - t], tile[t ^ 1]);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void tile_compared_by_operator(float *__restrict__ out, const Cell *__restrict__ in, int n) {
  __shared__ alignas(128) Cell tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + (tile[T - 1 - t] < tile[t ^ 1]);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void source_put_ahead(float *out, float *buf, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = buf[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    put_all(sum, buf[(k + 1) * 256 + at + t]);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void source_exchanged_ahead(float *out, float *buf, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(3) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = buf[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    exchange(buf[(k + 1) * 256 + at + t], sum);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void source_put_before_load(float *out, float *buf) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Doubling doubling(buf[at + (t ^ 1)]);
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = buf[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void target_got_after_store(float *out, float *buf, const float *in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  __syncthreads();
  buf[at + t] = get(out[at + T - 1 - t]);
}

__global__ void target_put_after_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[T - 1 - t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  if (t % 3 == 0) put(out[at + t], 5);
}

__global__ void tile_put_right_after_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[T - 1 - t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  put(tile[t], -7);
  __syncthreads();
  out[512 + at + t] = tile[t ^ 1];
}

// Harmless.
__global__ void registers_exchanged_each_round(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0, last = 1;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    exchange(sum, last);
    sum += tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum + 2 * last;
}

// Harmless.
__global__ void least_of_registers(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  float a = tile[t ^ 1], b = tile[T - 1 - t];
  out[at + t] = least(a, b);
}

// Harmless.
__global__ void own_registers_put_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float own[2];
  put_all(in[at + t], own[0], own[1]);
  tile[t] = own[0] + own[1];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

// Harmless.
__global__ void result_put_elsewhere(float *__restrict__ out, float *__restrict__ buf, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  put(out[at + t], tile[T - 1 - t]);
  put(buf[at + t], tile[t ^ 1]);
}

static const Case cases[] = {
    {"exchanged_before_store", [](const Arrays &a) { exchanged_before_store<<<2, T>>>(a.out, a.in); }},
    {"pack_before_store", [](const Arrays &a) { pack_before_store<<<2, T>>>(a.out, a.in); }},
    {"forwarded_before_store", [](const Arrays &a) { forwarded_before_store<<<2, T>>>(a.out, a.in); }},
    {"friend_operator_before_store",
     [](const Arrays &a) { friend_operator_before_store<<<2, T>>>((Cell *)a.out, a.in); }},
    {"doubled_by_constructor_before_store",
     [](const Arrays &a) { doubled_by_constructor_before_store<<<2, T>>>(a.out, a.in); }},
    {"halved_by_destructor_before_store",
     [](const Arrays &a) { halved_by_destructor_before_store<<<2, T>>>(a.out, a.in); }},
    {"member_of_element_before_store",
     [](const Arrays &a) { member_of_element_before_store<<<2, 64>>>((Point *)a.out, (const Point *)a.in); }},
    {"result_of_call_before_store", [](const Arrays &a) { result_of_call_before_store<<<2, T>>>(a.out, a.in); }},
    {"put_before_load", [](const Arrays &a) { put_before_load<<<2, T>>>(a.out, a.in); }},
    {"decreased_in_each_round",
     [](const Arrays &a) { decreased_in_each_round<<<2, T>>>(a.out, (const Cell *)a.in, 3); }},
    {"put_in_each_round_of_a_ring", [](const Arrays &a) { put_in_each_round_of_a_ring<<<2, T>>>(a.out, a.in, 4); }},
    {"exchanged_in_each_round_of_a_producer",
     [](const Arrays &a) { exchanged_in_each_round_of_a_producer<<<2, T>>>(a.out, a.in, 4); }},
    {"other_array_put", [](const Arrays &a) { other_array_put<<<2, T>>>(a.out, a.in); }},
    {"other_array_least_of_two", [](const Arrays &a) { other_array_least_of_two<<<2, T>>>(a.out, a.in); }},
    {"other_array_exchanged_in_rounds",
     [](const Arrays &a) { other_array_exchanged_in_rounds<<<2, T>>>(a.out, a.in, 3); }},
    {"tile_in_a_sum_of_references", [](const Arrays &a) { tile_in_a_sum_of_references<<<2, T>>>(a.out, a.in, 3); }},
    {"tile_compared_by_operator",
     [](const Arrays &a) { tile_compared_by_operator<<<2, T>>>(a.out, (const Cell *)a.in, 3); }},
    {"source_put_ahead", [](const Arrays &a) { source_put_ahead<<<2, T>>>(a.out, a.buf, 4); }},
    {"source_exchanged_ahead", [](const Arrays &a) { source_exchanged_ahead<<<2, T>>>(a.out, a.buf, 4); }},
    {"source_put_before_load", [](const Arrays &a) { source_put_before_load<<<2, T>>>(a.out, a.buf); }},
    {"target_got_after_store", [](const Arrays &a) { target_got_after_store<<<2, T>>>(a.out, a.buf, a.in); }},
    {"target_put_after_store", [](const Arrays &a) { target_put_after_store<<<2, T>>>(a.out, a.in); }},
    {"tile_put_right_after_store", [](const Arrays &a) { tile_put_right_after_store<<<2, T>>>(a.out, a.in); }},
    {"registers_exchanged_each_round",
     [](const Arrays &a) { registers_exchanged_each_round<<<2, T>>>(a.out, a.in, 4); }},
    {"least_of_registers", [](const Arrays &a) { least_of_registers<<<2, T>>>(a.out, a.in); }},
    {"own_registers_put_before_store", [](const Arrays &a) { own_registers_put_before_store<<<2, T>>>(a.out, a.in); }},
    {"result_put_elsewhere", [](const Arrays &a) { result_put_elsewhere<<<2, T>>>(a.out, a.buf, a.in); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
