// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 22
//
// Constructors and conversions do more than initialise: they write elements, read other shared memory, move what a
// copy reads from, or hold a barrier. They run for variables, temporaries, bases, members, parameters, array elements
// and by placement new. Some kernels are harmless: their objects live in registers.
#include "Inputs/arrays.h"
#include <new>

struct Write {
  __device__ Write(float *of, int i, float x) { of[i] = x; }
};
struct WriteInList {
  float &to;
  __device__ WriteInList(float &t, float x) : to(t = x) {}
};
struct WriteByBase : Write {
  using Write::Write;
};
struct WriteByMember {
  Write member;
  int count;
  __device__ WriteByMember(float *of, int i, float x) : member(of, i, x), count(1) {}
};
struct WriteDelegated {
  __device__ WriteDelegated(float *of, int i, float x) { of[i] = x; }
  __device__ WriteDelegated(float *of, float x) : WriteDelegated(of, T - 1 - threadIdx.x, x) {}
};
struct Defaulted {
  float *p;
  float before = *p = 5;
};
struct Reading {
  float v;
  __device__ Reading(const float &from) : v(from * 2) {}
};
struct Lazy {
  const float *p;
  __device__ operator float() const { return *p; }
};
struct Counted {
  float *p;
  __device__ explicit Counted(float *q) : p(q) {}
  __device__ Counted(const Counted &other) : p(other.p) { *p += 1; }
};
struct Phase {
  __device__ Phase() { __syncthreads(); }
};
struct Cell {
  float v;
  __device__ Cell() {}
  __device__ Cell(float x) : v(x) {}
  __device__ Cell &operator=(const Cell &) = default;
  Cell(const Cell &) = default;
};
struct Offset {
  int value;
  __device__ Offset(int at, int by) : value(at + by) {}
};
struct Taken {
  int had;
  __device__ Taken(int &from, int by) : had(from) { from += by; }
};
template <bool Writes> struct Maybe {
  __device__ Maybe(float *of, int i, float x) {
    if constexpr (Writes) of[i] = x;
  }
};
struct Sum {
  float v;
  __device__ Sum(float a, float b) : v(a + b) {}
  __device__ operator float() const { return v; }
};
struct Rows {
  const float *data;
  int w;
  __host__ __device__ Rows(const float *d, int width) : data(d), w(width) {}
  __device__ float operator()(int r, int c) const { return data[r * w + c]; }
};
__device__ inline float twice(Reading r) { return r.v; }
__device__ inline int copied(Counted c) { return c.p != nullptr; }

__global__ void variable_writes_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Write write(tile, T - 1 - t, in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void initialiser_list_writes_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  WriteInList(tile[t ^ 2], in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void inherited_constructor_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  WriteByBase{tile, t ^ 15, in[at + t]};
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void member_constructor_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  WriteByMember w(tile, t ^ 64, in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  out[512 + at + t] = w.count;
}

__global__ void delegated_constructor_before_reduce(float *__restrict__ buf, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  WriteDelegated w(tile, in[at + t]);
  __syncthreads();
#pragma tma reduce fallback(loop)
  atomicAdd(&buf[at + t], tile[t]);
}

__global__ void default_initialiser_before_load(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Defaulted d{&tile[t ^ 1]};
  __syncthreads();
  float was = tile[t] + d.before;
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = was + tile[T - 1 - t];
}

__global__ void parameter_constructed_from_other_array(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  other[t] = t;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[t ^ 1] + twice(other[T - 1 - t]);
}

__global__ void parameter_constructed_from_tile(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += twice(tile[T - 1 - t]);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void conversion_reads_other_array(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Lazy lazy{&other[T - 1 - t]};
  other[t] = t;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  float later = lazy;
  out[at + t] = tile[t ^ 1] + later;
}

__global__ void conversion_reads_ring_of_another_round(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Lazy lazy{&tile[T - 1 - t]};
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + lazy;
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void copy_constructor_changes_tile(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t];
  __syncthreads();
  Counted counted(&tile[T - 1 - t]);
  int ok = copied(counted);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  out[512 + at + t] = ok;
}

__global__ void placement_new_before_store(Cell *__restrict__ out, const Cell *__restrict__ in) {
  __shared__ alignas(128) float storage[T];
  Cell *tile = reinterpret_cast<Cell *>(storage);
  int t = threadIdx.x, at = blockIdx.x * T;
  new (&tile[T - 1 - t]) Cell(in[at + t].v + 1);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void array_of_temporaries_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[2 * T];
  int t = threadIdx.x, at = blockIdx.x * 2 * T;
  const Write both[] = {{tile, T - 1 - t, in[at + t]}, {tile, 2 * T - 1 - t, 7}};
  (void)both;
  __syncthreads();
#pragma tma store fallback(loop)
  for (int i = t; i < 2 * T; i += T) out[at + i] = tile[i];
}

__global__ void constructor_is_the_barrier(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    other[t] = k + t;
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    Phase filled;
    sum += tile[T - 1 - t] + other[T - 1 - t];
    Phase used;
  }
  out[at + t] = sum;
}

__global__ void source_ahead_by_constructor(float *out, float *buf, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = buf[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    Write(buf, (k + 1) * 256 + at + t, sum);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void offset_taken_by_constructor(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, from = at;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[from + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    Taken taken(from, k == 1 ? 512 : 128);
    sum += taken.had;
    __syncthreads();
  }
  out[at + t] = sum;
}

template <bool Writes>
__global__ void constructor_of_the_second_instance_writes(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t];
  __syncthreads();
  Maybe<Writes> maybe(tile, t ^ 1, 5 + t);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

// Harmless.
__global__ void offset_object(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  const Offset from(at, 256);
#pragma tma load fallback(loop)
  tile[t] = in[from.value + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// Harmless.
__global__ void sums_are_objects(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(3) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = Sum(sum, tile[T - 1 - t]);
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void rows_are_an_object(float *__restrict__ out, Rows rows) {
  __shared__ alignas(128) float tile[4][32];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t / 32][t % 32] = rows(blockIdx.x * 4 + t / 32, t % 32);
  __syncthreads();
  out[at + t] = tile[3 - t / 32][t % 32];
}

// Harmless.
__global__ void stored_values_are_objects(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = Sum(in[at + t], Sum(1, t));
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

// Harmless.
__global__ void constructor_reads_own_registers(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float own[2] = {1, 2};
  Write write(own, 1, in[at + t]);
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + own[0] + own[1];
}

static const Case cases[] = {
    {"variable_writes_before_store", [](const Arrays &a) { variable_writes_before_store<<<2, T>>>(a.out, a.in); }},
    {"initialiser_list_writes_before_store",
     [](const Arrays &a) { initialiser_list_writes_before_store<<<2, T>>>(a.out, a.in); }},
    {"inherited_constructor_before_store",
     [](const Arrays &a) { inherited_constructor_before_store<<<2, T>>>(a.out, a.in); }},
    {"member_constructor_before_store",
     [](const Arrays &a) { member_constructor_before_store<<<2, T>>>(a.out, a.in); }},
    {"delegated_constructor_before_reduce",
     [](const Arrays &a) { delegated_constructor_before_reduce<<<2, T>>>(a.buf, a.in); }},
    {"default_initialiser_before_load",
     [](const Arrays &a) { default_initialiser_before_load<<<2, T>>>(a.out, a.in); }},
    {"parameter_constructed_from_other_array",
     [](const Arrays &a) { parameter_constructed_from_other_array<<<2, T>>>(a.out, a.in); }},
    {"parameter_constructed_from_tile",
     [](const Arrays &a) { parameter_constructed_from_tile<<<2, T>>>(a.out, a.in, 3); }},
    {"conversion_reads_other_array", [](const Arrays &a) { conversion_reads_other_array<<<2, T>>>(a.out, a.in); }},
    {"conversion_reads_ring_of_another_round",
     [](const Arrays &a) { conversion_reads_ring_of_another_round<<<2, T>>>(a.out, a.in, 4); }},
    {"copy_constructor_changes_tile", [](const Arrays &a) { copy_constructor_changes_tile<<<2, T>>>(a.out, a.in); }},
    {"placement_new_before_store",
     [](const Arrays &a) { placement_new_before_store<<<2, T>>>((Cell *)a.out, (const Cell *)a.in); }},
    {"array_of_temporaries_before_store",
     [](const Arrays &a) { array_of_temporaries_before_store<<<2, T>>>(a.out, a.in); }},
    {"constructor_is_the_barrier", [](const Arrays &a) { constructor_is_the_barrier<<<2, T>>>(a.out, a.in, 3); }},
    {"source_ahead_by_constructor", [](const Arrays &a) { source_ahead_by_constructor<<<2, T>>>(a.out, a.buf, 4); }},
    {"offset_taken_by_constructor", [](const Arrays &a) { offset_taken_by_constructor<<<2, T>>>(a.out, a.in, 4); }},
    {"constructor_of_the_second_instance_writes",
     [](const Arrays &a) {
       constructor_of_the_second_instance_writes<false><<<2, T>>>(a.out, a.in);
       constructor_of_the_second_instance_writes<true><<<2, T>>>(a.out + 1024, a.in);
     }},
    {"offset_object", [](const Arrays &a) { offset_object<<<2, T>>>(a.out, a.in); }},
    {"sums_are_objects", [](const Arrays &a) { sums_are_objects<<<2, T>>>(a.out, a.in, 4); }},
    {"rows_are_an_object", [](const Arrays &a) { rows_are_an_object<<<2, T>>>(a.out, Rows(a.in,32)); }},
    {"stored_values_are_objects", [](const Arrays &a) { stored_values_are_objects<<<2, T>>>(a.out, a.in); }},
    {"constructor_reads_own_registers",
     [](const Arrays &a) { constructor_reads_own_registers<<<2, T>>>(a.out, a.in); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
