// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=3 -std=c++17 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | tee %t.txt | grep -c Wtilelift-lifted | grep -x 17
// RUN: %run --compare -std=c++17 -fno-strict-aliasing -DTYPES_TELL_NOTHING %s
// RUN: grep "'in' may be written in the loop, which a copy ahead of its round would miss" %t.txt
//
// A tensor that the kernel also accesses through a pointer to another type, which it converts at the access. The element
// type of a pointer separates it from other tensors only if all accesses through it are of that type. Each way to convert
// has a kernel of its own, because instances of one template would share their waits. A write that never happens keeps
// nvcc 13.0 from reading through the constant cache, in the plain program too, what it takes for never written.
#include "Inputs/arrays.h"

#include <cstring>

// What is stored is read right behind the store, in several ways.
__device__ float at(const float *place) { return *place; }
__global__ void read_by_a_cast(float *to, int *view, float *__restrict__ out) {
  __shared__ alignas(128) float tile[T];
  const int own = blockIdx.x * T + (threadIdx.x ^ 7);
  tile[threadIdx.x] = threadIdx.x * 3 + blockIdx.x + 1;
  __syncthreads();
#pragma tma store
  to[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = reinterpret_cast<float *>(view)[own];
  if (threadIdx.x > 2000) view[0] = 0;
}
__global__ void read_by_a_function(float *to, int *view, float *__restrict__ out) {
  __shared__ alignas(128) float tile[T];
  const int own = blockIdx.x * T + (threadIdx.x ^ 7);
  tile[threadIdx.x] = threadIdx.x * 3 + blockIdx.x + 1;
  __syncthreads();
#pragma tma store
  to[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = at((const float *)(view + own));
  if (threadIdx.x > 2000) view[0] = 0;
}
__global__ void read_past_the_first_cache(float *to, int *view, float *__restrict__ out) {
  __shared__ alignas(128) float tile[T];
  const int own = blockIdx.x * T + (threadIdx.x ^ 7);
  tile[threadIdx.x] = threadIdx.x * 3 + blockIdx.x + 1;
  __syncthreads();
#pragma tma store
  to[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = __ldcg((const float *)view + own);
  if (threadIdx.x > 2000) view[0] = 0;
}
__global__ void read_as_bytes(float *to, int *view, float *__restrict__ out) {
  __shared__ alignas(128) float tile[T];
  const int own = blockIdx.x * T + (threadIdx.x ^ 7);
  tile[threadIdx.x] = threadIdx.x * 3 + blockIdx.x + 1;
  __syncthreads();
#pragma tma store
  to[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x];
  __syncthreads();
  float value;
  memcpy(&value, view + own, 4);
  out[blockIdx.x * T + threadIdx.x] = value;
  if (threadIdx.x > 2000) view[0] = 0;
}
__global__ void read_as_bytes_of_its_type(int *to, const float *view, float *__restrict__ out) {
  __shared__ alignas(128) int tile[T];
  const int own = blockIdx.x * T + (threadIdx.x ^ 7);
  tile[threadIdx.x] = __float_as_int(threadIdx.x * 3 + blockIdx.x + 1);
  __syncthreads();
#pragma tma store
  to[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x];
  __syncthreads();
  float value;
  memcpy(&value, view + own, 4);
  out[blockIdx.x * T + threadIdx.x] = value;
}
__device__ float bytes_at(const float *place) {
  float value;
  memcpy(&value, (const char *)place, sizeof value);
  return value;
}
__global__ void read_as_bytes_by_a_function(int *to, const float *view, float *__restrict__ out) {
  __shared__ alignas(128) int tile[T];
  const int own = blockIdx.x * T + (threadIdx.x ^ 7);
  tile[threadIdx.x] = __float_as_int(threadIdx.x * 3 + blockIdx.x + 1);
  __syncthreads();
#pragma tma store
  to[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = bytes_at(view + own);
}
__global__ void read_by_assembly(float *to, int *view, float *__restrict__ out) {
  __shared__ alignas(128) float tile[T];
  const int own = blockIdx.x * T + (threadIdx.x ^ 7);
  tile[threadIdx.x] = threadIdx.x * 3 + blockIdx.x + 1;
  __syncthreads();
#pragma tma store
  to[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x];
  __syncthreads();
  float value;
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(view + own) : "memory");
  out[blockIdx.x * T + threadIdx.x] = value;
  if (threadIdx.x > 2000) view[0] = 0;
}

// What is written is loaded right behind that.
__global__ void written_by_a_cast(const float *from, int *view, float *__restrict__ out) {
  __shared__ alignas(128) float tile[T];
  const int own = blockIdx.x * T + (threadIdx.x ^ 7);
  const float value = threadIdx.x + 2;
  ((float *)view)[own] = value;
  __syncthreads();
#pragma tma load
  tile[threadIdx.x] = from[blockIdx.x * T + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x ^ 1];
}
__global__ void written_as_bytes(const float *from, int *view, float *__restrict__ out) {
  __shared__ alignas(128) float tile[T];
  const int own = blockIdx.x * T + (threadIdx.x ^ 7);
  const float value = threadIdx.x + 2;
  memcpy(view + own, &value, 4);
  __syncthreads();
#pragma tma load
  tile[threadIdx.x] = from[blockIdx.x * T + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x ^ 1];
}
__global__ void written_as_bytes_of_its_type(const float *from, int *view, float *__restrict__ out) {
  __shared__ alignas(128) float tile[T];
  const int value = __float_as_int(threadIdx.x * 0.25f + blockIdx.x);
  memcpy(view + blockIdx.x * T + (threadIdx.x ^ 7), &value, 4);
  __syncthreads();
#pragma tma load
  tile[threadIdx.x] = from[blockIdx.x * T + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x ^ 1];
}
__global__ void written_by_assembly(const float *from, int *view, float *__restrict__ out) {
  __shared__ alignas(128) float tile[T];
  const int own = blockIdx.x * T + (threadIdx.x ^ 7);
  const float value = threadIdx.x + 2;
  asm volatile("st.global.f32 [%1], %0;" : : "f"(value), "l"(view + own) : "memory");
  __syncthreads();
#pragma tma load
  tile[threadIdx.x] = from[blockIdx.x * T + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x ^ 1];
}
__global__ void written_through_a_local(const float *from, int *view, float *__restrict__ out) {
  __shared__ alignas(128) float tile[T];
  const float value = threadIdx.x + 2;
  float *mine = reinterpret_cast<float *>(view) + blockIdx.x * T;
  mine[threadIdx.x ^ 7] = value;
  __syncthreads();
#pragma tma load
  tile[threadIdx.x] = from[blockIdx.x * T + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void read_behind_reduction(float *sum, unsigned *view, float *__restrict__ out) {
  __shared__ alignas(128) float tile[T];
  tile[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
#pragma tma reduce
  atomicAdd(&sum[blockIdx.x * T + threadIdx.x], tile[threadIdx.x]);
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = *reinterpret_cast<float *>(&view[blockIdx.x * T + (threadIdx.x ^ 5)]);
  if (threadIdx.x > 2000) view[0] = 0;
}

struct Workspace {
  int *words;
  template <typename Type> __device__ Type *as() const { return reinterpret_cast<Type *>(words); }
};
__global__ void in_a_struct(float *to, Workspace space, float *__restrict__ out) {
  __shared__ alignas(128) float tile[T];
  tile[threadIdx.x] = threadIdx.x * 5;
  __syncthreads();
#pragma tma store
  to[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = space.as<float>()[blockIdx.x * T + (threadIdx.x ^ 3)];
  if (threadIdx.x > 2000) space.words[0] = 0;
}

__device__ int words[2 * T];
__global__ void of_the_device(const float *from, float *__restrict__ out) {
  __shared__ alignas(128) float tile[T];
  reinterpret_cast<float *>(words)[blockIdx.x * T + (threadIdx.x ^ 7)] = threadIdx.x;
  __syncthreads();
#pragma tma load
  tile[threadIdx.x] = from[blockIdx.x * T + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x ^ 1];
}

// The next round's tile is written in this one.
__global__ void written_a_round_before(const float *in, int *view, float *__restrict__ out, int n) {
  __shared__ alignas(128) float tile[T];
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[threadIdx.x] = in[k * T + threadIdx.x];
    __syncthreads();
    sum += tile[threadIdx.x ^ 1];
    if (k + 1 < n) ((float *)view)[(k + 1) * T + threadIdx.x] = sum;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// A type that the program declares to be any other's.
typedef int __attribute__((may_alias)) any_int;
__global__ void written_by_an_alias(const float *from, any_int *view, float *__restrict__ out) {
  __shared__ alignas(128) float tile[T];
  view[blockIdx.x * T + (threadIdx.x ^ 7)] = __float_as_int(threadIdx.x * 0.25f);
  __syncthreads();
#pragma tma load
  tile[threadIdx.x] = from[blockIdx.x * T + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x ^ 1];
}

#ifdef TYPES_TELL_NOTHING // with -fno-strict-aliasing, 'view' may lead to what 'from' does
__global__ void of_other_types(const float *from, int *view, float *__restrict__ out) {
  __shared__ alignas(128) float tile[T];
  view[blockIdx.x * T + (threadIdx.x ^ 7)] = __float_as_int(threadIdx.x * 0.25f);
  __syncthreads();
#pragma tma load
  tile[threadIdx.x] = from[blockIdx.x * T + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x ^ 1];
}
#endif

static const Case cases[] = {
#ifdef TYPES_TELL_NOTHING
    {"of_other_types", [](const Arrays &a) { of_other_types<<<2, T>>>(a.buf, (int *)a.buf, a.out); }},
#endif
    {"read_by_a_cast", [](const Arrays &a) { read_by_a_cast<<<2, T>>>(a.buf, (int *)a.buf, a.out); }},
    {"read_by_a_function", [](const Arrays &a) { read_by_a_function<<<2, T>>>(a.buf, (int *)a.buf, a.out); }},
    {"read_past_the_first_cache", [](const Arrays &a) { read_past_the_first_cache<<<2, T>>>(a.buf, (int *)a.buf, a.out); }},
    {"read_as_bytes", [](const Arrays &a) { read_as_bytes<<<2, T>>>(a.buf, (int *)a.buf, a.out); }},
    {"read_as_bytes_of_its_type", [](const Arrays &a) { read_as_bytes_of_its_type<<<2, T>>>((int *)a.buf, a.buf, a.out); }},
    {"read_as_bytes_by_a_function", [](const Arrays &a) { read_as_bytes_by_a_function<<<2, T>>>((int *)a.buf, a.buf, a.out); }},
    {"read_by_assembly", [](const Arrays &a) { read_by_assembly<<<2, T>>>(a.buf, (int *)a.buf, a.out); }},
    {"written_by_a_cast", [](const Arrays &a) { written_by_a_cast<<<2, T>>>(a.buf, (int *)a.buf, a.out); }},
    {"written_as_bytes", [](const Arrays &a) { written_as_bytes<<<2, T>>>(a.buf, (int *)a.buf, a.out); }},
    {"written_as_bytes_of_its_type",
     [](const Arrays &a) { written_as_bytes_of_its_type<<<2, T>>>(a.buf, (int *)a.buf, a.out); }},
    {"written_by_assembly", [](const Arrays &a) { written_by_assembly<<<2, T>>>(a.buf, (int *)a.buf, a.out); }},
    {"written_through_a_local", [](const Arrays &a) { written_through_a_local<<<2, T>>>(a.buf, (int *)a.buf, a.out); }},
    {"read_behind_reduction", [](const Arrays &a) { read_behind_reduction<<<2, T>>>(a.buf, (unsigned *)a.buf, a.out); }},
    {"written_by_an_alias",
     [](const Arrays &a) { written_by_an_alias<<<2, T>>>(a.buf, (any_int *)a.buf, a.out); }},
    {"in_a_struct", [](const Arrays &a) { in_a_struct<<<2, T>>>(a.buf, Workspace{(int *)a.buf}, a.out); }},
    {"of_the_device",
     [](const Arrays &a) {
       void *place;
       cudaGetSymbolAddress(&place, words);
       of_the_device<<<2, T>>>((const float *)place, a.out);
     }},
    {"written_a_round_before",
     [](const Arrays &a) { written_a_round_before<<<1, T>>>(a.in, (int *)a.in, a.out, 5); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
