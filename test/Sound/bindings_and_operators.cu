// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 28
//
// Structured bindings, overloaded operators, pointers to members, initializer lists, range-for loops and memcpy write
// and read tiles, other shared memory and tensors. Some kernels are harmless: they use the same features on registers,
// or in places that nothing depends on.
#include "Inputs/arrays.h"
#include <cstring>
#include <initializer_list>

struct Two {
  float a, b;
};
struct Num {
  float v;
  __device__ Num &operator++() {
    v += 1;
    return *this;
  }
  __device__ Num operator++(int) {
    Num was = *this;
    v += 1;
    return was;
  }
  __device__ Num &operator+=(float x) {
    v += x;
    return *this;
  }
  __device__ operator float() const { return v; }
};
struct Set {
  float v;
  __device__ void operator=(float x) { v = x; }
};
struct Indexed {
  float *p;
  __device__ float &operator[](int i) const { return p[T - 1 - i]; }
  __device__ float operator()(int i) const { return p[i]; }
};
struct Arrow {
  Two *p;
  __device__ Two *operator->() const { return p; }
  __device__ Two &operator*() const { return *p; }
};
struct Output {
  float *p;
  __device__ const Output &operator<<(float x) const {
    *p = x;
    return *this;
  }
  __device__ Output operator+(int i) const { return {p + i}; }
};
struct Walk {
  const float *p;
  __device__ void operator++() { p += 128 + (p[0] > 40) * 128; }
};
struct Proxy {
  float *p;
  __device__ float operator=(float x) const { return *p = x; }
  __device__ operator float() const { return *p; }
};
struct Proxies {
  float *p;
  __device__ Proxy operator[](int i) const { return {p + i}; }
};
struct Vec {
  float x, y;
  __host__ __device__ friend Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y}; }
};
__device__ inline void put_list(float *to, std::initializer_list<float> values) {
  for (float v : values) *to = v, to += T;
}
__device__ inline float sum_of(std::initializer_list<float> values) {
  float sum = 0;
  for (float v : values) sum += v;
  return sum;
}

__global__ void binding_to_element_before_store(Two *__restrict__ out, const Two *__restrict__ in) {
  __shared__ alignas(128) Two tile[64];
  int t = threadIdx.x, at = blockIdx.x * 64;
  auto &[a, b] = tile[63 - t];
  a = in[at + t].b;
  b = in[at + t].a;
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void binding_to_array_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[64][2];
  int t = threadIdx.x, at = blockIdx.x * 128;
  auto &[a, b] = tile[t];
  a = in[at + t], b = in[at + 127 - t];
  __syncthreads();
#pragma tma store fallback(loop)
  for (int i = t; i < 128; i += 64) out[at + i] = tile[i / 2][i % 2];
}

__global__ void binding_reads_other_array(float *__restrict__ out, const Two *__restrict__ in) {
  __shared__ alignas(128) Two tile[64];
  __shared__ Two other[64];
  int t = threadIdx.x, at = blockIdx.x * 64;
  other[t] = Two{float(t), 2};
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  const auto &[a, b] = other[63 - t];
  out[at + t] = tile[t ^ 1].a + a * b;
}

__global__ void binding_reads_tile_before_next_round(float *__restrict__ out, const Two *__restrict__ in, int n) {
  __shared__ alignas(128) Two tile[64];
  int t = threadIdx.x, at = blockIdx.x * 64;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 128 + at + t];
    __syncthreads();
    auto [a, b] = tile[63 - t];
    sum += a - b;
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void increment_before_store(Num *__restrict__ out, const Num *__restrict__ in) {
  __shared__ alignas(128) Num tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  ++tile[T - 1 - t];
  tile[T - 1 - t]++;
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void source_ahead_by_plus_assign(Num *out, Num *buf, int n) {
  __shared__ alignas(128) Num tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = buf[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    buf[(k + 1) * 256 + at + t] += sum;
    __syncthreads();
  }
  out[at + t].v = sum;
}

__global__ void assignment_operator_before_store(Set *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) Set tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t ^ 17] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t].v = tile[t].v;
}

__global__ void subscript_operator_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Indexed backwards{tile};
  backwards[t] = in[at + t];
  backwards[t] *= 2;
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void call_operator_reads_other_array(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  const Indexed view{other};
  view[T - 1 - t] = t;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[t ^ 1] + view(T - 1 - t);
}

__global__ void arrow_operator_before_store(Two *__restrict__ out, const Two *__restrict__ in) {
  __shared__ alignas(128) Two tile[64];
  int t = threadIdx.x, at = blockIdx.x * 64;
  Arrow theirs{tile + (t ^ 1)};
  theirs->a = in[at + t].a;
  (*theirs).b = 8;
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void shift_operator_before_reduce(float *__restrict__ buf, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Output{tile} + (T - 1 - t) << 5 << in[at + t];
  __syncthreads();
#pragma tma reduce fallback(loop)
  atomicAdd(&buf[at + t], tile[t]);
}

__global__ void proxy_reference_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Proxies cells{tile};
  cells[T - 1 - t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void proxy_reads_target_after_store(float *out, float *buf, const float *in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  __syncthreads();
  Proxies{buf}[at + t] = Proxies{out}[at + T - 1 - t];
}

__global__ void iterator_steps_by_what_it_sees(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Walk walk{in + at};
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k, ++walk) {
#pragma tma load fallback(loop)
    tile[t] = walk.p[t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void pointer_to_member_before_store(Two *__restrict__ out, const Two *__restrict__ in) {
  __shared__ alignas(128) Two tile[64];
  int t = threadIdx.x, at = blockIdx.x * 64;
  float Two::*first = t & 1 ? &Two::a : &Two::b, Two::*second = t & 1 ? &Two::b : &Two::a;
  tile[t].*first = in[at + t].a;
  (&tile[t])->*second = 6;
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void initializer_list_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[2 * T];
  int t = threadIdx.x, at = blockIdx.x * 2 * T;
  put_list(tile + (t ^ 1), {in[at + t], 2});
  __syncthreads();
#pragma tma store fallback(loop)
  for (int i = t; i < 2 * T; i += T) out[at + i] = tile[i];
}

__global__ void initializer_list_reads_other_array(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  other[t] = t;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = sum_of({tile[t ^ 1], other[T - 1 - t], 1});
}

__global__ void range_for_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t == 0) {
    int i = 0;
    for (auto &f : tile) f = in[at + i++];
  }
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void range_for_reads_tile_and_other_array(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[4][32];
  __shared__ int steps[4];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    if (t < 4) steps[t] = t + k;
#pragma tma load fallback(loop)
    tile[t / 32][t % 32] = in[k * 256 + at + t];
    __syncthreads();
    for (const auto &row : tile) sum += row[t % 32];
    for (int s : steps) sum += s * t;
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void memcpy_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[2 * T];
  int t = threadIdx.x, at = blockIdx.x * 2 * T;
  float both[2] = {in[at + 2 * t], 4};
  memcpy(&tile[2 * (t ^ 1)], both, sizeof both);
  __syncthreads();
#pragma tma store fallback(loop)
  for (int i = t; i < 2 * T; i += T) out[at + i] = tile[i];
}

__global__ void memset_and_memcpy_around_load(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  memset(&tile[T - 1 - t], 0, sizeof(float));
  __syncthreads();
  float had = tile[t], got;
  __syncthreads();
  memcpy(&other[t], &at, sizeof at);
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  memcpy(&got, &other[T - 1 - t], sizeof got);
  out[at + t] = had + got * 0 + tile[T - 1 - t] + __float_as_int(got);
}

// Harmless.
__global__ void vectors_added_by_operator(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Vec sum{0, 1};
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = sum + Vec{tile[T - 1 - t], tile[t ^ 1]};
    __syncthreads();
  }
  out[at + t] = sum.x + 3 * sum.y;
}

// Harmless.
__global__ void counters_incremented_in_registers(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Num count{0};
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t] * ++count;
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void bindings_of_registers(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  auto [row, column] = Two{1, 2};
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + row * column;
}

// Harmless.
__global__ void range_for_over_registers(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float own[4], sum = 0;
  for (float &f : own) f = in[at + t + 4 * (&f - own)];
  for (float f : own) sum += f;
  tile[t] = sum;
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

// Harmless.
__global__ void memcpy_of_registers(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  unsigned bits;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  float v = tile[T - 1 - t];
  memcpy(&bits, &v, sizeof v);
  out[at + t] = bits >> 20;
}

__global__ void binding_writes_other_array(float *__restrict__ out, const Two *__restrict__ in) {
  __shared__ alignas(128) Two tile[64];
  __shared__ Two other[64];
  int t = threadIdx.x, at = blockIdx.x * 64;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  auto &[a, b] = other[63 - t];
  a = t, b = 3;
  __syncthreads();
  out[at + t] = tile[t ^ 1].a + other[t].a * other[t].b;
}

__global__ void binding_writes_source_ahead(Two *out, Two *buf, int n) {
  __shared__ alignas(128) Two tile[64];
  int t = threadIdx.x, at = blockIdx.x * 64;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = buf[k * 128 + at + t];
    __syncthreads();
    sum += tile[63 - t].a - tile[63 - t].b;
    auto &[a, b] = buf[(k + 1) * 128 + at + t];
    a += sum, b = k;
    __syncthreads();
  }
  out[at + t].a = sum;
}

// Harmless.
struct Extents { int w, h; };
__global__ void bindings_in_a_guard(float *__restrict__ out, const float *__restrict__ in, Extents size, int pitch) {
  __shared__ alignas(128) float tile[4][32];
  const int x = threadIdx.x % 32, y = threadIdx.x / 32, row = blockIdx.x * 4 + y;
  auto [w, h] = size;
#pragma tma load
  tile[y][x] = x < w && row < h ? in[row * pitch + x] : 0.f;
  __syncthreads();
  out[blockIdx.x * T + y * 32 + x] = tile[3 - y][31 - x];
}

static const Case cases[] = {
    {"bindings_in_a_guard", [](const Arrays &a) { bindings_in_a_guard<<<4, T>>>(a.out, a.in, {20, 14}, 48); }},
    {"binding_to_element_before_store",
     [](const Arrays &a) { binding_to_element_before_store<<<2, 64>>>((Two *)a.out, (const Two *)a.in); }},
    {"binding_to_array_before_store", [](const Arrays &a) { binding_to_array_before_store<<<2, 64>>>(a.out, a.in); }},
    {"binding_reads_other_array",
     [](const Arrays &a) { binding_reads_other_array<<<2, 64>>>(a.out, (const Two *)a.in); }},
    {"binding_reads_tile_before_next_round",
     [](const Arrays &a) { binding_reads_tile_before_next_round<<<2, 64>>>(a.out, (const Two *)a.in, 3); }},
    {"increment_before_store",
     [](const Arrays &a) { increment_before_store<<<2, T>>>((Num *)a.out, (const Num *)a.in); }},
    {"source_ahead_by_plus_assign",
     [](const Arrays &a) { source_ahead_by_plus_assign<<<2, T>>>((Num *)a.out, (Num *)a.buf, 4); }},
    {"assignment_operator_before_store",
     [](const Arrays &a) { assignment_operator_before_store<<<2, T>>>((Set *)a.out, a.in); }},
    {"subscript_operator_before_store",
     [](const Arrays &a) { subscript_operator_before_store<<<2, T>>>(a.out, a.in); }},
    {"call_operator_reads_other_array",
     [](const Arrays &a) { call_operator_reads_other_array<<<2, T>>>(a.out, a.in); }},
    {"arrow_operator_before_store",
     [](const Arrays &a) { arrow_operator_before_store<<<2, 64>>>((Two *)a.out, (const Two *)a.in); }},
    {"shift_operator_before_reduce", [](const Arrays &a) { shift_operator_before_reduce<<<2, T>>>(a.buf, a.in); }},
    {"proxy_reference_before_store", [](const Arrays &a) { proxy_reference_before_store<<<2, T>>>(a.out, a.in); }},
    {"proxy_reads_target_after_store",
     [](const Arrays &a) { proxy_reads_target_after_store<<<2, T>>>(a.out, a.buf, a.in); }},
    {"iterator_steps_by_what_it_sees",
     [](const Arrays &a) { iterator_steps_by_what_it_sees<<<2, T>>>(a.out, a.in, 4); }},
    {"pointer_to_member_before_store",
     [](const Arrays &a) { pointer_to_member_before_store<<<2, 64>>>((Two *)a.out, (const Two *)a.in); }},
    {"initializer_list_before_store", [](const Arrays &a) { initializer_list_before_store<<<2, T>>>(a.out, a.in); }},
    {"initializer_list_reads_other_array",
     [](const Arrays &a) { initializer_list_reads_other_array<<<2, T>>>(a.out, a.in); }},
    {"range_for_before_store", [](const Arrays &a) { range_for_before_store<<<2, T>>>(a.out, a.in); }},
    {"range_for_reads_tile_and_other_array",
     [](const Arrays &a) { range_for_reads_tile_and_other_array<<<2, T>>>(a.out, a.in, 3); }},
    {"memcpy_before_store", [](const Arrays &a) { memcpy_before_store<<<2, T>>>(a.out, a.in); }},
    {"memset_and_memcpy_around_load", [](const Arrays &a) { memset_and_memcpy_around_load<<<2, T>>>(a.out, a.in); }},
    {"vectors_added_by_operator", [](const Arrays &a) { vectors_added_by_operator<<<2, T>>>(a.out, a.in, 4); }},
    {"counters_incremented_in_registers",
     [](const Arrays &a) { counters_incremented_in_registers<<<2, T>>>(a.out, a.in, 4); }},
    {"bindings_of_registers", [](const Arrays &a) { bindings_of_registers<<<2, T>>>(a.out, a.in); }},
    {"range_for_over_registers", [](const Arrays &a) { range_for_over_registers<<<2, T>>>(a.out, a.in); }},
    {"memcpy_of_registers", [](const Arrays &a) { memcpy_of_registers<<<2, T>>>(a.out, a.in); }},
    {"binding_writes_other_array",
     [](const Arrays &a) { binding_writes_other_array<<<2, 64>>>(a.out, (const Two *)a.in); }},
    {"binding_writes_source_ahead",
     [](const Arrays &a) { binding_writes_source_ahead<<<2, 64>>>((Two *)a.out, (Two *)a.buf, 4); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
